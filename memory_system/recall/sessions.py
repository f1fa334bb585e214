"""What an index knows of whole sessions: where their messages stand, how many units they have, and when they ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import NamedTuple

import orjson

from memory_system.recall.database import Database
from memory_system.recall.numbers import SESSION_BITS
from memory_system.recall.schema import LATEST

_SESSIONS = "SELECT number, path, turns + parts, last FROM session WHERE number IN (SELECT value FROM json_each(?))"


class Session(NamedTuple):
    """The file that the messages stand in, how many units they are, and a stamp after which none was said."""

    path: str
    units: int
    last: str


NOWHERE = Session("", 0, "\uffff")  # of what is no message: who knows when it was said


class Sessions:
    """The sessions of one state of an index; each is read once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[int, Session] = {}

    def these(self, numbers: Collection[int]) -> dict[int, Session]:
        """The sessions with these numbers (`numbers.session_of`), and others."""
        if unknown := [each for each in numbers if each not in self._known]:
            rows = self._database.rows(_SESSIONS, (orjson.dumps(unknown).decode(),))
            self._known.update(dict.fromkeys(unknown, NOWHERE))
            self._known.update((number, Session(*session)) for number, *session in rows)
        return self._known

    def latest(self, numbers: Collection[int], limit: int) -> list[int]:
        """Those of the units that were said last. Only sessions that ended late enough are looked into."""
        by_session: defaultdict[int, list[int]] = defaultdict(list)
        for number in numbers:
            by_session[number >> SESSION_BITS].append(number)
        known = self.these(by_session)
        waiting = sorted(by_session, key=lambda each: known[each].last)
        taken: list[int] = []
        while waiting and len(taken) < limit:
            taken += by_session[waiting.pop()]
        found = self._said_last(taken, limit)
        since = found[-1][1] if len(found) == limit else ""
        rest = [number for each in waiting if known[each].last >= since for number in by_session[each]]
        if rest:
            found = self._said_last([*(number for number, _ in found), *rest], limit)
        return [number for number, _ in found]

    def _said_last(self, numbers: Collection[int], limit: int) -> list[tuple[int, str]]:
        """Those of the units that were said last, each with its stamp; equals by scope and key."""
        return self._database.rows(LATEST, (orjson.dumps([*numbers]).decode(), limit))
