"""The tables of search.sqlite (`tables.sql`), the longer questions that are asked of them, and what an index says of
itself.

Whoever changes the tables, or how dates are read (`marks`), raises `SCHEMA_VERSION`. What all messages of a session
share stands in `session`, and what is searched beside a message follows from its speaker and date: `whole` puts units
together again; where only the text is wanted, `unit` is faster. Which memories name an entity or stand on a message is
kept by places (rowids) in `memory`, which are shorter than ids; `own` is how a memory about the user calls them.

The number of a unit says where it stands: its scope, its session, its place there. Neighbours have neighbouring
numbers, and so are found without reading anything; messages, of which most is kept, have the smallest.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Iterable
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from memory_system.config import Config
from memory_system.records import POOLS, TYPES
from memory_system.store.database import Database, StaleIndexError

SCOPES = {"session": 0, "note": 1, "memory": 2, "over": 3, "archive": 4}  # memories have the largest
MEMORIES = ("memory", "over", "archive")  # what stands, plans whose time is over, and what else is archived
NAMES = {number: name for name, number in SCOPES.items()}
SCOPE_BITS = 46  # number = scope << 46 | place; a scope is a range of numbers, which FTS5 can skip to
SESSION_BITS = 20  # the place of a message = session << 20 | place in it
OVERLAY = 1 << 60  # set in the number of what is newer than the index
PARTS_FROM = 1 << (SESSION_BITS - 1)  # parts of long messages are counted from here, turns from 1


def first_of(scope: str) -> int:
    return SCOPES[scope] << SCOPE_BITS


def last_of(scope: str) -> int:
    return first_of(scope) + (1 << SCOPE_BITS) - 1


def range_of(scopes: Collection[str]) -> tuple[int, int]:
    """The first and the last number of scopes that stand side by side."""
    return min(map(first_of, scopes)), max(map(last_of, scopes))


def scope_of(number: int) -> str:
    return NAMES[(number & ~OVERLAY) >> SCOPE_BITS]


def session_of(number: int) -> int:
    """The number of the session; of what is no message, none that a session has."""
    return number >> SESSION_BITS


def is_part(number: int) -> bool:
    """Whether it is a passage of a long message."""
    return bool(number & PARTS_FROM) and number >> SCOPE_BITS == SCOPES["session"]


_WINDOW = -15  # as zlib has it: 32 KB, without head and end
_NEARBY = -13  # 8 KB, more than most lines have; what looks back no farther is set up four times as fast
# What most lines hold, in their order; the index is made anew where it changes.
_USUAL = (
    b'"supersedes":"f_","superseded_by":"f_","history":[{"id":"f_","content":"","value":"","until":"T03:00:00Z"}],'
    b'"confidence":0.6,"basis":"","event_time":{"start":"","end":"","granularity":"day","words":""},"retired":"merged",'
    b'{"id":"f_2026","content":"User ","importance":0.5,"score":0.5,"entities":["User","\xe7\x94\xa8\xe6\x88\xb7"],'
    b'"created":"2026-01-01T03:00:00Z","source":"capture:","category":"general","subject":"user","attribute":"","value":"",'
    b'"polarity":true,"lang":"zh","lang":"en","said_at":"2026-01-01T10:00:00Z","evidence":[{"ref":"capture:","quote":"",'
    b'"said_at":"2026-01-01T10:00:00Z","role":"user","trust":"user"}],"last_confirmed":"2026-01-01T10:00:00Z",'
    b'"scored_at":"2026-01-01T03:00:00Z","expires":"2026-01-01T10:00:00Z","pinned":false,"sensitivity":"normal",'
    b'"version":1,"updated":"2026-01-01T03:00:00Z","method":"capture","method":"rule:general.zh","method":"rule:general.en"}\n'
)


def packed(line: bytes) -> bytes:
    packer = zlib.compressobj(wbits=_NEARBY, zdict=_USUAL)
    return packer.compress(line) + packer.flush()


def unpacked(data: bytes) -> bytes:
    """The line again; StaleIndexError where the index is damaged."""
    try:
        return zlib.decompressobj(_WINDOW, _USUAL).decompress(data)
    except zlib.error as error:
        raise StaleIndexError(f"a line in the search index is damaged: {error}") from None


# Made when the rows are there, which is faster. `memory_rank` holds all that `RANKED` asks for but the line.
INDEXES = (
    "CREATE INDEX memory_subject ON memory (subject)",
    "CREATE INDEX memory_place ON memory (pool, kind, id)",
    "CREATE INDEX memory_rank ON memory"
    " (pool, category, said_at, protected, log_score, rate, scored_day, importance, id)",
)
PUT_ENTITY = "INSERT INTO entity_at SELECT ?, rowid FROM memory WHERE id = ?"
PUT_REF = "INSERT INTO ref_at SELECT ?, rowid FROM memory WHERE id = ?"
DROP_MEMORY = (
    "DELETE FROM entity_at WHERE place = (SELECT rowid FROM memory WHERE id = ?)",
    "DELETE FROM ref_at WHERE place = (SELECT rowid FROM memory WHERE id = ?)",
    "DELETE FROM memory WHERE id = ?",
)
# As one text: thousands of rows one by one cost twice as much.
HOLDERS = """
SELECT json_group_array(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? LIMIT ?)
"""
COUNTED = "SELECT count(*) FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?"
UNITS = """
SELECT unit.number, unit.key, iif(unit.path = '' AND scope = 0, session.path, unit.path),
    start_line, end_line, part, speaker, role, said_at, about, text, marks, whose
