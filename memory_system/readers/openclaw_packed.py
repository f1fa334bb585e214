"""Sessions that OpenClaw has packed away inside its store: those in cold storage, which it takes back when they are
opened, and the archives of those that were deleted or reset."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memory_system.readers.entries import UnreadableError
from memory_system.readers.lines import ARCHIVE_CAP
from memory_system.readers.zstd import unpack

Row = sqlite3.Row

_COLD = "SELECT session_id, event_count AS size, archived_at AS last FROM session_transcript_cold_archives"
_ARCHIVES = """
SELECT session_id, generation, session_key, length(archive_blob) AS size, created_at AS last
FROM session_transcript_archives ORDER BY session_id, generation
"""


@dataclass(frozen=True, slots=True)
class Events:
    """A session's events: one line of JSON each, when each was written (epoch milliseconds), and the numbers of those
    on the active branch in their order (None: nothing says)."""

    data: bytes
    written: list[int]
    active: list[int] | None


def has(store: sqlite3.Connection, table: str) -> bool:
    """Whether the store has such a table."""
    known = store.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,))
    return known.fetchone() is not None


def cold_ones(store: sqlite3.Connection) -> dict[str, Row]:
    """By session those in cold storage: how many events (`size`), and when they were put there (`last`)."""
    rows = store.execute(_COLD) if has(store, "session_transcript_cold_archives") else ()
    return {row["session_id"]: row for row in rows}


def archives(store: sqlite3.Connection) -> list[Row]:
    """The archives of removed sessions: session, generation, key, bytes (`size`), and when they were made (`last`)."""
    return [*store.execute(_ARCHIVES)] if has(store, "session_transcript_archives") else []


def archived(store: sqlite3.Connection, session: str, generation: str) -> Events:
    """The events of an archive."""
    row = store.execute(
        "SELECT encoding, archive_blob, created_at FROM session_transcript_archives"
        " WHERE session_id = ? AND generation = ?",
        (session, generation),
    ).fetchone()
    data = bytes(row["archive_blob"]) if row else b""
    plain = _unpacked(data) if row and row["encoding"] == "zstd" else data
    lines = [line for line in plain.split(b"\n") if line.strip()]
    return Events(b"".join(line + b"\n" for line in lines), [int(row["created_at"])] * len(lines) if row else [], None)


def cold(store: sqlite3.Connection, session: str, path: Path) -> Events | None:
    """The events of a session in cold storage; None when it is not there. `path` is the store's."""
    if session not in cold_ones(store):
        return None
    row = store.execute(
        "SELECT storage, archive_name, archive_blob FROM session_transcript_cold_archives WHERE session_id = ?",
        (session,),
    ).fetchone()
    held = bytes(row["archive_blob"]) if row["storage"] == "sqlite" else _file(path, str(row["archive_name"]))
    try:
        return _warmed([orjson.loads(line) for line in _unpacked(held).split(b"\n") if line.strip()])
    except (ValueError, KeyError, TypeError) as error:
        hint = "if OpenClaw itself can open it, this program must learn its new form"
        raise UnreadableError(f"what is in cold storage cannot be read: {error!r}", hint) from None


def _warmed(records: list[dict[str, Any]]) -> Events:
    """The events that the records of a cold session hold."""
    events = sorted((each["row"] for each in records if each["kind"] == "event"), key=lambda row: row["seq"])
    number_of = {row["seq"]: number for number, row in enumerate(events, 1)}
    lines = (str(row["event_json"]).encode().replace(b"\n", b" ") + b"\n" for row in events)
    return Events(b"".join(lines), [int(row["created_at"]) for row in events], _active(records, number_of))


def _active(records: list[dict[str, Any]], number_of: dict[int, int]) -> list[int] | None:
    index = next((each["row"] for each in records if each["kind"] == "index"), None)
    if index is None or index["needs_rebuild"] or index["indexed_seq"] < max(number_of, default=0):
        return None
    listed = sorted(
        (each["row"] for each in records if each["kind"] == "active"), key=lambda row: row["active_position"]
    )
    return [number_of[row["event_seq"]] for row in listed if row["event_seq"] in number_of]


def _file(store: Path, name: str) -> bytes:
    """A cold session that lies in a file of its own, beside the transcripts of older releases."""
    agent = store.parent.parent / "sessions" if store.parent.name == "agent" else store.parent
    path = agent / "cold" / Path(name).name
    try:
        return path.read_bytes()
    except OSError as error:
        hint = "restore it from a backup, as OpenClaw itself would need it"
        raise UnreadableError(f"it is in cold storage, and {path} cannot be read: {error.strerror}", hint) from None


def _unpacked(data: bytes) -> bytes:
    try:
        return unpack(data, ARCHIVE_CAP)
    except ValueError as error:
        raise UnreadableError(f"it is packed, and {error}", "restore it from a backup") from None
