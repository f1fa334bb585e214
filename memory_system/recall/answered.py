"""An estimate of whether a question is answered at all, so that "nothing is known" can be told from a weak hit. It
knows nothing but the question and what was found for it."""

from __future__ import annotations

import re

from memory_system.config import Ranking
from memory_system.recall.candidates import Candidates
from memory_system.recall.question import Question
from memory_system.recall.ranking import Scored

LEAST = 0.01  # of the words, what is found by its neighbours alone
FIRST = 10  # results in which words of the question count
HOLDS = 8  # words of a question that a text can be expected to hold, at most
FRAME = 0.4  # what a word of the question's frame counts among them
FOCUS = 2  # words that name what is asked for: an English question begins with them
MISSED = 0.35  # times less, at most, where all but these is there: what it is about is known, what is asked is not
_WORDS = re.compile(r"\w+")


def answered(question: Question, found: Candidates, ranked: list[Scored], weights: Ranking) -> float:
    """Above 0 and at most 1: how near the best comes to a text that has everything, how many of the question's words
    it and the others hold, whether what is asked for is among them, and whether the person whom the question names
    says it, or another does."""
    if not ranked:
        return 0.0
    best = ranked[0]
    full = 1 + weights.pieces + weights.before + weights.further + weights.after + weights.session
    strength = min(1.0, best.score / best.parts.get("speaker", 1.0) / full)
    covered = _covered(question, found, found.mass(best.number))
    most = talked_of(question, found, ranked)
    return float(
        _theirs(ranked) ** 2 * strength**0.25 * covered**0.125 * most**0.0625 * _focus(question, found, ranked)
    )


def talked_of(question: Question, found: Candidates, ranked: list[Scored]) -> float:
    """How much of the question's words stand together anywhere, above 0 and at most 1: little where nobody ever spoke
    of what it is about."""
    return _covered(question, found, max((found.mass(each.number) for each in ranked[:FIRST]), default=0.0))


def _theirs(ranked: list[Scored]) -> float:
    """How near what the named person says comes to what anybody says; 1 where none is named."""
    alone = [(each.score / each.parts.get("speaker", 1.0), "speaker" in each.parts) for each in ranked]
    named = max((score for score, is_named in alone if is_named), default=0.0)
    return named / max(score for score, _ in alone) if named else 1.0


def _covered(question: Question, found: Candidates, mass: float) -> float:
    """The share of the question's words; of a long question, of as many as a text can hold."""
    count = len(question.terms) - (1 - FRAME) * len(question.aside)
    whole = sum(found.weights) * min(1.0, HOLDS / max(1.0, count))
    return min(1.0, max(mass / (whole or 1.0), LEAST))


def _focus(question: Question, found: Candidates, ranked: list[Scored]) -> float:
    """Less than 1 where the best text holds the rest of the question, but not what is asked for."""
    if question.lang != "en":
        return 1.0
    names = {name for each in ranked if "speaker" in each.parts for name in _WORDS.findall(each.unit.speaker.lower())}
    about = [at for at, term in enumerate(question.terms) if term not in question.aside and term not in names]
    mask = found.masks.get(ranked[0].number, 0)
    asked, rest = (_share(found, mask, places) for places in (about[:FOCUS], about[FOCUS:]))
    return 1 - MISSED * max(0.0, rest - asked)


def _share(found: Candidates, mask: int, places: list[int]) -> float:
    """How much of the words at these places the mask has; a half where there are none."""
    flags = sum(1 << place for place in places)
    whole = found.mass_of(flags)
    return found.mass_of(mask & flags) / whole if whole else 0.5
