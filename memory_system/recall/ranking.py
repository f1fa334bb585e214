"""How well each candidate answers a question: a sum and a product of parts that can be shown one by one. No part knows
anything but the question, the candidate and what stands beside it; the weights are `config.search`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, repeat
from operator import add, contains, itemgetter, truediv

from memory_system import clock
from memory_system.config import Ranking
from memory_system.recall.asked import Question
from memory_system.recall.candidates import STATED, Candidates, Memory
from memory_system.recall.names import NO_OTHERS, meant, people_named
from memory_system.recall.schema import SESSION_BITS, scope_of
from memory_system.recall.units import Unit
from memory_system.rules import load
from memory_system.text import is_cjk, sentences

K1 = 1.2  # of BM25; every term counts once in a text, so it only weighs the length
MOST = 120  # candidates whose parts are all looked at
GRAM = 4  # letters of a piece of a word
LONG = 7  # letters of a word of whose pieces every second is enough
MEANT_SHARE = 0.5  # of what a turn gets for its meaning, that counts for the turns beside it
SAID_SHARE = 0.8  # of the match of the message that a memory stands on, where that is better than its own
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
_NO_MEMORY = Memory()

Values = dict[int, float]


@dataclass(slots=True)
class Scored:
    """A candidate with its score, and the `parts` of it: `words`, `pieces`, `said`, `neighbours`, `session`,
    `meaning` and `stated` are added, the others multiply. `bm25` is what its words are worth by themselves."""

    number: int
    unit: Unit
    memory: Memory
    score: float
    parts: dict[str, float]
    bm25: float = 0.0

    @property
    def has_own(self) -> bool:
        """Whether it has something of the question itself, and does not only stand beside what has."""
        return any(self.parts.get(part) for part in ("words", "meaning", "stated"))


def rank(question: Question, found: Candidates, weights: Ranking) -> list[Scored]:
    """The candidates by score, best first; equals by their keys."""
    added, factors = _Added(question, found, weights), _Factors(question, found, weights)
    scored = []
    for number, score in added.best():
        unit, memory = found.units[number], found.memories.get(number, _NO_MEMORY)
        parts = added.parts(number, memory)
        for name, factor in factors.of(unit, memory):
            parts[name] = factor
            score *= factor
        scored.append(Scored(number, unit, memory, score, parts, added.bm25[number]))
    return _sorted(scored)


def by_meaning(found: Candidates) -> list[Scored]:
    """The candidates by nothing but how near they are to the question by their meaning."""
    near = ((number, value) for number, value in found.meant.items() if value > 0)
    return _sorted(
        Scored(number, found.units[number], found.memories.get(number, _NO_MEMORY), value, {"meaning": value})
        for number, value in near
    )


def _sorted(scored: Iterable[Scored]) -> list[Scored]:
    return sorted(scored, key=lambda each: (-each.score, each.unit.key))


# What is added, each relative to the best candidate's


class _Added:
    def __init__(self, question: Question, found: Candidates, weights: Ranking) -> None:
        self._found = found
        texts = {number: unit.text.lower() for number, unit in found.units.items()}
        floor, slope = 1 - weights.length, weights.length / weights.usual
        lengths = {number: floor + slope * len(text) for number, text in texts.items()}  # beside a usual one
        self.bm25 = _words(found, lengths)
        self._words, self._pieces = _best_of(
            (
                _relative(_words(found, lengths, bits) if question.several else self.bm25, 1.0),
                _relative(_pieces(asked, texts, lengths), weights.pieces),
            )
            for bits, asked in _asked(question)
        )
        own = dict(zip(self._words, map(add, self._words.values(), self._pieces.values()), strict=True))
        near = {number: own[number] + MEANT_SHARE * found.meant.get(number, 0.0) for number in own}
        self._own: Values = own
        self._beside = _neighbours(near if found.meant else own, texts, weights)
        self._sessions = _relative(found.sessions, weights.session)
        self._meant = {  # less of a long text, as of its words: much text is near to much
            number: value * (1 + K1) / (1 + K1 * max(1.0, lengths.get(number, 1.0)))
            for number, value in found.meant.items()
        }

    def best(self) -> list[tuple[int, float]]:
        """The candidates with the largest sums, and these: what multiplies decides among them."""
        near, around, meant = self._beside.get, self._sessions.get, self._meant
        own = {number: value + meant.get(number, 0.0) for number, value in self._own.items()} if meant else self._own
        sums = {each: value + near(each, 0.0) + around(each >> SESSION_BITS, 0.0) for each, value in own.items()}
        sums.update((each, sum(self.parts(each, memory).values())) for each, memory in self._found.memories.items())
        if self._found.led:
            sums = {number: value for number, value in sums.items() if scope_of(number) != "session"}
        best = sorted(sums.items(), key=itemgetter(1), reverse=True)
        if len(best) > MOST and best[MOST - 1][1] == best[MOST][1]:  # not by what they were put in
            best.sort(key=lambda each: (-each[1], self._found.units[each[0]].key))
        return best[:MOST]

    def parts(self, number: int, memory: Memory) -> dict[str, float]:
        """The parts of a candidate; a memory has those of the messages it stands on as well."""
        places = memory.places or (number,)
        parts: dict[str, float] = {}
        if self._found.led:
            parts["said"] = SAID_SHARE * max(0.0, *[self._own.get(place, 0.0) - self._own[number] for place in places])
        parts["words"] = self._words[number]
        parts["pieces"] = self._pieces[number]
        parts["neighbours"] = max([self._beside.get(place, 0.0) for place in places])
        parts["session"] = max([self._sessions.get(place >> SESSION_BITS, 0.0) for place in places])
        if self._meant:
            parts["meaning"] = self._meant.get(number, 0.0)
        if number in self._found.stated:
            parts["stated"] = STATED
        return parts


def _relative(values: Values, share: float) -> Values:
    """As shares of the best."""
    best = max(values.values(), default=0.0)
    scale = share / best if best > 0 else 0.0
    return {number: scale * value for number, value in values.items()}


def _asked(question: Question) -> Iterator[tuple[int, list[str]]]:
    """Of each thing that is asked its terms, and their places as bits; of a single one all bits."""
    if not question.several:
        yield ~0, question.terms
    of_one = frozenset().union(*question.several)
    for part in question.several:
        held = [(place, term) for place, term in enumerate(question.terms) if term in part or term not in of_one]
        kinds = -1 << len(question.terms)  # each of them may mean what the whole speaks of
        yield kinds | sum(1 << place for place, _ in held), [term for _, term in held]


def _best_of(several: Iterable[tuple[Values, Values]]) -> tuple[Values, Values]:
    """Words and pieces of each candidate for that of several questions which it answers best."""
    (words, pieces), *others = several
    for its_words, its_pieces in others:
        better = [each for each in words if its_words[each] + its_pieces[each] > words[each] + pieces[each]]
        words.update((each, its_words[each]) for each in better)
        pieces.update((each, its_pieces[each]) for each in better)
    return words, pieces


def _words(found: Candidates, lengths: Values, asked: int = ~0) -> Values:
    """BM25, by the terms at the places `asked` (as bits)."""
    masks = [*map(found.masks.get, lengths, repeat(0))]
    masses = {mask: found.mass_of(mask & asked) for mask in {*masks}}
    by_mask = zip(masks, lengths.items(), strict=True)
    return {number: masses[mask] / (1 + K1 * length) for mask, (number, length) in by_mask}


def _pieces(asked: Iterable[str], texts: Mapping[int, str], lengths: Values) -> Values:
    """What pieces of the question's words (runs of letters, Chinese characters) a text has, by their rarity."""
    pieces: dict[str, None] = {}
    for term in asked:
        step, last = 1 + (len(term) >= LONG), max(1, len(term) - GRAM + 1)
        grams = term if is_cjk(term) else [term[at : at + GRAM] for at in range(0, last, step)]
        pieces.update(dict.fromkeys(grams))
    scores, values = [0.0] * len(texts), [*texts.values()]
    for piece in pieces:
        holders = [*compress(range(len(values)), map(contains, values, repeat(piece)))]
        worth = math.log(1 + len(texts) / (1 + len(holders)))
        for place in holders:
            scores[place] += worth
    return dict(zip(texts, map(truediv, scores, lengths.values()), strict=True))


