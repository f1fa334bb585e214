"""Phase 4a, after the claims: what the owner asks no longer to keep, although it was told days before ("about
Ana's move, drop it please"), or right before in other words, goes out of sight. Its memories leave for the archive,
where no search finds them, nor the messages that they stand on, until the owner brings them back (`memory restore`);
`memory forget` deletes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from memory_system import clock, dates
from memory_system.phases import Night, evidence, linking
from memory_system.privacy.tombstones import blanked
from memory_system.privacy.trust import is_owners_word
from memory_system.recall import kinds
from memory_system.records import UNSAID, Fact, Problem, session_of
from memory_system.store.draft import Draft
from memory_system.text import fold
from memory_system.turns import Message
from memory_system.understand import matters
from memory_system.understand.withheld import SOON, TakingBack, may_mean_the_last, named_before

ENOUGH = 0.75  # of what is meant: a rare term that no other message has, or several that few have
COMMON = 0.5  # what a term weighs that many people would use, beside a rare one
THEN, LATELY = 0.5, timedelta(days=1)  # what it weighs that something was said lately, where the wish names no time
BESIDE = timedelta(minutes=15)  # between messages of one matter
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
            is_near = number - said <= SOON and may_mean_the_last(message) and not _times_of(matter, message, night)[0]
            meant = _meant(told) if told else _said_in(ref if is_near else "", draft)
            for record in meant:
                evidence.retire(record, UNSAID, draft, night)
            if not meant:
                problems.append(Problem(message.ref, UNCLEAR, _hint(told)))
        if is_owners_word(message):
            last[message.session] = number, message.ref
    return draft


def _meant(told: Told) -> list[Fact]:
    """The memories of the message that is surely meant: none of the others shares nearly as much, but for those said
    right beside it, which are of the same matter. Else empty."""
    first = told[0][0] if told else 0.0
    rivals = [records for weight, records in told if LEAD * weight > first]
    if first < ENOUGH or not all(_is_beside(each[0], rivals[0][0]) for each in rivals):
        return []
    return [record for records in rivals for record in records]


def _is_beside(one: Fact, other: Fact) -> bool:
    """Whether two memories were said in one session, within a few minutes."""
    apart = abs(clock.read_stamp(one.said_at) - clock.read_stamp(other.said_at))
    return session_of(one.source) == session_of(other.source) and apart <= BESIDE


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
    """What each earlier message shares with the words of the wish, and its memories that share it; most first. Where
    the wish names times before, only those of them; else more where it is of the same session or said lately."""
    times, matter = _times_of(matter, wish, night)
    by_term = list(_earlier(matter, wish, draft))
    if then := {each.id for _, held in by_term for each in held if _is_of(each, times, night)}:
        by_term = [(weight, [each for each in held if each.id in then]) for weight, held in by_term]
    shares: dict[str, float] = defaultdict(float)
    told: dict[str, dict[str, Fact]] = defaultdict(dict)
    for weight, held in by_term:
        refs = {linking.message_of(each): each for each in held}
        for each in held:
            told[linking.message_of(each)][each.id] = each
        for ref, each in refs.items():
            shares[ref] += weight / len(refs) + (0 if times else _nearness(each, wish))
    for held in _asked_for(matter, draft):  # which adds to what shares a word, and is nothing alone
        also = {linking.message_of(each) for each in held} & shares.keys()
        shares.update((ref, shares[ref] + COMMON / len(also)) for ref in also)
    return [(shares[ref], [*told[ref].values()]) for ref in sorted(shares, key=lambda ref: (-shares[ref], ref))]


def _nearness(record: Fact, wish: Message) -> float:
    """What it weighs that something was said in the session of the wish, or within the last day."""
    apart = clock.read_stamp(wish.said_at) - clock.read_stamp(record.said_at)
    return (session_of(record.source) == wish.session) + THEN * (apart <= LATELY)


def _earlier(matter: str, wish: Message, draft: Draft) -> Iterator[tuple[float, list[Fact]]]:
    """For each word of a wish what the word weighs, and the earlier memories that have it and that words may take
    back."""
    for term, held in linking.holders(matters.telling(matter), matters.terms_of, draft).items():
        earlier = [each for each in held if each.said_at < wish.said_at and not (each.is_owners or each.pinned)]
        yield 1.0 if matters.is_rare(term) else COMMON, earlier


def _asked_for(matter: str, draft: Draft) -> Iterator[list[Fact]]:
    """For each word of a wish by which one asks for others the memories that have one of these."""
    for kind in kinds.asked_by_words(fold(matter), len(matter)):
        terms = dict.fromkeys(term for word in kinds.words_of(kind) for term in matters.telling(word))
        yield [each for held in linking.holders(terms, matters.terms_of, draft).values() for each in held]


def _times_of(matter: str, wish: Message, night: Night) -> tuple[list[dates.When], str]:
    """The times before the wish that it names, at which the matter may have been told; and the matter without all
    times, which are no word of it."""
    moment = night.local(wish.said_at).replace(tzinfo=None)
    whens = list(dates.find(matter, night.local(wish.said_at)))
    return [each for each in whens if each.end <= moment], blanked(matter, [each.span for each in whens])


def _is_of(record: Fact, times: Iterable[dates.When], night: Night) -> bool:
    """Whether a memory was said at one of the times."""
    said = night.local(record.said_at).replace(tzinfo=None)
    return any(each.start <= said < each.end for each in times)
