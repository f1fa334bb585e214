"""Time expressions in English and Chinese, as intervals of local time. Atoms (`rules/dates.toml`) that stand side by
side join into one expression ("tomorrow" + "at 3 pm"); an expression that may mean two things means nothing here.

Weeks begin on Monday. "last Friday" is the latest one before today; "next Friday" and 下周五 lie in the next week,
上周五 in the one before. Seasons are the whole months of the northern year. A date without a year and a weekday without
a week go by the tense of their clause: what is past or lies ahead never becomes the other, and a bare weekday whose
clause tells neither means nothing. "two weeks ago" is that week, "three months ago" that month.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from memory_system import records
from memory_system.dates.atoms import count, is_timely
from memory_system.dates.finding import DAILY, When, find, in_one, is_hour, meant, nameable, standing
from memory_system.dates.writing import Marked, figures, marked, spell

__all__ = [
    "DAILY",
    "Marked",
    "When",
    "count",
    "event_in",
    "find",
    "happens",
    "is_hour",
    "is_timely",
    "marked",
    "meant",
    "nameable",
    "spell",
    "standing",
    "to_event",
]


def to_event(when: When) -> records.EventTime:
    """The interval as it is stored: local ISO text, to the minute."""
    start, end = (moment.isoformat(timespec="minutes") for moment in (when.start, when.end))
    return records.EventTime(start=start, end=end, granularity=when.granularity, text=when.text)


def happens(when: records.EventTime) -> str:
    """When it happens, as exactly as that was said: 2026-04-24, 2026-04-20/26, 2026-04, 2026-04-24 15:00."""
    start, end = map(datetime.fromisoformat, (when.start, when.end))
    return figures(When((0, 0), start, end, when.granularity, when.text))


def event_in(text: str, whens: Sequence[When], lang: str) -> records.EventTime | None:
    """The first of the expressions that were found in the text and stand, as it is stored; a range to its end."""
    return to_event(in_one(text, whens, lang)) if whens else None
