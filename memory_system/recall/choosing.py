"""Which of the units that hold words of the question are looked at closely."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, filterfalse

from memory_system.recall.candidates import NO_FILTERS, Candidates, Wanted
from memory_system.recall.index import Index
from memory_system.recall.numbers import PARTS_FROM, is_part, scope_of

MOST = 200  # different texts that are looked at closely, about
ENOUGH = 100  # units, after which of too many equals none is looked at
MOST_READ = 600  # units, where the same was said again and again
LEADING = 60  # of these, the best, also lead to the turns beside them: an answer may share no word with its question
PART_SHARE = 0.6  # of the weight of its words: a long answer mentions everything
BESIDE = (-1, 1, 2)


def choose(found: Candidates, index: Index, wanted: Wanted) -> None:
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
    """The numbers by the weight of their terms, about `MOST` at a time; of too many equals the latest, where there
    is little better."""
    by_mass = _by_mass(found)
    batch: list[int] = []
    for mass in sorted(by_mass, reverse=True):
        equals, room = _as_found(found, by_mass[mass]), MOST - len(batch)
        if len(equals) > room and len(batch) >= ENOUGH:
            break
        batch += equals if len(equals) <= room else index.latest(equals, room)
        if len(batch) >= MOST:
            yield batch
            batch = []
    if batch:
        yield batch


def _as_found(found: Candidates, groups: list[list[int]]) -> list[int]:
    """The numbers of the groups in one list: first those with a term that stands first in the question."""
    if len(groups) == 1:
        return groups[0]
    return sorted(chain(*groups), key=lambda number: (found.masks[number] & -found.masks[number], number))


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
