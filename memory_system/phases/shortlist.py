"""Which memories may stand in the snapshot: those that hold today, that today's rules or the owner support, and that
say something of their own, not again what stands elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from operator import attrgetter

import orjson

from memory_system import clock
from memory_system.attributes import GRAVE, topics_of
from memory_system.phases.evidence import RULE
from memory_system.privacy import trust
from memory_system.recall.around import followed
from memory_system.recall.search_index import Index
from memory_system.recall.views import Ranked, Standing
from memory_system.records import ASSISTANT, CAPTURED, CLAIM, QUOTE, STATEMENT, USER, Belief, Fact, Summary, from_line
from memory_system.store.gist import gist_of
from memory_system.store.retention import PROTECTED
from memory_system.text import language, told_in
from memory_system.understand.alone import Alone, alone_of
from memory_system.understand.judge import ORDER
from memory_system.understand.language import claim_rules
from memory_system.understand.played import may_be_played
from memory_system.understand.quotes import columns, points
from memory_system.understand.weights import SCALE

CANDIDATES = 300  # memories of a kind that are looked at; the budget holds a few dozen
LONGEST = 240  # characters of one memory in the snapshot
CONSTRAINT_CATEGORIES = ("instruction", "safety")
PLAN_CATEGORIES = ("schedule", "reminder", "todo", "plan")
PLAN_ATTRIBUTES = ("appointment", "deadline", "moves_to", "todo", "reminder", "plan")
KEPT_IN_WORDS = ("health", "identity", "reminder", *CONSTRAINT_CATEGORIES)  # also beside a model's sentences
MOVING = (*PLAN_CATEGORIES, "event", "project")  # of what somebody may speak otherwise later
PASSING = frozenset({"general", "event", "temporary"})  # kinds of remarks
RECENT_DAYS = 3
UNDATED_DAYS = 14  # after which a plan without a date is taken to be over
LESS = 0.6  # of its rank, for what is asked, or says who another is
LASTING_FROM = SCALE  # log-odds times `SCALE`, from which words are taken to tell of what lasts
CLEAR_FROM = 0  # and from which who reads nothing else understands them
OBEYED_FROM = -SCALE  # from which an order is taken to last; lower, as orders are short and none may be missing
BEHIND_FROM = 0  # the same of one that was said right behind something else
_SURE = {"zh": " (可信度 {confidence})", "en": " (confidence {confidence})"}

MOST_UNTOLD = 12  # columns of a quote's words that claims may leave untold and still say what it says
LEAST_UNTOLD = 3  # the same of what is grave, where a second allergy is one word


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may stand in the snapshot, with what was said `later` and may have made it otherwise; `rank`
    orders it and is shown."""

    record: Fact
    rank: float
    topic: str
    later: Fact | None = None

    @property
    def records(self) -> tuple[Fact, ...]:
        return (self.record, self.later) if self.later else (self.record,)

    @property
    def said(self) -> str:
        """When it was said, as a stamp."""
        return self.record.said_at or self.record.created


def candidates(index: Index, moment: datetime, faded_at: datetime, slots: Iterable[str]) -> list[Candidate]:
    """The facts and beliefs that may stand in the snapshot, best first: by effective score, and those about identity,
    health and safety by importance. `slots` are the attributes by which the user is told."""
    standing, stamp = index.at(faded_at), clock.stamp(moment)
    found = {each.id: each for each in _looked_at(standing, moment, slots)}
    records = (_candidate(each) for each in found.values())
    kept = [each for each in records if not isinstance(each.record, Summary) and holds(each.record, stamp)]
    doubted = _doubted(each.record for each in kept)
    kept = [each for each in _told_best(kept) if not _is_in_doubt(each.record, doubted)]
    kept.sort(key=lambda each: each.record.id)
    kept.sort(key=lambda each: (each.rank, each.record.said_at), reverse=True)
    refs = {each.record.evidence[0].ref for each in kept if each.record.evidence and not each.record.attribute}
    replaced = [record for line in standing.replaced_on(sorted(refs)) if (record := from_line(line)).superseded_by]
    again = _repeated((each.record for each in kept), replaced, PLAN_ATTRIBUTES)
    return _with_later([each for each in kept if each.record.id not in again], index)


def _told_best(found: Sequence[Candidate]) -> Iterator[Candidate]:
    """The candidates without what a model has left in words of the nights that it has told in sentences."""
    read = {each.record.created for each in found if each.record.form == STATEMENT}  # nights
    for each in found:
        is_left = each.record.form == QUOTE and each.record.category not in KEPT_IN_WORDS
        if not (is_left and each.record.created in read):
            yield each


def _with_later(found: Sequence[Candidate], index: Index) -> list[Candidate]:
    """The candidates with what was said later and likely makes them outdated. Of several that the same words do, what
    was said last stands, and no slot where the newer words can stand themselves, but what is grave, before them."""
    named = {each.record.id: newer for each in found if (newer := _later(each.record, index))}
    told = [each for each in found if each.record.id in named and _is_heard(each.record) and is_clear(each.record)]
    last = {named[each.record.id].id: each.record.id for each in sorted(told, key=attrgetter("said"))}
    kept = []
    for each in found:
        newer = named.get(each.record.id)
        alone = newer is not None and newer.id not in last
        if newer is None or last.get(newer.id) == each.record.id or (alone and each.record.category in GRAVE):
            kept.append(replace(each, later=newer))
        elif alone and not is_clear(newer):
            kept.append(each)
    return kept


