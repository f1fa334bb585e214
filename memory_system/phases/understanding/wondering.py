"""What somebody asks too shortly for it to be remembered ("How do I install PyTorch?", PyTorch怎么安装？) still tells
what they are about, where they ask about it on several days (`settling/habits.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memory_system import rules, text
from memory_system.phrasing.naming import named
from memory_system.trust import is_owners_word
from memory_system.turns import Message, Segment, Turn

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
    """The names in a question; none in one that is asked in passing, of the weather or of how somebody is."""
    lang = text.language_within(words, around)
    names = named(words, lang)
    return () if not names or rules.load(lang)["passing"].fires(words) else names


def wondered(message: Message, words: str) -> list[Wondered]:
    """The question, once for each thing that it names."""
    around = text.language(message.text)
    lang = text.language_within(words, around)
    place = message.ref, message.said_at, message.role
    return [Wondered(name, words, *place, lang) for name in asked_about(words, around)]
