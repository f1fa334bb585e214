"""From a question to its candidates: those that hold its words, what stands beside them in their session, what means
the same, what states the answer, and what is newer than the index."""

from __future__ import annotations

import math
from collections.abc import Collection
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import orjson

from memory_system import clock
from memory_system.recall.candidates import Candidates, Memory, Wanted
from memory_system.recall.choosing import choose
from memory_system.recall.holders import keep_passing, look_up, mark, score_sessions
from memory_system.recall.index import Index
from memory_system.recall.named import is_asked_of
from memory_system.recall.numbers import MEMORIES, OVERLAY, first_of, scope_of

if TYPE_CHECKING:  # imported where vectors are searched
    from memory_system.recall.vectors import Near

MOST_PLACES = 3  # messages of a memory that are looked at
NEAREST = 100  # units that are looked at for their meaning
AGREEING = 3  # units with most of the question's words, by which its vector is judged
OUTSTANDING = 1.0  # standard deviations above the average
FEW = 4  # memories of a kind, at most: so few are the answer themselves


def gather(
    index: Index, overlay: Index | None, wanted: Wanted, now: datetime, zone: ZoneInfo, near: Near | None = None
) -> Candidates:
    """The candidates of the index, and of what is newer than it (`overlay`, whose terms weigh as in the index)."""
    found = Candidates(total=index.size(wanted.wide), led=wanted.led)
    tallies = look_up(found, index, wanted)
    keep_passing(found, index, wanted)
    choose(found, index, wanted)
    if found.led:
        _follow(found, index, wanted)
    if near:
        _draw_near(found, index, near, wanted)
    if wanted.question.own and "memory" in wanted.scopes and not (near and near.alone):
        _state(found, index, wanted, now)
    _remember(found, index, wanted.question.terms, now, zone, 0)
    found.sessions = score_sessions(index, tallies, found.said_in())
    if overlay:
        _lay_over(found, overlay, wanted)
        _remember(found, overlay, wanted.question.terms, now, zone, OVERLAY)
    return found


def _follow(found: Candidates, index: Index, wanted: Wanted) -> None:
    """The memories that stand on the messages among the units."""
    refs = {unit.ref for number, unit in found.units.items() if scope_of(number) == "session"}
    numbers = set(index.standing_on(refs, wanted.scopes)).difference(found.units)
    found.units.update(index.units(wanted.passing(index, numbers)))


def _draw_near(found: Candidates, index: Index, near: Near, wanted: Wanted) -> None:
    """The units that are nearest to the question by their meaning, and what each candidate gets for it: a share of the
    weight, nothing below the average."""
    weight = near.weight * _agreement(found, near)
    if not weight:
        return
    numbers = set(near.first(wanted.scopes, NEAREST)).difference(found.units)
    drawn = index.units(wanted.passing(index, numbers))
    found.units.update(wanted.there(drawn))
    above = {number: max(0.0, value) for number, value in near.outstanding(found.units).items()}
    best = max(above.values(), default=0.0) or 1.0
    found.meant = {number: weight * value / best for number, value in above.items()}


def _agreement(found: Candidates, near: Near) -> float:
    """From 0 to 1: how far the units with most of the question's words stand out by their meaning as well. Where they
    do no more than chance has it, the vectors say nothing of this question."""
    leading = sorted(found.masks, key=lambda number: (-found.mass(number), number))[:AGREEING]
    values = near.outstanding(leading).values()
    if near.alone or not values:
        return 1.0
    return min(1.0, max(0.0, sum(values) / len(values) / OUTSTANDING))


def _state(found: Candidates, index: Index, wanted: Wanted, now: datetime) -> None:
    """What the user's memories state of what is asked for, whatever its words and in whatever language: "where do I
    work" finds 用户在云帆科技工作."""
    from memory_system.recall.cues import cues_of  # most questions do without its rules

    most = FEW if found.units else math.inf
    kinds, standing = [each for each in cues_of(wanted.question.text).wholes if each.most <= most], index.at(now)
    stating = (each for kind in kinds for each in standing.of_kind(kind.categories, kind.attributes, kind.most))
    ids = [each.id for each in stating if not orjson.loads(each.line).get("outdated_by")]
    numbers = wanted.passing(index, index.numbers(ids, "memory").values())
    units = index.units(numbers).items()
    stated = {number: unit for number, unit in units if is_asked_of(wanted.question.text, unit.text)}
    found.units.update(stated)
    found.stated.update(stated)


def _remember(
    found: Candidates, index: Index, asked: Collection[str], now: datetime, zone: ZoneInfo, layer: int
) -> None:
    """What is known of the memories among the units."""
    first, end = layer + first_of(MEMORIES[0]), layer + OVERLAY
    kept = {unit.key: number for number, unit in found.units.items() if first <= number < end}
    if not kept:
        return
    rows = index.at(now).these(kept)
    lines = {key: orjson.loads(each.line) for key, each in rows.items()}
    refs = {key: tuple(evidence["ref"] for evidence in line.get("evidence", ())) for key, line in lines.items()}
    numbers = index.numbers({ref for each in refs.values() for ref in each[:MOST_PLACES]})
    for key, line in lines.items():
        places = tuple(numbers[ref] for ref in refs[key][:MOST_PLACES] if ref in numbers)
        happens = line.get("event_time") or {}
        found.memories[kept[key]] = Memory(
            refs=refs[key] or tuple(filter(None, [line.get("source", "")])),
            places=places,
            speaker=line.get("subject", ""),
            called=line.get("value", "") if line.get("category") == "relation" else "",
            standing=(rows[key].score + rows[key].importance) / 2,
            denies=not line.get("polarity", True) and not any(term in line.get("value", "").lower() for term in asked),
            start=_stamp(happens.get("start", ""), zone),
            end=_stamp(happens.get("end", ""), zone),
            outdated_by=line.get("outdated_by", ""),
            leans=bool(line.get("context") or line.get("likely_outdated_by")),
        )


def _stamp(local: str, zone: ZoneInfo) -> str:
    """The stamp of a local time of `records.EventTime`."""
    return clock.stamp(datetime.fromisoformat(local).replace(tzinfo=zone)) if local else ""


def _lay_over(found: Candidates, overlay: Index, wanted: Wanted) -> None:
    masks: dict[int, int] = {}
    held = (overlay.holders(term, wanted.scopes) for term in wanted.question.terms)
    named = (overlay.of_kind(kind, wanted.scopes) for kind in wanted.question.kinds)
    for place, holders in enumerate(chain(held, named)):
        if holders:
            mark(masks, holders, 1 << place)
            found.doubts.pop(place, None)
    masks = {number: masks[number] for number in wanted.passing(overlay, masks)}
    found.masks.update((number | OVERLAY, mask) for number, mask in masks.items())
    found.units.update((number | OVERLAY, unit) for number, unit in overlay.units(masks).items())
