"""How the assistant should answer: a wish ends an earlier one that cannot be had beside it ("answer in more detail"
ends "keep it short"), as long as both hold for all answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memory_system import rules, text
from memory_system.privacy.trust import is_owners
from memory_system.records import USER, Fact
from memory_system.store.keys import slot_key
from memory_system.store.store import Memories, facts_of
from memory_system.turns import Claim

WISH = "instruction"  # the attribute of a wish to the assistant

_GENERAL = "general"
_CLAUSE = re.compile(r"[,.;!?，。；！？、]| and | but |但是?|不过")
_OF_ANSWERS = re.compile(r"\b(?:answer|answers|reply|replies|respond|responses?)\b|回答|回复|答复", re.IGNORECASE)
_LANGUAGES = ("en", "zh")

Ways = dict[int, bool]  # by the number of a matter, which of its two ways is wanted


def as_wish(capture: Fact) -> Fact:
    """The capture; as a wish to the assistant where the owner puts it as one ("From now on answer in French"), from its
    beginning and about how to answer: what Ana said of flowers is no wish to the assistant."""
    if capture.category != _GENERAL or not is_owners(capture.evidence) or type(capture) is not Fact:
        return capture
    told = text.straight(capture.content)
    fired = (rule for rule in rules.load(capture.lang)["claim"].firing(told) if rule.data["attribute"] == WISH)
    begins = any(not told[: found.span[0]].strip() for rule in fired for found in rule.found(told))
    if not begins or not (_OF_ANSWERS.search(told) or ways(told, capture.lang)):
        return capture
    return capture.model_copy(update={"category": WISH, "attribute": WISH, "value": capture.content})


def outdated(wish: Claim | Fact, memories: Memories) -> Iterator[Fact]:
    """The older wishes to the assistant that want the opposite in the same matter."""
    wanted = ways(wish.content, wish.lang) if wish.attribute == WISH and wish.subject == USER else {}
    for fact in facts_of(memories.find(slot_key(USER, WISH)), memories) if wanted else ():
        if fact.said_at < wish.said_at and fact.polarity and fact.id != getattr(wish, "id", ""):
            theirs = ways(fact.content, fact.lang)
            if any(wanted.get(matter, way) != way for matter, way in theirs.items()):
                yield fact


def ways(content: str, lang: str) -> Ways:
    """How answers are wished for; empty where the wish holds for an occasion only. A matter in which both ways are
    named is left out."""
    if lang not in _LANGUAGES or _pattern(lang, "occasion").search(content):
        return {}
    found: dict[int, set[bool]] = {}
    for clause in _CLAUSE.split(content):
        if not _pattern(lang, "overstyled").search(clause):
            for matter, way in _named(clause, lang):
                found.setdefault(matter, set()).add(way)
    return {matter: way for matter, (way, *others) in found.items() if not others}


def _named(clause: str, lang: str) -> Iterator[tuple[int, bool]]:
    for matter, pair in enumerate(_styles(lang)):
        for way, pattern in zip((True, False), pair, strict=True):
            if pattern and (named := pattern.search(clause)):
                denied = _pattern(lang, "unstyled").search(clause, 0, named.start())
                yield matter, way != bool(denied)


@cache
def _styles(lang: str) -> list[tuple[re.Pattern[str] | None, ...]]:
    mark = r"\b" if lang == "en" else ""
    return [
        tuple(re.compile(rf"{mark}(?:{'|'.join(way)}){mark}", re.IGNORECASE) if way else None for way in pair)
        for pair in rules.table("alike", lang)["styles"]
    ]


@cache
def _pattern(lang: str, key: str) -> re.Pattern[str]:
    return re.compile(rules.table("alike", lang)[key], re.IGNORECASE)
