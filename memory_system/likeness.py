"""Memories found by what they say: the index that `gist` fills. It reads a memory when somebody first asks after it was
noted, so that a night without claims pays nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache

from memory_system.gist import Gist, gist_of
from memory_system.records import Row

Key = int | str  # a hash of several words, or a word
Found = dict[
    Key, tuple[int, list[str]]
]  # by key how many share it, and the ids of the newest; a key without any is left out
Accept = Callable[[Gist], bool]  # whether a memory of that gist is wanted
_BEGINNING = 24  # words by which a memory is found alone: what a long one is about stands early
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
    halves = ([word for word in bag if ord(word[-1]) & 1], [word for word in bag if not ord(word[-1]) & 1])
    least = _LEAST_HALF if bag and bag[0].isascii() else _LEAST_HALF_ZH
    return (hash(bag), *[hash((gist.signs, *half)) for half in halves if len(half) >= least])


class Likeness:
    """Memories by `keys_of` and by each word of their gist. Whether one is still active is for the asker to know: a
    reference back would keep both in memory for as long as the collector rests."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._ids: dict[Key, list[str]] = defaultdict(list)
        self._noted: list[tuple[str, str, str, str]] = []
        self._gists: dict[str, Gist] = {}
        self._contents: dict[str, int] = {}  # what each says, to tell a memory that only gained a source
        for row in rows:
            self.note(row)

    def note(self, row: Row) -> None:
        """The memory is new, or may say something else now."""
        said = hash((row["content"], row.get("value", "")))
        if self._contents.get(row["id"]) != said:
            self._contents[row["id"]] = said
            self._noted.append((row["id"], row["content"], row.get("attribute", ""), row.get("value", "")))

    def find(self, keys: Iterable[Key], accept: Accept = lambda _: True) -> Found:
        """By key those whose gist is accepted: asking that here is cheaper than reading the memories."""
        for noted in self._noted:
            self._add(*noted)
        self._noted.clear()
        found = {}
        for key in keys:
            if ids := self._ids.get(key):
                newest = [each for each in dict.fromkeys(ids[-NEWEST:]) if accept(self._gists[each])]
                if newest:
                    found[key] = len(ids), newest
        return found

    def _add(self, memory_id: str, content: str, attribute: str, value: str) -> None:
        gist = self._gists[memory_id] = gist_of(content)
        words = dict.fromkeys(gist.words[:_BEGINNING])
        keys: tuple[Key, ...] = (*keys_of(content, attribute, value), *words)
        for key in keys:
            self._ids[key].append(memory_id)
