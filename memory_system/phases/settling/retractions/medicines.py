"""A medicine that was exchanged for another."""

from __future__ import annotations

import re

from memory_system import rules
from memory_system.phases.settling.retractions import persons
from memory_system.records import USER, Fact
from memory_system.turns import Claim

_MY_MEDICINE = re.compile("(?:我|们|的|药|给|把|将|从|也|又|已经|今天|昨天|上周|上个?月|最近|建议|让|，|,)*")


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


def _is_medicine(what: str, lang: str) -> bool:
    """Whether the rules know it for a medicine."""
    said = f"I take {what.casefold()}" if lang == "en" else f"我吃{what}"
    return any(rule.data["attribute"] == "medication" for rule in rules.load(lang)["claim"].firing(said))
