"""Sessions as people ask for them, whatever format their transcripts are in: which there are, and what was said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_system.agent import register
from memory_system.agent.rows import SPEAKERS
from memory_system.errors import NotFoundError
from memory_system.giving import Giver
from memory_system.privacy.secrets import redact
from memory_system.readers.places import Place, find
from memory_system.readers.transcript import Transcript, load
from memory_system.text import estimate_tokens
from memory_system.workspace import Workspace


def listed(ws: Workspace) -> list[dict[str, Any]]:
    """A row for each session, the one that was last spoken in first."""
    known = {each.get("sessionId"): key for key, each in register.entries(ws).items()}
    rows = [_row(script, known.get(script.session, "")) for script in _transcripts(ws) if script.entries]
    return sorted(rows, key=lambda row: (row["last"], row["id"]), reverse=True)


def _row(script: Transcript, key: str) -> dict[str, Any]:
    place = script.place
    spoken = [n for n, entry in enumerate(script.entries) if entry.role in SPEAKERS]
    return {
        "id": script.session,
        "path": place.name,
        "format": script.format,
        "key": script.header.key or key,
        "messages": len(spoken),
        "first": script.times[spoken[0]] if spoken else "",
        "last": script.times[spoken[-1]] if spoken else "",
        "archived": place.is_packed,
    }


def _transcripts(ws: Workspace) -> list[Transcript]:
    return [load(place, ws.config.zone) for place in _places(ws)]


def _places(ws: Workspace) -> list[Place]:
    return [place for place in find(ws.layout, ws.config)[0] if not place.is_note]


def transcript(ws: Workspace, name: str, *, exact: bool = False) -> Transcript:
    """The session of that id, or (unless `exact`) the only one whose id begins so; NotFoundError when there is none or
    more than one."""
    places = _places(ws)
    named = [place for place in places if name in (place.stem, place.name)]
    scripts = [load(place, ws.config.zone) for place in named] or [
        script for script in _transcripts(ws) if script.session == name
    ]
    if not (scripts or exact):
        scripts = [load(place, ws.config.zone) for place in places if place.stem.startswith(name)]
    if len(scripts) != 1:
        many = ", ".join(each.session for each in scripts[:5])
        raise NotFoundError(f"there is no session {name}" if not scripts else f"{name} may be {many}", HINT)
    return scripts[0]


HINT = "see which there are with: memory session list"


def shown(ws: Workspace, name: str) -> dict[str, Any]:
    """The session's row, what is registered of it, and its size in tokens."""
    script = transcript(ws, name)
    entry = register.entry(ws, script.session)
    told = _said(script, range(len(script.entries)))
    tokens = sum(estimate_tokens(each["content"]) for each in told)
    return {**_row(script, ""), "tokens": tokens, "registered": entry}


def history(ws: Workspace, name: str, limit: int, *, unmasked: bool = False) -> dict[str, Any]:
    """The last messages of the session, oldest first (seed 003's `getHistory`), as they may be given (`giving`)."""
    script, giver = transcript(ws, name), Giver(ws, unmasked=unmasked)
    told = _said(script, range(len(script.entries)))
    kept = [{**each, "content": giver.text(each["content"], script.session)} for each in told[-limit:] if limit]
    return {"id": script.session, "path": script.place.name, "messages": kept, "total": len(told)}


def _said(script: Transcript, numbers: Sequence[int]) -> list[dict[str, str]]:
    """What people and assistants said on the active branch, secrets masked."""
    off = script.abandoned(len(script.entries)) if script.entries else frozenset()
    return [
        {"timestamp": script.times[n], "role": entry.role, "content": redact(entry.text)[0]}
        for n in numbers
        if (entry := script.entries[n]).role in SPEAKERS and entry.text.strip() and not entry.reason and n not in off
    ]
