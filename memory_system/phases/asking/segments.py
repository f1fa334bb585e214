"""The question of phase 2: which of the segments that only the share leaves out are worth remembering all the same.
What the rules keep stays kept, whatever is answered, and a night keeps at most a tenth more for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.phases.asking import lines
from memory_system.records import Turn
from memory_system.text import language

NAME = "screen"
CATEGORIES = frozenset({"preference", "relation", "status", "event", "general", "temporary"})  # that may be said of one
SHIFT = 0.2  # by which an importance may be moved
SHARE = 0.45  # of the night's tokens, so that the other questions have the rest
_BEFORE = 60  # characters before a segment that are shown with it
_FORM = 18  # tokens of a judgement


class _Judged(BaseModel):
    n: int
    category: str
    importance: float


class Judged(BaseModel):
    keep: list[_Judged]


@dataclass(frozen=True, slots=True)
class Unsure:
    """A segment that the share leaves out, by its number in the night: what keeping it costs, and its importance."""

    number: int
    cost: int
    importance: float


@dataclass(frozen=True, slots=True)
class Rescued:
    """A segment that is kept after all; the category is empty where the rules' stands."""

    importance: float
    category: str = ""


def rescue(
    asker: Asker, unsure: Sequence[Unsure], room: float, turns: Callable[[], Iterator[Turn]]
) -> dict[int, Rescued]:
    """By number those of the segments that are kept after all, as many as the room (tokens) holds, the most important
    first. `unsure` stands in the order of the rules, best first."""
    unsure = unsure[: lines.MOST_LINES]
    texts = shown({each.number for each in unsure}, turns())
    told = [texts[each.number] for each in unsure]
    form = lines.form(NAME, map(language, told), Judged, _expected)
    count = form.fitting(asker, told, int(SHARE * asker.room(NAME)))
    found: dict[int, _Judged] = {}
    for start, answer in form.ask(asker, told[:count]):
        for each in answer.keep:
            if 0 < each.n <= count - start:
                found.setdefault(start + each.n - 1, each)
    return _fitting([(unsure[place], found[place]) for place in sorted(found)], room)


def _fitting(found: list[tuple[Unsure, _Judged]], room: float) -> dict[int, Rescued]:
    kept: dict[int, Rescued] = {}
    for unsure, judged in sorted(found, key=lambda each: -each[1].importance):
        if unsure.cost <= room:
            room -= unsure.cost
            kept[unsure.number] = _rescued(unsure, judged)
    return kept


def _rescued(unsure: Unsure, judged: _Judged) -> Rescued:
    least, most = max(0.0, unsure.importance - SHIFT), min(1.0, unsure.importance + SHIFT)
    category = judged.category if judged.category in CATEGORIES else ""
    return Rescued(round(max(least, min(most, judged.importance)), 2), category)


def shown(numbers: set[int] | None, turns: Iterable[Turn]) -> dict[int, str]:
    """The segments of those numbers (None: all) as lines: who said it, what stands before it, the words."""
    found: dict[int, str] = {}
    number = 0
    for turn in turns:
        for segment in turn.segments:
            if numbers is None or number in numbers:
                before = turn.message.text[max(0, segment.start - _BEFORE) : segment.start].strip() or turn.asked
                told = f" [{lines.quoted(before, _BEFORE)}]" if before else ""
                speaker = turn.message.speaker or turn.message.role
                found[number] = f"{speaker}{told}: {lines.quoted(turn.text_of(segment))}"
            number += 1
    return found


def _expected(line: str) -> int:
    return _FORM if line else 0