def _later(record: Fact, index: Index) -> Fact | None:
    """What stands today of what likely makes a memory outdated, and of what likely does that in turn."""
    passed, newest = {record.id}, None
    named = "" if _is_by_hand(record) else record.likely_outdated_by
    while named and named not in passed and (found := followed(named, index)):
        passed.update(each.id for each in (*found, newest) if each)
        newest = found[-1]
        named = newest.likely_outdated_by
    return newest if newest and not newest.retired else None


def _doubted(records: Iterable[Fact]) -> dict[str, str]:
    """The ids of memories that newer ones may have made otherwise, each with when the last of these was said."""
    found: dict[str, str] = {}
    for record in records:
        found |= {each: max(record.said_at, found.get(each, "")) for each in record.doubts}
    return found


def _is_in_doubt(record: Fact, doubted: Mapping[str, str]) -> bool:
    """Whether a memory may be otherwise, as nobody has said it again or brought it back since."""
    return doubted.get(record.id, "") > (record.last_confirmed or record.said_at) and not _is_by_hand(record)


def is_clear(record: Fact) -> bool:
    """Whether who reads nothing else understands it, and what it says is meant."""
    return not _is_heard(record) or (_alone(record).clear >= CLEAR_FROM and not may_be_played(_words(record)))


def is_lasting(record: Fact) -> bool:
    """Whether it tells, read alone, of what lasts."""
    return is_clear(record) and (not _is_heard(record) or _alone(record).lasts >= LASTING_FROM)


def is_standing_order(record: Fact) -> bool:
    """Whether an order is meant for good, and not for once, and can be obeyed without what stood around it."""
    if not _is_heard(record):
        return True
    words = _words(record)
    least = BEHIND_FROM if record.context else OBEYED_FROM
    leans = bool(record.context) and points(words, told_in(language(words)))
    return not leans and _alone(record).lasts >= least and not may_be_played(words)


def _is_heard(record: Fact) -> bool:
    """Whether it is what a person has said, and was not put there by hand: that is as the owner wants it. An order to
    the assistant is hardly more than its words, although it fills a slot."""
    in_words = record.form == QUOTE or (record.form == CLAIM and record.attribute == ORDER)
    return in_words and record.subject != ASSISTANT and not _is_by_hand(record)


def _is_by_hand(record: Fact) -> bool:
    return record.is_owners or record.pinned or record.method == CAPTURED


def _alone(record: Fact) -> Alone:
    return alone_of(_words(record), told_in(language(_words(record))))


def _words(record: Fact) -> str:
    """The words as they were said."""
    return record.evidence[0].quote if record.evidence else record.content


def _looked_at(standing: Standing, moment: datetime, slots: Iterable[str]) -> Iterable[Ranked]:
    """The memories among which is chosen."""
    recent = clock.stamp(moment - timedelta(days=RECENT_DAYS - 1)), clock.stamp(moment + timedelta(days=1))
    yield from standing.ranked(CANDIDATES)
    yield from standing.ranked(CANDIDATES, categories=(*PROTECTED, *CONSTRAINT_CATEGORIES))
    yield from standing.ranked(CANDIDATES, categories=MOVING)
    yield from standing.ranked(CANDIDATES, said=recent)
    yield from standing.of_kind((), (*slots, *PLAN_ATTRIBUTES), CANDIDATES)
    yield from standing.of_others(CANDIDATES)


def _candidate(ranked: Ranked) -> Candidate:
    record = from_line(ranked.line)
    rank = (record.importance if record.category in PROTECTED else ranked.score) * (LESS if _is_less(record) else 1)
    topic = next(topics_of(orjson.loads(ranked.line)), f"{record.subject}/{record.category}")
    return Candidate(record, rank, topic)


def _is_less(record: Fact) -> bool:
    """Whether it ranks lower: a question, and who somebody else is."""
    asks = record.form == QUOTE and record.content.rstrip().endswith(("?", "？"))
    is_of_another = record.category == "identity" and record.subject not in (USER, ASSISTANT)
    return asks or is_of_another


def holds(record: Fact, stamp: str) -> bool:
    """Whether a memory is so at that moment, for all that is known: nothing newer stands in its place, it is not
    denied, and has not run out. What waits to be put away while the clock is in doubt is over as well."""
    is_replaced = record.outdated_by or record.superseded_by
    # Of a moment, which the night has ended: only what it says of a day may still come.
    is_of_a_moment = record.category == "temporary" and record.event_time is None and record.method != CAPTURED
    is_over = (record.expires or stamp) < stamp or is_of_a_moment
    return bool(record.polarity and not is_replaced and not is_over and is_sure(record) and is_supported(record))


def is_sure(record: Fact) -> bool:
    """Whether it was stated, or says how sure it is and stands on more than an agent's word."""
    if isinstance(record, Belief):
        return not trust.is_unproven(record)
    return record.stance != "hedged" or bool(record.promoted_from)


