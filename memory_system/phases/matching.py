"""Whether a claim says again, in other words, what a memory says. Likeness alone never decides: who, negation, numbers,
modality, dates and names must agree first, and the words may differ only by a few more of them on one side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from functools import cache
from typing import TypeVar

from memory_system import clock
from memory_system.attributes import about
from memory_system.records import Fact, kind_of
from memory_system.rules import table
from memory_system.store.gist import Gist, gist_of, tells_of_past
from memory_system.store.keys import alike_key, keys_of
from memory_system.store.store import Memories
from memory_system.turns import Claim

Kind = TypeVar("Kind", bound=Fact)

_MOST = 8  # memories with the same words that are looked at
_ENOUGH = 2  # words beside names by which a sentence can be known again
_RECENT = timedelta(days=7)  # in which a deed without a date is taken for the same deed
_MEASURE = re.compile(r"(\d+(?:\.\d+)?)\s*([^\W\d][^\d]*|%)")
_OCCASIONS = frozenset({"schedule", "todo", "reminder"})  # categories of slots whose value happens at a time


def same_in_slot(claim: Claim, others: Iterable[Fact], least: float) -> Fact | None:
    """The one among other values of the claim's slot that is the same value, put otherwise."""
    slot = claim.subject, claim.attribute
    return next((each for each in others if each.slot == slot and says_the_same(claim, each, least)), None)


def find(claim: Claim | Fact, kind: type[Kind], memories: Memories, least: float) -> Kind | None:
    """The active memory of that kind that says what the claim says; `least` is the config's threshold of likeness."""
    for memory_id in _candidates(claim, kind, memories, least):
        record = memories.get(memory_id)
        if type(record) is kind and says_the_same(claim, record, least):
            return record
    return None


def _candidates(claim: Claim | Fact, kind: type[Fact], memories: Memories, least: float) -> Iterator[str]:
    """Ids of memories that may say the same, by their words or as the same value of the slot."""
    mine = gist_of(claim.content)
    found = memories.find_alike(
        keys_of(claim.content), lambda other: mine.bag == other.bag or says_more(mine, other, least)
    )
    if claim.attribute:
        found |= memories.find_alike([alike_key(claim.attribute, claim.value)])
    alike = ([each for each in ids if kind_of(each) is kind][-_MOST:] for ids in found.values())
    return iter(dict.fromkeys(each for ids in alike for each in ids))


def says_the_same(claim: Claim | Fact, record: Fact, least: float) -> bool:
    """Whether all gates are open and the words are the same but for order, spelling and what one side says more."""
    if claim.polarity != record.polarity or not same_subject(claim, record):
        return False
    if not same_occasion(claim, record):
        return False
    if claim.attribute and record.attribute:
        if claim.attribute != record.attribute:
            return False
        if _same_value(claim, record):
            return True
    mine, other = gist_of(claim.content), gist_of(record.content)
    if not (_says_enough(mine, record) and _same_deed(claim, record, mine)):
        return False
    if mine.bag == other.bag:
        return in_order(mine.words, other.words, [gist_of(name).words for name in (record.subject, *record.entities)])
    bare = not (claim.attribute or record.attribute)  # a slot says by its value what more there is to it
    names, others = ({gist_of(name).bag for name in each.entities} for each in (claim, record))
    return bare and names == others and says_more(mine, other, least)


def same_subject(claim: Claim | Fact, record: Fact) -> bool:
    """Whether both are about the same one, "User's mum" being "User's mother"."""
    return claim.subject == record.subject or gist_of(claim.subject).bag == gist_of(record.subject).bag


def _says_enough(gist: Gist, record: Fact) -> bool:
    """Whether the sentence has words beside the names in it: "she does" is no statement to be found again."""
    names = {word for name in (record.subject, *record.entities) for word in gist_of(name).words}
    return len(set(gist.words) - names) >= _ENOUGH


def same_occasion(claim: Claim | Fact, record: Fact) -> bool:
    """Whether both speak of the same time, where they speak of one that matters."""
    mine, other = claim.event_time, record.event_time
    if claim.attribute and str(about(claim.attribute).get("category")) not in _OCCASIONS:
        return True
    if mine is None or other is None:
        return mine is other or bool(claim.attribute and record.attribute)
    return (mine.start, mine.end) == (other.start, other.end)


