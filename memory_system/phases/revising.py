"""What becomes outdated. Words that correct, move, cancel or end something make the older memory of the same thing
outdated: it leaves the snapshot and stands behind the newer one, with which it is shown. Where it is not certain which
one is meant, all stand.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from memory_system.phases import Night
from memory_system.records import QUOTE, Fact, kind_of
from memory_system.store.draft import Draft
from memory_system.store.gist import gist_of, is_time
from memory_system.turns import Claim

RARE = 8  # memories that may have a word by which what is meant is found
SHARED = 2  # such words that both must have, unless a single one is held by nothing else
LASTING = frozenset({"identity"})  # who somebody is: only a claim changes it
# Why an older memory is outdated, by what the newer one does to it.
CHANGED = {"corrects": "corrected", "moves": "moved", "cancels": "cancelled", "ends": "ended"}
OUTDATING = frozenset(CHANGED.values())


def outdate(claim: Claim, fact: Fact, draft: Draft, night: Night) -> None:
    """Mark the memory that the claim's words make outdated, if it is certain which one that is."""
    if not claim.change:
        return
    found = list(_meant(claim, draft))
    if len(found) == 1:
        older = found[0]
        changed = {"outdated_by": fact.id, "updated": night.stamp, "version": older.version + 1}
        draft.put("active", older.model_copy(update=changed), CHANGED[claim.change])


def _meant(claim: Claim, draft: Draft) -> Iterator[Fact]:
    """The older memories that share most of the rarest words with the claim."""
    shared = _sharing(claim, draft)
    best = max(shared.values(), default=0.0)
    for memory_id in sorted(each for each, weight in shared.items() if weight == best):
        record = draft.get(memory_id)
        if record is not None and _can_be_outdated(record, claim):
            yield record


def _sharing(claim: Claim, draft: Draft) -> dict[str, float]:
    """Active memories by how much of the claim's rare words they have: the rarer a word, the more it counts."""
    words = [each for each in dict.fromkeys(gist_of(claim.quote).words) if not is_time(each)]
    shared: dict[str, float] = defaultdict(float)
    counts: Counter[str] = Counter()
    for count, ids in draft.find_alike(words).values():
        if count <= RARE:
            for each in ids:
                shared[each] += 1 / count
                counts[each] += 1
    alone = {each for each, weight in shared.items() if counts[each] < SHARED and weight < 1}
    return {each: weight for each, weight in shared.items() if each not in alone}


def _can_be_outdated(record: Fact, claim: Claim) -> bool:
    """Whether the memory is such as the claim's change can put an end to."""
    if type(record) is not kind_of(record.id) or record.is_owners or record.outdated_by or record.pinned:
        return False
    if record.said_at >= claim.said_at or claim.ref in {each.ref for each in record.evidence}:
        return False
    if record.subject != claim.subject or record.category in LASTING:
        return False
    return record.form == QUOTE or record.category in ("schedule", "reminder", "todo", "plan", "event")
