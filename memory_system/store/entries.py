"""The journal's entries: changes of memories, and the lines on which they are written and read, chained by their
digests.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from memory_system.errors import DamagedError
from memory_system.records import Pool
from memory_system.store import months


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

    def blanked(self) -> Change:
        """The change without what the memory said."""
        return Change(self.alias or self.id, self.why, self.before_pool, None, self.after_pool, None)

    def to_line(self) -> bytes:
        head = {"id": self.id, "why": self.why, "from": self.before_pool, "to": self.after_pool}
        parts = [
            orjson.dumps(head)[:-1],
            b',"before":',
            self.before or b"null",
            b',"after":',
            self.after or b"null",
            b"}",
        ]
        return b"".join(part.rstrip(b"\n") for part in parts)

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
    changes: list[Change]
    digests: list[str]
    prev: str
    hash: str
    end: int  # bytes of the file up to its last line
    done: bool = False
    blanks: dict[str, str] = field(default_factory=dict)  # of its blanked lines: digest -> what stands there now

    def verifies(self) -> bool:
        """Whether the entry's hash is that of its header and its changes' digests."""
        return self.hash == _chain(self.prev, self.header, self.digests)


def read_entries(path: Path) -> Iterator[Group]:
    """The ended entries of one month; DamagedError for a line that is none of ours."""
    reading = _Reading()
    with months.opened(path) as lines:
        for number, line in enumerate(lines, 1):
            try:
                whole = reading.take(line)
            except (DamagedError, KeyError, TypeError, ValueError, AttributeError) as error:
                if reading.waiting:
                    yield reading.waiting
                what = error if isinstance(error, DamagedError) else "not a line of a journal"
                raise DamagedError(f"{path}:{number}: {what}") from None
            if whole:
                yield whole
    if reading.waiting:
        yield reading.waiting


class _Reading:
    """The entries of a month as their lines come. `waiting` has ended and may still be marked as done."""

    def __init__(self) -> None:
        self.waiting: Group | None = None
        self.entry: Entry | None = None
        self.header = b""
        self.changes: list[Change] = []
        self.digests: list[str] = []
        self.blanks: dict[str, str] = {}
        self.offset = 0

    def take(self, line: bytes) -> Group | None:
        """Read one line; the entry before it, when another one begins here."""
        row = parse(line)
        self.offset += len(line)
        if "entry" in row:
            before, self.waiting = self.waiting, None
            self.entry, self.changes, self.digests, self.blanks = Entry.from_row(row["entry"]), [], [], {}
            self.header = line[len(b'{"entry":') : -len(b"}\n")]
            return before
        if "change" in row and self.entry:
            self._take_change(row, line)
        elif "end" in row and self.entry and (row["end"], row["changes"]) == (self.entry.seq, len(self.changes)):
            self.waiting = Group(
                self.entry, self.header, self.changes, self.digests, row["prev"], row["hash"], self.offset,
                blanks=self.blanks,
            )  # fmt: skip
            self.entry = None
        elif "done" in row and self.waiting and self._closes(row, self.waiting):
            self.waiting.done, self.waiting.end = True, self.offset
        elif line.endswith(b"\n"):  # without one it is torn, and its writer was stopped
            raise DamagedError("not a line of a journal")
        return None

    def _take_change(self, row: dict[str, Any], line: bytes) -> None:
        self.changes.append(Change.from_row(row["change"]))
        self.digests.append(row["digest"])
        if not row["salt"]:
            self.blanks[row["digest"]] = digest("", _payload(line))
        elif digest(row["salt"], _payload(line)) != row["digest"]:
            raise DamagedError("the change is not the one that was written")

    @staticmethod
    def _closes(row: dict[str, Any], group: Group) -> bool:
        there = row["done"], row["hash"], row.get("prev", group.prev)
        return bool(there == (group.entry.seq, group.hash, group.prev))


def digest(salt: str, payload: bytes) -> str:
    return hashlib.sha256(salt.encode() + payload).hexdigest()


def blank_line(line: bytes, blanked: Mapping[str, str], aliases: Mapping[str, str]) -> bytes:
    """The journal's line as it stays when what it held is forgotten."""
    row = parse(line) if line.startswith(b'{"change":') else {}
    if not row.get("salt") or row["digest"] not in blanked:
        return line
    change = Change.from_row(row["change"])
    change.alias = aliases.get(change.id, "")
    return _change_line(change.blanked().to_line(), "", row["digest"])


def _change_line(payload: bytes, salt: str, digest: str) -> bytes:
    return b'{"change":' + payload + f',"salt":"{salt}","digest":"{digest}"}}\n'.encode()


def _payload(line: bytes) -> bytes:
    """The bytes of the change itself on its line."""
    return line[len(b'{"change":') : line.rindex(b',"salt":')]


def entry_lines(entry: Entry, changes: Iterable[Change], previous: str) -> Iterator[bytes]:
    changes = list(changes)
    salts = {change.id: os.urandom(8).hex() for change in changes if change.alias}
    for change in changes:
        if change.alias:  # this very line gives way, too
            own = digest(salts[change.id], change.to_line())
            entry.blanked[own] = digest("", change.blanked().to_line())
    header = orjson.dumps(entry.to_row())
    yield b'{"entry":' + header + b"}\n"
    digests = []
    for change in changes:
        payload = change.to_line()
        salt = salts.get(change.id) or os.urandom(8).hex()
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
    """How many bytes of a month belong to entries that are ended and whole, up to the first that is not; with the hash
    of the entry before it, the chain must hold as well."""
    keep = 0
    with suppress(DamagedError, KeyError, TypeError, ValueError):
        for group in read_entries(path):
            if not group.verifies() or (previous is not None and group.prev != previous):
                break
            keep, previous = group.end, previous and group.hash
    return keep
