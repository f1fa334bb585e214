"""Phase 4a: claims that were stated meet the facts there are. Same slot and same value confirms; a single-valued slot
with a new value is superseded, the old value kept as history; slots of many values accumulate. Words alone never merge:
only the same content does, punctuation and case aside.

A fact of great importance gives way only to an explicit correction or to two independent sessions; until then both
stand. Claims are taken in the order in which they were said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from memory_system.attributes import about
from memory_system.phases import Night, evidence, matching, revising
from memory_system.phases.extract import MEDICATION, Captured
from memory_system.privacy.trust import is_owners, tier_of_evidence
from memory_system.records import ASSISTANT, QUOTE, USER, Fact, Past, memory_id
from memory_system.rules import table
from memory_system.store.draft import Draft
from memory_system.store.gist import gist_of
from memory_system.store.keys import content_key, slot_key, telling_key, value_key
from memory_system.store.store import Memories, facts_of, row_of
from memory_system.text import has_cjk
from memory_system.turns import Claim

NAMED = ("person", "animal", "project")
STEADFAST = 0.95  # importance from which one plain statement does not replace a fact
RETOLD = "retold"  # why a quote leaves for what tells its words
MOST_HISTORY = 50  # earlier values a fact names; those before them are still linked by `supersedes`


def run(
    claims: Iterable[Claim], captures: Iterable[Captured], memories: Memories, night: Night, tally: Counter[str]
) -> Draft:
    """The facts after the night's stated claims and captures."""
    draft = Draft(memories)
    written: dict[bool, list[Captured]] = {True: [], False: []}
    for each in captures:
        written[is_owners(each[0].evidence)].append(each)
    for capture, states in written[True]:
        fold_capture(capture, states, draft, night)
    for claim in claims:
        tally[settle(claim, draft, night)] += 1
    for capture, states in written[False]:  # after what was said: an agent writes down what it has just been told
        fold_capture(capture, states, draft, night)
    return draft


def known_names(memories: Memories) -> dict[str, str]:
    """The people, animals and projects that the user's slots name, by what later talk calls them."""
    attributes = [name for name, row in table("attributes", "attributes").items() if row.get("value_type") in NAMED]
    rows = (row_of(each, memories) for name in attributes for each in memories.find(slot_key(USER, name)))
    return {row["value"]: row["value"] for row in rows if row.get("value") and row.get("polarity", True)}


def known_takers(memories: Memories) -> dict[str, str]:
    """Who takes each medicine that some slot names, where only one does."""
    rows = (row_of(each, memories) for each in memories.find(telling_key(MEDICATION)))
    takes = [(row["value"].casefold(), row["subject"]) for row in rows if row.get("attribute") == MEDICATION]
    return {medicine: who for medicine, who in takes if all(other == who for one, other in takes if one == medicine)}


def settle(claim: Claim, draft: Draft, night: Night) -> str:
    """Put one claim to the facts; what became of it, as the accounting counts it."""
    new_id = memory_id(Fact, night.day, claim.origin, claim.content)
    if draft.knows(new_id):
        return "claims.rejected.already known"
    fact, same = evidence.new_fact(new_id, claim, night), _same(claim, draft)
    if same is not None:
        return _meet(same, fact, claim, draft, night)
    meant = revising.meant(claim, draft, night)
    fact = fact.model_copy(update={"doubts": tuple(each.id for each in meant.doubted)})
    if claim.form == QUOTE:
        draft.put("active", fact, "new")
        revising.outdate(meant, fact, claim, draft, night)
        return "claims.new"
    outcome = _settle_claim(fact, claim, meant.sure, draft, night)
    if draft.pool_of(new_id) == "active":
        revising.outdate(meant, fact, claim, draft, night)
        _tell_anew(claim.instead, fact, draft, night)
    return outcome


def _tell_anew(quotes: Iterable[str], fact: Fact, draft: Draft, night: Night) -> None:
    """The quotes that were kept before a late answer told their words leave for the fact that tells them."""
    for each in quotes:
        quote = draft.get(each)
        if quote is not None and draft.pool_of(each) == "active" and not quote.is_owners and not quote.pinned:
            evidence.retire(quote, RETOLD, draft, night, superseded_by=fact.id)


