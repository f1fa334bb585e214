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

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from memory_system.disk import Files
from memory_system.errors import DamagedError
from memory_system.records import Pool
from memory_system.store import months

TAIL = 65_536
GENESIS = "0" * 64


@dataclass(slots=True)
class Change:
    """One memory before and after: its pool and its line in it; both None where it is not in the truth. `why` is in the
    words of the phases: new, confirmed, superseded, decayed, …"""

    id: str
    why: str
    before_pool: Pool | None = None
    before: bytes | None = None
    after_pool: Pool | None = None
    after: bytes | None = None
    alias: str = ""  # the id that stays on its line when the memory is forgotten: a keyed one, which nobody can guess

    @property
    def is_blank(self) -> bool:
        """Whether what it held is forgotten, before or after."""
        lost_before = self.before_pool is not None and self.before is None
        return lost_before or (self.after_pool is not None and self.after is None)

    def blanked(self) -> bytes:
        """The change as a line without what the memory said."""
        return Change(self.alias or self.id, self.why, self.before_pool, None, self.after_pool, None).to_line()

    def to_line(self) -> bytes:
        head = orjson.dumps({"id": self.id, "why": self.why, "from": self.before_pool, "to": self.after_pool})
        before, after = ((each or b"null").rstrip(b"\n") for each in (self.before, self.after))
        return b'%b,"before":%b,"after":%b}' % (head[:-1], before, after)

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Change:
        def line(value: Any) -> bytes | None:
            return None if value is None else bytes(orjson.dumps(value)) + b"\n"

        return cls(row["id"], row["why"], row["from"], line(row["before"]), row["to"], line(row["after"]))


@dataclass(slots=True)
class Entry:
    """What the changes of one commit have in common. `state` holds the keys of the checkpoint that move with them."""

    time: str
    reason: str
    run: str = ""
    night: str = ""
    accounting: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    seq: int = 0
    blanked: dict[str, str] = field(default_factory=dict)  # a change's digest -> that of the line it gives way to

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Entry:
        """The entry of a header; what a newer program wrote into it beside that stays in the file."""
        return cls(**{name: row[name] for name in cls.__slots__ if name in row})

    def to_row(self) -> dict[str, Any]:
        names = ("seq", "time", "reason", "run", "night", "accounting", "state")
        row = {name: getattr(self, name) for name in names}
        return {**row, "blanked": self.blanked} if self.blanked else row


@dataclass(slots=True)
class Group:
    """An entry as it stands in the journal."""

    entry: Entry
    header: bytes
    changes: list[Change] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    blanks: dict[str, str] = field(default_factory=dict)  # of its blanked lines: digest -> what stands there now
    prev: str = ""
    hash: str = ""
    end: int = 0  # bytes of the file up to its last line
    done: bool = False

    def verifies(self) -> bool:
        """Whether the entry's hash is that of its header and its changes' digests."""
        return self.hash == _chain(self.prev, self.header, self.digests)

    def take(self, row: dict[str, Any], line: bytes) -> None:
        """Add the change that the row holds; DamagedError when it is not the one that was written."""
        self.changes.append(Change.from_row(row["change"]))
        self.digests.append(row["digest"])
        payload = line[len(b'{"change":') : line.rindex(b',"salt":')]
        if not row["salt"]:
            self.blanks[row["digest"]] = digest("", payload)
        elif digest(row["salt"], payload) != row["digest"]:
            raise DamagedError("the change is not the one that was written")

    def is_closed_by(self, row: dict[str, Any]) -> bool:
        return bool((row["done"], row["hash"], row.get("prev", self.prev)) == (self.entry.seq, self.hash, self.prev))


def read_entries(path: Path) -> Iterator[Group]:
    """The ended entries of one month; DamagedError for a line that is none of ours."""
    reading = _Reading()
    with months.opened(path) as lines:
        for number, line in enumerate(lines, 1):
            try:
                before = reading.take(line)
            except (DamagedError, KeyError, TypeError, ValueError, AttributeError) as error:
                if reading.waiting:
                    yield reading.waiting
                what = error if isinstance(error, DamagedError) else "not a line of a journal"
                raise DamagedError(f"{path}:{number}: {what}") from None
            if before:
                yield before
    if reading.waiting:
        yield reading.waiting


class _Reading:
    """The entries of a month as their lines come: one has `begun`, one has ended and is `waiting` for its done mark."""

    def __init__(self) -> None:
        self.begun: Group | None = None
        self.waiting: Group | None = None
        self.offset = 0

    def take(self, line: bytes) -> Group | None:
        """Read one line; the entry before it, when another one begins here."""
        row = parse(line)
        self.offset += len(line)
        if "entry" in row:
            before, self.waiting = self.waiting, None
            self.begun = Group(Entry.from_row(row["entry"]), line[len(b'{"entry":') : -len(b"}\n")])
            return before
        group = self.begun
        if "change" in row and group:
            group.take(row, line)
        elif "end" in row and group and (row["end"], row["changes"]) == (group.entry.seq, len(group.changes)):
            group.prev, group.hash, group.end = row["prev"], row["hash"], self.offset
            self.begun, self.waiting = None, group
        elif "done" in row and self.waiting and self.waiting.is_closed_by(row):
            self.waiting.done, self.waiting.end = True, self.offset
        elif line.endswith(b"\n"):  # without one it is torn, and its writer was stopped
            raise DamagedError("not a line of a journal")
        return None


