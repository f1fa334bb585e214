"""What a message may hold at all: words without which whole groups of rules match nothing are looked for in one pass,
once for a message, whoever asks."""

from __future__ import annotations

from functools import cache, lru_cache

from memory_system import rules

LANGS = ("en", "zh")
_GATED = ("withheld", "frame", "confided")


def may_hold(message: str, group: str, lang: str) -> bool:
    """Whether the message has words of that language without which no rule of the group matches."""
    return (lang, group) in _open(message)


def languages(message: str, group: str) -> list[str]:
    """The languages of which the message has such words; none for most."""
    opened = _open(message)
    return [lang for lang in LANGS if (lang, group) in opened] if opened else []


@lru_cache(maxsize=64)  # a message is asked for one group after the other
def _open(message: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(each.split(".")) for each in _gates().firing(message))


@cache
def _gates() -> rules.Together:
    return rules.Together({f"{lang}.{group}": rules.load(lang)[f"{group}_gate"] for lang in LANGS for group in _GATED})
