"""One transcript as it stands on the disk, in one of the formats there are: its entries in order, when each was said,
which of them are on the active branch, and digests of its first lines. A file is read as numbered lines, whatever is in
it: plain, gzip or zstd, lines without end, bytes that are no text; no more than one block and one line is held."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import stat
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, tzinfo
from functools import partial
from io import BufferedIOBase, BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from memory_system import clock
from memory_system.readers import claude_code, notes, openclaw, plain
from memory_system.readers.formats import CONTROL, FOLLOWS, Entry, Header, Origin, Reader, Row
from memory_system.readers.places import Place

if TYPE_CHECKING:
    import jsonlines

Flaw = tuple[int, str, str]  # line, what is wrong with it, hint

BLOCK = 1 << 20
LINE_CAP = 8 << 20
DEPTH_CAP = 64
_ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"

UNKNOWN = -1
HEAD = 50  # lines by which a format is known
_UNFIT = re.compile(r"[\s:\x00-\x1f]+")  # in a session's id: a ref is cut at its first colon
READERS: tuple[Reader, ...] = (openclaw, claude_code, plain, notes)
_new_digest = partial(hashlib.blake2b, digest_size=16)


@contextmanager
def open_regular(path: Path) -> Iterator[tuple[BufferedIOBase, os.stat_result]]:
    """The file's bytes, unpacked (gzip, zstd), and its stat. OSError for a link, pipe or device, without hanging."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise OSError("it is no regular file")
    with os.fdopen(descriptor, "rb") as stream:
        head = stream.peek(4)[:4]
        if head == _ZSTD:
            from memory_system.readers.openclaw_store import unpacked

            yield BytesIO(unpacked(stream.read())), found
        elif head[:2] == _GZIP:
            with gzip.GzipFile(fileobj=stream) as inner:
                yield inner, found
        else:
            yield stream, found


