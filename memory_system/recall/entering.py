"""A memory or a note in the index is a row of its own table and its units: both come and go together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import orjson

from memory_system.recall import writing
from memory_system.recall.numbers import MEMORIES, SCOPES
from memory_system.recall.schema import DROP_MEMORY, PUT_ENTITY, PUT_REF
from memory_system.recall.units import Unit, Units, storable
from memory_system.records import Pool, Row
from memory_system.store.database import Database, batches


def put_memories(database: Database, units: Units, memories: Iterable[tuple[Pool, bytes]]) -> None:
    """`Index.put_memories`."""
    for batch in batches(memories):
        parsed = ((pool, orjson.loads(line), line) for pool, line in batch)
        latest = {row["id"]: (pool, row, line) for pool, row, line in parsed}
        _drop_rows(database, latest)
        _put_rows(database, units, latest)
        for scope in MEMORIES:
            mine = {key for key, (pool, row, _) in latest.items() if _scope(pool, row) == scope}
            writing.take_out(database, scope, latest.keys() - mine)
            writing.put(database, scope, [units.memory(latest[key][1]) for key in latest if key in mine])


def _scope(pool: Pool, row: Row) -> str:
    """Where a memory is looked for: what had its time still happened, and is found without the archive being asked."""
    if pool == "active":
        return "memory"
    return "over" if row.get("retired") == "expired" and row.get("event_time") else "archive"


def _put_rows(database: Database, units: Units, latest: Mapping[str, tuple[Pool, Row, bytes]]) -> None:
    rows = [units.memory_row(*each) for each in latest.values()]
    database.run("INSERT INTO memory VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
    named = {(storable(entity), key) for key, (_, row, _) in latest.items() for entity in row.get("entities", ())}
    database.run(PUT_ENTITY, sorted(named))
    said = {(storable(each["ref"]), key) for key, (_, row, _) in latest.items() for each in row.get("evidence", ())}
    database.run(PUT_REF, sorted(said))


def drop_memories(database: Database, ids: Iterable[str]) -> None:
    """`Index.drop_memories`."""
    for batch in batches(ids):
        _drop_rows(database, batch)
        for scope in MEMORIES:
            writing.take_out(database, scope, batch)


def _drop_rows(database: Database, ids: Collection[str]) -> None:
    database.rows("DELETE FROM milestone")
    for statement in DROP_MEMORY:
        database.run(statement, ((key,) for key in ids))


def has_note(database: Database, name: str, digest: str) -> bool:
    """Whether the note stands in the index as the digest tells."""
    return bool(database.rows("SELECT 1 FROM note WHERE path = ? AND digest = ?", (name, digest)))


def put_note(database: Database, name: str, digest: str, units: Collection[Unit]) -> None:
    """The note in the place of what it was before."""
    drop_note(database, name)
    writing.put(database, "note", units)
    database.run("INSERT INTO note VALUES (?, ?)", [(name, digest)])


def drop_note(database: Database, name: str) -> None:
    """Take a note out; one that is not there is no error."""
    sql = "SELECT key FROM unit WHERE scope = ? AND key > ? || '#' AND key < ? || '$' AND path = ?"
    keys = [key for (key,) in database.rows(sql, (SCOPES["note"], name, name, name))]
    writing.take_out(database, "note", keys)
    database.run("DELETE FROM note WHERE path = ?", [(name,)])
