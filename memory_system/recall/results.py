"""From ranked candidates to results: one for each text, various ones first, the outdated behind what is newer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations
from operator import attrgetter

from memory_system.recall.around import standing_for
from memory_system.recall.candidates import Memory, Wanted
from memory_system.recall.ranking import OUTDATED, Scored
from memory_system.recall.schema import MEMORIES, scope_of
from memory_system.recall.search_index import Index
from memory_system.records import Fact, successor_of
from memory_system.text import CJK, essence

MOST = 100  # results that are made of the candidates; the rest would come after all that anybody reads
DIVERSE = 20  # results that are compared with each other
COMPARED = 400  # characters of each
NEARLY = 0.8
BESIDE = 0.7  # of its score, for each better memory of the same message
IN_PART = 0.4  # of a message's length, below which a memory of it does not stand for it
ALIKE = 0.5  # share of words in common from which two texts are near duplicates
SMALLEST = 1e-9  # of λ, where likeness is all that counts

_essence = lru_cache(maxsize=10_000)(essence.__wrapped__)  # the same texts are found again and again
_WORDS = re.compile(rf"[{CJK}]|\w+")


@dataclass(slots=True)
class Result:
    """The best candidate of those that say the same, and where all of them were said; `alike` is what its score
    loses for being like a better one; `outdated` the memory that is outdated, `newer` what stands in its place."""

    best: Scored
    full: float
    refs: dict[str, None] = field(default_factory=dict)
    alike: float = 1.0
    outdated: str = ""
    newer: Fact | None = None

    @property
    def score(self) -> float:
        return self.full * self.alike

    @property
    def is_said(self) -> bool:
        """Whether it is a message."""
        return scope_of(self.best.number) == "session"

    def join(self, other: Scored, refs: Iterable[str]) -> None:
        """Take in a candidate with the same text; of a message and a memory, the memory is shown."""
        if scope_of(other.number) != "session" and self.is_said:
            self.best = other
            self.refs = dict.fromkeys(refs) | self.refs
        else:
            self.refs.update(dict.fromkeys(refs))

    def is_dated_by(self, memory: Scored) -> bool:
        """Whether the memory says when, and nearly all else that the message says of the question."""
        shown = self.best.parts["words"]
        return bool(memory.memory.end) and not self.best.memory.end and memory.parts["words"] >= NEARLY * shown

    def is_told_by(self, memory: Scored) -> bool:
        """Whether the memory is shown with something beside it, and tells most of the message that is shown."""
        with_more = memory.memory.leans or memory.memory.outdated_by
        return bool(with_more) and self.is_said and len(memory.unit.text) >= IN_PART * len(self.best.unit.text)


def folded(ranked: list[Scored], *, dated: bool) -> list[Result]:
    """One result for each text (case, width, blanks and punctuation aside; not dates), best first. The passages of a
    message and its memories make way for it or for the best passage; where a time is asked for (`dated`), for a memory
    that has worked out when; and a message for a memory that is shown with something beside it. Of several memories of
    one message those after the best come later, and so does the message where they tell only a part of it."""
    by_text: dict[bytes, Result] = {}
    by_ref: dict[str, list[Result]] = {}
    for each in ranked:
        if len(by_text) >= MOST:
            break
        text = _essence(each.unit.told)
        refs = (each.unit.ref,) if scope_of(each.number) == "session" else each.memory.refs
        result = by_text.get(text)
        if result:
            result.join(each, refs)
        elif not refs or not all(map(by_ref.__contains__, refs)):
            result = by_text[text] = Result(each, each.score, dict.fromkeys(refs))
        elif dated and (first := by_ref[refs[0]][0]).is_dated_by(each):
            first.best = each
            continue
        elif (first := by_ref[refs[0]][0]).is_told_by(each):
            first.best = each
            first.full = each.score if each.memory.outdated_by else first.full
            continue
        elif _adds(each, [by_ref[ref][0].best for ref in refs]):
            each.parts["beside"] = BESIDE ** len(by_ref[refs[0]])
            result = by_text[text] = Result(each, each.score * each.parts["beside"], dict.fromkeys(refs))
        else:
            continue
        for ref in refs:
            by_ref.setdefault(ref, []).append(result)
    return sorted(by_text.values(), key=attrgetter("full"), reverse=True)


def _adds(found: Scored, better: list[Scored]) -> bool:
    """Whether it says something beside better candidates of the same messages."""
    if not all(scope_of(each.number) in MEMORIES for each in better):
        return False
    told = max(len(each.unit.text) for each in better)
    return scope_of(found.number) in MEMORIES or told < IN_PART * len(found.unit.text)


def diverse(results: list[Result], share: float) -> list[Result]:
    """The first of them in a new order, by maximal marginal relevance (Carbonell & Goldstein 1998; seed 001's λ is
    1 − `share`): λ × how near the score is to the best − (1 − λ) × how like it is to the likest before it. Words that
    texts on one matter have in common are no likeness: it counts from a half of the words on."""
    alike = _likenesses(results[:DIVERSE])
    if not alike:
        return results
    price = share / max(1 - share, SMALLEST) * results[0].full
    left = dict(enumerate(results[:DIVERSE]))
    ordered: list[Result] = []
    while left:
        taken = max(left, key=lambda place: left[place].score)  # the first of equals
        ordered.append(left.pop(taken))
        for place in left.keys() & alike.get(taken, {}).keys():
            each, likeness = left[place], alike[taken][place]
            each.alike = min(each.alike, max(0.0, 1 - price * likeness / (each.full or 1.0)))
    return ordered + results[DIVERSE:]


def _likenesses(results: list[Result]) -> dict[int, dict[int, float]]:
    """How like two of them are, both ways, by their places, where they are at all; 1: they have the same words."""
    alike: dict[int, dict[int, float]] = {}
    worded = [{*_WORDS.findall(each.best.unit.text[:COMPARED].lower())} for each in results]
    for (one, words), (other, others) in combinations(enumerate(worded), 2):
        common = len(words & others)
        if common > ALIKE * (together := len(words) + len(others) - common):
            likeness = (common / together - ALIKE) / (1 - ALIKE)
            alike.setdefault(one, {})[other] = alike.setdefault(other, {})[one] = likeness
    return alike


def overtaken(results: list[Result], index: Index) -> list[Result]:
    """The results, the first that are outdated marked; a message of which only such memories were kept comes later."""
    for each in results:
        each.outdated = each.best.unit.key if each.best.memory.outdated_by else ""
    first = results[:DIVERSE]
    said = [each for each in first if each.is_said]
    kept = _kept_of([ref for each in said for ref in each.refs], index)
    for each in said:
        each.outdated = _gone([memory for ref in each.refs for memory in kept.get(ref, ())], index)
        each.full *= OUTDATED if each.outdated else 1
    return sorted(first, key=attrgetter("score"), reverse=True) + results[DIVERSE:]


def _gone(memories: Collection[Fact], index: Index) -> str:
    """The id of the first of the memories in whose place another stands, where all of them are outdated; else empty."""
    if not all(map(successor_of, map(vars, memories))):
        return ""
    return next((each.id for each in memories if standing_for(each.id, index)), "")


def _kept_of(refs: Collection[str], index: Index) -> dict[str, list[Fact]]:
    """The memories that stand on each of the messages, those of the archive as well."""
    kept: dict[str, list[Fact]] = {}
    for _, memory in index.memories(index.ids_on(refs)).values():
        for ref in {each.ref for each in memory.evidence}.intersection(refs):
            kept.setdefault(ref, []).append(memory)
    return kept


def newer_first(results: list[Result], index: Index, wanted: Wanted) -> list[Result]:
    """The results, each that is outdated behind what stands in its place, which is taken in if it was not found."""
    if not any(each.outdated for each in results):
        return results
    ordered: list[Result] = []
    waiting = list(results)
    while waiting:
        each = waiting.pop(0)
        if each.outdated and (newer := standing_for(each.outdated, index)):
            each.newer = newer
            found = next((other for other in (*ordered, *waiting) if _is_of(other, newer)), None)
            first = _as_memory(newer, found or Result(each.best, each.full), index, wanted) or found
            if first is not None and not any(first is other for other in ordered):
                waiting = [other for other in waiting if other is not first]
                first.full, first.alike = max(first.score, each.score), 1.0
                ordered.append(first)
        ordered.append(each)
    return ordered


def _is_of(result: Result, memory: Fact) -> bool:
    """Whether the result is the memory, or a message that it stands on."""
    unit = result.best.unit
    return unit.ref in {each.ref for each in memory.evidence} if result.is_said else unit.key == memory.id


def _as_memory(memory: Fact, result: Result, index: Index, wanted: Wanted) -> Result | None:
    """The result with the memory for its best; None where that is none of those that are asked for."""
    if result.best.unit.key == memory.id:
        return result
    numbers = [each for scope in MEMORIES for each in index.numbers([memory.id], scope).values()]
    for number, unit in index.units(index.passing(numbers, wanted.filters)).items():
        result.refs = dict.fromkeys(each.ref for each in memory.evidence)
        known = Memory(refs=tuple(result.refs), speaker=memory.subject)
        result.best = replace(result.best, number=number, unit=unit, memory=known)
        return result
    return None
