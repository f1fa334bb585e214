"""Where a speaker asks that something is not kept, as far as the words sound like it ("not for the book", 烂在肚子里).
Rules (`withheld`) know how such wishes are mostly put; these weights have learned from many that were put otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memory_system import text
from memory_system.understand import features
from memory_system.understand.features import Span
from memory_system.understand.weights import LANGUAGES, SCALE, Weights, installed

WISH = ("wish",)
FROM = SCALE  # log-odds times `SCALE`, from which words are a wish

_CLAUSE = re.compile(r"[^,;，；、：:]+")


def sounding(plain: str) -> Iterator[Span]:
    """Where a message sounds like such a wish: the clauses that sound like it, or the sentence where only that does."""
    lang = text.language(plain)
    if lang not in LANGUAGES:
        return
    for start, end in text.sentences(plain):
        clauses = [(start + each.start(), start + each.end()) for each in _CLAUSE.finditer(plain[start:end])]
        found = [span for span in clauses if len(clauses) > 1 and is_wish(plain[slice(*span)], lang)]
        if found:
            yield found[0][0], found[-1][1]
        elif is_wish(plain[start:end], lang):
            yield start, end


def is_wish(words: str, lang: str) -> bool:
    """Whether the words ask that something is not kept."""
    return _weights(lang).sums(features.of_words(words, lang))[0] >= FROM


@cache
def _weights(lang: str) -> Weights:
    return installed(f"wishes.{lang}", WISH)
