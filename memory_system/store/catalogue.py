"""`layer2/index/keys.sqlite`: the lookup of a store that holds very many memories, so that a night need not read them
all. Derived: it says for which commit, rules and configuration it holds, and where that is another it is made anew.
Keys are hashed: it holds no word of any memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from itertools import zip_longest
from pathlib import Path

from memory_system.config import Config
from memory_system.disk.files import Files
from memory_system.records import Row
from memory_system.store import retention
from memory_system.store.database import IN_MEMORY, Database, StaleIndexError, batches
from memory_system.store.entries import Change
from memory_system.store.gist import Gist, gist_of
from memory_system.store.keys import Key, keys_of_row
from memory_system.store.likeness import BEGINNING, MANY, Accept, AlikeKey, Found, keys_of, newest_of
from memory_system.store.lookup import active_rows

VERSION = 1
StandsFor = tuple[str, str]  # the rules, and the hash of the commit in the journal
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE memory (number INTEGER PRIMARY KEY, id TEXT UNIQUE, leaves TEXT);
CREATE VIRTUAL TABLE held USING fts5 (keys, content='', columnsize=0, detail=none, tokenize='ascii');
CREATE VIRTUAL TABLE posting USING fts5vocab (held, instance);
INSERT INTO held (held, rank) VALUES ('hashsize', 16777216);
"""
HOLDERS = "SELECT id FROM memory WHERE number IN (SELECT rowid FROM held WHERE held MATCH ? LIMIT ?) ORDER BY id"


class Catalogue:
    """A lookup in a file. `gist_of_id` gives the gist of an active memory."""

    def __init__(self, database: Database, config: Config, gist_of_id: Callable[[str], Gist]) -> None:
        self._database = database
        self._config = config
        self._gist_of_id = gist_of_id

    def find(self, key: Key) -> list[str]:
        return self._holders(key, -1)

    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept) -> Found:
        found = {key: self._holders(key, MANY + 1) for key in keys}
        return {
            key: (len(ids), [each for each in newest_of(ids) if accept(self._gist_of_id(each))])
            for key, ids in found.items()
            if 0 < len(ids) <= MANY
        }

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


def opened(path: Path, stands_for: StandsFor, config: Config, gist_of_id: Callable[[str], Gist]) -> Catalogue | None:
    """The catalogue in the file; None when it is damaged, or stands for another commit or rules."""
    with suppress(StaleIndexError), ExitStack() as to_close:
        database = to_close.enter_context(closing(Database(path)))
        if dict(database.rows("SELECT key, value FROM meta")) == _meta(*stands_for):
            to_close.pop_all()
            return Catalogue(database, config, gist_of_id)
    return None


def make(path: Path, stands_for: StandsFor, rows: Iterable[Row], config: Config, files: Files) -> None:
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
    return {"rules": f"{VERSION} {rules}", "head": head}


def _put(database: Database, rows: list[Row], config: Config) -> None:
    leaving = ((row["id"], retention.leaves_at(row, config)) for row in rows)
    database.run("INSERT INTO memory (id, leaves) VALUES (?, ?)", leaving)
    database.run(
        "INSERT INTO held (rowid, keys) SELECT number, ? FROM memory WHERE id = ?",
        ((tokens(row), row["id"]) for row in rows),
    )


def tokens(row: Row) -> str:
    """The hashed keys of a memory, by which it is found."""
    content = row["content"]
    alike = keys_of(content, row.get("attribute", ""), row.get("value", ""))
    keys = dict.fromkeys((*keys_of_row(row), *alike, *gist_of(content).words[:BEGINNING]))
    return " ".join(map(digest, keys))


def digest(key: Key | AlikeKey) -> str:
    """The same for the same key in every process."""
    return hashlib.blake2b(repr(key).encode(errors="surrogatepass"), digest_size=7).hexdigest()
