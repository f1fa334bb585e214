"""Sessions, one transcript each: as rows in OpenClaw's form, to which records are added, each durable before the next
one follows; and as people ask for them, whatever form they are in: which there are, what was said, what is said next.

What is known of one beside that (counts of tokens, of flushes and compactions) stands in `sessions/sessions.json`, by
its key, in OpenClaw's words. When it is reset it leaves a note behind (seed 004), which is a copy: no night makes
memories of it. Old ones are packed away (seed 003): gzip under `sessions/archive/`, still read, listed and searched.
The cursors move with the files, so that nothing is read twice, whenever the program is stopped."""

from __future__ import annotations

import gzip
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import chain, count
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.disk import Files
from memory_system.errors import NotFoundError, UnwritableError, UsageError
from memory_system.finder import Giver
from memory_system.layout import Layout
from memory_system.privacy.secrets import redact, without_secrets
from memory_system.readers import formats
from memory_system.readers.places import Place, find, place, transcripts
from memory_system.readers.transcript import UNKNOWN, Lines, Transcript, json_rows, load, open_regular
from memory_system.recall.search_index import Index
from memory_system.store.database import StaleIndexError
from memory_system.text import estimate_tokens, shortened
from memory_system.workspace import Workspace

VERSION = 4
Row = dict[str, Any]
SPEAKERS = ("user", "assistant")
PLAIN = "plain"
OURS = (PLAIN, "openclaw")  # formats of transcripts that are appended to
NEW: Row = {
    "chatType": "direct",
    "compactionCount": 0,
    "memoryFlushAt": None,
    "memoryFlushCompactionCount": None,
    "inputTokens": 0,
    "outputTokens": 0,
    "contextTokens": 0,
}
NOTE = """# Session: {at} UTC

- **Session Key**: {key}
- **Session ID**: {session}
- **Source**: chat

## Conversation Summary

{told}
"""
SUMMARISED = 15
LONGEST_SUMMARISED = 1_000  # characters of one message

NAME = re.compile(r"\w[\w.-]{0,99}")
HINT = "see which there are with: memory session list"
FOLDER = "archive"
NEVER = "\uffff"


def in_context(rows: Sequence[Row]) -> list[Row]:
    """What a model still sees of a branch: the last summary, and the rows kept with it. A reset begins anew."""
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
    return formats.text_of(message.get("content")) or ""


def user_message(said: str) -> Row:
    return {"role": "user", "content": [{"type": "text", "text": said}]}


class Session:
    """A transcript and the rows of its active branch. Secrets are masked in the file, not in the rows that are held."""

    def __init__(self, path: Path, session_id: str, rows: list[Row], files: Files) -> None:
        self.path = path
        self.id = session_id
        self.rows = rows
        self._files = files

    @classmethod
    def begin(cls, layout: Layout, now: datetime, files: Files) -> Session:
        """A new session. Its file is made with the first message: a chat in which nothing is said leaves none."""
        session_id = f"chat-{now:%Y-%m-%d}-{uuid.uuid4().hex[:8]}"
        return cls(layout.sessions / f"{session_id}.jsonl", session_id, [], files)

    @classmethod
    def resume(cls, script: Transcript, files: Files) -> Session:
        """The session of that transcript; UsageError for one that cannot be appended to."""
        place = script.place
        if place.is_packed:
            raise UsageError(f"{place.path.name} is archived", "begin a new session; the archive stays readable")
        if place.is_hosts or script.format not in OURS:
            what = f"{place.path.name} belongs to another program ({script.format})"
            raise UsageError(what, "say it there, or begin a new session")
        with open_regular(place.path) as (stream, _):
            rows: dict[int, Any] = dict(json_rows(Lines(stream)))
        off = script.abandoned(len(script.entries))
        spoken = [each for number, each in enumerate(script.entries) if number not in off and not each.moves]
        return cls(place.path, script.session, [rows[each.line] for each in spoken], files)

    def message(self, message: Mapping[str, Any], at: datetime) -> Row:
        """Append a message; its row."""
        timed = {**message, "timestamp": int(at.timestamp() * 1000)}
        return self.append({"type": "message", "message": timed}, at)

    def append(self, fields: Mapping[str, Any], at: datetime) -> Row:
        """Append a record, durably, under a new id; it follows the one before it."""
        parent = self.rows[-1].get("id") if self.rows else None
        row = {"id": uuid.uuid4().hex[:16], "parentId": parent, "timestamp": _stamp(at), **fields}
        head = {"type": "session", "version": VERSION, "id": self.id, "timestamp": _stamp(at), "cwd": str(Path.cwd())}
        lines = [] if self.path.exists() else [head]
        self._files.make_folder(self.path.parent)
        self.rows.append(row)  # first: an interrupt after the write must not leave it out
        try:
            self._files.append(
                self.path, b"".join(orjson.dumps(without_secrets(each)) + b"\n" for each in (*lines, row))
            )
        except UnwritableError:
            self.rows.pop()
            raise
        return row


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds")[:23] + "Z"


