"""Under which keys an active memory is found: by its slot, its value, whom it names, its topic, and the words that it
stands on; a key is a tuple that begins with what it is a key of. And by what it says, as `gist` tells: that index reads
a memory when somebody first asks after it was noted, so that a night without claims pays nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import itemgetter

from memory_system import text
from memory_system.attributes import topics_of
from memory_system.records import ISO_DAY, USER, Row
from memory_system.store.gist import Gist, gist_of
from memory_system.text import simplified

Key = tuple[str | bytes, ...]

_PLURAL = re.compile(r"(?<=[a-z]{2}[^su])s$")
AlikeKey = tuple[str | tuple[str, ...], ...] | str  # several words, or a word
Found = dict[AlikeKey, list[str]]  # by key the ids of the newest that share it
Accept = Callable[[Gist], bool]  # whether a memory of that gist is wanted
BEGINNING = 48  # words by which a memory is found alone: what a long one is about stands early
MANY = 100  # ids from which on a key tells too little: it is counted, and gives none
NEWEST = 32  # ids that are given of a key that many share
_LEAST_HALF, _LEAST_HALF_ZH = 3, 5  # words, Chinese characters, by which something alike may be found
_DATED = itemgetter(slice(2, None))  # an id without its kind


def slot_key(subject: str, attribute: str) -> Key:
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


def day_key(day: str) -> Key:
    """The key of the active memories that speak of what happens, or begins, on that ISO date."""
    return ("day", day)


def telling_key(attribute: str) -> Key:
    """The key of the active memories that tell of such a thing, in a slot or by the sound of their words."""
    return ("tells", attribute)


def content_key(content: str) -> Key:
    """The key of the active memories that say this, punctuation and case aside."""
    return ("content", text.essence(simplified(content)))


def quote_key(quote: str) -> Key:
    """The key of the active memories that stand on these words."""
    return ("quote", quote)


def keys_of_row(row: Row) -> Iterator[Key]:
    """Every key under which the memory is found while it is active."""
    for each in row.get("evidence", ()):
        yield quote_key(each["quote"] if isinstance(each, dict) else each.quote)
    subject = row.get("subject", USER)
    if attribute := row.get("attribute"):
        yield slot_key(subject, attribute)
        yield value_key(subject, attribute, row.get("value", ""))
    for each in dict.fromkeys((*([attribute] if attribute else ()), *(row.get("tells") or ()))):
        yield telling_key(each)
    if event := row.get("event_time"):
        yield day_key((event["start"] if isinstance(event, dict) else event.start)[:ISO_DAY])
    for entity in dict.fromkeys((subject, *row.get("entities", ()))):
        yield entity_key(entity)
    for topic in (row["topic"],) if "topic" in row else topics_of(row):
        yield topic_key(topic)
    yield content_key(row["content"])


def keys_of(content: str, attribute: str = "", value: str = "") -> tuple[AlikeKey, ...]:
    """Under what a memory (or a claim) is looked for by one that says the same: all its words in any order, each half
    of them, and in a slot its value (`alike_key`). Whoever shares no key is not alike."""
    return (*_keys_of_words(content), *([alike_key(attribute, value)] if attribute else ()))


def alike_key(attribute: str, value: str) -> AlikeKey:
    """The key of a slot's value, however it is put."""
    return ("alike", attribute, gist_of(value).bag)


@lru_cache(maxsize=256)  # a claim is looked up, then noted
def _keys_of_words(content: str) -> tuple[AlikeKey, ...]:
    gist = gist_of(content)
    bag = gist.bag
    halves: tuple[list[str], list[str]] = ([], [])
    for word in bag:
        halves[~ord(word[-1]) & 1].append(word)
    least = _LEAST_HALF if bag and bag[0].isascii() else _LEAST_HALF_ZH
    return (("bag", bag), *[("half", gist.signs, tuple(half)) for half in halves if len(half) >= least])


class Likeness:
    """Memories by `keys_of` and by each word of their gist. What it finds depends on what the memories say and on
    nothing else, not on when or how often each was noted: a night must not depend on the nights before it in the same
    run. Whether a memory is still active in a draft is for the asker to know."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self._memories: list[tuple[str, Gist, tuple[AlikeKey, ...]] | None] = []  # by number, with its keys; None: gone
        self._numbers: dict[str, int] = {}
        self._holders: dict[AlikeKey, list[int]] = defaultdict(list)  # numbers: a word has very many
        self._outdated: set[AlikeKey] = set()  # whose holders may be gone
        self._noted: dict[str, tuple[str, str, str] | None] = {}
        self._contents: dict[str, int] = {}  # what each says, to tell a memory that only gained a source
        for row in rows:
            self.note(row)

    def note(self, row: Row) -> None:
        """The memory is new, or may say something else now."""
        said = hash((row["content"], row.get("attribute", ""), row.get("value", "")))
        if self._contents.get(row["id"]) != said:
            self._contents[row["id"]] = said
            self._noted[row["id"]] = row["content"], row.get("attribute", ""), row.get("value", "")

    def drop(self, memory_id: str) -> None:
        """The memory is gone from the active ones."""
        if self._contents.pop(memory_id, None) is not None:
            self._noted[memory_id] = None

    def find(self, keys: Iterable[AlikeKey], accept: Accept = lambda _: True) -> Found:
        """By key those whose gist is accepted: asking that here is cheaper than reading the memories."""
        if self._noted:
            self._take_in()
        found = {}
        for key in keys:
            held = self._held(key)
            if len(held) <= MANY:
                gists = {memory[0]: memory[1] for number in held if (memory := self._memories[number])}
                found[key] = [each for each in newest_of(gists) if accept(gists[each])]
        return {key: ids for key, ids in found.items() if ids}

    def _held(self, key: AlikeKey) -> list[int]:
        """The numbers of the memories with that key, each once."""
        if key in self._outdated:
            self._outdated.remove(key)
            self._holders[key] = [each for each in self._holders[key] if self._memories[each]]
        return self._holders.get(key, [])

    def _take_in(self) -> None:
        """Read what was noted since somebody asked last."""
        for memory_id, said in self._noted.items():
            if memory_id in self._numbers:
                self._remove(memory_id)
            if said is not None:
                self._add(memory_id, *said)
        self._noted.clear()

    def _add(self, memory_id: str, content: str, attribute: str, value: str) -> None:
        gist = gist_of(content)
        keys = tuple(dict.fromkeys((*keys_of(content, attribute, value), *gist.words[:BEGINNING])))
        number = self._numbers[memory_id] = len(self._memories)
        self._memories.append((memory_id, gist, keys))
        for key in keys:
            self._holders[key].append(number)

    def _remove(self, memory_id: str) -> None:
        number = self._numbers.pop(memory_id)
        if (memory := self._memories[number]) is not None:
            self._outdated.update(memory[2])
            self._memories[number] = None


def newest_of(ids: Iterable[str]) -> list[str]:
    """The newest of the ids, in a fixed order: by day, then by hash."""
    return sorted(dict.fromkeys(ids), key=_DATED)[-NEWEST:]
