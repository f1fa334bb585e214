"""What the index keeps of a memory, a message or a note: the searchable unit, and the row that is ranked by."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from memory_system import clock
from memory_system.config import Config
from memory_system.privacy import masks
from memory_system.recall import terms
from memory_system.recall.passages import passages, pieces
from memory_system.recall.schema import packed
from memory_system.records import USER, Pool, Row, kind_of, told, type_name
from memory_system.store import retention
from memory_system.text import estimate_tokens, language, spliced
from memory_system.turns import Message

SMALLEST_SCORE = 1e-9  # stands for 0 where a logarithm is taken
LONG_TOKENS = 180  # a message that costs more is searched and shown in passages: it has something of everything
PART_TOKENS = 120
SAME_CHARACTERS = 6  # before a date, by which the same words are known

_MONTHS = "January February March April May June July August September October November December"
_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})")


class Unit(NamedTuple):
    """One searchable text. `key` is the memory's id, the message's ref or the number of a note's passage; lines are
    1-based, 0 where they are not known; `part` counts the passages of a long message from 1, and is 0 for a whole one;
    `about` is searched with the text; `marks` are the dates that a message leaves to its day ("next Friday"), as JSON
    of `dates.Marked.marks`, or empty."""

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
        self._day = lru_cache(maxsize=10_000)(self._day_of_minute)
        self._spelled = lru_cache(maxsize=10_000)(_spelled)
        self._number = lru_cache(maxsize=10_000)(lambda stamp: day_number(clock.read_stamp(stamp)) if stamp else 0.0)

    def memory(self, row: Row) -> Unit:
        said_at, content, entities = said_or_created(row), told(row), row.get("entities", ())
        names = (entity for entity in dict.fromkeys(entities) if entity not in content)
        about = storable(" ".join((self.spelled(said_at), *names)))
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
        parts = enumerate(pieces(text, PART_TOKENS), 1)
        named = ((number, first.key + f"#{number}" * (number > 1), piece) for number, piece in parts)
        return [self._dated(first._replace(key=key, part=number, text=piece)) for number, key, piece in named]

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
            self._number(scored_at), retention.is_protected_row(row), storable(own_name(row)),
            storable(orjson.dumps(row["tells"]).decode()) if row.get("tells") else None,
            packed(line),
        )  # fmt: skip

    def day(self, stamp: str) -> str:
        """The local date of a stamp; empty for what is none."""
        return self._day(stamp[:16])

    def spelled(self, stamp: str) -> str:
        """The local date of a stamp in the words people use for it: 2023-05-08, 8 May, 5月8日."""
        return self._spelled(self.day(stamp))

    def _day_of_minute(self, minute: str) -> str:
        moment = clock.parse_instant(minute)
        return clock.local_date(moment, self._config.zone).isoformat() if moment else ""


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


def _spelled(day: str) -> str:
    if not day:
        return ""
    moment = date.fromisoformat(day)
    return f"{day} {moment.day} {_MONTHS.split()[moment.month - 1]} {moment.month}"


def storable(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold."""
    return text if text.isascii() else text.encode(errors="replace").decode()
