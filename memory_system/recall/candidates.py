"""Which units hold the words of a question, and what is known of those that are looked at closely."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import repeat
from operator import rshift

from memory_system.recall.asked import Question
from memory_system.recall.schema import SCOPE_BITS, SCOPES, SESSION_BITS, scope_of, session_of
from memory_system.recall.search_index import NO_FILTERS, Filters, Index
from memory_system.recall.terms import HEAD, can_be_misspelt, doubt_of, misspelt
from memory_system.recall.units import Unit
from memory_system.text import is_cjk

OTHERWISE_SHARE = 0.5  # what a word counts that stands there in another form than asked
COMMON = 5_000  # units: a term that more have finds none where a rarer one does, and is dear to read
ASIDE_SHARE = 0.4  # what a word counts that only leads up to the question
SESSION_K, SESSION_B = 1.2, 0.75  # of BM25 over whole sessions

Tally = tuple[float, Counter[int]]  # of a term: its share, and how many units of each session have it


@dataclass(frozen=True, slots=True)
class Memory:
    """What ranking knows of a memory beside its text: the `refs` it stands on, which of the candidates they are
    (`places`), whom it is about and so who says it (`speaker`), how somebody near to another is `called`, how much it
    stands out (0 to 1), whether it `denies` what nobody has asked for, when what it says happens (stamps), by which
    memory it is outdated, and whether it leans on what stood around it or was said later."""

    refs: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    speaker: str = ""
    called: str = ""
    standing: float = 0.0
    denies: bool = False
    start: str = ""
    end: str = ""
    outdated_by: str = ""
    leans: bool = False


@dataclass(slots=True)
class Candidates:
    """`total` is how many units are looked through; `weights` by term, in their order, then by kind; `masks` says which
    of these (as bits) a unit has, for every unit that has any; `units` are those looked at closely, `memories` what is
    known of the memories among them; `sessions` is the BM25 of whole sessions (`schema.session_of`). `led` is true
    where the messages among the units are no results, but only lead to the memories that stand on them. `meant` is what
    a unit gets for meaning the same as the question; `stated` are the memories that state what it asks of the user.
    `doubts` are the terms, by their places, that none has as they are asked, and single characters looked up instead;
    and how doubtful what was found for them is (0 to 1)."""

    total: int
    weights: list[float] = field(default_factory=list)
    masks: dict[int, int] = field(default_factory=dict)
    units: dict[int, Unit] = field(default_factory=dict)
    memories: dict[int, Memory] = field(default_factory=dict)
    sessions: dict[int, float] = field(default_factory=dict)
    led: bool = False
    meant: dict[int, float] = field(default_factory=dict)
    stated: set[int] = field(default_factory=set)
    doubts: dict[int, float] = field(default_factory=dict)
    _masses: dict[int, float] = field(default_factory=dict)

    def mass(self, number: int) -> float:
        """The summed weight of the terms that the unit has."""
        return self.mass_of(self.masks.get(number, 0))

    def mass_of(self, mask: int) -> float:
        found = self._masses.get(mask)
        if found is None:
            found = self._masses[mask] = sum(each for bit, each in enumerate(self.weights) if mask >> bit & 1)
        return found

    def places(self, number: int) -> tuple[int, ...]:
        """The messages that the unit is, or stands on."""
        memory = self.memories.get(number)
        return memory.places if memory else (number,) if scope_of(number) == "session" else ()

    def said_in(self) -> set[int]:
        """The sessions of the messages that the units are, or stand on."""
        said = {session_of(number) for number in self.units if number >> SCOPE_BITS == SCOPES["session"]}
        return said.union(session_of(place) for memory in self.memories.values() for place in memory.places)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: in which scopes, under which filters, and without the passages of the notes in `gone`."""

    question: Question
    scopes: Collection[str]
    filters: Filters = NO_FILTERS
    gone: Collection[str] = ()

    @property
    def led(self) -> bool:
        """Whether messages only lead to memories, which are short: what they are about may stand in the message."""
        return "memory" in self.scopes and "session" not in self.scopes

    @property
    def wide(self) -> Collection[str]:
        """The scopes that are looked through."""
        return {*self.scopes, "session"} if self.led else self.scopes

    def there(self, units: dict[int, Unit]) -> dict[int, Unit]:
        """Those that are not of a note whose indexed text no longer holds."""
        return {number: unit for number, unit in units.items() if unit.path not in self.gone} if self.gone else units

    def passing(self, index: Index, numbers: Collection[int]) -> Collection[int]:
        return index.passing(numbers, self.filters)


