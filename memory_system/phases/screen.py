"""Phase 2: which segments are worth remembering. The rules judge each by itself; of what is no noise as much is kept as
`screen.keep_share` of the night's tokens allows, best first, each charged with what it will cost as a memory. What is
left out for nothing but that waits for a night that has room.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nlargest
from itertools import accumulate, compress, groupby, repeat

from memory_system.phases import JUDGED, REPEATED, REPEATED_WEIGHT, Night
from memory_system.phases.asking import segments as asking
from memory_system.phases.judge import ALWAYS, NEVER, Judge, looks
from memory_system.phases.leftover import MOST, Left, LeftOver
from memory_system.phases.scoring import LEANED_ON, Known, Scores, scores_of, verdicts_of
from memory_system.phases.understanding.frames import Frames
from memory_system.privacy.trust import Guard
from memory_system.store.keys import Key, quote_key
from memory_system.turns import Segment, Turn

_AIMED = 0.98  # of the share: what telling adds is only estimated, and the share is not to be passed
_UNRATIONED = 120  # tokens that any night may keep: rationing a handful of sentences saves nothing
_SMALL = 1_000  # tokens of a night of a few messages
_LASTING_MORE = 240  # tokens beyond the share that such a night may keep of what lasts
_MORE = 0.1  # of the share that a night may keep beyond it when a language model says so
_LEAST_MORE = 40  # tokens of that, at least

Marks = Iterable[object]  # one for each turn: whether it is wanted
Turns = Callable[[Marks], Iterator[Turn]]  # those turns of the night that are wanted


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
    found = scores_of(turns(repeat(True)), judge, known, guard)
    kept, room = _chosen(found, night.config.screen.keep_share)
    rescued = _rescued(found, kept, night, lambda: turns(repeat(True)))
    for number in rescued:
        kept[number] = 1
    _count(kept, found, tally)
    waits, asked = frozenset[int](), frozenset[int]()
    if left_over is not None:
        yield from _taken_up(left_over, room, judge, known, guard, tally)
        waits, asked = _best_left_out(found, kept), frozenset(each for each in found.topics if not kept[each])
        left_over.topics.update(*found.topics.values())
    wanting = waits | asked
    spans = _spans(found.sizes)
    wanted = [any(kept[each.start : each.stop]) or not wanting.isdisjoint(each) for each in spans]
    numbered = compress(enumerate(spans), wanted)
    for (place, span), turn in zip(numbered, turns(wanted), strict=True):
        if left_over is not None:
            for number in sorted(waits.intersection(span)):
                left_over.leave(_left(turn, number - span.start, number, found, kept))
            _let_count(turn, span, asked, left_over)
        if segments := _kept_of(turn, span, found, kept, rescued):
            yield replace(turn, segments=segments, confided=found.confided.get(place, ""))


def _spans(sizes: Sequence[int]) -> list[range]:
    """The numbers of each turn's segments."""
    firsts = (last - size for last, size in zip(accumulate(sizes), sizes, strict=True))
    return [range(first, first + size) for first, size in zip(firsts, sizes, strict=True)]


def _let_count(turn: Turn, span: range, asked: frozenset[int], left_over: LeftOver) -> None:
    """Let the questions of the turn that are not kept count."""
    for number in sorted(asked.intersection(span)):
        left_over.count(turn, turn.segments[number - span.start])


def _best_left_out(found: Scores, kept: bytearray) -> frozenset[int]:
    """The numbers of the best segments that nothing but the share leaves out."""
    left_out = (number for number in range(len(kept)) if not kept[number] and found.scores[number] > NEVER)
    return frozenset(nlargest(MOST, left_out, key=lambda each: (found.scores[each], -each)))


def _left(turn: Turn, place: int, number: int, found: Scores, kept: bytearray) -> Left:
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
    [seen] = looks([turn])
    verdicts = verdicts_of(turn, seen, judge, guard, Frames())
    for segment, verdict in zip(turn.segments, verdicts, strict=True):
        if verdict.reason in LEANED_ON:
            yield Segment(segment.start, segment.end, segment.kind, round(verdict.importance, 2), verdict.rules)


def _late(night: Night, tally: Counter[str]) -> Iterator[Turn]:
    """What an earlier night left out and a batch has kept since."""
    for turn, rescued in asking.late(night.llm) if night.llm is not None else ():
        for segment in turn.segments:
            segment.importance = rescued.importance
            segment.rules += (JUDGED + rescued.category,) if rescued.category else ()
        tally.update({"segments": len(turn.segments), "segments.kept": len(turn.segments)})
        yield turn


def _count(kept: bytearray, found: Scores, tally: Counter[str]) -> None:
    """Count what is kept, and what is dropped by its reason."""
    for number, is_kept in enumerate(kept):
        if is_kept:
            tally["segments.kept"] += 1
        else:
            reason = found.outcome(number)[0] if found.scores[number] <= NEVER else "share"
            tally[f"segments.dropped.{reason}"] += 1


def _kept_of(
    turn: Turn, span: range, found: Scores, kept: bytearray, rescued: Mapping[int, asking.Rescued]
) -> list[Segment]:
    """The segments of the turn that are kept."""
    numbered = zip(span, turn.segments, strict=True)
    return [_marked(segment, number, found, rescued.get(number)) for number, segment in numbered if kept[number]]


def _marked(segment: Segment, number: int, found: Scores, rescued: asking.Rescued | None) -> Segment:
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
    found: Scores, kept: bytearray, night: Night, turns: Callable[[], Iterator[Turn]]
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


def _chosen(found: Scores, share: float) -> tuple[bytearray, float]:
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
