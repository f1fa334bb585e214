"""What a short answer means by the question before it: "where do you live?" "Porto"."""

from __future__ import annotations

import re
from typing import NamedTuple

from memory_system import attributes, phrasing, text
from memory_system.phases.understanding.passage import Passage
from memory_system.phases.understanding.subjects import Subject, whose
from memory_system.phrasing.verbs import be_of
from memory_system.rules import Rule, table

_FIRST_OF = re.compile(r"\s*[,，;；]\s*")  # "in Ghent, near the station" lives in Ghent
_LEAD = re.compile(  # what an answer may begin with before its value
    r"(?:有(?:的|啊|呀)?|会的?|对的?|是的?|嗯|应该是|肯定是|当然是|那就是)[，,。！、]\s*|(?:应该|肯定|当然|那|就)+是(?=\w)"
    r"|(?:(?:yes|yeah|oh|well|hmm+|um+)[,!.]+ *)?(?:(?:definitely|absolutely|easily|probably|honestly)[,!]? )?(?=\w)",
    re.IGNORECASE,
)
_THINGS = ("thing", "other")  # groups of a rule that name what kind of thing is asked for; the others name kin
_WORDS, _SIGNS = 5, 24  # of a value; more is a story
_MORE = {"en": "{told} ({more})", "zh": "{told}（{more}）"}
_MINE = {"en": "my {kin}", "zh": "我{kin}"}


class Answer(NamedTuple):
    """Which slot of whom is answered with what, and how it is told."""

    rule: Rule
    subject: Subject
    attribute: str
    value: str
    content: str


def answer_of(passage: Passage) -> Answer | None:
    """The slot that the passage fills as an answer; None where it fills none."""
    asked, scene = text.straight(passage.turn.asked), passage.scene
    if not (asked and scene.first_hand) or passage.segment.start != passage.turn.segments[0].start:
        return None
    *_, (start, end) = text.sentences(asked)  # of two questions the last: a value is of one slot
    fired = scene.groups["answer"].firing(asked[start:end])
    said = phrasing.bare(passage.plain, scene.voices, scene.lang) if fired else ""
    said = said[lead.end() :] if (lead := _LEAD.match(said)) else said
    value, more = (*_FIRST_OF.split(said, 1), "")[:2]
    if not value or len(value.split()) > _WORDS or len(value) > _SIGNS:
        return None
    for rule in fired:
        given = next(rule.found(asked[start:end])).given()
        thing = "".join(given.pop(each, "") for each in _THINGS).lower()
        subject = _asked_about("".join(given.values()), passage)
        if subject is None or _is_void(rule, value, scene.lang) or _is_no_kind(rule, thing):
            continue
        attribute = str(rule.data["attribute"]).format(thing=table("attributes", "spellings").get(thing, thing))
        if is_grave(rule):
            value = _as_named(value)
            return Answer(rule, subject, attribute, value, _told(rule, subject, value, more, passage))
        told = str(rule.data["content"]).format(who=subject.shown, value=said, thing=thing, be=be_of(thing))
        return Answer(rule, subject, attribute, value, told)
    return None


def is_grave(rule: Rule) -> bool:
    """Whether the question asks for what must not be lost: an allergy, a medicine."""
    return attributes.category_of(rule) in attributes.GRAVE


def _asked_about(kin: str, passage: Passage) -> Subject | None:
    """Who is asked about: the one who answers, or somebody near to them."""
    scene = passage.scene
    if not kin:
        return Subject(scene.subject, scene.voices.speaker)
    return whose(_MINE[scene.lang].format(kin=kin), scene, None)


def _is_void(rule: Rule, value: str, lang: str) -> bool:
    """Whether the words are no value: "none that I know of", "not telling"."""
    unless = (rule.data.get("unless"), table(lang, "parts")["no_answer"])
    return any(each and re.match(str(each), value, re.IGNORECASE) for each in unless)


def _is_no_kind(rule: Rule, thing: str) -> bool:
    """Whether the question is for no kind of thing by which a favourite could be known: "your favourite part"."""
    unless = rule.data.get("no_thing")
    return bool(unless) and re.search(str(unless), thing, re.IGNORECASE) is not None


def _as_named(value: str) -> str:
    """The value as it stands within a sentence: penicillin, but NSAIDs."""
    return value[0].lower() + value[1:] if value[1:2].islower() else value


def _told(rule: Rule, subject: Subject, value: str, more: str, passage: Passage) -> str:
    """The slot in the words of its rule, with what else was answered beside it."""
    lang = passage.scene.lang
    told = str(rule.data["content"]).format(who=subject.shown, value=value)
    more = phrasing.inner(more, passage.scene.voices, lang)
    return _MORE[lang].format(told=told, more=more) if more else told