def is_supported(record: Fact) -> bool:
    """Whether today's rules or the owner fill the slot: what an earlier version has told needs the owner's word."""
    if record.form or not record.attribute or record.pinned or record.edited or record.method in ("", CAPTURED):
        return True
    if any(each.ref.startswith(f"{CAPTURED}:") and each.trust in trust.OWNER for each in record.evidence):
        return True
    return record.method.startswith(RULE) and record.method.removeprefix(RULE) in _rules_of_today()


@cache
def _rules_of_today() -> frozenset[str]:
    return frozenset(rule.id for lang in ("en", "zh") for rule in claim_rules(lang))


def is_promise(record: Fact) -> bool:
    """Whether it is the assistant's own word: all that may stand of it is what it promises for a day to come."""
    return record.subject == ASSISTANT and not trust.is_owners(record.evidence)


def is_past(record: Fact, moment: datetime) -> bool:
    """Whether it was a plan that is over by the moment, or one without a date of some time ago."""
    if record.category not in PLAN_CATEGORIES and record.attribute not in PLAN_ATTRIBUTES:
        return False
    if record.event_time is not None:
        return record.event_time.end <= moment.strftime("%Y-%m-%dT00:00")
    return (record.said_at or record.created) < clock.stamp(moment - timedelta(days=UNDATED_DAYS))


def for_core(found: Iterable[Candidate], remark: float) -> tuple[list[Candidate], list[Candidate]]:
    """The candidates that every conversation needs, and the remarks, which fill what room is left, both in the same
    order. `remark` is the importance of what nothing stresses."""
    kept: tuple[list[Candidate], list[Candidate]] = [], []
    for each in found:
        kept[not _lasts(each.record, remark)].append(each)
    return kept


def _lasts(record: Fact, remark: float) -> bool:
    """Whether it is more than a remark: it fills a slot, is about somebody else or a thing that has a name, is of a
    kind that lasts, was stressed or repeated, or written down by hand."""
    return bool(
        record.attribute
        or record.subject != USER
        or record.category not in PASSING
        or record.importance > remark
        or record.method == CAPTURED
    )


def short(record: Fact) -> str:
    """The memory on one line of some length; a belief says how sure it is."""
    content = trust.shown(" ".join(record.told.split()))
    content = content if len(content) <= LONGEST else content[: LONGEST - 1] + "…"
    sure = _SURE.get(record.lang, _SURE["en"])
    return content + sure.format(confidence=record.confidence) if isinstance(record, Belief) else content


def _repeated(records: Iterable[Fact], replaced: Iterable[Fact], plans: Collection[str]) -> set[str]:
    """The ids of the memories of whose words claims among them tell all, of those that tell a value in whose place
    another stands (`replaced` are the claims that gave way), and of plans (attributes) of which a quote says more."""
    records = list(records)
    telling, gone = _by_ref(each for each in records if each.attribute), _by_ref(replaced)
    plain = [each for each in records if not each.attribute and each.form != STATEMENT]
    again = {each.id for each in plain if _tells_again(each, telling) or _shared(each, gone)}
    quoted = [each for each in plain if each.form == QUOTE and each.id not in again]
    return again | {
        claim.id
        for quote in quoted
        for claim in _shared(quote, telling)
        if claim.attribute in plans and claim.event_time == quote.event_time
    }


def _by_ref(claims: Iterable[Fact]) -> Mapping[str, list[Fact]]:
    """The claims by the messages they stand on."""
    found: dict[str, list[Fact]] = defaultdict(list)
    for claim in claims:
        for ref in {each.ref for each in claim.evidence}:
            found[ref].append(claim)
    return found


def _shared(record: Fact, claims: Mapping[str, list[Fact]]) -> list[Fact]:
    """The claims that were read out of the memory's own words."""
    if not record.evidence:
        return []
    ref, words = record.evidence[0].ref, record.evidence[0].quote
    return [
        claim
        for claim in claims.get(ref, ())
        if any(
            each.ref == ref and each.quote and (each.quote in words or words in each.quote) for each in claim.evidence
        )
    ]


def _tells_again(record: Fact, claims: Mapping[str, list[Fact]]) -> bool:
    """Whether claims of the same words say all that the memory says, or an earlier version has told them twice. Few
    words may be grave: what must not be missing is only told by a claim of its category."""
    telling = _shared(record, claims)
    if record.category in KEPT_IN_WORDS and all(claim.category != record.category for claim in telling):
        return False
    if record.form != QUOTE:
        return any(each.quote == record.evidence[0].quote for claim in telling for each in claim.evidence)
    most = LEAST_UNTOLD if record.category in PROTECTED else MOST_UNTOLD
    return bool(telling) and _untold(record, telling) <= most


def _untold(record: Fact, claims: Iterable[Fact]) -> int:
    """The columns that those words of a quote take which stand in none of the claims."""
    told = {word for claim in claims for word in gist_of(claim.content).words}
    return sum(columns(word) for word in gist_of(record.evidence[0].quote).words if word not in told)
