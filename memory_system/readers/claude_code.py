"""Claude Code's session files. A turn is several lines; a `user` line may carry a tool's result, a command's output or
a summary instead of the user's words; sub-agents speak in side chains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memory_system.readers.formats import CONTROL, Entry, Header, Origin, Row, id_of, message, stamp_of

NAME = "claude-code"

_OWN_KEYS = ("uuid", "sessionId", "leafUuid", "messageId")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FLAGS = {
    "isSidechain": "subagent",
    "isCompactSummary": "summary",
    "isMeta": "system",
    "isVisibleInTranscriptOnly": "system",
    "isApiErrorMessage": "system",
}


def sniff(head: Sequence[Row]) -> bool:
    return any(isinstance(row, dict) and "type" in row and any(key in row for key in _OWN_KEYS) for row in head)


def header(head: Sequence[Row], origin: Origin) -> Header:
    """A file is named by its session; a side chain's lines name the session that called it, a forked session's those
    of the one it came from."""
    named = next((id_of(row["sessionId"]) for row in head if isinstance(row, dict) and "sessionId" in row), "")
    own = origin.stem.startswith("agent-") or _UUID.fullmatch(origin.stem)
    return Header(session=origin.stem if own else named)


def parse(lines: Iterable[tuple[int, Row]], origin: Origin) -> Iterator[Entry]:  # noqa: ARG001 - a reader's form
    for number, row in lines:
        if not isinstance(row, dict):
            continue
        if row.get("type") in ("user", "assistant") and isinstance(row.get("message"), dict):
            yield _message(number, row, row["message"])
        else:
            yield Entry(number, id_of(row.get("uuid")), CONTROL, stamp_of(row.get("timestamp")))


def _message(number: int, row: Mapping[str, Any], body: Mapping[str, Any]) -> Entry:
    entry = message(number, row, body, row.get("timestamp"))
    entry.id = id_of(row.get("uuid"))
    entry.reason = next((why for flag, why in _FLAGS.items() if row.get(flag) is True), "")
    if not entry.reason and _is_tool_result(body.get("content")):
        entry.reason = "tool"
    if entry.role == "user" and not entry.reason:
        # Only what the user typed can rewind a conversation; other lines also fork where tools run side by side.
        entry.parent = id_of(row.get("parentUuid"))
    return entry


def _is_tool_result(content: object) -> bool:
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content
    )
