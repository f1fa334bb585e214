"""OpenClaw's live store, `openclaw-agent.sqlite`: which sessions it holds, and each of them as the lines of JSON that
its transcript file would have; those, too, that it has packed away: in cold storage, deleted or reset. It is only
looked at: neither it nor its write-ahead log changes, and no file is made beside it, Gateway or not.

Zstd is unpacked by the standard library (Python 3.14), else by the package `zstandard` of the extra `[zstd]`."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import orjson

from memory_system.readers.formats import SHARED, Held, UnreadableError

Row = sqlite3.Row
Keyed = Row | dict[str, Any]  # of the store, or out of what it has packed away

_COLD = "SELECT session_id, event_count AS size, archived_at AS last FROM session_transcript_cold_archives"
_ARCHIVES = """
SELECT session_id, generation, session_key, length(archive_blob) AS size, created_at AS last
FROM session_transcript_archives ORDER BY session_id, generation
"""
ARCHIVE_CAP = 256 << 20  # bytes of a session that is packed with zstd
EVENT_CAP = 4 << 20  # bytes of one event; OpenClaw packs no longer ones
TRIES = 3  # looks at a store that somebody writes to meanwhile
PATIENCE = 5  # seconds for a lock
DAMAGED = b"(an event that cannot be unpacked: %s)"  # no JSON: it is told as a line that cannot be read
T = TypeVar("T")
# By the index of the table alone, but for one row of each session: events may be many gigabytes.
_SIZES = """
SELECT session_id, size,
       (SELECT created_at FROM transcript_events WHERE session_id = each.session_id AND seq = each.last) AS last
FROM (SELECT session_id, COUNT(*) AS size, MAX(seq) AS last FROM transcript_events GROUP BY session_id) AS each
"""


@dataclass(frozen=True, slots=True)
class Events:
    """A session's events: one line of JSON each, when each was written (epoch milliseconds), and the numbers of those
    on the active branch in their order (None: nothing says)."""

    data: bytes
    written: list[int]
    active: list[int] | None


def _rows(store: sqlite3.Connection, table: str, sql: str = "", *values: str) -> list[Row]:
    """All rows of the table, or those of the statement; none where this store has no such table."""
    known = store.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    return store.execute(sql or f"SELECT * FROM {table}", values).fetchall() if known else []  # noqa: S608 - our words


def _keyed(store: sqlite3.Connection, table: str, sql: str = "") -> dict[str, Row]:
    """The same by session."""
    return {row["session_id"]: row for row in _rows(store, table, sql)}


def _archived(store: sqlite3.Connection, held: Held) -> Events:
    sql = "SELECT * FROM session_transcript_archives WHERE session_id = ? AND generation = ?"
    row = store.execute(sql, (held.session, held.archive)).fetchone()
    if row is None:
        return Events(b"", [], None)
    data = bytes(row["archive_blob"])
    plain = unpacked(data) if row["encoding"] == "zstd" else data
    lines = [line for line in plain.split(b"\n") if line.strip()]
    return Events(b"".join(line + b"\n" for line in lines), [int(row["created_at"])] * len(lines), None)


def _cold(store: sqlite3.Connection, session: str, path: Path) -> Events | None:
    """The events of a session in cold storage; None when it is not there. `path` is the store's."""
    table = "session_transcript_cold_archives"
    rows = _rows(store, table, f"SELECT * FROM {table} WHERE session_id = ?", session)  # noqa: S608 - our words
    if not rows:
        return None
    row = rows[0]
    held = bytes(row["archive_blob"]) if row["storage"] == "sqlite" else _file(path, str(row["archive_name"]))
    try:
        return _warmed([orjson.loads(line) for line in unpacked(held).split(b"\n") if line.strip()])
    except (ValueError, KeyError, TypeError) as error:
        hint = "if OpenClaw itself can open it, this program must learn its new form"
        raise UnreadableError(f"what is in cold storage cannot be read: {error!r}", hint) from None


def _warmed(records: list[dict[str, Any]]) -> Events:
    """The events that the records of a cold session hold."""
    rows = {kind: [each["row"] for each in records if each["kind"] == kind] for kind in ("event", "index", "active")}
    events = sorted(rows["event"], key=lambda row: row["seq"])
    active = sorted(rows["active"], key=lambda row: row["active_position"])
    return _in_order(events, next(iter(rows["index"]), None), active)


