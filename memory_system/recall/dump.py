"""The dump of the index that people and programs can read: keywords, timeline and relations of the active memories. It
is made of all of them, or follows what a night has changed: there may be very many that stay as they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import permutations
from typing import Any, NamedTuple

import orjson

from memory_system.recall import schema, terms
from memory_system.recall.schema import SCOPES, json_list
from memory_system.store.database import Database

MANY = 200  # memories that a word may be in however few there are
MANY_SHARE = 0.05
FILES = ("keywords.json", "timeline.json", "relations.json")


class Labels(NamedTuple):
    """What one active memory is listed under: its keywords, the local date it was said, its entities in order."""

    id: str
    words: set[str]
    day: str
    entities: list[str]


@dataclass(slots=True)
class Dump:
    """The ids of memories, in order: `keywords` by entity, slot value and Latin word; `timeline` by local date;
    `relations` by entity, with how often others are named beside it. A word that very many share finds none of them:
    of it only the number is kept, in `crowded`."""

    keywords: dict[str, list[str]] = field(default_factory=dict)
    timeline: dict[str, list[str]] = field(default_factory=dict)
    relations: dict[str, dict[str, Any]] = field(default_factory=dict)
    crowded: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, files: Iterable[bytes], mark: Mapping[str, Any]) -> Dump | None:
        """The dump that was written as `files`; None where it is not the one that the mark tells of."""
        written = list(files)
        if digest(written) != mark.get("digest"):
            return None
        keywords, timeline, relations = map(orjson.loads, written)
        return cls(keywords, timeline, relations, mark["crowded"])

    def files(self) -> list[bytes]:
        """The bytes of `FILES`."""
        relations = {
            name: {"memories": each["memories"], "related": dict(sorted(each["related"].items()))}
            for name, each in sorted(self.relations.items())
        }
        parts = (dict(sorted(self.keywords.items())), dict(sorted(self.timeline.items())), relations)
        return [orjson.dumps(part) + b"\n" for part in parts]

    def put(self, labels: Labels) -> None:
        for word in labels.words:
            if word in self.crowded:
                self.crowded[word] += 1
            else:
                _put(self.keywords.setdefault(word, []), labels.id)
        _put(self.timeline.setdefault(labels.day, []), labels.id)
        for name in labels.entities:
            _put(self.relations.setdefault(name, {"memories": [], "related": {}})["memories"], labels.id)
        self._relate(labels, 1)

    def take(self, labels: Labels) -> None:
        """Take out a memory that is listed so."""
        for word in labels.words:
            if word in self.crowded:
                self.crowded[word] -= 1
            else:
                _take(self.keywords, word, labels.id)
        _take(self.timeline, labels.day, labels.id)
        self._relate(labels, -1)
        for name in labels.entities:
            listed = {name: self.relations[name]["memories"]}
            _take(listed, name, labels.id)
            if not listed:
                del self.relations[name]

    def _relate(self, labels: Labels, times: int) -> None:
        for one, other in permutations(labels.entities, 2):
            related = self.relations[one]["related"]
            related[other] = related.get(other, 0) + times
            if not related[other]:
                del related[other]

    def thin_out(self, size: int, named: Callable[[Collection[str]], set[str]]) -> bool:
        """Leave out the words that too many of `size` memories share, but for what is `named`: an entity or a value.
        False where one that was left out must be listed again, which only all memories together can tell."""
        most = max(MANY, size * MANY_SHARE)
        if any(count <= most for count in self.crowded.values()) or named(self.crowded):
            return False
        many = [word for word, ids in self.keywords.items() if len(ids) > most]
        self.crowded |= {word: len(self.keywords.pop(word)) for word in {*many} - named(many)}
        return True


def digest(files: Iterable[bytes]) -> str:
    return blake2b(b"".join(files), digest_size=16).hexdigest()


def _put(ids: list[str], new: str) -> None:
    if not ids or ids[-1] < new:  # mostly
        ids.append(new)
    elif ids[place := bisect_left(ids, new)] != new:
        ids.insert(place, new)


def _take(lists: dict[str, list[str]], key: str, gone: str) -> None:
    ids = lists[key]
    del ids[bisect_left(ids, gone)]
    if not ids:
        del lists[key]


class Listing:
    """What the dump of an index is made of."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def labels(self, ids: Collection[str] | None = None) -> Iterator[Labels]:
        """What the active memories are listed under, or those of these ids, in their order."""
        among, values = ("", ()) if ids is None else (schema.AMONG, (json_list(ids),))
        entities: dict[str, list[str]] = {}
        for key, entity in self._database.rows(schema.ENTITIES % among, values):
            entities.setdefault(key, []).append(entity)
        for key, value, day, text in self._database.rows(schema.LABELS % among, (SCOPES["memory"], *values)):
            names = entities.get(key, [])
            yield Labels(key, terms.keywords(text).union(names, (value,) if value else ()), day, names)

    def named(self, words: Collection[str]) -> set[str]:
        """Those of the words that an active memory has as an entity or as its value."""
        rows = self._database.rows(schema.NAMED_SO, {"words": json_list(words)}) if words else ()
        return {word for (word,) in rows}

    def size(self) -> int:
        """How many memories are active."""
        [(count,)] = self._database.rows("SELECT count(*) FROM memory WHERE pool = 'active'")
        return int(count)

    def all(self) -> Dump:
        """The dump, made anew."""
        dump = Dump()
        for each in self.labels():
            dump.put(each)
        dump.thin_out(self.size(), self.named)
        return dump


def followed(there: Dump | None, before: Iterable[Labels], ids: Collection[str], listing: Listing) -> Dump | None:
    """The dump `there` with what has changed since, which was listed so before; None where it must be made anew."""
    if there is None:
        return None
    for labels in before:
        there.take(labels)
    for labels in listing.labels(ids):
        there.put(labels)
    return there if there.thin_out(listing.size(), listing.named) else None


def content(database: Database, unread: Collection[str], *, notes: bool, words: bool) -> Iterator[bytes]:
    """All that is in the index, as `Index.content` gives it."""
    for name, sql in schema.CONTENT.items():
        wanted = {"note": notes, "word": words}.get(name, True)
        for row in database.rows(sql) if wanted else ():
            if name != "unit" or _lasts(row, notes=notes, unread=unread):
                yield f"{name} {row!r}\n".encode()


def _lasts(row: Any, *, notes: bool, unread: Collection[str]) -> bool:
    """Whether a unit is part of the content that is compared."""
    scope, key, part = row[0], row[1], row[5]
    if scope == SCOPES["session"]:
        return (key.removesuffix(f"#{part}") if part > 1 else key) not in unread
    return notes or scope != SCOPES["note"]
