"""The form of a model's answer: operations on the memory, and what each rests on: the lines that it names, those near
them, and what was known of the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from itertools import compress
from typing import Any, Literal

from pydantic import BaseModel, ValidationError, field_validator

from memory_system import attributes, dates, text
from memory_system.dates import numerals
from memory_system.phases.screen import Judged
from memory_system.phases.shown import Known, Line
from memory_system.records import STOCK_NAMES, USER, Fact
from memory_system.store.gist import gist_of
from memory_system.text import simplified
from memory_system.understand import matters
from memory_system.understand.claims import Filled, content_of

GRAVE_KINDS = frozenset({"health", "instruction"})  # of a sentence that is new
BEFORE, AFTER = 4, 2  # lines before and behind a line from which a sentence may take what it names

_BETWEEN = re.compile(r"[,;，；、/]+")

Spot = tuple[str, int]  # a segment: the ref of its message, and where it starts
STOCK = re.compile("|".join(sorted(STOCK_NAMES, key=len, reverse=True)))  # what the memory calls its people
Kind = Literal["profile", "health", "relation", "preference", "instruction", "plan", "event", "project"]


class Operation(BaseModel):
    op: Literal["add", "update", "end"]
    lines: list[int]
    id: str = ""  # of the memory that is updated or ended
    about: str = ""  # user, or a name; whom a slot is of
    slot: str = ""
    value: str = ""
    text: str = ""
    when: str = ""  # start, or start/end: local ISO dates or times
    until: str = ""
    maybe: bool = False
    ask: str = ""  # a question that it answers, in other words
    words: list[str] = []  # more words by which somebody may ask for it
    kind: Kind = "event"

    @field_validator("ask", mode="before")
    @classmethod
    def _asked(cls, question: Any) -> Any:
        """It may not come at all."""
        return question or ""

    @field_validator("words", mode="before")
    @classmethod
    def _listed(cls, words: Any) -> Any:
        """They may come in one string, or not at all."""
        return _BETWEEN.split(words) if isinstance(words, str) else words or []

    def parts(self) -> list[Operation]:
        """The operation, or where it fills a slot and tells a sentence beside it, one for each."""
        if self.op != "add" or not (self.slot and self.value and self.text):
            return [self]
        return [self.model_copy(update={"text": ""}), self.model_copy(update={"slot": "", "value": ""})]


class Operations(BaseModel):
    operations: list[Operation]

    @field_validator("operations", mode="before")
    @classmethod
    def _each_alone(cls, rows: Any) -> Any:
        """One that is not as it was asked for says nothing of its lines, and spoils no other."""
        read = [_readable(row) for row in rows] if isinstance(rows, list) else []
        if not any(read):
            return rows  # which is none of what was asked for, or empty
        return [each or {"op": "add", "lines": _lines_in(row)} for each, row in zip(read, rows, strict=True)]


def _readable(row: Any) -> Operation | None:
    try:
        return Operation.model_validate(row)
    except ValidationError:
        return None


def _lines_in(row: Any) -> list[int]:
    lines = row.get("lines") if isinstance(row, dict) else None
    return [each for each in lines if type(each) is int] if isinstance(lines, list) else []


@dataclass(frozen=True)
class Basis:
    """An operation, the lines that were sent, what was known beforehand, and the names of those near the owner; `also`
    is what the same answer tells of its lines besides."""

    operation: Operation
    lines: Sequence[Line]
    known: Known
    near: frozenset[str]
    zone: tzinfo
    also: str = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that it may use, however the lines called them."""
        return self.near.union(self.known.names) - {USER, *STOCK_NAMES}

    @cached_property
    def numbers(self) -> list[int]:
        """The lines that it names, in order; none where one of them was not sent."""
        found = sorted({*self.operation.lines})
        return found if found and found[0] >= 1 and found[-1] <= len(self.lines) else []

    @cached_property
    def named(self) -> list[Line]:
        return [self.lines[number - 1] for number in self.numbers]

    @cached_property
    def around(self) -> list[Line]:
        """The named lines, and those near them in their sessions."""
        places = {at for number in self.numbers for at in range(max(0, number - 1 - BEFORE), number + AFTER)}
        sessions = {line.message.session for line in self.named}
        near = (self.lines[at] for at in sorted(places) if at < len(self.lines))
        return [line for line in near if line.message.session in sessions]

    @cached_property
    def target(self) -> Fact | None:
        """The memory that it changes."""
        return self.known.records.get(self.operation.id) if self.operation.op != "add" else None

    @cached_property
    def subject(self) -> str:
        """Whom it is about: where it does not say, the one whom the memory that it changes is about."""
        who = self.operation.about
        if not who and self.target is not None:
            return self.target.subject
        return USER if who in ("", USER, *STOCK_NAMES) else who

    @cached_property
    def slot(self) -> str:
        return self.operation.slot or (self.target.attribute if self.target is not None else "")

    def slot_told(self, value: str, lang: str) -> str:
        """The sentence that says what stands in the slot."""
        return content_of(Filled(self.subject, self.slot, value, True, (0, 0), (0, 0), ""), lang)

    @cached_property
    def category(self) -> str:
        """The category of the slot or of the memory that it changes; empty for a sentence that is new."""
        slot = str(attributes.about(self.slot).get("category", "")) if self.slot else ""
        return slot or (self.target.category if self.target is not None else "")

    @cached_property
    def recalled(self) -> list[Fact]:
        """What was known of the same: the memory that it changes, and those with which it shares a name or a word that
        tells matters apart."""
        mine = telling_of(told(self.operation))
        alike = (each for each in self.known.records.values() if not mine.isdisjoint(telling_of(each.content)))
        return list({each.id: each for each in (self.target, *alike) if each is not None}.values())

    @cached_property
    def words(self) -> str:
        """All that it may take its names and numbers from."""
        parts = [part for line in self.around for part in (line.message.speaker, line.before, line.words)]
        known = [part for each in self.recalled for part in (each.content, each.value)]
        return simplified(text.straight("\n".join(filter(None, (*parts, *known, *self.names)))))

    @cached_property
    def sent(self) -> str:
        """All that was sent, and who is known: where a name that is not grave may come from."""
        if self.is_grave:
            return self.words
        parts = (part for line in self.lines for part in (line.before, line.pasted, line.words))
        known = (each.content for each in self.known.records.values())
        return "\n".join((self.words, simplified(text.straight("\n".join((*parts, *known))))))

    @cached_property
    def figures(self) -> set[str]:
        """The numbers of those words, in figures."""
        return numerals.said_in(self.words)

    @cached_property
    def folded(self) -> str:
        return text.fold(self.words)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The plain forms of those words."""
        return frozenset(each for part in self.words.split("\n") for each in gist_of(part).words)

    @cached_property
    def whens(self) -> list[tuple[datetime, datetime]]:
        """The times of which the lines speak, and the days on which they were said."""
        found = []
        for line in self.around:
            spoken = dates.find(f"{line.before}\n{line.words}", line.moment(self.zone))
            found += [(bare(each.start), bare(each.end)) for each in spoken]
        days = (datetime.combine(line.moment(self.zone).date(), datetime.min.time()) for line in self.named)
        found += [(day, day + timedelta(days=1)) for day in days]
        for event in (each.event_time for each in self.recalled if each.event_time is not None):
            found.append((bare(datetime.fromisoformat(event.start)), bare(datetime.fromisoformat(event.end))))
        return found

    @cached_property
    def meant(self) -> list[tuple[Judged, str]]:
        """The segments of the named lines that it rests on, with their words."""
        return [(each, line.text_of(each)) for line, each in self._rests_on]

    @cached_property
    def spots(self) -> set[Spot]:
        """Where they stand."""
        return {(line.message.ref, each.segment.start) for line, each in self._rests_on}

    @cached_property
    def _rests_on(self) -> list[tuple[Line, Judged]]:
        """The segments that share a word with it, or all of the named lines."""
        ended = self.target.content if self.target is not None and not told(self.operation) else ""
        mine = {*matters.terms_of(told(self.operation) or ended)}
        found = [(line, each) for line in self.named for each in line.judged]
        alike = (not mine.isdisjoint(matters.terms_of(line.text_of(each))) for line, each in found)
        return list(compress(found, alike)) or found

    @cached_property
    def is_grave(self) -> bool:
        """Whether it is of what must not be wrong: health, who somebody is, what the agent is told to do."""
        if self.category:
            return self.category in attributes.CERTAIN
        health = any(each.segment.keep == "health" for each, _ in self.meant if not each.reason)
        return health or self.operation.kind in GRAVE_KINDS


def telling_of(words: str) -> set[str]:
    """The terms of words that tell matters apart; what the memory calls its people tells none."""
    return {*matters.telling(STOCK.sub(" ", simplified(text.straight(words))))}


def bare(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)


def told(operation: Operation) -> str:
    """All that an operation says, for looking at its words."""
    return " ".join(filter(None, (operation.text, operation.value)))


def told_of_lines(operation: Operation, answer: Operations) -> str:
    """What an answer tells besides of the lines of an end, which itself names nothing: "we split up" may not say with
    whom."""
    if operation.op != "end":
        return ""
    others = (each for each in answer.operations if each is not operation)
    alike = (each for each in others if not {*each.lines}.isdisjoint(operation.lines))
    return "\n".join(map(told, alike))
