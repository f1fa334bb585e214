"""Whether a question is answered at all: an estimate from nothing but the question and what was found for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from memory_system.config import Ranking
from memory_system.recall import terms
from memory_system.recall.asked import Question
from memory_system.recall.candidates import OTHERWISE_SHARE, STATED, Candidates
from memory_system.recall.kinds import kinds_of, word_of
from memory_system.recall.names import Name, is_of_the_sort, names_another, people_named, speaks_of
from memory_system.recall.ranking import ANOTHERS, Scored
from memory_system.text import is_cjk

LEAST = 0.01  # of the words, what is found by its neighbours alone
FIRST = 10  # results in which words of the question count
HOLDS = 8  # words of a question that a text can be expected to hold, at most
FRAME = 0.4  # what a word of the question's frame counts among them
FOCUS = 2  # words that name what is asked for: an English question begins with them
MISSED = 0.35  # times less, at most, where all but these is there: what it is about is known, what is asked is not
# by so much over the number of its words, and at most: a short question loses more
SHORT = {"en": (1.2, 0.7), "zh": (1.2, 0.6)}
BESIDE = 0.3  # how much a name is missing that stands in a turn beside the best
AMONG = 0.6  # the same, of one that stands in another of the first results
SEVERAL = 5  # of these
NOBODY = 0.65  # times less, where the best is about none of those who are named
FEW_TERMS = {"en": 1.8, "zh": 2.8}  # by so much over the number of its terms, that counts in a longer question
UNKNOWN = 0.5  # how much a word is missing that nobody has ever written
MOST_UNKNOWN, FEW_UNKNOWN = 0.9, 1.8  # the same of a short question: at most, and by so much over the number of words
QUALIFIES = frozenset(
    {"favorite", "favourite", "best", "preferred", "usual", "current", "main", "最喜", "喜欢", "最爱"}
)
QUALIFYING = 0.5  # what these words, which only qualify what is asked for, count beside a word that is missing
OF_THE_KIND = 0.5  # times less, where the best states what is asked, but not that it is of the sort: a car, no van
GUESSED = 0.8  # times less, where nothing but a guess at the words has found it
RELATED_PART = 0.5  # of a word that only asks for what the best names
_AROUND = (-2, -1, 1, 2)
_WORDS = re.compile(r"\w+")


def answered(question: Question, found: Candidates, ranked: list[Scored], weights: Ranking) -> float:
    """How likely the best result answers the question, above 0 and at most 1."""
    if not ranked:
        return 0.0
    best = ranked[0]
    full = 1 + weights.pieces + weights.before + weights.further + weights.after + weights.session
    full += max(found.meant.values(), default=0.0)
    strength = min(1.0, best.score / best.parts.get("speaker", 1.0) / full)
    covered = _covered(question, found, found.mass(best.number))
    most = talked_of(question, found, ranked)
    sure = _theirs(question, ranked) ** 2 * strength**0.25 * covered**0.09 * most**0.0625 * _certain(found, best)
    if best.parts.get("stated", 0) >= STATED:
        return float(sure * (1.0 if is_of_the_sort(question.text, best.unit.text) else OF_THE_KIND))
    return float(sure * _meant(question, found, ranked))


def talked_of(question: Question, found: Candidates, ranked: list[Scored]) -> float:
    """How much of the question's words stand together anywhere, above 0 and at most 1."""
    return _covered(question, found, max((found.mass(each.number) for each in ranked[:FIRST]), default=0.0))


def _covered(question: Question, found: Candidates, mass: float) -> float:
    """The share of the question's words; of a long question, of as many as a text can hold."""
    count = len(question.terms) - (1 - FRAME) * len(question.aside)
    related = sum(found.weights[len(question.terms) + at] for at, kind in enumerate(question.kinds) if word_of(kind))
    whole = (sum(found.weights) - related) * min(1.0, HOLDS / max(1.0, count))  # nobody need name all that they ask for
    return min(1.0, max(mass / (whole or 1.0), LEAST))


def _theirs(question: Question, ranked: list[Scored]) -> float:
    """How near what the named person says comes to what anybody says; 1 where none is named."""
    alone = [(each.score / each.parts.get("speaker", 1.0), "speaker" in each.parts) for each in ranked]
    named = max((score for score, is_named in alone if is_named), default=0.0)
    return named / max(score for score, _ in alone) if named and not _is_called(question, ranked[0]) else 1.0


def _is_called(question: Question, best: Scored) -> bool:
    """Whether it is about the one whom the question means by another word ("my brother")."""
    known = filter(None, (best.unit.speaker, best.memory.speaker))
    return "speaker" in best.parts and not any(terms.names(question.text, name) for name in known)


def _certain(found: Candidates, best: Scored) -> float:
    """Less than 1 where words of the question were guessed: nobody has written them so."""
    mask = found.masks.get(best.number, 0)
    guessed = sum(found.weights[place] * doubt for place, doubt in found.doubts.items() if mask >> place & 1)
    return 1 - GUESSED * guessed / (found.mass_of(mask) or 1.0)


