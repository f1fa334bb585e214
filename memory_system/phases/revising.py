"""What becomes outdated. Words that surely correct, move, cancel or end something make the older memories of the same
thing outdated: they leave the snapshot and stand behind the newer one, with which they are shown. Which are meant is
told by the rarest terms that both have, by whose the thing is, and by when it happens, or by what was learned of such
pairs (`understand/weights`). Where it is only likely, all stand, and the older one is shown with the newer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import permutations
from math import inf
from typing import NamedTuple

from memory_system import clock, dates
from memory_system.attributes import CERTAIN, GRAVE, about
from memory_system.phases import Night, linking
from memory_system.phases.evidence import counts_beside
from memory_system.phases.linking import Shared
from memory_system.records import NEWER, NOT_LIKELY, QUOTE, STANDING, STATEMENT, Fact, session_of
from memory_system.store.draft import Draft
from memory_system.store.gist import gist_of, tells_of_past
from memory_system.store.keys import quote_key
from memory_system.text import stands_in
from memory_system.turns import Claim
from memory_system.understand import matters
from memory_system.understand.judge import CHANGES
from memory_system.understand.matters import OWN
from memory_system.understand.quotes import columns
from memory_system.understand.weights import links

# Telling terms of the claim, and of the older memory, for each of which one must be shared: who speaks of much may have
# a word in common with anything.
OF_CLAIM, OF_MEMORY = 4, 8
SHARED = 2  # such terms that both must have, where a single one is not enough
ONE_MATTER = 120  # columns of a quote, with its dates, above which it tells of several things
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
LATER = "likely otherwise"  # why a memory changes that stands and names a newer one


class Likely(NamedTuple):
    """A memory that a claim likely makes outdated, and how surely: log-odds times `SCALE` of `understand/weights`."""

    record: Fact
    surely: int


class Meant(NamedTuple):
    """The memories that a claim makes outdated, those that it likely does, and those in doubt that it may."""

    sure: Sequence[Fact] = ()
    likely: Sequence[Likely] = ()
    doubted: Sequence[Fact] = ()


def meant(claim: Claim, draft: Draft, night: Night) -> Meant:
    """The active memories that a claim changes."""
    if claim.target:
        named = _named(claim, draft)
        return Meant(named, [each for record in named for each in told_beside(record, claim.said_at, draft)])
    if claim.form == STATEMENT or claim.stance not in ("", "asserted") or linking.has_taken_a_place(claim, draft):
        return Meant()  # a model names what its sentence changes
    found = linking.candidates(claim, draft, night)
    possible = weighed(found, claim, night)
    changed = _changed(claim, found, possible, draft, night)
    sure = [each for each in changed if not tells_more(each)]
    gone = {each.id for each in sure}
    beside = {each.id: Likely(each, links().sure) for each in changed if each.id not in gone}
    rest = [(each.record, weight) for each, weight in possible if each.record.id not in gone]
    for record, weight in rest:
        if weight >= _likely_from(record):
            beside.setdefault(record.id, Likely(record, weight))
    doubted = [record for record, weight in rest if weight >= links().maybe and record.id not in beside]
    return Meant(sure, list(beside.values()), doubted)


def _changed(
    claim: Claim, found: Collection[Shared], possible: Iterable[tuple[Shared, int]], draft: Draft, night: Night
) -> list[Fact]:
    """The memories of which something has surely changed; what was learned of pairs tells that of what happens alone:
    more of what lasts may hold."""
    linked = (each.record for each, weight in possible if weight >= links().sure)
    happening = (each for each in linked if each.category in OCCASIONS and is_for_words(each, claim))
    return list({each.id: each for each in (*_certain(claim, found, draft, night), *happening)}.values())


def weighed(found: Collection[Shared], claim: Claim, night: Night) -> list[tuple[Shared, int]]:
    """Those of what may be meant that the claim may tell otherwise, each with how surely it does: log-odds times
    `SCALE` of `understand/weights`."""
    possible = (each for each in found if may_tell_otherwise(each.record, claim))
    return [(each, links().sum_of(linking.features_of(each, found, claim, night))) for each in possible]


def _likely_from(record: Fact) -> int:
    """From which sum the newer words are shown beside the memory. What is grave may not be missing where it is in
    doubt: an old dose or a withdrawn order is worse alone than beside words that change nothing."""
    return links().maybe if record.category in CERTAIN else links().likely


def tells_more(record: Fact) -> bool:
    """Whether it is a quote of which something still holds when a part has changed: of several matters, as of more than
    one day, or grave (the bypass stays when the dose is another)."""
    if record.form != QUOTE:
        return False
    return _days_of(record) > 1 or record.category in GRAVE or columns(record.content) > ONE_MATTER


def _days_of(record: Fact) -> int:
    """How many days a memory names, by date or by the name in the week: "Tuesday the 12th" is one."""
    words, said = record.evidence[0].quote if record.evidence else record.content, clock.read_stamp(record.said_at)
    if not dates.is_timely(words):
        return 0
    dated = {each.start.date() for each in dates.find(words, said)}
    named = {day.weekday() for day, exact in dates.nameable(words, said.date()).items() if not exact}
    return len(dated) + len(named - {each.weekday() for each in dated})


def _certain(claim: Claim, shared: Iterable[Shared], draft: Draft, night: Night) -> list[Fact]:
    """The memories that a claim's change is certainly about; none where more than one thing may be meant."""
    if not claim.change:
        return []
    found = _matches(claim, linking.shared_with(claim, shared), draft, night)
    best = max(((each.weight, linking.lies_ahead(each.record, claim, night)) for each in found), default=None)
    first = [each for each in found if (each.weight, linking.lies_ahead(each.record, claim, night)) == best]
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


