"""How well each candidate answers a question: a sum and a product of parts that can be shown one by one. No part knows
anything but the question, the candidate and what stands beside it; the weights are `config.search`."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import compress, repeat
from operator import add, contains, truediv

from memory_system import clock
from memory_system.config import Ranking
from memory_system.recall import terms
from memory_system.recall.candidates import Candidates, Memory
from memory_system.recall.named import is_addressed, speaks_of
from memory_system.recall.numbers import SCOPE_BITS, SCOPES, SESSION_BITS, scope_of, session_of
from memory_system.recall.question import Question
from memory_system.recall.units import Unit
from memory_system.text import is_cjk, sentences

K1 = 1.2  # of BM25; every term counts once in a text, so it only weighs the length
MOST = 120  # candidates whose parts are all looked at
GRAM = 4  # letters of a piece of a word
LONG = 7  # letters of a word of whose pieces every second is enough
HALF_LIFE = 30  # days after which a dated note has lost half of what being fresh is worth, as in seeds 001 and 004
STATED = 3.0  # what a memory gets that states what is asked of the user: more than any text for its words
DENIED = 0.7  # times less for what is not so: what somebody is not allergic to comes after what they are
ANOTHERS = 0.75  # times less for what is told of another, where who asks speaks of themselves and names nobody
NO_OTHERS = ("", "user", "assistant")  # whom a memory is about that is about nobody else
MEANT_SHARE = 0.5  # of what a turn gets for its meaning, that counts for the turns beside it
SAID_SHARE = 0.8  # of the match of the message that a memory stands on, where that is better than its own

_TIMED = re.compile(
    r"\d(?:st|nd|rd|th|[ap]m)\b|\b(?:\d{1,2}:\d\d|\d{4}|today|tonight|tomorrow|yesterday|last|next|ago|since"
    r"|(?:week(?:end)?|month|year|day|hour|minute)s?|morning|afternoon|evening|night"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december)\b"
)
_OWN = (" i ", " my ", " i'", " we ", " our ", " me ", " i’", " we'", " mine")
_TAKES_UP = re.compile(
    r"(?:wow|oh|that['’]?s|thanks?|congrat(?:ulation)?s|awesome|cool|nice|great|yeah|yes|haha|lol|sounds|good|glad|sorry|hey|hi|sure)\b"
)
_NAMES = re.compile(r"\w{3,}")
_MARKS = ("?", "？")
_NO_MEMORY = Memory()
_SAID = SCOPES["session"]

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


def rank(question: Question, found: Candidates, weights: Ranking) -> list[Scored]:
    """The candidates by score, best first; equals by their keys."""
    texts = {number: unit.text.lower() for number, unit in found.units.items()}
    added = _Added(question, found, texts, weights)
    factors = _Factors(question, found, weights)
    scored = []
    for number in added.best(found):
        unit, memory = found.units[number], found.memories.get(number, _NO_MEMORY)
        parts = added.parts(number, memory)
        score = sum(parts.values())
        for name, factor in factors.of(texts[number], unit, memory):
            parts[name] = factor
            score *= factor
        scored.append(Scored(number, unit, memory, score, parts, added.bm25[number]))
    return sorted(scored, key=lambda each: (-each.score, each.unit.key))


def by_meaning(found: Candidates) -> list[Scored]:
    """The candidates by nothing but how near they are to the question by their meaning."""
    scored = [
        Scored(number, found.units[number], found.memories.get(number, _NO_MEMORY), value, {"meaning": value})
        for number, value in found.meant.items()
        if value > 0
    ]
    return sorted(scored, key=lambda each: (-each.score, each.unit.key))


class _Added:
    """The parts that are added, each relative to the best candidate's."""

    def __init__(self, question: Question, found: Candidates, texts: Mapping[int, str], weights: Ranking) -> None:
        lengths = _lengths(texts, weights)
        self.bm25 = _words(found, lengths)
        self._words, self._pieces = _best_of(
            (
                _relative(_words(found, lengths, bits) if question.several else self.bm25, 1.0),
                _relative(_pieces(asked, texts, lengths), weights.pieces),
            )
            for bits, asked in _asked(question)
        )
        self._own: Values = dict(zip(self._words, map(add, self._words.values(), self._pieces.values()), strict=True))
        self._beside = _neighbours(_with_part(self._own, found.meant), texts, weights)
        self._sessions = _relative(found.sessions, weights.session)
        self._led = found.led
        self._meant = _for_length(found.meant, lengths)
        self._stated = found.stated

    def best(self, found: Candidates) -> list[int]:
        """The candidates with the largest sums: what multiplies decides among these."""
        near, around, meant = self._beside.get, self._sessions.get, self._meant
        own = {number: value + meant.get(number, 0.0) for number, value in self._own.items()} if meant else self._own
        sums = {each: value + near(each, 0.0) + around(each >> SESSION_BITS, 0.0) for each, value in own.items()}
        sums.update((each, sum(self.parts(each, memory).values())) for each, memory in found.memories.items())
        if self._led:
            sums = {number: value for number, value in sums.items() if scope_of(number) != "session"}
        best = sorted(sums, key=sums.__getitem__, reverse=True)
        if len(best) > MOST and sums[best[MOST - 1]] == sums[best[MOST]]:  # not by what they were put in
            best.sort(key=lambda number: (-sums[number], found.units[number].key))
        return best[:MOST]

    def parts(self, number: int, memory: Memory) -> dict[str, float]:
        """A memory has the surroundings of the messages it stands on."""
        if memory is _NO_MEMORY and not (self._meant or self._led or self._stated):  # most often
            return {
                "words": self._words[number],
                "pieces": self._pieces[number],
                "neighbours": self._beside.get(number, 0.0),
                "session": self._sessions.get(number >> SESSION_BITS, 0.0),
            }
        places = memory.places or (number,)
        parts = {"said": self._said(number, places)} if self._led else {}
        parts["words"] = self._words[number]
        parts["pieces"] = self._pieces[number]
        parts["neighbours"] = max([self._beside.get(place, 0.0) for place in places])
        parts["session"] = max([self._sessions.get(place >> SESSION_BITS, 0.0) for place in places])
        if self._meant:
            parts["meaning"] = self._meant.get(number, 0.0)
        if number in self._stated:
            parts["stated"] = STATED
        return parts

    def _said(self, number: int, places: Iterable[int]) -> float:
        """What the message that a memory was taken from says of the question beyond the memory's own words."""
        return SAID_SHARE * max(0.0, *[self._own.get(place, 0.0) - self._own[number] for place in places])


