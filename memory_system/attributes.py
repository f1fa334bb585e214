"""What is known about attributes (`rules/attributes.toml`): their category, and what a category is worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from memory_system import rules
from memory_system.config import Config
from memory_system.records import ASSISTANT, STOCK_NAMES, USER, Fact, kind_of

GRAVE = frozenset({"health", "safety"})
CERTAIN = GRAVE | {"identity", "instruction"}  # categories of which nothing that was said may be left out
SCATTERED = frozenset({"general", "event", "schedule", "reminder", "todo"})  # no topics: such facts share nothing


def about(attribute: str) -> Mapping[str, Any]:
    """What the table says of the attribute, `favorite.color` being a `favorite`; empty when it knows nothing."""
    known: Mapping[str, Mapping[str, Any]] = rules.table("attributes", "attributes")
    return known.get(attribute.partition(".")[0], {})


def heard_as(attribute: str) -> str:
    """By which name the judge hears of the attribute."""
    return str(about(attribute).get("heard", attribute.partition(".")[0]))


def is_somebody(attribute: str) -> bool:
    """Whether what stands in the attribute is a person or an animal."""
    return about(attribute).get("value_type") in ("person", "animal")


def lasts(attribute: str) -> bool:
    """Whether the attribute holds a state, one at a time: since when it is so can be told."""
    row = about(attribute)
    return row.get("category") == "status" and bool(row.get("single"))


def importance_of(category: str, config: Config) -> float:
    """What a statement of the category is worth before any signal."""
    key = rules.table("attributes", "importance").get(category, "general_fact")
    return float(getattr(config.importance_rules, key))


@cache
def named(noun: str) -> str:
    """The attribute that a noun means ("birth date" is birthday, 家乡 is hometown), else the noun itself."""
    for attribute, nouns in rules.table("attributes", "nouns").items():
        if noun in nouns:
            return str(attribute)
    return noun


def topics_of(row: Mapping[str, Any]) -> Iterator[str]:
    """The topics that a memory, as it stands in its file, belongs to; none unless it is a person's fact."""
    if kind_of(row["id"]) is not Fact:
        return
    subject, category, entities = row.get("subject", USER), row.get("category", "general"), row.get("entities", ())
    if subject == ASSISTANT:
        return  # what it said is no topic
    if subject == USER and category not in SCATTERED:
        yield f"{USER}/{category}"
    own_name = entities[0] if subject == USER and entities else None  # how the content calls the user
    for entity in dict.fromkeys((subject, *entities)):
        if entity not in (USER, own_name) and entity not in STOCK_NAMES:
            yield f"{entity}/about"