def told_beside(record: Fact, before: str, draft: Draft) -> Iterator[Likely]:
    """The active memories of the same words as one that gives way, said before that moment, which say what it says: the
    sentence that was told or kept beside a slot, or the slot beside a sentence."""
    for key in dict.fromkeys(key for each in record.evidence for key in draft.find(quote_key(each.quote))):
        other = draft.get(key)
        if other is None or other.id == record.id or other.is_owners or other.pinned or other.outdated_by:
            continue
        if other.said_at >= before or (record.attribute and other.attribute and record.slot != other.slot):
            continue
        if any(one.value and stands_in(one.value, each.content) for one, each in permutations((record, other))):
            yield Likely(other, links().sure)


def outdate(older: Meant, fact: Fact, claim: Claim, draft: Draft, night: Night) -> None:
    """Mark the older memories as outdated by the fact, or as likely so."""
    _, likeliest = max(zip(claim.changes, CHANGES, strict=False), default=(0, CORRECTS))
    why = CHANGED[claim.change or likeliest]
    for each in older.sure:
        _mark(each, {**STANDING, "outdated_by": fact.id}, why, draft, night)
    mark_likely(older.likely, fact, draft, night)


def mark_likely(older: Iterable[Likely], fact: Fact, draft: Draft, night: Night) -> None:
    """Mark the older memories as likely outdated by the fact, but for those that others surer make so."""
    for record, surely in older:
        if _surely(draft.get(record.id) or record, draft) <= surely:
            _mark(record, {"likely_outdated_by": fact.id, "likely_surely": surely}, LATER, draft, night)


def _surely(record: Fact, draft: Draft) -> float:
    """How surely a memory that stands today makes the record outdated."""
    stands = record.likely_outdated_by and draft.pool_of(record.likely_outdated_by) == "active"
    return record.likely_surely if stands and record.likely_surely is not None else -inf


def _mark(record: Fact, changed: dict[str, object], why: str, draft: Draft, night: Night) -> None:
    if draft.pool_of(record.id) == "active":
        changed |= {"updated": night.stamp, "version": record.version + 1}
        draft.put("active", (draft.get(record.id) or record).model_copy(update=changed), why)


def standing_again(fact: Fact, claim: Claim, draft: Draft) -> Fact:
    """The fact that a claim has said again: outdated no more, where that was later than what made it so."""
    for name in NEWER:
        newer = draft.get(named) if (named := getattr(fact, name)) else None
        if newer and newer.said_at < claim.said_at:
            fact = fact.model_copy(update={name: None} if name == "outdated_by" else NOT_LIKELY)
    return fact


