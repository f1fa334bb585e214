"""What is typed in haste is spelled out where it is told: "im" is "I'm", "fav" is "favourite"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from memory_system.rules import table

_MARKED = re.compile('["“`]')


@cache
def meant() -> Mapping[str, str]:
    """What each such word means."""
    words: Mapping[str, str] = table("en", "typed")
    return words


def spelled_out(words: str) -> str:
    """The sentence with all its words spelled out; code and quotations stay as they are."""
    return words if _MARKED.search(words) else _typed().sub(_meant, words)


def _meant(found: re.Match[str]) -> str:
    told = meant()[found[0].lower()]
    return told[0].upper() + told[1:] if found[0][0].isupper() else told


@cache
def _typed() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'-])(?:{'|'.join(meant())})(?![\w'-])", re.IGNORECASE)
