"""What is denied: that somebody is, has or does something."""

from __future__ import annotations

import re

from memory_system.phases.settling.retractions import persons
from memory_system.records import USER, Fact
from memory_system.turns import Claim

_NOT = re.compile(r"(?:\bnot?\b|n't\b|\bnever\b)[^,.;]*$", re.IGNORECASE)
_EN_IS = (  # what says of somebody that they are or have what comes next
    r"(?:^|[,.;:] |\b(?:and|but|that|because|so|says) |\bUser's \w+ ){who}"
    r"(?:'s)? (?:is|am|was|has|have|had|takes?|with|got|be)"
    r"(?: (?:an?|the|got|been|probably|maybe|just|mild|slight|severe))* $"
)
_ZH_IS = "{who}(?:也|都|还|就|一直|现在|可能|其实|好像|从小)*(?:是|有|得了?|患有?|确诊了?|查出了?)?$"
_ADVERBS = re.compile(
    "^(?:其实|原来|查出来|医生说|大夫说|结果|后来|但是?|不过|所以|反正|幸好|幸亏)+|(?:其实|并|根本|也|都|还|就|真的?)+$"
)


def is_denied(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact says of the very one who is spoken of that they are, have or do what is denied."""
    what, quote = persons.bare(named["what"]), persons.words_of(claim)
    who = _ADVERBS.sub("", _ADVERBS.sub("", named["who"])) if fact.lang == "zh" else named["who"]
    low = who.casefold()
    if low in persons.MANY or claim.subject not in (fact.subject, USER) or persons.says_another(quote, fact.lang):
        return False
    if low in persons.FIRST and fact.subject != claim.subject:
        return False
    if low in persons.NOBODY | persons.HE | persons.SHE and not persons.may_be_of(fact, quote, low):
        return False
    person, whole = _spoken_of(who, fact)
    if whole and fact.attribute and fact.value.casefold() == what.casefold():
        return True
    return any(
        _says(fact, fact.content[: found.start()], person)
        for found in re.finditer(rf"{re.escape(what)}(?![a-z])", fact.content, re.IGNORECASE)
    )


def _spoken_of(who: str, fact: Fact) -> tuple[str, bool]:
    """A pattern for how the fact calls the one who is spoken of, and whether that is the one it is about."""
    low, user = who.casefold(), persons.SHOWN[fact.lang]
    if low in persons.FIRST:
        return re.escape(user if fact.subject == USER else fact.subject), True
    if low in persons.NOBODY:
        return persons.somebody(fact), True
    if low in persons.HE | persons.SHE:
        return rf"(?!{user}(?!'|的)){persons.somebody(fact)}", fact.subject != USER
    shown = persons.as_told(who, fact.lang)
    return re.escape(shown), fact.subject == shown


def _says(fact: Fact, before: str, person: str) -> bool:
    """Whether the words of the fact, as far as they go, are about to say what that person is or has."""
    if fact.lang == "zh":
        return bool(re.search(rf"(?:^|[，,；;。]|说){_ZH_IS.format(who=person)}", before))
    return bool(re.search(_EN_IS.format(who=person), before, re.IGNORECASE)) and not _NOT.search(before)