def _settle_claim(fact: Fact, claim: Claim, meant: Sequence[Fact], draft: Draft, night: Night) -> str:
    """Put a claim that says something new to what cannot be true beside it, and what it changes by its words."""
    known = [each for each in _rivals(claim, draft) if not revising.has_happened(each, claim, night)]
    known += [each for each in meant if each.slot == fact.slot and each not in known]
    rivals = [each for each in known if evidence.counts_beside(claim, each)]
    if (like := matching.same_in_slot(claim, rivals, night.config.thresholds.alike)) is not None:
        if nothing := evidence.proves_nothing(claim, like):
            return nothing
        outcome = _confirm(evidence.fuller(like, claim), claim, draft, night)
        return "claims.merged" if outcome == "claims.confirmed" else outcome
    if rivals:
        return _contend(fact, rivals, draft, night, revises=bool(claim.change))
    draft.put("active", fact, "new")
    return "claims.new"


def _contend(fact: Fact, rivals: list[Fact], draft: Draft, night: Night, *, revises: bool) -> str:
    """What becomes of a fact that cannot be true beside its rivals: it takes their place, stands beside those that do
    not give way, or goes straight to the archive because a later word is known. `revises`: it says itself that
    something was otherwise."""
    newest = max(rivals, key=_last_said)
    if _last_said(newest) > fact.said_at:
        return _file_as_history(fact, newest, draft)
    movable = [rival for rival in rivals if not rival.is_owners]  # the owner's word stands until the owner decides
    if movable and (revises or not any(_holds_out(rival, fact) for rival in movable)):
        supersede(movable, fact, draft, night)
        return "claims.superseding"
    draft.put("active", fact, "new")  # both stand until the owner or a second session decides
    return "claims.new"


def _meet(known: Fact, fact: Fact, claim: Claim, draft: Draft, night: Night) -> str:
    """What becomes of a claim that says what is known: nothing, or it takes the place of a lesser word, or joins it."""
    if nothing := evidence.proves_nothing(claim, known):
        return nothing
    if evidence.outranks(claim, known):
        return evidence.take_place(known, fact, draft, night)
    return _confirm(known, claim, draft, night)


def is_single(attribute: str) -> bool:
    """Whether the attribute holds one value at a time."""
    return bool(about(attribute).get("single"))


def _same(claim: Claim, draft: Draft) -> Fact | None:
    """The active fact that says what the claim says: of a slot the same value, or in the same words what only somebody
    else has written down, which fills none."""
    alike = facts_of(draft.find(content_key(claim.content)), draft)
    if claim.attribute:
        found = facts_of(draft.find(value_key(claim.subject, claim.attribute, claim.value)), draft)
        found = [each for each in found if each.polarity == claim.polarity and _is_one_occasion(claim, each)]
        found += [each for each in alike if not each.attribute and evidence.outranks(claim, each)]
    else:
        found = [each for each in alike if each.subject == claim.subject]
    return found[0] if found else None


def _is_one_occasion(claim: Claim, fact: Fact) -> bool:
    """Whether what happens at a time is said of the same time: the next dentist is another one."""
    if not revising.is_occasion(claim.attribute) or claim.event_time is None or fact.event_time is None:
        return True
    return claim.event_time.start == fact.event_time.start


def _rivals(claim: Claim, draft: Draft) -> list[Fact]:
    """The active facts that cannot be true beside the claim: another value of a single-valued slot, the same value with
    the other polarity, or in the opposite slot (likes and dislikes)."""
    if not claim.attribute:
        return []
    opposite = []
    for attribute in filter(None, (claim.attribute, about(claim.attribute).get("opposite"))):
        opposite += facts_of(draft.find(value_key(claim.subject, attribute, claim.value)), draft)
    others = facts_of(draft.find(slot_key(claim.subject, claim.attribute)), draft) if is_single(claim.attribute) else []
    if not claim.polarity:  # who is no nurse any more may well be a teacher
        others = [each for each in others if _is_part(claim.value, each.value) or _is_part(each.value, claim.value)]
        others += facts_of(draft.find(slot_key(claim.subject, _detail(claim.attribute, claim.value))), draft)
    return list({each.id: each for each in (*opposite, *others)}.values())


