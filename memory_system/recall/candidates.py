"""From a question to its candidates: the units that hold its words, stand beside these, mean the same or state the
answer, those newer than the index among them; and what is known of those that are looked at closely."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, filterfalse, repeat
from operator import rshift
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import orjson

from memory_system import clock
from memory_system.attributes import about
from memory_system.recall.asked import Question, asked_of_user, cues_of, others_named
from memory_system.recall.kinds import word_of
from memory_system.recall.names import is_asked_of, speaks_of
from memory_system.recall.schema import MEMORIES, OVERLAY, PARTS_FROM, SESSION_BITS, first_of, scope_of, session_of
from memory_system.recall.search_index import NO_FILTERS, Filters, Index
from memory_system.recall.terms import HEAD, can_be_misspelt, doubt_of, misspelt
from memory_system.recall.units import Unit, maybe
from memory_system.recall.views import Ranked, Tally, weight
from memory_system.records import STATEMENT
from memory_system.text import is_cjk

if TYPE_CHECKING:  # imported where vectors are searched
    from memory_system.recall.vectors import Near

OTHERWISE_SHARE = 0.5  # what a word counts that stands there in another form than asked
COMMON = 5_000  # units: a term that more have finds none where a rarer one does, and is dear to read
RELATED_SHARE, UNWRITTEN_SHARE = 0.3, 1.5  # what one counts for which a word of the question asks
ASIDE_SHARE = 0.4  # what a word counts that only leads up to the question
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


@dataclass(frozen=True, slots=True)
class Memory:
    """What ranking knows of a memory beside its text: the `refs` it stands on, which of the candidates they are
    (`places`), whom it is about and so who says it (`speaker`), how somebody near to another is `called`, how much it
    stands out (0 to 1), whether it `denies` what nobody has asked for, when what it says happens (stamps), by which
    memory it is outdated, and whether it leans on what stood around it or was said later."""

    refs: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    speaker: str = ""
    called: str = ""
    standing: float = 0.0
    denies: bool = False
    start: str = ""
    end: str = ""
    outdated_by: str = ""
    leans: bool = False


@dataclass(slots=True)
class Candidates:
    """`total` is how many units are looked through; `weights` by term, in their order, then by kind; `masks` says which
    of these (as bits) a unit has, for every unit that has any; `units` are those looked at closely, `memories` what is
    known of the memories among them; `sessions` is the BM25 of whole sessions (`schema.session_of`). `led` is true
    where the messages among the units are no results, but only lead to the memories that stand on them. `meant` is what
    a unit gets for meaning the same as the question; `stated` are the memories that state what it asks of the user.
    `doubts` are the terms, by their places, that none has as they are asked, and single characters looked up instead;
    and how doubtful what was found for them is (0 to 1)."""

    total: int
    weights: list[float] = field(default_factory=list)
    masks: dict[int, int] = field(default_factory=dict)
    units: dict[int, Unit] = field(default_factory=dict)
    memories: dict[int, Memory] = field(default_factory=dict)
    sessions: dict[int, float] = field(default_factory=dict)
    led: bool = False
    meant: dict[int, float] = field(default_factory=dict)
    stated: set[int] = field(default_factory=set)
    doubts: dict[int, float] = field(default_factory=dict)
    _masses: dict[int, float] = field(default_factory=dict)

    def mass(self, number: int) -> float:
        """The summed weight of the terms that the unit has."""
        return self.mass_of(self.masks.get(number, 0))

    def mass_of(self, mask: int) -> float:
        found = self._masses.get(mask)
        if found is None:
            found = self._masses[mask] = sum(each for bit, each in enumerate(self.weights) if mask >> bit & 1)
        return found

    def places(self, number: int) -> tuple[int, ...]:
        """The messages that the unit is, or stands on."""
        memory = self.memories.get(number)
        return memory.places if memory else (number,) if scope_of(number) == "session" else ()

    def said_in(self) -> set[int]:
        """The sessions of the messages that the units are, or stand on."""
        said = {session_of(number) for number in self.units if scope_of(number) == "session"}
        return said.union(session_of(place) for memory in self.memories.values() for place in memory.places)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for: in which scopes, under which filters, and without the passages of the notes in `gone`."""

    question: Question
    scopes: Collection[str]
    filters: Filters = NO_FILTERS
    gone: Collection[str] = ()

    @property
    def led(self) -> bool:
        """Whether messages only lead to memories, which are short: what they are about may stand in the message."""
        return "memory" in self.scopes and "session" not in self.scopes

    @property
    def wide(self) -> Collection[str]:
        """The scopes that are looked through."""
        return {*self.scopes, "session"} if self.led else self.scopes

    def there(self, units: dict[int, Unit]) -> dict[int, Unit]:
        """Those that are not of a note whose indexed text no longer holds."""
        return {number: unit for number, unit in units.items() if unit.path not in self.gone} if self.gone else units


