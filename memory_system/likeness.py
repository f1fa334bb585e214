"""Memories found by what they say: the index that `gist` fills. It reads a memory when somebody first asks after it was
noted, so that a night without claims pays nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache

from memory_system.gist import Gist, gist_of
from memory_system.records import Row

Key = int | str  # a hash of several words, or a word
Found = dict[
    Key, tuple[int, list[str]]
]  # by key how many share it, and the ids of the newest; a key without any is left out
Accept = Callable[[Gist], bool]  # whether a memory of that gist is wanted
_BEGINNING = 24  # words by which a memory is found alone: what a long one is about stands early
MANY = 100  # ids from which on a key tells too little: it is counted, and gives none
NEWEST = 32  # ids that are given of a key that many share
_LEAST_HALF, _LEAST_HALF_ZH = 3, 5  # words, Chinese characters, by which something alike may be found


def keys_of(content: str, attribute: str = "", value: str = "") -> tuple[int, ...]:
    """Under what a memory (or a claim) is looked for by one that says the same: all its words in any order, each half
    of them, and in a slot its value (`value_key`). Whoever shares no key is not alike."""
    return (*_keys_of_words(content), *([value_key(attribute, value)] if attribute else ()))


def value_key(attribute: str, value: str) -> int:
    """The key of a slot's value, however it is put."""
    return hash(("value", attribute, gist_of(value).bag))


@lru_cache(maxsize=256)  # a claim is looked up, then noted
def _keys_of_words(content: str) -> tuple[int, ...]:
    gist = gist_of(content)
    bag = gist.bag
    halves: tuple[list[str], list[str]] = ([], [])
    for word in bag:
        halves[~ord(word[-1]) & 1].append(word)
    least = _LEAST_HALF if bag and bag[0].isascii() else _LEAST_HALF_ZH
    return (hash(bag), *[hash((gist.signs, *half)) for half in halves if len(half) >= least])


class Likeness:
    """Memories by `keys_of` and by each word of their gist. What it finds depends on what the memories say and on
    nothing else, not on when or how often each was noted: a night must not depend on the nights before it in the same
    run. Whether a memory is still active in a draft is for the asker to know."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._ids: dict[int, list[str]] = defaultdict(list)
        self._words: dict[str, dict[str, None]] = defaultdict(dict)
        self._keys: dict[str, tuple[Gist, tuple[int, ...]]] = {}
        self._noted: dict[str, tuple[str, str, str] | None] = {}
        self._worded: dict[str, Gist] = {}  # whose words stand in `_words`
        self._unworded: list[str] = []  # whose words do not yet: nobody may ever ask for one
        self._contents: dict[str, int] = {}  # what each says, to tell a memory that only gained a source
        for row in rows:
            self.note(row)

    def note(self, row: Row) -> None:
        """The memory is new, or may say something else now."""
        said = hash((row["content"], row.get("value", "")))
        if self._contents.get(row["id"]) != said:
            self._contents[row["id"]] = said
            self._noted[row["id"]] = row["content"], row.get("attribute", ""), row.get("value", "")

    def drop(self, memory_id: str) -> None:
        """The memory is gone from the active ones."""
        if self._contents.pop(memory_id, None) is not None:
            self._noted[memory_id] = None

    def find(self, keys: Iterable[Key], accept: Accept = lambda _: True) -> Found:
        """By key those whose gist is accepted: asking that here is cheaper than reading the memories."""
        if self._noted:
            self._take_in()
        found = {}
        for key in keys:
            if ids := self._holding(key):
                newest = newest_of(ids) if len(ids) <= MANY else []
                found[key] = len(ids), [each for each in newest if accept(self._keys[each][0])]
        return found

    def _holding(self, key: Key) -> Collection[str]:
        """The ids of the memories with that key, each once."""
        if isinstance(key, int):
            return self._ids.get(key, ())
        for memory_id in self._unworded:
            if memory_id in self._keys:
                gist = self._worded[memory_id] = self._keys[memory_id][0]
                for word in gist.words[:_BEGINNING]:
                    self._words[word][memory_id] = None
        self._unworded.clear()
        return self._words.get(key, ())

    def _take_in(self) -> None:
        """Read what was noted since somebody asked last."""
        for memory_id, said in self._noted.items():
            self._remove(memory_id)
            if said is not None:
                self._add(memory_id, *said)
        self._noted.clear()

    def _add(self, memory_id: str, content: str, attribute: str, value: str) -> None:
        keys = keys_of(content, attribute, value)
        self._keys[memory_id] = gist_of(content), keys
        for key in keys:
            self._ids[key].append(memory_id)
        self._unworded.append(memory_id)

    def _remove(self, memory_id: str) -> None:
        _, keys = self._keys.pop(memory_id, (None, ()))
        for key in keys:
            self._ids[key].remove(memory_id)
        if (gist := self._worded.pop(memory_id, None)) is not None:
            for word in set(gist.words[:_BEGINNING]):
                del self._words[word][memory_id]


def newest_of(ids: Iterable[str]) -> list[str]:
    """The newest of the ids, in a fixed order: by day, then by hash."""
    return sorted(dict.fromkeys(ids), key=lambda memory_id: memory_id[2:])[-NEWEST:]
