"""Active memories by their keys, by what they say and by when they leave, for a store: in memory, or where there are
very many from `layer2/index/keys.sqlite`. That is derived: it says for which commit, rules and configuration it
holds, and is made anew for others. Its keys are hashed: it holds no word of any memory."""

from __future__ import annotations

import hashlib
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from functools import cached_property
from itertools import zip_longest
from pathlib import Path

import orjson

from memory_system.config import Config
from memory_system.disk import Files
from memory_system.records import Row
from memory_system.store import retention
from memory_system.store.database import IN_MEMORY, Database, StaleIndexError, batches
from memory_system.store.gist import gist_of
from memory_system.store.journal import Change
from memory_system.store.keys import (
    BEGINNING,
    MANY,
    Accept,
    AlikeKey,
    Found,
    Key,
    Likeness,
    keys_of,
    keys_of_row,
    newest_of,
)

CATALOGUE_VERSION = 3
StandsFor = tuple[str, str]  # the rules, and the hash of the commit in the journal
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE memory (number INTEGER PRIMARY KEY, id TEXT UNIQUE, leaves TEXT);
CREATE VIRTUAL TABLE held USING fts5 (keys, content='', columnsize=0, detail=none, tokenize='ascii');
CREATE VIRTUAL TABLE posting USING fts5vocab (held, instance);
INSERT INTO held (held, rank) VALUES ('hashsize', 16777216);
"""
HOLDERS = "SELECT id FROM memory WHERE number IN (SELECT rowid FROM held WHERE held MATCH ? LIMIT ?) ORDER BY id"


class Loaded:
    """A lookup over the active memories that `rows` gives, each as it stands in its file. What finds them by their keys
    or their words is made when somebody first asks: the last night of a run has nobody left who would. Ids come in the
    order of ids. `move` follows a commit: a change must tell how the memory was when it was put in."""

    def __init__(self, rows: Callable[[], Iterator[Row]], config: Config) -> None:
        self._rows = rows
        self._config = config
        self._leaves = {row["id"]: retention.leaves_at(row, config) for row in rows()}

    @cached_property
    def _ids(self) -> dict[Key, list[str]]:
        ids: dict[Key, list[str]] = defaultdict(list)
        for row in self._rows():
            for key in keys_of_row(row):
                insort(ids[key], row["id"])
        return ids

    @cached_property
    def _likeness(self) -> Likeness:
        return Likeness(self._rows())

    def find(self, key: Key) -> list[str]:
        return self._ids.get(key, [])[:]

    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept) -> Found:
        return self._likeness.find(keys, accept)

    def leaving_before(self, stamp: str) -> list[str]:
        return sorted(key for key, leaves in self._leaves.items() if leaves and leaves <= stamp)

    def next_leaving(self) -> str:
        return min(filter(None, self._leaves.values()), default="")

    def move(self, changes: Iterable[Change], head: str) -> None:  # noqa: ARG002 - a catalogue notes it
        likeness = self.__dict__.get("_likeness")
        for change in changes:
            before, after = active_rows(change)
            self._leaves.pop(change.id, None)
            if after:
                self._leaves[change.id] = retention.leaves_at(after, self._config)
            if "_ids" in self.__dict__:
                self._renew(change.id, before, after)
            if likeness and after:
                likeness.note(after)
            elif likeness:
                likeness.drop(change.id)

    def _renew(self, memory_id: str, before: Row | None, after: Row | None) -> None:
        old = set(keys_of_row(before)) if before else set()
        new = set(keys_of_row(after)) if after else set()
        for key in old - new:
            held = self._ids[key]
            del held[bisect_left(held, memory_id)]
        for key in new - old:
            insort(self._ids[key], memory_id)

    def close(self) -> None:
        """There is nothing to close."""


def active_rows(change: Change) -> tuple[Row | None, Row | None]:
    """The memory before and after a change, where it was and is active."""
    before = orjson.loads(change.before) if change.before and change.before_pool == "active" else None
    after = orjson.loads(change.after) if change.after and change.after_pool == "active" else None
    return before, after


class Catalogue:
    """The same in a file, for the commit with which the journal ends; `content_of` gives what a memory says."""

    def __init__(self, database: Database, config: Config, content_of: Callable[[str], str]) -> None:
        self._database = database
        self._config = config
        self._content_of = content_of

    def find(self, key: Key) -> list[str]:
        return self._holders(key, -1)

    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept) -> Found:
        found = {}
        for key in keys:
            ids = self._holders(key, MANY + 1)
            if len(ids) <= MANY:
                found[key] = [each for each in newest_of(ids) if accept(gist_of(self._content_of(each)))]
        return {key: ids for key, ids in found.items() if ids}

    def _holders(self, key: Key | AlikeKey, limit: int) -> list[str]:
        return [each for (each,) in self._database.rows(HOLDERS, (digest(key), limit))]

    def leaving_before(self, stamp: str) -> list[str]:
        sql = "SELECT id FROM memory WHERE leaves <> '' AND leaves <= ? ORDER BY id"
        return [each for (each,) in self._database.rows(sql, (stamp,))]

    def next_leaving(self) -> str:
        [(first,)] = self._database.rows("SELECT min(leaves) FROM memory WHERE leaves <> ''")
        return first or ""

    def move(self, changes: Iterable[Change], head: str) -> None:
        with self._database.transaction():
            for change in changes:
                before, after = active_rows(change)
                if before:
                    self._take_out(before)
                if after:
                    _put(self._database, [after], self._config)
            self._database.run("UPDATE meta SET value = ? WHERE key = 'head'", [(head,)])

    def _take_out(self, row: Row) -> None:
        sql = "INSERT INTO held (held, rowid, keys) SELECT 'delete', number, ? FROM memory WHERE id = ?"
        self._database.run(sql, [(tokens(row), row["id"])])
        self._database.run("DELETE FROM memory WHERE id = ?", [(row["id"],)])

    def holds(self, rows: Iterable[Row]) -> bool:
        """Whether it holds these memories and nothing else."""
        with closing(Database(IN_MEMORY)) as fresh:
            fill(fresh, ("", ""), rows, self._config)
            return all(one == other for one, other in zip_longest(content(self._database), content(fresh)))

    def close(self) -> None:
        self._database.close()


Lookup = Loaded | Catalogue  # what a store asks


def catalogue_in(
    path: Path, stands_for: StandsFor, config: Config, content_of: Callable[[str], str]
) -> Catalogue | None:
    """The catalogue in the file; None when it is damaged, or stands for another commit or rules."""
    with suppress(StaleIndexError), ExitStack() as to_close:
        database = to_close.enter_context(closing(Database(path)))
        if dict(database.rows("SELECT key, value FROM meta")) == _meta(*stands_for):
            to_close.pop_all()
            return Catalogue(database, config, content_of)
    return None


def make_catalogue(path: Path, stands_for: StandsFor, rows: Iterable[Row], config: Config, files: Files) -> None:
    """Make the catalogue of these active memories, in place of the file that is there."""
    with Database.replacing(path, files) as database:
        fill(database, stands_for, rows, config)


def fill(database: Database, stands_for: StandsFor, rows: Iterable[Row], config: Config) -> None:
    """Put the active memories into an empty database."""
    database.script(SCHEMA)
    with database.transaction():
        database.run("INSERT INTO meta VALUES (?, ?)", _meta(*stands_for).items())
        for batch in batches(rows):
            _put(database, batch, config)


def content(database: Database) -> Iterator[tuple[str, str]]:
    """All that it holds, in a fixed order: equal for catalogues of the same memories."""
    yield from database.rows("SELECT id, leaves FROM memory ORDER BY id")
    yield from database.rows("SELECT term, id FROM posting JOIN memory ON number = doc ORDER BY term, id")


def _meta(rules: str, head: str) -> dict[str, str]:
    return {"rules": f"{CATALOGUE_VERSION} {rules}", "head": head}


def _put(database: Database, rows: list[Row], config: Config) -> None:
    leaving = ((row["id"], retention.leaves_at(row, config)) for row in rows)
    database.run("INSERT INTO memory (id, leaves) VALUES (?, ?)", leaving)
    database.run(
        "INSERT INTO held (rowid, keys) SELECT number, ? FROM memory WHERE id = ?",
        ((tokens(row), row["id"]) for row in rows),
    )


def tokens(row: Row) -> str:
    """The hashed keys of a memory."""
    content = row["content"]
    alike = keys_of(content, row.get("attribute", ""), row.get("value", ""))
    keys = dict.fromkeys((*keys_of_row(row), *alike, *gist_of(content).words[:BEGINNING]))
    return " ".join(map(digest, keys))


def digest(key: Key | AlikeKey) -> str:
    """The same for the same key in every process."""
    return hashlib.blake2b(repr(key).encode(errors="surrogatepass"), digest_size=7).hexdigest()
