"""Which older memories may speak of the same thing as a claim, as far as words tell: those that share its rarest terms,
or were said shortly before it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from memory_system.records import Fact, Summary, session_of, successor_of
from memory_system.store.draft import Draft
from memory_system.turns import Claim
from memory_system.understand import matters

RARE = 8  # messages whose memories may have a term by which what is meant is found
LOOKED_AT = 24  # memories with a term that are looked at: a message gives several
LATELY = 12  # memories of the same session that may be meant although they share no word

Holders = Mapping[str, list[Fact]]  # by term the memories that have it
Read = Callable[[str], Collection[str]]  # the terms of a sentence


@dataclass(frozen=True, slots=True)
class Shared:
    """A memory that stands today, with the terms that it, or what it stands for, shares with a claim: each weighs the
    more, the fewer messages have it. `beside` are those that only stood around the claim."""

    record: Fact
    weights: Mapping[str, float]
    beside: Mapping[str, float] = field(default_factory=dict)

    @property
    def weight(self) -> float:
        return sum(sorted(self.weights.values())) + sum(sorted(self.beside.values())) / 2

    @property
    def day(self) -> str:
        """The day that the memory tells of; empty where it names none."""
        return self.record.event_time.start[:10] if self.record.event_time else ""

    @property
    def said_in(self) -> str:
        return message_of(self.record)


def message_of(record: Fact) -> str:
    """The ref of the message that a memory stands on first."""
    return record.evidence[0].ref if record.evidence else record.id


def words_of(claim: Claim) -> str:
    """The words by which it is found what a claim is about: its own, or those that it leans on where its own tell
    nothing ("It got moved to Friday.")."""
    return claim.quote if telling(claim.quote) else f"{claim.quote}\n{claim.beside}"


@lru_cache(maxsize=512)
def telling(words: str) -> tuple[str, ...]:
    """The terms of the words that tell matters apart."""
    return tuple(each for each in matters.terms_of(words) if matters.tells(each))


def candidates(claim: Claim, draft: Draft) -> list[Shared]:
    """The memories that share a term with the claim, or with what it leans on, or were said shortly before it, in the
    order of their ids. Where one of the claim's own message stands in the place of another already, that one is among
    them."""
    own = telling(claim.quote)
    beside = [each for each in telling(claim.beside) if each not in own]
    weights: dict[str, dict[str, float]] = defaultdict(dict)
    standing: dict[str, Fact] = {}
    for term, held in _holders((*own, *beside), matters.terms_of, draft).items():
        others = [each for each in held if message_of(each) != claim.ref]
        count = len({message_of(each) for each in others})  # a claim and a quote of the same words are one
        for each in others if count <= RARE else ():
            if record := _standing_for(each, draft):
                standing[record.id] = record
                weights[record.id][term] = 1 / count
    for record in _lately(claim, draft):
        standing.setdefault(record.id, record)
    return [_shared(record, weights[key], own) for key, record in sorted(standing.items())]


def _shared(record: Fact, weights: Mapping[str, float], own: Collection[str]) -> Shared:
    mine = {term: weight for term, weight in weights.items() if term in own}
    return Shared(record, mine, {term: weight for term, weight in weights.items() if term not in own})


def shared_with(claim: Claim, found: Iterable[Shared]) -> list[Shared]:
    """Those of what was found that share more with the words of the claim than somebody's name."""
    own = bool(telling(claim.quote))
    each_with = ((each, each.weights if own else each.beside, people_in(each.record)) for each in found)
    shared = (
        Shared(each.record, {term: weight for term, weight in weights.items() if term not in people})
        for each, weights, people in each_with
    )
    return [each for each in shared if each.weights]


def of_the_same_day(claim: Claim, draft: Draft) -> list[Shared]:
    """What was said in the claim's session of a day or an hour that it names."""
    found = _holders(matters.days_of(claim.quote), matters.days_of, draft).values()
    said = {each.id: each for held in found for each in held if session_of(each.source) == session_of(claim.ref)}
    return [Shared(each, {}) for _, each in sorted(said.items()) if message_of(each) != claim.ref]


def _lately(claim: Claim, draft: Draft) -> Iterator[Fact]:
    """What the night has kept last, of the claim's session."""
    for key in islice(reversed(draft.changed), LATELY):
        record = draft.get(key)
        if record is None or isinstance(record, Summary) or draft.pool_of(key) != "active":
            continue
        if session_of(record.source) == session_of(claim.ref) and message_of(record) != claim.ref:
            yield record


def has_taken_a_place(claim: Claim, draft: Draft) -> bool:
    """Whether a claim of the same words has superseded what they mean."""
    held = _holders(telling(words_of(claim)), matters.terms_of, draft).values()
    return any(each.supersedes and message_of(each) == claim.ref for some in held for each in some)


def _holders(terms: Iterable[str], read: Read, draft: Draft) -> Holders:
    """The active memories that have each of the terms, as `read` finds these in a sentence; of what very many have,
    none."""
    wanted = {term: matters.words_of(term) for term in terms}
    found = draft.find_alike(dict.fromkeys(each for words in wanted.values() for each in words))
    return {
        term: held
        for term, words in wanted.items()
        if (held := list(_having(term, (found[each][1] if each in found else [] for each in words), read, draft)))
    }


def _having(term: str, ids: Iterable[Collection[str]], read: Read, draft: Draft) -> Iterator[Fact]:
    """Those of the memories with all of a term's words that have the term."""
    common = set.intersection(*map(set, ids))
    for memory_id in sorted(common) if len(common) <= LOOKED_AT else ():
        record = draft.get(memory_id)
        if record is not None and not isinstance(record, Summary) and term in read(record.content):
            yield record


def _standing_for(record: Fact, draft: Draft) -> Fact | None:
    """The memory itself, or what stands in its place; None where that is not active."""
    passed = {record.id}
    while (named := successor_of(vars(record))) and named not in passed and (found := draft.get(named)):
        passed.add(named)
        record = found
    return record if draft.pool_of(record.id) == "active" else None


def people_in(record: Fact) -> frozenset[str]:
    """Terms that are only somebody's name."""
    named = (term for name in record.entities[1:] for term in matters.terms_of(name))
    return frozenset((*named, *matters.company(record.content)))
