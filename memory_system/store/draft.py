"""Memories as they will be: what the phases of a night change, over the store or over one another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from memory_system.privacy.masks import rated
from memory_system.records import Fact, Pool, Row, from_line, kind_of, to_line
from memory_system.store.journal import Change
from memory_system.store.keys import Accept, AlikeKey, Found, Key, Likeness, keys_of_row, newest_of
from memory_system.store.store import Memories, Store, origin_part

RECENT = 1024  # memories a draft keeps parsed


class Draft:
    """Memories as they will be: changes over a store or another draft. Each phase writes into its own."""

    def __init__(self, base: Memories) -> None:
        self.base = base
        self.changed: dict[str, tuple[Pool, bytes, str]] = {}  # id -> pool, line, why
        self._keys: dict[Key, list[str]] = defaultdict(list)
        self._origins: set[str] = set()
        self._recent: dict[str, Fact] = {}  # the latest put, parsed: what is said again is often said again soon
        self._likeness = Likeness()

    def get(self, memory_id: str) -> Fact | None:
        if memory_id in self._recent:
            return self._recent[memory_id]
        line = self.line_of(memory_id)
        return from_line(line) if line else None

    def line_of(self, memory_id: str) -> bytes | None:
        mine = self.changed.get(memory_id)
        return mine[1] if mine else self.base.line_of(memory_id)

    def pool_of(self, memory_id: str) -> Pool | None:
        mine = self.changed.get(memory_id)
        return mine[0] if mine else self.base.pool_of(memory_id)

    def find(self, key: Key) -> list[str]:
        mine, others = self._keys.get(key, ()), self.base.find(key)
        return self._active(dict.fromkeys((*others, *mine)))

    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept = lambda _: True) -> Found:
        keys = list(keys)
        found = self.base.find_alike(keys, accept)
        for key, mine in self._likeness.find(keys, accept).items():
            found[key] = newest_of((*found.get(key, ()), *mine))
        return {key: active for key, ids in found.items() if (active := self._active(ids))}

    def _active(self, ids: Iterable[str]) -> list[str]:
        return [each for each in ids if self.pool_of(each) == "active"]

    def knows(self, memory_id: str) -> bool:
        return origin_part(memory_id) in self._origins or self.base.knows(memory_id)

    def active(self, kind: type[Fact]) -> list[str]:
        start = f"{kind.PREFIX}_"
        mine = (key for key in self.changed if key.startswith(start))
        return self._active(dict.fromkeys((*self.base.active(kind), *mine)))

    def leaving_before(self, stamp: str) -> list[str]:
        return self._active(self.base.leaving_before(stamp))

    def put(self, pool: Pool, record: Fact, why: str) -> None:
        """The memory now stands so, in that pool."""
        record = rated(record)
        if record.edited and (known := self.get(record.id)):  # what the owner has set stays
            record = record.model_copy(update={name: getattr(known, name) for name in record.edited})
        before = self.changed.get(record.id)
        self.changed[record.id] = (pool, to_line(record), _reasons(before[2] if before else "", why))
        self._origins.add(origin_part(record.id))
        latest = self._recent.get(record.id)
        if len(self._recent) >= RECENT:
            self._recent.clear()
        self._recent[record.id] = record
        was_active = before is not None and before[0] == "active"
        if before is None or (pool == "active" and not (was_active and _is_found_by_the_same(latest, record))):
            self._index(record)
        if pool == "active":
            self._likeness.note(vars(record))

    def _index(self, record: Fact) -> None:
        for key in keys_of_row(vars(record)):
            held = self._keys[key]
            if held[-1:] != [record.id]:
                held.append(record.id)

    def rows(self) -> Iterator[bytes]:
        """The changes as lines of JSON to be staged, by id."""
        for _, (pool, line, why) in sorted(self.changed.items()):
            yield b'{"pool":"%b","why":"%b","record":%b}\n' % (pool.encode(), why.encode(), line.rstrip(b"\n"))

    @classmethod
    def from_rows(cls, base: Memories, rows: Iterable[Row]) -> Draft:
        draft = cls(base)
        for row in rows:
            draft.put(row["pool"], kind_of(row["record"]["id"]).model_validate(row["record"]), row["why"])
        return draft


def _is_found_by_the_same(latest: Fact | None, record: Fact) -> bool:
    """Whether all keys of the memory are those it had when it was put last."""
    names = ("content", "entities", "subject", "attribute", "value", "category", "tells", "event_time")
    return latest is not None and all(getattr(latest, name) == getattr(record, name) for name in names)


def changes_of(store: Store, drafts: Iterable[Draft]) -> list[Change]:
    """What the drafts, one over the other, change in the store: one change a memory."""
    last: dict[str, tuple[Pool, bytes, str]] = {}
    for draft in drafts:
        for key, (pool, line, why) in draft.changed.items():
            last[key] = (pool, line, _reasons(last[key][2] if key in last else "", why))
    return [
        Change(key, why, store.pool_of(key), store.line_of(key), pool, line)
        for key, (pool, line, why) in sorted(last.items())
    ]


def _reasons(before: str, why: str) -> str:
    """Reasons in the order in which they came, each once, joined by +."""
    if not before:
        return why
    return "+".join(dict.fromkeys([*filter(None, before.split("+")), *why.split("+")]))
