"""What hears in a message that it is somebody else's, played, or not to be kept: models that are asked of the same
words, which are looked up once for all of them."""

from __future__ import annotations

from functools import cache
from itertools import accumulate

from memory_system.understand.features import Seen, of_words
from memory_system.understand.weights import Weights, loaded

LABELS = {
    "turns": ("returns", "hands", "leaves"),  # the owner is back, hands the device over; a guest gives it back
    "guests": ("guest",),
    "roles": ("begins", "ends"),
    "wishes": ("wish",),
    "backs": ("back",),
}
_LANES = {
    name: slice(end - len(LABELS[name]), end)
    for name, end in zip(LABELS, accumulate(map(len, LABELS.values())), strict=True)
}


def sums_of(name: str, lang: str, seen: Seen) -> tuple[int, ...]:
    """The sums of the labels of one of them, in log-odds times `SCALE`; DefectError as for all weights."""
    return _all(lang).sums(seen)[_LANES[name]]


def sum_of(name: str, lang: str, words: str) -> int:
    """The sum of the only label of one of them, of words alone."""
    return sums_of(name, lang, of_words(words, lang))[0]


@cache
def _all(lang: str) -> Weights:
    first, *others = (loaded(f"{name}.{lang}", labels) for name, labels in LABELS.items())
    return first.beside(*others)
