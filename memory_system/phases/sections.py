"""The snapshot's sections beside the user's own: how to answer, what lies ahead, projects, what was said lately, the
core. Each takes the candidates that are left and gives lines, the weightiest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice, zip_longest

from memory_system import clock
from memory_system.phases.page import COMING_DAYS, NUMBER, Line
from memory_system.phases.portrait import when_of
from memory_system.phases.shortlist import (
    CONSTRAINT_CATEGORIES,
    PLAN_ATTRIBUTES,
    PLAN_CATEGORIES,
    RECENT_DAYS,
    Beside,
    Candidate,
    short,
)
from memory_system.privacy import trust
from memory_system.records import QUOTE, USER, Belief, Fact
from memory_system.text import estimate_tokens

FINE = frozenset({"minute", "hour", "part", "day", "weekend", "week"})  # granularities that name a day, or nearly
PROJECT = "project"
# what one first wants to know of somebody
WANTED = (
    "name", "allergy", "condition", "medication", "lives_in", "occupation", "works_at", "partner", "child", "relative",
    "pet", "diet", "major", "hometown", "age", "birthday", "language",
)  # fmt: skip
OF_USER = ("identity", "status", "relation", "health", "preference")  # categories of what the user is told by


def about(found: Iterable[Candidate], moment: datetime, beside: Beside) -> Iterator[Line]:
    """What the user has said of themselves and of those near them, where no slot tells it: what was said last of each
    of the things that one first wants to know, and then the best of every category in turn."""
    own = [each for each in found if _is_of_user(each.record, moment)]
    told = ([each for each in own if each.record.category == name] for name in OF_USER)
    turns = (each for turn in zip_longest(*told) for each in turn if each)
    for each in {each.record.id: each for each in (*_first_wanted(own), *turns)}.values():
        yield from _bullet(each, beside, _said_on(each, moment))


def _is_of_user(record: Fact, moment: datetime) -> bool:
    is_own = record.form == QUOTE and record.subject == USER and not record.stance
    return is_own and not _lies_ahead(record, moment)


def _first_wanted(own: Iterable[Candidate]) -> Iterator[Candidate]:
    """Of each attribute that one first wants to know, what tells of it and was said last."""
    newest = sorted((each for each in own if not each.record.likely_outdated_by), key=_said, reverse=True)
    for name in WANTED:
        yield from islice((each for each in newest if name in each.record.tells), 1)


def in_order(told: Iterable[Line]) -> list[Line]:
    """What the user has said of themselves, category by category, what was said last first."""
    places = {name: place for place, name in enumerate(OF_USER)}
    newest = sorted(told, key=lambda line: _said(line.told[0]), reverse=True)
    return sorted(newest, key=lambda line: places.get(line.told[0].record.category, len(places)))


def constraints(found: Iterable[Candidate], moment: datetime, beside: Beside) -> Iterator[Line]:
    """How the assistant must behave, and what keeps the user safe, both in the owner's own earnest words."""
    for each in found:
        record = each.record
        if record.category not in CONSTRAINT_CATEGORIES or not trust.is_owners(record.evidence):
            continue
        meant = record.form != QUOTE or not record.stance
        if record.subject == USER and meant and not isinstance(record, Belief):
            yield from _bullet(each, beside, _said_on(each, moment))


def coming(found: Iterable[Candidate], moment: datetime, beside: Beside) -> tuple[list[Line], list[Line]]:
    """What lies ahead, the nearest first: in the next days, and later."""
    today, until = (f"{(moment + timedelta(days=days)).date()}T00:00" for days in (0, COMING_DAYS + 1))
    ahead = [(each, event) for each in found if (event := each.record.event_time) and _lies_ahead(each.record, moment)]
    ahead = [(each, event) for each, event in ahead if _is_to_come(each)]
    ahead.sort(key=lambda pair: (pair[1].start, pair[0].record.id))
    near: list[Line] = []
    later: list[Line] = []
    for each, event in ahead:
        is_near = event.granularity in FINE and event.start < until
        is_plan = each.record.category in PLAN_CATEGORIES
        if is_near or event.start >= today or is_plan:
            (near if is_near else later).extend(_bullet(each, beside, when_of(each.record)))
    return near, later


def _lies_ahead(record: Fact, moment: datetime) -> bool:
    """Whether it speaks of a day that is to come, or comes to an end: it stands with what lies ahead."""
    return record.event_time is not None and record.event_time.end > f"{moment.date()}T00:00"


def _is_to_come(candidate: Candidate) -> bool:
    """Whether what it speaks of happens on its day: what fills a slot of another kind (an allergy) does not, whatever
    day was named beside it."""
    return not candidate.record.attribute or candidate.record.attribute in PLAN_ATTRIBUTES


def projects(found: Iterable[Candidate], moment: datetime, beside: Beside) -> Iterator[Line]:
    """What was decided and told of projects."""
    for each in found:
        if each.record.category == PROJECT:
            yield from _bullet(each, beside, _day_of(each, moment))


def recent(found: Iterable[Candidate], moment: datetime, beside: Beside) -> Iterator[Line]:
    """What was said in the last days, newest first."""
    since = clock.stamp(moment - timedelta(days=RECENT_DAYS - 1))
    late = [each for each in found if _said(each) >= since]
    for each in sorted(late, key=lambda each: (_said(each), each.record.id), reverse=True):
        yield from _bullet(each, beside, _day_of(each, moment))


def core(found: Iterable[Candidate], moment: datetime, beside: Beside) -> Iterator[Line]:
    """The memories in words; their numbers and ranks are put before them."""
    for each in found:
        for words in _words(each, beside):
            yield numbered(_behind(_said_on(each, moment), words), each)


def numbered(words: str, candidate: Candidate) -> Line:
    """A line of the core, with room for its number and rank."""
    return Line(words, (candidate,), spare=estimate_tokens(NUMBER))


def _bullet(candidate: Candidate, beside: Beside, day: str = "") -> Iterator[Line]:
    """The memory as a line of a list."""
    for words in _words(candidate, beside):
        yield Line(f"- {_behind(day, words)}", (candidate,))


def _behind(day: str, words: str) -> str:
    return f"{day}: {words}" if day else words


def _words(candidate: Candidate, beside: Beside) -> Iterator[str]:
    """The memory in words; nothing where it leans on what stood around it, and that is not to be had."""
    context = beside(candidate.record)
    if context or not candidate.record.context:
        yield short(candidate.record, context)


def _said(candidate: Candidate) -> str:
    return candidate.record.said_at or candidate.record.created


def _said_on(candidate: Candidate, moment: datetime) -> str:
    """The day of a quote, which later words may tell otherwise; what fills a slot is as it is today."""
    return _day_of(candidate, moment) if candidate.record.form == QUOTE else ""


def _day_of(candidate: Candidate, moment: datetime) -> str:
    """The local day on which it was said."""
    return clock.day_of(_said(candidate), moment.tzinfo or clock.zone_named("UTC"))