def _detail(attribute: str, value: str) -> str:
    """The slot that says more of a value: dose.insulin of medication; empty where there is none."""
    name = about(attribute).get("detail", "")
    return f"{name}.{value.casefold()}" if name else ""


def _is_part(value: str, of: str) -> bool:
    """Whether a value is named by words of the other: "Mary's clinic" of "St Mary's rehab clinic in Leeds"."""
    if has_cjk(value):
        return value in of
    words = set(gist_of(value).words)
    return bool(words) and words <= set(gist_of(of).words)


def _holds_out(rival: Fact, fact: Fact) -> bool:
    """Whether the rival is too important for what only one session says; what the assistant is, its owner says last.
    It does not hold out against who says of the same value that it is so no more, or again."""
    if rival.polarity != fact.polarity and rival.attribute == fact.attribute:
        return False
    changing = fact.subject == ASSISTANT or bool(about(fact.attribute).get("changing"))
    changing = changing and rival.attribute in (fact.attribute, _detail(fact.attribute, fact.value))
    return rival.importance >= STEADFAST and len(evidence.sessions_of(fact)) < 2 and not changing


def _last_said(rival: Fact) -> str:
    """When the rival was said; what the owner has set was said when it was set."""
    return max(rival.said_at, rival.last_confirmed or "") if rival.is_owners else rival.said_at


def _confirm(fact: Fact, claim: Claim, draft: Draft, night: Night) -> str:
    if claim.ref in {each.ref for each in fact.evidence}:
        return "claims.rejected.already known"
    confirmed = revising.standing_again(evidence.with_evidence(fact, claim, night), claim, draft)
    draft.put("active", confirmed, "confirmed")
    rivals = [each for each in _rivals(claim, draft) if each.id != fact.id and not each.is_owners]
    if rivals and len(evidence.sessions_of(confirmed)) > 1:  # the second session that decides a conflict
        supersede(rivals, confirmed, draft, night)
    return "claims.confirmed"


def supersede(rivals: list[Fact], fact: Fact, draft: Draft, night: Night) -> None:
    """The fact takes the rivals' place: they go to the archive, their values into its history, last the one of its own
    slot (or the opposite): a new job comes after the job before, whatever else has ended with that."""
    own = (fact.attribute, about(fact.attribute).get("opposite"))
    rivals = sorted(rivals, key=lambda rival: (rival.attribute in own, rival.said_at))
    past = (_past(each, evidence.valid_to(each, fact)) for each in rivals)
    history = (*(each for rival in rivals for each in rival.history), *past)[-MOST_HISTORY:]
    why = "confirmed" if draft.pool_of(fact.id) == "active" else "new"
    draft.put("active", fact.model_copy(update={"history": history, "supersedes": rivals[-1].id}), why)
    for rival in rivals:
        until = evidence.valid_to(rival, fact)
        evidence.retire(rival, "superseded", draft, night, superseded_by=fact.id, valid_to=until)
        revising.mark_likely(revising.told_beside(rival, fact.said_at, draft), fact, draft, night)


def _past(fact: Fact, until: str) -> Past:
    return Past(value=fact.value, content=fact.content, until=until, id=fact.id)


def _file_as_history(fact: Fact, newest: Fact, draft: Draft) -> str:
    """A value that was replaced before we read of it goes straight to the archive."""
    until = evidence.valid_to(fact, newest)
    history = tuple(sorted((*newest.history, _past(fact, until)), key=lambda each: each.until))[-MOST_HISTORY:]
    draft.put("active", newest.model_copy(update={"history": history, "version": newest.version + 1}), "history")
    changed = {"retired": "superseded", "superseded_by": newest.id, "valid_to": until}
    draft.put("archive", fact.model_copy(update=changed), "superseded")
    return "claims.superseding"


