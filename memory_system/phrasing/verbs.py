"""Forms of English verbs: which form goes with one and which with several, and what is no verb."""

from __future__ import annotations

import re

from memory_system.rules.words import is_word

_SINGULAR = {
    "am": "is", "'m": "is", "are": "is", "have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't",
    "aren't": "isn't", "weren't": "wasn't", "were": "was", "wanna": "wants to", "gotta": "has to", "dont": "doesn't",
    "havent": "hasn't", "ain't": "isn't", "been": "has been", "gonna": "is going to", "arent": "isn't",
}  # fmt: skip
_PLURAL = {
    "am": "are", "was": "were", "wanna": "want to", "gotta": "have to", "been": "have been", "gonna": "are going to",
}  # fmt: skip
_MANY = {"is": "are", "has": "have", "does": "do", "was": "were", "doesn't": "don't"}  # for templates, in the singular
_DRAWN_OUT = re.compile(r"([a-z])\1{2,}")  # "I sooo do"
_PLAIN_ING = frozenset({"sing", "ring", "bring", "swing", "cling", "sting", "spring", "fling"})


def singular(verb: str) -> str:
    """The form of the third person: have is has, try is tries, went is went."""
    low = verb.lower()
    if low in _SINGULAR:
        return _SINGULAR[low]
    if low.endswith(("'ve", "'d")):
        return verb  # would've
    if is_word("past", low) or is_word("modals", low) or (low.endswith("ed") and not is_word("base_ed", low)):
        return verb
    if low.endswith("ing") and low not in _PLAIN_ING:
        return f"is {verb}"
    if low.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if low.endswith("y") and low[-2:-1] not in "aeiou" else verb + "s"


def be_of(noun: str) -> str:
    """Is or are, as the noun needs it: passions are, a series is."""
    several = noun.endswith("s") and not (noun.endswith(("ss", "us", "is")) or is_word("singular_s", noun))
    return "are" if several else "is"


def plural_form(verb: str) -> str:
    """The other way: lives is live, has is have."""
    return _MANY.get(verb) or (verb[:-3] + "y" if verb.endswith("ies") else verb.removesuffix("s"))


def plural_of(low: str, verb: str) -> str:
    """What "I" or "you" has, for several: am is are, was is were."""
    return _PLURAL.get(low, verb)


def is_adverb(low: str) -> bool:
    """Whether it may stand between a subject and its verb."""
    low = _DRAWN_OUT.sub(r"\1", low)
    return is_word("skip", low) or (low.endswith("ly") and not is_word("ly_verbs", low))


def is_no_verb(low: str) -> bool:
    """Whether the word behind "I" or "you" is none that could agree with it: "with you since", "who back you makes"."""
    if is_word("no_verb", low) or low[0].isdigit() or _DRAWN_OUT.search(low):
        return True
    return low.endswith("s") and not low.endswith(("ss", "us"))
