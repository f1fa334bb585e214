"""One transcript as it stands on the disk, in one of the formats there are: its entries in order, when each was said,
which of them are on the active branch, and digests of its first lines."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, tzinfo
from io import BufferedIOBase, BytesIO
from itertools import chain, islice

from memory_system import clock
from memory_system.readers import claude_code, notes, openclaw, plain
from memory_system.readers.formats import CONTROL, FOLLOWS, Entry, Header, Origin, Reader, Row
from memory_system.readers.places import Place
from memory_system.readers.streams import BLOCK, Flaw, Lines, json_rows, open_regular, text_rows

UNKNOWN = -1
HEAD = 50  # lines by which a format is known
_UNFIT = re.compile(r"[\s:\x00-\x1f]+")  # in a session's id: a ref is cut at its first colon
READERS: tuple[Reader, ...] = (
    openclaw,
    claude_code,
    plain,
    notes,
)


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
    _digester: hashlib.blake2b = field(default_factory=lambda: _new_digest())
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
            self._digest_to(end)
            self._digests[lines] = self._digester.hexdigest()
        return self._digests.get(lines, "")

    def _digest_to(self, end: int) -> None:
        with self._opened() as stream:
            stream.seek(self._digested)
            while self._digested < end and (block := stream.read(min(end - self._digested, BLOCK))):
                self._digester.update(block)
                self._digested += len(block)

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
    reader = reader_for(sample, place.source.format if place.source else "")
    if reader is not None:
        script.format = reader.NAME
        script.header = reader.header(sample, origin)
        script.entries = list(reader.parse(chain(head, rows), origin))
    _settle(script, lines, origin.zone)
    if reader is None and script.lines:  # an empty file is one that nobody has written to yet
        script.flaws.append(_unknown(any_row=bool(head)))
    return script


def _unknown(*, any_row: bool) -> Flaw:
    hint = "name its format in the config's sources, or move it elsewhere"
    return 1, "it is in no known transcript format" if any_row else "it holds nothing that can be read", hint


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
    script.told_from(script.header.time or clock.stamp(noon or changed))


def note_session(name: str) -> str:
    """The session of the note of that name."""
    return name.replace(":", "-")


def fit(session: str) -> str:
    """The session's id as a ref can hold it."""
    return _UNFIT.sub("-", session)


def _link(script: Transcript) -> None:
    """Find what each entry answers. One that was there before under its id, or that answers what nobody knows, changes
    nothing: it comes after the entry before it."""
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


def _new_digest() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=16)


def reader_for(head: Sequence[Row], name: str = "") -> Reader | None:
    """The format of that name, or the one that the first lines are in; None when nobody knows them."""
    return next((each for each in READERS if (name == each.NAME if name else each.sniff(head))), None)
