"""Transcripts become messages here: formats, the source filter, cursors. All those of a workspace, by session: what is
unread, reading it once, and reading it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.config import Config
from memory_system.disk import is_regular
from memory_system.layout import Layout
from memory_system.privacy.tombstones import Tombstones
from memory_system.readers import openclaw
from memory_system.readers.formats import CONTROL, SHARED, UnreadableError
from memory_system.readers.places import Place, find
from memory_system.readers.reading import (
    Backlog,
    Batch,
    Cursor,
    OwnFiles,
    Reading,
    problems,
    read_batch,
    session_reason,
)
from memory_system.readers.transcript import Transcript, fit, load
from memory_system.records import Problem
from memory_system.turns import Message

__all__ = ["Backlog", "Batch", "Cursor", "Library"]

HELD_BYTES = 64 << 20  # of files, parsed, so that a night's two looks at a file parse it once
FUTURE = timedelta(days=1)  # a message said later than this from now has a wrong time


class Library:
    """The transcripts of one workspace without what is `forgotten`; `now` only tells whose time lies ahead."""

    def __init__(
        self, layout: Layout, config: Config, now: datetime | None = None, forgotten: Tombstones | None = None
    ) -> None:
        self.layout = layout
        self.config = config
        self.now = now
        self.forgotten = forgotten
        self._held: dict[str, Transcript] = {}  # by name, the latest used last
        self._weight = 0  # of all that are held
        self._places: dict[str, Place] = {}  # by session, as the last backlog found them
        self._indexes: dict[Path, dict[str, str]] = {}
        self._own: OwnFiles | None = None
        self.disowned: set[str] = set()  # sessions that their host was told to forget, as the last backlog found them

    def backlog(self, cursors: Mapping[str, Cursor]) -> Backlog:
        """What no cursor covers. A file that has not changed since its cursor, with nothing waiting, is not opened."""
        backlog = Backlog()
        places, backlog.problems = find(self.layout, self.config)
        by_path = {cursor.path: (session, cursor) for session, cursor in cursors.items()}
        found: dict[str, list[Place]] = {}
        opened: set[str] = set()
        held = {fit(place.held.session) for place in places if place.held and place.is_live}
        for place in places:
            if place.is_imported and place.stem in held and place.stem in cursors:
                continue  # what an import has put away was compared with the store when that was first read
            session, cursor = by_path.get(place.name, ("", None))
            if cursor is None or cursor.waiting or (cursor.size, cursor.mtime_ns) != (place.size, place.mtime_ns):
                session = self._session_in(place, backlog)
                opened.add(session)
            if session:
                found.setdefault(session, []).append(place)
        for session in sorted(found):
            if any(place.held and place.held.forgotten for place in found[session]):
                self.disowned.add(session)
                continue  # whatever files of it are left
            try:
                self._count(session, found[session], cursors.get(session), backlog, opened=session in opened)
            except OSError as error:
                backlog.problems.append(_unreadable(found[session][0].name, error))
        return backlog

    def _session_in(self, place: Place, backlog: Backlog) -> str:
        """The session of the file; empty, and a problem, when nothing in it can be read."""
        if place.held:
            return fit(place.held.session)
        try:
            script = self._load(place)
        except OSError as error:
            backlog.problems.append(_unreadable(place.name, error))
            return ""
        if not script.entries:
            backlog.problems += problems(place.name, script.flaws)
        return script.session if script.entries else ""

    def _count(
        self, session: str, places: list[Place], cursor: Cursor | None, backlog: Backlog, *, opened: bool
    ) -> None:
        self._places[session] = places[0]
        if len(places) > 1:
            self._places[session] = self._choose(places, cursor, backlog)
        if opened:
            script = self._load(self._places[session])
            start = script.first_after(_lines(script, _carried(script, cursor)))
            if unread := [n for n in range(start, len(script.entries)) if script.entries[n].role != CONTROL]:
                backlog.waiting[session] = sorted(script.times[n] for n in unread)
                backlog.problems += self._from_the_future(script, unread)

    def _choose(self, places: list[Place], cursor: Cursor | None, backlog: Backlog) -> Place:
        """Which of several files of one session is read: a live store, then the one that goes on from the cursor, then
        the longest. The others are a problem unless they hold nothing else."""
        scripts = [self._load(place) for place in places]
        best = min(scripts, key=lambda each: _standing(each, cursor))
        for each in scripts:
            if _differs(each, best):
                what = f"it holds session {each.session} as {best.place.name} does, with other lines"
                backlog.problems.append(Problem(each.place.name, what, "remove one of the two, or rename its session"))
        return best.place

    def _from_the_future(self, script: Transcript, unread: list[int]) -> Iterator[Problem]:
        """What waits because neither it nor what follows it can have been said yet."""
        limit = clock.stamp(self.now + FUTURE) if self.now else "\uffff"
        if waiting := [n for n in unread if script.floors[n] > limit]:
            latest = max(waiting, key=lambda n: script.times[n])
            where = f"{script.place.name}:{script.entries[latest].line}"
            yield Problem(where, f"said in the future, at {script.times[latest]}", "it waits until then")

    def read(self, session: str, cursor: Cursor | None, until: datetime | None) -> Batch:
        """What was said before `until` (None: ever) and lies behind the cursor. All lines up to the last one of that
        time are used up, others wait. A file that is no longer what the cursor saw is read from its beginning."""
        script = self.script(session, cursor)
        if script is None:
            hint = "put it back; what was read from it is kept"
            gone = Problem(cursor.path if cursor else session, "the transcript is gone", hint)
            return Batch(problems=[gone], cursor=cursor or Cursor())
        try:
            return self._read(script, cursor, until)
        except OSError as error:
            return Batch(problems=[_unreadable(script.place.name, error)], cursor=cursor or Cursor())

    def _read(self, script: Transcript, cursor: Cursor | None, until: datetime | None) -> Batch:
        cursor = _carried(script, cursor)
        changed = cursor is not None and not _goes_on(script, cursor)
        key, chat, reason = self._standing_of(script)
        let_in = cursor is not None and cursor.reason in SHARED and not reason
        cursor = Cursor() if cursor is None or changed or let_in else cursor
        cursor = replace(cursor, key=key, chat=chat, reason=cursor.reason if cursor.lines else reason)
        stamp = clock.stamp(until) if until else None
        start = script.first_after(_lines(script, cursor))
        self._own = self._own or OwnFiles(self.layout)
        reading = Reading(script, cursor, start, max(start, script.first_from(stamp)), self.forgotten, self._own)
        batch = read_batch(reading, stamp)
        batch.again = changed
        if changed:
            hint = "it was read again from its beginning; nothing is remembered twice"
            batch.problems.insert(0, Problem(script.place.name, "lines that were read before have changed", hint))
        return batch

    def reread(self, session: str, cursor: Cursor) -> Iterator[Message]:
        """The messages that were read up to the cursor, as they were given then."""
        script = self.script(session, cursor)
        if script is None:
            return
        cursor = _carried(script, cursor) or cursor
        if script.lines != cursor.lines:
            script = load(script.place, self.config.zone, cursor.lines)
        _lines(script, cursor)
        reading = Reading(script, cursor, 0, len(script.entries), self.forgotten)
        yield from (message for _, message, why in reading.heard() if not why)

    def heard(self, session: str, cursor: Cursor | None) -> Iterator[tuple[Message, str, bool]]:
        """Every message of a session as it is now, read by a night or not: the message, why it is no source (empty:
        it is one, and has its text), and whether it was read up to the cursor."""
        script = self.script(session, cursor)
        if script is None:
            return
        key, chat, reason = self._standing_of(script)
        cursor = _carried(script, cursor) or Cursor(key=key, chat=chat, reason=reason)
        lines = _lines(script, cursor)
        reading = Reading(script, cursor, 0, len(script.entries), self.forgotten)
        yield from ((message, why, line <= lines) for line, message, why in reading.heard())

    def as_written(self, session: str) -> dict[str, str]:
        """The words of a session's entries by name, with their secrets, for comparing alone; empty where it is gone."""
        script = self.script(session, None)
        if script is None:
            return {}
        reading = Reading(script, Cursor(), 0, 0)
        numbers = reversed(range(len(script.entries)))  # of several entries of one name the first is read
        return {script.entries[number].name: reading.as_written(number) for number in numbers}

    def is_there(self, session: str) -> bool:
        """Whether there is a transcript of the session, as the last backlog found it."""
        return session in self._places

    def gone(self, cursors: Mapping[str, Cursor]) -> set[str]:
        """The sessions that were read and whose transcripts are not there any more."""
        if not self._places:
            self.backlog(cursors)
        return cursors.keys() - self._places.keys()

    def script(self, session: str, cursor: Cursor | None) -> Transcript | None:
        """The session's transcript as it is now; None when it is gone."""
        if session not in self._places:
            self.backlog({session: cursor} if cursor else {})
        try:
            return self._load(self._places[session]) if session in self._places else None
        except OSError:
            return None

    def _load(self, place: Place) -> Transcript:
        """The parsed file; OSError when it cannot be opened."""
        found = place.path.lstat()
        now = (place.size, place.mtime_ns) if place.held else (found.st_size, found.st_mtime_ns)
        script = self._held.pop(place.name, None)
        self._weight -= script.weight if script else 0
        if script is None or (script.size, script.mtime_ns) != now:
            script = load(place, self.config.zone)
            self._guess_no_later(script)
        self._held[place.name] = script
        self._weight += script.weight
        while self._weight > HELD_BYTES and len(self._held) > 1:
            self._weight -= self._held.pop(next(iter(self._held))).weight
        return script

    def _guess_no_later(self, script: Transcript) -> None:
        """Take what was said at no known time as said before the last night where its guess has not come yet: the file
        was copied, or is read at another time than the clock's."""
        if self.now and not script.place.day and not script.header.time and script.base > clock.stamp(self.now):
            night = self.config.schedule.last(self.now) or self.now
            script.told_from(clock.stamp(night - timedelta(seconds=1)))

    def _standing_of(self, script: Transcript) -> tuple[str, str, str]:
        """The session's key, which kind of shared chat it is, and why it is no source, by its file or the key."""
        place = script.place
        folder = place.path.parent
        if folder not in self._indexes:
            self._indexes[folder] = _session_keys(folder)
        index = self._indexes[folder]
        key = script.header.key or index.get(script.header.session) or index.get(place.stem, "")
        reason = script.header.reason or session_reason(key)
        chat = reason if reason in SHARED else ""
        return key, chat, "" if place.source and chat in place.source.chats else reason


