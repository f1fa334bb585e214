"""What makes a candidate more or less likely to be the answer than its words say: the factors of its score."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from functools import lru_cache

from memory_system import clock
from memory_system.config import Ranking
from memory_system.recall.candidates import Candidates, Memory
from memory_system.recall.question import Question
from memory_system.recall.speakers import NO_OTHERS, meant, people_named
from memory_system.recall.units import Unit
from memory_system.rules import load
from memory_system.text import sentences

HALF_LIFE = 30  # days after which a dated note has lost half of what being fresh is worth, as in seeds 001 and 004
DENIED = 0.7  # times less for what is not so: what somebody is not allergic to comes after what they are
ANOTHERS = 0.75  # times less for what is told of another, where who asks speaks of themselves and names nobody
OUTDATED = 0.5  # times less for what was moved, called off, ended or put right: it tells what was, and no more
KEPT = 10_000  # texts of which it is remembered what they are: the same ones are found again and again

_OWN = (" i ", " my ", " i'", " we ", " our ", " me ", " i’", " we'", " mine")
_TAKES_UP = re.compile(
    r"(?:wow|oh|that['’]?s|thanks?|congrat(?:ulation)?s|awesome|cool|nice|great|yeah|yes|haha|lol|sounds|good|glad|sorry|hey|hi|sure)\b"
)
_MARKS = ("?", "？")


class Factors:
    """What makes a candidate more or less likely than its words say."""

    def __init__(self, question: Question, found: Candidates, weights: Ranking) -> None:
        self._question = question
        self._weights = weights
        self._of_people = bool(weights.telling and question.asks and (question.own or question.names))
        self._of_self = question.own and not question.names and not any(people_named(question, found))
        self._named = meant(question, found)

    def of(self, unit: Unit, memory: Memory) -> Iterable[tuple[str, float]]:
        """Those that are not 1, by their names."""
        question, weights, found = self._question, self._weights, []
        if self._named and self._named in (unit.speaker, memory.speaker):
            found.append(("speaker", 1 + weights.speaker))
        if question.asks_when and _names_time(unit.text):
            found.append(("dated", 1 + weights.dated))
        if question.spans and _lies_within(question.spans, unit, memory):
            found.append(("within", 1 + weights.within))
        if weights.question and _asks(unit.text):
            found.append(("question", 1 - weights.question))
        if self._of_people and unit.role and (untold := _untold(unit.text)):
            found.append(("telling", 1 - weights.telling * untold))
        role = memory.speaker if memory.speaker in ("user", "assistant") else unit.role
        if question.yours == (role == "user") and role and not unit.speaker:
            found.append(("role", 1 - weights.assistant))
        if memory.denies and not question.denies:
            found.append(("denies", DENIED))
        if memory.outdated_by:
            found.append(("outdated", OUTDATED))
        if self._of_self and memory.speaker not in NO_OTHERS:
            found.append(("another", ANOTHERS))
        if memory.standing:
            found.append(("standing", 1 + weights.standing * memory.standing))
        if unit.said_at and unit.path.endswith(".md"):
            age = question.now - clock.read_stamp(unit.said_at)
            found.append(("age", 1 - weights.age * (1 - _freshness(age))))
        return found


@lru_cache(maxsize=KEPT)
def _names_time(text: str) -> bool:
    return load("asking")["timed"].fires(text.lower())


@lru_cache(maxsize=KEPT)
def _untold(text: str) -> float:
    """How little a message tells by itself: 0 where the speaker speaks of themselves, half as much where it only takes
    up what another has said ("Wow, …") as where they do not; 1.5 at most."""
    folded = text.lower()
    padded = f" {folded}"
    return (not any(map(padded.__contains__, _OWN))) + 0.5 * bool(_TAKES_UP.match(folded))


def _freshness(age: timedelta) -> float:
    """1 for today's note, half of it after each `HALF_LIFE` days."""
    return float(0.5 ** (max(0, age.days) / HALF_LIFE))


def _asks(text: str) -> bool:
    """Whether the first line ends in a question mark."""
    return ("?" in text or "？" in text) and text.split("\n", 1)[0].rstrip().endswith(_MARKS)


def only_asks(text: str) -> bool:
    """Whether every sentence is a question."""
    return text.rstrip().endswith(_MARKS) and all(text[start:end].endswith(_MARKS) for start, end in sentences(text))


def _lies_within(spans: Iterable[tuple[str, str]], unit: Unit, memory: Memory) -> bool:
    return any(
        start <= unit.said_at < end or (memory.start < end and start < memory.end if memory.end else False)
        for start, end in spans
    )
