"""OpenClaw's live store as its 2026.9 releases make it (agent schema 23), with the tables and columns that matter."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import zstandard

FILE = "openclaw-agent.sqlite"
SCHEMA = """
CREATE TABLE session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL, archived_at INTEGER) STRICT;
CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, hook_external_content_source TEXT,
  chat_type TEXT CHECK (chat_type IS NULL OR chat_type IN ('direct', 'group', 'channel'))) STRICT;
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB,
  event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq),
  CHECK ((event_json IS NULL) != (event_zstd IS NULL))) STRICT;
CREATE TABLE session_transcript_index_state (
  session_id TEXT NOT NULL PRIMARY KEY, indexed_seq INTEGER NOT NULL, leaf_event_id TEXT,
  needs_rebuild INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE session_transcript_active_events (
  session_id TEXT NOT NULL, active_position INTEGER NOT NULL, event_seq INTEGER NOT NULL, message_position INTEGER,
  context_eligible INTEGER, PRIMARY KEY (session_id, active_position)) STRICT;
CREATE TABLE session_transcript_archives (
  session_id TEXT NOT NULL, generation TEXT NOT NULL, session_key TEXT NOT NULL, reason TEXT NOT NULL,
  encoding TEXT NOT NULL, archive_blob BLOB NOT NULL, archive_name TEXT NOT NULL, created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, generation)) STRICT;
CREATE TABLE session_transcript_cold_archives (
  session_id TEXT NOT NULL PRIMARY KEY, generation TEXT NOT NULL, archive_name TEXT NOT NULL UNIQUE,
  event_count INTEGER NOT NULL, last_seq INTEGER NOT NULL, archived_at INTEGER NOT NULL,
  storage TEXT NOT NULL CHECK (storage IN ('file', 'sqlite')), archive_blob BLOB) STRICT;
CREATE TABLE transcript_rewrite_watermarks (
  session_id TEXT NOT NULL PRIMARY KEY, generation TEXT NOT NULL, updated_at INTEGER NOT NULL) STRICT;
