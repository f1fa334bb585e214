"""The journal: every change to the truth, before it is made. From it come recovery, accounting, explanation and undo.

An entry is a group of lines in `state/journal/YYYY-MM.jsonl` (see `months`): a header, one line a change, and an `end`
line with the entry's place in the hash chain; when the files are written, a `done` line follows. A group without `end`
never happened (its lines are set aside); one with `end` but without `done` is finished by the next writer. The chain
runs over salted digests of the changes, so that a payload can be blanked later and the chain still verifies (as in
etcd's and Borg's logs, the commit mark comes last).

Forgetting blanks payloads. The entry of the forgetting says in its header, which the chain covers, which digests give
way to what: a blanked line can be changed as little as any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from memory_system.disk.files import Files
from memory_system.errors import DamagedError
from memory_system.records import Pool
from memory_system.store import months
from memory_system.store.entries import (
    Change,
    Entry,
    Group,
    blank_line,
    digest,
    entry_lines,
    parse,
    read_entries,
    sound_length,
)

TAIL = 65_536
GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Head:
    """Where the journal ends: the last entry's number, its hash and that of the entry before; `done` says whether its
    files are written."""

    seq: int = 0
    hash: str = GENESIS
    prev: str = GENESIS
    done: bool = True

    def __str__(self) -> str:
        """To be kept elsewhere: it vouches for all that is before it."""
        return f"{self.seq}:{self.hash}"


class Journal:
    """The journal of one workspace; only the holder of the lock appends."""

    def __init__(self, folder: Path, files: Files) -> None:
        self.folder = folder
        self.files = files

    def months(self) -> list[Path]:
        """Its files, the oldest first (see `months`)."""
        return months.months_in(self.folder)

    def pack(self, before: datetime) -> None:
        """Pack the months that had ended by that moment; never the newest, which is written to."""
        for path in self.months()[:-1]:
            if path.name < f"{before:%Y-%m}":
                months.pack(path, self.files)

    def begin(self, entry: Entry, changes: Iterable[Change]) -> Entry:
        """Write the entry down, durably; the changes may be made now."""
        head = self.head()
        entry.seq = head.seq + 1
        path = self._month_of(entry)
        months.unpack(path, self.files)
        self.files.append(path, entry_lines(entry, changes, head.hash), alone=True)
        return entry

    def done(self, entry: Entry) -> None:
        """All files of the entry are written."""
        path = self._month_of(entry)
        end = _last_line(path)
        line = orjson.dumps({"done": entry.seq, "hash": end["hash"], "prev": end["prev"]}) + b"\n"
        self.files.append(path, line, alone=True)

    def unfinished(self) -> tuple[Entry, list[Change]] | None:
        """The entry that was begun and not done, after setting aside what was not even begun; costs one small read when
        there is none."""
        newest = self._newest()
        if newest is None or "done" in _last_line(newest):
            return None
        self._set_aside_unended(newest)
        last = _last_group(newest) if newest.exists() else None
        return None if last is None or last.done else (last.entry, last.changes)

    def pending(self) -> list[Change]:
        """The changes of the last entry while its files may not be written yet, for who only reads (which a damaged
        journal does not prevent); costs one small read when there are none."""
        with suppress(DamagedError):
            newest = self._newest()
            last = _last_group(newest) if newest and "done" not in _last_line(newest) else None
            return [] if last is None or last.done else last.changes
        return []

    def mark(self) -> tuple[str, int]:
        """What differs before and after every commit, and before and after its files are written."""
        newest = self._newest()
        return months.mark(newest) if newest else ("", 0)

    def _newest(self) -> Path | None:
        return next(reversed(self.months()), None)

    def entries(self) -> Iterator[Group]:
        """Every entry, oldest first."""
        for path in self.months():
            yield from read_entries(path)

    def blank(self, entry: Entry, aliases: Mapping[str, str]) -> int:
        """Blank every payload that the entry says gives way; how many were. What is blank already stays so."""
        count = 0
        for path in self.months():
            lines = months.read(path).splitlines(keepends=True)
            blanked = [blank_line(line, entry.blanked, aliases) for line in lines]
            if blanked != lines:
                count += sum(one != other for one, other in zip(lines, blanked, strict=True))
                months.replace(path, blanked, self.files)
        return count

    def digest_of(self, change: Change) -> str:
        """Of a blanked change, as headers of entries give it."""
        return digest("", change.to_line())

    def latest(self) -> dict[str, tuple[Pool, bytes]]:
        """Every memory that there must be, as the last entry that concerns it left it: its pool and its line."""
        found: dict[str, tuple[Pool, bytes]] = {}
        for group in self.entries():
            for change in group.changes:
                found.pop(change.id, None)
                if change.after_pool and change.after:
                    found[change.id] = change.after_pool, change.after
        return found

    def _month_of(self, entry: Entry) -> Path:
        """The month's file; never one before the newest there is, so that a clock that went back keeps the order."""
        newest = max((path.name for path in self.months()), default="")
        return self.folder / max(f"{entry.time[:7]}.jsonl", newest)

    def head(self) -> Head:
        """Where the journal ends; costs one small read unless a crash left an entry unfinished."""
        done = True
        for path in reversed(self.months()):
            last = _last_line(path)
            if {"done", "hash", "prev"} <= set(last):
                return Head(last["done"], last["hash"], last["prev"], done)
            done = False  # left unfinished, or followed by what was never begun
            if (group := _last_group(path)) is not None:
                return Head(group.entry.seq, group.hash, group.prev, done)
        return Head()

    def _set_aside_unended(self, path: Path) -> None:
        """Set aside what follows the last ended entry: its writer was stopped before it had said that it is there, so
        any of its bytes may be missing; a month of which nothing stays goes. DamagedError when what is broken had been
        acknowledged."""
        keep, data = sound_length(path), months.read(path)
        if b'{"done":' in data[keep:]:
            list(read_entries(path))  # which names the line
        if keep < len(data):
            self.files.append(path.with_name(f"{path.name}.torn"), data[keep:].rstrip(b"\n") + b"\n")
        if not keep:
            months.remove(path, self.files)
        elif keep < len(data):
            months.replace(path, [data[:keep]], self.files)


def _last_line(path: Path) -> dict[str, Any]:
    """The last line of a file, if it is whole; {} when it is torn."""
    tail = months.tail(path, TAIL)
    return parse(tail[:-1].rsplit(b"\n", 1)[-1]) if tail.endswith(b"\n") else {}


def _last_group(path: Path) -> Group | None:
    """The last ended entry of a month."""
    last = None
    for group in read_entries(path):
        last = group
    return last