def _with_part(own: Values, meant: Values) -> Values:
    """What each candidate has of the question by its words, and in part by its meaning."""
    return {number: value + MEANT_SHARE * meant.get(number, 0.0) for number, value in own.items()} if meant else own


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


def _lengths(texts: Mapping[int, str], weights: Ranking) -> Values:
    """How long each text is beside a usual one, as far as that counts."""
    floor, slope = 1 - weights.length, weights.length / weights.usual
    return {number: floor + slope * len(text) for number, text in texts.items()}


def _for_length(meant: Values, lengths: Values) -> Values:
    """What texts mean, less of a long one, as of its words: much text is near to much."""
    get = lengths.get
    return {number: value * (1 + K1) / (1 + K1 * max(1.0, get(number, 1.0))) for number, value in meant.items()}


def _words(found: Candidates, lengths: Values, asked: int = ~0) -> Values:
    """BM25, by the terms at the places `asked` (as bits)."""
    masses = {mask: found.mass_of(mask & asked) for mask in {*map(found.masks.get, lengths, repeat(0))}}
    mask = found.masks.get
    return {number: masses[mask(number, 0)] / (1 + K1 * length) for number, length in lengths.items()}


def _pieces(asked: Iterable[str], texts: Mapping[int, str], lengths: Values) -> Values:
    """What pieces of the question's words stand in the text, each by its rarity among the candidates: runs of letters,
    or single characters of Chinese."""
    scores = dict.fromkeys(texts, 0.0)
    numbers, values = [*texts], [*texts.values()]
    for piece in _pieces_of(asked):
        holders = [*compress(numbers, map(contains, values, repeat(piece)))]
        worth = math.log(1 + len(texts) / (1 + len(holders)))
        for number in holders:
            scores[number] += worth
    return dict(zip(scores, map(truediv, scores.values(), lengths.values()), strict=True))


