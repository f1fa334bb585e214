"""What becomes outdated. Words that correct, move, cancel or end something make the older memories of the same thing
outdated: they leave the snapshot and stand behind the newer one, with which they are shown. Which are meant is told by
the rarest terms that both have, by whose the thing is, and by when it happens; where that is not certain, all stand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from memory_system import clock
from memory_system.attributes import about
from memory_system.phases import Night
from memory_system.phases.evidence import counts_beside
from memory_system.records import CLAIM, USER, Fact, Summary, session_of, successor_of
from memory_system.store.draft import Draft
from memory_system.store.gist import gist_of, tells_of_past
from memory_system.turns import Claim
from memory_system.understand import matters
from memory_system.understand.matters import OWN

RARE = 8  # messages whose memories may have a term by which what is meant is found
LOOKED_AT = 24  # memories with a term that are looked at: a message gives several
SHARED = 2  # terms that both must have, where a single one is not enough
LASTING = frozenset({"identity"})  # who somebody is: only a claim changes it
OCCASIONS = frozenset({"schedule", "reminder", "todo", "plan", "event"})  # categories of what happens at a time
LIKINGS = frozenset({"preference", "relation", "instruction"})  # categories of what nobody calls off
DATED = frozenset({"moves", "cancels"})  # changes of what was to happen
CORRECTS = "corrects"
SLIPS = frozenset({CORRECTS, "moves"})  # changes that may name nothing but the time that was wrong
# Why a memory changes that stays and stands behind another, by what the newer one does to it.
CHANGED = {"corrects": "corrected", "moves": "moved", "cancels": "cancelled", "ends": "ended"}
OUTDATING = frozenset(CHANGED.values())

Holders = Mapping[str, Mapping[str, Fact]]  # by term the memories that have it, by id


@dataclass(frozen=True, slots=True)
class Match:
    """An older memory that is surely about the thing, by the terms that both have: how much these weigh, and whether it
    tells of a day that was still to come."""

    record: Fact
    weight: float
    lies_ahead: bool

    @property
    def day(self) -> str:
        """The day it tells of."""
        return self.record.event_time.start[:10] if self.record.event_time else ""

    @property
    def said_in(self) -> str:
        """The message that it stands on."""
        return _message_of(self.record)


def meant(claim: Claim, draft: Draft, night: Night) -> list[Fact]:
    """The active memories that a claim's change is certainly about; none where it changes nothing, or more than one
    thing may be meant."""
    if not claim.change or claim.stance not in ("", "asserted"):
        return []
    matches = _matches(claim, draft, night)
    best = max(((each.weight, each.lies_ahead) for each in matches), default=None)
    first = [each for each in matches if (each.weight, each.lies_ahead) == best]
    if any(each.said_in == claim.ref for each in first):
        return []  # another claim of the same words has dealt with it
    days = {each.day for each in first if each.day}
    if len(days) > 1:
        return []  # the same words of two days: one of them is meant
    said_in = {each.said_in for each in first if each.day or not days}
    return [
        each.record for each in matches if each.said_in != claim.ref and (each.said_in in said_in or each.day in days)
    ]


def outdate(older: Iterable[Fact], fact: Fact, change: str, draft: Draft, night: Night) -> None:
    """Mark the older memories as outdated by the fact, which changes them so."""
    for each in older:
        changed = {"outdated_by": fact.id, "updated": night.stamp, "version": each.version + 1}
        draft.put("active", each.model_copy(update=changed), CHANGED[change])


def standing_again(fact: Fact, claim: Claim, draft: Draft) -> Fact:
    """The fact that a claim has said again: outdated no more, where that was later than what made it so."""
    newer = draft.get(fact.outdated_by) if fact.outdated_by else None
    return fact.model_copy(update={"outdated_by": None}) if newer and newer.said_at < claim.said_at else fact


def is_occasion(attribute: str) -> bool:
    """Whether the attribute holds what happens at a time."""
    return bool(attribute) and str(about(attribute).get("category")) in OCCASIONS


def has_happened(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether the memory's slot holds what was over when the claim was made: nothing can change that any more."""
    return is_occasion(record.attribute) and _is_dated(record) and not _lies_ahead(record, claim, night)


def _matches(claim: Claim, draft: Draft, night: Night) -> list[Match]:
    """The memories that stand today for those that the claim's words may mean; of a slip of the tongue that names
    nothing but the wrong time, what was said in the same session of that time."""
    words = f"{claim.quote}\n{claim.beside}" if claim.beside else claim.quote
    found = _by_terms([each for each in matters.terms_of(words) if matters.tells(each)], words, claim, draft, night)
    if found or claim.change not in SLIPS:
        return found
    times = _holders(matters.times_of(claim.quote), matters.times_of, draft)
    slips = {each.id: each for held in times.values() for each in held.values()}
    said = [each for each in slips.values() if session_of(each.source) == session_of(claim.ref)]
    said = [each for each in said if _may_change(each, claim, night)]
    alone = len({_message_of(each) for each in said}) == 1
    return [Match(each, 1.0, lies_ahead=False) for each in said if alone]


