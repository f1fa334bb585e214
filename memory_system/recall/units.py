"""What the index keeps of a memory, a message or a note: the searchable unit, and the row that is ranked by; which
files are notes, and how their Markdown is cut into passages with line numbers.

A passage never crosses a heading, holds about `PASSAGE_TOKENS`, and knows the headings above it. What is cut in two
for its length overlaps: a thought that lies across the cut is whole in one of them.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

import orjson

from memory_system import clock
from memory_system.config import Config
from memory_system.disk import is_regular
from memory_system.layout import Layout
from memory_system.privacy import masks
from memory_system.privacy.secrets import redact, redaction
from memory_system.privacy.tombstones import Tombstones
from memory_system.privacy.trust import without_signatures
from memory_system.recall import terms
from memory_system.records import QUOTE, UNSAID, USER, Pool, Row, kind_of, told, type_name
from memory_system.store import retention
from memory_system.text import estimate_tokens, language, sentences, spliced
from memory_system.turns import Message

T = TypeVar("T")
Line = tuple[int, str]  # of a note, with its number

SMALLEST_SCORE = 1e-9  # stands for 0 where a logarithm is taken
LONG_TOKENS = 180  # a message that costs more is searched and shown in passages: it has something of everything
PART_TOKENS = 120
LEVEL = 1  # of packing a line: others are hardly smaller
KEPT = 10_000  # days and stamps whose forms are remembered
SAME_CHARACTERS = 6  # before a date, by which the same words are known

_MONTHS = "January February March April May June July August September October November December"
_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})")

PASSAGE_TOKENS = 400
OVERLAP_TOKENS = 80
SENTENCE_CHARACTERS = 1_000  # of a message: a longer sentence is cut
SEARCHED_PEOPLES_FILES = ("MEMORY.md", "USER.md")
# Below memory/: what this program or OpenClaw's dreaming derived; it would outrank its own sources.
DERIVED_FOLDERS = frozenset({"layer1", "layer2", "layer3", "state", "dreaming"})

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")


class Unit(NamedTuple):
    """One searchable text. `key` is the memory's id, the message's ref or the number of a note's passage; lines are
    1-based, 0 where they are not known; `part` counts the passages of a long message from 1, and is 0 for a whole one;
    `about` is searched with the text; `marks` are the dates that a message leaves to its day ("next Friday"), as JSON
    of `dates.Marked.marks`, or empty; `whose` is OTHERS for a passage that may hold somebody else's words."""

    key: str
    path: str
    start_line: int
    end_line: int
    part: int
    speaker: str
    role: str
    said_at: str
    about: str
    text: str
    marks: str = ""
    whose: str = ""

    @property
    def told(self) -> str:
        """The text with its dates in brackets, as it is shown and searched."""
        return spliced(self.text, orjson.loads(self.marks)) if self.marks else self.text

    def told_in(self, form: Callable[[str, str], str]) -> str:
        """The same, each bracket in another form, which is made of it and the language of the text."""
        lang = language(self.text)
        return spliced(self.text, ((place, form(mark, lang)) for place, mark in orjson.loads(self.marks)))

    @property
    def ref(self) -> str:
        """The ref of the message that this is, or is a part of."""
        return self.key.removesuffix(f"#{self.part}") if self.part > 1 else self.key

    @property
    def words(self) -> str:
        """What FTS5 reads of it."""
        return terms.prepared(f"{self.about}\n{self.told}")