def _in_order(events: Sequence[Keyed], index: Keyed | None, active: Iterable[Keyed]) -> Events:
    """The events with what the store's index says of their active branch, unless it lags behind them."""
    number_of = {row["seq"]: number for number, row in enumerate(events, 1)}
    told = index is not None and not index["needs_rebuild"] and index["indexed_seq"] >= max(number_of, default=0)
    branch = [number_of[row["event_seq"]] for row in active if row["event_seq"] in number_of] if told else None
    data = b"".join(_line(row) + b"\n" for row in events)
    return Events(data, [int(row["created_at"]) for row in events], branch)


def _file(store: Path, name: str) -> bytes:
    """A cold session that lies in a file of its own, beside the transcripts of older releases."""
    agent = store.parent.parent / "sessions" if store.parent.name == "agent" else store.parent
    path = agent / "cold" / Path(name).name
    try:
        return path.read_bytes()
    except OSError as error:
        hint = "restore it from a backup, as OpenClaw itself would need it"
        raise UnreadableError(f"it is in cold storage, and {path} cannot be read: {error.strerror}", hint) from None


def unpacked(data: bytes) -> bytes:
    try:
        return unpack(data, ARCHIVE_CAP)
    except ValueError as error:
        raise UnreadableError(f"it is packed, and {error}", "restore it from a backup") from None


# a session, how many events it has (an archive: bytes), and a time in nanoseconds; both change when it does
Shelved = tuple[Held, int, int]


def sessions(path: Path, *, removed: bool = False) -> tuple[list[Shelved], int]:
    """The sessions of the store in the order of their ids, and the version of its schema; with `removed` also the
    archives of those that were deleted or reset. OSError when it cannot be read."""
    version = "PRAGMA user_version"
    return _steadily(path, lambda store: (_sessions(store, removed=removed), int(store.execute(version).fetchone()[0])))


def events(path: Path, held: Held) -> Events:
    """All events of one session, or of one archive of it; OSError when they cannot be read."""
    return _steadily(path, lambda store: _events(store, path, held))


def _sessions(store: sqlite3.Connection, *, removed: bool) -> list[Shelved]:
    forgotten = _keyed(store, "memory_session_tombstones")
    windows = _keyed(store, "session_windows")
    rewritten = _keyed(store, "transcript_rewrite_watermarks")
    cold = _keyed(store, "session_transcript_cold_archives", _COLD)
    found = cold | {row["session_id"]: row for row in store.execute(_SIZES)}
    live = [
        _shelved(each, found.get(each), windows.get(each), rewritten.get(each), forgotten=each in forgotten)
        for each in sorted({*found, *forgotten})
    ]
    for row in _rows(store, "session_transcript_archives", _ARCHIVES) if removed else ():
        held = Held(str(row["session_id"]), str(row["session_key"]), archive=str(row["generation"]))
        live.append((held, int(row["size"]), int(row["last"]) * 1_000_000))
    return live


def _shelved(session: str, size: Row | None, window: Row | None, rewritten: Row | None, *, forgotten: bool) -> Shelved:
    key = str(window["session_key"]) if window else ""
    held = Held(session, key, _reason(window) if window else "", forgotten)
    last = int(size["last"] or 0) * 1_000_000 if size else 0
    return held, int(size["size"] or 0) if size else 0, last + _generation(rewritten)


def _reason(window: Row) -> str:
    """Why the session is no source, as far as the store says it beside the key."""
    if window["hook_external_content_source"]:
        return "hook"
    chat = str(window["chat_type"])
    return chat if chat in SHARED else ""


def _generation(rewritten: Row | None) -> int:
    """Less than a millisecond, in nanoseconds, and another one each time the store rewrites the session."""
    if rewritten is None:
        return 0
    return int.from_bytes(hashlib.blake2b(str(rewritten["generation"]).encode(), digest_size=8).digest()) % 1_000_000


