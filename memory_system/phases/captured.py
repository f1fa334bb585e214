"""What the owner captures is read by the rules that read their notes, so that it fills its slot and ends what it
replaces: "User moved to Boston" is about where they live. Its words, importance and ref stay as they were given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from memory_system.phases import Night, extract, segment
from memory_system.privacy.trust import is_owners
from memory_system.records import CAPTURED, CLAIM, USER, Fact
from memory_system.store.keys import content_key
from memory_system.turns import Claim, Message, Turn

Captured = tuple[Fact, list[Claim]]


def read(captures: Iterable[Fact], night: Night, known: Mapping[str, str]) -> Iterator[Captured]:
    """Each capture with what it states; an agent's words and what was captured as a belief state nothing."""
    for capture in captures:
        states = type(capture) is Fact and not capture.attribute and is_owners(capture.evidence)
        yield capture, _stated(capture, night, known) if states else []


def _stated(capture: Fact, night: Night, known: Mapping[str, str]) -> list[Claim]:
    said, message = capture.evidence[0], Message(CAPTURED, capture.id, "note", "", capture.said_at, capture.content)
    meant = [replace(each, stance="asserted", earnest=extract.CERTAIN) for each in segment.cut(message)]
    found = extract.run([Turn(message, meant)], night, Counter(), known)
    return [replace(each, ref=said.ref, role=said.role) for each in found if each.form == CLAIM]


def in_its_slot(capture: Fact, claims: Iterable[Claim], night: Night) -> Fact:
    """The capture in the first slot that it fills. What would run out (an appointment) stays what it is: it was
    captured to be kept."""
    lasting = (each for each in claims if each.category not in vars(night.config.expiry))
    slot = next((each for each in lasting if each.attribute), None)
    if slot is None or capture.attribute:
        return capture
    names = ("category", "subject", "attribute", "value", "polarity", "event_time")
    others = (each for each in (slot.subject,) if each != USER and each not in capture.entities)
    changed = {name: getattr(slot, name) for name in names} | {"entities": (*capture.entities, *others)}
    return capture.model_copy(update=changed)


def says_no_more(capture: Fact, claims: list[Claim]) -> bool:
    """Whether the capture says its slot and nothing beside it."""
    return (
        len(claims) == 1 and bool(claims[0].attribute) and content_key(claims[0].quote) == content_key(capture.content)
    )
