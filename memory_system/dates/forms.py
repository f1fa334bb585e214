"""The patterns of `rules/dates.toml`: the forms that they name put in, the alternatives of a list made one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from memory_system.dates.festivals import festival_form
from memory_system.rules import table

_NAME = re.compile(r"\{([a-z_]+)\}")


def alternatives(written: str | Sequence[str]) -> list[str]:
    """One pattern, or those of a list, with the forms put in."""
    return [_filled(each) for each in ([written] if isinstance(written, str) else written)]


def compiled(written: str | Sequence[str]) -> re.Pattern[str]:
    """What any of the alternatives finds, in capitals or not."""
    return re.compile("|".join(alternatives(written)), re.IGNORECASE)


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
    return {**table("dates", "form"), "festival": festival_form("en"), "festival_zh": festival_form("zh")}