class Units:
    """Makes units and rows under one configuration (its time zone and decay rates)."""

    def __init__(self, config: Config) -> None:
        self._config = config

    def memory(self, row: Row) -> Unit:
        said_at, content, entities = said_or_created(row), told(row), row.get("entities", ())
        names = (entity for entity in dict.fromkeys(entities) if entity not in content)
        about = storable(" ".join((self.spelled(said_at), *names, *row.get("asked_by", ()))))
        return Unit(row["id"], "", 0, 0, 0, "", "", said_at, about, storable(content))

    def message(self, path: str, message: Message) -> list[Unit]:
        """The message as one unit, or as its passages when it is long."""
        speaker, text = storable(message.speaker), storable(message.text)
        first = Unit(
            storable(message.ref), path, 0, 0, 0, speaker, message.role, message.said_at,
            f"{speaker} {self.spelled(message.said_at)}", text,
        )  # fmt: skip
        if len(text) <= LONG_TOKENS or estimate_tokens(text) <= LONG_TOKENS:
            return [self._dated(first)]
        parts = list(pieces(text, PART_TOKENS))
        whose = _whose(parts, text) if message.role == "user" else [""] * len(parts)
        found = []
        for number, (part, owner) in enumerate(zip(parts, whose, strict=True), 1):
            key = f"{first.key}#{number}" if number > 1 else first.key
            found.append(self._dated(first._replace(key=key, part=number, text=part, whose=owner)))
        return found

    def _dated(self, unit: Unit) -> Unit:
        """The unit with the marks of its dates, if it has any."""
        from memory_system import dates  # who only searches starts without it

        if not dates.is_timely(unit.text) or (moment := clock.parse_instant(unit.said_at)) is None:
            return unit
        try:
            local = moment.astimezone(self._config.zone)
            found = dates.marked(unit.text, local, language(unit.text))
        except OverflowError:  # at the ends of the calendar
            return unit
        kept = _apart(unit.text, _needed(unit.text, found.marks, f"[{local.date()}]"))
        return unit._replace(marks=orjson.dumps(kept).decode()) if kept else unit

    def note(self, path: str, text: str) -> Iterator[Unit]:
        """The passages of a note; said at the start of the day that its name gives, if it gives one."""
        dated = _DATED.match(Path(path).name)
        day = clock.parse_instant(dated[1]) if dated else None
        said_at = clock.stamp(datetime.combine(day.date(), time(), self._config.zone)) if day else ""
        for number, each in enumerate(passages(storable(text)), 1):
            about = " ".join((Path(path).stem, *each.headings))
            yield Unit(f"{path}#{number}", path, each.start, each.end, 0, "", "", said_at, about, each.text)

    def memory_row(self, pool: Pool, row: Row, line: bytes) -> tuple[Any, ...]:
        """The columns of the table `memory`, in order."""
        said_at, scored_at = said_or_created(row), row.get("scored_at", "")
        kind = kind_of(row["id"])
        return (
            row["id"], type_name(kind), pool, storable(row.get("category", "general")),
            storable(row.get("subject", USER)), storable(row.get("attribute", "")), storable(row.get("value", "")),
            said_at, self.day(said_at), row["importance"], math.log(max(row["score"], SMALLEST_SCORE)),
            retention.rate_of(kind, row["importance"], self._config) if scored_at else 0.0,
            _number(scored_at), retention.is_protected(row), storable(own_name(row)),
            storable(orjson.dumps(named).decode()) if (named := _told_of(row)) else None, row.get("retired") == UNSAID,
            zlib.compress(line, LEVEL),
        )  # fmt: skip

    def day(self, stamp: str) -> str:
        """The local date of a stamp; empty for what is none."""
        return _day(stamp[:16], self._config.zone)

    def spelled(self, stamp: str) -> str:
        """The local date of a stamp in the words people use for it: 2023-05-08, 8 May, 5月8日."""
        return _spelled(self.day(stamp))


@lru_cache(maxsize=KEPT)
def _day(minute: str, zone: ZoneInfo) -> str:
    moment = clock.parse_instant(minute)
    return clock.local_date(moment, zone).isoformat() if moment else ""


