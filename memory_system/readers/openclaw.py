"""OpenClaw's session files (header version 3, 4 or none), the flat form of its early days included. The conversation is
a tree: entries name their parent, `leaf` records move the tip, and only the branch that ends at the tip is active."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from memory_system.readers.formats import (
    CONTROL,
    FOLLOWS,
    Entry,
    Header,
    Origin,
    Row,
    id_of,
    message,
    name_of,
    stamp_of,
)

NAME = "openclaw"

_TYPES = frozenset({
    "session", "message", "compaction", "branch_summary", "custom", "custom_message", "model_change", "reset",
    "thinking_level_change", "label", "session_info", "leaf",
})  # fmt: skip
_RECALL_TOOLS = ("memory_search", "memory_get")


def sniff(head: Sequence[Row]) -> bool:
    return any(isinstance(row, dict) and str(row.get("type")) in _TYPES and "uuid" not in row for row in head)


def header(head: Sequence[Row], origin: Origin) -> Header:
    """What the first record says; where a database holds the session, its own word on it goes before."""
    row = next((row for row in head if isinstance(row, dict) and row.get("type") == "session"), {})
    session = id_of(row.get("id"))
    if session and origin.stem.startswith(f"{session}-topic-"):
        session = origin.stem  # threads of one chat share the id in their headers
    named = row.get("participants")
    people = {role: name_of(name) for role, name in named.items()} if isinstance(named, dict) else {}
    began = stamp_of(row.get("timestamp"))
    if origin.held is not None:
        return Header(origin.held.session, began, people, origin.held.key, origin.held.reason)
    return Header(session, began, people, id_of(row.get("sessionKey")))


def parse(lines: Iterable[tuple[int, Row]], origin: Origin) -> Iterator[Entry]:
    if origin.held is None:
        return _entries(lines)
    entries = list(_entries(lines))
    for entry in entries:
        entry.time = entry.time or stamp_of(origin.written[entry.line - 1])
    if origin.active is not None:
        entries += _on_branch(entries, origin.active)
    return iter(entries)


def _on_branch(entries: Sequence[Entry], active: Sequence[int]) -> Iterator[Entry]:
    """Chain the entries in these lines to one another, so that they are the branch that ends at the last of them; and
    a record that moves the tip there when something else was written after it."""
    by_line = {entry.line: entry for entry in entries}
    branch = [by_line[line] for line in active if line in by_line]
    for before, entry in pairwise(branch):
        entry.parent, entry.moves = before.id or FOLLOWS, False
    if branch and branch[-1] is not entries[-1]:
        yield Entry(entries[-1].line, "", CONTROL, "", parent=branch[-1].id, moves=True)


def _entries(lines: Iterable[tuple[int, Row]]) -> Iterator[Entry]:
    rooted = False
    for number, row in lines:
        if not isinstance(row, dict):
            continue
        kind = row.get("type")
        if kind == "session":
            continue
        entry = _message(number, row) if kind == "message" else _control(number, row)
        if "parentId" in row and not entry.moves:
            entry.parent = _parent(row["parentId"], rooted, entry)
            rooted = rooted or bool(entry.parent)
        yield entry


def _parent(value: object, rooted: bool, entry: Entry) -> str | None:
    """Null begins a new tree when a user speaks and the file does chain its entries; elsewhere it says nothing."""
    if value is None and rooted and entry.role == "user":
        return None
    return id_of(value) or FOLLOWS


def _message(number: int, row: Mapping[str, Any]) -> Entry:
    body = row.get("message")
    if not isinstance(body, dict):
        body = row  # the flat form: role and content beside the type
    entry = message(number, row, body, body.get("timestamp"), row.get("timestamp"))
    provenance, host = body.get("provenance"), body.get("__openclaw")
    if isinstance(provenance, dict):
        entry.reason = _why_not(provenance)
    if isinstance(host, dict) and host.get("senderIsOwner") is False:
        entry.reason = entry.reason or "not_owner"
    return entry


def _why_not(provenance: Mapping[str, Any]) -> str:
    if provenance.get("kind") == "internal_system":
        return "recalled" if provenance.get("sourceTool") in _RECALL_TOOLS else "system"
    return "inter_session" if provenance.get("kind") == "inter_session" else ""


def _control(number: int, row: Mapping[str, Any]) -> Entry:
    entry = Entry(number, id_of(row.get("id")), CONTROL, stamp_of(row.get("timestamp")))
    if row.get("type") == "leaf":
        entry.moves = True
        entry.parent = None if row.get("targetId") is None else id_of(row["targetId"])
    return entry
