"""`sessions/sessions.json`: what is known of each session beside its transcript (counts of tokens, of flushes and
compactions), by its key, in OpenClaw's words."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import orjson

from memory_system import clock
from memory_system.disk.locks import lock_holder
from memory_system.workspace import Workspace

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


def key_of(session_id: str) -> str:
    """The key of a session of ours."""
    return f"agent:main:chat:{session_id}"


def entries(ws: Workspace) -> dict[str, Entry]:
    """The register by key; DamagedError when the file is none."""
    found = ws.files.read_object(ws.layout.sessions / "sessions.json")
    return {key: each for key, each in found.items() if isinstance(each, dict)}


def entry(ws: Workspace, session_id: str) -> Entry:
    """What is registered of the session; the numbers of a new one where nothing is."""
    mine = (each for each in entries(ws).values() if each.get("sessionId") == session_id)
    return {**NEW, "sessionId": session_id, **next(mine, {})}


def update(ws: Workspace, session_id: str, now: datetime, *, tokens: tuple[int, int] = (0, 0), **changed: Any) -> Entry:
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
    return mine