CREATE TABLE memory_session_tombstones (
  session_id TEXT NOT NULL PRIMARY KEY, agent_id TEXT NOT NULL, reason TEXT NOT NULL, created_at INTEGER NOT NULL
) STRICT;
"""
MADE = 1_771_405_200_000  # 2026-02-18T09:00:00Z, when every event was written


class Store:
    """A store that its host has open; `path` may be `:memory:`."""

    def __init__(self, path: Path | str, version: int = 23) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)
        if not self.db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.executescript(SCHEMA)
        self.db.execute(f"PRAGMA user_version = {version}")

    def session(
        self, ident: str, key: str = "agent:main:main", chat: str | None = None, hook: str | None = None
    ) -> None:
        self.db.execute(
            "INSERT OR IGNORE INTO session_windows VALUES (?,?,?,?,?,?)", (ident, key, MADE, MADE, hook, chat)
        )
        self.db.execute("INSERT OR IGNORE INTO transcript_rewrite_watermarks VALUES (?, 'first', ?)", (ident, MADE))

    def add(self, ident: str, events: Iterable[Mapping[str, Any]], *, packed: bool = False) -> None:
        """Append events, as plain text or packed with zstd."""
        count = self.db.execute("SELECT COUNT(*) FROM transcript_events WHERE session_id = ?", (ident,)).fetchone()[0]
        for seq, event in enumerate(events, count):
            text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
            size = len(text.encode())
            row = (None, zstandard.compress(text.encode(), 1)) if packed else (text, None)
            self.db.execute(
                "INSERT INTO transcript_events VALUES (?,?,?,?,?,?,NULL)", (ident, seq, row[0], MADE, row[1], size)
            )

    def index(self, ident: str, active: Sequence[int], *, stale: bool = False) -> None:
        """Say which sequence numbers are on the active branch."""
        last = self.db.execute("SELECT MAX(seq) FROM transcript_events WHERE session_id = ?", (ident,)).fetchone()[0]
        self.db.execute(
            "INSERT OR REPLACE INTO session_transcript_index_state VALUES (?,?,NULL,?,?)", (ident, last, stale, MADE)
        )
        self.db.execute("DELETE FROM session_transcript_active_events WHERE session_id = ?", (ident,))
        for position, seq in enumerate(active):
            self.db.execute(
                "INSERT INTO session_transcript_active_events VALUES (?,?,?,NULL,1)", (ident, position, seq)
            )

    def rewrite(self, ident: str, seq: int, event: Mapping[str, Any], generation: str) -> None:
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
        self.db.execute(
            "UPDATE transcript_events SET event_json = ?, event_zstd = NULL WHERE session_id = ? AND seq = ?",
            (text, ident, seq),
        )
        self.db.execute(
            "UPDATE transcript_rewrite_watermarks SET generation = ? WHERE session_id = ?", (generation, ident)
        )

    def forget(self, ident: str) -> None:
        """What `openclaw memory forget --session` leaves."""
        self.db.execute("INSERT INTO memory_session_tombstones VALUES (?, 'main', 'forgotten', ?)", (ident, MADE))

    def drop(self, ident: str) -> None:
        self.db.execute("DELETE FROM transcript_events WHERE session_id = ?", (ident,))
        self.db.execute("DELETE FROM session_windows WHERE session_id = ?", (ident,))

    def archive(
        self, ident: str, key: str = "agent:main:main", *, packed: bool = True, reason: str = "deleted"
    ) -> None:
        """Remove a session, and keep an archive of it."""
        rows = self.db.execute(
            "SELECT event_json FROM transcript_events WHERE session_id = ? ORDER BY seq", (ident,)
        ).fetchall()
        data = "".join(f"{row[0]}\n" for row in rows).encode()
        kept = ("zstd", zstandard.compress(data, 1)) if packed else ("identity", data)
        name = f"{ident}.jsonl.{reason}.2026-02-18T10-00-00Z.zst"
        self.db.execute(
            "INSERT INTO session_transcript_archives VALUES (?,?,?,?,?,?,?,?)",
            (ident, "g1", key, reason, *kept, name, MADE),
        )
        self.drop(ident)

    def cool(self, ident: str, folder: Path | None = None) -> None:
        """Put a session into cold storage, in the store or as a file of that folder: its events leave their table."""
        rows = self.db.execute(
            "SELECT seq, event_json, created_at FROM transcript_events WHERE session_id = ? ORDER BY seq", (ident,)
        ).fetchall()
        active = self.db.execute(
            "SELECT active_position, event_seq FROM session_transcript_active_events WHERE session_id = ?", (ident,)
        ).fetchall()
        records: list[dict[str, Any]] = [{"kind": "header", "version": 1, "sessionId": ident, "generation": "g1"}]
        records += [
            {"kind": "event", "row": dict(zip(("seq", "event_json", "created_at"), row, strict=True))} for row in rows
        ]
        records += [
            {"kind": "active", "row": dict(zip(("active_position", "event_seq"), row, strict=True))} for row in active
        ]
        if active:
            records.append({"kind": "index", "row": {"indexed_seq": rows[-1][0], "needs_rebuild": 0}})
        data = zstandard.compress("".join(json.dumps(each) + "\n" for each in records).encode(), 1)
        name = f"{hashlib.sha256(data).hexdigest()}.jsonl.zst"
        if folder:
            folder.mkdir(parents=True)
            (folder / name).write_bytes(data)
        self.db.execute(
            "INSERT INTO session_transcript_cold_archives VALUES (?,?,?,?,?,?,?,?)",
            (ident, "g1", name, len(rows), rows[-1][0], MADE, *(("file", None) if folder else ("sqlite", data))),
        )
        self.db.execute("DELETE FROM transcript_events WHERE session_id = ?", (ident,))
        self.db.execute("DELETE FROM session_transcript_active_events WHERE session_id = ?", (ident,))

    def close(self) -> None:
        """As the host does when it stops: the log is folded in and removed."""
        self.db.close()


def image(ident: str, events: Iterable[Mapping[str, Any]]) -> bytes:
    """The bytes of a store with one session."""
    with closing(Store(":memory:")) as store:
        store.session(ident)
        store.add(ident, events)
        return store.db.serialize()
