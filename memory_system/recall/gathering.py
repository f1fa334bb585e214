"""From a question to its candidates: the units that hold its words, what stands beside them in their session, what
means the same, what states the answer, and what is newer than the index."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import chain, filterfalse
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import orjson

from memory_system import clock
from memory_system.attributes import about
from memory_system.recall.asked import asked_of_user, cues_of
from memory_system.recall.candidates import Candidates, Memory, Wanted, keep_passing, look_up, mark, score_sessions
from memory_system.recall.names import is_asked_of
from memory_system.recall.schema import MEMORIES, OVERLAY, PARTS_FROM, first_of, is_part, scope_of
from memory_system.recall.search_index import NO_FILTERS, Index
from memory_system.recall.views import Ranked
from memory_system.records import STATEMENT

if TYPE_CHECKING:  # imported where vectors are searched
    from memory_system.recall.vectors import Near

MOST_TELLING = 40  # quotes that tell of what is asked for, among which the words decide
MOST = 200  # different texts that are looked at closely, about
ENOUGH = 100  # units, after which of too many equals none is looked at
MOST_READ = 600  # units, where the same was said again and again
LEADING = 60  # of these, the best, also lead to the turns beside them: an answer may share no word with its question
PART_SHARE = 0.6  # of the weight of its words: a long answer mentions everything
BESIDE = (-1, 1, 2)
MOST_PLACES = 3  # messages of a memory that are looked at
NEAREST = 100  # units that are looked at for their meaning
AGREEING = 3  # units with most of the question's words, by which its vector is judged
OUTSTANDING = 1.0  # standard deviations above the average
SLOTS = 8  # memories in slots that are asked for, at most
FEW = 4  # memories of a kind, at most: so few are the answer themselves
STATED = 1.8  # what a memory gets that states what is asked of the user, or sounds like telling of it


def gather(
    index: Index, overlay: Index | None, wanted: Wanted, now: datetime, zone: ZoneInfo, near: Near | None = None
) -> Candidates:
    """The candidates of the index, and of what is newer than it (`overlay`, whose terms weigh as in the index)."""
    found = Candidates(total=index.size(wanted.wide), led=wanted.led)
    tallies = look_up(found, index, wanted)
    keep_passing(found, index, wanted)
    _choose(found, index, wanted)
    if found.led:
        _follow(found, index, wanted)
    if near:
        _draw_near(found, index, near, wanted)
    if "memory" in wanted.scopes and not (near and near.alone):
        _state(found, index, wanted, now)
    _remember(found, index, wanted.question.terms, now, zone, 0)
    found.sessions = score_sessions(index, tallies, found.said_in())
    if overlay:
        _lay_over(found, overlay, wanted)
        _remember(found, overlay, wanted.question.terms, now, zone, OVERLAY)
    return found


def _choose(found: Candidates, index: Index, wanted: Wanted) -> None:
    """The units that have most of the question, and the turns beside the best of them."""
    texts: set[str] = set()
    best: list[int] = []
    for numbers in _in_order(found, index):
        best += numbers
        units = index.units(numbers)
        found.units.update(wanted.there(units))
        texts.update(unit.text for unit in units.values())
        if len(texts) >= MOST or len(best) >= MOST_READ:
            break
    if wanted.question.asks and (found.led or wanted.filters == NO_FILTERS):
        leading = [number for number in best[:LEADING] if scope_of(number) == "session"]
        around = {number + step for number in leading for step in BESIDE}
        found.units.update(index.units(around.difference(found.units)))


def _in_order(found: Candidates, index: Index) -> Iterator[list[int]]:
    """The numbers by the weight of their terms, about `MOST` at a time; of too many equals the latest."""
    by_mass = _by_mass(found)
    batch: list[int] = []
    for mass in sorted(by_mass, reverse=True):
        groups, room = by_mass[mass], MOST - len(batch)
        equals = groups[0]
        if len(groups) > 1:  # first those with a term that stands first in the question
            masks = found.masks
            equals = sorted(chain(*groups), key=lambda number: (masks[number] & -masks[number], number))
        if len(equals) > room and len(batch) >= ENOUGH:
            break
        batch += equals if len(equals) <= room else index.latest(equals, room)
        if len(batch) >= MOST:
            yield batch
            batch = []
    if batch:
        yield batch


def _by_mass(found: Candidates) -> dict[float, list[list[int]]]:
    """The numbers by the weight of their terms, those with the same terms together."""
    by_mask: defaultdict[int, list[int]] = defaultdict(list)
    for number, mask in found.masks.items():
        by_mask[mask].append(number)
    by_mass: defaultdict[float, list[list[int]]] = defaultdict(list)
    for mask, numbers in by_mask.items():
        parts = [number for number in numbers if number & PARTS_FROM and is_part(number)]
        whole = [*filterfalse(set(parts).__contains__, numbers)] if parts else numbers
        for share, some in ((1.0, whole), (PART_SHARE, parts)):
            if some:
                by_mass[share * found.mass_of(mask)].append(some)
    return by_mass


def _follow(found: Candidates, index: Index, wanted: Wanted) -> None:
    """The memories that stand on the messages among the units."""
    refs = {unit.ref for number, unit in found.units.items() if scope_of(number) == "session"}
    numbers = set(index.standing_on(refs, wanted.scopes)).difference(found.units)
    found.units.update(index.units(wanted.passing(index, numbers)))


def _draw_near(found: Candidates, index: Index, near: Near, wanted: Wanted) -> None:
    """The units nearest to the question by their meaning, and what each gets for that of the weight."""
    weight = near.weight * _agreement(found, near)
    if not weight:
        return
    numbers = set(near.first(wanted.scopes, NEAREST)).difference(found.units)
    found.units.update(wanted.there(index.units(wanted.passing(index, numbers))))
    above = {number: max(0.0, value) for number, value in near.outstanding(found.units).items()}
    best = max(above.values(), default=0.0) or 1.0
    found.meant = {number: weight * value / best for number, value in above.items()}


def _agreement(found: Candidates, near: Near) -> float:
    """From 0 to 1: how far the units with most of the question's words stand out by their meaning as well; if they do
    not, the vectors say nothing of this question."""
    leading = sorted(found.masks, key=lambda number: (-found.mass(number), number))[:AGREEING]
    values = near.outstanding(leading).values()
    if near.alone or not values:
        return 1.0
    return min(1.0, max(0.0, sum(values) / len(values) / OUTSTANDING))


def _state(found: Candidates, index: Index, wanted: Wanted, now: datetime) -> None:
    """What the user's memories state of what is asked for, whatever its words and in whatever language: "where do I
    work" finds 用户在云帆科技工作."""
    standing, most = index.at(now), FEW if found.units else math.inf
    wish, kinds = asked_of_user(wanted.question.text, standing), cues_of(wanted.question.text).wholes
    told = wish.told.union(*(kind.attributes for kind in kinds))
    stating = standing.of_kind((), wish.slots, SLOTS) if wish.slots else []
    for kind in (each for each in kinds if each.most <= most):
        stating += standing.of_kind(kind.categories, kind.attributes, kind.most)
    ids = {each.id for each in stating if not orjson.loads(each.line).get("outdated_by")}
    ids |= {each.id for each in _of_their_kind(standing.telling(told, MOST_TELLING), told)}
    units = index.units(wanted.passing(index, index.numbers(ids, "memory").values()))
    stated = {number: unit for number, unit in units.items() if is_asked_of(wanted.question.text, unit.text)}
    found.units.update(stated)
    found.stated.update(stated)


def _of_their_kind(telling: list[Ranked], told: Collection[str]) -> list[Ranked]:
    """The memories without the sentences of a model that are of another kind than the attributes: they mention them."""
    kinds = {about(name).get("category") for name in told}
    rows = ((each, orjson.loads(each.line)) for each in telling)
    return [each for each, row in rows if row.get("form") != STATEMENT or row.get("category") in kinds]


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
        happens = line.get("event_time") or {}
        value = line.get("value", "")
        found.memories[kept[key]] = Memory(
            refs=refs[key] or tuple(filter(None, [line.get("source", "")])),
            places=tuple(numbers[ref] for ref in refs[key][:MOST_PLACES] if ref in numbers),
            speaker=line.get("subject", ""),
            called=value if line.get("category") == "relation" else "",
            standing=(rows[key].score + rows[key].importance) / 2,
            denies=not line.get("polarity", True) and not any(term in value.lower() for term in asked),
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
