"""Times of day: from the fields part, hour, minute, half (am, pm, or exact by the 24-hour clock) to an interval."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

Fields = Mapping[str, Any]
Interval = tuple[datetime, datetime, str]  # [start, end) in local time, granularity

TIMES = frozenset(("part", "hour", "minute", "half", "quarter_hour", "tonight"))
PARTS = {  # hours from the day's midnight
    "early": (0, 6),
    "morning": (6, 12),
    "midday": (11, 14),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 30),
}
_HOURS = {  # which hours may be said with the part: 早上5点, 晚上12点
    "early": (0, 6),
    "morning": (4, 12),
    "midday": (11, 15),
    "afternoon": (12, 19),
    "evening": (17, 25),
    "night": (20, 25),
}


def at_day(fields: Fields, day: date) -> Interval | None:
    """The time of day that the fields name, on that day."""
    hour = hour_of(fields)
    if hour is None:
        return None
    minute = fields.get("minute", fields.get("quarter_hour", 0))
    start = midnight(day) + timedelta(hours=hour, minutes=minute)
    return start, start + timedelta(**{"minutes" if minute else "hours": 1}), "minute" if minute else "hour"


def part_of_day(part: str, day: date) -> Interval:
    """The morning, the evening, ... of that day."""
    first, last = PARTS[part]
    return midnight(day) + timedelta(hours=first), midnight(day) + timedelta(hours=last), "part"


def part_named(start: datetime, end: datetime) -> str | None:
    """Which part of a day the interval is."""
    hours = int((end - start).total_seconds()) // 3600
    return next((part for part, (first, last) in PARTS.items() if (first, last - first) == (start.hour, hours)), None)


def hours_away(anchor: datetime, number: float, unit: str, way: int) -> Interval:
    """So many hours or minutes from the anchor, by the clock also over a change to or from summer time."""
    minutes = number * (60 if unit == "hour" else 1)
    exact = "minute" if unit == "minute" or number % 1 else "hour"
    there = (anchor.astimezone(UTC) + timedelta(minutes=way * minutes)).astimezone(anchor.tzinfo)
    start = there.replace(tzinfo=None, minute=there.minute if exact == "minute" else 0, second=0, microsecond=0)
    return start, start + timedelta(**{exact + "s": 1}), exact


def midnight(day: date) -> datetime:
    """The first moment of the day, as naive local time."""
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001  local time of the owner, by contract


def hour_of(f: Fields) -> int | None:
    """The hour in 0..30 counted from the day's midnight; None when it may be before or after noon."""
    hour: int = f.get("hour", -1)
    half, part = f.get("half"), f.get("part")
    if half in ("am", "pm"):
        hour = hour % 12 + (12 if half == "pm" else 0)
        return hour + 24 if part == "night" and hour < 6 else hour
    if part:
        first, last = _HOURS[part]
        fitting = [each for each in {hour, hour + 12, 0 if hour == 12 else hour} if first <= each < last]
        return fitting[0] if len(fitting) == 1 else None
    return hour if 13 <= hour < 24 or (half == "exact" and hour >= 0) else None