def look_up(found: Candidates, index: Index, wanted: Wanted) -> list[Tally]:
    """Note who holds the question's terms and names things of its kinds. Where no term finds anything, the rarest of
    the common ones does; then, where something is asked, single characters."""
    question = wanted.question
    tallies = [_look_up(found, index, term, wanted) for term in question.terms]
    if not found.masks and any(found.weights):
        _, place = max((each, -place) for place, each in enumerate(found.weights))
        numbers = index.holders(question.terms[-place], wanted.scopes)
        mark(found.masks, [number for number in numbers if scope_of(number) in wanted.scopes], 1 << -place)
    tallies += [_look_up_kind(found, index, kind, wanted) for kind in question.kinds]
    if not found.masks and question.asks:
        first = len(found.weights)
        characters = dict.fromkeys(sign for term in question.terms if is_cjk(term) for sign in term)
        tallies += [_look_up(found, index, sign, wanted) for sign in characters]
        found.doubts |= dict.fromkeys(range(first, len(found.weights)), 1.0)  # 日 of 生日 may be of any day
    return tallies


def _look_up(found: Candidates, index: Index, term: str, wanted: Wanted) -> Tally:
    """Note who holds the term: how much it weighs, and how often each session has it."""
    scopes = wanted.wide
    numbers, holders = _held(index, term, wanted)
    common = holders > COMMON
    share = ASIDE_SHARE if term in wanted.question.aside else 1.0
    if not holders:
        numbers, share = _otherwise(index, term, scopes), share * OTHERWISE_SHARE
        found.doubts[len(found.weights)] = doubt_of(term) if numbers else 1.0
    # What none has says no more than what one has.
    found.weights.append(share * weight(holders if common else len(numbers) or 1, found.total))
    return (0.0, Counter()) if common else (share, _note(found, numbers, scopes))


def _held(index: Index, term: str, wanted: Wanted) -> tuple[list[int], int]:
    """Who holds the term, or where it names one of somebody's nearest, what else they are called (father, dad)."""
    called = next((name for name in wanted.question.names if term in name), frozenset())
    also = (each for each in called if is_cjk(each) == is_cjk(term) and min(len(each), len(term)) > 1)
    found = [index.held(each, wanted.wide, COMMON) for each in sorted({term, *also})]
    numbers = sorted({number for some, _ in found for number in some})
    most = max(count for _, count in found)  # a common word is counted, its holders are not listed
    return numbers, max(len(numbers), most)


def _look_up_kind(found: Candidates, index: Index, kind: str, wanted: Wanted) -> Tally:
    """Note who names something of the kind, as one more word; what very many name tells nothing."""
    numbers = index.of_kind(kind, wanted.wide, COMMON + 1) if found.masks else []
    tells = 0 < len(numbers) <= COMMON
    found.weights.append(weight(len(numbers), found.total) if tells else 0.0)
    return (1.0, _note(found, numbers, wanted.wide)) if tells else (0.0, Counter())


def _note(found: Candidates, numbers: Collection[int], scopes: Collection[str]) -> Counter[int]:
    """Note that these have what was weighed last; how many of them each session has."""
    asked = [number for number in numbers if scope_of(number) in scopes] if found.led else numbers
    mark(found.masks, asked, 1 << (len(found.weights) - 1))
    return Counter(map(rshift, numbers, repeat(SESSION_BITS)))


def _otherwise(index: Index, term: str, scopes: Collection[str]) -> list[int]:
    """For a term that none has: units with both characters apart (爬山 in 爬了白鹭山), or with what it may misspell."""
    if is_cjk(term):
        return index.holders(" ".join(term), scopes, COMMON) if len(term) > 1 else []
    stems = misspelt(term, index.beginning(term[:HEAD])) if can_be_misspelt(term) else []
    return sorted({number for stem in stems for number in index.holders_of_stem(stem, scopes, COMMON)})


def mark(masks: dict[int, int], numbers: Collection[int], flag: int) -> None:
    marked = dict.fromkeys(numbers, flag)
    for number in marked.keys() & masks.keys():
        marked[number] |= masks[number]
    masks.update(marked)


def keep_passing(found: Candidates, index: Index, wanted: Wanted) -> None:
    """Leave what the filters let through, and messages that only lead to memories."""
    if wanted.filters != NO_FILTERS:
        passing = {*index.passing(found.masks, wanted.filters)}
        if found.led:
            passing.update(number for number in found.masks if scope_of(number) == "session")
        found.masks = {number: mask for number, mask in found.masks.items() if number in passing}


def weight(holders: int, total: int) -> float:
    """The inverse document frequency, as BM25 takes it; never negative."""
    return math.log(1 + (max(total - holders, 0) + 0.5) / (holders + 0.5))


def score_sessions(index: Index, tallies: Iterable[Tally], said: set[int]) -> dict[int, float]:
    """BM25 of whole sessions, a term counting once for each unit that has it."""
    count, average = index.sessions.average
    lengths = index.sessions.lengths(said)
    rooms = {each: SESSION_K * (1 - SESSION_B + SESSION_B * length / average) for each, length in lengths.items()}
    scores = dict.fromkeys(rooms, 0.0)
    for share, held in tallies:
        worth = share * weight(len(held), count) * (SESSION_K + 1)
        for session in held.keys() & rooms.keys():
            scores[session] += worth * held[session] / (held[session] + rooms[session])
    return scores
