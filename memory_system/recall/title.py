"""What an index says of itself: what it was made for, how far it stands, and how much it holds. Read without anything
that searching takes: a run with nothing to do asks no more.
"""

from __future__ import annotations

import hashlib
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from memory_system.config import Config
from memory_system.recall.numbers import first_of, last_of
from memory_system.recall.schema import TALLIES
from memory_system.records import POOLS, TYPES
from memory_system.store.database import Database, StaleIndexError

SCHEMA_VERSION = 13


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

    def one(sql: str, values: Any = ()) -> int:
        return int(database.rows(sql, values)[0][0])

    found = {f"{pool} {kind}": 0 for pool in POOLS for kind in TYPES}
    found |= {
        f"{pool} {kind}": count
        for pool, kind, count in database.rows("SELECT pool, kind, count(*) FROM memory GROUP BY pool, kind")
    }
    found |= {name: one(sql) for name, sql in TALLIES.items()}
    found["messages"] = one("SELECT coalesce(sum(messages), 0) FROM session")
    found["passages"] = one(
        "SELECT count(*) FROM unit WHERE number BETWEEN ? AND ?", (first_of("note"), last_of("note"))
    )
    return found
