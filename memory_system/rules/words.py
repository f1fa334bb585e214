"""The lists of English words that rules name: which are verbs, past forms, modals."""

from __future__ import annotations

from functools import cache

from memory_system.rules import table


@cache
def words_of(name: str) -> frozenset[str]:
    """A word list of the English rules."""
    return frozenset(table("en", "words")[name].split())


def is_word(name: str, word: str) -> bool:
    """Whether the word is in that list."""
    return word in words_of(name)
