"""A number of years that is another: how old somebody is."""

from __future__ import annotations

import re
from functools import cache

from memory_system import rules
from memory_system.phases.settling.retractions import persons
from memory_system.records import Fact
from memory_system.turns import Claim

_COUNTED = {  # the number of years, and nothing else
    "en": r"(?<![\d.:/-]){number}(?=[ -](?:years?|yrs?)\b)",
    "zh": r"(?<![\d.:/-]){number}(?=岁)",
}
_ANY = r"(?:\d+|[一二三四五六七八九十]+)"
_ARTICLE = re.compile(r"\ban?(?= $)")
_VOWEL = re.compile(r"8|11\b|18\b|eigh|eleven")  # an 8 year old


def is_numbered(named: dict[str, str], fact: Fact, _: Claim | Fact) -> bool:
    """Whether the fact gives the wrong number of years of the one who is named."""
    return renumbered(fact, named) != fact.content


def renumbered(fact: Fact, named: dict[str, str]) -> str:
    """What the fact tells, with the right number of years where it gives the wrong one, of that name and only there."""
    who, told = named["who"], fact.content
    places = list(re.finditer(_counted(named, fact.lang), told))
    name = re.search(rf"\b{re.escape(who)}\b" if fact.lang == "en" else re.escape(who), told) if who else None
    if name is None or len(places) != 1 or who.casefold() in persons.PRONOUNS:
        return told
    first, last = places[0].span()
    if first < name.end() or _between(fact.lang).search(told[name.end() : first]):
        return told
    return _ARTICLE.sub("an" if _VOWEL.match(named["to"]) else "a", told[:first]) + named["to"] + told[last:]


@cache
def _between(lang: str) -> re.Pattern[str]:
    """What may not stand between a name and its years."""
    kin = rules.table(lang, "parts")["kin_word"]
    return re.compile(rf"^'|[A-Z]|\b(?:{kin})\b(?! (?:called|named))" if lang == "en" else f"^的|和|跟|与|{kin}")


def revalued(fact: Fact, named: dict[str, str]) -> str:
    """The value of the fact with the right number of years."""
    if fact.value and fact.value == named["what"]:
        return named["to"]
    if not named["what"] and re.fullmatch(_ANY, fact.value):
        return named["to"]
    return re.sub(_counted(named, fact.lang), named["to"], fact.value, count=1)


def _counted(named: dict[str, str], lang: str) -> str:
    """A pattern for the number of years that is wrong; for any, where it is not said again."""
    return _COUNTED[lang].format(number=re.escape(named["what"]) if named["what"] else _ANY)
