"""Spans of whole days, and how one is reached from a day: the arithmetic under every relative date."""

from __future__ import annotations

from datetime import date, timedelta

from memory_system.dates.hours import Fields, Interval, midnight

MONTH = 31  # days: what is farther is not "the next one"
_WEEK = 7  # days that two readings of "next Thursday" lie apart
Span = tuple[date, date, str]  # [first day, day after the last), granularity


def one_day(day: date) -> Span:
    """A day as a span."""
    return day, day + timedelta(days=1), "day"


def weekend_of(monday: date) -> Span:
    """The weekend of the week that begins on that Monday."""
    return monday + timedelta(days=5), monday + timedelta(days=7), "weekend"


def next_month(day: date) -> date:
    """The first day of the month after the one that begins on that day, or holds it."""
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


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
    months = (month_after(today, step * way) for step in range(3))
    days = (day for year, month in months if (day := valid_day(year, month, number)))
    return next((day for day in days if (day - today).days * way > 0), None)


def weekday_of_month(number: int, dow: int, today: date, tense: int) -> Span | None:
    """Tuesday 31st: the first such day that is a Tuesday, of this month and the next two; where the tense is past, the
    last of this month and the two before."""
    way = -1 if tense < 0 else 1
    months = (month_after(today, step * way) for step in range(3))
    days = (day for year, month in months if (day := valid_day(year, month, number)))
    return next((one_day(day) for day in days if day.weekday() == dow and (day - today).days * way >= 0), None)


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
        target = day + timedelta(days=steps if unit == "week_day" else 7 * steps)
        monday = target - timedelta(days=target.weekday())
        return weekend_of(monday) if unit == "weekend" else (monday, monday + timedelta(days=7), "week")
    if unit == "month":
        first = date(*month_after(day, steps), 1)
        return first, next_month(first), "month"
    if unit == "year":
        return date(day.year + steps, 1, 1), date(day.year + steps + 1, 1, 1), "year"
    first_year = (day.year + 10 * steps) // 10 * 10
    return date(first_year, 1, 1), date(first_year + 10, 1, 1), "decade"


def following(fields: Fields, day: date) -> Interval | None:
    """The first such weekday, day or month after the day: how a range ends ("Monday to Wednesday")."""
    if "dow" in fields:
        span = one_day(day + timedelta(days=(fields["dow"] - day.weekday() - 1) % 7 + 1))
    elif "month" not in fields:
        found = such_day(fields["day"], day, 1)
        if found is None:
            return None
        span = one_day(found)
    else:
        number = fields.get("day", 1)
        year = day.year + ((fields["month"], number) <= (day.month, day.day))
        first = valid_day(year, fields["month"], number)
        if first is None:
            return None
        span = one_day(first) if "day" in fields else (first, next_month(first), "month")
    return midnight(span[0]), midnight(span[1]), span[2]
