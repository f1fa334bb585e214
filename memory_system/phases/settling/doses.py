"""Doses: a newer one of the same medicine takes the place of the one before."""

from __future__ import annotations

from memory_system import rules
from memory_system.phases.settling.fitting import quote_of
from memory_system.records import Fact
from memory_system.turns import Claim


def redosed(claim: Claim, fact: Fact) -> bool:
    """Whether the claim gives another dose of the same medicine, which takes the place of the one before; one for
    another time of the day stands beside it."""
    if claim.attribute != "medication" or claim.said_at <= fact.said_at or fact.is_owners:
        return False
    new, old = _doses(claim.content), _doses(fact.content)
    when, whenever = _times(claim.quote), _times(quote_of(fact))
    if when and whenever and when.isdisjoint(whenever):
        return False
    return bool(new and old) and new.isdisjoint(old)


def _doses(words: str) -> set[tuple[str, str]]:
    """The amounts in the words, each with its unit."""
    return {(found.parts["number"], found.parts["unit"].lower()) for found in rules.load("alike")["dose"].found(words)}


def _times(words: str) -> set[str]:
    """The times of the day in the words."""
    return {found.parts["when"].lower() for found in rules.load("alike")["taken_at"].found(words)}
