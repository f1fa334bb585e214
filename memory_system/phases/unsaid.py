"""Phase 4a, after the claims: what the owner asks no longer to keep, although it was told days before ("about
Ana's move, drop it please"), goes out of sight. Its memories leave for the archive, where no search finds them, nor the
messages that they stand on, until the owner brings them back (`memory restore`); `memory forget` deletes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memory_system import dates
from memory_system.phases import Night, evidence, linking
from memory_system.privacy.trust import is_owners_word
from memory_system.records import UNSAID, Fact, Problem, session_of
from memory_system.store.draft import Draft
from memory_system.turns import Message
from memory_system.understand import matters
from memory_system.understand.withheld import TakingBack, named_before

ENOUGH = 0.75  # of what is meant: a rare term that no other message has, or several that few have
COMMON = 0.5  # what a term weighs that many people would use, beside a rare one
THEN = 0.5  # what it weighs that something was said on the day that the wish names, or on its own
MOST = 3  # messages of which it is told that they may be meant
LEAD = 1.5  # by which it is surely meant, times what the next shares
UNCLEAR = "it asks not to keep something that was said before, and it is not clear which memory that is"
HINT = "find it: memory search WORDS; then: memory forget ID"
MAYBE = "it may be {ids}: memory forget ID"


def run(messages: Iterable[Message], draft: Draft, night: Night, problems: list[Problem]) -> Draft:
    """The facts without what the messages, those of the night, ask no longer to keep. Where it is not clear what is
    meant, nothing goes, and that is a problem to be told."""
    near = TakingBack[Message]()
    for message in messages:
        taken = [each for each in near.heard(message, message) if each is not message]  # what was said right before
        matter = named_before(message) if is_owners_word(message) else ""
        if matter and not any(_speaks_of(matter, each.text) for each in taken):
            told = _told_of(matter, message, draft, night)
            if _is_sure([weight for weight, _ in told]):
                for record in told[0][1]:
                    evidence.retire(record, UNSAID, draft, night)
            else:
                ids = " or ".join(each.id for _, records in told[:MOST] for each in records[:1])
                problems.append(Problem(message.ref, UNCLEAR, MAYBE.format(ids=ids) if ids else HINT))
    return draft


def _speaks_of(matter: str, words: str) -> bool:
    """Whether words share something with what is not to be kept, or nothing tells what that is."""
    telling = {*matters.telling(matter)}
    return not telling or not telling.isdisjoint(matters.telling(words))


def _is_sure(weights: Sequence[float]) -> bool:
    """Whether the first message is surely meant: none of the others shares nearly as much."""
    first, second = [*weights, 0.0, 0.0][:2]
    return first >= max(ENOUGH, LEAD * second)


def _told_of(matter: str, wish: Message, draft: Draft, night: Night) -> list[tuple[float, list[Fact]]]:
    """What each earlier message shares with the words of the wish, more where it is of the same session or of the
    day that is meant, and its memories that share it; most first."""
    shared: dict[str, float] = defaultdict(float)
    told: dict[str, dict[str, Fact]] = defaultdict(dict)
    for term, held in linking.holders(matters.telling(matter), matters.terms_of, draft).items():
        earlier = [each for each in held if each.said_at < wish.said_at and not (each.is_owners or each.pinned)]
        refs = {linking.message_of(each) for each in earlier}
        for record in earlier:
            told[linking.message_of(record)][record.id] = record
        for ref in refs:
            weight = 1.0 if matters.is_rare(term) else COMMON
            shared[ref] += weight / len(refs) + (session_of(ref) == wish.session)
    for ref in _said_then(told, matter, wish, night):
        shared[ref] += THEN
    return [(shared[ref], [*told[ref].values()]) for ref in sorted(shared, key=lambda ref: (-shared[ref], ref))]


def _said_then(told: Mapping[str, Mapping[str, Fact]], matter: str, wish: Message, night: Night) -> Iterator[str]:
    """The refs of the messages that were said on a day that the wish names, or on its own where it names none."""
    moment = night.local(wish.said_at)
    named = [(when.start.date(), when.end.date()) for when in dates.find(matter, moment)]
    for ref, records in told.items():
        said = {night.local(each.said_at).date() for each in records.values()}
        if any(first <= day <= last for day in said for first, last in named or [(moment.date(), moment.date())]):
            yield ref