def look_up(found: Candidates, index: Index, wanted: Wanted) -> list[Tally]:
    """Note who holds the question's terms and names things of its kinds. Where no term finds anything, the rarest of
    the common ones does; then, where something is asked, single characters."""
    question = wanted.question
    tallies = [_look_up(found, index, term, wanted) for term in question.terms]
    if not found.masks and any(found.weights):
        _, place = max((each, -place) for place, each in enumerate(found.weights))
        numbers = index.holders(question.terms[-place], wanted.scopes)
        mark(found.masks, [number for number in numbers if scope_of(number) in wanted.scopes], 1 << -place)
    tallies += [_look_up_kind(found, index, kind, wanted) for kind in question.kinds]
    if not found.masks and question.asks:
        first = len(found.weights)
        characters = dict.fromkeys(sign for term in question.terms if is_cjk(term) for sign in term)
        tallies += [_look_up(found, index, sign, wanted) for sign in characters]
        found.doubts |= dict.fromkeys(range(first, len(found.weights)), 1.0)  # 日 of 生日 may be of any day
    return tallies


def _look_up(found: Candidates, index: Index, term: str, wanted: Wanted) -> Tally:
    """Note who holds the term: how much it weighs, and how often each session has it."""
    scopes = wanted.wide
    numbers, holders = _held(index, term, wanted)
    common = holders > COMMON
    share = ASIDE_SHARE if term in wanted.question.aside else 1.0
    if not holders:
        numbers, share = _otherwise(index, term, scopes), share * OTHERWISE_SHARE
        found.doubts[len(found.weights)] = doubt_of(term) if numbers else 1.0
    # What none has says no more than what one has.
    found.weights.append(share * weight(holders if common else len(numbers) or 1, found.total))
    return (0.0, Counter()) if common else (share, _note(found, numbers, scopes))


def _held(index: Index, term: str, wanted: Wanted) -> tuple[list[int], int]:
    """Who holds the term, or where it names one of somebody's nearest, what else they are called (father, dad)."""
    called = next((name for name in wanted.question.names if term in name), frozenset())
    also = (each for each in called if is_cjk(each) == is_cjk(term) and min(len(each), len(term)) > 1)
    found = [index.held(each, wanted.wide, COMMON) for each in sorted({term, *also})]
    numbers = sorted({number for some, _ in found for number in some})
    most = max(count for _, count in found)  # a common word is counted, its holders are not listed
    return numbers, max(len(numbers), most)


def _look_up_kind(found: Candidates, index: Index, kind: str, wanted: Wanted) -> Tally:
    """Note who names something of the kind, as one more word; what very many name tells nothing."""
    asking = word_of(kind)
    numbers = index.of_kind(kind, wanted.wide, COMMON + 1) if found.masks or asking else []
    share = _share_of(asking, index, wanted) if asking else 1.0
    tells = 0 < len(numbers) <= COMMON
    found.weights.append(share * weight(len(numbers), found.total) if tells else 0.0)
    return (share, _note(found, numbers, wanted.wide)) if tells else (0.0, Counter())


def _share_of(asking: str, index: Index, wanted: Wanted) -> float:
    """What a word counts for which another one asks: more where nobody has written that one itself."""
    return RELATED_SHARE if index.holders(asking, wanted.wide, 1) else UNWRITTEN_SHARE


def _note(found: Candidates, numbers: Collection[int], scopes: Collection[str]) -> Counter[int]:
    """Note that these have what was weighed last; how many of them each session has."""
    asked = [number for number in numbers if scope_of(number) in scopes] if found.led else numbers
    mark(found.masks, asked, 1 << (len(found.weights) - 1))
    return Counter(map(rshift, numbers, repeat(SESSION_BITS)))


def _otherwise(index: Index, term: str, scopes: Collection[str]) -> list[int]:
    """For a term that none has: units with both characters apart (爬山 in 爬了白鹭山), or with what it may misspell."""
    if is_cjk(term):
        return index.holders(" ".join(term), scopes, COMMON) if len(term) > 1 else []
    stems = misspelt(term, index.beginning(term[:HEAD])) if can_be_misspelt(term) else []
    return sorted({number for stem in stems for number in index.holders_of_stem(stem, scopes, COMMON)})


def mark(masks: dict[int, int], numbers: Collection[int], flag: int) -> None:
    marked = dict.fromkeys(numbers, flag)
    for number in marked.keys() & masks.keys():
        marked[number] |= masks[number]
    masks.update(marked)