def fold_capture(capture: Fact, states: list[Claim], draft: Draft, night: Night) -> None:
    """A capture becomes a memory under the id it was given, in the slot it fills, and what `states` ends is over. When
    the same is known already, that one is confirmed (by words that count as much) and the capture goes to the archive,
    where its id still leads to it; a lesser word gives way to it."""
    if draft.pool_of(capture.id):
        return
    scored = _in_its_slot(capture.model_copy(update={"scored_at": night.stamp}), states, night)
    known = _known(capture, states, draft, night)
    if known is None:
        _stand(scored, states, draft, night)
        return
    tier = tier_of_evidence(capture.evidence)
    if evidence.gives_way(known, tier):
        evidence.take_place(known, scored, draft, night)
        return
    if tier >= tier_of_evidence(known.evidence):
        _confirm_by_hand(capture, known, states, draft, night)
    draft.put("archive", scored.model_copy(update={"retired": "merged", "superseded_by": known.id}), "merged")


def _confirm_by_hand(capture: Fact, known: Fact, states: list[Claim], draft: Draft, night: Night) -> None:
    """The owner says that it is so: what cannot be true beside it gives way."""
    confirmed = _joined_by(capture, known, night)
    draft.put("active", confirmed, "confirmed")
    rivals = _rivals_of(states, draft)
    if movable := [each for each in rivals if each.id != known.id and not each.is_owners]:
        supersede(movable, confirmed, draft, night)


def _known(capture: Fact, states: list[Claim], draft: Draft, night: Night) -> Fact | None:
    """The memory that says what the capture says."""
    found = (draft.get(each) for each in draft.find(content_key(capture.content)))
    known = next((each for each in found if type(each) is type(capture)), None)
    known = known or matching.find(capture, type(capture), draft, night.config.thresholds.alike)
    if known is None and _says_no_more(capture, states) and is_single(states[0].attribute):
        return _same(states[0], draft)
    return known


def _stand(capture: Fact, states: Iterable[Claim], draft: Draft, night: Night) -> None:
    """Put the capture to what it cannot be true beside."""
    if rivals := _rivals_of(states, draft):
        _contend(capture, rivals, draft, night, revises=any(each.change for each in states))
    else:
        draft.put("active", capture, "new")


def _rivals_of(states: Iterable[Claim], draft: Draft) -> list[Fact]:
    """What cannot be true beside one of the claims, and counts no more."""
    found = {each.id: each for claim in states for each in _rivals(claim, draft) if evidence.counts_beside(claim, each)}
    return list(found.values())


def _joined_by(capture: Fact, known: Fact, night: Night) -> Fact:
    """The memory that says the same, with the words of the capture and the higher importance, unless that was set."""
    importance = known.importance if "importance" in known.edited else max(known.importance, capture.importance)
    proof = evidence.fewer((*known.evidence, *capture.evidence))
    changed = {"evidence": proof, "importance": importance, "updated": night.stamp, "version": known.version + 1}
    return known.model_copy(update=changed | evidence.rescored(known, night))


def _in_its_slot(capture: Fact, claims: Iterable[Claim], night: Night) -> Fact:
    """The capture in the first slot that it fills, but for what would run out (an appointment): it is to be kept."""
    lasting = (each for each in claims if each.category not in vars(night.config.expiry))
    slot = next((each for each in lasting if each.attribute), None)
    if slot is None or capture.attribute:
        return capture
    names = ("category", "subject", "attribute", "value", "polarity", "event_time")
    others = (each for each in (slot.subject,) if each != USER and each not in capture.entities)
    changed = {name: getattr(slot, name) for name in names} | {"entities": (*capture.entities, *others)}
    return capture.model_copy(update=changed)


def _says_no_more(capture: Fact, claims: list[Claim]) -> bool:
    """Whether the capture says its slot and nothing beside it."""
    if len(claims) != 1 or not claims[0].attribute:
        return False
    return content_key(claims[0].quote) == content_key(capture.content)
