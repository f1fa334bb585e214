"""Putting units into the index and taking them out: `unit` holds the text, `words` its tokens, `session` how many of
its places are taken. A memory or a note is a row of its own table and its units: both come and go together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson

from memory_system.privacy.tombstones import Tombstones
from memory_system.recall import schema
from memory_system.recall.schema import MEMORIES, PARTS_FROM, SCOPES, SESSION_BITS, json_list, session_of
from memory_system.recall.units import Unit, Units, gathered, note_digest, searchable, storable
from memory_system.records import UNSAID, Pool, Row
from memory_system.records import session_of as session_named
from memory_system.store.database import BATCH, Database, batches
from memory_system.turns import Message

Numbered = tuple[int, Unit]

BATCH_CHARACTERS = 4_000_000

_PLACES = "SELECT number, messages, turns, parts, path FROM session WHERE name = ? ORDER BY number DESC LIMIT 1"
_WITHIN = "SELECT * FROM whole WHERE scope = ? AND key > ? AND key < ?"


class Entries:
    """The half of an index that things are put into and taken out of."""

    def __init__(self, database: Database, units: Units) -> None:
        self._database = database
        self._units = units
        self.forgotten: Tombstones | None = None

    def put_messages(self, path: str, messages: Iterable[Message]) -> None:
        """Index messages of the transcript of that name (`Layout.name`), but none that were read from a note."""
        name = storable(path)
        read = (message for message in messages if not message.is_noted)
        for batch in gathered(read, lambda message: len(message.text), BATCH_CHARACTERS, BATCH):
            _put_messages(self._database, ((each.session, self._units.message(name, each)) for each in batch))

    def drop_messages(self, refs: Iterable[str]) -> None:
        """Take messages out, with all their passages; their places in their sessions stay empty."""
        for ref in refs:
            units = whole(self._database, ref)
            _erase(self._database, units)
            places = [(session_of(number),) for number, _ in units[:1]]
            self._database.run("UPDATE session SET messages = messages - 1 WHERE number = ?", places)

    def drop_session(self, session: str) -> None:
        name = storable(session)
        units = _numbered(self._database.rows(_WITHIN, (SCOPES["session"], f"{name}:", f"{name};")))
        mine = [each for each in units if session_named(each[1].ref) == name]  # another may begin with its name
        _erase(self._database, mine)
        self._database.run("DELETE FROM session WHERE name = ?", [(name,)])

    def move_session(self, session: str, path: str) -> None:
        """The messages of the session stand in another file now, under that name."""
        name = storable(session)
        self._database.run("UPDATE session SET path = ? WHERE name = ?", [(storable(path), name)])
        values = (SCOPES["session"], f"{name}:", f"{name};")
        self._database.run("UPDATE unit SET path = '' WHERE scope = ? AND key > ? AND key < ? AND path <> ''", [values])

    def put_memories(self, memories: Iterable[tuple[Pool, bytes]]) -> None:
        """Index these memories, given by their lines; one that moved to the other pool leaves the first."""
        for batch in batches(memories):
            parsed = ((pool, orjson.loads(line), line) for pool, line in batch)
            latest = {row["id"]: (pool, row, line) for pool, row, line in parsed}
            self._drop_rows(latest)
            self._put_rows(latest)
            for scope in MEMORIES:
                mine = {key for key, (pool, row, _) in latest.items() if _scope(pool, row) == scope}
                self._take_out(scope, latest.keys() - mine)
                _put(self._database, scope, [self._units.memory(latest[key][1]) for key in latest if key in mine])

    def drop_memories(self, ids: Iterable[str]) -> None:
        """Take these memories out of both pools; ids that are not there are no error."""
        for batch in batches(ids):
            self._drop_rows(batch)
            for scope in MEMORIES:
                self._take_out(scope, batch)

    def put_note(self, path: str, text: str) -> None:
        """Index a note under its name (`Layout.name`) if it has changed, without secrets and what is `forgotten`."""
        name, digest = storable(path), note_digest(text)
        if not self._database.rows("SELECT 1 FROM note WHERE path = ? AND digest = ?", (name, digest)):
            units = list(self._units.note(name, searchable(path, text, self.forgotten)))
            self.drop_note(path)
            _put(self._database, "note", units)
            self._database.run("INSERT INTO note VALUES (?, ?)", [(name, digest)])

    def drop_note(self, path: str) -> None:
        """Take a note out; one that is not there is no error."""
        name, sql = storable(path), "SELECT key FROM unit WHERE scope = ? AND key > ? AND key < ? AND path = ?"
        keys = self._database.rows(sql, (SCOPES["note"], f"{name}#", f"{name}$", name))
        self._take_out("note", [key for (key,) in keys])
        self._database.run("DELETE FROM note WHERE path = ?", [(name,)])

    def _put_rows(self, latest: Mapping[str, tuple[Pool, Row, bytes]]) -> None:
        rows = [self._units.memory_row(*each) for each in latest.values()]
        self._database.run("INSERT INTO memory VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
        named = {(storable(entity), key) for key, (_, row, _) in latest.items() for entity in row.get("entities", ())}
        self._database.run(schema.PUT_ENTITY, sorted(named))
        said = {(storable(each["ref"]), key) for key, (_, row, _) in latest.items() for each in row.get("evidence", ())}
        self._database.run(schema.PUT_REF, sorted(said))

    def _drop_rows(self, ids: Collection[str]) -> None:
        self._database.rows("DELETE FROM milestone")
        for statement in schema.DROP_MEMORY:
            self._database.run(statement, ((key,) for key in ids))

    def _take_out(self, scope: str, keys: Collection[str]) -> None:
        _erase(self._database, find(self._database, scope, keys))


def _scope(pool: Pool, row: Row) -> str:
    """Where a memory is looked for: what had its time still happened, and is found without the archive being asked;
    nowhere what is out of sight."""
    if pool == "active":
        return "memory"
    if row.get("retired") == UNSAID:
        return ""
    return "over" if row.get("retired") == "expired" and row.get("event_time") else "archive"


def find(database: Database, scope: str, keys: Collection[str]) -> list[Numbered]:
    """The units with these keys, and their numbers."""
    sql = "SELECT * FROM whole WHERE scope = ? AND key IN (SELECT value FROM json_each(?))"
    return _numbered(database.rows(sql, (SCOPES[scope], json_list(keys))))


def whole(database: Database, key: str) -> list[Numbered]:
    """All units of the message as it is indexed; none when it is not."""
    firsts = find(database, "session", [key])
    if not firsts or not firsts[0][1].part:
        return firsts
    rest = _numbered(database.rows(_WITHIN, (SCOPES["session"], f"{key}#", f"{key}$")))
    return [*firsts, *sorted((each for each in rest if each[1].ref == key), key=lambda each: each[1].part)]


def _numbered(rows: Iterable[Sequence[Any]]) -> list[Numbered]:
    return [(row[0], Unit(*row[2:])) for row in rows]


def _put(database: Database, scope: str, units: Collection[Unit]) -> None:
    """Add the units, in place of those with the same keys; what is there already is not touched."""
    latest = {unit.key: unit for unit in units}
    there = {unit.key: (number, unit) for number, unit in find(database, scope, latest)}
    fresh = [unit for key, unit in latest.items() if key not in there or there[key][1] != unit]
    _erase(database, [there[unit.key] for unit in fresh if unit.key in there])
    first, last = schema.range_of([scope])
    [(taken,)] = database.rows("SELECT max(number) FROM unit WHERE number BETWEEN ? AND ?", (first, last))
    numbered = list(enumerate(fresh, (taken or first) + 1))
    _add(database, numbered, ((number, SCOPES[scope], *unit) for number, unit in numbered))


def _put_messages(database: Database, messages: Iterable[tuple[str, Sequence[Unit]]]) -> None:
    """Add messages, by session, at the end of their sessions; one that is there keeps its place."""
    latest = {units[0].key: (session, units) for session, units in messages if units}
    known = {unit.key: whole(database, unit.key) for _, unit in find(database, "session", latest)}
    fresh = [(session, units) for key, (session, units) in latest.items() if key not in known]
    for session, group in groupby(fresh, key=lambda each: each[0]):
        _append(database, session, [units for _, units in group])
    for key, old in known.items():
        session, units = latest[key]
        if [unit for _, unit in old] != units:
            _erase(database, old)
            _replace(database, session, [number for number, _ in old], units)


def _replace(database: Database, session: str, numbers: list[int], units: Sequence[Unit]) -> None:
    """Put the message where it stood; at the end of its session where it has become longer."""
    if len(units) > len(numbers):
        _append(database, session, [units], new=0)
        return
    home = session_of(numbers[0])  # a session that was full has two
    [(path,)] = database.rows("SELECT path FROM session WHERE number = ?", (home,))
    _add_messages(database, path, list(zip(numbers, units, strict=False)))


def _append(database: Database, session: str, messages: list[Sequence[Unit]], new: int = 1) -> None:
    """Add messages at the end of the session, in a new row where it is full; `new` is 0 where they are there."""
    needed, rows = sum(map(len, messages)), database.rows(_PLACES, (session,))
    if not rows or max(rows[0][2], rows[0][3]) + needed >= PARTS_FROM:
        [(number,)] = database.rows("SELECT coalesce(max(number), 0) + 1 FROM session")
        rows = [(number, 0, 0, 0, messages[0][0].path)]
    [(number, count, turns, parts, path)] = rows
    base = number << SESSION_BITS
    numbered: list[Numbered] = []
    for units in messages:
        if units[0].part:
            numbered += enumerate(units, base + PARTS_FROM + parts)
            parts += len(units)
        else:
            numbered.append((base + 1 + turns, units[0]))
            turns += 1
    row = (number, session, count + new * len(messages), turns, parts, path)
    database.run("INSERT OR REPLACE INTO session VALUES (?,?,?,?,?,?)", [row])
    _add_messages(database, path, sorted(numbered))


def _add_messages(database: Database, path: str, numbered: Collection[Numbered]) -> None:
    """Of the path only what differs from the session's, and nothing that `whole` can tell."""
    scope = SCOPES["session"]
    rows = (
        (number, scope, unit.key, "" if unit.path == path else unit.path, *unit[2:8], "", *unit[9:])
        for number, unit in numbered
    )
    _add(database, numbered, rows)


def _add(database: Database, numbered: Collection[Numbered], rows: Iterable[Sequence[object]]) -> None:
    database.run("INSERT INTO unit VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
    words = ((number, unit.words) for number, unit in numbered)
    database.run("INSERT INTO words (rowid, text) VALUES (?, ?)", words)


def _erase(database: Database, numbered: Collection[Numbered]) -> None:
    words = ((number, unit.words) for number, unit in numbered)
    database.run("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", words)
    database.run("DELETE FROM unit WHERE number = ?", ((number,) for number, _ in numbered))
