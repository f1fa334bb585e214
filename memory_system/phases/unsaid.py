"""Phase 4a, after the claims: what the owner asks no longer to keep, although it was told days before ("about
Ana's move, drop it please"), or right before in other words, goes out of sight. Its memories leave for the archive,
where no search finds them, nor the messages that they stand on, until the owner brings them back (`memory restore`);
`memory forget` deletes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from memory_system import dates
from memory_system.phases import Night, evidence, linking
from memory_system.privacy.tombstones import blanked
from memory_system.privacy.trust import is_owners_word
from memory_system.records import UNSAID, Fact, Problem, session_of
from memory_system.store.draft import Draft
from memory_system.turns import Message
from memory_system.understand import matters
from memory_system.understand.withheld import SOON, TakingBack, may_mean_the_last, named_before

ENOUGH = 0.75  # of what is meant: a rare term that no other message has, or several that few have
COMMON = 0.5  # what a term weighs that many people would use, beside a rare one
THEN = 0.5  # what it weighs that something was said on the day of the wish, where it names no other
MOST = 3  # messages of which it is told that they may be meant
LEAD = 1.5  # by which it is surely meant, times what the next shares
UNCLEAR = "it asks not to keep something that was said before, and it is not clear which memory that is"
HINT = "find it: memory search WORDS; then: memory forget ID"
MAYBE = "it may be {ids}: memory forget ID"
Told = Sequence[tuple[float, list[Fact]]]  # what messages share with a wish, most first, and their memories


def run(messages: Iterable[Message], draft: Draft, night: Night, problems: list[Problem]) -> Draft:
    """The facts without what the messages, those of the night, ask no longer to keep; of a wish that names nothing
    known, without what was said right before it. Where it is not clear what is meant, nothing goes, and that is a
    problem to be told."""
    near = TakingBack[Message]()
    last: dict[str, tuple[int, str]] = {}  # by session: the number and ref of what the owner said last
    for number, message in enumerate(messages):
        taken = [each for each in near.heard(message, message) if each is not message]  # what was said right before
        matter = named_before(message) if is_owners_word(message) else ""
        if matter and not any(_speaks_of(matter, each.text) for each in taken):
            told = _told_of(matter, message, draft, night)
            said, ref = last.get(message.session, (-SOON, ""))
            is_near = number - said <= SOON and may_mean_the_last(message)
            meant = _meant(told) or _said_in(ref if is_near else "", draft)
            for record in meant:
                evidence.retire(record, UNSAID, draft, night)
            if not meant:
                problems.append(Problem(message.ref, UNCLEAR, _hint(told)))
        if is_owners_word(message):
            last[message.session] = number, message.ref
    return draft


def _meant(told: Told) -> list[Fact]:
    """The memories of the message that is surely meant: none of the others shares nearly as much. Else empty."""
    first, second = [*(weight for weight, _ in told), 0.0, 0.0][:2]
    return told[0][1] if first >= max(ENOUGH, LEAD * second) else []


def _said_in(ref: str, draft: Draft) -> list[Fact]:
    """The memories that the night has kept of what the owner said right before a wish that names nothing known."""
    kept = linking.told_of([key for key in draft.changed if draft.pool_of(key) == "active"], draft) if ref else ()
    return [each for each in kept if linking.message_of(each) == ref and not (each.is_owners or each.pinned)]


def _hint(told: Told) -> str:
    """What the owner can do, with the memories that may be meant."""
    ids = " or ".join(each.id for _, records in told[:MOST] for each in records[:1])
    return MAYBE.format(ids=ids) if ids else HINT


def _speaks_of(matter: str, words: str) -> bool:
    """Whether words share something with what is not to be kept, or nothing tells what that is."""
    telling = {*matters.telling(matter)}
    return not telling or not telling.isdisjoint(matters.telling(words))


def _told_of(matter: str, wish: Message, draft: Draft, night: Night) -> Told:
    """What each earlier message shares with the words of the wish, more where it is of the same session or day, and its
    memories that share it; most first. Where the wish names days before, only those of them."""
    days, matter = _days_of(matter, wish, night)
    shares: dict[str, float] = defaultdict(float)
    told: dict[str, dict[str, Fact]] = defaultdict(dict)
    for term, held in linking.holders(matters.telling(matter), matters.terms_of, draft).items():
        earlier = [each for each in held if each.said_at < wish.said_at and not (each.is_owners or each.pinned)]
        refs = {linking.message_of(each) for each in earlier}
        for record in earlier:
            told[linking.message_of(record)][record.id] = record
        for ref in refs:
            weight = 1.0 if matters.is_rare(term) else COMMON
            shares[ref] += weight / len(refs) + (session_of(ref) == wish.session)
    shared = _by_day(shares, told, days, wish, night)
    return [(shared[ref], [*told[ref].values()]) for ref in sorted(shared, key=lambda ref: (-shared[ref], ref))]


def _by_day(
    shared: Mapping[str, float], told: Mapping[str, Mapping[str, Fact]], days: set[date], wish: Message, night: Night
) -> Mapping[str, float]:
    """What the messages share: only those of the days that the wish names, if there are any; where it names none, more
    of those of its own day."""
    said_on = {ref: {night.local(each.said_at).date() for each in records.values()} for ref, records in told.items()}
    if any(map(days.intersection, said_on.values())):
        return {ref: weight for ref, weight in shared.items() if days & said_on[ref]}
    today = set() if days else {night.local(wish.said_at).date()}
    return {ref: weight + THEN * bool(today & said_on[ref]) for ref, weight in shared.items()}


def _days_of(matter: str, wish: Message, night: Night) -> tuple[set[date], str]:
    """The days before the wish that it names, on which the matter may have been told; and the matter without its times,
    which are no word of it."""
    moment = night.local(wish.said_at)
    whens = list(dates.find(matter, moment))
    past = [each for each in whens if each.end.date() <= moment.date()]
    days = {
        each.start.date() + timedelta(number) for each in past for number in range((each.end - each.start).days or 1)
    }
    return days, blanked(matter, [each.span for each in whens])
