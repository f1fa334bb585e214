"""What comes in beside a running night, without its lock, and is used up by the next one: captures, and who has read
or written what.

`state/inbox.jsonl`: captures that no night has folded in yet. They are part of the truth from the moment their line is
written: one write, one fsync, no lock; every reading command overlays them.

`state/access.jsonl` gets one line for each answer of search, get and context and for each change by hand: when (`at`),
who (`who`: cli, mcp or library), what was done (`did`) and the `ids` of all that was shown or changed: memories, refs
of messages, names of notes. The night lifts the memories that were shown, brings archived ones back, and puts the
lines by in `state/access/`, a file a month. It is a hint and no part of the truth: a search never fails because of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import orjson

from memory_system import clock
from memory_system.clock import parse_instant
from memory_system.disk import Files
from memory_system.errors import UnwritableError
from memory_system.layout import Layout
from memory_system.records import Fact, Problem, from_line, is_memory_id, to_line

MEND = "mend it; it is kept aside otherwise"
Who = Literal["cli", "mcp", "library"]
READING = frozenset({"search", "get", "context"})  # what counts as use
MONTHS = 24  # that are kept


class Inbox:
    """The inbox of one workspace. While captures are dropped, the file is renamed and what stays is appended anew: a
    capture beside us notices the renaming (`Files.append`) and is never lost."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.layout = layout
        self.path = layout.inbox
        self.moved = layout.inbox_moved
        self.files = files

    def add(self, *records: Fact) -> None:
        """Remember the captures, durably and with one write; safe beside any other program."""
        self._append(self.path, list(map(to_line, records)))

    def pending(self) -> list[Fact]:
        """The captures that wait, oldest first, each id once; lines that are no memories are left to `problems`."""
        records: dict[str, Fact] = {}
        for path in (self.path, self.moved, self.path):  # twice: while they are sifted they go from one to the other
            for line in self._lines(path).values():
                if (record := _parsed(line)) is not None:
                    records.setdefault(record.id, record)
        return sorted(records.values(), key=lambda record: (record.created, record.id))

    def problems(self) -> list[Problem]:
        """The lines that are no memories, such as the torn line of a crash."""
        return [
            Problem(f"{self.layout.name(path)}:{number}", "this line of the inbox is not a memory", MEND)
            for path in (self.moved, self.path)
            for number, line in self._lines(path).items()
            if _parsed(line) is None
        ]

    def drop(self, ids: Iterable[str]) -> None:
        """Take these captures out; called when they are in the store, and again after a crash. Lines that are no
        memories go to `inbox.jsonl.torn`."""
        gone = set(ids)
        if gone or self.moved.exists():
            self._sift(gone)

    def rewrite(self, changed: Callable[[Fact], Fact]) -> None:
        """Put every capture down as it is changed."""
        if self.moved.exists() or any(changed(each) != each for each in self.pending()):
            self._sift(set(), changed)

    def set_aside(self) -> int:
        """Put the lines that are no memories aside; how many there were."""
        count = len(self.problems())
        if count:
            self._sift(set())
        return count

    def _sift(self, gone: set[str], changed: Callable[[Fact], Fact] | None = None) -> None:
        if self.moved.exists():  # it was stopped half-way
            self._sift_moved(gone, changed)
        if self.path.exists():
            self.files.rename(self.path, self.moved)
            self._sift_moved(gone, changed)

    def _sift_moved(self, gone: set[str], changed: Callable[[Fact], Fact] | None) -> None:
        lines = [(line + b"\n", _parsed(line)) for line in self._lines(self.moved).values()]
        kept = [(line, record) for line, record in lines if record and record.id not in gone]
        self._append(self.path, [to_line(changed(record)) if changed else line for line, record in kept])
        self._append(self.path.with_name(f"{self.path.name}.torn"), [line for line, record in lines if record is None])
        self.files.remove(self.moved)

    def _append(self, path: Path, lines: list[bytes]) -> None:
        if lines:
            self.files.append(path, b"".join(lines), follow_renames=True)

    def _lines(self, path: Path) -> dict[int, bytes]:
        """The lines that hold anything, by number."""
        lines = enumerate(self.files.read(path).split(b"\n"), 1)
        return {number: line for number, line in lines if line.strip()}


