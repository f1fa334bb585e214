"""What a speaker asks not to keep ("don't save this, but …", 这个别记：…): neither that is remembered nor the wish."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from memory_system import rules, text
from memory_system.rules import Found
from memory_system.text import SENTENCE_SIGN
from memory_system.turns import Message

LANGS = ("en", "zh")
WITHHELD = "withheld"  # the reason why such a segment is dropped
SOON = 4  # messages within which a wish is about what the same one has said before

Said = TypeVar("Said")

_LONGEST = 80  # characters of a message that says nothing but the wish
_COLONS = ("：", ":")


def withheld(message: str) -> list[tuple[int, int]]:
    """The stretches of the message that are not to be kept, each with its wish, whatever the language of either: the
    sentence with the wish; what comes after a colon, to the end; and all of the message where the wish is a sentence
    of its own."""
    langs = [lang for lang in LANGS if _rules(lang)["withheld_gate"].fires(message)]
    if not langs:
        return []
    plain = _plain(message)
    return [_stretch(plain, wish) for lang in langs for wish in _wishes(plain, lang)]


def takes_back(message: Message) -> bool:
    """Whether the message says nothing but that this, that or it is not to be kept: it means what the same one said
    right before."""
    words = message.text
    if not message.is_first_hand or message.is_noted or len(words) > _LONGEST:
        return False
    if withheld(words)[:1] != [(0, len(words))]:
        return False
    plain = _plain(words)
    return _fires("withheld_before", plain) and not _fires("withheld_after", plain)


class TakingBack(Generic[Said]):
    """What each one has said last, which their next message may take back: whether it does is for `takes` to say."""

    def __init__(self, takes: Callable[[Message], bool] = takes_back) -> None:
        self._takes = takes
        self._last: dict[tuple[str, str, str], tuple[int, Said]] = {}
        self._count = 0

    def heard(self, message: Message, said: Said) -> Said | None:
        """What the message takes back: the `said` of what the same one said last, a few messages before at most."""
        voice = (message.session, message.role, message.speaker)
        before = self._last.get(voice)
        self._last[voice] = self._count, said
        self._count += 1
        soon = before is not None and self._count - 1 - before[0] <= SOON
        return before[1] if before and soon and self._takes(message) else None


def asks_not_to_keep(words: str) -> bool:
    """Whether there is such a wish in the words, in either language."""
    return bool(withheld(words))


def _wishes(plain: str, lang: str) -> Iterator[Found]:
    for rule in _rules(lang)["withheld"].firing(plain):
        unless = rule.data.get("unless_before")
        for wish in rule.found(plain):
            if not (unless and re.search(unless, plain[: wish.places["wish"][0]], re.IGNORECASE)):
                yield wish


def _stretch(plain: str, wish: Found) -> tuple[int, int]:
    start, end = wish.span
    while start < end and not plain[start].isalnum():
        start += 1
    first = max((found.end() for found in SENTENCE_SIGN.finditer(plain, 0, start)), default=0)
    mark = wish.parts["mark"]
    if mark in _COLONS and mark:
        return first, len(plain)
    ended = not plain[end:].strip() or bool(SENTENCE_SIGN.fullmatch(mark))
    if ended and _says_nothing(plain[first:start]):
        return 0, len(plain)
    last = SENTENCE_SIGN.search(plain, end - len(mark))
    return first, last.end() if last else len(plain)


def _says_nothing(before: str) -> bool:
    """Whether there is nothing before the wish in its sentence, or only that it is a secret."""
    return not before.strip() or _fires("withheld_preamble", before)


def _plain(message: str) -> str:
    """The message as the rules read it, as long as it was."""
    return text.paused(text.straight(message))


def _rules(lang: str) -> rules.Groups:
    return rules.load(f"withheld.{lang}")


def _fires(group: str, words: str) -> bool:
    """Whether a rule of the group fires, in either language."""
    return any(_rules(lang)[group].fires(words) for lang in LANGS)
