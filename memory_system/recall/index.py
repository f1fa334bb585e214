"""`search.sqlite`: what search, snapshot and the JSON dumps ask, derived from the memories, the transcripts read so far
and the notes. Filled with the same things it has the same `content()`, whatever the order; deleting it loses nothing.

No text is kept twice: the words are in a contentless FTS5 table, and when a text is taken out they are prepared again.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import groupby, islice, permutations
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import orjson

from memory_system.config import Config
from memory_system.files import Files
from memory_system.recall import terms
from memory_system.recall.database import IN_MEMORY, Database, StaleIndexError
from memory_system.recall.schema import (
    CONTENT,
    DAYS,
    ENTITIES,
    INDEXES,
    LINE_NUMBER,
    MATCHING,
    RANKED,
    SCHEMA,
    SCHEMA_VERSION,
    TALLIES,
    TEXTS,
)  # fmt: skip
from memory_system.recall.units import SMALLEST_SCORE, Unit, Units, day_number, storable
from memory_system.records import POOLS, TYPES, Fact, Message, Pool, from_line

SCOPES = {"session": 1, "note": 2, "memory": 3, "archive": 4}
POOL_SCOPE: Mapping[Pool, str] = {"active": "memory", "archive": "archive"}
SCOPE_BITS = 40  # a unit's rowid is scope << 40 | number: a scope is a range of rowids, which FTS5 can skip to
BATCH = 4_000

Item = TypeVar("Item")


class Hit(NamedTuple):
    """A unit that was found; `rank` is its BM25, larger is better."""

    scope: str
    rank: float
    unit: Unit


class Ranked(NamedTuple):
    """An active memory at a moment: `score` is the effective one, `line` its line of JSONL."""

    id: str
    score: float
    importance: float
    line: bytes


class Index:
    """One index, open. Close it, or use it in a `with`."""

    def __init__(self, database: Database, config: Config) -> None:
        self._database = database
        self._config = config
        self._units = Units(config)

    @classmethod
    def open(cls, path: Path, config: Config, *, write: bool = False) -> Self:
        """The index in the file; StaleIndexError when there is none or it is of no use. Nothing is created."""
        index = cls(Database(path), config)
        try:
            index._check(write=write)
        except BaseException:
            index.close()
            raise
        return index

    @classmethod
    def in_memory(cls, config: Config) -> Self:
        """A new, empty index that no file holds."""
        index = cls(Database(IN_MEMORY), config)
        index._create()
        return index

    @classmethod
    @contextmanager
    def rebuilding(cls, path: Path, config: Config, files: Files, fingerprint: str = "") -> Iterator[Self]:
        """A new, empty index to fill; at the end it takes the place of the file, whole. On an error nothing changes."""
        with Database.replacing(path, files) as database:
            index = cls(database, config)
            database.rows("PRAGMA cache_size=-65536")
            index._create()
            with index.writing(fingerprint):
                yield index
                for statement in INDEXES:
                    database.rows(statement)

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self, *, write: bool) -> None:
        if self._meta("identity") != self._identity():
            path = self._database.path
            raise StaleIndexError(f"the search index {path} was made by another version or for another configuration")
        # A writer that does not spill keeps readers out only while it commits.
        pragmas = ("synchronous=NORMAL", "cache_spill=OFF", "cache_size=-65536") if write else ("query_only=ON",)
        for pragma in pragmas:
            self._database.rows(f"PRAGMA {pragma}")

    def _create(self) -> None:
        self._database.script(SCHEMA)
        self._database.run("INSERT INTO meta VALUES ('identity', ?)", [(self._identity(),)])

    def _identity(self) -> str:
        """What the rows depend on beside the things put in."""
        return f"{SCHEMA_VERSION} {self._config.timezone} {self._config.decay_rates.model_dump_json()}"

    @property
    def fingerprint(self) -> str:
        """What the last writer said that the index stands for."""
        return self._meta("fingerprint")

    def _meta(self, key: str) -> str:
        rows = self._database.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    # Putting in and taking out

    @contextmanager
    def writing(self, fingerprint: str) -> Iterator[None]:
        """One transaction: everything put and dropped inside, and the fingerprint, or nothing."""
        with self._database.transaction():
            yield
            counts = orjson.dumps(self._counted()).decode()
            rows = [("fingerprint", fingerprint), ("counts", counts)]
            self._database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    def put_memories(self, memories: Iterable[tuple[Pool, bytes]]) -> None:
        """Index these memories, given by their lines, as they are now; one that moved to the other pool leaves the
        first."""
        for batch in _batches(memories):
            parsed = ((pool, orjson.loads(line), line) for pool, line in batch)
            latest = {row["id"]: (pool, row, line) for pool, row, line in parsed}
            self._drop_rows(latest)
            rows = [self._units.memory_row(*each) for each in latest.values()]
            self._database.run("INSERT INTO memory VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", rows)
            named = (
                (storable(entity), key) for key, (_, row, _) in latest.items() for entity in row.get("entities", ())
            )
            self._database.run("INSERT INTO memory_entity VALUES (?, ?)", sorted(set(named)))
            for pool, other in zip(POOLS, reversed(POOLS), strict=True):
                units = [self._units.memory(row) for there, row, _ in latest.values() if there == pool]
                self._take_out(POOL_SCOPE[other], [unit.key for unit in units])
                self._put(POOL_SCOPE[pool], units)

    def drop_memories(self, ids: Iterable[str]) -> None:
        """Take these memories out of both pools; ids that are not there are no error."""
        for batch in _batches(ids):
            self._drop_rows(batch)
            for scope in POOL_SCOPE.values():
                self._take_out(scope, batch)

    def put_messages(self, path: str, messages: Iterable[Message]) -> None:
        """Index messages of one transcript, word for word; `path` is its name (`Layout.name`)."""
        name = storable(path)
        for batch in _batches(messages):
            self._put("session", [self._units.message(name, message) for message in batch])

    def put_note(self, path: str, text: str) -> None:
        """Index a note as it is now, under its name (`Layout.name`); nothing is done when it is indexed so already."""
        name, digest = storable(path), note_digest(text)
        if not self._database.rows("SELECT 1 FROM note WHERE path = ? AND digest = ?", (name, digest)):
            self.drop_note(name)
            self._put("note", list(self._units.note(name, text)))
            self._database.run("INSERT INTO note VALUES (?, ?)", [(name, digest)])

    def drop_note(self, path: str) -> None:
        """Take a note out; one that is not there is no error."""
        name = storable(path)
        sql = "SELECT key FROM unit WHERE scope = ? AND key > ? || '#' AND key < ? || '$' AND path = ?"
        self._take_out("note", [key for (key,) in self._database.rows(sql, (SCOPES["note"], name, name, name))])
        self._database.run("DELETE FROM note WHERE path = ?", [(name,)])

    def _drop_rows(self, ids: Collection[str]) -> None:
        self._database.run("DELETE FROM memory WHERE id = ?", ((key,) for key in ids))
        self._database.run("DELETE FROM memory_entity WHERE id = ?", ((key,) for key in ids))

    def _put(self, scope: str, units: Collection[Unit]) -> None:
        """Add the units, in place of those with the same keys; what is there already is not touched."""
        latest = {unit.key: unit for unit in units}
        there = {unit.key: unit for _, unit in self._find(scope, latest)}
        fresh = [unit for key, unit in latest.items() if there.get(key) != unit]
        self._take_out(scope, [unit.key for unit in fresh if unit.key in there])
        first, last = _range(scope)
        sql = "SELECT coalesce(max(number), ?) FROM unit WHERE number BETWEEN ? AND ?"
        rows = list(enumerate(fresh, self._one(sql, (first, first, last)) + 1))
        self._database.run(
            "INSERT INTO unit VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            ((number, SCOPES[scope], *unit) for number, unit in rows),
        )
        words = ((number, unit.words) for number, unit in rows)
        self._database.run("INSERT INTO words (rowid, text) VALUES (?, ?)", words)

    def _take_out(self, scope: str, keys: Collection[str]) -> None:
        found = self._find(scope, keys)
        self._database.run(
            "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)",
            ((number, unit.words) for number, unit in found),
        )
        self._database.run("DELETE FROM unit WHERE number = ?", ((number,) for number, _ in found))

    def _find(self, scope: str, keys: Collection[str]) -> list[tuple[int, Unit]]:
        """The units with these keys, and their numbers."""
        sql = "SELECT * FROM unit WHERE scope = ? AND key IN (SELECT value FROM json_each(?))"
        rows = self._database.rows(sql, (SCOPES[scope], orjson.dumps([*keys]).decode()))
        return [(row[0], Unit(*row[2:])) for row in rows]

    # Asking

    def search(self, query: str, scopes: Iterable[str], limit: int) -> list[Hit]:
        """The best `limit` units of each of the scopes (keys of `SCOPES`) for a question in plain words; best first,
        equals in a fixed order. A question without a word finds nothing."""
        return self.look_up(terms.asked(query), scopes, limit)

    def look_up(self, asked: list[str], scopes: Iterable[str], limit: int) -> list[Hit]:
        """As `search`, for terms of `terms.asked`."""
        if not asked or limit < 1:
            return []
        hits = [hit for scope in scopes for hit in self._best(scope, terms.match(asked), limit)]
        return sorted(hits, key=lambda hit: (-hit.rank, hit.scope, hit.unit.key))

    def _best(self, scope: str, expression: str, limit: int) -> list[Hit]:
        """Asks for more while equals stand on both sides of the limit: the order of putting in must decide nothing."""
        asked = limit + 1
        while True:
            rows = self._database.rows(MATCHING, (expression, *_range(scope), asked))
            hits = [Hit(scope, row[0], Unit(*row[3:])) for row in rows]
            hits.sort(key=lambda hit: (-hit.rank, hit.unit.key))
            if len(hits) < asked or hits[-1].rank < hits[limit - 1].rank:
                return hits[:limit]
            asked *= 4

    def weight(self, term: str) -> float:
        """The inverse document frequency of one of `terms.asked`, as BM25 takes it."""
        with_it = self._one("SELECT count(*) FROM words WHERE words MATCH ?", (terms.match([term]),))
        total = self._one("SELECT count(*) FROM unit")
        return max(math.log((total - with_it + 0.5) / (with_it + 0.5)), SMALLEST_SCORE) if total else 1.0

    def ranked(
        self,
        moment: datetime,
        limit: int | None = None,
        *,
        categories: Collection[str] = (),
        said: tuple[str, str] = ("", ""),
    ) -> list[Ranked]:
        """The active memories by effective score at the moment, then importance, then the later said, then id. Only
        those of the categories, and only those said within [said[0], said[1]) (stamps), where these are given."""
        values = {
            "day": day_number(moment),
            "floor": math.log(max(self._config.thresholds.floor, SMALLEST_SCORE)),
            "categories": orjson.dumps([*categories]).decode(),
            "since": said[0],
            "until": said[1],
            "limit": -1 if limit is None else limit,
        }
        rows = self._database.rows(RANKED, values)
        return [Ranked(key, math.exp(score), importance, line) for key, score, importance, line in rows]

    def memories(self, ids: Collection[str]) -> dict[str, tuple[Pool, Fact]]:
        """The memories with these ids, of either pool."""
        sql = "SELECT id, pool, line FROM memory WHERE id IN (SELECT value FROM json_each(?))"
        rows = self._database.rows(sql, (orjson.dumps([*ids]).decode(),))
        return {key: (pool, from_line(line)) for key, pool, line in rows}

    def line_number(self, memory_id: str) -> int:
        """The line on which the memory stands in its file (sorted by id), 1-based; 0 when it is not indexed."""
        return self._one(LINE_NUMBER, {"id": memory_id})

    def counts(self) -> dict[str, int]:
        """How many there are: `active fact`, `archive belief`, … (pool and kind), `entities` and `categories` of
        active memories, and `messages` and `passages`. Counted when something was written: an idle night asks and
        waits not."""
        counts: dict[str, int] = orjson.loads(self._meta("counts") or b"{}")
        return counts or self._counted()

    def _counted(self) -> dict[str, int]:
        found = {f"{pool} {kind}": 0 for pool in POOLS for kind in TYPES}
        found |= {
            f"{pool} {kind}": count
            for pool, kind, count in self._database.rows("SELECT pool, kind, count(*) FROM memory GROUP BY pool, kind")
        }
        found |= {name: self._one(sql) for name, sql in TALLIES.items()}
        for name, scope in (("messages", "session"), ("passages", "note")):
            found[name] = self._one("SELECT count(*) FROM unit WHERE number BETWEEN ? AND ?", _range(scope))
        return found

    def note_digests(self) -> dict[str, str]:
        """The notes that are indexed, by name, and the `note_digest` of each."""
        return dict(self._database.rows("SELECT path, digest FROM note"))

    def _one(self, sql: str, values: Any = ()) -> int:
        return int(self._database.rows(sql, values)[0][0])

    # The dump

    def keywords(self) -> dict[str, list[str]]:
        """keywords.json: entities, slot values and Latin words of active memories, and the ids that have them."""
        found: dict[str, list[str]] = defaultdict(list)
        entities = self._entities()
        for key, value, text in self._database.rows(TEXTS, (SCOPES["memory"],)):
            for word in terms.keywords(text).union(entities.get(key, ()), [value] if value else []):
                found[word].append(key)
        return dict(sorted(found.items()))

    def timeline(self) -> dict[str, list[str]]:
        """timeline.json: local dates, and the ids of the active memories said then."""
        rows = self._database.rows(DAYS)
        return {day: [key for _, key in group] for day, group in groupby(rows, itemgetter(0))}

    def relations(self) -> dict[str, dict[str, Any]]:
        """relations.json: entities, the ids of their active memories, and how often others are named with them."""
        memories: dict[str, list[str]] = defaultdict(list)
        related: dict[str, Counter[str]] = defaultdict(Counter)
        for key, names in self._entities().items():
            for name in names:
                memories[name].append(key)
            for one, other in permutations(names, 2):
                related[one][other] += 1
        return {
            name: {"memories": ids, "related": dict(sorted(related[name].items()))}
            for name, ids in sorted(memories.items())
        }

    def _entities(self) -> dict[str, list[str]]:
        """The entities of every active memory, in the order of ids."""
        rows = self._database.rows(ENTITIES)
        return {key: [entity for _, entity in group] for key, group in groupby(rows, itemgetter(0))}

    def content(self, *, notes: bool = True) -> Iterator[bytes]:
        """All that is in it, as lines in a fixed order: equal for indexes that were filled with the same things.
        Without `notes`, what comes from them is left out: they may change by day, before the next night indexes
        them."""
        for name, sql in CONTENT.items():
            for row in self._database.rows(sql) if notes or name not in ("note", "word") else ():
                if notes or name != "unit" or row[0] != SCOPES["note"]:
                    yield f"{name} {row!r}\n".encode()


def note_digest(text: str) -> str:
    """What tells two versions of a note apart."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def _range(scope: str) -> tuple[int, int]:
    """The first and last number that a unit of the scope can have."""
    first = SCOPES[scope] << SCOPE_BITS
    return first, first + (1 << SCOPE_BITS) - 1


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch
