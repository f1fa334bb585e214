"""What somebody asks too shortly for it to be remembered ("How do I install PyTorch?", PyTorch怎么安装？) still tells
what they are about, where they ask about it on several days (`settling/habits.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from memory_system import rules, text
from memory_system.phrasing.naming import named
from memory_system.privacy.trust import is_owners_word
from memory_system.turns import Message, Segment, Turn

_SHORT = 24  # characters of a Chinese question that names little beside its topic
_SIZES = (2, 3, 4)  # characters of most topics
QUESTION = "question"  # the kind of a segment, and why it is dropped


@dataclass(frozen=True, slots=True)
class Wondered:
    """A question of the owner's that names something; only its words tell that it was asked."""

    name: str
    quote: str
    ref: str
    said_at: str
    role: str
    lang: str

    def to_row(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Wondered:
        return cls(**row)


def topics(turn: Turn, segment: Segment, reason: str) -> tuple[str, ...]:
    """What a segment asks about by its name, where it is the owner's question and is kept or dropped as one."""
    said = turn.message
    if segment.kind != QUESTION or reason not in ("", QUESTION) or said.speaker or not is_owners_word(said):
        return ()
    return asked_about(turn.text_of(segment), text.language(said.text))


def asked_about(words: str, around: str) -> tuple[str, ...]:
    """The names in a question; none in one that is asked in passing, of the weather or of how somebody is, and in what
    somebody else asked."""
    lang = text.language_within(words, around)
    names = named(words, lang) or (_openings(words) if lang == "zh" else ())
    idle = names and (rules.load(lang)["passing"].fires(words) or is_anothers(words, lang))
    return () if idle else names


def is_anothers(words: str, lang: str) -> bool:
    """Whether the words only tell what somebody else asked: "my sister asked how do I install Rust?"."""
    return rules.load(lang)["anothers"].fires(words)


def is_topic(name: str, questions: Iterable[str]) -> bool:
    """Whether the name of what the questions ask about is one: of Chinese characters with which they only begin alike
    (飞书怎么建群, 飞书机器人怎么配置) at least one must ask about nothing more."""
    if text.cjk_count(name) < len(name):
        return True
    return any(name in named(each, "zh") or _openings(each)[-1:] == (name,) for each in questions)


def _openings(words: str) -> tuple[str, ...]:
    """What a short Chinese question begins with, up to the word that asks, and the two to four characters that this
    begins with: Chinese names look like other words, only several questions tell what they have in common."""
    found = _asks().match(words) if len(words) <= _SHORT else None
    if found is None:
        return ()
    head = found["head"]
    return (*(head[:size] for size in _SIZES if size < len(head)), head)


@cache
def _asks() -> re.Pattern[str]:
    words = rules.table("zh", "words")
    return re.compile(
        rf"{words['before_topic']}(?P<head>(?!{words['no_topic']})[\u4e00-\u9fff]{{2,8}}?){words['after_topic']}"
    )


def wondered(message: Message, words: str) -> list[Wondered]:
    """The question, once for each thing that it names."""
    around = text.language(message.text)
    lang = text.language_within(words, around)
    place = message.ref, message.said_at, message.role
    return [Wondered(name, words, *place, lang) for name in asked_about(words, around)]
