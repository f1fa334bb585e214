"""What someone said, told in the third person: "I love tea" becomes "User loves tea", 我喜欢茶 becomes 用户喜欢茶."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memory_system.phrasing import en, zh
from memory_system.phrasing.reported import quoted
from memory_system.records import ASSISTANT_NAME, STOCK_NAMES
from memory_system.text import with_inner_dots, without_inner_dots


@dataclass(frozen=True, slots=True)
class Voices:
    """How the one who speaks and the one spoken to are called."""

    speaker: str
    other: str


def retell(text: str, voices: Voices, lang: str, *, wanted: bool = False) -> str:
    """The statement as a sentence that stands alone and names its speaker; empty when it is too little to tell.
    `wanted` says that it names what somebody would like: "Seeing the ruins" is not what they are doing."""
    if voices.other in STOCK_NAMES and voices.speaker != ASSISTANT_NAME[lang]:
        text = quoted(text, lang)
    if lang == "zh":
        return zh.retell(text, voices.speaker, voices.other)
    told = en.retell(without_inner_dots(text), voices.speaker, voices.other, wanted=wanted)
    return with_inner_dots(told)


def is_request(told: str, voices: Voices, lang: str) -> bool:
    """Whether what was told says that the speaker asks the other to do something."""
    return told.startswith(
        f"{voices.speaker}请{voices.other}" if lang == "zh" else f"{voices.speaker} asks {voices.other} to "
    )


def is_half(told: str, voices: Voices, lang: str) -> bool:
    """Whether what was told stops where what it is about would come: "Ana would love to"."""
    return lang == "en" and en.is_half(told, voices.speaker)


def report(text: str, voices: Voices, lang: str) -> str:
    """The words with their persons replaced and nothing added: for notes and labelled text."""
    tell = zh.report if lang == "zh" else en.report
    return tell(text, voices.speaker, voices.other)


def ask(text: str, voices: Voices, lang: str) -> str:
    """The question as one that the speaker asks: "How can I stop it?" is "User asks: how can they stop it"; empty when
    it is too little to tell."""
    tell = zh.ask if lang == "zh" else en.ask
    return tell(text, voices.speaker, voices.other)


def asked(text: str, voices: Voices, lang: str) -> str:
    """What the question or request of `voices.speaker` asks, to stand in brackets beside the answer: "how can Ana stop
    it", "to list the books"."""
    tell = zh.asked if lang == "zh" else en.asked
    return tell(text, voices.speaker, voices.other)


def inner(text: str, voices: Voices, lang: str) -> str:
    """A piece from inside a sentence whose subject is the speaker: "my aunt in Cork" is "their aunt in Cork"."""
    tell = zh.inner if lang == "zh" else en.inner
    return tell(text, voices.speaker, voices.other)


def stripped(text: str, voices: Voices, lang: str) -> str:
    """The words without what opens and closes them: interjections, connectives, names of address, tag questions."""
    return zh.stripped(text, voices.other) if lang == "zh" else en.stripped(text, voices.other)


def bare(text: str, voices: Voices, lang: str) -> str:
    """An answer without what opens and closes it: "In Porto!" is "Porto"."""
    return zh.bare(text, voices.other) if lang == "zh" else en.bare(text, voices.other)


def fill(template: str, parts: Mapping[str, str], plural: bool, lang: str) -> str:
    """The template with its parts put in; in English the verb after `{who}` agrees with a plural."""
    if plural and lang != "zh":
        template = en.agree_plural(template)
    return template.format_map(parts)
