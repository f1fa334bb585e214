"""The question of phase 4c: a topic's facts in one or two sentences. The model's text is taken where every clause of it
stands in one of the facts, all the facts are told, and it is no longer than the text that the rules compose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.phases.asking import lines
from memory_system.phases.asking.support import LIGHT, words
from memory_system.records import Fact
from memory_system.store.gist import gist_of, tells_not
from memory_system.text import estimate_tokens

NAME = "summaries"
_FORM = 14  # tokens of a text beside its words
_TOLD = 0.6  # share of a fact's words that must be told
_CLAUSE = re.compile(r"[,;:.!?，；：、。！？]+\s*|\s+(?:and|but|while)\s+|(?:并且|而且|以及|和|也)")


class _Text(BaseModel):
    n: int
    text: str


class Texts(BaseModel):
    topics: list[_Text]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic by its name: its facts, whom or what it is about, and the text that the rules compose."""

    name: str
    facts: tuple[Fact, ...]
    about: str
    composed: str

    @property
    def line(self) -> str:
        return " | ".join(lines.quoted(each.content) for each in self.facts)


Told = dict[str, tuple[str, str]]  # by the name of a topic: its text in the model's words, and the method of that


def told(asker: Asker, topics: Sequence[Topic]) -> Told:
    """The texts that can be verified. Topics without one keep the rules' text."""
    shown = [each.line for each in topics]
    form = lines.form(NAME, (each.facts[0].lang for each in topics), Texts, _expected)
    count = form.fitting(asker, shown, asker.room(NAME))
    rows = [{"topic": each.name, "line": each.line} for each in topics[:count]]
    found: Told = {}
    for places, answer in form.ask(asker, shown[:count], rows):
        for each in answer.topics:
            for place in lines.meant([each.n], places):
                if is_covered(each.text, topics[place]):
                    found.setdefault(topics[place].name, (" ".join(each.text.split()), form.template.method))
    return found


@dataclass(frozen=True, slots=True)
class Late:
    """What a batch has answered about a topic of an earlier night: its line as it was sent, the text, the method."""

    line: str
    text: str
    method: str

    def told(self, topic: Topic) -> Told:
        """The text, where the topic still says what was asked about and the text can be verified."""
        if self.line != topic.line or not is_covered(self.text, topic):
            return {}
        return {topic.name: (" ".join(self.text.split()), self.method)}


def late(asker: Asker) -> dict[str, Late]:
    """What a batch has answered, by the names of the topics."""
    found: dict[str, Late] = {}
    for rows, answer, method in asker.answered(NAME, Texts):
        for each in answer.topics:
            for place in lines.meant([each.n], range(len(rows))):
                found.setdefault(rows[place]["topic"], Late(rows[place]["line"], each.text, method))
    return found


def is_covered(text: str, topic: Topic) -> bool:
    """Whether the text says what the facts say, all of it and nothing else."""
    if estimate_tokens(text) > estimate_tokens(topic.composed) or not text.strip():
        return False
    sources = [(words(each.content), tells_not(gist_of(each.content))) for each in topic.facts]
    free = words(topic.about) | LIGHT | set.intersection(*(said for said, _ in sources))
    for clause in filter(str.strip, _CLAUSE.split(text)):
        mine, denies = words(clause) - free, tells_not(gist_of(clause))
        if not any(mine <= said and denies == no for said, no in sources):
            return False
    whole = words(text)
    return all(len(said & whole) >= _TOLD * len(said) for said, _ in sources)


def _expected(line: str) -> int:
    return _FORM + estimate_tokens(line)
