"""The page of the snapshot: its sections and their titles, which lines its budget holds, and the lines of all sections
but for the slots (`portrait`): what the user has said of themselves, how to answer, what lies ahead, projects, what was
said lately, the core. Each takes the candidates that are left and gives lines, the weightiest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice, zip_longest
from operator import attrgetter
from typing import Any

from memory_system import attributes, clock, dates
from memory_system.config import TokenBudget
from memory_system.phases import fitting, shortlist
from memory_system.phases.revising import tells_more
from memory_system.phases.shortlist import Candidate, is_clear, is_lasting, is_standing_order, short
from memory_system.privacy import trust
from memory_system.records import QUOTE, STATEMENT, USER, USER_NAME, Belief, Fact
from memory_system.text import estimate_tokens, told_in

COMING_DAYS = 14
NUMBER = "100. [1.00] "  # what stands before a memory of the core, at its longest

# The sections, in the order in which they stand, and the days that their titles name.
HEADINGS = {
    "identity": 0, "user": 0, "constraints": 0, "coming": COMING_DAYS, "later": 0, "projects": 0, "top": 0,
    "recent": shortlist.RECENT_DAYS,
}  # fmt: skip
# what was said later of what a line tells, and may have made it otherwise
LATER = {"en": " … later, {day}: {words}", "zh": " ……后来（{day}）：{words}"}
_MOST_LINES = 999  # of the core, for what its heading takes
FINE = frozenset({*dates.DAILY, "weekend", "week", "third"})  # granularities that name a day, or nearly
HEALTH, PROJECT = "health", "project"
# what one first wants to know of somebody
WANTED = (
    "name", "allergy", "intolerance", "condition", "medication", "lives_in", "occupation", "works_at", "partner",
    "child", "relative", "pet", "diet", "major", "hometown", "age", "birthday", "language",
)  # fmt: skip
# of which there are often several, and how many of each stand
GRAVE, MOST_GRAVE = ("allergy", "intolerance", "condition", "medication"), 3
HABITS = frozenset({"diet", "habit", "likes", "dislikes"})  # what is told of these has begun for good
OF_USER = ("identity", "status", "relation", "health", "preference")  # categories of what the user is told by


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the snapshot, the memories that it tells, and the tokens that what is put before it takes."""

    text: str
    told: tuple[Candidate, ...] = ()
    spare: int = 0

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(record.id for each in self.told for record in each.records)

    @property
    def tokens(self) -> int:
        return estimate_tokens(f"{self.text}\n") + self.spare


@dataclass(slots=True)
class Page:
    """The snapshot as it is put together: what stands in each section, and the tokens that are left."""

    words: Mapping[str, str]
    counts: Mapping[str, Any]
    left: int = 0
    lines: dict[str, list[Line]] = field(default_factory=lambda: {name: [] for name in HEADINGS})

    def heading(self, name: str) -> str:
        """The title of a section; that of the core counts its memories."""
        return self.words[name].format(days=HEADINGS[name], count=len(self.lines[name]) or _MOST_LINES)

    def room(self, name: str) -> int:
        """The tokens that are left for lines of that section."""
        return self.left - (0 if self.lines[name] else estimate_tokens(f"{self.heading(name)}\n\n"))

    def take(self, name: str, lines: Iterable[Line], most: int | None = None) -> None:
        """Put the lines into the section, in order, as many as there is room for, and `most` tokens; of a memory that
        stands already none."""
        left = self.room(name) if most is None else min(self.room(name), most)
        placed, kept = self.placed, list[Line]()
        for each in lines:
            if each.tokens <= left and placed.keys().isdisjoint(each.ids):
                placed |= dict.fromkeys(each.ids, name)
                kept.append(each)
                left -= each.tokens
        if kept:
            self.left = self.room(name) - cost(kept)
            self.lines[name] += kept

    def arrange(self, name: str, order: Iterable[Line]) -> None:
        """Let the lines of the section stand in that order."""
        there = {each.ids for each in self.lines[name]}
        self.lines[name] = [each for each in order if each.ids in there]

    @property
    def placed(self) -> dict[str, str]:
        """The section of each memory that stands there, by its id."""
        return {key: name for name, lines in self.lines.items() for each in lines for key in each.ids}

    def left_of(self, found: Iterable[Candidate]) -> list[Candidate]:
        """Those of the candidates that stand in no section yet."""
        placed = self.placed
        return [each for each in found if each.record.id not in placed]

    def text(self, core: Iterable[str]) -> str:
        """The whole page, with these lines as its core."""
        told = {name: [each.text for each in lines] for name, lines in self.lines.items()} | {"top": [*core]}
        parts = [[self.heading(name), *told[name], ""] for name in HEADINGS if told[name]]
        return "\n".join([self.head, *("\n".join(part) for part in parts), self.foot])

    @property
    def tokens(self) -> int:
        """What the page takes, its core numbered."""
        return estimate_tokens(self.text(f"{NUMBER}{each.text}" for each in self.lines["top"]))

    @property
    def head(self) -> str:
        return f"{self.words['title']}\n{self.words['made'].format(**self.counts)}\n{self.words['days']}\n"

    @property
    def foot(self) -> str:
        return "\n".join([self.words["index"], self.words["library"].format(**self.counts), self.words["search"], ""])


