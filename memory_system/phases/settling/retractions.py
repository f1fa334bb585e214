"""What a claim says is not so after all, by its very words: a diagnosis or a way of eating that was wrong, a medicine
that was exchanged, who does not come, a number that is another. The older memory is found by saying just that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from memory_system import rules
from memory_system.gist import gist_of
from memory_system.phases.settling import styles
from memory_system.records import USER, Claim, Fact
from memory_system.store import Memories
from memory_system.trust import is_told

Kind = TypeVar("Kind", bound=Fact)
Fits = Callable[[dict[str, str], Fact, Claim | Fact], bool]

DENIED, EXCHANGED, STAYS_AWAY, RECOUNTED = "denied", "exchanged", "stays_away", "recounted"
SUPPOSED_TOO = frozenset({DENIED, STAYS_AWAY})  # cues that put an end to what was only supposed as well

_MOST = 12  # memories with such a word that are looked at, newest first
_TAKEN = frozenset({"medication", "habit"})
_ENDS = " .!。！，,了啦"
_NOT = re.compile(r"(?:\bnot?\b|n't\b|\bnever\b)[^,.;]*$", re.IGNORECASE)
_EN_IS = re.compile(  # what says of somebody that they are or have what comes next
    r"\b(?:is|am|was|has|have|had|takes?|with|got|be)"
    r"(?: (?:an?|the|got|been|probably|maybe|just|mild|slight|severe))* $",
    re.IGNORECASE,
)
_ZH_IS = (
    "(?:用户(?:的(?:{kin}))?|[他她它](?:的?(?:{kin}))?|{name})(?:也|都|还|就|一直|现在|可能|其实|好像|从小)*"
    "(?:是|有|得了?|患有?|确诊了?|查出了?)?$"
)
_COMES = {
    "en": re.compile(
        r"\b(?:comes?|coming|visit\w*|join\w*|arriv\w+|stay\w*|drop\w* (?:in|by)|starts?|starting|moving in|over for)"
        r"\b"
    ),
    "zh": re.compile("来|到访|拜访|过来|抵达|试工|入职|上班|住"),
}


def taken_back(
    cue: str, given: dict[str, str], claim: Claim | Fact, memories: Memories, kind: type[Kind]
) -> Kind | None:
    """The newest memory of the kind that says what the claim takes back."""
    named = parts(given)
    fitting = [
        each
        for each in _naming(f"{named['who']} {named['what']}", claim, memories, kind)
        if _FITS[cue](named, each, claim)
    ]
    return max(fitting, key=lambda each: (each.said_at, each.id), default=None)


def parts(given: dict[str, str]) -> dict[str, str]:
    """What is taken back and what stands in its place (`to`, empty where nothing does), and of whom it is told."""
    what = next((given[each] for each in ("what", "thing", "other") if given.get(each)), "")
    to = (given.get("to") or given.get("until") or "").strip(_ENDS)
    return {"what": what.strip(_ENDS), "to": to, "who": given.get("who", "").strip(_ENDS)}


def inherited(cue: str, given: dict[str, str], claim: Claim, old: Fact) -> Claim:
    """The claim in the slot of the memory whose place it takes: the medicine it was exchanged for; what was told before
    with the right number in it."""
    named = parts(given)
    if cue == EXCHANGED and not claim.attribute and old.attribute and named["to"]:
        return replace(
            claim, subject=old.subject, attribute=old.attribute, value=named["to"], category=old.category,
            importance=max(claim.importance, old.importance),
        )  # fmt: skip
    if cue == RECOUNTED and not claim.attribute:
        return replace(
            claim, content=_renumbered(old.content, named), subject=old.subject, attribute=old.attribute,
            value=_renumbered(old.value, named), category=old.category, event_time=old.event_time,
            entities=old.entities, importance=max(claim.importance, old.importance),
        )  # fmt: skip
    return claim


def _naming(what: str, claim: Claim | Fact, memories: Memories, kind: type[Kind]) -> Iterator[Kind]:
    """The older memories of the kind, told by people, that share a word with what is named."""
    found = memories.find_alike(dict.fromkeys(gist_of(what).words))
    ids = dict.fromkeys(each for _, ids in found.values() for each in ids[-_MOST:])
    earlier = (each for each in map(memories.get, ids) if type(each) is kind and each.said_at < claim.said_at)
    for each in earlier:
        told = each.polarity and is_told(each.evidence) and each.lang == claim.lang
        if told and each.attribute != styles.WISH:
            yield each


def _is_denied(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact says of somebody that they are, have or do what is denied."""
    what = _bare(named["what"])
    if fact.attribute and fact.value.casefold() == what.casefold() and claim.subject in (fact.subject, USER):
        return True
    return any(
        _says(fact, fact.content[: found.start()])
        for found in re.finditer(rf"{re.escape(what)}(?![a-z])", fact.content, re.IGNORECASE)
    )


def _says(fact: Fact, before: str) -> bool:
    """Whether the words of the fact, as far as they go, are about to say what somebody is or has."""
    if fact.lang == "zh":
        kin = rules.table("zh", "parts")["kin_word"]
        return bool(re.search(_ZH_IS.format(kin=kin, name=re.escape(fact.subject)), before))
    return bool(_EN_IS.search(before)) and not _NOT.search(before)


def _bare(what: str) -> str:
    return re.sub(r"^(?:an?|the|my|any) ", "", what, flags=re.IGNORECASE)


def _is_exchanged(named: dict[str, str], fact: Fact, _: Claim | Fact) -> bool:
    """Whether the fact tells that somebody takes what was exchanged."""
    if fact.attribute not in _TAKEN and fact.category != "health":
        return False
    held = fact.value.casefold() if fact.attribute in _TAKEN else fact.content.casefold()
    what = _bare(named["what"]).casefold()
    return bool(what) and (what in held or (fact.attribute == "medication" and held in what))


def _is_coming(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact tells that the one who is named comes on a day that was still ahead."""
    ahead = fact.event_time is not None and fact.event_time.end > claim.said_at[:10]
    _, name, after = fact.content.partition(_bare(named["what"]))
    return ahead and bool(name) and bool(_COMES[fact.lang].search(after))


def _is_numbered(named: dict[str, str], fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact gives the wrong number of the one who is named."""
    who = named["who"]
    told = (who in fact.content) if who else fact.subject == claim.subject
    return told and _renumbered(fact.content, named) != fact.content


def _renumbered(told: str, named: dict[str, str]) -> str:
    return re.sub(rf"(?<![\d.:]){re.escape(named['what'])}(?![\d:]|\.\d)", named["to"], told, count=1)


_FITS: dict[str, Fits] = {
    DENIED: _is_denied,
    EXCHANGED: _is_exchanged,
    STAYS_AWAY: _is_coming,
    RECOUNTED: _is_numbered,
}
CUES = frozenset(_FITS)
