"""Which older memories may speak of the same thing as a claim, as far as words tell: those that share its rarest terms,
or were said shortly before it. And all that tells whether the claim makes one of them outdated: what both name, what
differs in both, how far apart they were said, and how surely the claim changes something at all
(`understand/weights` weighs it).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from memory_system import clock, dates, text
from memory_system.phases import Night
from memory_system.records import CLAIM, USER, Belief, Fact, Summary, session_of, successor_of
from memory_system.store.draft import Draft
from memory_system.store.gist import gist_of, tells_not, tells_of_past
from memory_system.store.keys import Key, day_key, newest_of, telling_key
from memory_system.store.store import Memories
from memory_system.turns import Claim
from memory_system.understand import matters
from memory_system.understand.features import SHAPES
from memory_system.understand.judge import CHANGES
from memory_system.understand.matters import OWN, telling
from memory_system.understand.weights import SCALE

RARE = 8  # messages whose memories may have a term by which what is meant is found
LOOKED_AT = 24  # memories with a term that are looked at: a message gives several
OF_EACH = 4  # memories of the same day, or of the same kind of thing, that are looked at, the newest
LATELY = 12  # memories of the same session that may be meant although they share no word

Read = Callable[[str], Collection[str]]  # the terms of a sentence
SUREST, LEAST = 3, -4  # log-odds of a change, at most and at least
MINUTES = (3, 15, 120, 24 * 60, 3 * 24 * 60, 8 * 24 * 60, 31 * 24 * 60)  # apart
_DIGITS = re.compile(r"\d+(?:[.:]\d+)*")
_PAUSE = re.compile(rf"[,;!?，。；！？\n]+|\.(?!\d)|(?<=[{text.CJK}]) +")


@dataclass(frozen=True)
class Shared:
    """A memory that stands today, with the terms that it, or what it stands for, shares with a claim: each weighs the
    more, the fewer messages have it. `beside` are those that only stood around the claim."""

    record: Fact
    weights: dict[str, float]
    beside: dict[str, float] = field(default_factory=dict)

    @cached_property
    def weight(self) -> float:
        return sum(sorted(self.weights.values())) + sum(sorted(self.beside.values())) / 2

    @property
    def day(self) -> str:
        """The day that the memory tells of; empty where it names none."""
        return self.record.event_time.day if self.record.event_time else ""

    @property
    def said_in(self) -> str:
        return message_of(self.record)


def message_of(record: Fact) -> str:
    """The ref of the message that a memory stands on first."""
    return record.evidence[0].ref if record.evidence else record.id


def words_of(claim: Claim) -> str:
    """The words of a claim, with those that it leans on where its own tell nothing ("It got moved to Friday.")."""
    return claim.quote if telling(claim.quote) else f"{claim.quote}\n{claim.beside}"


def candidates(claim: Claim, draft: Draft, night: Night) -> list[Shared]:
    """The memories that share a term with the claim, or with what it leans on, or were said shortly before it, in the
    order of their ids. Where one of the claim's own message stands in the place of another already, that one is among
    them."""
    own = telling(claim.quote)
    beside = [each for each in telling(claim.beside) if each not in own]
    found: dict[str, Shared] = {}
    for term, held in holders((*own, *beside), matters.terms_of, draft).items():
        others = [each for each in held if message_of(each) != claim.ref]
        count = len({message_of(each) for each in others})  # a claim and a quote of the same words are one
        for each in others if count <= RARE else ():
            if record := _standing_for(each, draft):
                shared = found.setdefault(record.id, Shared(record, {}))
                (shared.weights if term in own else shared.beside)[term] = 1 / count
    for record in (*_lately(claim, draft), *_of_its_days(claim, draft, night), *_of_its_kind(claim, draft)):
        found.setdefault(record.id, Shared(record, {}))
    return [found[key] for key in sorted(found)]


def shared_with(claim: Claim, found: Iterable[Shared]) -> Iterator[Shared]:
    """Those of what was found that share more with the words of the claim than somebody's name."""
    own = bool(telling(claim.quote))
    for each in found:
        people, weights = people_in(each.record), each.weights if own else each.beside
        if named := {term: weight for term, weight in weights.items() if term not in people}:
            yield Shared(each.record, named)


