"""What goes by several names: who is a teacher may be the dean, and the Kestrel design office is a design firm. A
second name is no change where nothing says that something changed, and where it comes soon after the first.
"""

from __future__ import annotations

from datetime import timedelta

from memory_system import clock, rules
from memory_system.attributes import about
from memory_system.records import Fact
from memory_system.turns import Claim

_SOON = timedelta(days=60)


def goes_by_several(claim: Claim, fact: Fact) -> bool:
    """Whether both values of a slot that holds one may be true: what somebody does, and where if that is only called
    what it is."""
    if claim.attribute != fact.attribute:
        return False
    if about(claim.attribute).get("cued"):
        return clock.read_stamp(claim.said_at) - clock.read_stamp(fact.said_at) <= _SOON
    workplace = rules.load("alike")["workplace"]
    return claim.attribute == "works_at" and (workplace.fires(claim.value) or workplace.fires(fact.value))
