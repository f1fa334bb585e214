"""What a memory is about: each kind of fact about the user is a topic by itself, and everything about another person or
thing together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_system.callings import STOCK_NAMES
from memory_system.records import ASSISTANT, USER, Fact, kind_of

SCATTERED = frozenset({"general", "event", "schedule", "reminder", "todo"})  # no topics: such facts share nothing


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
