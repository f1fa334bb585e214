"""What is said of a name: that it is another ("her name is Poppy, not Posy"), and that who bears it has died. The
memory that introduced it gives way; what takes its place tells whose it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from memory_system.privacy.trust import is_told
from memory_system.records import USER, Fact
from memory_system.store.keys import entity_key, slot_key
from memory_system.store.store import Memories, facts_of
from memory_system.turns import Claim

RENAMED, DIED = "renamed", "died"

_PET = "pet"
_OF_THE_LIVING = frozenset({"age", "weight", "condition", "medication", "diet", "habit", "appointment"})
_INTRODUCED = {  # whose it is, and of what kind, before the name
    "en": r"(?P<who>[^,]{{1,40}}?)(?:'s | has an? )(?P<kind>[a-z][\w -]{{1,24}}?)(?: is)?(?: called| named)? {name}\b",
    "zh": r"(?P<who>.{{1,8}}?)(?:的|(?:养了?|有|领养了)一?[只条匹头个])"
    r"(?P<kind>[\u4e00-\u9fff]{{1,4}}?)[，,]?(?:名字)?叫?{name}",
}


def renamed(named: dict[str, str], claim: Claim, memories: Memories) -> list[Fact]:
    """The fact that gave the wrong name: the one that fills a slot with it, else the newest that has it."""
    name = named["what"]
    facts = [each for each in _naming(name, claim, memories) if named["to"] not in each.content]
    slotted = [each for each in facts if each.value.casefold() == name.casefold()]
    if not claim.attribute:
        facts = [each for each in facts if _with_name(each.content, name, named["to"]) != each.content]
    return slotted[:1] or ([] if claim.attribute else facts[:1])


def died(named: dict[str, str], claim: Claim, memories: Memories) -> list[Fact]:
    """The pet that died, by its name or its kind, and what was so of it or of somebody else while they lived. Words
    that are said of pets (`pet`: "put to sleep", 走了) may mean something else where people are concerned."""
    pets = _facts(memories.find(slot_key(USER, _PET)), claim, memories)
    gone = [each for each in pets if _is_meant(each, named, pets)]
    person = "" if "pet" in named else named.get("what", "")
    name = gone[0].value if gone else person
    told = _facts(memories.find(entity_key(name)), claim, memories) if name else []
    return [*gone[:1], *(each for each in told if each.subject == name and each.attribute in _OF_THE_LIVING)]


def corrected(claim: Claim, named: dict[str, str], older: list[Fact]) -> Claim:
    """The claim as the older fact with the right name in it."""
    old = next((each for each in older if named["what"] in each.content), None)
    if claim.attribute or old is None:
        return claim
    wrong, right = named["what"], named["to"]
    return replace(
        claim, content=_with_name(old.content, wrong, right), subject=old.subject, attribute=old.attribute,
        value=right if old.value == wrong else old.value, category=old.category, event_time=old.event_time,
        entities=tuple(right if each == wrong else each for each in old.entities),
        importance=max(claim.importance, old.importance),
    )  # fmt: skip


def _with_name(told: str, wrong: str, right: str) -> str:
    """What was told, with the right name: Al is none in "Alpine"."""
    mark = r"\b" if wrong.isascii() else ""
    return re.sub(f"{mark}{re.escape(wrong)}{mark}", lambda _: right, told)


def mourned(claim: Claim, older: list[Fact]) -> Claim:
    """The claim with whose and what the pet was, for the memory that told it is none of the living any more."""
    pet = next((each for each in older if each.attribute == _PET), None)
    if pet is None:
        return claim
    entities = tuple(dict.fromkeys((*claim.entities, pet.value)))
    content = _with_kind(claim.content, pet) if pet.lang == claim.lang else claim.content
    return replace(claim, content=content, category=pet.category, entities=entities)


def _with_kind(told: str, pet: Fact) -> str:
    """ "Rex died" as "User's dog Rex died", and so "User's dog died"."""
    found = _introduced(pet)
    if found is None:
        return told
    between = " " if pet.lang == "en" else ""
    kind = f"{found['kind']}{between}{pet.value}"
    if pet.value not in told:
        return told.replace(found["kind"], kind, 1)
    whose = f"{found['who']}'s " if pet.lang == "en" else f"{found['who']}的"
    return told if found["kind"] in told else told.replace(pet.value, whose + kind, 1)


def _is_meant(pet: Fact, named: dict[str, str], pets: list[Fact]) -> bool:
    """Whether the pet is called so, or is the only one of that kind."""
    name = named.get("what") or named.get("thing") or named.get("pet") or ""
    if name and name.casefold().endswith(pet.value.casefold()):
        return True
    kind = named.get("other") or (name if pet.lang == "zh" else "")
    return bool(kind) and [each for each in pets if _kind(each) and kind.endswith(_kind(each))] == [pet]


def _introduced(pet: Fact) -> re.Match[str] | None:
    """The words that tell whose the pet is, and what."""
    form = _INTRODUCED.get(pet.lang)
    return re.match(form.format(name=re.escape(pet.value)), pet.content) if form else None


def _kind(pet: Fact) -> str:
    found = _introduced(pet)
    return found["kind"].split(" ")[-1] if found else ""


def _naming(name: str, claim: Claim, memories: Memories) -> list[Fact]:
    """The facts that name somebody so, newest first."""
    facts = _facts(memories.find(entity_key(name)), claim, memories)
    return sorted(facts, key=lambda each: (each.said_at, each.id), reverse=True)


def _facts(ids: Iterable[str], claim: Claim, memories: Memories) -> list[Fact]:
    """Those of the memories that are facts that people have told before the claim."""
    earlier = (each for each in facts_of(ids, memories) if each.said_at < claim.said_at)
    return [each for each in earlier if is_told(each.evidence)]