def is_occasion(attribute: str) -> bool:
    """Whether the attribute holds what happens at a time."""
    return bool(attribute) and str(about(attribute).get("category")) in OCCASIONS


def has_happened(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether the memory's slot holds what was over when the claim was made: nothing can change that any more."""
    return (
        is_occasion(record.attribute) and record.event_time is not None and not linking.lies_ahead(record, claim, night)
    )


def _matches(claim: Claim, shared: Iterable[Shared], draft: Draft, night: Night) -> list[Shared]:
    """The memories that the claim surely speaks of; of a slip of the tongue that names nothing but the wrong time, what
    was said in the same session of that time."""
    found = [
        each
        for each in shared
        if each.said_in == claim.ref or (_may_change(each.record, claim, night) and _is_certain(each, claim, night))
    ]
    if found or claim.change not in SLIPS or _size(claim.quote) >= OF_CLAIM:
        return found
    slips = [each for each in linking.of_the_same_day(claim, draft) if _may_change(each.record, claim, night)]
    return slips if len({each.said_in for each in slips}) == 1 else []


def _may_change(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether the memory is such as the claim's change can put an end to."""
    return may_tell_otherwise(record, claim) and is_for_words(record, claim) and _is_open(record, claim, night)


def may_tell_otherwise(record: Fact, claim: Claim) -> bool:
    """Whether a claim may tell of what the memory holds at all."""
    if record.is_owners or record.pinned or record.category in LASTING:
        return False
    return record.said_at < claim.said_at and record.speaker == claim.speaker and counts_beside(claim, record)


def is_for_words(record: Fact, claim: Claim) -> bool:
    """Whether words alone may put an end to the memory: claims change other slots than of occasions and habits."""
    return not record.attribute or is_occasion(record.attribute) or (record.attribute == HABIT and claim.change in OVER)


def _is_open(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether what the memory tells of may still change: what has happened only within the session that told it."""
    if linking.lies_ahead(record, claim, night) or _is_slip(record, claim):
        return True
    if record.category in OCCASIONS:
        happened = record.category == "event" and tells_of_past(gist_of(record.content))
        return not (record.event_time or happened)
    if claim.change in DATED and record.category in LIKINGS:
        return False
    return claim.change != "moves" or not record.event_time


def _is_certain(shared: Shared, claim: Claim, night: Night) -> bool:
    """Whether the shared terms are enough to say that both speak of the same thing."""
    record = shared.record
    mine, theirs = linking.owners_in(shared, claim, linking.words_of(claim))
    size = matters.size_of(shared.weights)
    if not matters.may_be_one(mine, theirs) or size < _needed(shared, claim):
        return False
    rare = {term: weight for term, weight in shared.weights.items() if matters.is_rare(term)}
    if size >= SHARED and rare:
        return True
    if mine - {OWN} and not theirs:
        return False  # somebody's, and maybe not theirs
    if claim.change in DATED and linking.lies_ahead(record, claim, night):
        return True
    ends = claim.change in (DATED | OVER if record.category in OCCASIONS else OVER)
    return 1.0 in rare.values() and (ends or size >= _size(linking.words_of(claim)) or _is_slip(record, claim))


def _needed(shared: Shared, claim: Claim) -> int:
    """How many terms must be shared: the more, the more either speaks of besides; of what must not be lost all that
    the claim speaks of, or one more."""
    mine, theirs = _size(linking.words_of(claim)), _size(shared.record.content)
    needed = max(1, -(-mine // OF_CLAIM), -(-theirs // OF_MEMORY))
    return min(mine, needed + 1) if shared.record.category in CERTAIN else needed


def _size(words: str) -> int:
    """Of how much the words speak, in telling terms."""
    return matters.size_of(matters.telling(words))


def _is_slip(record: Fact, claim: Claim) -> bool:
    """Whether the claim puts right what was said in the same session."""
    return claim.change == CORRECTS and session_of(record.source) == session_of(claim.ref)