def of_the_same_day(claim: Claim, draft: Draft) -> list[Shared]:
    """What was said in the claim's session of a day or an hour that it names."""
    found = holders(matters.days_of(claim.quote), matters.days_of, draft).values()
    said = {each.id: each for held in found for each in held if session_of(each.source) == session_of(claim.ref)}
    return [Shared(each, {}) for _, each in sorted(said.items()) if message_of(each) != claim.ref]


def _lately(claim: Claim, draft: Draft) -> Iterator[Fact]:
    """What the night has kept last, of the claim's session."""
    latest = (key for key in islice(reversed(draft.changed), LATELY) if draft.pool_of(key) == "active")
    for record in told_of(latest, draft):
        if session_of(record.source) == session_of(claim.ref) and message_of(record) != claim.ref:
            yield record


def _of_its_days(claim: Claim, draft: Draft, night: Night) -> Iterator[Fact]:
    """What was to happen on a day that the claim may name."""
    for day in sorted(days_named(claim, night)):
        yield from _newest(day_key(day), claim, draft)


def _of_its_kind(claim: Claim, draft: Draft) -> Iterator[Fact]:
    """What tells of the same kind of thing: a medicine, a home."""
    for attribute in attributes_of(claim):
        yield from _newest(telling_key(attribute), claim, draft)


def _newest(key: Key, claim: Claim, draft: Draft) -> Iterator[Fact]:
    newest = told_of(newest_of(draft.find(key))[-OF_EACH:], draft)
    return (record for record in newest if message_of(record) != claim.ref)


def days_named(claim: Claim, night: Night) -> dict[str, bool]:
    """The days of which a claim may speak, as ISO dates, and whether it says which day more exactly than by its name
    in the week."""
    return _days_in(claim.quote, claim.said_at, night.zone)


@lru_cache(maxsize=8)
def _days_in(words: str, said_at: str, zone: tzinfo) -> dict[str, bool]:
    """The days that words may name; they are asked for with each memory that may be meant."""
    if not dates.is_timely(words):
        return {}
    said = clock.read_stamp(said_at).astimezone(zone)
    sure = {when.start.date(): True for when in dates.find(words, said)}
    return {day.isoformat(): exact for day, exact in {**sure, **dates.nameable(words, said.date())}.items()}


def attributes_of(told: Claim | Fact) -> tuple[str, ...]:
    """The kinds of things that a claim or a memory tells of."""
    return tuple(dict.fromkeys((*([told.attribute] if told.attribute else ()), *told.tells)))


def has_taken_a_place(claim: Claim, draft: Draft) -> bool:
    """Whether a claim of the same words has superseded what they mean."""
    held = holders(telling(words_of(claim)), matters.terms_of, draft).values()
    return any(each.supersedes and message_of(each) == claim.ref for some in held for each in some)


def holders(terms: Iterable[str], read: Read, draft: Draft) -> dict[str, list[Fact]]:
    """The active memories that have each of the terms, as `read` finds these; of what very many have, none."""
    wanted = {term: matters.words_of(term) for term in terms}
    found = draft.find_alike(dict.fromkeys(each for words in wanted.values() for each in words))
    return {
        term: held
        for term, words in wanted.items()
        if (held := list(_having(term, (found.get(each, []) for each in words), read, draft)))
    }


def _having(term: str, ids: Iterable[Collection[str]], read: Read, draft: Draft) -> Iterator[Fact]:
    """Those of the memories with all of a term's words that have the term."""
    common = set.intersection(*map(set, ids))
    found = told_of(sorted(common) if len(common) <= LOOKED_AT else (), draft)
    return (record for record in found if term in read(record.content))


def told_of(ids: Iterable[str], memories: Memories) -> Iterator[Fact]:
    """Those of the memories that are there and sum up no others."""
    for each in ids:
        record = memories.get(each)
        if record is not None and not isinstance(record, Summary):
            yield record


def _standing_for(record: Fact, draft: Draft) -> Fact | None:
    """The memory itself, or what stands in its place; None where that is not active."""
    passed = {record.id}
    while (named := successor_of(vars(record))) and named not in passed and (found := draft.get(named)):
        passed.add(named)
        record = found
    return record if draft.pool_of(record.id) == "active" else None


