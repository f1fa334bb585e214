"""Sessions as people ask for them, whatever format their transcripts are in: which there are, what was said, and what
is said next. Old ones are packed away (seed 003): gzip under `sessions/archive/`, still read, listed and searched. The
cursors move with the files, so that nothing is read twice, whenever the program is stopped."""

from __future__ import annotations

import gzip
import re
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.agent import session
from memory_system.agent.session import SPEAKERS, Session
from memory_system.errors import NotFoundError, UsageError
from memory_system.finder import Giver
from memory_system.privacy.secrets import redact, without_secrets
from memory_system.readers.places import Place, find, place, transcripts
from memory_system.readers.transcript import UNKNOWN, Transcript, load
from memory_system.recall.search_index import Index
from memory_system.store.database import StaleIndexError
from memory_system.text import estimate_tokens
from memory_system.workspace import Workspace

NAME = re.compile(r"\w[\w.-]{0,99}")
HINT = "see which there are with: memory session list"
DAYS = 30
FOLDER = "archive"
NEVER = "\uffff"


def listed(ws: Workspace) -> list[dict[str, Any]]:
    """A row for each session, the one that was last spoken in first."""
    known = {each.get("sessionId"): key for key, each in session.register(ws).items()}
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
    return [load(place, ws.config.zone) for place in transcripts(ws.layout, ws.config)]


def transcript(ws: Workspace, name: str, *, exact: bool = False) -> Transcript:
    """The session of that id, or (unless `exact`) the only one whose id begins so; NotFoundError when there is none or
    more than one."""
    places = transcripts(ws.layout, ws.config)
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


def shown(ws: Workspace, name: str) -> dict[str, Any]:
    """The session's row, what is registered of it, and its size in tokens."""
    script = transcript(ws, name)
    entry = session.entry_of(ws, script.session)
    told = _said(script)
    tokens = sum(estimate_tokens(each["content"]) for each in told)
    return {**_row(script, ""), "tokens": tokens, "registered": entry}


def history(ws: Workspace, name: str, limit: int, *, unmasked: bool = False) -> dict[str, Any]:
    """The last messages of the session, oldest first (seed 003's `getHistory`), as they may be given (`giving`)."""
    script, giver = transcript(ws, name), Giver(ws, unmasked=unmasked)
    told = _said(script)
    kept = [{**each, "content": giver.text(each["content"], script.session)} for each in told[-limit:] if limit]
    return {"id": script.session, "path": script.place.name, "messages": kept, "total": len(told)}


def _said(script: Transcript) -> list[dict[str, str]]:
    """What people and assistants said on the active branch, secrets masked."""
    off = script.abandoned(len(script.entries)) if script.entries else frozenset()
    return [
        {"timestamp": script.times[n], "role": entry.role, "content": redact(entry.text)[0]}
        for n, entry in enumerate(script.entries)
        if entry.role in SPEAKERS and entry.text.strip() and not entry.reason and n not in off
    ]


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
        row = {"timestamp": clock.stamp(ws.now), "role": role, "content": without_secrets(content)}
        ws.files.make_folder(path.parent)
        ws.files.append(path, orjson.dumps(row) + b"\n")
    elif form in ("plain", "openclaw"):
        message = {"role": role, "content": [{"type": "text", "text": content}]}
        Session.resume(path, ws.files).message(message, ws.now)
    else:
        raise UsageError(f"{path.name} belongs to another program ({form})", "say it there, or begin a new session")
    return name, ws.layout.name(path)


def archive(ws: Workspace, days: int = DAYS) -> list[str]:
    """Pack the sessions in which nothing was said for so many days; the names of the new files. The workspace must be
    open for writing. Transcripts that the config names as sources stay where they are."""
    before = clock.stamp(ws.now - timedelta(days=days))
    inside = (each for each in find(ws.layout, ws.config)[0] if each.path.is_relative_to(ws.layout.sessions))
    loose = (each for each in inside if not each.is_packed and each.source is None)
    packed = [_packed(ws, each) for each in loose if _last(ws, each) < before]
    follow(ws)
    return [ws.layout.name(each) for each in packed if each is not None]


def _last(ws: Workspace, loose: Place) -> str:
    """When something was last said; later than all stamps for what is no transcript, or cannot be read."""
    with suppress(OSError):
        return max(load(loose, ws.config.zone).times, default=NEVER)
    return NEVER


def _packed(ws: Workspace, loose: Place) -> Path | None:
    """Pack one file; None, and nothing is changed, when somebody wrote to it meanwhile."""
    target = packed_path(ws, loose.path)
    ws.files.make_folder(target.parent)
    ws.files.replace(target, gzip.compress(ws.files.read(loose.path), mtime=0))
    now = loose.path.lstat()
    if (now.st_size, now.st_mtime_ns) != (loose.size, loose.mtime_ns):
        ws.files.remove(target)
        return None
    ws.files.remove(loose.path)
    return target


def packed_path(ws: Workspace, path: Path) -> Path:
    """Where a transcript under `sessions/` is packed away."""
    inner = path.relative_to(ws.layout.sessions)
    return ws.layout.sessions / FOLDER / inner.with_name(f"{inner.name}.gz")


def follow(ws: Workspace) -> None:
    """Let cursors and index follow the files that were packed, also those of a run that was stopped in between."""
    cursors = ws.checkpoint.state.cursors
    moved = {session: row for session, old in cursors.items() if (row := _moved(ws, old)) is not None}
    if moved:  # the cursors last: as long as they have not moved, this is done again
        _follow_in_index(ws, {session: row["path"] for session, row in moved.items()})
        ws.checkpoint.save(cursors={**cursors, **moved})


def _moved(ws: Workspace, row: dict[str, Any]) -> dict[str, Any] | None:
    """The cursor's row for the packed file; None when its file is where it was, or nowhere."""
    path = ws.layout.root / row["path"]
    if path.exists() or not path.is_relative_to(ws.layout.sessions):
        return None
    found = place(packed_path(ws, path), ws.layout)
    if not isinstance(found, Place):
        return None
    whole = load(found, ws.config.zone).lines == row["lines"]  # else it must be opened again
    return {**row, "path": found.name, "size": found.size if whole else UNKNOWN, "mtime_ns": found.mtime_ns}


def _follow_in_index(ws: Workspace, paths: dict[str, str]) -> None:
    try:
        with Index.open(ws.layout.search_index, ws.config, write=True) as index, index.writing(index.fingerprint):
            for session, path in paths.items():
                index.move_session(session, path)
    except StaleIndexError:
        return  # it is made anew from the cursors, which have moved
