"""From an interval to figures in brackets behind its words ("next Friday [2026-04-24]"), and from a day to words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import dropwhile, pairwise
from typing import Any, Literal

from memory_system.dates.atoms import Piece
from memory_system.dates.clauses import is_denied, was_put
from memory_system.dates.finding import When, scan
from memory_system.dates.forms import patterns
from memory_system.dates.intervals import complete
from memory_system.rules import table
from memory_system.text import spliced

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
