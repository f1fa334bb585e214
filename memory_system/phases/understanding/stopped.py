"""What somebody has just told that they do, and takes back in a message of its own: "I run every morning." "Actually, I
stopped." Certain only where the message before told one thing, and one that is done again and again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from functools import cache

from memory_system import clock
from memory_system.phases.understanding.passage import Passage
from memory_system.rules import load, table
from memory_system.turns import Claim

_NEXT_BREATH = timedelta(hours=1)
_UNDER_WAY = re.compile("^正?在(?=[学练吃做喝跑写弹])")
_AND_MORE = re.compile(r"[,，;；.。]| and (?:they|he|she|is|also)\b| but ")
_ENDED = {"en": "no longer ", "zh": "不再"}


def says_stopped(plain: str, lang: str) -> bool:
    """Whether the words say that something has been given up, and not what."""
    return load(lang)["stopped"].fires(plain)


class Deeds:
    """What each speaker told in the last message of theirs that told anything, by session."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], list[Claim]] = {}

    def remember(self, passage: Passage, claims: Iterable[Claim]) -> None:
        """Remember what the passage told."""
        speaker, ref = _speaker(passage), passage.turn.message.ref
        before = [each for each in self._told.get(speaker, ()) if each.ref == ref]
        if told := [*before, *claims]:
            self._told[speaker] = told

    def given_up(self, passage: Passage) -> Claim | None:
        """What was told right before, as what is so no more, where the passage says just that."""
        lang, told = passage.scene.lang, self._told.get(_speaker(passage), [])
        if len(told) != 1 or told[0].lang != lang or told[0].ref == passage.turn.message.ref:
            return None
        deed, speaker = told[0], passage.scene.voices.speaker
        found = next(load(lang)["stopped"].found(passage.plain), None)
        if found is None or not _is_kept_up(deed, speaker, found.parts.get("verb", "")) or _is_late(deed, passage):
            return None
        lead = f"{speaker} is " if deed.content.startswith(f"{speaker} is ") else speaker + " " * (lang == "en")
        rest = _UNDER_WAY.sub("", deed.content.removeprefix(lead))
        message, segment = passage.turn.message, passage.segment
        return replace(
            deed, content=f"{lead}{_ENDED[lang]}{rest}", quote=passage.quote, ref=message.ref, polarity=False,
            span=(segment.start, segment.end), said_at=message.said_at, correction=True, event_time=None, expires=None,
        )  # fmt: skip


def _speaker(passage: Passage) -> tuple[str, str]:
    return passage.turn.message.session, passage.scene.subject


def _is_kept_up(deed: Claim, speaker: str, verb: str) -> bool:
    """Whether it was stated as what somebody does, by that verb where one is named."""
    if deed.modality != "stated" or deed.confidence < 1 or not deed.polarity or deed.event_time:
        return False
    if _AND_MORE.search(deed.content):
        return False  # which of the two?
    return verb in deed.content and _doing(deed.lang).match(deed.content.removeprefix(speaker)) is not None


def _is_late(deed: Claim, passage: Passage) -> bool:
    said_at = passage.turn.message.said_at
    return clock.read_stamp(said_at) - clock.read_stamp(deed.said_at) > _NEXT_BREATH


@cache
def _doing(lang: str) -> re.Pattern[str]:
    """What follows the speaker's name where they do something again and again."""
    return re.compile(str(table(lang, "words")["kept_up"]), re.IGNORECASE)
