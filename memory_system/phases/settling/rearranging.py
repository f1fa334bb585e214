"""What a claim names as moved, called off, dosed otherwise, over or misspoken: the memory of it is found by that name,
however differently the two are put. The claim takes over its slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TypeVar

from memory_system import rules, text
from memory_system.attributes import about
from memory_system.phases.settling import matters, moves, names, retractions, swaps
from memory_system.phases.settling.fitting import FITS, quote_of
from memory_system.phases.settling.postponed import postponed
from memory_system.privacy.trust import is_told
from memory_system.records import USER, Belief, Fact
from memory_system.rules import Found
from memory_system.store.gist import gist_of, is_time
from memory_system.store.keys import slot_key
from memory_system.store.store import Memories, facts_of
from memory_system.turns import Claim

Kind = TypeVar("Kind", bound=Fact)

_OVER = 0.2  # what it is worth to know that a wish was withdrawn
_MOST = 12  # memories with such a word that are looked at, newest first
_BEFORE_TIME = re.compile(r"^(?:(?:the|next|this|early|late|mid|about|around|some time|sometime|on|in|week of) )+")
_NAMED = ("what", "thing", "other", "order", "drug", "pill", "tablet", "kind")
_WISHES = ("instruction", "reminder")
_PUT_TO = ("to", "until", "amount", "much")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|[一二三四五六七八九十两半]+(?=[片粒颗次毫])")
_OF_NAMES = {names.RENAMED: names.renamed, names.DIED: names.died}
_TAKING_OVER = frozenset(
    {
        "dosed",
        "moved",
        "redated",
        "misspoken",
        "lifted",
        retractions.EXCHANGED,
        retractions.RECOUNTED,
        swaps.SWAPPED,
        *_OF_NAMES,
    }
)
_LOOSE = frozenset({"moved", "called_off", "dosed"})  # somebody else may do it to what is the speaker's
_ARRANGEMENTS = frozenset({"moved", "redated", "called_off"})  # of which the other language may have told
_TO_A_TIME = frozenset({"moved", "redated"})
_MINE = re.compile(r"\b(?:my|our|the) $|我们?的?$", re.IGNORECASE)
_ANOTHER = {  # who does it is somebody whom only the talk before names
    "en": re.compile(r"\b(?:he|she|his|her)\b[^.!?]{0,30}$", re.IGNORECASE),
    "zh": re.compile("[他她][^。！？]{0,16}$"),
}
_DENIED = re.compile(r"\b(?:also|too|both|only|as well)\b|[也还都只]|不仅")


def displaced(claim: Claim, memories: Memories) -> list[Fact]:
    """The active facts in whose place the claim comes by what it names."""
    found: dict[str, Fact] = {}
    heard = claim.heard
    for rule in rules.load(claim.lang)["revision"].firing(heard):
        cue = str(rule.data["cue"])
        if cue == "stays":
            found |= {each.id: each for each in moves.given_up(claim, memories)}
        elif cue == "over":
            found |= {each.id: each for each in _of_slots(rule, claim, memories)}
        elif cue == "lifted":
            found |= {each.id: each for each in _lifted(next(rule.found(heard)).given(), claim, memories)}
        elif cue in swaps.CUES:
            found |= {each.id: each for each in swaps.over(rule, claim, memories)}
        elif cue in _OF_NAMES:
            given = next(rule.found(heard)).given()
            found |= {each.id: each for each in _OF_NAMES[cue](given, claim, memories)}
        elif cue in retractions.CUES:
            for match in rule.found(heard):
                gone = retractions.taken_back(cue, match.given(), claim, memories, Fact)
                found |= {gone.id: gone} if gone else {}
        elif cue in FITS:
            older = _newest(cue, next(rule.found(heard)), claim, memories, Fact)
            found |= {older.id: older} if older else {}
    return list(found.values())


def corrected_value(claim: Claim, memories: Memories) -> list[Fact]:
    """The facts of the claim's slot whose value an outright correction names, or which hold the only other value in the
    same words: a dog is no other name for a cat."""
    if not claim.attribute or about(claim.attribute).get("single") or _DENIED.search(claim.quote):
        return []
    slot = facts_of(memories.find(slot_key(claim.subject, claim.attribute)), memories)
    others = [each for each in slot if each.polarity and each.value != claim.value and each.said_at < claim.said_at]
    named = [each for each in others if each.value and text.stands_in(each.value, claim.quote)]
    if named or about(claim.attribute).get("category") == "health":  # a second allergy may stand beside the first
        return named
    return [each for each in others if len(others) == 1 and _frame(each) == _frame(claim)]


def _frame(said: Claim | Fact) -> frozenset[str]:
    """The words around the value."""
    return frozenset(gist_of(said.content).words) - frozenset(gist_of(said.value).words)


def heir(claim: Claim, older: list[Fact]) -> Claim:
    """The claim in the slot of what it displaces, where it has none: a dose, an appointment, an allergy stay one."""
    found = {cue: match for cue, match in _cues(claim) if cue in _TAKING_OVER} if older else {}
    named = {cue: match.given() for cue, match in found.items()}
    if names.DIED in named:
        return names.mourned(claim, older)
    if names.RENAMED in named:
        return names.corrected(claim, named[names.RENAMED], older)
    for cue, given in named.items():
        if cue in retractions.CUES and swaps.SWAPPED not in named:
            return retractions.inherited(cue, given, claim, older[-1])
    for cue, given in named.items():
        if cue in _TO_A_TIME:
            claim = postponed(claim, _to(given).strip(" .!。！了啦"), found[cue].span, older)
    slots = {(each.subject, each.attribute) for each in older if each.attribute}
    if claim.attribute or len(slots) != 1:
        return claim
    if "lifted" in named and slots <= {(USER, each) for each in _WISHES}:  # once the wish is gone, little is left
        return replace(claim, category="temporary", importance=_OVER)
    return _in_slot_of(next(each for each in older if each.attribute), claim, named) if named else claim


def _cues(claim: Claim) -> Iterator[tuple[str, Found]]:
    """What the claim says of what was said before, and in which words."""
    for rule in rules.load(claim.lang)["revision"].firing(claim.heard):
        yield str(rule.data["cue"]), next(rule.found(claim.heard))


def _in_slot_of(old: Fact, claim: Claim, named: Mapping[str, dict[str, str]]) -> Claim:
    """The claim in the slot of the older fact, with that of its value which another one takes the place of."""
    value, content = old.value, claim.content
    if "misspoken" in named:
        value = _to(named["misspoken"]).strip(" .!。！，,")
        content = old.content.replace(old.value, value) if old.value in old.content else content
    elif swaps.SWAPPED in named:
        value = _to(named[swaps.SWAPPED])
    elif old.attribute == "habit" or (old.category == "schedule" and _NUMBER.search(old.value)):
        # its value is all that is done, and when: a new date is no other number
        value = content
    elif "dosed" in named and (number := _NUMBER.search(_to(named["dosed"]))):
        value = _NUMBER.sub(number[0], old.value, count=1)
    return replace(
        claim, content=content, subject=old.subject, attribute=old.attribute, value=value, category=old.category,
        importance=max(claim.importance, old.importance),
    )  # fmt: skip


def _of_slots(rule: rules.Rule, claim: Claim, memories: Memories) -> Iterator[Fact]:
    """What stands in the speaker's slots that are over, in those of `alone` only where the claim fills none; where the
    rule names `values`, or the words a `place`, only those; and what is `denied` there: who made up are together
    again. Nothing where the words are such that it goes on (`unless`): a second job."""
    if claim.modality != "stated" or (
        "unless" in rule.data and re.search(rule.data["unless"], claim.heard, re.IGNORECASE)
    ):
        return
    place = next(rule.found(claim.heard)).given().get("place", "")
    subject = USER if claim.role == "user" else claim.subject
    values = rule.data.get("values")
    for attribute in (*rule.data["slots"], *(() if claim.attribute else rule.data.get("alone", ()))):
        for fact in facts_of(memories.find(slot_key(subject, attribute)), memories):
            if (values and fact.value.casefold() not in values) or (place and not text.stands_in(fact.value, place)):
                continue
            if fact.polarity and fact.said_at < claim.said_at and fact.attribute != claim.attribute:
                yield fact
    for attribute in rule.data.get("denied", ()):
        for fact in facts_of(memories.find(slot_key(subject, attribute)), memories):
            if not fact.polarity and fact.said_at < claim.said_at:
                yield fact


def _lifted(named: dict[str, str], claim: Claim, memories: Memories) -> Iterator[Fact]:
    """The wishes to the assistant that are about what is no longer wanted."""
    name = next((each for each in _NAMED if named.get(each)), "")
    words = set(gist_of(named.get(name, "")).words) - _withdrawing(claim.lang)
    least = len(words) if name == "thing" else len(words) / 2  # "no more" may be said of anything
    for attribute in _WISHES if words else ():
        for fact in facts_of(memories.find(slot_key(USER, attribute)), memories):
            if fact.said_at < claim.said_at and len(words & set(gist_of(fact.content).words)) >= least:
                yield fact


@cache
def _withdrawing(lang: str) -> frozenset[str]:
    return frozenset(word for said in rules.table("alike", lang)["withdrawing"] for word in gist_of(said).words)


def given_up(fact: Fact, memories: Memories) -> Belief | None:
    """The newest belief about a plan that the fact calls off, or of what it denies."""
    said = fact.evidence[0].quote if fact.evidence else ""
    for rule in rules.load(fact.lang)["revision"].firing(said) if fact.lang in ("en", "zh") else ():
        if rule.data["cue"] == "called_off":
            return _newest("called_off", next(rule.found(said)), fact, memories, Belief)
        if rule.data["cue"] in retractions.SUPPOSED_TOO:
            given = next(rule.found(said)).given()
            return retractions.taken_back(str(rule.data["cue"]), given, fact, memories, Belief)
    return None


def _newest(cue: str, match: Found, claim: Claim | Fact, memories: Memories, kind: type[Kind]) -> Kind | None:
    """The newest memory of the kind about what was named, such as the cue can put an end to."""
    named, quote = match.given(), quote_of(claim)
    name = next((name for name in _NAMED if named.get(name)), "")
    if not name or (cue in _TO_A_TIME and not _begins_with_time(_to(named), claim.lang)):
        return None
    what, before = named[name], quote[: match.places[name][0]]
    timeless = matters.without_day(what, claim.lang) if cue == "called_off" else what
    if _ANOTHER[claim.lang].search(before):
        return None
    senses = matters.senses(timeless, claim.lang, abroad=cue in _ARRANGEMENTS)
    found = memories.find_alike(dict.fromkeys(word for each in senses.values() for word in gist_of(each.said).words))
    ids = dict.fromkeys(each for _, ids in found.values() for each in ids[-_MOST:])
    found_again = (memories.get(each) for each in ids)
    older = [each for each in found_again if type(each) is kind and each.said_at < claim.said_at]
    mine = bool(_MINE.search(before)) or what.startswith("我")
    fitting = [
        each
        for each in older
        if each.lang in senses
        and is_told(each.evidence)
        and (each.subject == claim.subject or (cue in _LOOSE and (mine or claim.subject == USER)))
        and (_names_value(what, each) if cue == "misspoken" else matters.is_about(senses[each.lang].words, each))
        and not (cue == "redated" and matters.is_beside(senses[each.lang].words, each))
        and (timeless == what or _is_on_its_day(each, claim))
        and FITS[cue](each, claim)
    ]
    if cue in _ARRANGEMENTS and not matters.are_one(fitting):
        return None
    return max(fitting, key=lambda each: (each.said_at, each.id), default=None)


def _is_on_its_day(fact: Fact, claim: Claim | Fact) -> bool:
    """Whether both tell of the same day: Friday's dinner is none of Saturday's."""
    when, then = fact.event_time, claim.event_time
    return when is not None and then is not None and when.start[:10] == then.start[:10]


def _names_value(what: str, fact: Fact) -> bool:
    """Whether the fact's value is in what was named."""
    return fact.value.casefold() in what.casefold()


def _begins_with_time(words: str, lang: str) -> bool:
    """Whether it is put to a time: who moved to Berlin last week was no appointment."""
    plain = _BEFORE_TIME.sub("", words)
    begins = re.match(rules.table("alike", lang)["when"], plain, re.IGNORECASE)
    return bool(begins) and (lang == "zh" or any(is_time(word.strip("#")) for word in gist_of(plain).words[:1]))


def _to(named: dict[str, str]) -> str:
    """What the claim puts in the place of the old."""
    return next((named[each] for each in _PUT_TO if named.get(each)), "")
