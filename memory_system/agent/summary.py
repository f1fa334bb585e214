"""The note that a session leaves behind when it is reset (seed 004): when, which, and its last messages. It is a copy:
the conversation itself is the source, and no night makes memories of the note."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from memory_system.agent.rows import SPEAKERS, Row, message_of, text_of
from memory_system.privacy.secrets import redact
from memory_system.workspace import Workspace

MESSAGES = 15
LONGEST = 1_000  # characters of one message


def write(ws: Workspace, rows: Sequence[Row], *, key: str, session_id: str, source: str = "chat") -> str:
    """Write the note of a session's rows; its name, empty when nothing was said."""
    said = list(_said(rows))[-MESSAGES:]
    if not said:
        return ""
    head = [
        f"# Session: {ws.now:%Y-%m-%d %H:%M:%S} UTC",
        "",
        f"- **Session Key**: {key}",
        f"- **Session ID**: {session_id}",
        f"- **Source**: {source}",
        "",
        "## Conversation Summary",
        "",
    ]
    path = _free(ws)
    ws.files.replace(path, "\n".join([*head, *said, ""]).encode(errors="replace"))
    return ws.layout.name(path)


def _said(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        message = message_of(row)
        text = " ".join(text_of(message).split())
        if message.get("role") in SPEAKERS and text:
            shown = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
            yield f"{message['role']}: {redact(shown)[0]}"


def _free(ws: Workspace) -> Path:
    """`memory/YYYY-MM-DD-HHMM.md` in the owner's time; with a number behind it where there is one already."""
    stem = f"{ws.now.astimezone(ws.config.zone):%Y-%m-%d-%H%M}"
    path, number = ws.layout.memory / f"{stem}.md", 1
    while path.exists():
        number += 1
        path = ws.layout.memory / f"{stem}-{number}.md"
    return path
