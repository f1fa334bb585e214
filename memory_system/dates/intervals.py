"""From single fields of a time expression to intervals of local time: hours and parts of a day, whole days, festivals,
and how one day is reached from another. The arithmetic under every relative date."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any

from memory_system.rules import table

Fields = Mapping[str, Any]
Interval = tuple[datetime, datetime, str]  # [start, end) in local time, granularity
Span = tuple[date, date, str]  # [first day, day after the last), granularity

TIMES = frozenset(("part", "hour", "minute", "half", "quarter_hour", "tonight"))
MONTH = 31  # days: what is farther is not "the next one"
_WEEK = 7  # days that two readings of "next Thursday" lie apart
_RELATIVE = frozenset(("years", "months", "week", "days", "quarters", "rel", "sign"))
_PARTS = {  # its hours from the day's midnight, and which hours may be said with it: 早上5点, 晚上12点
    "early": ((0, 6), (0, 6)),
    "morning": ((6, 12), (4, 12)),
    "midday": ((11, 14), (11, 15)),
    "afternoon": ((12, 18), (12, 19)),
    "evening": ((18, 24), (17, 25)),
    "night": ((18, 30), (20, 25)),
}


def complete(fields: Fields) -> bool:
    """Whether the words say it all, without the moment of speaking."""
    counted = fields.get("sign") in ("before", "after") and fields["unit"] in ("week", "weekend")
    if (fields.keys() - {"sign"} if counted else fields.keys()) & _RELATIVE:
        return False
    return bool(fields.keys() & {"year", "winter"}) or fields.get("decade", 0) >= 1000


def kind(fields: Fields) -> frozenset[str]:
    """The date fields in a canonical form, the key of the table of what can be computed."""
    keys = set(fields) - TIMES - {"of"}
    if fields.get("sign") in ("before", "after"):
        keys -= {"n", "unit", "sign"}
    if "years" in keys:
        keys = keys - {"years"} | {"year"}
    if "months" in keys:
        keys = keys - {"months"} | {"year", "month"}
    return frozenset(keys)


def dated(fields: Fields) -> Fields:
    """The fields without the time of day."""
    return {key: value for key, value in fields.items() if key not in TIMES}


# Hours


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
    (first, last), _ = _PARTS[part]
    return midnight(day) + timedelta(hours=first), midnight(day) + timedelta(hours=last), "part"


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
        _, (first, last) = _PARTS[part]
        fitting = [each for each in {hour, hour + 12, 0 if hour == 12 else hour} if first <= each < last]
        return fitting[0] if len(fitting) == 1 else None
    return hour if 13 <= hour < 24 or (half == "exact" and hour >= 0) else None


# Days


def whole(span: Span) -> Interval:
    """The span from midnight to midnight."""
    return midnight(span[0]), midnight(span[1]), span[2]


def one_day(day: date) -> Span:
    return day, day + timedelta(days=1), "day"


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def week_of(monday: date) -> Span:
    return monday, monday + timedelta(days=7), "week"


def weekend_of(monday: date) -> Span:
    return monday + timedelta(days=5), monday + timedelta(days=7), "weekend"


def weekday_after(day: date, dow: int) -> date:
    """The first such day of a week after the day."""
    return day + timedelta(days=(dow - day.weekday() - 1) % 7 + 1)


def weekday_before(day: date, dow: int) -> date:
    """The last such day of a week before the day."""
    return day - timedelta(days=(day.weekday() - dow - 1) % 7 + 1)


def months_from(year: int, month: int, count: int, granularity: str) -> Span:
    """So many whole months from that one on."""
    first = date(year, month, 1)
    return first, date(*month_after(first, count), 1), granularity


def month_after(day: date, months: int) -> tuple[int, int]:
    """(year, month) so many months after the month of the day."""
    number = day.year * 12 + day.month - 1 + months
    return number // 12, number % 12 + 1


def valid_day(year: int, month: int, day: int) -> date | None:
    """The day, or None when the month has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def such_day(number: int, today: date, way: int) -> date | None:
    """The nearest day of that number before (-1) or after (1) today."""
    return next((day for day in _numbered(number, today, way) if (day - today).days * way > 0), None)


def weekday_of_month(number: int, dow: int, today: date, way: int) -> Span | None:
    """Tuesday 31st: the first such day that is a Tuesday, of this month and the next two, else the last of the two
    before; where the `way` is back (-1), the other way round."""
    days = (
        day
        for side in (way, -way)
        for day in _numbered(number, today, side)
        if day.weekday() == dow and (day - today).days * side >= 0
    )
    return next(map(one_day, days), None)


