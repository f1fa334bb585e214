"""What was put to another time, told anew: by itself "the flight got moved to Friday" does not say whose flight, and
where to, so the plan is told in its own words with the new time in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory_system import clock, dates
from memory_system.gist import gist_of, is_time
from memory_system.records import EventTime, Fact
from memory_system.turns import Claim

_ASIDE = r"(?: ?[（(][^（）()]*[)）])?"  # which weekday it was
_BESIDE = re.compile(r"[\W了啦哦吧呢]*(?:(?:now|sorry|btw|so|and|ugh|ok)[\W]*)*", re.IGNORECASE)
_LEAST = 2  # characters that are more than a particle beside the time


def postponed(claim: Claim, to: str, span: tuple[int, int], older: Sequence[Fact]) -> Claim:
    """The claim as the plan it moves, at its new time, where that says more and the claim nothing else; the claim as it
    is otherwise. `to` are the words for the new time, `span` those that move the plan."""
    old, when = older[-1], claim.event_time
    if claim.attribute or when is None or old.event_time is None or old.lang != claim.lang:
        return claim
    rest = claim.heard[: span[0]] + claim.heard[span[1] :]
    if not _BESIDE.fullmatch(rest) or len(to) > len(when.text) + _LEAST or not _says_more(old, claim):
        return claim
    told = _told(old, old.event_time, when)
    if not told:
        return claim
    return replace(
        claim, content=told, subject=old.subject, entities=old.entities, category=old.category,
        expires=_shifted(old, old.event_time, when), importance=max(claim.importance, old.importance),
    )  # fmt: skip


def _says_more(old: Fact, claim: Claim) -> bool:
    beside = set(gist_of(old.content).words) - set(gist_of(claim.content).words)
    return any(not is_time(word) for word in beside)


def _told(old: Fact, before: EventTime, after: EventTime) -> str:
    """The plan with the new time in the place of the old one; empty where that does not stand in it once."""
    for tell in (dates.adverbial, dates.spell):
        was, now = (tell(_when(each), old.lang) for each in (before, after))
        told, times = re.subn(re.escape(was) + rf"(?!\d){_ASIDE}", lambda _, now=now: now, old.content)
        if times == 1:
            return told
    return ""


def _when(event: EventTime) -> dates.When:
    start, end = (datetime.fromisoformat(each) for each in (event.start, event.end))
    return dates.When((0, 0), start, end, event.granularity, event.text)


def _shifted(old: Fact, before: EventTime, after: EventTime) -> str | None:
    """When the plan is over, as long after the new time as it was after the old one."""
    if old.expires is None:
        return None
    later = datetime.fromisoformat(after.end) - datetime.fromisoformat(before.end)
    return clock.stamp(clock.read_stamp(old.expires) + later)
