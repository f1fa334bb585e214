"""`state/inbox.jsonl`: captures that no night has folded in yet. They are part of the truth from the moment their
line is written: one write, one fsync, no lock; every reading command overlays them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from pydantic import ValidationError

from memory_system.clock import parse_instant
from memory_system.disk.files import Files
from memory_system.layout import Layout
from memory_system.records import Fact, Problem, from_line, to_line

MEND = "mend it; it is kept aside otherwise"


class Inbox:
    """The inbox of one workspace. While captures are dropped, the file is renamed and what must stay is appended
    anew, so that a capture beside us is never lost: it notices the renaming and appends its line again
    (`Files.append`)."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.layout = layout
        self.path = layout.inbox
        self.moved = layout.inbox_moved
        self.files = files

    def add(self, record: Fact) -> None:
        """Remember the capture, durably; safe beside any other program."""
        self.add_all([record])

    def add_all(self, records: Iterable[Fact]) -> None:
        """Remember several captures with one write."""
        self._append(self.path, [to_line(record) for record in records])

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
    except (ValueError, ValidationError):
        return None
    times = filter(None, (record.said_at, record.scored_at, record.expires))
    return record if parse_instant(record.created) and all(map(parse_instant, times)) else None
