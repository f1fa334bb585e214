"""Places that have a name in each language: Beijing is 北京."""

from __future__ import annotations

from functools import cache

from memory_system.rules import table


def names_of(name: str) -> tuple[str, ...]:
    """All names of the place, the given one first; for what is no place that the table knows, that one alone."""
    others = _rows().get(name.casefold(), ())
    return (name, *(each for each in others if each.casefold() != name.casefold()))


def are_one(name: str, other: str) -> bool:
    """Whether both are names of one place."""
    return other.casefold() in (each.casefold() for each in _rows().get(name.casefold(), ()))


@cache
def _rows() -> dict[str, tuple[str, ...]]:
    same: list[list[str]] = table("gazetteer", "same")
    return {name.casefold(): tuple(row) for row in same for name in row}
