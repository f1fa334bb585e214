"""Active memories by their keys (`keys.py`), by what they say (`likeness.py`) and by when they leave, for a store: in
memory, filled from all of them. Where there are very many, `catalogue.py` gives the same from the disk.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Protocol

import orjson

from memory_system.config import Config
from memory_system.records import Row
from memory_system.store import retention
from memory_system.store.entries import Change
from memory_system.store.keys import Key, keys_of_row
from memory_system.store.likeness import Accept, AlikeKey, Found, Likeness


class Lookup(Protocol):
    """What a store asks. Ids come in the order of ids. `move` follows a commit, after which the journal ends at `head`:
    a change must tell how the memory was when it was put in."""

    def find(self, key: Key) -> list[str]: ...
    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept) -> Found: ...
    def leaving_before(self, stamp: str) -> list[str]: ...
    def next_leaving(self) -> str: ...
    def move(self, changes: Iterable[Change], head: str, /) -> None: ...
    def close(self) -> None: ...


class Loaded:
    """A lookup over the active memories that `rows` gives, each as it stands in its file. What finds them by their keys
    or their words is made when somebody first asks: the last night of a run has nobody left who would."""

    def __init__(self, rows: Callable[[], Iterator[Row]], config: Config) -> None:
        self._rows = rows
        self._config = config
        self._leaves = {row["id"]: retention.leaves_at(row, config) for row in rows()}

    @cached_property
    def _ids(self) -> dict[Key, list[str]]:
        ids: dict[Key, list[str]] = defaultdict(list)
        for row in self._rows():
            for key in keys_of_row(row):
                insort(ids[key], row["id"])
        return ids

    @cached_property
    def _likeness(self) -> Likeness:
        return Likeness(self._rows())

    def find(self, key: Key) -> list[str]:
        return self._ids.get(key, [])[:]

    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept) -> Found:
        return self._likeness.find(keys, accept)

    def leaving_before(self, stamp: str) -> list[str]:
        return sorted(key for key, leaves in self._leaves.items() if leaves and leaves <= stamp)

    def next_leaving(self) -> str:
        return min(filter(None, self._leaves.values()), default="")

    def move(self, changes: Iterable[Change], _head: str, /) -> None:
        likeness = self.__dict__.get("_likeness")
        for change in changes:
            before, after = active_rows(change)
            self._leaves.pop(change.id, None)
            if after:
                self._leaves[change.id] = retention.leaves_at(after, self._config)
            if "_ids" in self.__dict__:
                self._renew(change.id, before, after)
            if likeness and after:
                likeness.note(after)
            elif likeness:
                likeness.drop(change.id)

    def _renew(self, memory_id: str, before: Row | None, after: Row | None) -> None:
        old = set(keys_of_row(before)) if before else set()
        new = set(keys_of_row(after)) if after else set()
        for key in old - new:
            held = self._ids[key]
            del held[bisect_left(held, memory_id)]
        for key in new - old:
            insort(self._ids[key], memory_id)

    def close(self) -> None:
        """There is nothing to close."""


def active_rows(change: Change) -> tuple[Row | None, Row | None]:
    """The memory before and after a change, where it was and is active."""
    before = orjson.loads(change.before) if change.before and change.before_pool == "active" else None
    after = orjson.loads(change.after) if change.after and change.after_pool == "active" else None
    return before, after
