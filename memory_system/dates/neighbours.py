"""How the time expressions of a text bear on one another: the ends of a range, the days of a list, and what names no
time of its own beside another."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from itertools import pairwise, zip_longest

from memory_system.dates.atoms import Piece
from memory_system.dates.calendar import interval
from memory_system.dates.clauses import ANY_WEEK, spec_of, was_put
from memory_system.dates.forms import patterns
from memory_system.dates.intervals import Fields, Told, dated, kind
from memory_system.text import simplified

WEEKDAY = frozenset(("dow",))
BETWEEN = re.compile(r"(?i)\bbetween (?:the )?$")
_ITS_WEEK = re.compile(r"(?i)day,? (?:of )?(?:next|this|last) week$")
BESIDE = 6  # characters between a weekday or an hour and the date that it goes with
_DATE_BEHIND = re.compile(
    r"(?i),? (?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b"
)
_AND = re.compile(r"(?i)\s?(?:and|和|与|跟|到|至)\s?(?:the )?")
_MONTH_DAY = frozenset(("month", "day"))
_ENDS = frozenset(frozenset(keys.split()) for keys in ("dow", "day", "month", "month day"))  # how a range may end


def sharing(text: str, found: list[Piece]) -> list[Piece]:
    """The pieces, the first day of "Monday to Wednesday next week" with the week of the second, that of "May 3 to May
    7, 2024" with its year; that of "Thursday to next Tuesday" is the coming one. In 下周一和周三
    both are of that week."""
    shared: list[Piece] = []
    for piece, after in zip_longest(found, found[1:]):
        fields = _shared(text, piece, after) if after and _is_linked(text, piece, after) else {}
        if not fields and shared and kind(piece.fields) == WEEKDAY and "dow" in shared[-1].fields:
            listed = patterns("listing")[piece.lang].fullmatch(text, shared[-1].end, piece.start)
            its_week = {key: shared[-1].fields[key] for key in shared[-1].fields.keys() & {"week", "rel"}}
            fields = its_week if listed and its_week.get("rel") != "last" else {}  # "last Friday and Monday"
        shared.append(replace(piece, fields={**fields, **piece.fields}) if fields else piece)
    return shared


def _is_linked(text: str, piece: Piece, after: Piece) -> bool:
    """Whether the two are the ends of a range, or weekdays of one week: "Monday and Wednesday next week"."""
    links = ("range", "listing") if _ITS_WEEK.search(text[after.start : after.end]) else ("range",)
    return any(patterns(link)[piece.lang].fullmatch(text, piece.end, after.start) for link in links)


def _shared(text: str, piece: Piece, after: Piece) -> Fields:
    """What the first end of a range has from the second."""
    known, fields = kind(piece.fields), after.fields
    if known == WEEKDAY and _ITS_WEEK.search(text[after.start : after.end]):
        return fields
    if known == WEEKDAY:
        is_ahead = fields.get("rel") in ("next", "coming") or fields.get("week", 0) > 0
        return {"rel": "coming"} if is_ahead and "dow" in fields else {}
    if known != _MONTH_DAY or not fields.keys() >= {"year", "month", "day"}:
        return {}
    wraps = (piece.fields["month"], piece.fields["day"]) > (fields["month"], fields["day"])
    return {"year": fields["year"] - wraps}


def is_range(text: str, left: Piece, right: Piece) -> bool:
    """Whether the two are the ends of a range: Monday to Wednesday, 3月5号到8号."""
    keys = frozenset(right.fields)
    if keys not in _ENDS or not keys <= kind(left.fields):
        return False
    joined = patterns("range")[left.lang].fullmatch(text, left.end, right.start)
    return joined is not None and not was_put(text, left.span, left.lang)


def is_between(text: str, left: Piece, right: Piece) -> bool:
    """Whether the two are the ends of a time: between May 3 and May 7, 3日和7日之间."""
    if frozenset(right.fields) not in _ENDS or not right.fields.keys() <= kind(left.fields):
        return False
    begun = BETWEEN.search(text[: left.start]) or text.startswith("之间", right.end)
    return bool(begun and _AND.fullmatch(text, left.end, right.start))


def unnamed(text: str, found: list[Piece], anchor: datetime, around: str) -> set[int]:
    """The numbers of the pieces that name no day of their own beside others; `around` is what was said around them."""
    vague = _listed(text, found) | _beside_dates(text, found)
    return vague | _of_dates(text, found, anchor) | _of_a_month(text, found, around)


def _listed(text: str, found: list[Piece]) -> set[int]:
    """The numbers of the bare weekdays and weekends that make a pattern together, and name no day: "tues and thurs"."""
    together = [
        {number, number + 1}
        for number, (left, right) in enumerate(pairwise(found))
        if {"dow", "weekend"} & left.fields.keys()
        and {"dow", "weekend"} & right.fields.keys()
        and patterns("listing")[right.lang].fullmatch(text, left.end, right.start)
        and not is_between(text, left, right)
    ]
    return {each for pair in together for each in pair if kind(found[each].fields) in ANY_WEEK}


def _beside_dates(text: str, found: list[Piece]) -> set[int]:
    """The numbers of the bare weekdays right beside a date, "friday 1 may", 禮拜天是5/10: they say what day it is."""
    beside = {
        number + own
        for number, pair in enumerate(pairwise(found))
        for own, date in ((0, 1), (1, 0))
        if {"day", "month"} & pair[date].fields.keys() and pair[1].start - pair[0].end <= BESIDE
        if not is_range(text, *pair)
    }
    beside.update(number for number, each in enumerate(found) if _DATE_BEHIND.match(text, each.end))
    return {number for number in beside if kind(found[number].fields) in ANY_WEEK}


def _of_dates(text: str, found: list[Piece], anchor: datetime) -> set[int]:
    """The numbers of the bare weekdays that a date in the text is, or a day of its own clause: "tomorrow is Friday"."""
    return {
        number
        for number, each in enumerate(found)
        if kind(each.fields) == WEEKDAY
        for other in found
        if "day" in other.fields or ("days" in other.fields and _in_one_clause(text, other, each))
        if each.fields["dow"] in _weekdays(other, anchor)
    }


def _in_one_clause(text: str, one: Piece, other: Piece) -> bool:
    clause = spec_of(one.lang)["clause"]
    return not clause.search(text, min(one.end, other.end), max(one.start, other.start))


def _weekdays(piece: Piece, anchor: datetime) -> set[int]:
    """The weekdays of the day that the piece names, be it past or ahead."""
    named = (interval(dated(piece.fields), Told(anchor, way)) for way in (-1, 1))
    return {each[0].weekday() for each in named if each}


def _of_a_month(text: str, found: list[Piece], around: str) -> set[int]:
    """The numbers of the bare days beside a month, or so many weeks or months (六周以后，26号): of any month."""
    bare = {number: spec_of(each.lang) for number, each in enumerate(found) if kind(each.fields) == {"day"}}
    if not bare or any("month" in kind(each.fields) for each in found):
        return {*bare}
    said = f"{simplified(around)}\n{text}"
    return {number for number, spec in bare.items() if spec["counted"].search(said)}
