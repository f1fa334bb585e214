"""The question of phase 2: which of the segments that only the share leaves out are worth remembering all the same.
What the rules keep stays kept, whatever is answered, and a night keeps at most a tenth more for it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.phases.asking import lines
from memory_system.text import language
from memory_system.turns import Turn

NAME = "screen"
CATEGORIES = frozenset({"preference", "relation", "status", "event", "general", "temporary"})  # that may be said of one
SHIFT = 0.2  # by which an importance may be moved
SHARE = 0.45  # of the night's tokens, so that the other questions have the rest
_BEFORE = 60  # characters before a segment that are shown with it
_FORM = 18  # tokens of a judgement
_LONGEST_WAITING = 20_000  # characters of a message that is kept until a batch has answered


class _Judged(BaseModel):
    n: int
    category: str
    importance: float


class Judged(BaseModel):
    keep: list[_Judged]


@dataclass(frozen=True, slots=True)
class Unsure:
    """A segment that the share leaves out, by its number in the night: what keeping it costs, its importance, and the
    ids of the rules that fired in it."""

    number: int
    cost: int
    importance: float
    rules: tuple[str, ...]


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
    found = shown({each.number for each in unsure}, turns())
    if asker.queue is not None:
        unsure = [each for each in unsure if len(found[each.number].turn.message.text) <= _LONGEST_WAITING]
    told = [found[each.number].line for each in unsure]
    form = lines.form(NAME, map(language, told), Judged, _expected)
    count = form.fitting(asker, told, int(SHARE * asker.room(NAME)))
    rows = [_row(each, found[each.number].turn, room) for each in unsure[:count]] if asker.queue is not None else ()
    kept: dict[int, Rescued] = {}
    for places, answer in form.ask(asker, told[:count], rows):
        chosen = _fitting([unsure[place] for place in places], answer, room)
        kept |= {unsure[places[place]].number: rescued for place, rescued in chosen.items()}
        room -= sum(unsure[places[place]].cost for place in chosen)
    return kept


def late(asker: Asker) -> Iterator[tuple[Turn, Rescued]]:
    """The segments of an earlier night that a batch keeps after all, each in a turn of its own."""
    for rows, answer, _ in asker.answered(NAME, Judged):
        unsure = [Unsure(place, row["cost"], row["importance"], ()) for place, row in enumerate(rows)]
        for place, rescued in sorted(_fitting(unsure, answer, rows[0]["room"]).items()):
            yield Turn.from_row(rows[place]["turn"]), rescued


def _row(unsure: Unsure, turn: Turn, room: float) -> lines.Row:
    """The segment as it waits for a late answer."""
    turn = replace(turn, segments=[replace(each, rules=unsure.rules) for each in turn.segments])
    return {"turn": asdict(turn), "cost": unsure.cost, "importance": unsure.importance, "room": room}


def _fitting(unsure: Sequence[Unsure], answer: Judged, room: float) -> dict[int, Rescued]:
    """By place those of the segments that the answer keeps, as many as there is room for, the most important first."""
    judged: dict[int, _Judged] = {}
    for each in answer.keep:
        for place in lines.meant([each.n], range(len(unsure))):
            judged.setdefault(place, each)
    kept: dict[int, Rescued] = {}
    for place, each in sorted(judged.items(), key=lambda item: (-item[1].importance, item[0])):
        if unsure[place].cost <= room:
            room -= unsure[place].cost
            kept[place] = _rescued(unsure[place], each)
    return kept


def _rescued(unsure: Unsure, judged: _Judged) -> Rescued:
    least, most = max(0.0, unsure.importance - SHIFT), min(1.0, unsure.importance + SHIFT)
    category = judged.category if judged.category in CATEGORIES else ""
    return Rescued(round(max(least, min(most, judged.importance)), 2), category)


class Shown(NamedTuple):
    """A segment as a question shows it (who said it, what stands before it, the words), in a turn of its own."""

    line: str
    turn: Turn


def shown(numbers: Container[int] | None, turns: Iterable[Turn]) -> dict[int, Shown]:
    """The segments of those numbers (None: all), which count through the turns."""
    found: dict[int, Shown] = {}
    number = 0
    for turn in turns:
        for segment in turn.segments:
            if numbers is None or number in numbers:
                before = turn.message.text[max(0, segment.start - _BEFORE) : segment.start].strip() or turn.asked
                told = f" [{lines.quoted(before, _BEFORE)}]" if before else ""
                speaker = turn.message.speaker or turn.message.role
                line = f"{speaker}{told}: {lines.quoted(turn.text_of(segment))}"
                found[number] = Shown(line, replace(turn, segments=[segment]))
            number += 1
    return found


def _expected(line: str) -> int:
    return _FORM if line else 0