def _told_of(row: Row) -> list[str]:
    """The attributes that a memory tells of, and those that the owner's words may tell of besides."""
    sure = list(row.get("tells") or ())
    if row.get("form") != QUOTE or row.get("subject", USER) != USER:
        return sure
    from memory_system.understand import judge  # who only searches starts without it

    hinted = judge.attributes_hinted(row["content"], language(row["content"]))
    return [*sure, *(maybe(each) for each in sorted(hinted.difference(sure)))]


def maybe(attribute: str) -> str:
    """How the column `tells` names an attribute that a memory may tell of."""
    return f"{attribute}?"


def _whose(parts: Sequence[str], text: str) -> list[str]:
    """Whose words each passage of a message may hold, by how it begins: what announces a text shows that itself."""
    from memory_system.understand.whose import OTHERS, Owner, owners  # only where a message is long

    spans, at = [], 0
    for first_line in (part.split("\n", 1)[0] for part in parts):
        at = max(at, text.find(first_line, at))
        spans.append((at, at + len(first_line)))
    return ["" if owner is Owner.OWN else OTHERS for owner in owners(text, spans)]


def _needed(text: str, marks: list[tuple[int, str]], today: str) -> list[tuple[int, str]]:
    """The marks, of those behind the same words the first, without the day of speaking, which is always told."""
    first: dict[tuple[str, str], tuple[int, str]] = {}
    for place, mark in marks:
        if not mark.endswith(today):
            first.setdefault((mark, text[max(0, place - SAME_CHARACTERS) : place]), (place, mark))
    return list(first.values())


