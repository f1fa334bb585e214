"""Which active memories name someone or something, as the index tells it: for one profile there may be very many."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import orjson

from memory_system.recall.database import Database
from memory_system.recall.packing import unpacked
from memory_system.recall.schema import NAMED_IDS, NAMED_NAMES, NAMED_SLOTS, NAMED_SPAN
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
    [(first, last, own)] = database.rows(NAMED_SPAN, values)
    return Naming(
        [each for (each,) in database.rows(NAMED_IDS, values)],
        dict(database.rows(NAMED_NAMES, values)),
        set(orjson.loads(own)) - {""},
        [orjson.loads(unpacked(line)) for (line,) in database.rows(NAMED_SLOTS, values)],
        first,
        last,
    )
