"""Whether words stand on other words: nothing that a model says is taken over unless the conversation says it. The
check is one of words, so it errs on the side of refusing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from memory_system import text
from memory_system.records import STOCK_NAMES
from memory_system.store.gist import gist_of, is_time, tells_not

_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|we|us|our|you|your)\b|[我咱您你]", re.IGNORECASE)
_STANDS_FOR_OTHERS = (
    "he she they him her them his their hers theirs it its this that these those there here one who which about "
    "他 她 它 其 自 己 关 于 这 那 些 里 儿"
)
LIGHT = frozenset(word for each in _STANDS_FOR_OTHERS.split() for word in (each, *gist_of(each).words))


def is_quoted(quote: str, source: str) -> bool:
    """Whether the words were copied from the source; width, case and blanks may differ."""
    return bool(quote.strip()) and text.fold(quote) in text.fold(source)


def fault(told: str, quote: str, around: str, names: Iterable[str]) -> str:
    """Why a sentence is not supported by the quote it rests on, the words around that and the names of those who speak;
    empty where it is."""
    mine, said = words(told), words(quote)
    named = {word for name in names for word in words(name)}
    if _FIRST_PERSON.search(told):
        return "not told in the third person"
    if {each for each in mine if is_time(each)} - said - named:
        return "another number or date"
    if tells_not(gist_of(told)) != tells_not(gist_of(quote)):
        return "denies what was said"
    if mine - said - named - words(around) - LIGHT:
        return "says what was not said"
    return "" if mine & (said - named) else "says nothing of the quote"


def covers(told: str, other: str) -> bool:
    """Whether one sentence says at least what the other says, pronouns aside."""
    return not words(other) - words(told) - LIGHT


def words(sentence: str) -> set[str]:
    """The words that count, in their plainest form, without those that stand for the speakers."""
    return set(gist_of(sentence).words) - _stock()


@cache
def _stock() -> frozenset[str]:
    return frozenset(word for name in STOCK_NAMES for word in gist_of(name).words)
