"""A number that was said wrong, and put right with the next message: "My rent is 1450." "Sorry, 1540 not 1450.";
我房租4500。打错了，是5400。 Certain only where what was said right before gives one such number, or the one that is
named as wrong.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from functools import cache

from memory_system import clock
from memory_system.phases.understanding.passage import Passage
from memory_system.rules import table
from memory_system.turns import Claim, Message

_NEXT_BREATH = timedelta(hours=1)
_SURE = ("meant", "wrong", "sure")  # groups that take a number back whatever was asked meanwhile
_IN_HAN = "一二两三四五六七八九十百千万"
_NUMBER = rf"\d{{1,2}}:\d\d|\d[\d,]*(?:\.\d+)?|[{_IN_HAN}]+(?=[岁点号楼层斤块元月个只人天周年页])"
_ANY = re.compile(rf"(?<![\d.:/{_IN_HAN}-])(?:{_NUMBER})(?![\d:/])")
_CURRENCY = "$£€¥"


class Numbers:
    """What each speaker said in their last message, and what it told, by session."""

    def __init__(self) -> None:
        self._said: dict[tuple[str, str], tuple[Message, list[Claim]]] = {}

    def remember(self, passage: Passage, claims: list[Claim]) -> None:
        """Remember what the passage told."""
        speaker, message = _speaker(passage), passage.turn.message
        known = self._said.get(speaker)
        before = known[1] if known and known[0].ref == message.ref else []
        self._said[speaker] = message, [*before, *claims]

    def put_right(self, passage: Passage) -> list[Claim] | None:
        """What was told right before with the number that the passage puts in the place of one of its own; empty where
        nobody can tell which it takes back, None where it takes back none."""
        said = self._said.get(_speaker(passage))
        found = _taken_back(passage.scene.lang).match(passage.plain, passage.offset)
        if found is None or not _is_certain(found.groupdict(), passage):
            return None
        if said is None:
            return []
        message, told = said
        same = message.ref == passage.turn.message.ref
        if not same and message.ref != passage.turn.follows:
            return []  # something was said between the two that nothing was told of
        before = message.text[: passage.segment.start] if same else message.text
        right, wrong = found["right"], _wrong(found.groupdict(), before)
        if not wrong or right == wrong or _is_late(message, passage):
            return []
        return [each for claim in told if (each := _with(right, wrong, claim, passage)) is not None]


def _speaker(passage: Passage) -> tuple[str, str]:
    return passage.turn.message.session, passage.scene.subject


def _is_certain(given: dict[str, str | None], passage: Passage) -> bool:
    """Whether the words take back what was said: "no, 6" may as well answer what was asked meanwhile."""
    return any(given.get(each) for each in _SURE) or bool(given["lead"] and not passage.turn.asked)


def _wrong(given: dict[str, str | None], before: str) -> str:
    """The number that was wrong: the one that is named so, else the only one there is, of the same kind; empty where
    it is not certain."""
    numbers = list(_ANY.finditer(before))
    if named := given.get("wrong"):
        return named if [each[0] for each in numbers].count(named) == 1 else ""
    unit = (given.get("unit") or "").lower()
    if len(numbers) != 1 or not before[numbers[0].end() :].lstrip().lower().startswith(unit):
        return ""
    return numbers[0][0]


def _with(right: str, wrong: str, claim: Claim, passage: Passage) -> Claim | None:
    """The claim with the right number; None where it does not give the wrong one, or as a date."""
    content, times = _exact(wrong).subn(right, claim.content)
    if times != 1 or claim.event_time is not None or claim.lang != passage.scene.lang or claim.confidence < 1:
        return None
    message, segment = passage.turn.message, passage.segment
    return replace(
        claim, content=content, value=_exact(wrong).sub(right, claim.value), quote=passage.quote, ref=message.ref,
        span=(segment.start, segment.end), said_at=message.said_at, correction=True,
    )  # fmt: skip


def _exact(number: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.:/{_IN_HAN}-]){re.escape(number)}(?![\d:/]|\.\d)")


def _is_late(said: Message, passage: Passage) -> bool:
    return clock.read_stamp(passage.turn.message.said_at) - clock.read_stamp(said.said_at) > _NEXT_BREATH


@cache
def _taken_back(lang: str) -> re.Pattern[str]:
    """Words that take a number back (`lead`, surely `sure` or `meant`), the right one, and perhaps the wrong one."""
    form = str(table(lang, "words")["misnumbered"])
    named = f"[{_CURRENCY}]?(?P<right>{_NUMBER})", f"[{_CURRENCY}]?(?P<wrong>{_NUMBER})"
    return re.compile(form.replace("{right}", named[0]).replace("{wrong}", named[1]), re.IGNORECASE)
