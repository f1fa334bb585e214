"""From where an expression of time is understood: the moment of speaking and what its clause tells."""

from __future__ import annotations

from datetime import date, datetime, timedelta


class Moment:
    """When it was said (aware, in the owner's zone), in a clause that tells nothing else. What clauses may tell:
    `tense`, which is -1 past, 1 future, 0 open, None a habit, and `own_tense`, which does not look beyond the clause;
    `yearly`, of birthdays, whose date has no year; `adverbial`, that the words stand where a clause says when;
    `either`, that it may be past or future alike; `surely`, that it says outright that it is ahead; `is_past`, that its
    own words tell of the past."""

    def __init__(self, anchor: datetime) -> None:
        self.anchor, self.today, self.now = anchor, anchor.date(), anchor.replace(tzinfo=None)

    @property
    def monday(self) -> date:
        return self.today - timedelta(days=self.today.weekday())

    def tense(self) -> int | None:
        return 0

    def own_tense(self) -> int | None:
        return self.tense()

    def _no(self) -> bool:
        return False

    yearly = adverbial = either = surely = is_past = _no


class Ahead(Moment):
    """The moment for what lies ahead."""

    def tense(self) -> int | None:
        return 1

    def surely(self) -> bool:
        return True
