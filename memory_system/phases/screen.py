"""Phase 2: which segments are worth remembering. The rules judge each by itself; of what is no noise as much is kept as
`screen.keep_share` of the night's tokens allows, best first, each charged with what it will cost as a memory. What is
left out for nothing but that waits for a night that has room.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from heapq import nlargest
from itertools import accumulate, compress, groupby, repeat

from memory_system import text
from memory_system.keys import Key, quote_key
from memory_system.phases import JUDGED, REPEATED, REPEATED_WEIGHT, Night
from memory_system.phases.asking import segments as asking
from memory_system.phases.judge import ALWAYS, NEVER, Judge, Verdict
from memory_system.phases.leftover import MOST, Left, LeftOver
from memory_system.phases.understanding.asked import cost_of, tells_the_topic, told_beside
from memory_system.phases.understanding.before import said_before
from memory_system.phases.understanding.frames import FICTION, Frames
from memory_system.phases.understanding.leaning import leans
from memory_system.phases.understanding.pictures import stands_before_picture
from memory_system.phases.understanding.wishes import Wishes
from memory_system.phases.understanding.withheld import WITHHELD, TakingBack, withheld
from memory_system.trust import Guard, is_owners_word
from memory_system.turns import Segment, Turn

QUOTA = 500  # segments that a night may keep of what others than the owner say in one session

_AIMED = 0.98  # of the share: what telling adds is only estimated, and the share is not to be passed
_UNRATIONED = 120  # tokens that any night may keep: rationing a handful of sentences saves nothing
_SMALL = 1_000  # tokens of a night of a few messages
_LASTING_MORE = 240  # tokens beyond the share that such a night may keep of what lasts
_ANSWER = 260  # tokens kept of one answer of an assistant, at most: what it was about, in short
_REACTED = 0.5  # more for the best of a message that the next one to speak reacts to: it was news
_FURTHER = 0.4  # less for each better segment of the same message: breadth before depth
_BESIDE = 0.03  # less for every token of a sentence that must be told beside: others say it alone
_FURTHER_ANSWER = 0.5  # an assistant's says one thing at length
_MOST_FURTHER = 4
_LEANED_ON = ("", "trivial")  # what says too little by itself may still say what another speaks of

_MORE = 0.1  # of the share that a night may keep beyond it when a language model says so
_LEAST_MORE = 40  # tokens of that, at least

Marks = Iterable[object]  # one for each turn: whether it is wanted
Turns = Callable[[Marks], Iterator[Turn]]  # those turns of the night that are wanted
Known = Callable[[Key], bool]  # whether a memory stands on the words with that key (quote_key)


class _Scores:
    """What the first pass holds of every segment of the night, in order: a few numbers. Reasons and sets of rules,
    which are few, are kept once and counted through."""

    def __init__(self) -> None:
        self.scores, self.importance = array("d"), array("d")
        self.costs, self.outcomes = array("l"), array("l")
        self.marks = array("q")
        self.sizes = array("l")  # how many segments each turn has
        self.lasting = bytearray()  # whether it tells of what lasts
        self.leaning = bytearray()  # whether the one before, of the same message, says what it speaks of
        self.seen: dict[int, int] = {}
        self.confided: dict[int, str] = {}  # the wish that was said after a turn, by its number
        self.tokens = 0
        self._voice = ("", "", "")  # session, role and speaker of what was added last
        self._best = -1  # the number of the best segment of that, if any is worth keeping
        self._numbers: dict[tuple[str, ...], int] = {}
        self._outcomes: list[tuple[str, ...]] = []

    def add(self, verdict: Verdict, mark: int, *, known: bool, leaning: bool) -> None:
        """What a memory says already costs nothing."""
        self.scores.append(verdict.score)
        self.importance.append(verdict.importance)
        self.tokens += verdict.tokens
        before = self.seen.get(mark)
        self.costs.append(0 if known else verdict.cost)
        self.outcomes.append(self._number((verdict.reason,) if verdict.reason else verdict.rules))
        self.marks.append(mark)
        self.leaning.append(leaning)
        self.lasting.append(verdict.lasting)
        self.seen[mark] = (before or 0) + (not verdict.reason)

    def hear(self, turn: Turn, verdicts: list[Verdict]) -> None:
        """Raise the best of what was said before, where somebody else reacts to it; to be told before the turn's own
        segments are added."""
        message, before = turn.message, self._voice
        self._voice = (message.session, message.role, message.speaker)
        if self._best >= 0 and _reacts(verdicts) and before[0] == message.session and before != self._voice:
            self.scores[self._best] += _REACTED
        best = max(range(len(verdicts)), key=lambda place: verdicts[place].score, default=-1)
        self._best = len(self.scores) + best if best >= 0 and not verdicts[best].reason else -1

    def limit(self, others: Collection[int]) -> None:
        """Drop what goes beyond the quota of one source that is not the owner, given as numbers of segments: the best
        stay."""
        beyond = sorted(others, key=lambda each: -self.scores[each])[QUOTA:] if len(others) > QUOTA else ()
        for number in beyond:
            self.scores[number], self.outcomes[number] = NEVER, self._number(("flood",))

    def withhold(self, numbers: Iterable[int]) -> None:
        """Drop segments that are not to be kept after all."""
        for number in numbers:
            self.scores[number], self.outcomes[number] = NEVER, self._number((WITHHELD,))

    def _number(self, outcome: tuple[str, ...]) -> int:
        number = self._numbers.setdefault(outcome, len(self._outcomes))
        if number == len(self._outcomes):
            self._outcomes.append(outcome)
        return number

    def outcome(self, number: int) -> tuple[str, ...]:
        """The reason why a segment is dropped, else the ids of the rules that fired in it."""
        return self._outcomes[self.outcomes[number]]


def run(
    turns: Turns,
    night: Night,
    tally: Counter[str],
    known: Known = lambda _: False,
    guard: Guard | None = None,
    left_over: LeftOver | None = None,
) -> Iterator[Turn]:
    """The turns with the segments that are kept, importance and rule ids set. Reads the turns twice: the first pass
    keeps a few numbers a segment, the second sees only turns of which something is kept or waits. `guard` holds back
    what must not be believed; `left_over` is what earlier nights had no room for, and takes in what this one has none
    for. Counts `segments.kept` and `segments.dropped.<reason>`. First come segments of earlier nights, counted anew:
    those that a batch has kept, and those for which there is room now."""
    yield from _late(night, tally)
    judge, guard = Judge(night.config), guard or Guard()
    found = _scores(turns(repeat(True)), judge, known, guard)
    kept, room = _chosen(found, night.config.screen.keep_share)
    rescued = _rescued(found, kept, night, lambda: turns(repeat(True)))
    for number in rescued:
        kept[number] = 1
    _count(kept, found, tally)
    waits = frozenset[int]()
    if left_over is not None:
        yield from _taken_up(left_over, room, judge, known, guard, tally)
        waits = _best_left_out(found, kept)
    firsts = [last - size for last, size in zip(accumulate(found.sizes), found.sizes, strict=True)]
    spans = [range(first, first + size) for first, size in zip(firsts, found.sizes, strict=True)]
    wanted = [any(kept[each.start : each.stop]) or not waits.isdisjoint(each) for each in spans]
    numbered = compress(enumerate(spans), wanted)
    for (place, span), turn in zip(numbered, turns(wanted), strict=True):
        if left_over is not None:
            for number in sorted(waits.intersection(span)):
                left_over.leave(_left(turn, number - span.start, number, found, kept))
        segments = [
            _marked(segment, number, found, rescued.get(number))
            for number, segment in zip(span, turn.segments, strict=True)
            if kept[number]
        ]
        if segments:
            yield replace(turn, segments=segments, confided=found.confided.get(place, ""))


def _best_left_out(found: _Scores, kept: bytearray) -> frozenset[int]:
    """The numbers of the best segments that nothing but the share leaves out."""
    left_out = (number for number in range(len(kept)) if not kept[number] and found.scores[number] > NEVER)
    return frozenset(nlargest(MOST, left_out, key=lambda each: (found.scores[each], -each)))


def _left(turn: Turn, place: int, number: int, found: _Scores, kept: bytearray) -> Left:
    """The segment at that place of its turn as it waits, with the one that it leans on."""
    first = place - (found.leaning[number] and not kept[number - 1])
    cost = sum(found.costs[number - place + each] for each in range(first, place + 1))
    start, end = turn.segments[first].start, turn.segments[place].end
    return Left(turn.message.ref, start, end, cost, found.scores[number])


def _taken_up(
    left_over: LeftOver, room: float, judge: Judge, known: Known, guard: Guard, tally: Counter[str]
) -> Iterator[Turn]:
    """What earlier nights left out, as much as there is room for: each message once, judged as it is judged today."""
    taken: set[Key] = set()
    turns: dict[str, Turn] = {}
    for left in left_over.waiting if room > 0 else ():
        if left.cost > room or (turn := left_over.turn(left)) is None:
            continue
        key = quote_key(turn.message.role, turn.message.text[left.start : left.end])
        room -= 0 if key in taken or known(key) else left.cost
        taken.add(key)
        before = turns[left.ref].segments if left.ref in turns else []
        added = [each for each in _judged(turn, judge, guard) if all(each.start != other.start for other in before)]
        turns[left.ref] = replace(turn, segments=sorted([*before, *added], key=lambda each: each.start))
    for session, group in groupby(sorted(turns.values(), key=_said), key=lambda each: each.message.session):
        yield from left_over.voices(session)
        for turn in group:
            tally.update({"segments": len(turn.segments), "segments.kept": len(turn.segments)})
            yield turn


def _said(turn: Turn) -> tuple[str, str, str]:
    return turn.message.session, turn.message.said_at, turn.message.ref


def _judged(turn: Turn, judge: Judge, guard: Guard) -> Iterator[Segment]:
    """The segments of the turn with importance and rules; not what would be dropped today, unless it only says too
    little by itself."""
    verdicts = _verdicts(turn, text.language(turn.message.text), judge, guard, Frames())
    for segment, verdict in zip(turn.segments, verdicts, strict=True):
        if verdict.reason in _LEANED_ON:
            yield Segment(segment.start, segment.end, segment.kind, round(verdict.importance, 2), verdict.rules)


def _late(night: Night, tally: Counter[str]) -> Iterator[Turn]:
    """What an earlier night left out and a batch has kept since."""
    for turn, rescued in asking.late(night.llm) if night.llm is not None else ():
        for segment in turn.segments:
            segment.importance = rescued.importance
            segment.rules += (JUDGED + rescued.category,) if rescued.category else ()
        tally.update({"segments": len(turn.segments), "segments.kept": len(turn.segments)})
        yield turn


def _count(kept: bytearray, found: _Scores, tally: Counter[str]) -> None:
    """Count what is kept, and what is dropped by its reason."""
    for number, is_kept in enumerate(kept):
        if is_kept:
            tally["segments.kept"] += 1
        else:
            reason = found.outcome(number)[0] if found.scores[number] <= NEVER else "share"
            tally[f"segments.dropped.{reason}"] += 1


def _marked(segment: Segment, number: int, found: _Scores, rescued: asking.Rescued | None) -> Segment:
    """The segment as it is kept."""
    again = found.seen[found.marks[number]] > 1
    own = rescued.importance if rescued else found.importance[number]
    importance = round(min(1.0, own + REPEATED_WEIGHT * again), 2)
    fired = found.outcome(number) if found.scores[number] > NEVER else ()
    fired = (*fired, REPEATED) if again else fired
    if rescued and rescued.category:
        fired = (*fired, JUDGED + rescued.category)
    return Segment(segment.start, segment.end, segment.kind, importance, fired)


def _rescued(
    found: _Scores, kept: bytearray, night: Night, turns: Callable[[], Iterator[Turn]]
) -> dict[int, asking.Rescued]:
    """The segments that only the share leaves out and a language model keeps; a night keeps a little more for them."""
    asker = night.asker(asking.NAME)
    left_out = [each for each in range(len(kept)) if not kept[each] and found.scores[each] > NEVER]
    if asker is None or not left_out:
        return {}
    left_out.sort(key=lambda each: -found.scores[each])
    unsure = [asking.Unsure(each, found.costs[each], found.importance[each], found.outcome(each)) for each in left_out]
    room = max(_MORE * night.config.screen.keep_share * found.tokens, _LEAST_MORE)
    return asking.rescue(asker, unsure, room, turns)


def _scores(turns: Iterator[Turn], judge: Judge, known: Known, guard: Guard) -> _Scores:
    found, frames = _Scores(), Frames()
    others: dict[tuple[str, str], array[int]] = {}  # by session and role: what is not the owner's
    wishes, taking_back = Wishes(), TakingBack[range]()
    for number, turn in enumerate(turns):
        found.sizes.append(len(turn.segments))
        around = text.language(turn.message.text)
        found.confided |= wishes.heard(number, turn, around)
        first = len(found.scores)
        found.withhold(taking_back.heard(turn.message, range(first, first + len(turn.segments))) or ())
        verdicts = _verdicts(turn, around, judge, guard, frames)
        role, speaker = turn.message.role, turn.message.speaker
        keys = [
            () if verdict.reason else quote_key(role, turn.text_of(segment))
            for segment, verdict in zip(turn.segments, verdicts, strict=True)
        ]
        first_hand = turn.message.is_first_hand  # a passage of a long answer is long enough to stand alone
        if len(verdicts) > 1:
            _spread(verdicts, assistant=not first_hand)
        if turn.asked or turn.topic:
            _charge(turn, verdicts, around)
        _charge_within(turn, verdicts, around)
        found.hear(turn, verdicts)
        if not is_owners_word(turn.message):
            numbers = (n for n, each in enumerate(verdicts, len(found.scores)) if not each.reason)
            others.setdefault((turn.message.session, role), array("l")).extend(numbers)
        reason = "nothing"
        for segment, verdict, key in zip(turn.segments, verdicts, keys, strict=True):
            leaning = (
                first_hand and reason in _LEANED_ON and not verdict.reason and leans(turn.text_of(segment), around)
            )
            found.add(verdict, hash((speaker, key)), known=not verdict.reason and known(key), leaning=leaning)
            reason = verdict.reason
    for each in others.values():
        found.limit(each)
    return found


def _reacts(verdicts: list[Verdict]) -> bool:
    """Whether a message begins as a reaction to what was said before it."""
    return bool(verdicts) and (verdicts[0].reacts or verdicts[0].reason == "reaction")


def _charge(turn: Turn, verdicts: list[Verdict], lang: str) -> None:
    """Add what the question or the topic costs that is told with what the message begins with."""
    first = next((place for place, each in enumerate(verdicts) if not each.reason), None)
    if first is None:
        return
    verdicts[first].cost += cost_of(told_beside(turn, turn.text_of(turn.segments[first]), lang))
    if turn.asked and not turn.message.is_first_hand and tells_the_topic(turn.asked, at_length=True):
        for segment, verdict in zip(turn.segments, verdicts, strict=True):
            verdict.cost += cost_of(turn.asked) * (not verdict.reason and "\n" in turn.text_of(segment))


def _charge_within(turn: Turn, verdicts: list[Verdict], lang: str) -> None:
    """Add what the sentence of the message costs that is told with another which lacks it. What hangs in the air costs
    nothing where nothing is told with it: nothing will come of it."""
    before, begins = "nothing", True
    own = turn.message.is_first_hand and not turn.message.is_noted
    for segment, verdict in zip(turn.segments, verdicts, strict=True):
        words = turn.text_of(segment)
        if own and not verdict.reason and (said := said_before(turn.message.text, segment.start, words, lang)):
            verdict.cost += cost_of(said)
            verdict.score -= _BESIDE * cost_of(said)
        elif verdict.hangs and before not in _LEANED_ON and not stands_before_picture(turn, segment):
            verdict.cost *= begins and bool(told_beside(turn, words, lang))
        before, begins = verdict.reason, begins and bool(verdict.reason)


def _verdicts(turn: Turn, around: str, judge: Judge, guard: Guard, frames: Frames) -> list[Verdict]:
    """What the rules say of each segment of a message in that language, and what is held back."""
    verdicts = []
    stretches = guard.stretches(turn.message)
    first_hand = turn.message.is_first_hand
    private = withheld(turn.message.text) if first_hand else ()
    first, last = frames.made_up(turn.message, around) if first_hand else (0, 0)
    for segment in turn.segments:
        words = turn.text_of(segment)
        verdict = judge.verdict(turn, segment, words, text.language_within(words, around))
        if any(start < segment.end and segment.start < end for start, end in private):
            verdict = Verdict(WITHHELD, verdict.tokens)
        elif first <= segment.start < last:
            verdict = Verdict(FICTION, verdict.tokens)
        elif stretches:
            idle = bool(verdict.reason)
            held = guard.held(turn.message, stretches, segment.start, segment.end, idle=idle)
            verdict = Verdict(held, verdict.tokens) if held else verdict
        verdicts.append(verdict)
    return verdicts


def _spread(verdicts: list[Verdict], *, assistant: bool) -> None:
    """Lower the score of what a message says beside its best, and drop what goes beyond the short of an answer."""
    ranked = sorted((each for each in verdicts if not each.reason), key=lambda each: -each.score)
    left, further = _ANSWER, _FURTHER_ANSWER if assistant else _FURTHER
    for place, verdict in enumerate(ranked):
        verdict.score -= further * min(place, _MOST_FURTHER)
        if assistant and place and verdict.cost > left and verdict.score < ALWAYS / 2:
            verdict.reason, verdict.score = "assistant", NEVER
        else:
            left -= verdict.cost


def _chosen(found: _Scores, share: float) -> tuple[bytearray, float]:
    """One byte a segment: whether it is kept; and how much of the share is left. Best first until the share is used up;
    ties go to the earlier one. What is kept already costs nothing again: it will be one memory with the first. What
    leans on the segment before it is kept with that one. Of what lasts a small night keeps more: who somebody is was
    said once, and there is no better night for it."""
    kept, taken = bytearray(len(found.scores)), set[int]()
    allowed = _AIMED * share * found.tokens if share < 1 else math.inf
    left = more = max(allowed, _UNRATIONED)
    further = _LASTING_MORE if share < 1 and found.tokens <= _SMALL else 0
    for number in sorted(range(len(kept)), key=lambda each: -found.scores[each]):
        score = found.scores[number]
        if score <= NEVER:
            break
        wanted = [each for each in (number, number - found.leaning[number]) if not kept[each]]
        costs = {found.marks[each]: found.costs[each] for each in wanted if found.marks[each] not in taken}
        cost = sum(costs.values())
        beyond = score < ALWAYS / 2 and cost > left
        if beyond and not (found.lasting[number] and cost <= further):
            continue
        for each in wanted:
            kept[each] = 1
        further -= cost * beyond
        left -= cost * (not beyond)
        taken.update(costs)
    return kept, left if more == allowed else allowed - more + left
