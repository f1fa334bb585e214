"""What was put to another time, told anew: by itself "the flight got moved to Friday" does not say whose flight, and
where to, so the plan is told in its own words with the new time in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory_system import clock, dates
from memory_system.records import EventTime, Fact
from memory_system.store.gist import gist_of, is_time
from memory_system.turns import Claim

_ASIDE = r"(?: ?[（(][^（）()]*[)）])?"  # which weekday it was
_BESIDE = re.compile(r"[\W了啦哦吧呢]*(?:(?:now|sorry|btw|so|and|ugh|ok)[\W]*)*", re.IGNORECASE)
_CLOCK = {  # the hour of what is every day, and no day
    "en": re.compile(r"\b(?:at |from )?(?P<hour>\d{1,2}(?::\d\d)?(?: ?[ap]m\b)?)(?![\d:/])", re.IGNORECASE),
    "zh": re.compile(
        r"(?:[早晚]上|[上下]午)?(?P<hour>(?:\d{1,2}|[一二三四五六七八九十]{1,2})(?:点(?:半|[一三]刻|\d{1,2}分?)?|:\d\d))"
    ),
}
_LEAST = 2  # characters that are more than a particle beside the time


def postponed(claim: Claim, to: str, span: tuple[int, int], older: Sequence[Fact]) -> Claim:
    """The claim as the plan it moves, at its new time, where that says more and the claim nothing else; the claim as it
    is otherwise. `to` are the words for the new time, `span` those that move the plan."""
    old, when = older[-1], claim.event_time
    rest = claim.heard[: span[0]] + claim.heard[span[1] :]
    if claim.attribute or old.lang != claim.lang or not _BESIDE.fullmatch(rest) or not _says_more(old, claim):
        return claim
    if when is None and old.event_time is None:
        told = _at_another_hour(old, to)
        return replace(claim, content=told, subject=old.subject, entities=old.entities) if told else claim
    if when is None or old.event_time is None or len(to) > len(when.text) + _LEAST:
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


def _at_another_hour(old: Fact, to: str) -> str:
    """What is so every day, with the new hour in the place of its only one; empty where either is no hour."""
    hour = _CLOCK[old.lang].fullmatch(re.sub(r" (?:now|instead)$", "", to))
    found = list(_CLOCK[old.lang].finditer(old.content))
    if hour is None or len(found) != 1 or len(re.findall(r"\d+(?::\d+)?", old.content)) > 1:
        return ""
    start, end = found[0].span("hour")
    return old.content[:start] + hour["hour"].strip() + old.content[end:]


def _told(old: Fact, before: EventTime, after: EventTime) -> str:
    """The plan with the new time in the place of the old one; empty where that does not stand in it once."""
    for tell in (dates.adverbial, dates.spell):
        was, now = (tell(_when(each), old.lang) for each in (before, after))
        found = list(re.finditer(re.escape(was) + rf"(?!\d){_ASIDE}", old.content))
        if len(found) == 1:
            return old.content[: found[0].start()] + now + old.content[found[0].end() :]
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