def _parsed(line: bytes) -> Fact | None:
    try:
        record = from_line(line)
    except ValueError:
        return None
    times = filter(None, (record.said_at, record.scored_at, record.expires))
    return record if parse_instant(record.created) and all(map(parse_instant, times)) else None


class Accesses:
    """The access log of one workspace."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.path = layout.accesses
        self.folder = layout.past_accesses
        self.files = files

    def note(self, did: str, ids: Iterable[str], at: datetime, who: Who = "library") -> None:
        """Remember what was done, and to what; one write without fsync."""
        names = (each.encode(errors="replace").decode() for each in ids)  # of files, too, which may be no UTF-8
        row = {"at": clock.stamp(at), "who": who, "did": did, "ids": list(dict.fromkeys(names))}
        if self.path.parent.is_symlink():  # it could lie outside the workspace
            return
        with suppress(UnwritableError):
            self.files.append(self.path, orjson.dumps(row) + b"\n", follow_renames=True, durable=False)

    def before(self, end: str) -> list[str]:
        """Ids of memories shown before the stamp and since the last night, sorted."""
        return sorted({each for stamp, shown in self._shown() if stamp < end for each in shown})

    def stamps(self) -> list[str]:
        """When memories were shown since the last night."""
        return [stamp for stamp, _ in self._shown()]

    def log(self) -> list[dict[str, Any]]:
        """All that is known, oldest first; a line that a crash has put by twice counts once."""
        lines = dict.fromkeys(line for path in self._files() for line in self._lines(path))
        return sorted(filter(None, map(_access_on, lines)), key=lambda row: str(row["at"]))

    def put_by(self, end: str) -> None:
        """Put what a night has used up into the file of its month; months that are too old go."""
        used: dict[str, list[bytes]] = defaultdict(list)

        def left(lines: list[bytes]) -> list[bytes]:
            kept = []
            for line in lines:
                row = _access_on(line)
                if row and row["at"] < end:
                    used[row["at"][:7]].append(line)
                elif row:
                    kept.append(line)
            if used:
                self.files.make_folder(self.folder)
            for month, past in sorted(used.items()):
                self.files.append(self.folder / f"{month}.jsonl", b"".join(past))
            return kept if used else lines

        self.files.rewrite(self.path, left, durable=False)
        for old in self._files()[:-1][:-MONTHS] if used else ():
            self.files.remove(old)

    def strike(self, is_meant: Callable[[str], bool]) -> None:
        """Take these ids out of every line."""
        for path in self._files():
            self.files.rewrite(path, lambda lines: list(filter(None, (_without(line, is_meant) for line in lines))))

    def _files(self) -> list[Path]:
        """The months, then what the last night has left."""
        return [*sorted(self.folder.glob("*.jsonl")), self.path]

    def _lines(self, path: Path) -> list[bytes]:
        return [line for line in self.files.read(path).split(b"\n") if line.strip()]

    def _shown(self) -> Iterator[tuple[str, list[str]]]:
        """When memories were shown since the last night, and which."""
        for row in filter(None, map(_access_on, self._lines(self.path))):
            memories = [each for each in row["ids"] if is_memory_id(each)]
            if memories and row.get("did", "search") in READING:
                yield row["at"], memories


def _access_on(line: bytes) -> dict[str, Any] | None:
    """The row of a line, with its time as a stamp; None for what is no such line."""
    with suppress(ValueError, KeyError, TypeError):
        row = orjson.loads(line)
        return {**row, "at": clock.stamp(clock.read_stamp(row["at"])), "ids": [str(each) for each in row["ids"]]}
    return None


def _without(line: bytes, is_meant: Callable[[str], bool]) -> bytes:
    row = _access_on(line)
    if row is None:
        return b""  # who knows what it names
    kept = [each for each in row["ids"] if not is_meant(each)]
    return line if len(kept) == len(row["ids"]) else orjson.dumps({**row, "ids": kept}) + b"\n"
