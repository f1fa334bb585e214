"""What goes by several names: who is a teacher may be the dean, and the Kestrel design office is a design firm. A
second name is no change where nothing says that something changed, and where it comes soon after the first.
"""

from __future__ import annotations

import re
from datetime import timedelta

from memory_system import clock
from memory_system.records import Fact
from memory_system.slots import about
from memory_system.turns import Claim

_SOON = timedelta(days=60)
_KINDS = "公司|银行|医院|学校|工厂|机关|国企|外企|学院|大学|中学|小学|幼儿园|餐厅|饭店|酒店|事务所|研究所|单位|集团"
_ANY = re.compile(  # a workplace that is only called what it is
    rf"(?:一[家所个])?(?:设计|外贸|贸易|科技|互联网|软件|金融|保险|建筑|广告|物流|律师|会计|私立|公立|国有|外资|大|小)?(?:{_KINDS})"
    r"|(?:[a-z]+ )?(?:company|firm|agency|bank|hospital|school|factory|university|restaurant|hotel|office|shop|store)"
)


def goes_by_several(claim: Claim, fact: Fact) -> bool:
    """Whether both values of a slot that holds one may be true: what somebody does, and where if that is only called
    what it is."""
    if claim.attribute != fact.attribute:
        return False
    if about(claim.attribute).get("cued"):
        return clock.read_stamp(claim.said_at) - clock.read_stamp(fact.said_at) <= _SOON
    return claim.attribute == "works_at" and bool(_ANY.fullmatch(claim.value) or _ANY.fullmatch(fact.value))