def _neighbours(own: Values, texts: Mapping[int, str], weights: Ranking) -> Values:
    """What the turns around each add to it: an answer may share no word with the question, what it answers does."""
    get, before, further, after = own.get, weights.before, weights.further, weights.after
    said = [number for number in own if scope_of(number) == "session"]
    asking = {number for number in said if "?" in texts[number] or "？" in texts[number]}
    return {
        number: (before + weights.answer if number - 1 in asking else before) * get(number - 1, 0.0)
        + further * get(number - 2, 0.0)
        + after * get(number + 1, 0.0)
        for number in said
    }


# What multiplies


class _Factors:
    def __init__(self, question: Question, found: Candidates, weights: Ranking) -> None:
        self._question = question
        self._weights = weights
        self._of_people = bool(weights.telling and question.asks and (question.own or question.names))
        self._of_self = question.own and not question.names and not any(people_named(question, found))
        self._named = meant(question, found)

    def of(self, unit: Unit, memory: Memory) -> Iterator[tuple[str, float]]:
        """Those that are not 1, by their names."""
        question, weights = self._question, self._weights
        if self._named and self._named in (unit.speaker, memory.speaker):
            yield "speaker", 1 + weights.speaker
        if question.asks_when and _names_time(unit.text):
            yield "dated", 1 + weights.dated
        if question.spans and _lies_within(question.spans, unit, memory):
            yield "within", 1 + weights.within
        if weights.question and _asks(unit.text):
            yield "question", 1 - weights.question
        if self._of_people and unit.role and (untold := _untold(unit.text)):
            yield "telling", 1 - weights.telling * untold
        role = memory.speaker if memory.speaker in ("user", "assistant") else unit.role
        if question.yours == (role == "user") and role and not unit.speaker:
            yield "role", 1 - weights.assistant
        if memory.denies and not question.denies:
            yield "denies", DENIED
        if memory.outdated_by:
            yield "outdated", OUTDATED
        if self._of_self and memory.speaker not in NO_OTHERS:
            yield "another", ANOTHERS
        if memory.standing:
            yield "standing", 1 + weights.standing * memory.standing
        if unit.said_at and unit.path.endswith(".md"):
            days = max(0, (question.now - clock.read_stamp(unit.said_at)).days)
            yield "age", 1 - weights.age * (1 - float(0.5 ** (days / HALF_LIFE)))


@lru_cache(maxsize=KEPT)
def _names_time(text: str) -> bool:
    return load("asking")["timed"].fires(text.lower())


@lru_cache(maxsize=KEPT)
def _untold(text: str) -> float:
    """How little a message tells by itself: 0 where the speaker tells of themselves, more where not, or where it only
    takes up what another has said ("Wow, …")."""
    folded = text.lower()
    padded = f" {folded}"
    return (not any(map(padded.__contains__, _OWN))) + 0.5 * bool(_TAKES_UP.match(folded))


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
