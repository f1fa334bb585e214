"""Phase 4b: what was hedged, heard or inferred. Confidence is carried as log-odds over independent evidence (another
session on another day); a stated fact in the same slot confirms or denies; enough confidence makes a fact, too little
the archive.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from memory_system import clock
from memory_system.phases import Night, evidence, matching
from memory_system.phases.facts import is_single
from memory_system.privacy.trust import is_owners, tier_of_evidence
from memory_system.records import USER, Belief, Evidence, Fact, memory_id, session_of
from memory_system.store.draft import Draft
from memory_system.store.keys import content_key, slot_key, value_key
from memory_system.store.store import Memories, row_of
from memory_system.turns import Claim

PROMOTED_FROM = 0.85  # confidence at which two independent sources make a fact
DENIED_BY = 0.3  # confidence lost to a stated denial
ARCHIVED_BELOW = 0.2
MOST = 0.99


def run(claims: Iterable[Claim], facts: Draft, memories: Memories, night: Night, tally: Counter[str]) -> Draft:
    """The beliefs after the night's uncertain claims and after the facts that changed; `memories` has those facts."""
    draft = Draft(memories)
    for claim in claims:
        tally[consider(claim, draft, night)] += 1
    for fact in _to_confront(facts, draft):
        confront(fact, draft, night)
    for fact, belief in _borne_out(facts, draft):
        evidence.retire(belief, "promoted", draft, night, superseded_by=fact.id)
    return draft


def _to_confront(facts: Draft, draft: Draft) -> list[Fact]:
    """The facts that the night made or confirmed in slots where beliefs stand."""
    rows = (row_of(each, draft) for each in draft.active(Belief))
    slots = {(row.get("subject", USER), row["attribute"]) for row in rows if row.get("attribute")}
    ids = {each for slot in slots for each in draft.find(slot_key(*slot)) if each in facts.changed}
    found = (draft.get(each) for each in sorted(ids) if facts.changed[each][2] != "history")
    return [each for each in found if type(each) is Fact]


def _borne_out(facts: Draft, draft: Draft) -> list[tuple[Fact, Belief]]:
    """The night's facts that say in the same words, and on as good a word, what was only supposed, with the belief."""
    same = [(each, draft.find(content_key(row_of(each, draft)["content"]))) for each in draft.active(Belief)]
    found = [(draft.get(one), draft.get(each)) for each, ids in same for one in ids if one in facts.changed]
    return [
        (fact, belief)
        for fact, belief in found
        if type(fact) is Fact and isinstance(belief, Belief) and not belief.is_owners
        if tier_of_evidence(fact.evidence) >= tier_of_evidence(belief.evidence)
    ]


def consider(claim: Claim, draft: Draft, night: Night) -> str:
    """Put one uncertain claim to the beliefs; what became of it, as the accounting counts it."""
    new_id, sure = memory_id(Belief, night.day, claim.origin, claim.content), claim.confidence
    belief = Belief(id=new_id, confidence=sure, basis=claim.basis, **evidence.common_fields(claim, night))
    if draft.knows(belief.id):
        return "claims.rejected.already known"
    if _stated(claim, draft):
        return "claims.rejected.already stated"
    same, outcome = _same(claim, draft), "claims.confirmed"
    if same is None:
        same, outcome = matching.find(claim, Belief, draft, night.config.thresholds.alike), "claims.merged"
    if same is None:
        draft.put("active", belief, "new")
        return "claims.new"
    if claim.ref in {each.ref for each in same.evidence}:
        return "claims.rejected.already known"
    if nothing := evidence.proves_nothing(claim, same):
        return nothing
    if evidence.outranks(claim, same):
        return evidence.take_place(same, belief, draft, night)
    _strengthen(same, claim, draft, night)
    return outcome


