"""A transcript as rows: OpenClaw's records one by one, and which of them a model sees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from memory_system.readers.lines import Lines, json_rows, open_regular

Row = dict[str, Any]
SPEAKERS = ("user", "assistant")


def read(path: Path) -> list[Row]:
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
    texts: Iterable[Any] = (each.get("text") for each in blocks_of(message) if each.get("type") == "text")
    return "\n".join(each for each in texts if isinstance(each, str))