def _pieces_of(words: Iterable[str]) -> list[str]:
    pieces: dict[str, None] = {}
    for term in words:
        if is_cjk(term):
            pieces.update(dict.fromkeys(term))
        else:
            step = 1 + (len(term) >= LONG)
            pieces.update(dict.fromkeys(term[at : at + GRAM] for at in range(0, max(1, len(term) - GRAM + 1), step)))
    return list(pieces)


def _neighbours(own: Values, texts: Mapping[int, str], weights: Ranking) -> Values:
    """What the turns around each one add to it: an answer often shares no word with the question, but what it answers
    does."""
    found = {}
    get, further, after = own.get, weights.further, weights.after
    for number in own:
        if number >> SCOPE_BITS == _SAID:
            share, before = weights.before, get(number - 1, 0.0)
            if before and ("?" in texts[number - 1] or "？" in texts[number - 1]):
                share += weights.answer
            found[number] = share * before + further * get(number - 2, 0.0) + after * get(number + 1, 0.0)
    return found


class _Factors:
    """What makes a candidate more or less likely than its words say."""

    def __init__(self, question: Question, found: Candidates, weights: Ranking) -> None:
        self._question = question
        self._weights = weights
        self._of_people = bool(weights.telling and question.asks and (question.own or question.names))
        speakers = {unit.speaker for unit in found.units.values()}.difference(("",))
        named = named_speakers(question.text, speakers) | _addressed(question, found, speakers)
        self._of_self = question.own and not question.names and not any(people_named(question, found))
        self._named = _only(named) or _called(question, found) or _told_of(question, found)

    def of(self, text: str, unit: Unit, memory: Memory) -> Iterable[tuple[str, float]]:
        """Those that are not 1, by their names."""
        question, weights, found = self._question, self._weights, []
        if self._named and self._named in (unit.speaker, memory.speaker):
            found.append(("speaker", 1 + weights.speaker))
        if question.asks_when and _names_time(text):
            found.append(("dated", 1 + weights.dated))
        if question.spans and _lies_within(question.spans, unit, memory):
            found.append(("within", 1 + weights.within))
        if weights.question and _asks(text):
            found.append(("question", 1 - weights.question))
        if self._of_people and unit.role and (untold := _untold(text)):
            found.append(("telling", 1 - weights.telling * untold))
        role = memory.speaker if memory.speaker in ("user", "assistant") else unit.role
        if question.yours == (role == "user") and role and not unit.speaker:
            found.append(("role", 1 - weights.assistant))
        if memory.denies and not question.denies:
            found.append(("denies", DENIED))
        if self._of_self and memory.speaker not in NO_OTHERS:
            found.append(("another", ANOTHERS))
        if memory.standing:
            found.append(("standing", 1 + weights.standing * memory.standing))
        if unit.said_at and unit.path.endswith(".md"):
            age = question.now - clock.read_stamp(unit.said_at)
            found.append(("age", 1 - weights.age * (1 - freshness(age))))
        return found


def _names_time(text: str) -> bool:
    return bool(_TIMED.search(text) or (not text.isascii() and _timed_in_chinese().search(text)))


@cache  # made where a time is first asked for: a command starts sooner
def _timed_in_chinese() -> re.Pattern[str]:
    return re.compile(
        r"[年月日号点时天周期上午]"  # one class of signs first, which `re` looks for fast
        r"(?:(?<=[\d一二三四五六七八九十两几半][年月日号点时天周])|(?<=[今明昨前后]天)|(?<=[去今明]年)|(?<=[上下]月)|(?<=[上下]个月)"
        r"|(?<=[上下这]周)|(?<=周)[一二三四五六日末]|(?<=星期)|(?<=[早晚]上)|(?<=[上中下]午))"
    )