def people_in(record: Fact) -> frozenset[str]:
    """Terms that are only somebody's name."""
    named = (term for name in record.entities[1:] for term in matters.terms_of(name))
    return frozenset((*named, *matters.company(record.content)))


def features_of(shared: Shared, found: Collection[Shared], claim: Claim, night: Night) -> set[str]:
    """All that speaks for or against that the claim makes the memory outdated, `found` being all that may be meant."""
    newer, older = claim.quote, shared.record.content
    said = _said_of(shared, newer), _said_of(shared, older)
    told = {*_of_terms(shared, claim, said), *_of_rank(shared, found), *_of_time(shared.record, claim, night)}
    told |= {*_of_its_day(shared, found, claim, night), *_of_kind(shared, claim), *_of_change(claim)}
    told |= {f"whole {each}" for each in _of_values(newer, older)}
    return told | {*_of_values(*said)}


def _of_terms(shared: Shared, claim: Claim, said: tuple[str, str]) -> Iterator[str]:
    """What both name, and how much of what either speaks of that is; `said` are the clauses of both that say it."""
    people = people_in(shared.record)
    terms = [each for each in shared.weights if each not in people]
    mine, theirs, size = telling(claim.quote), telling(shared.record.content), matters.size_of(terms)
    yield f"shared {min(size, 4)}"
    yield f"rare {min(sum(map(matters.is_rare, terms)), 3)}"
    yield f"names {min(len(shared.weights) - len(terms), 2)}"
    yield f"beside {min(matters.size_of(shared.beside), 3)}"
    yield f"held {min((round(1 / shared.weights[each]) for each in terms), default=0)}"
    yield f"of newer {_share(size, matters.size_of(mine))}"
    yield f"of older {_share(size, matters.size_of(theirs))}"
    for name, words, clause in zip(("newer", "older"), (claim.quote, shared.record.content), said, strict=True):
        spoken = telling(clause)
        common = matters.size_of([each for each in spoken if each in terms])
        yield f"said of {name} {_share(common, matters.size_of(spoken))}"
        yield f"long {name} {min(len(words) // 60, 4)}"
    everyday = {*matters.terms_of(claim.quote)} & {*matters.terms_of(shared.record.content)} - {*mine}
    yield f"everyday {min(len(everyday), 2)}"


