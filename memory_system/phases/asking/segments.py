"""The question of phase 2: which of the segments near the line between kept and dropped are worth remembering. The
answer moves the line and not the share: what the rules would have kept there makes room for what the model keeps, and
takes the room that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.llm.prompts import template
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
    """A segment near the line, by its number in the night: what keeping it costs, its importance, and whether the rules
    keep it."""

    number: int
    cost: int
    importance: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a segment near the line; the category is empty where the rules' stands."""

    kept: bool
    importance: float
    category: str = ""


def decide(asker: Asker, unsure: Sequence[Unsure], turns: Callable[[], Iterator[Turn]]) -> dict[int, Decision]:
    """What becomes of the segments near the line, best first as the rules rank them; only of those that were asked
    about. Empty where there is no answer."""
    texts = shown({each.number for each in unsure}, turns())
    unsure = [each for each in unsure if each.number in texts]
    form = template(NAME, lines.language_of(language(texts[each.number]) for each in unsure))
    fixed = lines.fixed_cost(form, Judged)
    told = [texts[each.number] for each in unsure]
    count = lines.fitting(told, _expected, int(SHARE * asker.room(NAME)), fixed)
    asked = _around_the_line(unsure, count)
    found: dict[int, _Judged] = {}
    answers = lines.ask(asker, form, Judged, [texts[each.number] for each in asked], _expected) if asked else []
    for start, answer in answers:
        for each in answer.keep:
            if 0 < each.n <= len(asked) - start:
                found.setdefault(asked[start + each.n - 1].number, each)
    return _refilled(asked, found) if answers else {}


def _around_the_line(unsure: Sequence[Unsure], count: int) -> list[Unsure]:
    """So many of them, half on each side of the line, the nearest to it first."""
    kept = [each for each in unsure if each.kept][::-1]
    dropped = [each for each in unsure if not each.kept]
    half = count // 2
    fewer = max(half, count - len(kept))
    chosen = {each.number for each in (*dropped[:fewer], *kept[: max(count - fewer, count - len(dropped))])}
    return [each for each in unsure if each.number in chosen]


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


def _refilled(asked: Sequence[Unsure], found: Mapping[int, _Judged]) -> dict[int, Decision]:
    """The room that the rules' choice among them takes, filled anew: first by what the model keeps, the most important
    of it first, then by what the rules kept."""
    room = sum(each.cost for each in asked if each.kept)
    wanted = [each for each in asked if each.number in found]
    wanted.sort(key=lambda each: -found[each.number].importance)
    kept: set[int] = set()
    for each in (*wanted, *(each for each in asked if each.kept)):
        if each.number not in kept and each.cost <= room:
            kept.add(each.number)
            room -= each.cost
    return {each.number: _decision(each, found.get(each.number), kept=each.number in kept) for each in asked}


def _decision(unsure: Unsure, judged: _Judged | None, *, kept: bool) -> Decision:
    if judged is None or not kept:
        return Decision(kept, unsure.importance)
    least, most = max(0.0, unsure.importance - SHIFT), min(1.0, unsure.importance + SHIFT)
    category = judged.category if judged.category in CATEGORIES else ""
    return Decision(kept, round(max(least, min(most, judged.importance)), 2), category)
