"""Whether a memory is such as a cue can put an end to: what is moved was planned, what is finished was under way."""

from __future__ import annotations

import re

from memory_system import rules
from memory_system.attributes import about
from memory_system.records import Fact
from memory_system.store.gist import gist_of, is_time, tells_not, tells_of_past
from memory_system.turns import Claim

_KEPT_UP = frozenset({"medication", "habit", "hobby", "vehicle", "owns", "device", "uses_tool"})
_AHEAD = frozenset({"schedule", "todo", "reminder"})
_ARRANGED = re.compile(r"\b(?:booked|scheduled|planned|reserved|arranged|fixed)\b")  # no past, beside a time


def quote_of(said: Claim | Fact) -> str:
    """The words that were said."""
    return said.quote if isinstance(said, Claim) else said.evidence[0].quote


def _is_planned(fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact tells of what was still to come when the claim was made."""
    if not fact.polarity or tells_not(gist_of(fact.content)):
        return False
    if fact.event_time is not None:
        return fact.event_time.end > claim.said_at[:10]
    if fact.category in _AHEAD or about(fact.attribute).get("category") in _AHEAD:
        return True
    gist = gist_of(_ARRANGED.sub("", fact.content))
    return any(map(is_time, gist.words)) and not tells_of_past(gist)


def _is_moved(fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact tells of what was still to come; what recurs is moved for good, or only once beside it."""
    if not _is_planned(fact, claim):
        return False
    return not _fires("recurs", fact.content) or any(_fires(each, quote_of(claim)) for each in ("recurs", "for_good"))


def _is_redated(fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact tells of what was still to come, on the day that is said to be wrong where one is."""
    wrong = next(rules.load("alike")["wrong_day"].found(quote_of(claim)), None)
    named = gist_of(wrong.parts["day"]).words if wrong else ()
    days = {number for word in named if (number := word.strip("#")).isdecimal()}
    return _is_planned(fact, claim) and days <= set(gist_of(fact.content).words)


def _is_dosed(fact: Fact, _: Claim | Fact) -> bool:
    """Whether the fact gives a dose, a medicine, or an amount that is no date."""
    if fact.attribute == "medication" or _fires("dose", fact.content):
        return True
    return fact.event_time is None and any(map(is_time, gist_of(fact.content).words))


def _is_said(fact: Fact, _: Claim | Fact) -> bool:
    """Whether the fact fills a slot: only a value can be taken for another."""
    return bool(fact.attribute and fact.value)


def _is_under_way(fact: Fact, _: Claim | Fact) -> bool:
    """Whether the fact tells of what somebody is at."""
    return _fires("under_way", fact.content)


def _is_one(fact: Fact, claim: Claim | Fact) -> bool:
    """Whether the fact names somebody else as the one there is."""
    return bool(claim.attribute and fact.attribute == claim.attribute and fact.value != claim.value)


def _is_kept_up(fact: Fact, _: Claim | Fact) -> bool:
    """Whether the fact tells of what somebody takes, does regularly or has."""
    return fact.polarity and fact.attribute.partition(".")[0] in _KEPT_UP


def _fires(group: str, words: str) -> bool:
    return rules.load("alike")[group].fires(words)


FITS = {
    "moved": _is_moved,
    "redated": _is_redated,
    "called_off": _is_planned,
    "dosed": _is_dosed,
    "misspoken": _is_said,
    "finished": _is_under_way,
    "given_up": _is_kept_up,
    "new_one": _is_one,
}
