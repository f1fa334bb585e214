"""What the hooks of Claude Code do with the JSON on their stdin. A hook never fails: a host must not stop because its
memory does. What went wrong is said on stderr, which the host shows to nobody but who looks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from memory_system import finder, pipeline
from memory_system.disk import is_regular
from memory_system.errors import LockedError
from memory_system.finder import Giver
from memory_system.workspace import Workspace

BUDGET = 600  # tokens of what is put beside a prompt
LONGEST_PROMPT = 4_000  # characters of it that are searched for

Open = Callable[..., Workspace]


def answer(event: str, told: bytes, opening: Open) -> dict[str, Any]:
    """What the host is to read on stdout for the event (session-start, user-prompt-submit, session-end), as an object;
    empty for nothing. `opening` opens the workspace. ValueError when stdin is not what the host documents."""
    row = _parsed(told)
    if event == "session-start":
        return _context("SessionStart", _snapshot(opening))
    if event == "user-prompt-submit":
        prompt = row.get("prompt")
        if not isinstance(prompt, str):
            raise ValueError("the event has no prompt")
        return _context("UserPromptSubmit", _about(prompt, opening))
    _flush(opening)
    return {}


def _parsed(told: bytes) -> dict[str, Any]:
    try:
        row = orjson.loads(told)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"stdin is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError("stdin is not a JSON object")
    return row


def _context(event: str, text: str) -> dict[str, Any]:
    """Words for the model, between marks by which they are known again should they come back in a transcript."""
    if not text.strip():
        return {}
    marked = f"<memory-context>\n{text.strip()}\n</memory-context>"
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": marked}}


def _snapshot(opening: Open) -> str:
    with opening() as ws:
        path = ws.layout.snapshot
        text = path.read_text("utf-8", errors="replace") if is_regular(path) else ""
        return Giver(ws).text(text)  # also what was written before the owner wanted it masked


def _about(prompt: str, opening: Open) -> str:
    """What is remembered about the prompt and does not stand in the snapshot; nothing about a command of the host."""
    if not prompt.strip() or prompt.lstrip().startswith("/"):
        return ""
    with opening() as ws:
        found = finder.context(ws, prompt[:LONGEST_PROMPT], budget=BUDGET, without_snapshot=True, who="cli")
    return str(found["text"])


def _flush(opening: Open) -> None:
    """Read what is due; not now when somebody else is at it."""
    try:
        with opening(write=True) as ws:
            pipeline.consolidate(ws, if_due=True)
    except LockedError:
        return
