"""Who was to come on a day ahead, and does not."""

from __future__ import annotations

import re

from memory_system.phases.settling.retractions import persons
from memory_system.records import Fact
from memory_system.turns import Claim

_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:this|next|on) \w+)\b"
    "|[今明后昨]天|今晚|明晚|[这下]周|周[一二三四五六日末]|月"
)
_COMES = {
    "en": re.compile(
        r"\b(?:comes?|coming|visit\w*|join\w*|arriv\w+|stay\w*|drop\w* (?:in|by)|starts?|starting|moving in|over for)"
        r"\b"
    ),
    "zh": re.compile("来|到访|拜访|过来|抵达|试工|入职|上班|住"),
}


def is_coming(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact tells that the one who is named comes on a day that was still ahead, and no other day is spoken
    of."""
    when, other, who = fact.event_time, claim.event_time, persons.bare(named["what"])
    if when is None or when.end <= claim.said_at[:10] or not who:
        return False
    if other is None and _DAY.search(persons.words_of(claim)):
        return False
    if other is not None and (other.end <= when.start or when.end <= other.start):
        return False
    name = rf"\b{re.escape(who)}\b(?!'(?!s \w+ing))" if fact.lang == "en" else rf"{re.escape(who)}(?!的)"
    found = re.search(name, fact.content, re.IGNORECASE)
    return found is not None and bool(_COMES[fact.lang].search(fact.content, found.end()))
