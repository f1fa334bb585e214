"""Which units hold the words of a question, and what each word weighs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import repeat
from operator import rshift

from memory_system.recall.candidates import NO_FILTERS, OTHERWISE_SHARE, Candidates, Wanted
from memory_system.recall.index import Index
from memory_system.recall.numbers import SESSION_BITS, scope_of
from memory_system.recall.spelling import HEAD, can_be_misspelt, doubt_of, near
from memory_system.text import is_cjk

COMMON = 5_000  # units: a term that more have finds none where a rarer one does, and is dear to read
ASIDE_SHARE = 0.4  # what a word counts that only leads up to the question
SESSION_K, SESSION_B = 1.2, 0.75  # of BM25 over whole sessions

Tally = tuple[float, Counter[int]]  # of a term: its share, and how many units of each session have it


def look_up(found: Candidates, index: Index, wanted: Wanted) -> list[Tally]:
    """Notes who holds the question's terms, and who names something of the kinds it speaks of. Where no term finds
    anything, the rarest of the common ones does; then, where something is asked, single characters."""
    question = wanted.question
    tallies = [_look_up(found, index, term, wanted) for term in question.terms]
    if not found.masks:
        _look_up_common(found, index, wanted)
    tallies += [_look_up_kind(found, index, kind, wanted) for kind in question.kinds]
    if not found.masks and question.asks:
        first = len(found.weights)
        characters = dict.fromkeys(sign for term in question.terms if is_cjk(term) for sign in term)
        tallies += [_look_up(found, index, sign, wanted) for sign in characters]
        found.doubts |= dict.fromkeys(range(first, len(found.weights)), 1.0)  # 日 of 生日 may be of any day
    return tallies


def _look_up(found: Candidates, index: Index, term: str, wanted: Wanted) -> Tally:
    """Notes who holds the term; how much it weighs, and how often each session has it."""
    scopes = wanted.wide
    numbers, holders = index.held(term, scopes, COMMON)
    common = holders > COMMON
    share = ASIDE_SHARE if term in wanted.question.aside else 1.0
    if not holders:
        numbers, share = _otherwise(index, term, scopes), share * OTHERWISE_SHARE
        found.doubts[len(found.weights)] = doubt_of(term) if numbers else 1.0
    # What none has says no more than what one has.
    found.weights.append(share * weight(holders if common else len(numbers) or 1, found.total))
    return (0.0, Counter()) if common else (share, _note(found, numbers, scopes))


def _look_up_kind(found: Candidates, index: Index, kind: str, wanted: Wanted) -> Tally:
    """Notes who names something of the kind, which counts as one more word where the others find anything. What very
    many name tells nothing."""
    numbers = index.of_kind(kind, wanted.wide, COMMON + 1) if found.masks else []
    tells = 0 < len(numbers) <= COMMON
    found.weights.append(weight(len(numbers), found.total) if tells else 0.0)
    return (1.0, _note(found, numbers, wanted.wide)) if tells else (0.0, Counter())


def _note(found: Candidates, numbers: Collection[int], scopes: Collection[str]) -> Counter[int]:
    """Notes that these have what was weighed last; how many of them each session has."""
    asked = [number for number in numbers if scope_of(number) in scopes] if found.led else numbers
    mark(found.masks, asked, 1 << (len(found.weights) - 1))
    return Counter(map(rshift, numbers, repeat(SESSION_BITS)))


def _otherwise(index: Index, term: str, scopes: Collection[str]) -> list[int]:
    """For a term that none has: the units with both characters apart (爬山 in 爬了白鹭山), or with the words that it is
    probably a misspelling of."""
    if is_cjk(term):
        return index.holders(" ".join(term), scopes, COMMON) if len(term) > 1 else []
    if not can_be_misspelt(term):
        return []
    stems = near(term, index.beginning(term[:HEAD]))
    return sorted({number for stem in stems for number in index.holders_of_stem(stem, scopes, COMMON)})


def _look_up_common(found: Candidates, index: Index, wanted: Wanted) -> None:
    """Where every term is common, the rarest of them finds the units after all."""
    if any(found.weights):
        _, place = max((each, -place) for place, each in enumerate(found.weights))
        numbers = index.holders(wanted.question.terms[-place], wanted.scopes)
        mark(found.masks, [number for number in numbers if scope_of(number) in wanted.scopes], 1 << -place)


def mark(masks: dict[int, int], numbers: Collection[int], flag: int) -> None:
    marked = dict.fromkeys(numbers, flag)
    for number in marked.keys() & masks.keys():
        marked[number] |= masks[number]
    masks.update(marked)


def keep_passing(found: Candidates, index: Index, wanted: Wanted) -> None:
    """Leaves what the filters let through; and messages that only lead to memories."""
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
    lengths = index.session_lengths(said)
    count, average = index.session_average()
    rooms = {each: SESSION_K * (1 - SESSION_B + SESSION_B * length / average) for each, length in lengths.items()}
    scores = dict.fromkeys(rooms, 0.0)
    for share, held in tallies:
        worth = share * weight(len(held), count) * (SESSION_K + 1)
        for session in held.keys() & rooms.keys():
            scores[session] += worth * held[session] / (held[session] + rooms[session])
    return scores
