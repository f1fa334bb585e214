"""What can be the value of a slot: a checker for each type, which trims the words behind a rule or refuses them. The
types' patterns stand in the tables `types` of `rules/claims.<lang>.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from memory_system import dates
from memory_system.understand.language import Language, ValueType

_BLANKS = " \t\n'\"“”‘’.,!?;:，。！？；：、~～-–—…*_()（）"
_CAPITAL = re.compile(r"(?<![.!?] )(?<!^)\b[A-ZÀ-Þ][a-zà-ÿ]|^[A-Z][a-z]+ [A-Z][a-z]")
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)  # where a time stands in words is the same whenever they are said
Span = tuple[int, int]


def values_in(text: str, span: Span, type_name: str, language: Language) -> list[Span]:
    """Where the values of the type stand in that stretch of the text: none where it is not surely one, several where
    the type is listed ("nuts and shellfish"). One bad value spoils the list."""
    kind = language.types[type_name]
    listed = language if kind.several else None
    if kind.loose and not _CAPITAL.search(text):
        loose = _shaped(text, span, kind.loose, listed)
        if found := [value for value in loose if not kind.never.search(text[slice(*value)])]:
            return found
    if kind.begins and kind.anywhere:
        return [found.span("value") for found in kind.begins.finditer(text, *span)]
    if kind.begins:
        return list(_shaped(text, span, kind.begins, listed))
    whole = _cut(text, span, kind)
    pieces = list(_pieces(text, whole, language)) if kind.several else [whole]
    checked = [_checked(text, piece, kind) for piece in pieces]
    sure = [value for value in checked if value]
    if len(sure) == len(pieces):
        return sure
    return sure[:1] if checked[0] else []


def value_of(words: str, type_name: str, language: Language) -> str | None:
    """The value of the type that the words are; None where they are none."""
    found = values_in(words, (0, len(words)), type_name, language)
    return words[slice(*found[0])] if found else None


def _shaped(text: str, span: Span, shape: re.Pattern[str], listed: Language | None) -> Iterator[Span]:
    """The value that the stretch begins with, and where values are listed those that are joined to it."""
    start, end = span
    while match := shape.match(text, start):
        if match.end("value") > end:
            return
        yield match.span("value")
        mark = listed.joined.match(text, match.end("value"), end) if listed else None
        if not mark:
            return
        start = mark.end()


def _cut(text: str, span: Span, kind: ValueType) -> Span:
    start, end = span
    lead = kind.lead.match(text, start, end)
    start = lead.end() if lead else start
    if ends := kind.cut.search(text[start:end]):
        end = start + ends.start()
    return start, end


def _pieces(text: str, span: Span, language: Language) -> Iterator[Span]:
    start, end = span
    for mark in language.joined.finditer(text, start, end):
        yield start, mark.start()
        start = mark.end()
    yield start, end


def _checked(text: str, span: Span, kind: ValueType) -> Span | None:
    """The span without what does not belong to a value; None where the rest is none."""
    start, end = _stripped(text, *span)
    while (lead := kind.lead.match(text, start, end)) and lead.end() > start:
        start, end = _stripped(text, lead.end(), end)
    end = _end_of(text, start, end, kind)
    words = text[start:end]
    if not 0 < len(words) <= kind.longest or kind.never.search(words) or not kind.need.fullmatch(words):
        return None
    return None if not kind.timed and dates.is_hour(words) else (start, end)


def _end_of(text: str, start: int, end: int, kind: ValueType) -> int:
    """Where the value ends without the words that belong to none, and without the time of what is told."""
    while words := text[start:end]:
        tail = kind.tail.search(words)
        place = tail.start() if tail and tail[0] else _time_at_end(words, kind)
        if place is None:
            return end
        _, end = _stripped(text, start, start + place)
    return end


def _time_at_end(words: str, kind: ValueType) -> int | None:
    """Where a time begins that ends the words and belongs to no value; None if there is none, or nothing else."""
    if kind.timed:
        return None
    times = (each.span for each in dates.find(words, _ANY_DAY))
    return next((start for start, end in times if start > 0 and end == len(words)), None)


def _stripped(text: str, start: int, end: int) -> Span:
    """The span without blanks and marks at its ends."""
    words = text[start:end].lstrip(_BLANKS)
    start = end - len(words)
    return start, start + len(words.rstrip(_BLANKS))
