"""A told sentence without its maybe: "User might row" becomes "User rows", 用户可能划船 becomes 用户划船."""

from __future__ import annotations

import re
from functools import cache

from memory_system.phrasing import verbs
from memory_system.rules import table


def unhedged(told: str, lang: str) -> str:
    """The sentence without its words of doubt; in English the verb after might, may or could takes its plain form."""
    if lang == "zh":
        return _words("zh").sub("", told)
    plain = _modal().sub(lambda found: f" {verbs.singular(found[1])}", _words("en").sub("", told))
    return plain[:1].upper() + plain[1:]


@cache
def _words(lang: str) -> re.Pattern[str]:
    words = table("doubt", lang)["words"]
    return re.compile(words if lang == "zh" else rf"\b(?:{words})\b,? ?", re.IGNORECASE)


@cache
def _modal() -> re.Pattern[str]:
    return re.compile(rf" (?:{table('doubt', 'en')['modal']}) (?!be\b|have\b|not\b)([a-z]+)")