FROM json_each(?) AS asked CROSS JOIN unit ON unit.number = asked.value
    LEFT JOIN session ON session.number = unit.number >> 20
"""
PASSING = """
SELECT number FROM whole WHERE number IN (SELECT value FROM json_each(:numbers))
    AND said_at >= :since AND (:until = '' OR (said_at < :until AND said_at <> ''))
    AND (:kind = '' OR :kind = CASE scope WHEN 0 THEN 'message' WHEN 1 THEN 'note'
        ELSE (SELECT memory.kind FROM memory WHERE id = key) END)
    AND (:entity = '' OR names(about || ' ' || text, :entity)
        OR EXISTS (SELECT 1 FROM memory_entity WHERE id = key AND names(entity, :entity)))
"""
STANDING_ON = """
SELECT number FROM unit WHERE scope IN (SELECT value FROM json_each(:scopes))
    AND key IN (SELECT id FROM memory_ref WHERE ref IN (SELECT value FROM json_each(:refs)))
"""
LATEST = """
SELECT number, said_at FROM json_each(?) AS asked CROSS JOIN unit ON number = asked.value
ORDER BY said_at DESC, scope, unit.key LIMIT ?
"""
_SCORE = """CASE WHEN protected
    THEN max(:floor, log_score - rate * max(0.0, :day - scored_day))
    ELSE log_score - rate * max(0.0, :day - scored_day) END"""  # its logarithm, at the moment
_STRONGEST = "ORDER BY score DESC, importance DESC, said_at DESC, id"
_AS_RANKED = f"SELECT id, {_SCORE} AS score, importance, line FROM memory WHERE"
RANKED = f"""
SELECT id, score, importance, line FROM memory JOIN (
    SELECT rowid AS found, {_SCORE} AS score
    FROM memory
    WHERE pool = 'active' %s
    {_STRONGEST} LIMIT :limit
) ON memory.rowid = found
{_STRONGEST}
"""
RANKED_AMONG = " AND category IN (SELECT value FROM json_each(:categories))"
# With every category named, only what was said in that time is looked at: `memory_rank` is in that order.
RANKED_WITHIN = """ AND said_at >= :since AND (:until = '' OR said_at < :until) AND category IN (
    WITH RECURSIVE there (name) AS (
        SELECT min(category) FROM memory WHERE pool = 'active'
        UNION ALL
        SELECT (SELECT min(category) FROM memory WHERE pool = 'active' AND category > name) FROM there
        WHERE name IS NOT NULL
    )
    SELECT name FROM there
)"""
STANDING = f"{_AS_RANKED} id IN (SELECT value FROM json_each(:ids))"
OF_KIND = f"""{_AS_RANKED} pool = 'active' AND subject = 'user'
    AND (category IN (SELECT value FROM json_each(:categories))
    OR attribute IN (SELECT value FROM json_each(:attributes))
    OR substr(attribute, 1, instr(attribute, '.') - 1) IN (SELECT value FROM json_each(:attributes)))
{_STRONGEST} LIMIT :limit
"""
TELLS = f"""{_AS_RANKED} pool = 'active' AND subject = 'user' AND tells IS NOT NULL
    AND EXISTS (SELECT 1 FROM json_each(tells) WHERE value IN (SELECT value FROM json_each(:attributes)))
{_STRONGEST} LIMIT :limit
"""
OF_OTHERS = f"""{_AS_RANKED} pool = 'active' AND subject NOT IN ('user', 'assistant') AND attribute <> ''
{_STRONGEST} LIMIT :limit
"""
REPLACED_ON = """
SELECT line FROM memory WHERE pool = 'archive' AND attribute <> ''
    AND id IN (SELECT id FROM memory_ref WHERE ref IN (SELECT value FROM json_each(:refs)))
ORDER BY id
"""
# A memory names its subject and its entities; how it calls the user itself (`own`) is the user. The + keeps SQLite from
# looking at all that is active.
_NAMING = """
WITH called AS (SELECT value AS name FROM json_each(:called)), naming AS (
    SELECT rowid AS place FROM memory WHERE +pool = 'active' AND subject IN called
    UNION ALL
    SELECT place FROM entity_at JOIN memory ON memory.rowid = place
        WHERE entity IN called AND +pool = 'active' AND entity <> own AND subject NOT IN called
)
"""
# The ids as one text, as in `HOLDERS`.
NAMED = f"""{_NAMING}
SELECT subject, own, min(said_at), max(said_at), json_group_array(id),
    json_group_array(rowid) FILTER (WHERE attribute <> '')