def _share(part: int, whole: int) -> int:
    """A part of the whole in quarters."""
    return -(-4 * part // whole) if whole else 5


def _of_rank(shared: Shared, found: Collection[Shared]) -> Iterator[str]:
    """How the memory stands among all that may be meant."""
    better = sum(each.weight > shared.weight for each in found)
    yield f"better {min(better, 3)}"
    if not better:
        ties = [each for each in found if each.weight == shared.weight]
        yield f"ties {min(len({each.said_in for each in ties}), 4)}"
        yield f"latest {shared.record.said_at == max(each.record.said_at for each in ties)}"


def _of_time(record: Fact, claim: Claim, night: Night) -> Iterator[str]:
    """When both were said, and of what times they tell."""
    apart = clock.read_stamp(claim.said_at) - clock.read_stamp(record.said_at)
    minutes = apart.days * 24 * 60 + apart.seconds // 60
    same = session_of(record.source) == session_of(claim.ref)
    yield f"apart {sum(minutes >= each for each in MINUTES)} {same}"
    yield f"ahead {lies_ahead(record, claim, night)} {record.event_time is not None}"
    mine, theirs = claim.event_time, record.event_time
    yield f"times {mine is not None} {theirs is not None}"
    if mine and theirs:
        yield f"same day {mine.day == theirs.day}"


def _of_its_day(shared: Shared, found: Iterable[Shared], claim: Claim, night: Night) -> Iterator[str]:
    """Whether the claim may name the day that the memory tells of, and with it another, as what changes it does."""
    if not shared.day or not (named := days_named(claim, night)):
        return
    how = {True: "exactly", False: "in the week", None: "not"}[named.get(shared.day)]
    another = claim.event_time is not None and claim.event_time.day != shared.day
    yield f"its day {how} {another} {_sureness(max(claim.changes, default=LEAST * SCALE)) >= 0}"
    yield f"day of {min(sum(each.day == shared.day for each in found), 3)} {how}"


def lies_ahead(record: Fact, claim: Claim, night: Night) -> bool:
    """Whether the memory tells of a time that was not over when the claim was made."""
    said = str(night.local(claim.said_at).date())
    return record.event_time is not None and record.event_time.end > said


def _said_of(shared: Shared, words: str) -> str:
    """The clause that says most of what both name."""
    weights = {**shared.beside, **shared.weights}
    return max(_PAUSE.split(words), key=lambda each: sum(sorted(weights.get(term, 0.0) for term in telling(each))))


def _of_values(newer: str, older: str) -> Iterator[str]:
    """Days, numbers and sizes: whether the newer words name those of the older, or others."""
    mine, theirs = _values_in(newer), _values_in(older)
    yield f"days {_compared(mine.days, theirs.days)}"
    yield f"numbers {_compared(mine.numbers, theirs.numbers)}"
    for (name, _), new, old in zip(SHAPES, mine.shapes, theirs.shapes, strict=True):
        if new and old:
            yield f"both {name} {new == old}"


class _Values(NamedTuple):
    """Days and numbers that words name, and of each shape the first that stands there; empty where none does."""

    days: tuple[str, ...]
    numbers: tuple[str, ...]
    shapes: tuple[str, ...]


@lru_cache(maxsize=512)  # a claim is compared with one memory after another
def _values_in(words: str) -> _Values:
    plain = words.lower()
    shapes = (shape.search(plain) for _, shape in SHAPES)
    return _Values(
        matters.days_of(words), tuple(_DIGITS.findall(words)), tuple(each[0] if each else "" for each in shapes)
    )


def _compared(mine: Collection[str], theirs: Collection[str]) -> str:
    if not mine or not theirs:
        return f"{bool(mine)} {bool(theirs)}"
    common = {*mine} & {*theirs}
    return "same" if common == {*mine} else "some" if common else "others"


def _of_kind(shared: Shared, claim: Claim) -> Iterator[str]:
    """Of what kind both are, how they are meant, and whose the thing is."""
    record = shared.record
    yield f"older {record.category}"
    yield f"newer {claim.category}"
    yield f"kinds {record.category == claim.category}"
    yield f"forms {claim.form} {record.form} {bool(record.attribute)}"
    yield f"stance {claim.stance} {record.stance} {isinstance(record, Belief)}"
    yield f"past {tells_of_past(gist_of(record.content))} {tells_of_past(gist_of(claim.quote))}"
    yield f"not {tells_not(gist_of(record.content))} {tells_not(gist_of(claim.quote))}"
    yield f"owners {_owned_alike(shared, claim)}"
    common = {*attributes_of(claim)}.intersection(attributes_of(record))
    yield f"tells {min(len(common), 2)}"
    yield from (f"both tell {each}" for each in common)


def _owned_alike(shared: Shared, claim: Claim) -> str:
    mine, theirs = owners_in(shared, claim, claim.quote)
    if not matters.may_be_one(mine, theirs):
        return "others"
    return "alike" if mine & theirs else "open" if not mine else "somebody's"


def owners_in(shared: Shared, claim: Claim, words: str) -> tuple[frozenset[str], frozenset[str]]:
    """Whose the thing is by the claim, whose words these are, and by the memory."""
    record = shared.record
    names = (*claim.entities[1:], *record.entities[1:])
    mine = _owners_of(claim.subject, claim.form, words, shared, names)
    return mine, _owners_of(record.subject, record.form, record.content, shared, names)


def _owners_of(subject: str, form: str, words: str, shared: Shared, names: tuple[str, ...]) -> frozenset[str]:
    """Whose the thing is: of a slot, whom it is about."""
    if form == CLAIM:
        return frozenset({OWN if subject == USER else subject.casefold()})
    return matters.owners_of(words, shared.weights, names)


def _of_change(claim: Claim) -> Iterator[str]:
    """How surely the claim changes something at all, and how."""
    yield f"surest {_sureness(max(claim.changes, default=LEAST * SCALE))}"
    for name, each in zip(CHANGES, claim.changes, strict=False):
        yield f"{name} {_sureness(each)}"


def _sureness(sum_of_change: int) -> int:
    """A sum of the judge in whole log-odds."""
    return max(LEAST, min(SUREST, sum_of_change // SCALE))