def _same_deed(claim: Claim | Fact, record: Fact, gist: Gist) -> bool:
    """What was done without a date is the same deed only when it is told again soon."""
    if claim.event_time is not None or not tells_of_past(gist):
        return True
    mine, theirs = clock.parse_instant(claim.said_at), clock.parse_instant(record.said_at)
    return mine is not None and theirs is not None and abs(mine - theirs) <= _RECENT


def _same_value(claim: Claim | Fact, record: Fact) -> bool:
    mine, other = gist_of(claim.value).bag, gist_of(record.value).bag
    if mine == other:
        return bool(mine)
    if are_one(claim.value, record.value) or _measures_the_same(claim.value, record.value):
        return True
    return bool(about(claim.attribute).get("nested")) and _is_nested(claim.value, record.value)


def _measures_the_same(one: str, other: str) -> bool:
    """Whether both are one number of one unit: 164cm, 164厘米."""
    mine, theirs = (_MEASURE.fullmatch(each.strip().casefold()) for each in (one, other))
    if not (mine and theirs) or float(mine[1]) != float(theirs[1]):
        return False
    first, second = (_units().get(each[2].strip()) for each in (mine, theirs))
    return first is not None and first == second


@cache
def _units() -> dict[str, str]:
    """Each way to write a unit, and the one way."""
    return {unit: row[0] for row in table("alike", "units")["same"] for unit in row}


def _is_nested(one: str, other: str) -> bool:
    """Whether one only says more exactly what the other says: "Porto, Portugal", "maths teacher", 广东广州, 华为P60."""
    shorter, longer = sorted((one.casefold(), other.casefold()), key=len)
    if shorter.isascii():
        before = longer[: -len(shorter)] if shorter and longer.endswith(shorter) else ""
        return longer.startswith(f"{shorter},") or before.endswith(" ") or not before.isascii()
    return len(shorter) > 1 and longer.endswith(shorter)


def in_order(one: Sequence[str], other: Sequence[str], names: Iterable[Sequence[str]]) -> bool:
    """Whether the same words stand in the same order, or one piece of them ("every morning") stands elsewhere without
    two names changing places."""
    if one == other:
        return True
    start = next(at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
    end = len(one) - next(at for at, pair in enumerate(zip(one[::-1], other[::-1], strict=True)) if pair[0] != pair[1])
    mine, theirs = tuple(one[start:end]), tuple(other[start:end])
    cuts = [cut for cut in range(1, len(mine)) if mine[cut:] + mine[:cut] == theirs]
    return any(not (_names_any(mine[:cut], names) and _names_any(mine[cut:], names)) for cut in cuts)


def _names_any(words: Sequence[str], names: Iterable[Sequence[str]]) -> bool:
    within = f" {' '.join(words)} "
    return any(f" {' '.join(name)} " in within for name in names if name)


def says_more(one: Gist, other: Gist, least: float) -> bool:
    """Whether one sentence is the other with a few more words, none of them one that decides."""
    fewer, more = sorted((one.words, other.words), key=len)
    rest = iter(more)
    if one.signs != other.signs or not all(word in rest for word in fewer):
        return False
    from rapidfuzz import fuzz  # not needed by a night that repeats nothing

    return fuzz.ratio("".join(one.words), "".join(other.words)) >= 100 * least


def names_of(name: str) -> tuple[str, ...]:
    """All names of the place, the given one first; for what is no place that the table knows, that one alone."""
    others = _rows().get(name.casefold(), ())
    return (name, *(each for each in others if each.casefold() != name.casefold()))


def are_one(name: str, other: str) -> bool:
    """Whether both are names of one place."""
    return other.casefold() in (each.casefold() for each in _rows().get(name.casefold(), ()))


@cache
def _rows() -> dict[str, tuple[str, ...]]:
    same: list[list[str]] = table("gazetteer", "same")
    return {name.casefold(): tuple(row) for row in same for name in row}