FROM memory WHERE rowid IN naming GROUP BY subject, own
"""
LINES_AT = "SELECT line FROM memory WHERE rowid IN (SELECT value FROM json_each(?)) ORDER BY id"
NAMED_BESIDE = f"""{_NAMING}
SELECT entity, count(*) FROM memory CROSS JOIN entity_at ON memory.rowid = place
WHERE memory.rowid IN naming AND entity NOT IN (own, subject) GROUP BY entity
"""
# Every thousandth memory of a file: from the last of them on, lines are counted.
MILESTONES = """
INSERT INTO milestone SELECT pool, kind, id, line
FROM (SELECT pool, kind, id, row_number() OVER (PARTITION BY pool, kind ORDER BY id) AS line FROM memory)
WHERE line % 1000 = 0
"""
LINE_NUMBER = """
WITH its AS (SELECT pool, kind FROM memory WHERE id = :id),
    passed AS (SELECT id, line FROM milestone JOIN its USING (pool, kind) WHERE id <= :id ORDER BY id DESC LIMIT 1)
SELECT coalesce((SELECT line FROM passed), 0) + count(*) FROM memory JOIN its USING (pool, kind)
WHERE memory.id <= :id AND memory.id > coalesce((SELECT id FROM passed), '')
"""
CONTENT = {
    "memory": "SELECT * FROM memory ORDER BY id",
    "memory_entity": "SELECT * FROM memory_entity ORDER BY entity, id",
    "memory_ref": "SELECT * FROM memory_ref ORDER BY ref, id",
    "note": "SELECT * FROM note ORDER BY path",
    "unit": "SELECT scope, key, path, start_line, end_line, part, speaker, role, said_at, about, text, marks, whose"
    " FROM whole ORDER BY scope, key",  # without the number, which the order of putting in decides
    "word": "SELECT * FROM word ORDER BY term",
}
ENTITIES = """
SELECT id, entity FROM entity_at JOIN memory ON memory.rowid = place WHERE pool = 'active' %s ORDER BY id, entity
"""
LABELS = (
    "SELECT id, value, day, text FROM memory JOIN unit ON scope = ? AND key = id WHERE pool = 'active' %s ORDER BY id"
)
AMONG = "AND id IN (SELECT value FROM json_each(?))"
NAMED_SO = """
SELECT value FROM json_each(:words) AS asked WHERE EXISTS (
    SELECT 1 FROM entity_at JOIN memory ON memory.rowid = place WHERE entity = asked.value AND +pool = 'active')
UNION
SELECT value FROM memory WHERE +pool = 'active' AND value IN (SELECT value FROM json_each(:words))
"""
TALLIES = """
SELECT (SELECT count(DISTINCT entity) FROM entity_at JOIN memory ON memory.rowid = place WHERE pool = 'active'),
    (SELECT count(DISTINCT category) FROM memory WHERE pool = 'active'),
    (SELECT coalesce(sum(messages), 0) FROM session), (SELECT count(*) FROM unit WHERE number BETWEEN ? AND ?)
"""
SCHEMA_VERSION = 14


class Title(NamedTuple):
    """`fingerprint` is what the last writer said that the index stands for; `counts` is `Index.counts`."""

    fingerprint: str
    counts: dict[str, int]


def identity(config: Config) -> str:
    """What the rows of an index depend on beside the things put in."""
    return f"{SCHEMA_VERSION} {_dates()} {config.timezone} {config.decay_rates.model_dump_json()}"


@cache
def _dates() -> str:
    """The rules by which the dates in messages are read: under others, a row has others."""
    rules = Path(__file__).parent.parent / "rules" / "dates.toml"
    return hashlib.blake2b(rules.read_bytes(), digest_size=8).hexdigest()


def title_of(path: Path, config: Config) -> Title | None:
    """What the index in the file says; None where there is none, or it is of no use."""
    with suppress(StaleIndexError), closing(Database(path)) as database:
        meta = dict(database.rows("SELECT key, value FROM meta WHERE key IN ('identity', 'fingerprint', 'counts')"))
        if meta.get("identity") == identity(config) and "counts" in meta:
            return Title(meta.get("fingerprint", ""), orjson.loads(meta["counts"]))
    return None


def counted(database: Database) -> dict[str, int]:
    """`Index.counts`, counted now."""
    found = {f"{pool} {kind}": 0 for pool in POOLS for kind in TYPES}
    for pool, kind, count in database.rows("SELECT pool, kind, count(*) FROM memory GROUP BY pool, kind"):
        found[f"{pool} {kind}"] = count
    [tallies] = database.rows(TALLIES, (first_of("note"), last_of("note")))
    return found | dict(zip(("entities", "categories", "messages", "passages"), tallies, strict=True))


def json_list(values: Iterable[Any]) -> str:
    """Values as SQL takes many of them at once (`json_each`)."""
    return orjson.dumps([*values]).decode()