def digest(salt: str, payload: bytes) -> str:
    return hashlib.sha256(salt.encode() + payload).hexdigest()


def blank_line(line: bytes, blanked: Mapping[str, str], aliases: Mapping[str, str]) -> bytes:
    """The journal's line as it stays when what it held is forgotten."""
    row = parse(line) if line.startswith(b'{"change":') else {}
    if not row.get("salt") or row["digest"] not in blanked:
        return line
    change = Change.from_row(row["change"])
    change.alias = aliases.get(change.id, "")
    return _change_line(change.blanked(), "", row["digest"])


def _change_line(payload: bytes, salt: str, digest: str) -> bytes:
    return b'{"change":' + payload + f',"salt":"{salt}","digest":"{digest}"}}\n'.encode()


def entry_lines(entry: Entry, changes: Iterable[Change], previous: str) -> Iterator[bytes]:
    salted = [(change, os.urandom(8).hex()) for change in changes]
    for change, salt in salted:
        if change.alias:  # this very line gives way, too
            entry.blanked[digest(salt, change.to_line())] = digest("", change.blanked())
    header = orjson.dumps(entry.to_row())
    yield b'{"entry":' + header + b"}\n"
    digests = []
    for change, salt in salted:
        payload = change.to_line()
        digests.append(digest(salt, payload))
        yield _change_line(payload, salt, digests[-1])
    end = {"end": entry.seq, "changes": len(digests), "prev": previous, "hash": _chain(previous, header, digests)}
    yield orjson.dumps(end) + b"\n"


def _chain(previous: str, header: bytes, digests: Iterable[str]) -> str:
    running = hashlib.sha256(previous.encode() + hashlib.sha256(header).digest())
    for each in digests:
        running.update(each.encode())
    return running.hexdigest()


def parse(line: bytes) -> dict[str, Any]:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return {}
    return row if isinstance(row, dict) else {}


def sound_length(path: Path, previous: str | None = None) -> int:
    """How many bytes of a month belong to ended, whole entries that chain on (from `previous`, where it is given)."""
    keep = 0
    with suppress(DamagedError, KeyError, TypeError, ValueError):
        for group in read_entries(path):
            if not group.verifies() or (previous is not None and group.prev != previous):
                break
            keep, previous = group.end, previous and group.hash
    return keep


@dataclass(frozen=True, slots=True)
class Head:
    """Where the journal ends: the last entry's number and hash, the hash before it; `done`: its files are written."""

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
        """The entry that was begun and not done, what was not begun set aside; one small read when there is none."""
        path = self._undone()
        if path is None:
            return None
        self._set_aside_unended(path)
        last = _last_group(path) if path.exists() else None
        return (last.entry, last.changes) if last and not last.done else None

    def pending(self) -> list[Change]:
        """The changes of the last entry while its files may not be written yet, for who only reads (which a damaged
        journal does not prevent); costs one small read when there are none."""
        with suppress(DamagedError):
            path = self._undone()
            last = _last_group(path) if path else None
            return last.changes if last and not last.done else []
        return []

    def _undone(self) -> Path | None:
        """The newest month, unless its last entry is done."""
        return next((path for path in self.months()[-1:] if "done" not in _last_line(path)), None)

    def mark(self) -> tuple[str, int]:
        """What differs before and after every commit, and before and after its files are written."""
        return next(map(months.mark, self.months()[-1:]), ("", 0))

    def entries(self) -> Iterator[Group]:
        for path in self.months():
            yield from read_entries(path)

    def blank(self, entry: Entry, aliases: Mapping[str, str]) -> None:
        """Blank every payload that the entry says gives way. What is blank already stays so."""
        for path in self.months():
            lines = months.read(path).splitlines(keepends=True)
            blanked = [blank_line(line, entry.blanked, aliases) for line in lines]
            if blanked != lines:
                months.replace(path, blanked, self.files)

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
        return max([self.folder / f"{entry.time[:7]}.jsonl", *self.months()])

    def head(self) -> Head:
        """Where the journal ends; costs one small read unless a crash left an entry unfinished."""
        done = True
        for path in reversed(self.months()):
            last = _last_line(path)
            if last.keys() >= {"done", "hash", "prev"}:
                return Head(last["done"], last["hash"], last["prev"], done)
            done = False  # left unfinished, or followed by what was never begun
            if (group := _last_group(path)) is not None:
                return Head(group.entry.seq, group.hash, group.prev, done)
        return Head()

    def _set_aside_unended(self, path: Path) -> None:
        """Set aside what follows the last ended entry, of which any bytes may be missing; a month of which nothing
        stays goes. DamagedError when what is broken had been acknowledged."""
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
    return next(iter(deque(read_entries(path), maxlen=1)), None)
