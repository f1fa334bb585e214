"""A session that is being written: a transcript in OpenClaw's form, each record durable before the next one follows.
What is known of it beside that (counts of tokens, of flushes and compactions) stands in `sessions/sessions.json`, by
its key, in OpenClaw's words. When it is reset it leaves a note behind (seed 004), which is a copy: no night makes
memories of it."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.agent.messages import SPEAKERS, Row, branch, message_of, read_rows, text_of
from memory_system.disk import Files, is_regular, lock_holder
from memory_system.errors import NotFoundError, UnwritableError, UsageError
from memory_system.layout import Layout
from memory_system.privacy.secrets import redact
from memory_system.workspace import Workspace

VERSION = 4
Entry = dict[str, Any]
NEW: Entry = {
    "chatType": "direct",
    "compactionCount": 0,
    "memoryFlushAt": None,
    "memoryFlushCompactionCount": None,
    "inputTokens": 0,
    "outputTokens": 0,
    "contextTokens": 0,
}
SUMMARISED = 15
LONGEST_SUMMARISED = 1_000  # characters of one message


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
        lines = [] if self.path.exists() else [self._header(at)]
        self._files.make_folder(self.path.parent)
        self.rows.append(row)  # first: an interrupt after the write must not leave it out
        try:
            self._files.append(self.path, b"".join(orjson.dumps(masked(each)) + b"\n" for each in (*lines, row)))
        except UnwritableError:
            self.rows.pop()
            raise
        return row

    def _header(self, at: datetime) -> Row:
        return {
            "type": "session", "version": VERSION, "id": self.id, "timestamp": _stamp(at), "cwd": str(Path.cwd()),
        }  # fmt: skip


def masked(value: Any) -> Any:
    """The value without secrets and without what is no text, however deep it stands."""
    if isinstance(value, str):
        return redact(value.encode(errors="replace").decode())[0]
    if isinstance(value, list | tuple):
        return [masked(each) for each in value]
    return {key: masked(each) for key, each in value.items()} if isinstance(value, dict) else value


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
    with ws.files.locked(ws.layout.sessions_lock, lock_holder(clock.stamp(now))):
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
    head = [
        f"# Session: {ws.now:%Y-%m-%d %H:%M:%S} UTC",
        "",
        f"- **Session Key**: {key}",
        f"- **Session ID**: {session_id}",
        "- **Source**: chat",
        "",
        "## Conversation Summary",
        "",
    ]
    path = _free(ws)
    ws.files.replace(path, "\n".join([*head, *said, ""]).encode(errors="replace"))
    return ws.layout.name(path)


def _last_words(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        message = message_of(row)
        text = " ".join(text_of(message).split())
        if message.get("role") in SPEAKERS and text:
            shown = text if len(text) <= LONGEST_SUMMARISED else text[: LONGEST_SUMMARISED - 1] + "…"
            yield f"{message['role']}: {redact(shown)[0]}"


def _free(ws: Workspace) -> Path:
    """`memory/YYYY-MM-DD-HHMM.md` in the owner's time; with a number behind it where there is one already."""
    stem = f"{ws.now.astimezone(ws.config.zone):%Y-%m-%d-%H%M}"
    path, number = ws.layout.memory / f"{stem}.md", 1
    while path.exists():
        number += 1
        path = ws.layout.memory / f"{stem}-{number}.md"
    return path
