"""From where an expression of time is understood: the moment of speaking and the tense of its clause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta


@dataclass(slots=True)  # not frozen: one is made for every expression, and freezing costs more than making
class Moment:
    """When it was said (aware, in the owner's zone) and the tense of the clause: -1 past, 1 future, 0 open, None a
    habit. `own_tense` does not look beyond the clause; `yearly` tells birthdays, whose date has no year; `adverbial`
    tells that the words stand where a clause says when, `either` that the clause may tell of past or future alike,
    `surely` that it says outright that it is ahead, `is_past` that its own words tell of the past."""

    anchor: datetime
    tense: Callable[[], int | None]
    own_tense: Callable[[], int | None]
    yearly: Callable[[], bool]
    adverbial: Callable[[], bool]
    either: Callable[[], bool]
    surely: Callable[[], bool]
    is_past: Callable[[], bool]

    @classmethod
    def ahead(cls, anchor: datetime) -> Moment:
        """The moment for what lies ahead."""
        return cls(
            anchor, lambda: 1, lambda: 1, lambda: False, lambda: False, lambda: False, lambda: True, lambda: False
        )

    @property
    def today(self) -> date:
        return self.anchor.date()

    @property
    def monday(self) -> date:
        return self.today - timedelta(days=self.today.weekday())
