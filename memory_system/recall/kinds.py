"""Words for a whole kind: who asks for sports is answered by soccer, and 哪个城市 by 杭州. They stand in the group
`kinds` of `rules/asking.toml`, and places in `rules/gazetteer.toml`."""

from __future__ import annotations

from functools import cache

from memory_system.recall import terms
from memory_system.rules import load, table
from memory_system.text import is_cjk

PLACES = ("place", "city")  # by the last part of their ids


def kinds_of(folded: str) -> tuple[str, ...]:
    """The ids of the kinds that a question (in lower case) speaks of."""
    return tuple(rule.id for rule in load("asking")["kinds"].firing(folded))


@cache
def match(kind: str) -> str:
    """The FTS5 expression for all that is of the kind."""
    [rule] = [each for each in load("asking")["kinds"].rules if each.id == kind]
    names = filter(None, rule.data["names"].split("|"))
    return " OR ".join(dict.fromkeys(map(_one, [*names, *(_places(kind) if kind.endswith(PLACES) else ())])))


def _places(kind: str) -> list[str]:
    """The places of the gazetteer, as they are written in the language."""
    return [name for row in table("gazetteer", "same") for name in row if is_cjk(name) == kind.startswith("zh")]


def _one(name: str) -> str:
    return f"({' AND '.join(map(terms.match, terms.asked(name)))})"
