"""Which words of a text are to go: quotes, and whole sentences that name someone or hold what was searched for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from memory_system.privacy.tombstones import PLACEHOLDER, holds
from memory_system.text import cjk_count, fold, sentences

LONG = 16  # columns from which a quote is known again in the middle of other words; a Han character is two

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Words:
    """What is to be cut: the quotes as they stand, every sentence with the name, every one with all of the words (both
    folded)."""

    quotes: tuple[str, ...] = ()
    name: str = ""
    all_of: tuple[str, ...] = ()

    def spans(self, text: str) -> list[Span]:
        """Where in the text they stand."""
        found = [span for quote in self.quotes if quote in text for span in _places(text, quote)]
        if self.name or self.all_of:
            found += [span for span in sentences(text) if self.named_in(text[slice(*span)])]
        return found

    def named_in(self, text: str) -> bool:
        """Whether the text names the name, or holds all of the words."""
        if not (self.name or self.all_of):
            return False
        folded = fold(text)
        if self.name:
            return holds(folded, self.name)
        return all(holds(folded, word) for word in self.all_of)

    def cut(self, text: str) -> str:
        """The text with a placeholder where they stood."""
        for start, end in _joined(self.spans(text)):
            text = text[:start] + PLACEHOLDER + text[end:]
        return text


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Spans that touch as one, last ones first."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined[::-1]


def _places(text: str, quote: str) -> Iterator[Span]:
    """Where the quote stands: anywhere when it is long, else only where it is a whole sentence."""
    if len(quote) + cjk_count(quote) < LONG:
        yield from (span for span in sentences(text) if text[slice(*span)] == quote)
        return
    start = text.find(quote)
    while start >= 0:
        yield start, start + len(quote)
        start = text.find(quote, start + len(quote))


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