def _events(store: sqlite3.Connection, path: Path, held: Held) -> Events:
    if held.archive:
        return _archived(store, held)
    session = held.session
    sql = "SELECT seq, event_json, event_zstd, created_at FROM transcript_events WHERE session_id = ? ORDER BY seq"
    rows = store.execute(sql, (session,)).fetchall()
    if not rows and (packed := _cold(store, session, path)):
        return packed
    sql = "SELECT * FROM session_transcript_index_state WHERE session_id = ?"
    index = store.execute(sql, (session,)).fetchone()
    sql = "SELECT event_seq FROM session_transcript_active_events WHERE session_id = ? ORDER BY active_position"
    return _in_order(rows, index, store.execute(sql, (session,)))


def _line(row: Keyed) -> bytes:
    """The event as one line. What cannot be unpacked becomes a line that is none, and is told as such."""
    if row["event_json"] is not None:
        return str(row["event_json"]).encode().replace(b"\n", b" ")
    try:
        return unpack(bytes(row["event_zstd"] or b""), EVENT_CAP).replace(b"\n", b" ")
    except ValueError as error:
        return DAMAGED % str(error).encode()


def _steadily(path: Path, look: Callable[[sqlite3.Connection], T]) -> T:
    """What `look` finds in the store; looked at again when somebody wrote to it meanwhile."""
    for _ in range(TRIES):
        before, logged = _stamp(path), _is_logged(path)
        try:
            with _opened(path, logged=logged) as store:
                found = look(store)
        except (sqlite3.Error, IndexError, UnicodeDecodeError) as error:  # an error may quote bytes that are no text
            if _stamp(path) == before:
                hint = "if OpenClaw itself can read it (openclaw doctor), this program must learn its new form"
                raise UnreadableError(f"it cannot be read as OpenClaw's store: {error}", hint) from None
        else:
            if logged or (_stamp(path) == before and not _is_logged(path)):
                return found
    raise UnreadableError("it is being written all the time", "run it again when OpenClaw is less busy")


@contextmanager
def _opened(path: Path, *, logged: bool) -> Iterator[sqlite3.Connection]:
    """The store at one moment: with a log as SQLite reads it beside a writer, without one as a file that nobody
    changes; a log that has lost its index is read from a copy, because SQLite would make the index."""
    if not logged:
        with closing(_connect(path, "immutable=1")) as store:
            yield store
    elif _beside(path, "-shm").exists():
        with closing(_connect(path, "mode=ro")) as store:
            store.execute("BEGIN")
            yield store
    else:
        with tempfile.TemporaryDirectory(prefix="memory-system-") as folder:
            for each in (path, _beside(path, "-wal")):
                shutil.copyfile(each, Path(folder, each.name))
            with closing(_connect(Path(folder, path.name), "mode=ro")) as store:
                yield store


def _connect(path: Path, how: str) -> sqlite3.Connection:
    store = sqlite3.connect(f"file:{quote(str(path))}?{how}", uri=True, timeout=PATIENCE)
    store.row_factory = sqlite3.Row
    store.text_factory = lambda text: text.decode(errors="replace")
    return store


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _is_logged(path: Path) -> bool:
    """Whether a write-ahead log with content stands beside the store."""
    return _stamp(_beside(path, "-wal"))[0] > 0


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of change; zeros when there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def unpack(data: bytes, most: int) -> bytes:
    """The bytes, at most so many; ValueError: damaged or more, UnreadableError: nothing here can unpack them."""
    zstd = _zstd()
    try:
        # the package would make room for whatever the frame says
        is_long = hasattr(zstd, "frame_content_size") and zstd.frame_content_size(data) > most
        plain: bytes = b"" if is_long else zstd.ZstdDecompressor().decompress(data, most + 1)
    except zstd.ZstdError as error:
        raise ValueError(f"its packed form is damaged: {error}") from None
    if is_long or len(plain) > most:
        raise ValueError(f"it is longer than {most >> 20} MB")
    return plain


def _zstd() -> Any:
    """The package, else what Python brings along."""
    for name in ("zstandard", "compression.zstd"):
        with suppress(ImportError):
            return import_module(name)
    hint = "install what unpacks it: pip install 'memory-system[zstd]'"
    raise UnreadableError("it holds events packed with zstd, and nothing here unpacks them", hint)
