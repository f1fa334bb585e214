"""Secrets in disguise: full-width characters, invisible ones between others, and keys that stand in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_WIDE = re.compile(r"[０-９Ａ-Ｚａ-ｚ]{4}")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x180E])
_HIDDEN = re.compile("[\xad\u200b-\u200d\u2060\ufeff\u180e]")
_PIECE = re.compile(r"\S+")
_LEAST = 16  # characters that any key has
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[A-Za-z]")
MOST_STARTS = 8  # pieces with which a key may begin: words before it may look like pieces, too


def is_wide(text: str) -> bool:
    """Whether there are words or numbers in full-width characters."""
    return not text.isascii() and _WIDE.search(text) is not None


def narrowed(text: str) -> str:
    """The text with full-width characters as plain ones; as long as it was."""
    return text.translate(_NARROW)


def without_invisible(text: str) -> str:
    """The text without characters that nobody sees; itself when there are none."""
    return text.translate(_INVISIBLE) if _HIDDEN.search(text) else text


def invisible_in(text: str) -> list[int]:
    """The places of those characters."""
    return [found.start() for found in _HIDDEN.finditer(text)]


class Joined(NamedTuple):
    """Pieces of a text put together. `places` tells where each of the characters stands."""

    text: str
    places: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text a stretch of the joined one stands, blanks included."""
        return self.places[start], self.places[end - 1] + 1

    def is_in_pieces(self, start: int, end: int) -> bool:
        return self.places[end - 1] - self.places[start] > end - 1 - start


def joined(text: str, start: int, end: int) -> Iterator[Joined]:
    """The pieces of the stretch put together, from the first on, from the second on, …; nothing where that cannot be a
    key."""
    pieces = [found.span() for found in _PIECE.finditer(text, start, end)]
    places = [place for piece in pieces for place in range(*piece)]
    for first, _ in pieces[:MOST_STARTS]:
        there = places[places.index(first) :]
        whole = "".join(text[place] for place in there)
        if len(whole) < _LEAST or not (_DIGIT.search(whole) and _LETTER.search(whole)):
            return
        yield Joined(whole, there)
