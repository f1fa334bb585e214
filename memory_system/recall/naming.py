"""Which active memories name someone or something, as the index tells it: for one profile there may be very many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import orjson

from memory_system.recall.database import Database
from memory_system.recall.packing import unpacked
from memory_system.recall.schema import NAMED, NAMED_BESIDE
from memory_system.records import Row


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


def naming(database: Database, called: Collection[str]) -> Naming:
    """What names one of these."""
    values = {"called": orjson.dumps([*called]).decode()}
    rows = database.rows(NAMED, values)
    ids, subjects, said, own, lines = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    return Naming(
        [*ids],
        Counter(subjects) + Counter(dict(database.rows(NAMED_BESIDE, values))),
        set(own) - {""},
        [orjson.loads(unpacked(line)) for line in lines if line is not None],
        min(said, default=""),
        max(said, default=""),
    )