def _unreadable(name: str, error: OSError) -> Problem:
    if isinstance(error, UnreadableError):
        return Problem(name, str(error), error.hint)
    hint = "give yourself the right to read it, or move it elsewhere"
    return Problem(name, f"it cannot be read: {error.strerror or error}", hint)


def _standing(script: Transcript, cursor: Cursor | None) -> tuple[bool, bool, int, bool]:
    """Lowest for the file of a session that is to be read."""
    return not script.place.is_live, not _goes_on(script, cursor), -script.lines, script.place.is_packed


def _differs(script: Transcript, best: Transcript) -> bool:
    """Whether the file holds anything that the one which is read does not; beside a live store only messages count."""
    if best.place.held is None:
        return script.digest(script.lines) != best.digest(script.lines)
    known = {entry.id for entry in best.entries}
    return any(entry.id not in known for entry in script.entries if entry.role != CONTROL)


def _carried(script: Transcript, cursor: Cursor | None) -> Cursor | None:
    """The cursor of an OpenClaw session that has moved, from a file into the store or back: it was read up to the same
    message, in whatever line that stands now."""
    moved = cursor is not None and cursor.path != script.place.name and script.format == openclaw.NAME
    if cursor is None or not moved or _goes_on(script, cursor):
        return cursor
    line = next((each.line for each in script.entries if each.id == cursor.entry), None)
    return cursor if line is None else replace(cursor, lines=line, digest=script.digest(line))


def _goes_on(script: Transcript, cursor: Cursor | None) -> bool:
    """Whether the file still begins with the lines that the cursor has used up."""
    return cursor is not None and script.digest(cursor.lines) == cursor.digest


def _lines(script: Transcript, cursor: Cursor | None) -> int:
    """How many lines of the file are used up; times without a time of their own are told as when it was first read."""
    if cursor is None or not _goes_on(script, cursor):
        return 0
    if cursor.base and cursor.base != script.base:
        script.told_from(cursor.base)
    return cursor.lines


def _session_keys(folder: Path) -> dict[str, str]:
    """From session ids to their keys, by OpenClaw's index beside the transcripts, or what an import has left of it."""
    found: dict[str, str] = {}
    for index in (*sorted(folder.glob("*.sessions.json.imported-*")), folder / "sessions.json"):
        rows: Any = {}
        with suppress(OSError, orjson.JSONDecodeError):
            rows = orjson.loads(index.read_bytes()) if is_regular(index) else {}
        for key, row in rows.items() if isinstance(rows, dict) else ():
            if isinstance(row, dict) and isinstance(row.get("sessionId"), str):
                found[row["sessionId"]] = f"{key}:{row['chatType']}:" if row.get("chatType") in SHARED else key
    return found
