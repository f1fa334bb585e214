"""What an index tells beside who holds which words: its sessions as wholes, its memories as they stand at a moment,
and which of them name someone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain, repeat
from operator import itemgetter, rshift
from typing import Any, NamedTuple

import orjson

from memory_system.config import Config
from memory_system.recall.schema import (
    LATEST,
    LINES_AT,
    NAMED,
    NAMED_BESIDE,
    OF_KIND,
    OF_OTHERS,
    RANKED,
    RANKED_AMONG,
    RANKED_WITHIN,
    REPLACED_ON,
    SCOPE_BITS,
    SESSION_BITS,
    STANDING,
    TELLS,
    unpacked,
)
from memory_system.recall.units import SMALLEST_SCORE, Unit, day_number
from memory_system.records import Row
from memory_system.store.database import Database

Read = Callable[[Collection[int]], dict[int, Unit]]

SPARE = 100  # units that are read for nothing, at most, where reading them whole spares a question
ENDLESS = "\uffff"  # of what is no message, it is not known when the last was said

_SESSIONS = "SELECT number, turns + parts, last FROM session WHERE number IN (SELECT value FROM json_each(?))"


class Sessions:
    """The sessions of one state of an index; each is read once. They go by their numbers (`schema.session_of`)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sizes: dict[int, int] = {}
        self._ends: dict[int, str] = {}  # stamps after which none was said

    def lengths(self, sessions: Collection[int]) -> dict[int, int]:
        """How many units each of these has that is a session."""
        self._read(sessions)
        return {each: size for each in sessions if (size := self._sizes[each])}

    @cached_property
    def average(self) -> tuple[int, float]:
        """How many sessions there are, and how many units one has on average."""
        [(count, units)] = self._database.rows("SELECT count(*), sum(turns + parts) FROM session")
        return count, units / count if count else 1.0

    def _read(self, sessions: Collection[int]) -> None:
        if unknown := [each for each in sessions if each not in self._ends]:
            rows = self._database.rows(_SESSIONS, (orjson.dumps(unknown).decode(),))
            self._sizes.update(dict.fromkeys(unknown, 0) | {number: size for number, size, _ in rows})
            self._ends.update(dict.fromkeys(unknown, ENDLESS) | {number: end for number, _, end in rows})

    def latest(self, numbers: Collection[int], limit: int, units: Read) -> list[int]:
        """Those of the units that were said last; `units` reads them. Only sessions that ended late enough are looked
        into."""
        held = Counter(map(rshift, numbers, repeat(SESSION_BITS)))
        self._read(held)
        waiting = sorted(held, key=self._ends.__getitem__)
        late, count = set[int](), 0
        while waiting and count < limit:
            late.add(waiting[-1])
            count += held[waiting.pop()]
        found = self._said_last([number for number in numbers if number >> SESSION_BITS in late], limit, units)
        since, rest = found[-1][1] if len(found) == limit else "", set[int]()
        while waiting and self._ends[waiting[-1]] >= since:
            rest.add(waiting.pop())
        if rest:
            others = (number for number in numbers if number >> SESSION_BITS in rest)
            found = self._said_last([*(number for number, _ in found), *others], limit, units)
        return [number for number, _ in found]

    def _said_last(self, numbers: Collection[int], limit: int, units: Read) -> list[tuple[int, str]]:
        """Those of the units that were said last, each with its stamp; equals by scope and key."""
        if len(numbers) > limit + SPARE:
            return self._database.rows(LATEST, (orjson.dumps([*numbers]).decode(), limit))
        read = units(numbers).items()  # as they will be, in a moment
        found = sorted((number >> SCOPE_BITS, unit.key, number, unit.said_at) for number, unit in read)
        found.sort(key=itemgetter(3), reverse=True)
        return [(number, said_at) for _, _, number, said_at in found[:limit]]


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
