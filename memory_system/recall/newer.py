"""What is outdated stands behind the memory by which it is moved, called off, ended or put right, and never alone: who
reads the one reads the other first."""

from __future__ import annotations

from collections.abc import Callable, Collection

from memory_system.recall.candidates import Memory
from memory_system.recall.index import Index
from memory_system.recall.numbers import MEMORIES, scope_of
from memory_system.recall.ranking import Scored
from memory_system.recall.results import Result
from memory_system.records import Fact, Row, successor_of

SHOWN = 120  # characters of the newer memory that are told beside an outdated one
WORDS = {"en": "(outdated: {newer})", "zh": "（已过时：{newer}）"}
LATER = {"en": "later: “{newer}”", "zh": "后来：“{newer}”"}

Passing = Callable[[Collection[int]], Collection[int]]  # those of the units that are asked for


def standing_for(memory_id: str, index: Index) -> Fact | None:
    """The memory that stands today in the place of one that is outdated or replaced; None where it stands itself, or
    what took its place is gone."""
    found = followed(memory_id, index)
    return found[-1] if len(found) > 1 else None


def followed(memory_id: str, index: Index) -> list[Fact]:
    """The memory, what took its place, and so on to what stands today."""
    passed: dict[str, Fact] = {}
    while rows := index.memories([memory_id] if memory_id and memory_id not in passed else []):
        passed[memory_id] = rows[memory_id][1]
        memory_id = successor_of(vars(passed[memory_id]))
    return [*passed.values()]


def outdated_words(newer: Fact, lang: str) -> str:
    """The remark on an outdated memory: what stands today, shortened."""
    return WORDS["zh" if lang == "zh" else "en"].format(newer=_shortened(newer.told))


def later_words(row: Row, index: Index, give: Callable[[Fact], str]) -> str:
    """What was said later than a memory and likely makes it outdated, as it is told beside that; `give` gives of its
    words what may be shown."""
    found = followed(row.get("likely_outdated_by") or "", index)
    shown = give(found[-1]) if found else ""
    return LATER["zh" if row.get("lang") == "zh" else "en"].format(newer=_shortened(shown)) if shown else ""


def _shortened(words: str) -> str:
    told = " ".join(words.split())
    return told if len(told) <= SHOWN else f"{told[: SHOWN - 1]}…"


def newer_first(results: list[Result], index: Index, passing: Passing) -> list[Result]:
    """The results, each that is outdated behind what stands in its place: as the memory, where its message was found,
    and taken in where it was not found itself."""
    if not any(each.best.memory.outdated_by for each in results):
        return results
    ordered: list[Result] = []
    waiting = list(results)
    while waiting:
        each = waiting.pop(0)
        if each.best.memory.outdated_by and (newer := standing_for(each.best.unit.key, index)):
            each.newer = newer
            found = next((other for other in (*ordered, *waiting) if _tells(other, newer)), None)
            first = _as_memory(newer, found or Result(each.best, each.full), index, passing) or found
            if first is not None and not any(first is other for other in ordered):
                waiting = [other for other in waiting if other is not first]
                first.full, first.alike = max(first.score, each.score), 1.0
                ordered.append(first)
        ordered.append(each)
    return ordered


def _tells(result: Result, memory: Fact) -> bool:
    """Whether the result is the memory, or a message that it stands on."""
    unit, is_said = result.best.unit, scope_of(result.best.number) == "session"
    return unit.ref in {each.ref for each in memory.evidence} if is_said else unit.key == memory.id


def _as_memory(memory: Fact, result: Result, index: Index, passing: Passing) -> Result | None:
    """The result with the memory for its best; None where that is none of those that are asked for."""
    if result.best.unit.key == memory.id:
        return result
    numbers = [each for scope in MEMORIES for each in index.numbers([memory.id], scope).values()]
    for number, unit in index.units(passing(numbers)).items():
        refs = dict.fromkeys(each.ref for each in memory.evidence)
        known = Memory(refs=tuple(refs), speaker=memory.subject)
        result.best = Scored(number, unit, known, result.best.score, result.best.parts, result.best.bm25)
        result.refs = refs
        return result
    return None
