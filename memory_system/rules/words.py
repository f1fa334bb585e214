"""The lists of words that rules name: which are verbs, past forms, modals; which tell nothing."""

from __future__ import annotations

from functools import cache

from memory_system.rules import table


@cache
def words_of(name: str, lang: str = "en") -> frozenset[str]:
    """A word list of the rules of `lang`; KeyError where they have none of that name."""
    return frozenset(table(lang, "words")[name].split())


def is_word(name: str, word: str) -> bool:
    """Whether the word is in that list of the English rules."""
    return word in words_of(name)


@cache
def idle(lang: str, *lists: str) -> frozenset[str]:
    """What tells nothing by these lists: words, or single signs of Chinese, to which all of ASCII is added."""
    said = [str(table(lang, "words")[name]) for name in lists]
    if lang == "zh":
        return frozenset("".join(said)).union(map(chr, range(128)))
    return frozenset(" ".join(said).split())
