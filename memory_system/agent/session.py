"""A transcript as rows, and a session that is being written: in OpenClaw's form, each record durable before the next
one follows. What is known of it beside that (counts of tokens, of flushes and compactions) stands in
`sessions/sessions.json`, by its key, in OpenClaw's words. When it is reset it leaves a note behind (seed 004), which is
a copy: no night makes memories of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.disk import Files, is_regular
from memory_system.errors import NotFoundError, UnwritableError, UsageError
from memory_system.layout import Layout
from memory_system.privacy.secrets import redact, without_secrets
from memory_system.readers import formats
from memory_system.readers.transcript import Lines, json_rows, open_regular
from memory_system.text import shortened
from memory_system.workspace import Workspace

VERSION = 4
Row = dict[str, Any]
Entry = dict[str, Any]
SPEAKERS = ("user", "assistant")
NEW: Entry = {
    "chatType": "direct",
    "compactionCount": 0,
    "memoryFlushAt": None,
    "memoryFlushCompactionCount": None,
    "inputTokens": 0,
    "outputTokens": 0,
    "contextTokens": 0,
}
NOTE = """# Session: {at} UTC

- **Session Key**: {key}
- **Session ID**: {session}
- **Source**: chat

## Conversation Summary

{told}
"""
SUMMARISED = 15
LONGEST_SUMMARISED = 1_000  # characters of one message


def read_rows(path: Path) -> list[Row]:
    """The objects in the file, packed or not; what is none, such as a torn last line, is left out."""
    with open_regular(path) as (stream, _):
        return [row for _, row in json_rows(Lines(stream)) if isinstance(row, dict)]


def branch(rows: Sequence[Row]) -> list[Row]:
    """The rows of the branch that is active, in order, without the header. A row that names no parent, or one that
    nobody knows, follows the row before it."""
    rows = [row for row in rows if row.get("type") != "session"]
    places: dict[Any, int] = {}
    parents: list[int] = []
    tip = -1
    for number, row in enumerate(rows):
        moves = row.get("type") == "leaf"
        named = row.get("targetId" if moves else "parentId", "")
        parent = -1 if named is None else places.get(named, tip) if isinstance(named, str) else tip
        parents.append(parent)
        tip = parent if moves else number
        if not moves and isinstance(row.get("id"), str):
            places.setdefault(row["id"], number)
    found: list[Row] = []
    while tip >= 0:
        found.append(rows[tip])
        tip = parents[tip]
    return found[::-1]


def in_context(rows: Sequence[Row]) -> list[Row]:
    """What a model still sees of a branch: the last summary, if there is one, and the rows that were kept with it. A
    reset begins anew."""
    place = next((n for n in range(len(rows) - 1, -1, -1) if rows[n].get("type") in ("compaction", "reset")), None)
    if place is None:
        return list(rows)
    mark, kept = rows[place], str(rows[place].get("firstKeptEntryId") or "")
    first = next((n for n in range(place) if rows[n].get("id") == kept), place)
    summary = [mark] if mark.get("type") == "compaction" else []
    return [*summary, *(row for row in rows[first:] if row.get("type") not in ("compaction", "reset"))]


def message_of(row: Row) -> Row:
    """The message in the row; {} when it holds none."""
    body = row.get("message") if row.get("type") == "message" else None
    return body if isinstance(body, dict) else {}


def blocks_of(message: Row) -> list[Row]:
    """The content of a message as blocks."""
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []


def text_of(message: Row) -> str:
    return formats.text_of(message.get("content")) or ""


def user_message(said: str) -> Row:
    return {"role": "user", "content": [{"type": "text", "text": said}]}


class Session:
    """A transcript and the rows of its active branch. Secrets are masked in the file, not in the rows that are held."""

    def __init__(self, path: Path, session_id: str, rows: list[Row], files: Files) -> None:
        self.path = path
        self.id = session_id
        self.rows = rows
        self._files = files

    @classmethod
    def begin(cls, layout: Layout, now: datetime, files: Files) -> Session:
        """A new session. Its file is made with the first message, so that a chat in which nothing is said leaves
        none."""
        session_id = f"chat-{now:%Y-%m-%d}-{uuid.uuid4().hex[:8]}"
        return cls(layout.sessions / f"{session_id}.jsonl", session_id, [], files)

    @classmethod
    def resume(cls, path: Path, files: Files) -> Session:
        """The session in the file, to be gone on with; NotFoundError when there is none, UsageError for one that cannot
        be appended to."""
        if path.name.endswith(".gz"):
            raise UsageError(f"{path.name} is archived", "begin a new session; the archive stays readable")
        if not is_regular(path):
            raise NotFoundError(f"there is no session {path.name}")
        rows = read_rows(path)
        head = rows[0] if rows and rows[0].get("type") == "session" else {}
        return cls(path, str(head.get("id") or path.stem), branch(rows), files)

    def message(self, message: Mapping[str, Any], at: datetime) -> Row:
        """Append a message; its row."""
        timed = {**message, "timestamp": int(at.timestamp() * 1000)}
        return self.append({"type": "message", "message": timed}, at)

    def append(self, fields: Mapping[str, Any], at: datetime) -> Row:
        """Append a record, durably, under a new id; it follows the one before it."""
        parent = self.rows[-1].get("id") if self.rows else None
        row = {"id": uuid.uuid4().hex[:16], "parentId": parent, "timestamp": _stamp(at), **fields}
        head = {"type": "session", "version": VERSION, "id": self.id, "timestamp": _stamp(at), "cwd": str(Path.cwd())}
        lines = [] if self.path.exists() else [head]
        self._files.make_folder(self.path.parent)
        self.rows.append(row)  # first: an interrupt after the write must not leave it out
        try:
            self._files.append(
                self.path, b"".join(orjson.dumps(without_secrets(each)) + b"\n" for each in (*lines, row))
            )
        except UnwritableError:
            self.rows.pop()
            raise
        return row


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds")[:23] + "Z"


def key_of(session_id: str) -> str:
    """The key of a session of ours."""
    return f"agent:main:chat:{session_id}"


def register(ws: Workspace) -> dict[str, Entry]:
    """The register by key; DamagedError when the file is none."""
    found = ws.files.read_object(ws.layout.sessions / "sessions.json")
    return {key: each for key, each in found.items() if isinstance(each, dict)}


def entry_of(ws: Workspace, session_id: str) -> Entry:
    """What is registered of the session; the numbers of a new one where nothing is."""
    mine = (each for each in register(ws).values() if each.get("sessionId") == session_id)
    return {**NEW, "sessionId": session_id, **next(mine, {})}


def update_entry(
    ws: Workspace, session_id: str, now: datetime, *, tokens: tuple[int, int] = (0, 0), **changed: Any
) -> None:
    """Change what is registered; `tokens` (input, output) are added to the sums. Safe beside other programs."""
    path = ws.layout.sessions / "sessions.json"
    with ws.files.locked(ws.layout.sessions_lock, clock.stamp(now)):
        whole = ws.files.read_object(path)
        named = (key for key, each in whole.items() if isinstance(each, dict) and each.get("sessionId") == session_id)
        key = next(named, key_of(session_id))
        mine = {**NEW, "sessionId": session_id, **whole.get(key, {}), **changed, "updatedAt": clock.stamp(now)}
        mine["inputTokens"] += tokens[0]
        mine["outputTokens"] += tokens[1]
        ws.files.replace(path, orjson.dumps({**whole, key: mine}, option=orjson.OPT_INDENT_2) + b"\n")


def write_summary(ws: Workspace, rows: Sequence[Row], *, key: str, session_id: str) -> str:
    """Write the note of a session's rows; its name, empty when nothing was said."""
    said = list(_last_words(rows))[-SUMMARISED:]
    if not said:
        return ""
    path, told = _free(ws), "\n".join(said)
    text = NOTE.format(at=f"{ws.now:%Y-%m-%d %H:%M:%S}", key=key, session=session_id, told=told)
    ws.files.replace(path, text.encode(errors="replace"))
    return ws.layout.name(path)


def _last_words(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        message = message_of(row)
        text = " ".join(text_of(message).split())
        if message.get("role") in SPEAKERS and text:
            yield f"{message['role']}: {redact(shortened(text, LONGEST_SUMMARISED))[0]}"


def _free(ws: Workspace) -> Path:
    """`memory/YYYY-MM-DD-HHMM.md` in the owner's time; with a number behind it where there is one already."""
    stem = f"{ws.now.astimezone(ws.config.zone):%Y-%m-%d-%H%M}"
    names = chain([f"{stem}.md"], (f"{stem}-{number}.md" for number in count(2)))
    return next(path for name in names if not (path := ws.layout.memory / name).exists())
