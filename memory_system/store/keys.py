"""Under which keys an active memory is found: by its slot, its value, whom it names, its topic, what it says, and the
words that it stands on. A key is a tuple that begins with what it is a key of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_system import text
from memory_system.attributes import topics_of
from memory_system.records import USER, Row
from memory_system.text.traditional import simplified

Key = tuple[str | bytes, ...]

_PLURAL = re.compile(r"(?<=[a-z]{2}[^su])s$")
_PLURAL = re.compile(r"(?<=[a-z]{2}[^su])s$")
_END_MARKS = " .!?~,。！？～，…"


def slot_key(subject: str, attribute: str) -> Key:
    """The key of every active memory in a slot."""
    return ("slot", subject, attribute)


def value_key(subject: str, attribute: str, value: str) -> Key:
    """The key of the active memories that give a slot this value, whatever its case, width, kind of characters or
    number: who is allergic to eggs has an egg allergy."""
    return ("value", subject, attribute, _PLURAL.sub("", text.fold(simplified(value))))


def entity_key(entity: str) -> Key:
    """The key of the active memories that name the entity or have it as subject."""
    return ("entity", entity)


def topic_key(topic: str) -> Key:
    """The key of the active facts that belong to a topic, and of its summary."""
    return ("topic", topic)


def content_key(content: str) -> Key:
    """The key of the active memories that say this, punctuation and case aside."""
    return ("content", text.essence(simplified(content)))


def quote_key(role: str, quote: str) -> Key:
    """The key of the active memories that stand on these words of that role, the marks at their end aside."""
    return ("quote", role, quote.rstrip(_END_MARKS))


def keys_of_row(row: Row) -> Iterator[Key]:
    """Every key under which the memory is found while it is active."""
    yield from keys_of_content(row)
    yield from {quote_key(each.get("role", ""), each.get("quote", "")) for each in row.get("evidence", ())}


def keys_of_content(row: Row) -> Iterator[Key]:
    """Those of them that do not depend on the words it stands on."""
    subject = row.get("subject", USER)
    if attribute := row.get("attribute"):
        yield slot_key(subject, attribute)
        yield value_key(subject, attribute, row.get("value", ""))
    for entity in dict.fromkeys((subject, *row.get("entities", ()))):
        yield entity_key(entity)
    for topic in (row["topic"],) if "topic" in row else topics_of(row):
        yield topic_key(topic)
    yield content_key(row["content"])
