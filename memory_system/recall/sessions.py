"""What an index knows of whole sessions: how many units they have, and when they ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from functools import cached_property
from itertools import repeat
from operator import itemgetter, rshift

import orjson

from memory_system.recall.numbers import SCOPE_BITS, SESSION_BITS
from memory_system.recall.schema import LATEST
from memory_system.recall.units import Unit
from memory_system.store.database import Database

Read = Callable[[Collection[int]], dict[int, Unit]]

SPARE = 100  # units that are read for nothing, at most, where reading them whole spares a question
ENDLESS = "\uffff"  # of what is no message, it is not known when the last was said

_SESSIONS = "SELECT number, turns + parts, last FROM session WHERE number IN (SELECT value FROM json_each(?))"


class Sessions:
    """The sessions of one state of an index; each is read once. They go by their numbers (`numbers.session_of`)."""

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