def _by_terms(terms: Collection[str], words: str, claim: Claim, draft: Draft, night: Night) -> list[Match]:
    """The memories that share enough of the terms, each weighed by how few have it."""
    held_by = _holders(terms, matters.terms_of, draft)
    own = {each.id for held in held_by.values() for each in held.values() if _message_of(each) == claim.ref}
    if any(each.supersedes for held in held_by.values() for each in held.values() if each.id in own):
        return []  # a claim of the same words has taken the place of what they mean
    counts = {term: _count(held, without=own) for term, held in held_by.items()}
    weights = {term: 1 / count for term, count in counts.items() if 0 < count <= RARE}
    shared: dict[str, set[str]] = defaultdict(set)
    standing: dict[str, Fact] = {}
    for term in weights:
        for each in held_by[term].values():
            if each.id not in own and term not in _people_in(each) and (record := _standing_for(each, draft)):
                shared[record.id].add(term)
                standing[record.id] = record
    return [
        Match(record, sum(sorted(weights[each] for each in shared[key])), _lies_ahead(record, claim, night))
        for key, record in sorted(standing.items())
        if _message_of(record) == claim.ref
        or (
            _may_change(record, claim, night)
            and _is_certain(record, claim, words, {each: weights[each] for each in shared[key]}, night)
        )
    ]


def _holders(terms: Iterable[str], read: Callable[[str], Collection[str]], draft: Draft) -> Holders:
    """The active memories that have each of the terms, as `read` finds these in a sentence; of what very many have,
    none."""
    wanted = {term: matters.words_of(term) for term in terms}
    found = draft.find_alike(dict.fromkeys(each for signs in wanted.values() for each in signs))
    held: dict[str, dict[str, Fact]] = {}
    for term, signs in wanted.items():
        ids = set.intersection(*(set(found[each][1]) if each in found else set() for each in signs))
        records = [draft.get(each) for each in sorted(ids)] if len(ids) <= LOOKED_AT else []
        facts = [each for each in records if each is not None and not isinstance(each, Summary)]
        held[term] = {each.id: each for each in facts if term in read(each.content)}
    return {term: facts for term, facts in held.items() if facts}


def _count(held: Mapping[str, Fact], without: Collection[str]) -> int:
    """On how many messages the memories stand, without these: a claim and a quote of the same words are one."""
    return len({_message_of(each) for key, each in held.items() if key not in without})


def _message_of(record: Fact) -> str:
    return record.evidence[0].ref if record.evidence else record.id


def _standing_for(record: Fact, draft: Draft) -> Fact | None:
    """The memory itself, or what stands in its place; None where that is not active."""
    passed = {record.id}
    while named := successor_of(vars(record)):
        found = draft.get(named)
        if found is None or named in passed:
            break
        passed.add(named)
        record = found
    return record if draft.pool_of(record.id) == "active" else None


def _may_change(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether the memory is such as the claim's change can put an end to. Slots are changed by claims, not by words."""
    if record.is_owners or record.pinned or record.category in LASTING:
        return False
    if record.said_at >= claim.said_at or record.speaker != claim.speaker or not counts_beside(claim, record):
        return False
    if record.attribute and not is_occasion(record.attribute):
        return False
    return _is_open(record, claim, night)


def _is_open(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether what the memory tells of may still become otherwise. What has happened stays true, unless it is put right
    in the same session."""
    if _lies_ahead(record, claim, night) or (
        claim.change == CORRECTS and session_of(record.source) == session_of(claim.ref)
    ):
        return True
    if record.category in OCCASIONS:
        happened = record.category == "event" and tells_of_past(gist_of(record.content))
        return not (_is_dated(record) or happened)
    if claim.change == "cancels":
        return record.category not in LIKINGS
    return claim.change != "moves" or not _is_dated(record)


def _is_dated(record: Fact) -> bool:
    return record.event_time is not None


def _lies_ahead(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether the memory tells of a time that was not over when the claim was made."""
    said = clock.read_stamp(claim.said_at).astimezone(night.zone).date().isoformat()
    return record.event_time is not None and record.event_time.end > said


def _is_certain(record: Fact, claim: Claim, words: str, weights: Mapping[str, float], night: Night) -> bool:
    """Whether the shared terms, by what they weigh, are enough to say that both speak of the same thing."""
    names = [*claim.entities[1:], *record.entities[1:]]
    mine = _owners(claim.subject, claim.form, words, weights, names)
    theirs = _owners(record.subject, record.form, record.content, weights, names)
    if not matters.may_be_one(mine, theirs):
        return False
    if len(weights) >= SHARED:
        return True
    if mine - {OWN} and not theirs:
        return False  # somebody's, and maybe not theirs
    return 1.0 in weights.values() or (claim.change in DATED and _lies_ahead(record, claim, night))


def _owners(subject: str, form: str, words: str, terms: Collection[str], names: Iterable[str]) -> frozenset[str]:
    """Whose the thing is: of a slot, whom it is about."""
    if form == CLAIM:
        return frozenset({OWN if subject == USER else subject.casefold()})
    return matters.owners_of(words, terms, names)


def _people_in(record: Fact) -> frozenset[str]:
    """Terms that are only somebody's name."""
    named = (term for name in record.entities[1:] for term in matters.terms_of(name))
    return frozenset((*named, *matters.company(record.content)))
