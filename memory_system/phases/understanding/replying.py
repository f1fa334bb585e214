"""What a reply replies to. "From an old magazine" says nothing by itself; beside the question it is a fact. The
question is told with it where the reply needs it and the question can be understood alone: one that leans on something
itself would explain nothing.
"""

from __future__ import annotations

from memory_system import phrasing
from memory_system.phases.understanding.asked import is_needed, tells_the_topic
from memory_system.phases.understanding.passage import Passage
from memory_system.phrasing import Voices

_FORM = {"en": "{told} (asked{mark} {asked})", "zh": "{told}（被问：{asked}）"}


def with_question(told: str, passage: Passage) -> str:
    """What was told, with the question that it answers where that says what it is about."""
    asked, scene = passage.turn.asked, passage.scene
    if not (asked and told and _needs_it(passage) and tells_the_topic(asked, at_length=_is_essay(passage))):
        return told
    question = phrasing.asked(asked, Voices(scene.voices.other, scene.voices.speaker), scene.lang)
    return _FORM[scene.lang].format(told=told, asked=question, mark="" if question.startswith("to ") else ":")


def _is_essay(passage: Passage) -> bool:
    return not passage.scene.first_hand and "\n" in passage.quote


def _needs_it(passage: Passage) -> bool:
    """Whether the words are a passage of a long answer, or what a message begins with and lean on the question."""
    if _is_essay(passage):
        return True
    if passage.segment.start != passage.turn.segments[0].start:
        return False
    scene = passage.scene
    words = phrasing.stripped(passage.words, scene.voices, scene.lang)
    return is_needed(words, passage.turn.asked, scene.lang, first_hand=scene.first_hand)