def key_of(session_id: str) -> str:
    """The key of a session of ours."""
    return f"agent:main:chat:{session_id}"


def register(ws: Workspace) -> dict[str, Row]:
    """The register by key; DamagedError when the file is none."""
    found = ws.files.read_object(ws.layout.sessions / "sessions.json")
    return {key: each for key, each in found.items() if isinstance(each, dict)}


def entry_of(ws: Workspace, session_id: str) -> Row:
    """What is registered of the session; the numbers of a new one where nothing is."""
    mine = (each for each in register(ws).values() if each.get("sessionId") == session_id)
    return {**NEW, "sessionId": session_id, **next(mine, {})}


def update_entry(
    ws: Workspace, session_id: str, now: datetime, *, tokens: tuple[int, int] = (0, 0), **changed: Any
) -> None:
    """Change what is registered; `tokens` (input, output) are added to the sums. Safe beside other programs."""
    path = ws.layout.sessions / "sessions.json"
    with ws.files.locked(ws.layout.sessions_lock, clock.stamp(now)):
        whole = ws.files.read_object(path)
        named = (key for key, each in whole.items() if isinstance(each, dict) and each.get("sessionId") == session_id)
        key = next(named, key_of(session_id))
        mine = {**NEW, "sessionId": session_id, **whole.get(key, {}), **changed, "updatedAt": clock.stamp(now)}
        mine["inputTokens"] += tokens[0]
        mine["outputTokens"] += tokens[1]
        ws.files.replace(path, orjson.dumps({**whole, key: mine}, option=orjson.OPT_INDENT_2) + b"\n")


def write_summary(ws: Workspace, rows: Sequence[Row], session_id: str) -> str:
    """Write the note of a session's rows; its name, empty when nothing was said."""
    said = list(_last_words(rows))[-SUMMARISED:]
    if not said:
        return ""
    path, told = _free(ws), "\n".join(said)
    text = NOTE.format(at=f"{ws.now:%Y-%m-%d %H:%M:%S}", key=key_of(session_id), session=session_id, told=told)
    ws.files.replace(path, text.encode(errors="replace"))
    return ws.layout.name(path)


def _last_words(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        message = message_of(row)
        text = " ".join(text_of(message).split())
        if message.get("role") in SPEAKERS and text:
            yield f"{message['role']}: {redact(shortened(text, LONGEST_SUMMARISED))[0]}"


def _free(ws: Workspace) -> Path:
    """`memory/YYYY-MM-DD-HHMM.md` in the owner's time; with a number behind it where there is one already."""
    stem = f"{ws.now.astimezone(ws.config.zone):%Y-%m-%d-%H%M}"
    names = chain([f"{stem}.md"], (f"{stem}-{number}.md" for number in count(2)))
    return next(path for name in names if not (path := ws.layout.memory / name).exists())


# Sessions as people ask for them


def listed(ws: Workspace) -> list[dict[str, Any]]:
    """A row for each session, the one that was last spoken in first."""
    known = {each.get("sessionId"): key for key, each in register(ws).items()}
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
    """The session of that id, or (unless `exact`) the only one whose id begins so; NotFoundError when it is not one."""
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
    entry = entry_of(ws, script.session)
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
    script, path = None, ws.layout.sessions / f"{name}.jsonl"
    try:
        script = transcript(ws, name, exact=True)
        name, path = script.session, script.place.path
    except NotFoundError:
        if not NAME.fullmatch(name):
            raise UsageError(f"{name!r} is no name for a session", "use letters, digits, dots and dashes") from None
    if script is None or (script.format == PLAIN and not (script.place.is_packed or script.place.is_hosts)):
        row = {"timestamp": clock.stamp(ws.now), "role": role, "content": without_secrets(content)}
        ws.files.make_folder(path.parent)
        ws.files.append(path, orjson.dumps(row) + b"\n")
    else:
        message = {"role": role, "content": [{"type": "text", "text": content}]}
        Session.resume(script, ws.files).message(message, ws.now)
    return name, ws.layout.name(path)


def archive(ws: Workspace, days: int) -> list[str]:
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
