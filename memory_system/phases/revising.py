"""What becomes outdated. Words that correct, move, cancel or end something make the older memories of the same thing
outdated: they leave the snapshot and stand behind the newer one, with which they are shown. Which are meant is told by
the rarest terms that both have, by whose the thing is, and by when it happens; where that is not certain, all stand.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory_system import clock
from memory_system.attributes import CERTAIN, about
from memory_system.phases import Night
from memory_system.phases.evidence import counts_beside
from memory_system.phases.same_thing import (
    Shared,
    has_taken_a_place,
    of_the_same_day,
    shared_with,
    telling,
    words_of,
)
from memory_system.records import CLAIM, USER, Fact, session_of
from memory_system.store.draft import Draft
from memory_system.store.gist import gist_of, tells_of_past
from memory_system.turns import Claim
from memory_system.understand import matters
from memory_system.understand.matters import OWN

# Telling terms of the claim, and of the older memory, for each of which one must be shared: who speaks of much may have
# a word in common with anything.
OF_CLAIM, OF_MEMORY = 4, 8
SHARED = 2  # such terms that both must have, where a single one is not enough
LASTING = frozenset({"identity"})  # who somebody is: only a claim changes it
OCCASIONS = frozenset({"schedule", "reminder", "todo", "plan", "event"})  # categories of what happens at a time
LIKINGS = frozenset({"preference", "relation"})  # categories of what nobody moves or calls off
DATED = frozenset({"moves", "cancels"})  # changes of what was to happen
OVER = frozenset({"ends", "cancels"})  # changes after which it is no more
HABIT = "habit"  # the one lasting slot that holds what somebody does, in a clause: words that end the deed end it
CORRECTS = "corrects"
SLIPS = frozenset({CORRECTS, "moves"})  # changes that may name nothing but the time that was wrong
# Why a memory changes that stays and stands behind another, by what the newer one does to it.
CHANGED = {"corrects": "corrected", "moves": "moved", "cancels": "cancelled", "ends": "ended"}
OUTDATING = frozenset(CHANGED.values())


def meant(claim: Claim, draft: Draft, night: Night) -> list[Fact]:
    """The active memories that a claim's change is certainly about; none where it changes nothing, or more than one
    thing may be meant."""
    if claim.target:
        return _named(claim, draft)
    if not claim.change or claim.stance not in ("", "asserted") or has_taken_a_place(claim, draft):
        return []
    found = _matches(claim, draft, night)
    best = max(((each.weight, _lies_ahead(each.record, claim, night)) for each in found), default=None)
    first = [each for each in found if (each.weight, _lies_ahead(each.record, claim, night)) == best]
    if any(each.said_in == claim.ref for each in first):
        return []  # another claim of the same words has dealt with it
    days = {each.day for each in first if each.day}
    if len(days) > 1:
        return []  # the same words of two days: one of them is meant
    said_in = {each.said_in for each in first if each.day or not days}
    others = (each for each in found if each.said_in != claim.ref)
    return [each.record for each in others if each.said_in in said_in or each.day in days]


def _named(claim: Claim, draft: Draft) -> list[Fact]:
    """The memory that a claim names as the one that it changes, if words may change it."""
    record = draft.get(claim.target)
    if record is None or draft.pool_of(record.id) != "active" or record.is_owners or record.pinned:
        return []
    return [record] if record.said_at <= claim.said_at and counts_beside(claim, record) else []


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


def _matches(claim: Claim, draft: Draft, night: Night) -> list[Shared]:
    """The memories that the claim surely speaks of; of a slip of the tongue that names nothing but the wrong time, what
    was said in the same session of that time."""
    found = [
        each
        for each in shared_with(claim, draft)
        if each.said_in == claim.ref or (_may_change(each.record, claim, night) and _is_certain(each, claim, night))
    ]
    if found or claim.change not in SLIPS or _size(claim.quote) >= OF_CLAIM:
        return found
    slips = [each for each in of_the_same_day(claim, draft) if _may_change(each.record, claim, night)]
    return slips if len({each.said_in for each in slips}) == 1 else []


def _may_change(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether the memory is such as the claim's change can put an end to. Other slots than of occasions and habits are
    changed by claims, not by words."""
    if record.is_owners or record.pinned or record.category in LASTING:
        return False
    if record.said_at >= claim.said_at or record.speaker != claim.speaker or not counts_beside(claim, record):
        return False
    if (
        record.attribute
        and not is_occasion(record.attribute)
        and not (record.attribute == HABIT and claim.change in OVER)
    ):
        return False
    return _is_open(record, claim, night)


def _is_open(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether what the memory tells of may still become otherwise. What has happened stays true, unless it is put right
    in the same session."""
    if _lies_ahead(record, claim, night) or _is_slip(record, claim):
        return True
    if record.category in OCCASIONS:
        happened = record.category == "event" and tells_of_past(gist_of(record.content))
        return not (_is_dated(record) or happened)
    if claim.change in DATED and record.category in LIKINGS:
        return False
    return claim.change != "moves" or not _is_dated(record)


def _is_dated(record: Fact) -> bool:
    return record.event_time is not None


def _lies_ahead(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether the memory tells of a time that was not over when the claim was made."""
    said = clock.read_stamp(claim.said_at).astimezone(night.zone).date().isoformat()
    return record.event_time is not None and record.event_time.end > said


def _is_certain(shared: Shared, claim: Claim, night: Night) -> bool:
    """Whether the shared terms are enough to say that both speak of the same thing."""
    record = shared.record
    names = [*claim.entities[1:], *record.entities[1:]]
    mine = _owners(claim.subject, claim.form, words_of(claim), shared, names)
    theirs = _owners(record.subject, record.form, record.content, shared, names)
    size = matters.size_of(shared.weights)
    if not matters.may_be_one(mine, theirs) or size < _needed(shared, claim):
        return False
    rare = {term: weight for term, weight in shared.weights.items() if matters.is_rare(term)}
    if size >= SHARED and rare:
        return True
    if mine - {OWN} and not theirs:
        return False  # somebody's, and maybe not theirs
    if claim.change in DATED and _lies_ahead(record, claim, night):
        return True
    ends = claim.change in (DATED | OVER if record.category in OCCASIONS else OVER)
    return 1.0 in rare.values() and (ends or size >= _size(words_of(claim)) or _is_slip(record, claim))


def _needed(shared: Shared, claim: Claim) -> int:
    """How many terms must be shared: the more, the more either speaks of besides; of what must not be lost all that
    the claim speaks of, or one more."""
    mine, theirs = _size(words_of(claim)), _size(shared.record.content)
    needed = max(1, -(-mine // OF_CLAIM), -(-theirs // OF_MEMORY))
    return min(mine, needed + 1) if shared.record.category in CERTAIN else needed


def _size(words: str) -> int:
    """Of how much the words speak, in telling terms."""
    return matters.size_of(telling(words))


def _is_slip(record: Fact, claim: Claim) -> bool:
    """Whether the claim puts right what was said in the same session."""
    return claim.change == CORRECTS and session_of(record.source) == session_of(claim.ref)


def _owners(subject: str, form: str, words: str, shared: Shared, names: Iterable[str]) -> frozenset[str]:
    """Whose the thing is: of a slot, whom it is about."""
    if form == CLAIM:
        return frozenset({OWN if subject == USER else subject.casefold()})
    return matters.owners_of(words, shared.weights, names)
