"""The tables of search.sqlite (`tables.sql`), the longer questions that are asked of them, and what an index says of
itself.

Whoever changes the tables, or how dates are read (`marks`), raises `SCHEMA_VERSION`. What all messages of a session
share stands in `session`, and what is searched beside a message follows from its speaker and date: `whole` puts units
together again; where only the text is wanted, `unit` is faster. Which memories name an entity or stand on a message is
kept by places (rowids) in `memory`, which are shorter than ids; `own` is how a memory about the user calls them, and
`unsaid` marks what the owner asks no longer to keep: neither it nor its messages are given out.

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


def unpacked(data: bytes) -> bytes:
    """The line of a memory, which is packed; StaleIndexError where the index is damaged."""
    try:
        return zlib.decompress(data)
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


def _queries() -> dict[str, str]:
    """What stands in `queries.sql`, by name; each may hold those before it, by their names in braces."""
    found: dict[str, str] = {}
    for part in Path(__file__).with_name("queries.sql").read_text("utf-8").split("-- name: ")[1:]:
        name, _, sql = part.partition("\n")
        found[name] = sql.strip().format(**found)
    return found


SQL = _queries()
CONTENT = {
    "memory": "SELECT * FROM memory ORDER BY id",
    "memory_entity": "SELECT * FROM memory_entity ORDER BY entity, id",
    "memory_ref": "SELECT * FROM memory_ref ORDER BY ref, id",
    "note": "SELECT * FROM note ORDER BY path",
    "unit": "SELECT scope, key, path, start_line, end_line, part, speaker, role, said_at, about, text, marks, whose"
    " FROM whole ORDER BY scope, key",  # without the number, which the order of putting in decides
    "word": "SELECT * FROM word ORDER BY term",
}
SCHEMA_VERSION = 17


class Title(NamedTuple):
    """`fingerprint` is what the last writer said that the index stands for; `counts` is `Index.counts`."""

    fingerprint: str
    counts: dict[str, int]


def identity(config: Config) -> str:
    """What the rows of an index depend on beside the things put in."""
    return f"{SCHEMA_VERSION} {_read_by()} {config.timezone} {config.decay_rates.model_dump_json()}"


@cache
def _read_by() -> str:
    """The rules by which dates are read, and the weights by which is heard what words may tell of: under others, a row
    has others."""
    program = Path(__file__).parent.parent
    files = (program / "rules" / "dates.toml", *sorted((program / "understand").glob("tells.*.txt")))
    return hashlib.blake2b(b"".join(each.read_bytes() for each in files), digest_size=8).hexdigest()


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
    [tallies] = database.rows(SQL["tallies"], (first_of("note"), last_of("note")))
    return found | dict(zip(("entities", "categories", "messages", "passages"), tallies, strict=True))


def json_list(values: Iterable[Any]) -> str:
    """Values as SQL takes many of them at once (`json_each`)."""
    return orjson.dumps([*values]).decode()
