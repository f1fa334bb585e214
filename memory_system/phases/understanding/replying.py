"""What a reply replies to. "From an old magazine" says nothing by itself; beside the question it is a fact. The
question is told with it where the reply needs it and the question can be understood alone: one that leans on something
itself would explain nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_system import attributes, dates, phrasing, rules
from memory_system.phases.understanding.asked import goes_on, is_needed, tells_of, tells_the_topic, told_beside
from memory_system.phases.understanding.before import said_before
from memory_system.phases.understanding.confided import Confidences
from memory_system.phases.understanding.hanging import what_stands
from memory_system.phases.understanding.passage import Passage
from memory_system.phases.understanding.pictures import leaned_on, pointed_at
from memory_system.phases.understanding.scene import Scene, as_rules_see
from memory_system.phrasing import Voices

_BESIDE = re.compile(r"(?: \((?:asked|on|image|in confidence)\b.*\)|（(?:被问|谈到|图|保密)：.*）)$", re.DOTALL)
_IMAGE = re.compile(r" \(image: (.*)\)$|（图：(.*)）$", re.DOTALL)
_SHOWING = {"en": "{told} (image: {inside})", "zh": "{told}（图：{inside}）"}
_ON = {"en": "{told} (on: {topic})", "zh": "{told}（谈到：{topic}）"}
_FORM = {"en": "{told} (asked{mark} {asked})", "zh": "{told}（被问：{asked}）"}


def with_question(told: str, passage: Passage) -> str:
    """What was told, with the picture that it points at, or the question that it answers where that says what it is
    about; else with the picture without which it hangs in the air, or what the talk was about, where it leans on it."""
    asked, scene, turn = passage.turn.asked, passage.scene, passage.turn
    if not told or scene.prefix:
        return told
    if inside := pointed_at(turn, passage.segment, scene):
        return _SHOWING[scene.lang].format(told=told, inside=inside)
    if (whole := with_what_is_before(told, passage)) != told:
        return whole
    if asked and _needs_it(passage) and _explains(asked, passage):
        return _with_asked(told, asked, scene)
    if inside := leaned_on(turn, passage.segment, scene):
        return _SHOWING[scene.lang].format(told=told, inside=inside)
    if turn.topic and _begins(passage) and told_beside(turn, _bare(passage), scene.lang) == turn.topic:
        return _ON[scene.lang].format(told=told, topic=_topic(passage))
    return told


def _with_asked(told: str, asked: str, scene: Scene) -> str:
    """What was told with what the other asked, or what they said of themselves that made somebody answer at length."""
    dated = dates.resolve(asked, scene.anchor, scene.lang)[0]
    question = phrasing.asked(dated, Voices(scene.voices.other, scene.voices.speaker), scene.lang)
    if not rules.load(scene.lang)["kind"].fires(as_rules_see(asked)):
        return _ON[scene.lang].format(told=told, topic=question)
    return _FORM[scene.lang].format(told=told, asked=question, mark="" if question.startswith("to ") else ":")


def with_what_is_before(told: str, passage: Passage, *, asks: bool = False) -> str:
    """What was told, with what the message says right before it where it hangs in the air without that, or `asks`."""
    turn, scene = passage.turn, passage.scene
    if not scene.first_hand or passage.noted:
        return told
    said = said_before(turn.message.text, passage.segment.start, _bare(passage), scene.lang, asks=asks)
    return _ON[scene.lang].format(told=told, topic=_reported(said, scene.voices, passage)) if said else told


def _explains(asked: str, passage: Passage) -> bool:
    """Whether the question tells what the passage is about."""
    if _is_essay(passage):
        return tells_the_topic(asked, at_length=True)
    return tells_of(_bare(passage), asked, passage.scene.lang, first_hand=passage.scene.first_hand)


def alone(told: str) -> str:
    """What was told without what stands beside it in brackets: the question, the topic."""
    return _BESIDE.sub("", told)


def standing(told: str, words: str, passage: Passage) -> str:
    """What was told of the words, as far as it can be understood alone."""
    if not _may_be_left_out(passage):
        return told
    scene = passage.scene
    plain = phrasing.stripped(words, scene.voices, scene.lang)
    rest = what_stands(plain, scene.lang)
    if rest == plain or Confidences.of(passage.turn, scene).stretches:
        return told  # what is told in confidence is kept with the wish
    return phrasing.retell(rest, scene.voices, scene.lang)


def _may_be_left_out(passage: Passage) -> bool:
    """Whether nothing else speaks for telling the passage: it is not grave, dated, written down or only supposed."""
    if not passage.scene.first_hand or passage.noted or passage.event or passage.mood.confidence < 1:
        return False
    return passage.category() not in attributes.CERTAIN


def is_shown_already(passage: Passage, told: Iterable[str]) -> bool:
    """Whether the passage is a picture that has been told beside a sentence before it."""
    beside = (_IMAGE.search(each) for each in told if passage.picture)
    return any(found and passage.picture.endswith(found[1] or found[2]) for found in beside)


def _topic(passage: Passage) -> str:
    """What the talk was about, as it is told in brackets."""
    turn, scene = passage.turn, passage.scene
    voices = scene.voices if turn.own_topic else Voices(scene.voices.other, scene.voices.speaker)
    return _reported(turn.topic, voices, passage)


def _reported(words: str, voices: Voices, passage: Passage) -> str:
    """What was said, as it is told in brackets."""
    scene = passage.scene
    said = dates.resolve(words, scene.anchor, scene.lang)[0]
    if said.endswith(("?", "？")):
        return phrasing.asked(said, voices, scene.lang)
    return phrasing.report(phrasing.stripped(said, voices, scene.lang), voices, scene.lang)


def _is_essay(passage: Passage) -> bool:
    """Whether it is a passage of a long answer: one of several lines, or a sentence that goes on with what others in it
    began."""
    if passage.scene.first_hand:
        return False
    return "\n" in passage.quote or goes_on(passage.turn, passage.segment, passage.scene.lang)


def _needs_it(passage: Passage) -> bool:
    """Whether the words are a passage of a long answer, or what a message begins with and lean on the question."""
    if _is_essay(passage):
        return True
    first_hand, lang = passage.scene.first_hand, passage.scene.lang
    return _begins(passage) and is_needed(_bare(passage), passage.turn.asked, lang, first_hand=first_hand)


def _begins(passage: Passage) -> bool:
    """Whether the message begins with it, as far as it is kept."""
    return passage.segment.start == passage.turn.segments[0].start


def _bare(passage: Passage) -> str:
    return phrasing.stripped(passage.words, passage.scene.voices, passage.scene.lang)
