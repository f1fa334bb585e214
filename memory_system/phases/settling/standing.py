"""How much words count beside those that a memory stands on: who repeats it proves nothing, and a lesser word neither
confirms nor replaces it.
"""

from __future__ import annotations

from memory_system.privacy.trust import echoes, tier_of, tier_of_evidence
from memory_system.records import Fact
from memory_system.turns import Claim

LESS_TRUSTED = "claims.rejected.less trusted"  # than what says the same already
ECHO = "claims.rejected.echo"  # of what a memory says already


def proves_nothing(claim: Claim, memory: Fact) -> str:
    """Why a claim neither confirms nor adds to the memory that says the same; empty where it does."""
    if is_echo(claim, memory):
        return ECHO
    return "" if counts_beside(claim, memory) else LESS_TRUSTED


def is_echo(claim: Claim, memory: Fact) -> bool:
    """Whether a note or an assistant only repeats what a memory said before: agents read their memories aloud, and
    write them down again. That proves nothing anew."""
    if claim.role == "user" or claim.trust == "person" or claim.said_at < memory.created:
        return False
    return echoes(claim.quote, memory.content)


def counts_beside(claim: Claim, fact: Fact) -> bool:
    """Whether the claim's words count as much as those that the fact stands on: others neither confirm nor replace it,
    so that no memory is trusted less for what somebody else has said."""
    return tier_of(claim.trust or claim.role) >= tier_of_evidence(fact.evidence)


def outranks(claim: Claim, fact: Fact) -> bool:
    """Whether the fact gives way to the claim's words."""
    return gives_way(fact, tier_of(claim.trust or claim.role))


def gives_way(fact: Fact, tier: int) -> bool:
    """Whether words of that tier count more than those that the fact stands on: added to them, they would count less. A
    fact that the owner has set anything of stays."""
    return not fact.edited and tier > tier_of_evidence(fact.evidence)
