"""Which active memories name someone or something, as the index tells it: for one profile there may be very many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import orjson

from memory_system.recall.packing import unpacked
from memory_system.recall.schema import LINES_AT, NAMED, NAMED_BESIDE
from memory_system.records import Row
from memory_system.store.database import Database


@dataclass(frozen=True, slots=True)
class Naming:
    """The active memories that name one of `called`: their ids, in order; how many of them have each name (those of
    `called` among them); how they call the user; those that fill a slot; when the first and the last was said."""

    ids: list[str]
    names: dict[str, int]
    own: set[str]
    slots: list[Row]
    first: str
    last: str


class _Group(NamedTuple):
    """Memories with one subject that call the user by one name."""

    subject: str
    own: str
    first: str
    last: str
    ids: list[str]
    slots: list[int]  # the places of those that fill a slot


def naming(database: Database, called: Collection[str]) -> Naming:
    """What names one of these."""
    values = {"called": orjson.dumps([*called]).decode()}
    groups = [
        _Group(subject, own, first, last, orjson.loads(ids), orjson.loads(slots))
        for subject, own, first, last, ids, slots in database.rows(NAMED, values)
    ]
    names = Counter(dict(database.rows(NAMED_BESIDE, values)))
    for each in groups:
        names[each.subject] += len(each.ids)
    return Naming(
        sorted(chain.from_iterable(each.ids for each in groups)),
        names,
        {each.own for each in groups} - {""},
        _slots(database, chain.from_iterable(each.slots for each in groups)),
        min((each.first for each in groups), default=""),
        max((each.last for each in groups), default=""),
    )


def _slots(database: Database, places: Iterable[int]) -> list[Row]:
    """The memories at these places, in the order of their ids."""
    lines = database.rows(LINES_AT, (orjson.dumps([*places]).decode(),))
    return [orjson.loads(unpacked(line)) for (line,) in lines]
