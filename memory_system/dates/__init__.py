"""Time expressions in English and Chinese, as intervals of local time. Atoms (`rules/dates.toml`) that stand side by
side join into one expression ("tomorrow" + "at 3 pm"); an expression that may mean two things means nothing here.

Weeks begin on Monday. "last Friday" is the latest one before today; "next Friday" and 下周五 lie in the next week,
上周五 in the one before. Seasons are the whole months of the northern year. A date without a year and a weekday without
a week go by the tense of their clause: what is past or lies ahead never becomes the other, and a bare weekday whose
clause tells neither means nothing. "two weeks ago" is that week, "three months ago" that month.

Here is what the program asks of all that: an expression as it is stored, in figures in brackets behind the words that
lean on the moment of speaking ("next Friday [2026-04-24]"), and a day in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import dropwhile, pairwise
from typing import Any, Literal

from memory_system.dates.atoms import Piece, count, is_timely, patterns
from memory_system.dates.clauses import is_denied, is_put, was_put
from memory_system.dates.finding import DAILY, When, find, in_one, is_hour, last_in_one, meant, nameable, scan, standing
from memory_system.dates.intervals import complete
from memory_system.records import EventTime
from memory_system.rules import table
from memory_system.text import spliced

__all__ = [
    "DAILY",
    "Marked",
    "When",
    "count",
    "event_in",
    "find",
    "happens",
    "is_hour",
    "is_put",
    "is_timely",
    "last_in_one",
    "marked",
    "meant",
    "nameable",
    "spell",
    "standing",
    "to_event",
]

_BRACKETED = re.compile(r"(?:['’]s\b)?[ \u00a0]?\[\d{4}")
_POSSESSIVE = re.compile(r"['’]s\b")
_FIGURES = {  # how many characters of 2026-04-24 15:00 tell it
    **dict.fromkeys(("minute", "hour"), 16),
    **dict.fromkeys(("part", "day", "weekend", "week", "third"), 10),
    **dict.fromkeys(("month", "season", "quarter"), 7),
    **dict.fromkeys(("year", "decade"), 4),
}
_SPANS = frozenset(("weekend", "week", "third", "season", "quarter", "decade"))  # told by their first and last
_RANGES = {"day": "week", "month": "season"}  # what a range of these is told like
_NAMED_DECADE = {"decade"}
Scanned = list[tuple[When, Piece]]


def to_event(when: When) -> EventTime:
    """The interval as it is stored: local ISO text, to the minute."""
    start, end = (moment.isoformat(timespec="minutes") for moment in (when.start, when.end))
    return EventTime(start=start, end=end, granularity=when.granularity, text=when.text)


def happens(when: EventTime) -> str:
    """When it happens, as exactly as that was said: 2026-04-24, 2026-04-20/26, 2026-04, 2026-04-24 15:00."""
    start, end = map(datetime.fromisoformat, (when.start, when.end))
    return figures(When((0, 0), start, end, when.granularity, when.text))


def event_in(text: str, whens: Sequence[When], lang: str) -> EventTime | None:
    """The first of the expressions that were found in the text and stand, as it is stored; a range to its end."""
    return to_event(in_one(text, whens, lang)) if whens else None


@dataclass(frozen=True, slots=True)
class Marked:
    """Words with their dates in brackets. `marks` are the brackets, each with the place in the words as given that it
    stands behind, in order; `whens` are all time expressions, as `find` gives them."""

    text: str
    whens: list[When]
    marks: list[tuple[int, str]]


def marked(words: str, anchor: datetime, lang: str, around: str = "") -> Marked:
    """The words, with a date in brackets behind each time expression that leans on the moment of speaking, and one
    behind a range; not a word is changed. What is complete ("3 May 2026"), is not sure, or has its bracket already gets
    none. `lang` is the language of the words, `around` what was said around them."""
    scanned = list(scan(words, anchor, around))
    blank = " " if lang == "en" else ""
    # of "Tuesday, not Thursday", which Thursday is meant was told before
    said = [each for each in _leaning(words, scanned) if not is_denied(words, each.span, lang)]
    marks = [(_behind(words, when), f"{blank}[{figures(when)}]") for when in said]
    return Marked(spliced(words, marks), [when for when, _ in scanned], marks)


def figures(when: When) -> str:
    """The interval in figures: 2026-04-24, 2026-04-20/26, 2026-04, 2026-04-24 15:00."""
    length, last = _FIGURES[when.granularity], when.end - timedelta(days=1)
    first = when.start.isoformat(" ", "minutes")[:length]
    if when.granularity not in _SPANS:
        return first
    ends = zip(first.split("-"), last.isoformat()[:length].split("-"), strict=True)
    return f"{first}/{'-'.join(other for _, other in dropwhile(lambda pair: pair[0] == pair[1], ends))}"


def _leaning(words: str, scanned: Scanned) -> Iterator[When]:
    """The expressions that get a bracket; of a range the second, from the start of the first on."""
    begun = _begun(words, scanned)
    for number, (when, piece) in enumerate(scanned):
        first, its_piece = scanned[number - 1] if number - 1 in begun else (None, piece)
        if number in begun or not (_leans(piece) or _leans(its_piece)) or _BRACKETED.match(words, when.span[1]):
            continue
        yield replace(when, start=first.start, granularity=_RANGES[when.granularity]) if first else when


def _begun(words: str, scanned: Scanned) -> set[int]:
    """The numbers of the expressions with which a range of days or months begins."""
    found: set[int] = set()
    for number, ((left, piece), (right, _)) in enumerate(pairwise(scanned)):
        if (
            left.granularity == right.granularity in _RANGES
            and left.start < right.start
            and number - 1 not in found
            and patterns("range")[piece.lang].fullmatch(words, left.span[1], right.span[0])
            and not was_put(words, left.span, piece.lang)
        ):
            found.add(number)
    return found


def _leans(piece: Piece) -> bool:
    """Whether the words lean on the moment of speaking; "the 90s" are those of one century for everybody."""
    return not complete(piece.fields) and piece.fields.keys() != _NAMED_DECADE


def _behind(words: str, when: When) -> int:
    """Where its bracket stands: behind the 's of "yesterday's meeting"."""
    owner = _POSSESSIVE.match(words, when.span[1])
    return owner.end() if owner else when.span[1]


def spell(day: date, granularity: Literal["day", "month"], lang: str) -> str:
    """A day or its month in words: 7 May 2023, 2023年5月."""
    words: dict[str, Any] = table("dates", "spell")[lang]
    values = {"y": day.year, "m": day.month, "d": day.day, "month": words["months"][day.month - 1]}
    return str(words[granularity].format(**values))
