"""Where a passage falls in two: "I can't stand okra, dentist next Wednesday" fills a slot and tells of something else,
which has a time of its own."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from memory_system import attributes, dates
from memory_system.phases.understanding.beside import clauses_of, left_over, names_somebody
from memory_system.phases.understanding.filling import Reading
from memory_system.phases.understanding.passage import Passage
from memory_system.turns import Segment

_LEAST = {"en": 5, "zh": 2}  # letters, Chinese characters, that the part must have beside its time
_JOINED = re.compile(
    r"\s*(?:(?:and |but )?(?:so|because|cause|since|which|who|where|when|while|if|after|before|until|till|as|ever"
    r"|especially|even|like|mostly|though|although|he|she|they|it|his|her|their)\b"
    r"|(?:my|our|an?|the) (?:[a-z]+ ){0,2}?[a-z]+(?:,| (?:from|at|of|in|who)\b)"  # who somebody is, just named
    r"|我(?:们)?(?:的|[^，。]{1,12}的)?(?:朋友|同事|同学|老师|邻居|亲戚)[，,]"
    r"|[跟和向对][^，。]{1,8}(?:说|讲|商量|谈|打)|因为|所以|因此|如果|要是|假如|当|除非|直到|尤其|特别|比如|他|她|它|的时候)",
    re.IGNORECASE,
)
_AND_ANOTHER = re.compile(
    r"\band (?:i|i'm|i've|i'll|i'd|we|we're|we'll|we've|he|she|they|my|our|his|her|their)\b", re.IGNORECASE
)
_FROM = re.compile(r"\b(?:from|starting|beginning|as of)(?: on)? (?:the )?$|从$", re.IGNORECASE)
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
_LETTER = re.compile(r"[^\W\d_]")


def parted(passage: Passage, readings: Sequence[Reading]) -> tuple[Segment, Segment] | None:
    """The two parts, in order, where clauses at one end fill no slot and alone have a time; None where it is one."""
    scene = passage.scene
    if not (readings and passage.whens and scene.first_hand) or passage.noted:
        return None
    if any(each.subject.key != scene.subject or names_somebody(each) for each in readings):
        return None  # "my mother likes tea, check-up on Friday" is hers
    free = [
        (start, end) for start, end, whole in left_over(readings, passage.plain, passage.offset, scene.lang) if whole
    ]
    first, last = min(each.span[0] for each in readings), max(each.span[1] for each in readings)
    after, before = [each for each in free if each[0] >= last], [each for each in free if each[1] <= first]
    if after and _stands_apart(passage, after[0][0], len(passage.plain)):
        return _cut(passage, after[0][0])
    if before and _stands_apart(passage, before[0][0], before[-1][1]):
        return _cut(passage, before[-1][1])
    return None


def _stands_apart(passage: Passage, start: int, end: int) -> bool:
    """Whether the stretch has all the times of the passage, and says what happens then."""
    inside = all(start <= first and last <= end for first, last in _times(passage))
    joined = _JOINED.match(passage.plain, start) or _JOINED.match(passage.plain, end)
    return inside and tells_when(passage, start, end) and not joined


def tells_when(passage: Passage, start: int, end: int) -> bool:
    """Whether the stretch has a time, and something beside it."""
    times = [(first, last) for first, last in _times(passage) if start <= first and last <= end]
    if not times:
        return False
    signs = enumerate(passage.plain[start:end], start)
    beside = "".join(sign for at, sign in signs if not any(first <= at < last for first, last in times))
    return len(_LETTER.findall(beside)) >= _LEAST[passage.scene.lang]


def time_of(reading: Reading, readings: Sequence[Reading], passage: Passage) -> dates.When | None:
    """When what the slot says happens: the first time that belongs to it. A time before all slots is that of all; one
    behind the clauses of a state is of what else is told."""
    times = zip(_times(passage), passage.whens, strict=True)
    since = clauses_of(reading, passage.plain, passage.offset)[0] if _is_health(reading, passage) else 0
    if len(readings) == 1 or passage.noted:
        end = _end_of_state(reading, passage) if _is_state(reading, passage) else math.inf
        return next((when for (first, _), when in times if since <= first < end), None)
    starts = [each.span[0] for each in readings]
    own = reading.span[0]
    until = min((each for each in starts if each > own), default=len(passage.plain))
    mine = [when for (first, _), when in times if since <= first < min(starts) or own <= first < until]
    return next(iter(mine), None)


def _is_health(reading: Reading, passage: Passage) -> bool:
    """Whether the slot says what somebody's body does or does not bear, in a sentence of its own: the time of what is
    told before it is not its time."""
    lasts = attributes.about(reading.attribute).get("category") in attributes.GRAVE and not reading.rule.data.get(
        "happens"
    )
    begins = clauses_of(reading, passage.plain, passage.offset)[0]
    return lasts and not passage.noted and passage.plain[:begins].rstrip().endswith(_SENTENCE_ENDS)


def _is_state(reading: Reading, passage: Passage) -> bool:
    """Whether the slot says how it is with somebody, not what happens: where they live or work."""
    slot = attributes.about(reading.attribute)
    lasts = slot.get("category") == "status" and slot.get("single") and not reading.rule.data.get("happens")
    return bool(lasts) and not passage.noted


def _end_of_state(reading: Reading, passage: Passage) -> int:
    """Where what is said of the state ends: with its clauses, or where somebody does something else ("works at Fernway
    and I fly to Rome on Friday")."""
    end = clauses_of(reading, passage.plain, passage.offset)[1]
    goes_on = _AND_ANOTHER.search(passage.plain, reading.value_span[1], end)
    return goes_on.start() if goes_on else end


def is_to_come(reading: Reading, passage: Passage) -> bool:
    """Whether the slot holds only from a day on that is still ahead: who moves next month does not live there yet."""
    slot, happens = attributes.about(reading.attribute), bool(reading.rule.data.get("happens"))
    if not passage.whens or not (happens or (slot.get("category") == "status" and slot.get("single"))):
        return False
    start, end = clauses_of(reading, passage.plain, passage.offset)[0], _end_of_state(reading, passage)
    now, value = passage.scene.anchor.replace(tzinfo=None), reading.value_span[0]
    return any(
        start <= first < end
        and when.start > now
        and (happens or _FROM.search(passage.plain, start, first) or (passage.scene.lang == "zh" and last <= value))
        for (first, last), when in zip(_times(passage), passage.whens, strict=True)
    )


def _times(passage: Passage) -> list[tuple[int, int]]:
    """Where the times stand in the passage; those that a label gives stand nowhere."""
    return [(first + passage.offset, last + passage.offset) for first, last in (each.span for each in passage.whens)]


def _cut(passage: Passage, at: int) -> tuple[Segment, Segment]:
    segment = passage.segment
    middle = segment.start + at
    head = Segment(segment.start, middle, segment.kind, segment.importance, segment.rules)
    return head, Segment(middle, segment.end, segment.kind, segment.importance, segment.rules)
