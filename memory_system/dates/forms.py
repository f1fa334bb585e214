"""What `rules/dates.toml` says: its patterns, with the forms that they name put in, and the festivals, with their names
in both languages and their days by year (lunar ones from a table)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any

from memory_system.rules import caseless, table

_NAME = re.compile(r"\{([a-z_]+)\}")


def alternatives(written: str | Sequence[str]) -> list[str]:
    """One pattern, or those of a list, with the forms put in."""
    return [_filled(each) for each in ([written] if isinstance(written, str) else written)]


def compiled(written: str | Sequence[str]) -> re.Pattern[str]:
    """What any of the alternatives finds, in capitals or not."""
    return caseless("|".join(alternatives(written)))


@cache
def patterns(key: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a table of `rules/dates.toml`, compiled."""
    return {name: compiled(written) for name, written in table("dates", key).items()}


def _filled(pattern: str) -> str:
    """The pattern with its forms put in; forms may name forms. KeyError for a form that the file lacks."""
    while _NAME.search(pattern):
        pattern = _NAME.sub(lambda name: _forms()[name[1]], pattern)
    return pattern


@cache
def _forms() -> Mapping[str, str]:
    return {**table("dates", "form"), "festival": _festival_form("en"), "festival_zh": _festival_form("zh")}


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


def _festival_form(lang: str) -> str:
    """A pattern of all names in that language, the longest first."""
    names = (name for name in _names() if name.isascii() == (lang == "en"))
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True)).replace("'", "['’]")


@cache
def _names() -> dict[str, int]:
    return {name.lower(): number for number, row in enumerate(festivals()) for name in row["names"]}
