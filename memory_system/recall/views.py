"""What an index tells beside who holds which words: its sessions as wholes, its memories as they stand at a moment,
which of them name someone, and the dump that people and programs can read: keywords, timeline and relations of the
active memories."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from memory_system.config import Config
from memory_system.recall import schema, terms
from memory_system.recall.schema import SCOPES, json_list, unpacked
from memory_system.recall.units import SMALLEST_SCORE, day_number
from memory_system.records import Row
from memory_system.store.database import Database

_SESSIONS = "SELECT number, turns + parts FROM session WHERE number IN (SELECT value FROM json_each(?))"

MANY = 200  # memories that a word may be in however few there are
MANY_SHARE = 0.05
SESSION_K, SESSION_B = 1.2, 0.75  # of BM25 over whole sessions
Tally = tuple[float, Counter[int]]  # of a term: its share, and how many units of each session have it
FILES = ("keywords.json", "timeline.json", "relations.json")


def weight(holders: int, total: int) -> float:
    """The inverse document frequency, as BM25 takes it; never negative."""
    return math.log(1 + (max(total - holders, 0) + 0.5) / (holders + 0.5))


class Sessions:
    """The sessions of one state of an index, by their numbers (`schema.session_of`); each is read once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sizes: dict[int, int] = {}

    def scores(self, tallies: Iterable[Tally], said: Collection[int]) -> dict[int, float]:
        """BM25 of those that are sessions as wholes, a term counting once for each unit that has it."""
        count, average = self.average
        if unknown := [each for each in said if each not in self._sizes]:
            rows = self._database.rows(_SESSIONS, (json_list(unknown),))
            self._sizes.update(dict.fromkeys(unknown, 0) | dict(rows))
        lengths = {each: length for each in said if (length := self._sizes[each])}
        rooms = {each: SESSION_K * (1 - SESSION_B + SESSION_B * length / average) for each, length in lengths.items()}
        scores = dict.fromkeys(rooms, 0.0)
        for share, held in tallies:
            worth = share * weight(len(held), count) * (SESSION_K + 1)
            for session in held.keys() & rooms.keys():
                scores[session] += worth * held[session] / (held[session] + rooms[session])
        return scores

    @cached_property
    def average(self) -> tuple[int, float]:
        """How many sessions there are, and how many units one has on average."""
        [(count, units)] = self._database.rows("SELECT count(*), sum(turns + parts) FROM session")
        return count, units / count if count else 1.0

    def latest(self, numbers: Collection[int], limit: int) -> list[int]:
        """Those of the units that were said last, whatever their numbers; equals by scope and key."""
        rows = self._database.rows(schema.SQL["latest"], (json_list(numbers), limit))
        return [number for (number,) in rows]


class Ranked(NamedTuple):
    """A memory at a moment: `score` is the effective one, `line` its line of JSONL."""

    id: str
    score: float
    importance: float
    line: bytes


class Standing:
    """The memories at one moment (`Index.at`): what they have faded to by then, the strongest first."""

    def __init__(self, database: Database, config: Config, moment: datetime) -> None:
        self._database = database
        floor = math.log(max(config.thresholds.floor, SMALLEST_SCORE))
        self._moment = {"day": day_number(moment), "floor": floor}

    def ranked(
        self, limit: int | None = None, *, categories: Collection[str] = (), said: tuple[str, str] = ("", "")
    ) -> list[Ranked]:
        """The active memories by effective score, then importance, then the later said, then id. Only those of the
        categories, and only those said within [said[0], said[1]) (stamps), where these are given."""
        which = (schema.SQL["ranked_among"] if categories else "") + (schema.SQL["ranked_within"] if any(said) else "")
        values = {"since": said[0], "until": said[1], "limit": -1 if limit is None else limit}
        return self._found(schema.SQL["ranked"] % which, categories=json_list(categories), **values)

    def of_kind(self, categories: Collection[str], attributes: Collection[str], limit: int) -> list[Ranked]:
        """The user's active memories of one of the categories or attributes (to their dot), as `ranked`."""
        kinds = {"categories": json_list(categories), "attributes": json_list(attributes)}
        return self._found(schema.SQL["of_kind"], **kinds, limit=limit)

    def telling(self, attributes: Collection[str], limit: int) -> list[Ranked]:
        """The user's active quotes that tell of one of the attributes, at most `limit`, as `of_kind`."""
        return self._found(schema.SQL["tells"], attributes=json_list(attributes), limit=limit) if attributes else []

    def of_others(self, limit: int) -> list[Ranked]:
        """The active memories that fill a slot of anybody but the user and the assistant, as `ranked`."""
        return self._found(schema.SQL["of_others"], limit=limit)

    def replaced_on(self, refs: Collection[str]) -> list[bytes]:
        """The lines of the archived memories that fill a slot and stand on these messages."""
        rows = self._database.rows(schema.SQL["replaced_on"], {"refs": json_list(refs)})
        return [unpacked(line) for (line,) in rows]

    def these(self, ids: Collection[str]) -> dict[str, Ranked]:
        """The memories with these ids, of either pool."""
        return {each.id: each for each in self._found(schema.SQL["standing"], ids=json_list(ids))}

    def _found(self, sql: str, **values: Any) -> list[Ranked]:
        rows = self._database.rows(sql, self._moment | values)
        return [Ranked(key, math.exp(score), importance, unpacked(line)) for key, score, importance, line in rows]


@dataclass(frozen=True, slots=True)
class Naming:
    """The active memories that name one of `called`: their ids, in order; how many of them have each name (those of
    `called` among them); how they call the user; those that fill a slot; when the first and the last was said."""

    ids: list[str]
    names: dict[str, int]
    own: set[str]
    slots: list[Row]
    first: str
    last: str


# The dump


def dump(database: Database) -> dict[str, dict[str, Any]]:
    """The ids of the active memories, in order, by the names of `FILES`: by keyword (entity, slot value or Latin word,
    but for a word that very many share), by local date, and by entity with how often others are named beside it."""
    entities: dict[str, list[str]] = {}
    for key, entity in database.rows(schema.SQL["entities"]):
        entities.setdefault(key, []).append(entity)
    keywords: dict[str, list[str]] = {}
    timeline: dict[str, list[str]] = {}
    named: dict[str, list[str]] = {}
    beside: dict[str, Counter[str]] = {}
    rows = database.rows(schema.SQL["labels"], (SCOPES["memory"],))
    for key, value, day, text in rows:
        names = entities.get(key, [])
        for word in terms.keywords(text).union(names, (value,) if value else ()):
            keywords.setdefault(word, []).append(key)
        timeline.setdefault(day, []).append(key)
        for name in names:
            named.setdefault(name, []).append(key)
            beside.setdefault(name, Counter()).update(other for other in names if other != name)
    meant, most = named.keys() | {value for _, value, *_ in rows}, max(MANY, len(rows) * MANY_SHARE)
    kept = {word: ids for word, ids in keywords.items() if len(ids) <= most or word in meant}
    relations = {name: {"memories": ids, "related": dict(sorted(beside[name].items()))} for name, ids in named.items()}
    parts: tuple[dict[str, Any], ...] = (kept, timeline, relations)
    return {name: dict(sorted(part.items())) for name, part in zip(FILES, parts, strict=True)}
