"""What took the place of another without any slot that tells: a thing of one's own that was swapped for a new one, a
medicine of the same kind that is not named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memory_system import rules
from memory_system.phases.settling.alike import same_subject
from memory_system.phases.settling.retractions import medicines
from memory_system.records import Fact
from memory_system.rules import Rule
from memory_system.store.gist import gist_of
from memory_system.store.store import Memories
from memory_system.turns import Claim

PUT_ON, SWAPPED = "put_on", "swapped"
CUES = frozenset({PUT_ON, SWAPPED})
_HELD = frozenset({"", "device", "owns", "vehicle", "uses_tool"})  # slots of what somebody has
_MOST = 12  # memories with such a word that are looked at, newest first


def over(rule: Rule, claim: Claim, memories: Memories) -> Iterator[Fact]:
    """What is over with the claim by the rule, unless its words are such that the older stays (`unless`)."""
    if claim.modality != "stated" or re.search(str(rule.data.get("unless", "$^")), claim.heard, re.IGNORECASE):
        return
    if rule.data["cue"] == PUT_ON:
        yield from filter(None, [medicines.only_other(claim, memories)])
        return
    gone = gist_of(next(rule.found(claim.heard)).parts["gone"]).words
    found = memories.find_alike(dict.fromkeys(gone))
    ids = dict.fromkeys(each for _, near in found.values() for each in near[-_MOST:])
    earlier = (each for each in map(memories.get, ids) if type(each) is Fact and each.said_at < claim.said_at)
    yield from (each for each in earlier if same_subject(claim, each) and _is_of(set(gone), each))


def _is_of(gone: set[str], fact: Fact) -> bool:
    """Whether the fact says that somebody has what is gone, and nothing else."""
    if not gone or not fact.polarity or fact.attribute.partition(".")[0] not in _HELD:
        return False
    said = set(gist_of(fact.value or fact.content).words)
    beside = {word for word in said - gone if not re.fullmatch(r"[\d.]+", word)}
    return gone <= said and beside <= _holding(fact.lang)


@cache
def _holding(lang: str) -> frozenset[str]:
    """Words by which somebody says that they have a thing."""
    return frozenset(word for said in rules.table("alike", lang)["holding"] for word in gist_of(said).words)