def _meant(question: Question, found: Candidates, ranked: list[Scored]) -> float:
    """Less than 1 where it is about another than the question, or about something else of the same one."""
    best, people = ranked[0], [each.lower() for each in people_named(question, found)]
    beside = (each for each in people if not any(speaks_of(name, each) for name in question.names))
    names = [*question.names, *(frozenset({each}) for each in beside)]
    called, parts = len(names) == 1 and _is_called(question, best), _parts(question, found, best)
    missing = {name: 0.0 if called else _missing(name, found, ranked) for name in names}
    alone = min(NOBODY, FEW_TERMS[question.lang] / max(1, len(question.terms))) * min(missing.values(), default=0.0)
    about = 1 - max(alone, _lost(question, found, parts, missing))
    there = 1 - min(missing.values()) if missing else 0.5
    theirs = ANOTHERS if "another" in best.parts else 1.0
    return about * _focus(question, found, parts, _places(question, names), there) * theirs


def _lost(question: Question, found: Candidates, parts: list[float], missing: Mapping[Name, float]) -> float:
    """The share of the question's words that name those who are missing, or that nobody has ever written."""
    asked = [term for term in question.terms if term not in question.aside]
    pairs = sum(map(is_cjk, asked))  # of which two that overlap are one word and a half
    count = max(1.0, len(asked) - pairs + (pairs + 1) / 2 if pairs else len(asked))
    share = max(UNKNOWN, min(MOST_UNKNOWN, FEW_UNKNOWN / count))
    lost = {
        place: share * (1 - parts[place])
        for place, term in enumerate(question.terms)
        if place in found.doubts and term not in question.aside
    }
    lost |= {place: part for name, part in missing.items() for place in _places(question, [name])}
    qualifying = [place for place, term in enumerate(question.terms) if term in QUALIFIES]
    whole = _weight(found, range(len(parts))) - (1 - QUALIFYING) * _weight(found, qualifying)
    return sum(part * _weight(found, [place]) for place, part in lost.items()) / (whole or 1.0)


def _missing(name: Name, found: Candidates, ranked: list[Scored]) -> float:
    """From 0 (the best is about the one who is named) to 1 (nothing that was found is)."""
    called = (each.called for number, each in found.memories.items() if each.called and _has(name, found, number))
    name |= {each.lower() for each in called}
    best = ranked[0].number
    if _has(name, found, best):
        return 0.0
    if names_another(name, ranked[0].unit.text):
        return 1.0
    if any(_has(name, found, place + step) for place in found.places(best) for step in _AROUND):
        return BESIDE
    return AMONG if any(_has(name, found, each.number) for each in ranked[:SEVERAL]) else 1.0


def _has(name: Name, found: Candidates, number: int) -> bool:
    """Whether the unit speaks of the one who is named, or is said by them."""
    unit, memory = found.units.get(number), found.memories.get(number)
    if unit is None:
        return False
    return speaks_of(name, f"{unit.text} {unit.about} {unit.speaker} {memory.speaker if memory else ''}".lower())


def _places(question: Question, names: Iterable[Name]) -> list[int]:
    """Which of the question's terms are of these names."""
    forms = [form for name in names for form in name]
    words = {word for form in forms for word in _WORDS.findall(form)}
    return [
        place
        for place, term in enumerate(question.terms)
        if (any(term in form for form in forms) if is_cjk(term) else term in words)
    ]


def _focus(question: Question, found: Candidates, parts: list[float], named: Collection[int], there: float) -> float:
    """Less than 1 where the best text holds the rest of the question, but not what is asked for. Where there is no
    rest, those who are named stand for it: `there` is how much they are. In Chinese all else is asked."""
    about = [at for at, term in enumerate(question.terms) if term not in question.aside and at not in named]
    about.sort(key=lambda at: question.terms[at] in QUALIFIES)
    if not about or (question.lang != "en" and not named):
        return 1.0
    first = FOCUS if question.lang == "en" else len(about)
    asked, rest = _share(found, parts, about[:first], 0.5), _share(found, parts, about[first:], there)
    share, most = SHORT[question.lang]
    return 1 - min(most, max(MISSED, share / len(about))) * max(0.0, rest - asked)


def _parts(question: Question, found: Candidates, best: Scored) -> list[float]:
    """How much of each term the best has; single Chinese characters and things of a kind count as well."""
    mask, text = found.masks.get(best.number, 0), best.unit.text
    kinds = mask >> len(question.terms)
    held = {kind for place, kind in enumerate(question.kinds) if kinds >> place & 1}

    def part(place: int, term: str) -> float:
        named = held.intersection(kinds_of(term)) if held else held
        if mask >> place & 1 or not all(map(word_of, named)):
            return 1.0
        signs = sum(sign in text for sign in term) / len(term) if is_cjk(term) else 0.0
        return max(signs, RELATED_PART) if named else signs

    return [part(place, term) for place, term in enumerate(question.terms)]


def _share(found: Candidates, parts: list[float], places: list[int], without: float) -> float:
    """How much the best has of the words at these places."""
    whole = sum(found.weights[place] for place in places)
    return sum(found.weights[place] * parts[place] for place in places) / whole if whole else without


def _weight(found: Candidates, places: Iterable[int]) -> float:
    """Of the words at these places, as if each had been found as it was asked."""
    return sum(found.weights[place] / (OTHERWISE_SHARE if place in found.doubts else 1.0) for place in places)
