"""One SQLite file that can be derived again: never created by opening, replaced whole, its errors turned into ours."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

from memory_system.disk import Files, is_regular
from memory_system.errors import LockedError, MemorySystemError, UnwritableError, WorkspaceError

Item = TypeVar("Item")
BATCH = 4_000  # rows written or read at a time
LOCK_SECONDS = 30.0
IN_MEMORY = Path(":memory:")
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_UNWRITABLE = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR})


class StaleIndexError(WorkspaceError):
    """The search index is missing, damaged, or of another version or configuration; it can be rebuilt."""

    hint = "build it anew with: memory rebuild-index"


class Database:
    """A connection. `rows` and `run` raise StaleIndexError, LockedError or UnwritableError, never a sqlite3.Error."""

    def __init__(self, path: Path, wait: float = LOCK_SECONDS) -> None:
        """The database in the file, which must exist (or `IN_MEMORY`). SQLite may write to it, so that it can undo what
        a killed writer left; `PRAGMA query_only` is for readers. LockedError after `wait` seconds."""
        if path != IN_MEMORY and not is_regular(path):
            raise StaleIndexError(f"there is no search index at {path}")
        self.path = path
        address = "file::memory:" if path == IN_MEMORY else f"{path.absolute().as_uri()}?mode=rw"
        with _explained(path):
            self._connection = sqlite3.connect(address, timeout=wait, isolation_level=None, uri=True)

    def close(self) -> None:
        self._connection.close()

    def function(self, name: str, function: Callable[..., str | bool], texts: int) -> None:
        """Let SQL call a pure function of so many texts."""
        self._connection.create_function(name, texts, function, deterministic=True)

    def rows(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        with _explained(self.path):
            return self._connection.execute(sql, values).fetchall()

    def run(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        with _explained(self.path):
            self._connection.executemany(sql, rows)

    def script(self, sql: str) -> None:
        with _explained(self.path):
            self._connection.executescript(sql)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One state for all that is asked inside, and one lock for it."""
        if self._connection.in_transaction:
            yield
            return
        self.rows("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):  # nothing was written
                self._connection.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside, or nothing."""
        self.rows("BEGIN IMMEDIATE")
        try:
            yield
            self.rows("COMMIT")
        except BaseException:  # Ctrl-C too must leave nothing half done
            with suppress(sqlite3.Error):  # SQLite may have rolled back already
                self._connection.execute("ROLLBACK")
            raise

    @classmethod
    @contextmanager
    def replacing(cls, path: Path, files: Files) -> Iterator[Self]:
        """A new, empty database that takes the place of the file at the end, whole; on an error nothing changes."""
        new = path.with_name(f".{path.name}.new")
        files.replace(new, b"", durable=False)  # made here, for its rights
        try:
            database = cls(new)
            try:
                database.rows("PRAGMA journal_mode=OFF")  # nothing to undo: the file is thrown away
                yield database
            finally:
                database.close()
            journal = path.with_name(f"{path.name}-journal")
            if os.path.lexists(journal):  # a killed writer left it; SQLite would undo its changes in the new file
                files.remove(path)
                files.remove(journal)
            files.rename(new, path)
        finally:
            files.remove(new)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        raise _as_ours(error, path) from error
    except UnicodeDecodeError as error:  # what SQLite says of a damaged file quotes its bytes
        raise StaleIndexError(f"the search index {path} is damaged: {error}") from error


def _as_ours(error: sqlite3.Error, path: Path) -> MemorySystemError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF  # without the extended part
    if code in _BUSY:
        return LockedError(f"another program holds the search index {path}: {error}")
    if code in _UNWRITABLE:
        return UnwritableError(f"the search index {path} cannot be used: {error}")
    if "no such module: fts5" in str(error):
        return MemorySystemError(
            "this Python's SQLite was built without FTS5, which search needs",
            "use a Python whose sqlite3 has it: your system's, python.org's or uv's",
        )
    return StaleIndexError(f"the search index {path} is damaged: {error}")


def batches(items: Iterable[Item], size: int = BATCH) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
