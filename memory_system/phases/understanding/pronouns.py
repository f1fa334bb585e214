"""A word for him or her with which something that is said begins: somebody else is spoken of than whoever speaks."""

from __future__ import annotations

import re

_BEGINS = {
    "en": re.compile(
        r"\W*(?:(?:and|but|so|oh|yeah|yes|no|well|also|actually|hey|because|i think|i guess),? )*"
        r"(he/she|she/he|he|she|his|her|him)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"\W*(?:不过|但是?|而且|所以|其实)?[，,]?([他她])(?!们?[和跟给对]我)"),
}
_SUBJECT = re.compile(r"(?:he|she)(?=[ '])|[他她](?![们的])", re.IGNORECASE)


def begins_with(words: str, lang: str) -> str:
    """The word for him or her that the words begin with, in lower case, perhaps after "and" or 不过; empty where they
    begin otherwise."""
    found = _BEGINS[lang].match(words)
    return found[1].lower() if found else ""


def subject(words: str) -> str:
    """The "he" or "she" that is the very first of the words, and whoever does what they tell; else empty."""
    found = _SUBJECT.match(words)
    return found[0] if found else ""
