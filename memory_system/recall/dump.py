"""The dump of the index that people and programs can read: keywords, timeline and relations of the active memories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby, permutations
from operator import itemgetter
from typing import Any

from memory_system.recall import terms
from memory_system.recall.database import Database
from memory_system.recall.numbers import SCOPES
from memory_system.recall.schema import CONTENT, DAYS, ENTITIES, TEXTS

MANY = 200  # memories that a word may be in however few there are
MANY_SHARE = 0.05

Entities = Mapping[str, list[str]]  # of every active memory, in the order of ids


def keywords(database: Database, entities: Entities) -> dict[str, list[str]]:
    """keywords.json: entities, slot values and Latin words of active memories, and the ids that have them. A word that
    very many share finds none of them, and is left out."""
    found: dict[str, list[str]] = defaultdict(list)
    named: set[str] = set()
    rows = database.rows(TEXTS, (SCOPES["memory"],))
    for key, value, text in rows:
        names = {*entities.get(key, ()), *filter(None, [value])}
        named |= names
        for word in terms.keywords(text) | names:
            found[word].append(key)
    most = max(MANY, len(rows) * MANY_SHARE)
    return {word: ids for word, ids in sorted(found.items()) if word in named or len(ids) <= most}


def timeline(database: Database) -> dict[str, list[str]]:
    """timeline.json: local dates, and the ids of the active memories said then."""
    rows = database.rows(DAYS)
    return {day: [key for _, key in group] for day, group in groupby(rows, itemgetter(0))}


def relations(entities: Entities) -> dict[str, dict[str, Any]]:
    """relations.json: entities, the ids of their active memories, and how often others are named with them."""
    memories: dict[str, list[str]] = defaultdict(list)
    related: dict[str, Counter[str]] = defaultdict(Counter)
    for key, names in entities.items():
        for name in names:
            memories[name].append(key)
        for one, other in permutations(names, 2):
            related[one][other] += 1
    return {
        name: {"memories": ids, "related": dict(sorted(related[name].items()))}
        for name, ids in sorted(memories.items())
    }


def entities_of(database: Database) -> Entities:
    """What the index names in its active memories."""
    rows = database.rows(ENTITIES)
    return {key: [entity for _, entity in group] for key, group in groupby(rows, itemgetter(0))}


def content(database: Database, unread: Collection[str], *, notes: bool, words: bool) -> Iterator[bytes]:
    """All that is in the index, as `Index.content` gives it."""
    left_out = {*(() if notes else ("note",)), *(() if words else ("word",))}
    for name, sql in CONTENT.items():
        for row in database.rows(sql) if name not in left_out else ():
            if name != "unit" or _lasts(row, notes=notes, unread=unread):
                yield f"{name} {row!r}\n".encode()


def _lasts(row: Any, *, notes: bool, unread: Collection[str]) -> bool:
    """Whether a unit is part of the content that is compared."""
    scope, key, part = row[0], row[1], row[5]
    if scope == SCOPES["session"]:
        return (key.removesuffix(f"#{part}") if part > 1 else key) not in unread
    return notes or scope != SCOPES["note"]