def _untold(text: str) -> float:
    """How little a message (in lower case) tells by itself: 0 where the speaker speaks of themselves, half as much
    where it only takes up what another has said ("Wow, …") as where they do not; 1.5 at most."""
    padded = f" {text}"
    return (not any(map(padded.__contains__, _OWN))) + 0.5 * bool(_TAKES_UP.match(text))


def freshness(age: timedelta) -> float:
    """1 for today's note, half of it after each `HALF_LIFE` days."""
    return float(0.5 ** (max(0, age.days) / HALF_LIFE))


def text_score(bm25: float) -> float:
    """BM25 as a number from 0 to 1, as seed 004 makes it one."""
    return bm25 / (1 + bm25)


def _asks(text: str) -> bool:
    """Whether the first line ends in a question mark."""
    return ("?" in text or "？" in text) and text.split("\n", 1)[0].rstrip().endswith(_MARKS)


def only_asks(text: str) -> bool:
    """Whether every sentence is a question."""
    return text.rstrip().endswith(_MARKS) and all(text[start:end].endswith(_MARKS) for start, end in sentences(text))


def named_speakers(question: str, speakers: Iterable[str]) -> set[str]:
    """The speakers whose name, or a part of it that no other has, stands in the question."""
    owners: dict[str, set[str]] = {}
    for speaker in speakers:
        folded = speaker.lower()
        for name in {folded, *_NAMES.findall(folded)} if speaker else ():
            owners.setdefault(name, set()).add(speaker)
    return {next(iter(each)) for name, each in owners.items() if len(each) == 1 and terms.names(question, name)}


def people_named(question: Question, found: Candidates) -> Iterator[str]:
    """Who is named in the question among those who speak, and those whom memories are about."""
    people = {unit.speaker for unit in found.units.values()} | {each.speaker for each in found.memories.values()}
    return (person for person in sorted(people.difference(NO_OTHERS)) if terms.names(question.text, person))


def _only(names: Collection[str]) -> str:
    """The one; empty when there is none or more than one."""
    return next(iter(names)) if len(names) == 1 else ""


def _addressed(question: Question, found: Candidates, speakers: Collection[str]) -> set[str]:
    """Who is spoken to by a name that the question has and no speaker: where anna says "Hey Kate!" to em92, and nobody
    else is there, Kate is em92."""
    if len(speakers) < 2:
        return set()
    meant: set[str] = set()
    for name in question.names:
        if any(terms.names(speaker, form) for form in name for speaker in speakers):
            continue
        speaking = [
            (session_of(number), unit.speaker)
            for number, unit in found.units.items()
            if unit.speaker and is_addressed(name, unit.text.lower())
        ]
        sessions = {session for session, _ in speaking}
        there = {unit.speaker for number, unit in found.units.items() if session_of(number) in sessions}
        meant.update(filter(None, [_only(there.difference(speaker for _, speaker in speaking))]))
    return meant


def _called(question: Question, found: Candidates) -> str:
    """What the one person is called who is near to the user and whom the question means: Tom, where it asks of "my
    brother"; empty where that is not known."""
    called = {
        memory.called
        for number, memory in found.memories.items()
        if memory.called and any(speaks_of(name, found.units[number].text.lower()) for name in question.names)
    }
    return called.pop() if len(called) == 1 else ""


def _told_of(question: Question, found: Candidates) -> str:
    """The one whom the question names in the other language's script (What is 小林 allergic to?): no other word leads
    to what is told of them."""
    people = {memory.speaker for memory in found.memories.values()} - {"user", "assistant"}
    others = (each for each in people if is_cjk(each) != (question.lang == "zh"))
    return _only(named_speakers(question.text, others))


def _lies_within(spans: Iterable[tuple[str, str]], unit: Unit, memory: Memory) -> bool:
    return any(
        start <= unit.said_at < end or (memory.start < end and start < memory.end if memory.end else False)
        for start, end in spans
    )