class Lines:
    """Iterates over the lines, without their ends, and remembers what a cursor needs: `ends[n]` is the offset where
    line n+1 ends. `count` is the number of lines so far. A line over the cap comes out empty and stands in `flaws`; so
    does a file that breaks off (`broken`). `closed` tells whether the last line has its newline."""

    def __init__(self, stream: BufferedIOBase, limit: int | None = None) -> None:
        self.stream = stream
        self.limit = limit
        self.ends = array("Q")
        self.flaws: list[Flaw] = []
        self.closed = True
        self.broken = False

    @property
    def count(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[bytes]:
        held: list[bytes] = []
        size = offset = 0
        for block in self._blocks():
            pieces = block.split(b"\n")
            for piece in pieces[:-1]:
                size += len(piece)
                offset += size + 1
                if self.count == self.limit:
                    return
                yield self._line(held, piece, size, offset - 1)
                held, size = [], 0
            size += len(pieces[-1])
            if size <= LINE_CAP:
                held.append(pieces[-1])
            else:
                held = []
        if size and self.count != self.limit:
            self.closed = False
            yield self._line(held, b"", size, offset + size)

    def _line(self, held: list[bytes], piece: bytes, size: int, end: int) -> bytes:
        self.ends.append(end)
        if size > LINE_CAP:
            self.flaws.append((self.count, f"the line is longer than {LINE_CAP >> 20} MB", "it was skipped"))
            return b""
        return b"".join((*held, piece)) if held else piece

    def _blocks(self) -> Iterator[bytes]:
        try:
            while block := self.stream.read1(BLOCK):
                yield block
        except (EOFError, OSError, zlib.error) as error:
            self.broken = True
            hint = "what could be had of it was read; put back a whole copy"
            self.flaws.append((self.count + 1, f"the file breaks off: {error}", hint))


def json_rows(lines: Lines) -> Iterator[tuple[int, Row]]:
    """The objects on the lines; others go to `lines.flaws`. A torn last line is taken back: it may still be written."""
    import jsonlines  # commands that read no transcript start without it

    reader = jsonlines.Reader(lines, loads=_loads)
    while True:
        try:
            row = reader.read(type=dict, skip_empty=True)
        except EOFError:
            return
        except jsonlines.InvalidLineError as error:
            if lines.closed:
                lines.flaws.append((lines.count, _wrong(error), "it was skipped; mend the line or remove it"))
            else:
                lines.ends.pop()
        else:
            yield lines.count, row


def text_rows(lines: Lines) -> Iterator[tuple[int, Row]]:
    for line in lines:
        yield lines.count, line.decode(errors="replace").removeprefix("\ufeff").rstrip("\r")


def _wrong(error: jsonlines.InvalidLineError) -> str:
    cause = error.__cause__
    if isinstance(cause, UnicodeDecodeError):
        return "the line is not UTF-8"
    return f"the line is not JSON: {cause}" if cause else "the line is JSON, but no object"


def _loads(line: str | bytes) -> Any:
    value = orjson.loads(line)
    text = str(line)  # jsonlines hands it over decoded
    if text.count("{") + text.count("[") > DEPTH_CAP and _depth(value) > DEPTH_CAP:
        raise ValueError(f"it is nested deeper than {DEPTH_CAP}")
    return value


def _depth(value: object) -> int:
    """How deep lists and objects are nested, without recursion."""
    deepest = 0
    level = [value]
    while level := [each for each in level if isinstance(each, dict | list)]:
        deepest += 1
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return deepest


@dataclass(slots=True)
class Transcript:
    """The parsed file. `parents[n]` is the number of the entry that entry n answers (-1: none), `bends` are the entries
    that do not answer the one before them, `repeated` those whose id was there before (and where). `floors[n]` is the
    earliest time among entry n and all later ones. `base` is the time of entries before the first that has one. `data`
    are the lines of a session that a database holds."""

    place: Place
    size: int = 0
    mtime_ns: int = 0
    format: str = ""
    header: Header = field(default_factory=Header)
    session: str = ""
    lines: int = 0
    ends: Sequence[int] = ()
    flaws: list[Flaw] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    bends: list[int] = field(default_factory=list)
    repeated: dict[int, int] = field(default_factory=dict)
    base: str = ""
    times: list[str] = field(default_factory=list)
    floors: list[str] = field(default_factory=list)
    data: bytes | None = None
    _digests: dict[int, str] = field(default_factory=dict)
    _digester: hashlib.blake2b = field(default_factory=_new_digest)
    _digested: int = 0

    def first_after(self, lines: int) -> int:
        """The number of the first entry that does not lie within so many lines."""
        return bisect_right(self.entries, lines, key=lambda entry: entry.line)

    def first_from(self, stamp: str | None) -> int:
        """The number of the first entry of those that wait because nothing after them was said before the stamp."""
        return len(self.entries) if stamp is None else bisect_left(self.floors, stamp)

    def lines_before(self, end: int) -> int:
        """How many lines are used up when the entries before `end` are."""
        if end == len(self.entries):
            return self.lines
        return self.entries[end - 1].line if end else 0

    def abandoned(self, end: int) -> frozenset[int]:
        """Which of the first `end` entries are off the branch that is active after them."""
        if not self.bends or self.bends[0] >= end:
            return frozenset()
        last = self.entries[end - 1]
        tip = self.parents[end - 1] if last.moves else end - 1
        active = set()
        while tip >= 0 and tip not in active:
            active.add(tip)
            tip = self.parents[tip]
        return frozenset(range(end)) - active

    def told_from(self, base: str) -> None:
        """Work out when each entry was said: its own time, else that of the one before it, else `base`."""
        said = self.base = base
        self.times = [said := entry.time or said for entry in self.entries]
        floor = "\uffff"
        floors = [floor := min(floor, each) for each in reversed(self.times)]
        self.floors = floors[::-1]

    def digest(self, lines: int) -> str:
        """Of the file's first so many lines, the last line's end not included; empty when it has fewer."""
        if lines not in self._digests and lines <= self.lines:
            end = self.ends[lines - 1] if lines else 0
            if end < self._digested:
                self._digester, self._digested = _new_digest(), 0
            with self._opened() as stream:
                stream.seek(self._digested)
                while self._digested < end and (block := stream.read(min(end - self._digested, BLOCK))):
                    self._digester.update(block)
                    self._digested += len(block)
            self._digests[lines] = self._digester.hexdigest()
        return self._digests.get(lines, "")

    @property
    def weight(self) -> int:
        """How long its lines are, packed or not: about what it costs to hold."""
        return self.size if self.data is None else len(self.data)

    @contextmanager
    def _opened(self) -> Iterator[BufferedIOBase]:
        if self.data is not None:
            yield BytesIO(self.data)
        else:
            with open_regular(self.place.path) as (stream, _):
                yield stream


def load(place: Place, zone: tzinfo, limit: int | None = None) -> Transcript:
    """The transcript in the file (its first `limit` lines); OSError when it cannot be opened."""
    if place.held is not None:
        from memory_system.readers import openclaw_store

        events = openclaw_store.events(place.path, place.held)
        script = Transcript(place, place.size, place.mtime_ns, data=events.data)
        origin = Origin(place.stem, None, zone, place.held, events.written, events.active)
        return _parsed(script, Lines(BytesIO(events.data), limit), origin)
    with open_regular(place.path) as (stream, found):
        script = Transcript(place, found.st_size, found.st_mtime_ns)
        return _parsed(script, Lines(stream, limit), Origin(place.stem, place.day, zone))


def _parsed(script: Transcript, lines: Lines, origin: Origin) -> Transcript:
    place = script.place
    rows = text_rows(lines) if place.is_note else json_rows(lines)
    head = list(islice(rows, HEAD))
    sample = [row for _, row in head]
    name = place.source.format if place.source else ""
    reader = next((each for each in READERS if (name == each.NAME if name else each.sniff(sample))), None)
    if reader is not None:
        script.format = reader.NAME
        script.header = reader.header(sample, origin)
        script.entries = list(reader.parse(chain(head, rows), origin))
    _settle(script, lines, origin.zone)
    if reader is None and script.lines:  # an empty file is one that nobody has written to yet
        what = "it is in no known transcript format" if head else "it holds nothing that can be read"
        script.flaws.append((1, what, "name its format in the config's sources, or move it elsewhere"))
    return script


def _settle(script: Transcript, lines: Lines, zone: tzinfo) -> None:
    """What follows from the lines: the session's name, the tree of entries, the times."""
    place = script.place
    script.lines, script.ends, script.flaws = lines.count, lines.ends, lines.flaws
    if lines.broken:
        script.size = UNKNOWN  # so that the file is opened again, whether the disk says that it changed or not
    script.session = note_session(place.name) if place.is_note else fit(script.header.session or place.stem)
    _link(script)
    noon = datetime.combine(place.day, time(12), zone) if place.day else None
    changed = datetime.fromtimestamp(script.mtime_ns // 1_000_000_000, UTC)
    named = [each.time for each in script.entries if each.time]
    script.told_from(script.header.time or (clock.stamp(noon) if noon else min([clock.stamp(changed), *named[:1]])))


def note_session(name: str) -> str:
    return name.replace(":", "-")


def fit(session: str) -> str:
    """The session's id as a ref can hold it."""
    return _UNFIT.sub("-", session)


def _link(script: Transcript) -> None:
    """Find what each entry answers. A repeated id, or an answer to what nobody knows, comes after the one before it."""
    known: dict[str, int] = {}
    tip = -1
    for number, entry in enumerate(script.entries):
        first = known.get(entry.id, -1) if entry.id else -1
        if first >= 0 and entry.role != CONTROL:
            script.repeated[number] = first
            entry.moves, entry.parent = True, FOLLOWS
        parent = -1 if entry.parent is None else known.get(entry.parent, tip) if entry.parent else tip
        if entry.id and first < 0:
            known[entry.id] = number
        if parent != tip:
            script.bends.append(number)
        script.parents.append(parent)
        tip = parent if entry.moves else number
