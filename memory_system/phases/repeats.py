"""Words that say again what stands elsewhere: no memory is told twice in the snapshot, and a value in whose place
another stands not by the words that it was read out of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from memory_system.phases.segment import width
from memory_system.records import QUOTE, STATEMENT, Fact
from memory_system.store.gist import gist_of

MOST_UNTOLD = 12  # columns of a quote's words that claims may leave untold and still say what it says


def repeated(records: Iterable[Fact], replaced: Iterable[Fact], plans: Collection[str]) -> set[str]:
    """The ids of the memories of whose words claims among them tell all, of those that tell a value in whose place
    another stands (`replaced` are the claims that gave way), and of plans (attributes) of which a quote says more."""
    records = list(records)
    telling, gone = _by_ref(each for each in records if each.attribute), _by_ref(replaced)
    plain = [each for each in records if not each.attribute and each.form != STATEMENT]
    again = {each.id for each in plain if _tells_again(each, telling) or _shared(each, gone)}
    quoted = [each for each in plain if each.form == QUOTE and each.id not in again]
    return again | {
        claim.id
        for quote in quoted
        for claim in _shared(quote, telling)
        if claim.attribute in plans and claim.event_time == quote.event_time
    }


def _by_ref(claims: Iterable[Fact]) -> Mapping[str, list[Fact]]:
    """The claims by the messages they stand on."""
    found: dict[str, list[Fact]] = defaultdict(list)
    for claim in claims:
        for ref in {each.ref for each in claim.evidence}:
            found[ref].append(claim)
    return found


def _shared(record: Fact, claims: Mapping[str, list[Fact]]) -> list[Fact]:
    """The claims that were read out of the memory's own words."""
    if not record.evidence:
        return []
    ref, words = record.evidence[0].ref, record.evidence[0].quote
    return [
        claim
        for claim in claims.get(ref, ())
        if any(
            each.ref == ref and each.quote and (each.quote in words or words in each.quote) for each in claim.evidence
        )
    ]


def _tells_again(record: Fact, claims: Mapping[str, list[Fact]]) -> bool:
    """Whether claims of the same words say all that the memory says, or an earlier version has told them twice."""
    telling = _shared(record, claims)
    if record.form != QUOTE:
        return any(each.quote == record.evidence[0].quote for claim in telling for each in claim.evidence)
    return bool(telling) and _untold(record, telling) <= MOST_UNTOLD


def _untold(record: Fact, claims: Iterable[Fact]) -> int:
    """The columns that those words of a quote take which stand in none of the claims."""
    told = {word for claim in claims for word in gist_of(claim.content).words}
    return sum(width(word) for word in gist_of(record.evidence[0].quote).words if word not in told)
