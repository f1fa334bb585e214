"""The memories of an index as they stand at a moment: what they have faded to by then, the strongest first."""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from memory_system.config import Config
from memory_system.recall.packing import unpacked
from memory_system.recall.schema import (
    OF_KIND,
    OF_OTHERS,
    RANKED,
    RANKED_AMONG,
    RANKED_WITHIN,
    REPLACED_ON,
    STANDING,
    TELLS,
)
from memory_system.recall.units import SMALLEST_SCORE, day_number
from memory_system.store.database import Database


class Ranked(NamedTuple):
    """A memory at a moment: `score` is the effective one, `line` its line of JSONL."""

    id: str
    score: float
    importance: float
    line: bytes


class Standing:
    """The memories at one moment (`Index.at`)."""

    def __init__(self, database: Database, config: Config, moment: datetime) -> None:
        self._database = database
        self._moment = {
            "day": day_number(moment),
            "floor": math.log(max(config.thresholds.floor, SMALLEST_SCORE)),
        }

    def ranked(
        self, limit: int | None = None, *, categories: Collection[str] = (), said: tuple[str, str] = ("", "")
    ) -> list[Ranked]:
        """The active memories by effective score, then importance, then the later said, then id. Only those of the
        categories, and only those said within [said[0], said[1]) (stamps), where these are given."""
        since, until = said
        most = -1 if limit is None else limit
        which = (RANKED_AMONG if categories else "") + (RANKED_WITHIN if any(said) else "")
        return self._found(RANKED % which, categories=_json(categories), since=since, until=until, limit=most)

    def of_kind(self, categories: Collection[str], attributes: Collection[str], limit: int) -> list[Ranked]:
        """The user's active memories of one of the categories or attributes (dotted ones with the part before the dot),
        at most `limit`: by effective score, then as `ranked`."""
        return self._found(OF_KIND, categories=_json(categories), attributes=_json(attributes), limit=limit)

    def telling(self, attributes: Collection[str], limit: int) -> list[Ranked]:
        """The user's active quotes that tell of one of the attributes, at most `limit`, as `of_kind`."""
        return self._found(TELLS, attributes=_json(attributes), limit=limit)

    def of_others(self, limit: int) -> list[Ranked]:
        """The active memories that fill a slot of somebody or something else than the user and the assistant, at most
        `limit`, as `ranked`."""
        return self._found(OF_OTHERS, limit=limit)

    def replaced_on(self, refs: Collection[str]) -> list[bytes]:
        """The lines of the archived memories that fill a slot and stand on these messages."""
        return [unpacked(line) for (line,) in self._database.rows(REPLACED_ON, {"refs": _json(refs)})]

    def these(self, ids: Collection[str]) -> dict[str, Ranked]:
        """The memories with these ids, of either pool."""
        return {each.id: each for each in self._found(STANDING, ids=_json(ids))}

    def _found(self, sql: str, **values: Any) -> list[Ranked]:
        rows = self._database.rows(sql, self._moment | values)
        return [Ranked(key, math.exp(score), importance, unpacked(line)) for key, score, importance, line in rows]


def _json(values: Collection[str]) -> str:
    return orjson.dumps([*values]).decode()