def choose(found: list[Line], room: int, budget: TokenBudget) -> list[Line]:
    """Fill the room by rank: the first topic may take its share of it, then the second and third, all others the rest;
    what the shares leave over goes to whatever comes next in rank."""
    shares = (budget.layer1_top1, budget.layer1_top2, budget.layer1_top3)
    topics = dict(zip(dict.fromkeys(each.told[0].topic for each in found), shares, strict=False))
    allowance = {topic: int(room * share) for topic, share in {**topics, "": budget.layer1_rest}.items()}
    picked: dict[str, Line] = {}
    for each in found:
        topic = each.told[0].topic if each.told[0].topic in topics else ""
        if each.tokens <= allowance[topic]:
            picked[each.ids[0]] = each
            allowance[topic] -= each.tokens
    others = [each for each in found if each.ids[0] not in picked]
    picked |= {each.ids[0]: each for each in fitting(others, room - cost(picked.values()), attrgetter("tokens"))}
    return [each for each in found if each.ids[0] in picked]


def cost(lines: Iterable[Line]) -> int:
    """The tokens that the lines take together."""
    return sum(each.tokens for each in lines)


def about(found: Iterable[Candidate], moment: datetime) -> Iterator[Line]:
    """What the user has said of themselves and of those near them, where no slot tells it: what was said last of each
    of the things that one first wants to know, what matters for their health, and then the best of every category in
    turn."""
    own = [each for each in found if _is_of_user(each.record, moment)]
    own.sort(key=_of_another)
    of_health = (each for each in own if each.record.category == HEALTH)
    told = ([each for each in own if each.record.category == name] for name in OF_USER)
    turns = (each for turn in zip_longest(*told) for each in turn if each)
    for each in {each.record.id: each for each in (*_first_wanted(own), *of_health, *turns)}.values():
        yield _bullet(each, _said_on(each, moment), moment)


def _is_of_user(record: Fact, moment: datetime) -> bool:
    is_own = record.form in (QUOTE, STATEMENT) and record.subject == USER and not record.stance
    return is_own and is_lasting(record) and not _lies_ahead(record, moment)


def _first_wanted(own: Iterable[Candidate]) -> Iterator[Candidate]:
    """Of each attribute that one first wants to know, what tells of it and was said last: what is of its kind before
    what only mentions it, sentences before quotes."""
    newest = sorted(own, key=attrgetter("said"), reverse=True)
    newest.sort(key=lambda each: (each.record.form == QUOTE, _of_another(each)))
    for name in WANTED:
        told = [each for each in newest if name in each.record.tells]
        told.sort(key=lambda each: each.record.category != attributes.about(name).get("category"))
        yield from islice(told, MOST_GRAVE if name in GRAVE else 1)


def _of_another(candidate: Candidate) -> bool:
    """Whether a model's sentence does not name the user at all."""
    record = candidate.record
    return record.form == STATEMENT and USER_NAME.get(record.lang, "") not in record.content


def in_order(told: Iterable[Line]) -> list[Line]:
    """What the user has said of themselves, category by category, what was said last first."""
    places = {name: place for place, name in enumerate(OF_USER)}
    newest = sorted(told, key=lambda line: line.told[0].said, reverse=True)
    return sorted(newest, key=lambda line: places.get(line.told[0].record.category, len(places)))


def constraints(found: Iterable[Candidate], moment: datetime) -> Iterator[Line]:
    """How the assistant must behave, and what keeps the user safe, both in the owner's own earnest words."""
    for each in found:
        record = each.record
        if record.category not in shortlist.CONSTRAINT_CATEGORIES or not trust.is_owners(record.evidence):
            continue
        meant = record.form != QUOTE or not record.stance
        if is_standing_order(record) and record.subject == USER and meant and not isinstance(record, Belief):
            yield _bullet(each, _said_on(each, moment), moment)


