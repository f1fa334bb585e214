"""What somebody was at an employer whom they have left: "User works as a designer at Globex" is over with Globex."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memory_system import text
from memory_system.attributes import EMPLOYER
from memory_system.records import Fact
from memory_system.store.keys import slot_key
from memory_system.store.store import Memories, facts_of

_POSTS = ("occupation", "position")


def held_there(over: Iterable[Fact], new: Fact, memories: Memories) -> Iterator[Fact]:
    """The posts of which a memory says that they are with an employer whose place the new fact takes, unless that is
    only the same by a longer name; what the owner has set stays."""
    for employer in over:
        if employer.attribute != EMPLOYER or not employer.polarity or _is_same(employer, new):
            continue
        for attribute in _POSTS:
            for fact in facts_of(memories.find(slot_key(employer.subject, attribute)), memories):
                if (
                    text.stands_in(employer.value, fact.content)
                    and fact.polarity
                    and fact.said_at < new.said_at
                    and not fact.is_owners
                ):
                    yield fact


def _is_same(employer: Fact, new: Fact) -> bool:
    """Whether the new fact names the same employer, and does not deny it."""
    if new.attribute != EMPLOYER or not new.polarity:
        return False
    return text.stands_in(employer.value, new.value) or text.stands_in(new.value, employer.value)
