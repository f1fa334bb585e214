"""The names that were introduced so far: of people, animals and projects that a statement may be about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_LONGEST = 6  # characters of a Chinese name
_WORD = re.compile(r"[\w-]+")


class Known:
    """Names that grow in number while a night is read. A text is asked for them by how they begin, so that their number
    does not matter."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: set[str] = set()
        self._beginnings: set[str] = set()
        self._signs: set[str] = set()  # beginnings of one sign
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        self._names.add(name)
        beginning = name[:1] if not name.isascii() else name.split(" ")[0]
        self._beginnings.add(beginning)
        if len(beginning) == 1:
            self._signs.add(beginning)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def at(self, text: str, start: int) -> str:
        """The longest known name that stands there, or empty."""
        if not self._names:
            return ""
        word = _WORD.match(text, start) if text[start : start + 1].isascii() else None
        if word is None:
            return self._chinese(text, start)
        return self._latin(text, word)

    def within(self, text: str) -> Iterator[str]:
        """The known names in a text, from left to right."""
        if not self._names:
            return
        if self._signs and not self._signs.isdisjoint(text):
            for at, sign in enumerate(text):
                if sign in self._beginnings and (name := self._chinese(text, at)):
                    yield name
        if not self._beginnings.isdisjoint(_WORD.findall(text)):
            for word in _WORD.finditer(text):
                if name := self._latin(text, word):
                    yield name

    def _chinese(self, text: str, start: int) -> str:
        if text[start : start + 1] not in self._beginnings:
            return ""
        pieces = (text[start : start + size] for size in range(_LONGEST, 1, -1))
        return next((piece for piece in pieces if piece in self._names), "")

    def _latin(self, text: str, word: re.Match[str]) -> str:
        if word[0] not in self._beginnings:
            return ""
        after = _WORD.match(text, word.end() + 1) if text[word.end() : word.end() + 1] == " " else None
        pair = f"{word[0]} {after[0]}" if after else ""
        return pair if pair in self._names else word[0] if word[0] in self._names else ""
