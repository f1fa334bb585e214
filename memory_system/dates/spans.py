"""Spans of whole days, and how one is reached from a day: the arithmetic under every relative date."""

from __future__ import annotations

from datetime import date, timedelta

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