def _apart(text: str, marks: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The marks without those inside what may be masked: split by one, it would be shown ("12 May Street")."""
    spans = masks.spans(text) if marks else []
    return [(place, mark) for place, mark in marks if not any(start < place < end for start, end in spans)]


def own_name(row: Row) -> str:
    """How a memory about the user calls them: its first entity; empty for others."""
    entities = row.get("entities", ())
    return str(entities[0]) if row.get("subject", USER) == USER and entities else ""


def said_or_created(row: Row) -> str:
    """When the memory was said; when it was made, where that is not known."""
    return str(row.get("said_at") or row.get("created", ""))


def day_number(moment: datetime) -> float:
    """Days since 1970, in UTC."""
    return moment.timestamp() / clock.SECONDS_PER_DAY


@lru_cache(maxsize=KEPT)
def _number(stamp: str) -> float:
    return day_number(clock.read_stamp(stamp)) if stamp else 0.0


@lru_cache(maxsize=KEPT)
def _spelled(day: str) -> str:
    if not day:
        return ""
    moment = date.fromisoformat(day)
    return f"{day} {moment.day} {_MONTHS.split()[moment.month - 1]} {moment.month}"


def storable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()


# Notes


def note_files(layout: Layout) -> list[Path]:
    """The notes on disk, in order: MEMORY.md, USER.md, and what is not derived below memory/ and knowledge/."""
    found = [layout.root / name for name in SEARCHED_PEOPLES_FILES]
    found += _markdown(layout.memory, DERIVED_FOLDERS)
    if not layout.knowledge.is_symlink():
        found += _markdown(layout.knowledge)
    return sorted(path for path in found if is_regular(path))


def note_digest(text: str) -> str:
    """What tells two versions of a note apart."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def _markdown(top: Path, without: Collection[str] = ()) -> Iterator[Path]:
    """The Markdown files below the folder but for those in the folders `without` right below it; nothing hidden."""
    above = str(top)
    for folder, folders, names in os.walk(above):
        left_out = without if folder == above else ()
        folders[:] = [name for name in folders if name not in left_out and not name.startswith(".")]
        yield from (Path(folder, name) for name in names if name.endswith(".md") and not name.startswith("."))


def read_note(path: Path) -> str:
    """The text of a note; bytes that are not UTF-8 are shown as such. Empty when it has just been removed."""
    try:
        return path.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return ""


def searchable(name: str, text: str, forgotten: Tombstones | None = None) -> str:
    """The note's text without secrets, and without what is forgotten of it."""
    plain = without_signatures(text)
    return forgotten.without(name, "", "", redaction(plain)) if forgotten else redact(plain)[0]


def pieces(text: str, tokens: int) -> Iterator[str]:
    """A long text in passages of about so many tokens: whole paragraphs, else sentences, else what fits."""
    return map("\n".join, gathered(_fragments(text, tokens), estimate_tokens, tokens))


def gathered(things: Iterable[T], price: Callable[[T], int], room: int, most: float = math.inf) -> Iterator[list[T]]:
    """The things in order, in groups of at most `most` that cost no more than there is room for, if one alone does."""
    taken: list[T] = []
    cost = 0
    for thing in things:
        its_price = price(thing)
        if taken and (len(taken) >= most or cost + its_price > room):
            yield taken
            taken, cost = [], 0
        taken.append(thing)
        cost += its_price
    if taken:
        yield taken


def _fragments(text: str, tokens: int) -> Iterator[str]:
    for line in filter(str.strip, text.split("\n")):
        if estimate_tokens(line) <= tokens:
            yield line.strip()
        else:
            for start, end in sentences(line):
                for at in range(start, end, SENTENCE_CHARACTERS):
                    yield line[at : min(end, at + SENTENCE_CHARACTERS)]


@dataclass(slots=True)
class Passage:
    """Lines `start` to `end` of a note (1-based, inclusive), or a part of one long line; `headings` are those above."""

    start: int
    end: int
    text: str
    headings: tuple[str, ...]


def passages(text: str) -> Iterator[Passage]:
    """The passages of a note, in order; blank lines around them are left out."""
    for headings, lines in _sections(text):
        for taken, repeated in _filled(lines):
            kept = [number for number, line in taken if line.strip()]
            if any(line.strip() for _, line in taken[repeated:]):
                text = "\n".join(line for number, line in taken if kept[0] <= number <= kept[-1])
                yield Passage(kept[0], kept[-1], text, headings)


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], list[Line]]]:
    """The lines between headings, with those right above them, and the titles of all headings in force."""
    headings: list[tuple[int, str]] = []
    lines: list[Line] = []
    fence, has_text = "", False
    for number, line in enumerate((each.rstrip("\r") for each in text.split("\n")), 1):
        mark = _FENCE.match(line)
        turns = mark[1] if mark and fence in ("", mark[1]) else ""
        heading = None if fence or turns else _HEADING.match(line)
        fence = fence if not turns else "" if fence else turns
        if heading and has_text:
            yield tuple(title for _, title in headings), lines
            lines, has_text = [], False
        if heading:
            headings = [*(above for above in headings if above[0] < len(heading[1])), (len(heading[1]), heading[2])]
        has_text = has_text or bool(not heading and line.strip())
        lines.append((number, line))
    yield tuple(title for _, title in headings), lines


def _filled(lines: Iterable[Line]) -> Iterator[tuple[list[Line], int]]:
    """The lines in groups that fill a passage, and how many of each the group before has ended with; a line that is too
    long for one passage is cut."""
    held: list[Line] = []
    repeated = tokens = 0
    for number, line in lines:
        cost = estimate_tokens(line)
        if held and tokens + cost > PASSAGE_TOKENS:
            yield held, repeated
            costs = list(accumulate((estimate_tokens(line) for _, line in reversed(held)), initial=0))
            repeated = 0 if cost > PASSAGE_TOKENS else bisect_right(costs, OVERLAP_TOKENS) - 1
            held, tokens = held[len(held) - repeated :], costs[repeated]
        if cost > PASSAGE_TOKENS:
            size, overlap = (len(line) * tokens // cost for tokens in (PASSAGE_TOKENS, OVERLAP_TOKENS))
            starts = range(0, len(line) - overlap, size - overlap)
            yield from (([(number, line[at : at + size])], 0) for at in starts)
        else:
            held.append((number, line))
            tokens += cost
    yield held, repeated
