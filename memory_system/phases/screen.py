"""Phase 2: which segments are worth remembering. The rules judge each by itself; of what is no noise as much is kept as
`screen.keep_share` of the night's tokens allows, best first, each charged with what it will cost as a memory.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator

from memory_system import text
from memory_system.phases import Night
from memory_system.phases.asking import segments as asking
from memory_system.phases.judge import ALWAYS, NEVER, Judge, Verdict, is_first_hand
from memory_system.records import Segment, Turn
from memory_system.store import quote_key

REPEATED = "repeated"  # among a segment's rules: the same words were said again
REPEATED_WEIGHT = 0.2

_UNRATIONED = 120  # tokens that any night may keep: rationing a handful of sentences saves nothing
_ANSWER = 260  # tokens kept of one answer of an assistant, at most: what it was about, in short
_FURTHER = 0.3  # less for each better segment of the same message: breadth before depth
_MOST_FURTHER = 4

JUDGED = "llm.intrinsic."  # among a segment's rules: the category that a language model gave it
_NEAR = 60  # segments on each side of the line that may be asked about

Known = Callable[[int], bool]  # whether a memory stands on the words with that key (store.quote_key)


class _Scores:
    """What the first pass holds of every segment of the night, in order: a few numbers. Reasons and sets of rules,
    which are few, are kept once and counted through."""

    def __init__(self) -> None:
        self.scores, self.importance = array("d"), array("d")
        self.costs, self.outcomes = array("l"), array("l")
        self.marks = array("q")
        self.seen: dict[int, int] = {}
        self.tokens = 0
        self._numbers: dict[tuple[str, ...], int] = {}
        self._outcomes: list[tuple[str, ...]] = []

    def add(self, verdict: Verdict, mark: int, *, known: bool) -> None:
        """What a memory says already costs nothing."""
        self.scores.append(verdict.score)
        self.importance.append(verdict.importance)
        self.tokens += verdict.tokens
        before = self.seen.get(mark)
        self.costs.append(0 if known else verdict.cost)
        self.outcomes.append(self._number((verdict.reason,) if verdict.reason else verdict.rules))
        self.marks.append(mark)
        self.seen[mark] = (before or 0) + (not verdict.reason)

    def _number(self, outcome: tuple[str, ...]) -> int:
        number = self._numbers.setdefault(outcome, len(self._outcomes))
        if number == len(self._outcomes):
            self._outcomes.append(outcome)
        return number

    def outcome(self, number: int) -> tuple[str, ...]:
        """The reason why a segment is dropped, else the ids of the rules that fired in it."""
        return self._outcomes[self.outcomes[number]]


def run(
    turns: Callable[[], Iterator[Turn]], night: Night, tally: Counter[str], known: Known = lambda _: False
) -> Iterator[Turn]:
    """The turns with the segments that are kept, importance and rule ids set. Reads the turns twice: the first pass
    keeps a few numbers a segment. Counts `segments.kept` and `segments.dropped.<reason>`."""
    found = _scores(turns(), Judge(night.config), known)
    kept = _chosen(found, night.config.screen.keep_share)
    asker = night.asker(asking.NAME)
    decided = asking.decide(asker, _unsure(found, kept), turns) if asker else {}
    for number, decision in decided.items():
        kept[number] = decision.kept
    number = 0
    for turn in turns():
        segments = []
        for segment in turn.segments:
            if kept[number]:
                segments.append(_marked(segment, number, found, decided.get(number)))
                tally["segments.kept"] += 1
            else:
                reason = found.outcome(number)[0] if found.scores[number] <= NEVER else "share"
                tally[f"segments.dropped.{reason}"] += 1
            number += 1
        if segments:
            yield Turn(turn.message, segments, turn.asked)


def _marked(segment: Segment, number: int, found: _Scores, decision: asking.Decision | None) -> Segment:
    """The segment as it is kept."""
    again = found.seen[found.marks[number]] > 1
    own = decision.importance if decision else found.importance[number]
    importance = round(min(1.0, own + REPEATED_WEIGHT * again), 2)
    fired = (*found.outcome(number), REPEATED) if again else found.outcome(number)
    if decision and decision.category:
        fired = (*fired, JUDGED + decision.category)
    return Segment(segment.start, segment.end, segment.kind, importance, fired)


def _unsure(found: _Scores, kept: bytearray) -> list[asking.Unsure]:
    """The segments near the line between kept and dropped, best first: those that the share alone decides. None where
    all that is no noise is kept."""
    ranked = sorted(range(len(kept)), key=lambda each: -found.scores[each])
    ranked = [each for each in ranked if NEVER < found.scores[each] < ALWAYS / 2 and found.costs[each]]
    dropped = [each for each in ranked if not kept[each]][:_NEAR]
    near = {*dropped, *([each for each in ranked if kept[each]][-_NEAR:] if dropped else ())}
    return [
        asking.Unsure(each, found.costs[each], found.importance[each], bool(kept[each]))
        for each in ranked
        if each in near
    ]


def _scores(turns: Iterator[Turn], judge: Judge, known: Known) -> _Scores:
    found = _Scores()
    for turn in turns:
        around = text.language(turn.message.text)
        verdicts, keys = [], []
        role, speaker = turn.message.role, turn.message.speaker
        for segment in turn.segments:
            words = turn.text_of(segment)
            verdicts.append(judge.verdict(turn, segment, words, text.language_within(words, around)))
            keys.append(0 if verdicts[-1].reason else quote_key(role, words))
        if len(verdicts) > 1:
            _spread(verdicts, assistant=not is_first_hand(turn))
        for verdict, key in zip(verdicts, keys, strict=True):
            found.add(verdict, hash((speaker, key)), known=not verdict.reason and known(key))
    return found


def _spread(verdicts: list[Verdict], *, assistant: bool) -> None:
    """Lower the score of what a message says beside its best, and drop what goes beyond the short of an answer."""
    ranked = sorted((each for each in verdicts if not each.reason), key=lambda each: -each.score)
    left = _ANSWER
    for place, verdict in enumerate(ranked):
        verdict.score -= _FURTHER * min(place, _MOST_FURTHER)
        if assistant and place and verdict.cost > left and verdict.score < ALWAYS / 2:
            verdict.reason, verdict.score = "assistant", NEVER
        else:
            left -= verdict.cost


def _chosen(found: _Scores, share: float) -> bytearray:
    """One byte a segment: whether it is kept. Best first until the share is used up; ties go to the earlier one. What
    is kept already costs nothing again: it will be one memory with the first."""
    kept = bytearray(len(found.scores))
    left = max(share * found.tokens, _UNRATIONED)
    taken: set[int] = set()
    for number in sorted(range(len(kept)), key=lambda each: -found.scores[each]):
        score, mark = found.scores[number], found.marks[number]
        cost = 0 if mark in taken else found.costs[number]
        if score <= NEVER:
            break
        if score >= ALWAYS / 2 or cost <= left:
            kept[number] = 1
            left -= cost
            taken.add(mark)
    return kept
