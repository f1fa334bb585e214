"""A move that was only thought of, and a home that bears it out: who might move to Lisbon lives there now. A plan for a
home is no home, and denies none, so it fills no slot by which the two would meet.
"""

from __future__ import annotations

import re

from memory_system import rules
from memory_system.gist import gist_of
from memory_system.records import Belief, Fact
from memory_system.trust import tier_of_evidence

HOME = "lives_in"


def was_supposed(home: Fact, belief: Belief) -> bool:
    """Whether the belief is that whose home it is would move there; a better word is not borne out by a lesser one."""
    if belief.attribute == HOME or belief.subject != home.subject or belief.said_at >= home.said_at:
        return False
    if tier_of_evidence(home.evidence) < tier_of_evidence(belief.evidence):
        return False
    named = bool(home.value) and set(gist_of(home.value).words) <= set(gist_of(belief.content).words)
    return named and _is_to_come(belief.content)


def _is_to_come(told: str) -> bool:
    """Whether the sentence speaks of a move, and does not deny it (`unless`)."""
    found = rules.load("alike")["to_move"].firing(told)
    return any(not re.search(str(rule.data["unless"]), told, re.IGNORECASE) for rule in found)
