"""The first pass of phase 2: what each segment of the night is worth beside the others, and what it will cost as a
memory with all that must be told with it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from memory_system import text
from memory_system.phases.judge import ALWAYS, NEVER, Judge, Look, Verdict, looks
from memory_system.phases.segment import goes_with
from memory_system.phases.understanding.asked import cost_of, is_request, tells_the_topic, told_beside
from memory_system.phases.understanding.before import said_before
from memory_system.phases.understanding.frames import FICTION, Frames
from memory_system.phases.understanding.hanging import hangs
from memory_system.phases.understanding.leaning import leans
from memory_system.phases.understanding.pictures import stands_before_picture
from memory_system.phases.understanding.scene import as_rules_see
from memory_system.phases.understanding.wishes import Wishes
from memory_system.phases.understanding.withheld import WITHHELD, TakingBack, withheld
from memory_system.phases.understanding.wondering import topics
from memory_system.privacy.trust import Guard, is_owners_word
from memory_system.store.keys import Key, quote_key
from memory_system.turns import Segment, Turn

_AHEAD = 128  # turns that the rules look ahead
_QUOTA = 500  # segments that a night may keep of what others than the owner say in one session
_ANSWER = 260  # tokens kept of one answer of an assistant, at most: what it was about, in short
_REACTED = 0.5  # more for the best of a message that the next one to speak reacts to: it was news
_FURTHER = 0.4  # less for each better segment of the same message: breadth before depth
_BESIDE = 0.03  # less for every token of a sentence that must be told beside: others say it alone
_UNCLEAR = 0.4  # less for what speaks of something that nothing told with it names
_FURTHER_ANSWER = 0.5  # an assistant's says one thing at length
_MOST_FURTHER = 4
LEANED_ON = ("", "trivial")  # what says too little by itself may still say what another speaks of

Known = Callable[[Key], bool]  # whether a memory stands on the words with that key (quote_key)


class Scores:
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
        self.topics: dict[int, tuple[str, ...]] = {}  # what a question of the owner's names, by its number
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
        scores = [each.score for each in verdicts]
        best = scores.index(max(scores)) if scores else -1
        self._best = len(self.scores) + best if best >= 0 and not verdicts[best].reason else -1

    def limit(self, others: Collection[int]) -> None:
        """Drop what goes beyond the quota of one source that is not the owner, given as numbers of segments: the best
        stay."""
        beyond = sorted(others, key=lambda each: -self.scores[each])[_QUOTA:] if len(others) > _QUOTA else ()
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


def scores_of(turns: Iterator[Turn], judge: Judge, known: Known, guard: Guard) -> Scores:
    """The scores of all segments of the turns."""
    found, frames = Scores(), Frames()
    others: dict[tuple[str, str], array[int]] = {}  # by session and role: what is not the owner's
    wishes, taking_back = Wishes(), TakingBack[range]()
    for number, (turn, seen) in enumerate(_looked_at(turns)):
        found.sizes.append(len(turn.segments))
        around = text.language(turn.message.text)
        found.confided |= wishes.heard(number, turn, around)
        first = len(found.scores)
        found.withhold(taking_back.heard(turn.message, range(first, first + len(turn.segments))) or ())
        verdicts = verdicts_of(turn, seen, judge, guard, frames)
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
        _weigh_within(turn, verdicts, around)
        found.hear(turn, verdicts)
        if not is_owners_word(turn.message):
            numbers = (n for n, each in enumerate(verdicts, len(found.scores)) if not each.reason)
            others.setdefault((turn.message.session, role), array("l")).extend(numbers)
        reason = "nothing"
        for segment, verdict, key in zip(turn.segments, verdicts, keys, strict=True):
            if names := topics(turn, segment, verdict.reason):
                found.topics[len(found.scores)] = names
            leaning = first_hand and reason in LEANED_ON and not verdict.reason and leans(turn.text_of(segment), around)
            found.add(verdict, hash((speaker, key)), known=not verdict.reason and known(key), leaning=leaning)
            reason = verdict.reason
    for each in others.values():
        found.limit(each)
    return found


def _looked_at(turns: Iterator[Turn]) -> Iterator[tuple[Turn, list[Look]]]:
    """Each turn with its segments as the rules see them, which look some turns ahead."""
    while batch := list(islice(turns, _AHEAD)):
        yield from zip(batch, looks(batch), strict=True)


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


def _weigh_within(turn: Turn, verdicts: list[Verdict], lang: str) -> None:
    """Weigh each segment beside the others of its message: what lacks a sentence of it costs that as well, or is worth
    less where there is none. What hangs in the air costs nothing where nothing is told with it: nothing comes of it."""
    own = turn.message.is_first_hand and not turn.message.is_noted
    reason, begins = "nothing", True
    last: Segment | None = None
    for segment, verdict in zip(turn.segments, verdicts, strict=True):
        kept = None if reason else last
        if said := _lacking(turn, segment, lang) if own and not verdict.reason else "":
            _charge_beside(verdict, said, joins=lang == "en" and kept is not None and _joins(turn, kept, segment))
        else:
            if own and lang == "en" and _is_unclear(turn, segment, verdict, kept, begins=begins):
                verdict.score -= _UNCLEAR
            if verdict.hangs and reason not in LEANED_ON and not stands_before_picture(turn, segment):
                verdict.cost *= begins and bool(told_beside(turn, turn.text_of(segment), lang))
        reason, begins, last = verdict.reason, begins and bool(verdict.reason), segment


def _lacking(turn: Turn, segment: Segment, lang: str) -> str:
    """The sentence of the message that the segment is told with."""
    words = turn.text_of(segment)
    asks = segment.kind == "question" and is_request(words, lang)
    return said_before(turn.message.text, segment.start, words, lang, asks=asks)


def _charge_beside(verdict: Verdict, said: str, *, joins: bool) -> None:
    """Add what the sentence costs, unless it is kept right before, and both make one memory (`joins`)."""
    extra = 0 if joins else cost_of(said)
    verdict.cost += extra
    verdict.score -= _BESIDE * extra


def _joins(turn: Turn, kept: Segment, segment: Segment) -> bool:
    """Whether an English segment makes one memory with the one that is kept right before it."""
    return goes_with(turn, kept, kept, segment, "en")


def _is_unclear(turn: Turn, segment: Segment, verdict: Verdict, kept: Segment | None, *, begins: bool) -> bool:
    """Whether nobody could tell from the memory of an English statement what it speaks of: neither by what is kept
    right before it, nor by a picture, nor by what the other has said."""
    words = turn.text_of(segment)
    if (
        verdict.reason
        or segment.kind != "statement"
        or verdict.score > ALWAYS / 2
        or not hangs(as_rules_see(words), "en")
    ):
        return False
    if (kept and _joins(turn, kept, segment)) or stands_before_picture(turn, segment):
        return False
    return not (begins and told_beside(turn, words, "en"))


def verdicts_of(turn: Turn, seen: Sequence[Look], judge: Judge, guard: Guard, frames: Frames) -> list[Verdict]:
    """What the rules say of each segment of a message, and what is held back."""
    verdicts = []
    stretches = guard.stretches(turn.message)
    first_hand = turn.message.is_first_hand
    private = withheld(turn.message.text) if first_hand else ()
    first, last = frames.made_up(turn.message, text.language(turn.message.text)) if first_hand else (0, 0)
    for segment, look in zip(turn.segments, seen, strict=True):
        verdict = judge.verdict(turn, segment, look)
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
