"""What a short answer means by the question before it: "where do you live?" "Porto"."""

from __future__ import annotations

import re
from typing import NamedTuple

from memory_system import phrasing, slots, text
from memory_system.phases.understanding.passage import Passage
from memory_system.phases.understanding.subjects import Subject, whose
from memory_system.rules import Rule, table

_FIRST_OF = re.compile(r"\s*[,，;；]\s*")  # "in Ghent, near the station" lives in Ghent
_YES = re.compile(r"(?:有(?:的|啊|呀)?|会的?|对的?|是的?|嗯)[，,。！、]\s*")
_WORDS, _SIGNS = 5, 24  # of a value; more is a story
_MORE = {"en": "{told} ({more})", "zh": "{told}（{more}）"}
_MINE = {"en": "my {kin}", "zh": "我{kin}"}


class Answer(NamedTuple):
    """Which slot of whom is answered with what, and how it is told."""

    rule: Rule
    subject: Subject
    value: str
    content: str


def answer_of(passage: Passage) -> Answer | None:
    """The slot that the passage fills as an answer; None where it fills none."""
    asked, scene = passage.turn.asked.replace("’", "'"), passage.scene
    if not (asked and scene.first_hand) or passage.segment.start != passage.turn.segments[0].start:
        return None
    *_, (start, end) = text.sentences(asked)  # of two questions the last: a value is of one slot
    fired = scene.groups["answer"].firing(asked[start:end])
    said = phrasing.bare(passage.plain, scene.voices, scene.lang) if fired else ""
    value, more = (*_FIRST_OF.split(_YES.sub("", said, count=1), 1), "")[:2]
    if not value or len(value.split()) > _WORDS or len(value) > _SIGNS:
        return None
    for rule in fired:
        subject = _asked_about(rule, asked[start:end], passage)
        if subject is None or _is_void(rule, value, scene.lang):
            continue
        if is_grave(rule):
            return Answer(rule, subject, _as_named(value), _told(rule, subject, _as_named(value), more, passage))
        return Answer(rule, subject, value, str(rule.data["content"]).format(who=subject.shown, value=said))
    return None


def is_grave(rule: Rule) -> bool:
    """Whether the question asks for what must not be lost: an allergy, a medicine."""
    return slots.category_of(rule) in slots.GRAVE


def _asked_about(rule: Rule, asked: str, passage: Passage) -> Subject | None:
    """Who is asked about: the one who answers, or somebody near to them."""
    scene = passage.scene
    kin = "".join(next(rule.found(asked)).given().values())
    if not kin:
        return Subject(scene.subject, scene.voices.speaker)
    return whose(_MINE[scene.lang].format(kin=kin), scene, None)


def _is_void(rule: Rule, value: str, lang: str) -> bool:
    """Whether the words are no value: "none that I know of", "not telling"."""
    unless = (rule.data.get("unless"), table(lang, "parts")["no_answer"])
    return any(each and re.match(str(each), value, re.IGNORECASE) for each in unless)


def _as_named(value: str) -> str:
    """The value as it stands within a sentence: penicillin, but NSAIDs."""
    return value[0].lower() + value[1:] if value[1:2].islower() else value


def _told(rule: Rule, subject: Subject, value: str, more: str, passage: Passage) -> str:
    """The slot in the words of its rule, with what else was answered beside it."""
    lang = passage.scene.lang
    told = str(rule.data["content"]).format(who=subject.shown, value=value)
    more = phrasing.inner(more, passage.scene.voices, lang)
    return _MORE[lang].format(told=told, more=more) if more else told