def _numbered(number: int, today: date, way: int) -> Iterator[date]:
    """The days of that number of this month and the two before (-1) or after (1) it."""
    months = (month_after(today, step * way) for step in range(3))
    return (day for year, month in months if (day := valid_day(year, month, number)))


def said_twice(near: date, number: int, month: int | None) -> Span | None:
    """Next Thursday, 2 April; next Thursday the 2nd: the date that is nearest to the day of a week, if it is such a
    day; which week "next" means not everybody agrees."""
    months = [(near.year + step, month) if month else month_after(near, step) for step in (-1, 0, 1)]
    days = (valid_day(*each, number) for each in months)
    close = (day for day in days if day and abs(day - near).days <= _WEEK)
    return next((one_day(day) for day in close if day.weekday() == near.weekday()), None)


def moved(day: date, n: float, unit: str, way: int) -> Span | None:
    """The day, week, month, year or decade so far before (-1) or after (1) the day. None for half a day or week."""
    if n % 1:
        halves = {"month": (30, "week_day"), "year": (12, "month"), "decade": (10, "year")}
        if unit not in halves:
            return None
        whole, unit = halves[unit]
        n *= whole
    if unit == "fortnight":
        n, unit = 2 * n, "week"
    steps = int(n) * way
    if unit == "day":
        return one_day(day + timedelta(days=steps))
    if unit in ("week", "week_day", "weekend"):
        monday = monday_of(day + timedelta(days=steps if unit == "week_day" else 7 * steps))
        return weekend_of(monday) if unit == "weekend" else week_of(monday)
    if unit == "month":
        return months_from(*month_after(day, steps), 1, "month")
    if unit == "year":
        return months_from(day.year + steps, 1, 12, "year")
    return months_from((day.year + 10 * steps) // 10 * 10, 1, 120, "decade")


def following(fields: Fields, day: date) -> Interval | None:
    """The first such weekday, day or month after the day: how a range ends ("Monday to Wednesday")."""
    if "dow" in fields:
        found: date | None = weekday_after(day, fields["dow"])
    elif "month" not in fields:
        found = such_day(fields["day"], day, 1)
    else:
        number = fields.get("day", 1)
        year = day.year + ((fields["month"], number) <= (day.month, day.day))
        if "day" not in fields:
            return whole(months_from(year, fields["month"], 1, "month"))
        found = valid_day(year, fields["month"], number)
    return whole(one_day(found)) if found else None


# Festivals


def festivals() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table("dates", "festivals")["known"]
    return found


def festival_day(number: int, year: int) -> date | None:
    """The day of a festival in that year; None outside the table of lunar dates."""
    row = festivals()[number]
    if "table" in row:
        years = table("dates", "table")
        place = year - years["first"]
        if not 0 <= place < len(years[row["table"]]):
            return None
        month, number = divmod(years[row["table"]][place], 100)
        day = date(year if month else year - 1, month or 12, number)
    elif "nth" in row:
        first = date(year, row["month"], 1)
        day = first + timedelta(days=(row["weekday"] - first.weekday()) % 7 + 7 * (row["nth"] - 1))
    else:
        day = date(year, row["month"], row["day"])
    return day + timedelta(days=row.get("offset", 0))


def festival_number(words: str) -> int:
    """Which of the `festivals` that name is."""
    return _names()[words.lower().replace("’", "'")]


def festival_form(lang: str) -> str:
    """A pattern of all names in that language, the longest first."""
    names = (name for name in _names() if name.isascii() == (lang == "en"))
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True)).replace("'", "['’]")


@cache
def _names() -> dict[str, int]:
    return {name.lower(): number for number, row in enumerate(festivals()) for name in row["names"]}


class Moment:
    """When it was said (aware, in the owner's zone), and whether what was said is known to be past (-1) or to lie ahead
    (1). What clauses may tell: `tense`, which is -1 past, 1 future, 0 open, None a habit, and `own_tense`, which does
    not look beyond the clause; `yearly`, of birthdays, whose date has no year; `adverbial`, that the words stand where
    a clause says when; `surely`, that it says outright that it is ahead; `is_past`, that its own words tell of what
    was then."""

    def __init__(self, anchor: datetime, way: int = 0) -> None:
        self.anchor, self.today, self.now = anchor, anchor.date(), anchor.replace(tzinfo=None)
        self._way = way

    @property
    def monday(self) -> date:
        return monday_of(self.today)

    def tense(self) -> int | None:
        return self._way

    def own_tense(self) -> int | None:
        return self._way

    def _no(self) -> bool:
        return False

    yearly = adverbial = _no

    def surely(self) -> bool:
        return self._way > 0

    def is_past(self) -> bool:
        return self._way < 0