def coming(found: Iterable[Candidate], moment: datetime) -> tuple[list[Line], list[Line]]:
    """What lies ahead, the nearest first: in the next days, and later; a month or a year counts from its end."""
    until = f"{(moment + timedelta(days=COMING_DAYS + 1)).date()}T00:00"
    may_stand = (each for each in found if _stands_ahead(each.record, moment))
    may_stand = (each for each in may_stand if not _has_given_way(each, moment))
    ahead = [(each, event) for each in may_stand if _is_to_come(each) and (event := each.record.event_time)]
    ahead.sort(key=lambda pair: (pair[1].start if pair[1].granularity in FINE else pair[1].end, pair[0].record.id))
    near: list[Line] = []
    later: list[Line] = []
    for each, event in ahead:
        is_near = event.granularity in FINE and event.start < until
        (near if is_near else later).append(_bullet(each, dates.happens(event), moment))
    return near, later


def _has_given_way(candidate: Candidate, moment: datetime) -> bool:
    """Whether what was said later of it stands there by its own day, and nothing else of it holds."""
    later = candidate.later
    return later is not None and _stands_ahead(later, moment) and not tells_more(candidate.record)


def _stands_ahead(record: Fact, moment: datetime) -> bool:
    return _lies_ahead(record, moment) and is_clear(record)


def _lies_ahead(record: Fact, moment: datetime) -> bool:
    """Whether it speaks of a day that is to come, or of days that are not over, or is a plan for a month; a remark that
    names a month does not ("four years in June"), nor what has begun for good ("since this week I eat no meat")."""
    event, today = record.event_time, f"{moment.date()}T00:00"
    if event is None or event.end <= today:
        return False
    is_planned = event.granularity in FINE or record.category in shortlist.PLAN_CATEGORIES
    return is_planned and (event.start >= today or HABITS.isdisjoint(record.tells))


def _is_to_come(candidate: Candidate) -> bool:
    """Whether what it speaks of happens on its day: an allergy does not, whatever day was named beside it."""
    return not candidate.record.attribute or candidate.record.attribute in shortlist.PLAN_ATTRIBUTES


def projects(found: Iterable[Candidate], moment: datetime) -> Iterator[Line]:
    """What was decided and told of projects."""
    for each in found:
        if each.record.category == PROJECT and is_lasting(each.record):
            yield _bullet(each, _day_of(each.record, moment), moment)


def recent(found: Iterable[Candidate], moment: datetime) -> Iterator[Line]:
    """What was said in the last days, newest first."""
    since = clock.stamp(moment - timedelta(days=shortlist.RECENT_DAYS - 1))
    late = [each for each in found if each.said >= since]
    for each in sorted(late, key=lambda each: (each.said, each.record.id), reverse=True):
        if is_clear(each.record):
            yield _bullet(each, _day_of(each.record, moment), moment)


def core(found: Iterable[Candidate], moment: datetime) -> Iterator[Line]:
    """The memories in words, but for those that lean on what stood around them; their numbers and ranks are put before
    them."""
    for each in found:
        if is_lasting(each.record) and not each.record.context:
            yield numbered(_words(each, _said_on(each, moment), moment), each)


def numbered(words: str, candidate: Candidate) -> Line:
    """A line of the core, with room for its number and rank."""
    return Line(words, (candidate,), spare=estimate_tokens(NUMBER))


def _bullet(candidate: Candidate, day: str, moment: datetime) -> Line:
    """The memory as a line of a list."""
    return Line(f"- {_words(candidate, day, moment)}", (candidate,))


def _words(candidate: Candidate, day: str, moment: datetime) -> str:
    """The memory behind a day, before what was said later of it."""
    words = f"{day}: {short(candidate.record)}" if day else short(candidate.record)
    return words + told_later(candidate, moment)


def told_later(candidate: Candidate, moment: datetime) -> str:
    """What was said later of the memory, as it stands behind it; empty where nothing was."""
    if candidate.later is None:
        return ""
    later = LATER[told_in(candidate.record.lang)]
    return later.format(day=_day_of(candidate.later, moment), words=short(candidate.later))


def _said_on(candidate: Candidate, moment: datetime) -> str:
    """The day of a quote, which later words may tell otherwise; what fills a slot is as it is today."""
    return _day_of(candidate.record, moment) if candidate.record.form == QUOTE else ""


def _day_of(record: Fact, moment: datetime) -> str:
    """The local day on which it was said."""
    return clock.day_of(record.said_at or record.created, moment.tzinfo or UTC)
