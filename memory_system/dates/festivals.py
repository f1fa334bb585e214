"""Festivals: their names in both languages, and their days by year (`rules/dates.toml`; lunar ones from a table)."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import Any

from memory_system.rules import table


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


@lru_cache(64)
def festival_days(year: int) -> frozenset[date]:
    """Every day of that year on which one of them falls."""
    days = (festival_day(number, year) for number in range(len(festivals())))
    return frozenset(day for day in days if day)


def festival_number(words: str) -> int:
    """Which of the `festivals` that name is."""
    return _words()[words.lower().replace("’", "'")]


@cache
def festival_pattern() -> re.Pattern[str]:
    """Any name of a festival."""
    return re.compile(f"{festival_form('en')}|{festival_form('zh')}", re.IGNORECASE)


def festival_form(lang: str) -> str:
    """A pattern of all names in that language, the longest first."""
    names = (name for name in _words() if name.isascii() == (lang == "en"))
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True)).replace("'", "['’]")


@cache
def _words() -> dict[str, int]:
    return {name.lower(): number for number, row in enumerate(festivals()) for name in row["names"]}