def confront(fact: Fact, draft: Draft, night: Night) -> None:
    """A stated fact promotes the same value in its slot, and denies the opposite or, in a slot of one value, others."""
    for belief in _beliefs(draft.find(slot_key(*fact.slot)), draft):
        if belief.is_owners:
            continue
        same_value = belief.id in draft.find(value_key(*fact.slot, fact.value))
        if same_value and belief.polarity == fact.polarity:
            evidence.retire(belief, "promoted", draft, night, superseded_by=fact.id)
            draft.put(
                "active", (draft.get(fact.id) or fact).model_copy(update={"promoted_from": belief.id}), "promoted"
            )
        elif same_value and is_owners(fact.evidence) and fact.subject == USER:
            evidence.retire(belief, "denied", draft, night, superseded_by=fact.id)  # who knows has spoken
        elif same_value or is_single(fact.attribute):
            _deny(belief, fact, draft, night)


def combined(confidence: float, other: float) -> float:
    """The confidence that two independent sources give together: their odds multiplied, and never less than one."""
    odds = math.log(confidence / (1 - confidence)) + math.log(other / (1 - other))
    return round(min(MOST, max(confidence, 1 / (1 + math.exp(-odds)))), 4)


def _beliefs(ids: Iterable[str], draft: Draft) -> list[Belief]:
    found = (draft.get(each) for each in ids)
    return [each for each in found if isinstance(each, Belief)]


def _stated(claim: Claim, draft: Draft) -> bool:
    """Whether an active fact says already what the claim only supposes."""
    same = (draft.get(each) for each in draft.find(content_key(claim.content)))
    if any(type(each) is Fact and not evidence.outranks(claim, each) for each in same):
        return True
    if not claim.attribute:
        return False
    found = (draft.get(each) for each in draft.find(value_key(claim.subject, claim.attribute, claim.value)))
    return any(type(each) is Fact and each.polarity == claim.polarity for each in found)


def _same(claim: Claim, draft: Draft) -> Belief | None:
    key = value_key(claim.subject, claim.attribute, claim.value) if claim.attribute else content_key(claim.content)
    found = [each for each in _beliefs(draft.find(key), draft) if each.polarity == claim.polarity]
    return found[0] if found else None


def _strengthen(belief: Belief, claim: Claim, draft: Draft, night: Night) -> None:
    """More words for a belief; only another session on another day makes it surer, and sure enough makes it a fact."""
    stronger = evidence.with_evidence(belief, claim, night)
    session, day = _source(claim, night)
    sources = {_source(each, night) for each in belief.evidence}
    if all(session != other_session and day != other_day for other_session, other_day in sources):
        stronger = stronger.model_copy(update={"confidence": combined(belief.confidence, claim.confidence)})
    draft.put("active", stronger, "confirmed")
    if belief.is_owners or not isinstance(stronger, Belief) or stronger.confidence < PROMOTED_FROM:
        return
    if len({_source(each, night) for each in stronger.evidence}) >= 2:
        promote(stronger, draft, night)


def _source(said: Claim | Evidence, night: Night) -> tuple[str, str]:
    """The session, and the day where the owner lives."""
    moment = clock.parse_instant(said.said_at)
    return session_of(said.ref), str(clock.local_date(moment, night.zone)) if moment else ""


def promote(belief: Belief, draft: Draft, night: Night) -> None:
    """The belief becomes a fact: a new memory that says it without the hedge and names where it comes from."""
    new_id = memory_id(Fact, night.day, belief.id, belief.content)
    taken = {name: value for name, value in belief if name in Fact.model_fields}
    changed = {"id": new_id, "promoted_from": belief.id, "created": night.stamp, "version": 1}
    draft.put("active", Fact(**{**taken, **changed}), "promoted")
    evidence.retire(belief, "promoted", draft, night, superseded_by=new_id)


def _deny(belief: Belief, fact: Fact, draft: Draft, night: Night) -> None:
    """Take confidence from a belief that a fact speaks against; below the threshold it goes to the archive."""
    confidence = round(max(1 - MOST, belief.confidence - DENIED_BY), 4)
    changed = {"confidence": confidence, "updated": night.stamp, "version": belief.version + 1}
    weaker = belief.model_copy(update=changed)
    if confidence < ARCHIVED_BELOW:
        evidence.retire(weaker, "denied", draft, night, superseded_by=fact.id)
    else:
        draft.put("active", weaker, "doubted")
