"""Slips of the tongue, put right by the one who made them: within the sentence ("allergic to kiwi, sorry, I meant
mango"), or with the next breath ("actually no, 4 May").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache

from memory_system import clock, text
from memory_system.attributes import about
from memory_system.phases.understanding.filling import Reading, cleaned
from memory_system.phases.understanding.misnumbered import Numbers
from memory_system.phases.understanding.passage import Passage
from memory_system.phases.understanding.stopped import Deeds
from memory_system.rules import Rule, table
from memory_system.turns import Claim

_LONGEST = {"en": 40, "zh": 16}  # characters of what is put in the place of a slip
_WORDS = 5  # and English words
_ENDING = frozenset({"partner", "works_at", "works_in", "position", "studies_at", "studies_in"})
_NEXT_BREATH = timedelta(hours=1)
_NEAR = 40  # characters that may stand between a value and what puts it right


def repaired(readings: Sequence[Reading], passage: Passage) -> list[Reading]:
    """The readings, those with the value that was meant whose value is taken back in the words after it, and none of
    what the same breath ends ("my girlfriend Nora and I broke up")."""
    meant = [_meant(each, passage) for each in readings]
    if not any(each.attribute in _ENDING and not each.rule.data.get("correction") for each in meant):
        return meant
    ends = (rule for rule in _revisions(passage) if not rule.data.get("begins"))  # a new job is named with the change
    over = {slot for rule in ends for slot in rule.data.get("slots", ())}
    return [each for each in meant if each.attribute not in over or each.rule.data.get("correction")]


def _revisions(passage: Passage) -> list[Rule]:
    return passage.scene.groups["revision"].firing(passage.plain)


def _meant(reading: Reading, passage: Passage) -> Reading:
    lang, plain = passage.scene.lang, passage.plain
    start, end = reading.value_span
    last = min(len(plain), end + _NEAR + _LONGEST[lang])
    begins = range(end, end + _after(lang) + 1) if reading.content else ()
    found = next((each for at in begins if (each := _repair(lang).match(plain, at, last))), None)
    if found is None:
        return reading
    behind = plain[end : found.start()].strip(" ，,。.！!；;—–-")
    said = found["value"].strip()
    if lang == "zh":
        said = said.removeprefix("对").removesuffix(behind)
    value = cleaned(_dated(said, reading.attribute, passage), lang)
    if not _is_like(value, reading.value, lang) or (found.groupdict().get("weak") and not _has_number(value)):
        return reading
    old = _dated(plain[start:end], reading.attribute, passage)
    content = reading.content.replace(old, value, 1).replace(reading.value, value, 1)
    return replace(reading, value=value, content=content, span=(reading.span[0], found.end("value")))


def _after(lang: str) -> int:
    """Characters that the rest of the clause may have behind the value: 对猕猴桃过敏, and none in English."""
    return 4 if lang == "zh" else 1


class Afterthoughts:
    """What each speaker said last that fills a slot, by session: what they say next may put it right, or say that they
    do it no more."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], Claim] = {}
        self._deeds = Deeds()
        self._numbers = Numbers()

    def put_right(self, passage: Passage, claims: list[Claim]) -> list[Claim]:
        """The claims of the passage, which may put right what was said before it. They are remembered."""
        if not passage.scene.first_hand or passage.mood.drop or passage.segment.kind == "question":
            self._numbers.remember(passage, [])
            return claims
        claims = self._instead(passage, claims)
        self._deeds.remember(passage, claims)
        self._numbers.remember(passage, claims)
        speaker = passage.turn.message.session, passage.scene.subject
        if slotted := [each for each in claims if each.attribute and each.value]:
            self._last[speaker] = slotted[-1]
        elif claims:
            self._last.pop(speaker, None)
        return claims

    def _instead(self, passage: Passage, claims: list[Claim]) -> list[Claim]:
        """What the passage puts right or ends, else its claims."""
        filled = {each.attribute for each in claims if each.attribute}
        right = self._numbers.put_right(passage)
        if not (right or filled) and (meant := self._meant(passage)):
            return [meant]
        if right is not None and filled <= {"age", *(each.attribute for each in right)}:
            return right  # a bare 不对，6岁 is of whoever was spoken of, or of nobody
        ended = self._deeds.given_up(passage)
        return [ended] if ended else claims

    def _meant(self, passage: Passage) -> Claim | None:
        """The last claim with the value that the passage begins with, where it begins by taking something back."""
        last = self._last.get((passage.turn.message.session, passage.scene.subject))
        found = _afterthought(passage.scene.lang).match(passage.plain, passage.offset) if last else None
        if found is None or last is None or last.lang != passage.scene.lang or _is_long_ago(last, passage):
            return None
        said = found["value"].strip()
        value = cleaned(_dated(said, last.attribute, passage), last.lang)
        if not _is_like(value, last.value, last.lang) or last.value not in last.content:
            return None
        if last.value.isdigit() and not value.isdigit():
            return None  # 6个月 is no number of years
        message, segment = passage.turn.message, passage.segment
        return replace(
            last, content=last.content.replace(last.value, value, 1), value=value, quote=passage.quote, ref=message.ref,
            span=(segment.start, segment.end), said_at=message.said_at, correction=True, event_time=None, expires=None,
        )  # fmt: skip


def _is_long_ago(last: Claim, passage: Passage) -> bool:
    """What an earlier night left over is read before what is said today, and may be days old."""
    said_at = passage.turn.message.said_at
    return clock.read_stamp(said_at) - clock.read_stamp(last.said_at) > _NEXT_BREATH


def _dated(said: str, attribute: str, passage: Passage) -> str:
    """The words with their dates written out; a birthday has no year."""
    return said if about(attribute).get("yearly") else passage.dated(said)


def _is_like(new: str, old: str, lang: str) -> bool:
    """Whether it can stand in the other's place: no longer than a value, and a number for a number."""
    if not new or new.casefold() == old.casefold() or len(new) > _LONGEST[lang] or len(new.split()) > _WORDS:
        return False
    if _has_number(new) != _has_number(old):
        return False
    return not is_no_value(new, lang)


def is_no_value(words: str, lang: str) -> bool:
    """Whether the words begin like the rest of a sentence, and are no value."""
    return _not_values(lang).search(words) is not None


def _has_number(value: str) -> bool:
    return any(sign.isdigit() or (sign in "一二三四五六七八九十" and text.cjk_count(value) > 1) for sign in value)


@cache
def _not_values(lang: str) -> re.Pattern[str]:
    return re.compile(str(table(lang, "words")["no_values"]), re.IGNORECASE)


@cache
def _repair(lang: str) -> re.Pattern[str]:
    cue, end = table(lang, "words")["repair"], table(lang, "words")["repair_end"]
    return re.compile(rf"(?:{cue})(?P<value>.+?){end}", re.IGNORECASE)


@cache
def _afterthought(lang: str) -> re.Pattern[str]:
    cue, end = table(lang, "words")["afterthought"], table(lang, "words")["repair_end"]
    return re.compile(rf"\W*(?:{cue})(?P<value>.+?){end}", re.IGNORECASE)
