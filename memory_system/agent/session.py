"""A session that is being written: a transcript in OpenClaw's form, each record durable before the next one follows."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.agent.listing import transcript
from memory_system.agent.rows import Row, branch, read
from memory_system.disk.files import Files, is_regular
from memory_system.errors import NotFoundError, UnwritableError, UsageError
from memory_system.layout import Layout
from memory_system.privacy.secrets import redact
from memory_system.workspace import Workspace

VERSION = 4
NAME = re.compile(r"\w[\w.-]{0,99}")


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
        rows = read(path)
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


def append_to(ws: Workspace, name: str, role: str, content: str) -> tuple[str, str]:
    """Append a message to the session of that id, in the form its transcript is in; a new one in the plainest form
    (seed 003: one `{timestamp, role, content}` a line) where there is none. The session's id and its file's name."""
    try:
        found = transcript(ws, name, exact=True)
    except NotFoundError:
        if not NAME.fullmatch(name):
            raise UsageError(f"{name!r} is no name for a session", "use letters, digits, dots and dashes") from None
        path, form = ws.layout.sessions / f"{name}.jsonl", "plain"
    else:
        path, form = found.place.path, found.format
        name = found.session
    if form == "plain" and not path.name.endswith(".gz"):
        row = {"timestamp": clock.stamp(ws.now), "role": role, "content": masked(content)}
        ws.files.make_folder(path.parent)
        ws.files.append(path, orjson.dumps(row) + b"\n")
    elif form in ("plain", "openclaw"):
        message = {"role": role, "content": [{"type": "text", "text": content}]}
        Session.resume(path, ws.files).message(message, ws.now)
    else:
        raise UsageError(f"{path.name} belongs to another program ({form})", "say it there, or begin a new session")
    return name, ws.layout.name(path)


def masked(value: Any) -> Any:
    """The value without secrets and without what is no text, however deep it stands."""
    if isinstance(value, str):
        return redact(value.encode(errors="replace").decode())[0]
    if isinstance(value, list | tuple):
        return [masked(each) for each in value]
    return {key: masked(each) for key, each in value.items()} if isinstance(value, dict) else value


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds")[:23] + "Z"
