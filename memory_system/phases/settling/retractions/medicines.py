"""A medicine that was exchanged for another."""

from __future__ import annotations

import re

from memory_system import rules
from memory_system.phases.settling.retractions import persons
from memory_system.records import USER, Fact
from memory_system.store.keys import slot_key
from memory_system.store.store import Memories, facts_of
from memory_system.turns import Claim

_MY_MEDICINE = re.compile("(?:我|们|的|药|给|把|将|从|也|又|已经|今天|昨天|上周|上个?月|最近|建议|让|，|,)*")

_WITH_OTHERS = re.compile(r"\b(?:and|plus|with)\b|[,&、，和跟]|还有")


def is_exchanged(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact tells that the same one takes the medicine that was exchanged for another."""
    what, quote = persons.bare(named["what"]).casefold(), persons.words_of(claim)
    if fact.attribute != "medication" or not what:
        return False
    if not re.search(rf"(?<![a-z]){re.escape(what)}(?![a-z])", fact.value.casefold()):
        return False
    if not (_is_medicine(what, fact.lang) and _is_medicine(named["to"], fact.lang)):
        return False
    plain = persons.DOCTORS.sub("", quote)
    others = persons.others_in(fact.lang).findall(plain)
    if fact.subject == USER:
        before = plain.casefold().partition(what)[0]
        mine = persons.MINE.search(plain) if fact.lang == "en" else _MY_MEDICINE.fullmatch(before)
        return mine is not None and not others and persons.may_be_of(fact, quote)
    return (bool(others) or fact.subject in quote) and persons.may_be_of(fact, quote)


def only_other(claim: Claim, memories: Memories) -> Fact | None:
    """The one medicine of the same kind that the same one takes, and which that of the claim takes the place of; none
    where the kind is not known, or several are of it: then nobody knows which is over; and none that is told with
    others in one breath."""
    kinds = _kinds(claim.value)
    if claim.attribute != "medication" or not claim.polarity or not kinds:
        return None
    taken = facts_of(memories.find(slot_key(claim.subject, claim.attribute)), memories)
    others = [each for each in taken if each.polarity and each.said_at < claim.said_at and each.value != claim.value]
    same = [each for each in others if kinds & _kinds(each.value)]
    alone = len(same) == 1 and not _WITH_OTHERS.search(same[0].content)
    return same[0] if alone else None


def _kinds(value: str) -> set[str]:
    return {rule.id for rule in rules.load("alike")["remedy"].firing(value.casefold())}


def _is_medicine(what: str, lang: str) -> bool:
    """Whether the rules know it for a medicine."""
    said = f"I take {what.casefold()}" if lang == "en" else f"我吃{what}"
    return any(rule.data["attribute"] == "medication" for rule in rules.load(lang)["claim"].firing(said))