def keep_passing(found: Candidates, index: Index, wanted: Wanted) -> None:
    """Leave what the filters let through, and messages that only lead to memories."""
    if wanted.filters != NO_FILTERS:
        passing = {*index.passing(found.masks, wanted.filters)}
        if found.led:
            passing.update(number for number in found.masks if scope_of(number) == "session")
        found.masks = {number: mask for number, mask in found.masks.items() if number in passing}


# From the words to all that may answer


def gather(index: Index, overlay: Index | None, wanted: Wanted, zone: ZoneInfo, near: Near | None = None) -> Candidates:
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
        _state(found, index, wanted)
    _remember(found, index, wanted.question, zone)
    found.sessions = index.sessions.scores(tallies, found.said_in())
    if overlay:
        _lay_over(found, overlay, wanted)
        _remember(found, overlay, wanted.question, zone, OVERLAY)
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
        batch += equals if len(equals) <= room else index.sessions.latest(equals, room)
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
        parts = [number for number in numbers if number & PARTS_FROM and scope_of(number) == "session"]
        whole = [*filterfalse(set(parts).__contains__, numbers)] if parts else numbers
        for share, some in ((1.0, whole), (PART_SHARE, parts)):
            if some:
                by_mass[share * found.mass_of(mask)].append(some)
    return by_mass


def _follow(found: Candidates, index: Index, wanted: Wanted) -> None:
    """The memories that stand on the messages among the units."""
    refs = {unit.ref for number, unit in found.units.items() if scope_of(number) == "session"}
    numbers = set(index.standing_on(refs, wanted.scopes)).difference(found.units)
    found.units.update(index.units(index.passing(numbers, wanted.filters)))


def _draw_near(found: Candidates, index: Index, near: Near, wanted: Wanted) -> None:
    """The units nearest to the question by their meaning, and what each gets for that of the weight."""
    weight = near.weight * _agreement(found, near)
    if not weight:
        return
    numbers = set(near.first(wanted.scopes, NEAREST)).difference(found.units)
    found.units.update(wanted.there(index.units(index.passing(numbers, wanted.filters))))
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


def _state(found: Candidates, index: Index, wanted: Wanted) -> None:
    """What the user's memories state of what is asked, in whatever words ("where do I work": 用户在云帆科技工作)."""
    standing, most = index.at(wanted.question.now), FEW if found.units else math.inf
    wish, kinds = asked_of_user(wanted.question.text, standing), cues_of(wanted.question.text).wholes
    told = wish.told.union(*(kind.attributes for kind in kinds))
    stating = standing.of_kind((), wish.slots, SLOTS) if wish.slots else []
    for kind in (each for each in kinds if each.most <= most):
        stating += standing.of_kind(kind.categories, kind.attributes, kind.most)
    ids = {each.id for each in stating if not orjson.loads(each.line).get("outdated_by")}
    telling = standing.telling(told, MOST_TELLING)
    telling += standing.telling({*map(maybe, told)}, MOST_TELLING - len(telling))
    ids |= {each.id for each in _of_their_kind(telling, told)}
    units = index.units(index.passing([*index.numbers(ids, "memory").values()], wanted.filters))
    others = [] if wish.kinds else others_named(wanted.question.text)  # "who is Dee?" asks for nobody else
    stated = {
        number: unit
        for number, unit in units.items()
        if is_asked_of(wanted.question.text, unit.text)
        and (not others or any(speaks_of(name, unit.text.lower()) for name in others))
    }
    found.units.update(stated)
    found.stated.update(stated)


def _of_their_kind(telling: list[Ranked], told: Collection[str]) -> list[Ranked]:
    """The memories without the sentences of a model that are of another kind than the attributes: they mention them."""
    kinds = {about(name).get("category") for name in told}
    rows = ((each, orjson.loads(each.line)) for each in telling)
    return [each for each, row in rows if row.get("form") != STATEMENT or row.get("category") in kinds]


def _remember(found: Candidates, index: Index, question: Question, zone: ZoneInfo, layer: int = 0) -> None:
    """What is known of the memories among the units."""
    first, end = layer + first_of(MEMORIES[0]), layer + OVERLAY
    kept = {unit.key: number for number, unit in found.units.items() if first <= number < end}
    if not kept:
        return
    rows = index.at(question.now).these(kept)
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
            denies=not line.get("polarity", True) and not any(term in value.lower() for term in question.terms),
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
    masks = {number: masks[number] for number in overlay.passing(masks, wanted.filters)}
    found.masks.update((number | OVERLAY, mask) for number, mask in masks.items())
    found.units.update((number | OVERLAY, unit) for number, unit in overlay.units(masks).items())
