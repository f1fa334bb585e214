"""A move that was only thought of or planned, and a home that bears it out: who might move to Lisbon lives there now;
so with a new job. A plan for a home is no home, and denies none, so it fills no slot by which the two would meet.
"""

from __future__ import annotations

import re

from memory_system import rules
from memory_system.attributes import EMPLOYER
from memory_system.privacy.trust import tier_of_evidence
from memory_system.records import Belief, Fact
from memory_system.store.gist import gist_of
from memory_system.store.keys import slot_key
from memory_system.store.store import Memories, facts_of
from memory_system.turns import Claim

HOME, PLAN = "lives_in", "plan"
_AHEAD = {HOME: "to_move", EMPLOYER: "to_start"}  # rules for what of the slot is still to come
_MOST = 6  # memories with such a word that are looked at, newest first


def fulfilled(claim: Claim, memories: Memories) -> list[Fact]:
    """The plans that the claim tells to have come true: to move where somebody lives now, to start where they work."""
    words = gist_of(claim.value).words
    if claim.attribute not in _AHEAD or not claim.polarity or claim.modality != "stated" or not words:
        return []
    found = memories.find_alike(dict.fromkeys(words))
    ids = dict.fromkeys(each for _, near in found.values() for each in near[-_MOST:])
    earlier = (each for each in map(memories.get, ids) if type(each) is Fact and each.said_at < claim.said_at)
    return [each for each in earlier if _was_planned(each, claim)]


def given_up(claim: Claim, memories: Memories) -> list[Fact]:
    """The one plan to go away, from a home or from work, of somebody who stays; none where there are several."""
    plans = facts_of(memories.find(slot_key(claim.subject, PLAN)), memories)
    away = [
        each
        for each in plans
        if each.polarity
        and each.said_at < claim.said_at
        and (_is_to_come(each.content) or rules.load("alike")["to_leave"].fires(each.content))
    ]
    return away if len(away) == 1 else []


def _was_planned(plan: Fact, claim: Claim) -> bool:
    if plan.subject != claim.subject or not plan.polarity or plan.attribute not in ("", PLAN):
        return False
    ahead = plan.category == "schedule" or plan.attribute == PLAN
    named = set(gist_of(claim.value).words) <= set(gist_of(plan.content).words)
    return ahead and named and _is_to_come(plan.content, _AHEAD[claim.attribute])


def was_supposed(home: Fact, belief: Belief) -> bool:
    """Whether the belief is that whose home it is would move there; a better word is not borne out by a lesser one."""
    if belief.attribute == HOME or belief.subject != home.subject or belief.said_at >= home.said_at:
        return False
    if tier_of_evidence(home.evidence) < tier_of_evidence(belief.evidence):
        return False
    named = bool(home.value) and set(gist_of(home.value).words) <= set(gist_of(belief.content).words)
    return named and _is_to_come(belief.content)


def _is_to_come(told: str, what: str = "to_move") -> bool:
    """Whether the sentence speaks of a move (or a new job), and does not deny it (`unless`)."""
    found = rules.load("alike")[what].firing(told)
    return any(not re.search(str(rule.data["unless"]), told, re.IGNORECASE) for rule in found)
