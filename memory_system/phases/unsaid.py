"""Phase 4a, after the claims: what the owner asks no longer to keep, although it was told days before ("about
Ana's move, drop it please"), goes out of sight. Its memories leave for the archive, where no search finds them, nor the
messages that they stand on, until the owner brings them back (`memory restore`); `memory forget` deletes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memory_system.phases import Night, evidence, linking
from memory_system.privacy.trust import is_owners_word
from memory_system.records import UNSAID, Fact, Problem
from memory_system.store.draft import Draft
from memory_system.turns import Message
from memory_system.understand import matters
from memory_system.understand.withheld import TakingBack, named_before

ENOUGH = 1.0  # of what is meant: a term that no other message has, or several that few have
LEAD = 1.5  # by which it is surely meant, times what the next shares
UNCLEAR = "it asks not to keep something that was said before, and it is not clear which memory that is"
HINT = "find it: memory search WORDS; then: memory forget ID"


def run(messages: Iterable[Message], draft: Draft, night: Night, problems: list[Problem]) -> Draft:
    """The facts without what the messages, those of the night, ask no longer to keep. Where it is not clear what is
    meant, nothing goes, and that is a problem to be told."""
    near = TakingBack[str]()
    for message in messages:
        is_met = [ref for ref in near.heard(message, message.ref) if ref != message.ref]  # it was said right before
        if not is_met and is_owners_word(message) and (matter := named_before(message)):
            meant = _meant(matter, message, draft)
            for record in meant:
                evidence.retire(record, UNSAID, draft, night)
            if not meant:
                problems.append(Problem(message.ref, UNCLEAR, HINT))
    return draft


def _meant(matter: str, wish: Message, draft: Draft) -> list[Fact]:
    """The memories of the message that shares most with the words of the wish; none where another shares nearly as
    much."""
    shared: dict[str, float] = defaultdict(float)
    told: dict[str, dict[str, Fact]] = defaultdict(dict)
    for held in linking.holders(matters.telling(matter), matters.terms_of, draft).values():
        earlier = [each for each in held if each.said_at < wish.said_at and not (each.is_owners or each.pinned)]
        refs = {linking.message_of(each) for each in earlier}
        for record in earlier:
            told[linking.message_of(record)][record.id] = record
        for ref in refs:
            shared[ref] += 1 / len(refs)
    first, second = [*sorted(shared, key=lambda ref: (-shared[ref], ref)), "", ""][:2]
    is_sure = shared[first] >= max(ENOUGH, LEAD * shared[second])
    return [*told[first].values()] if is_sure else []
