"""What a user does again and again says what they care about: who asks about the same thing on several days is taken to
be interested in it. Each day is a source by itself, none of them sure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, tzinfo

from memory_system import clock
from memory_system.callings import STOCK_NAMES, USER_NAME
from memory_system.draft import Draft
from memory_system.keys import entity_key
from memory_system.records import ASKED, USER, Evidence, Fact
from memory_system.rules import table
from memory_system.text import told_in
from memory_system.turns import Claim

DAYS = 3  # on which somebody asks before it is a habit
CONFIDENCE = 0.6  # of one of them
BASIS = "asks about it on several days"
_OF_A_QUESTION = f'"rule:{ASKED}.'.encode()  # without it a line need not be parsed


def claims(facts: Draft, memories: Draft, zone: tzinfo) -> Iterator[Claim]:
    """A claim for each day, where the owner lives, on which the user asked about what they asked about again this
    night."""
    changed = (memories.get(each) for each in facts.changed if _OF_A_QUESTION in (memories.line_of(each) or b""))
    for name in dict.fromkeys(name for fact in changed for name in _asked_about(fact)):
        found = (memories.get(each) for each in sorted(memories.find(entity_key(name))))
        asked = [each for each in found if each is not None and name in _asked_about(each)]
        by_day = {_day(said, zone): (said, fact) for fact in asked for said in fact.evidence}
        if len(by_day) >= DAYS:
            yield from (_claim(name, *by_day[day]) for day in sorted(by_day))


def _day(said: Evidence, zone: tzinfo) -> date:
    return clock.local_date(clock.read_stamp(said.said_at), zone)


def _asked_about(fact: Fact | None) -> tuple[str, ...]:
    """What a question of the user's names, beside the two who speak: "Ana asks Ben to mend the boat"."""
    if type(fact) is not Fact or fact.subject != USER or not fact.was_asked:
        return ()
    return tuple(name for name in fact.entities[1:] if name not in STOCK_NAMES and f" asks {name} " not in fact.content)


def _claim(name: str, said: Evidence, fact: Fact) -> Claim:
    """That the user is interested in it, as that day's question suggests."""
    lang = told_in(fact.lang)
    who = fact.entities[0] if fact.entities else USER_NAME[lang]
    return Claim(
        content=str(table(lang, "words")["interested"]).format(who=who, value=name),
        category="preference",
        subject=USER,
        importance=fact.importance,
        lang=lang,
        quote=said.quote,
        ref=said.ref,
        span=(0, len(said.quote)),
        said_at=said.said_at,
        role=said.role,
        method="rule:habit",
        attribute="interest",
        value=name,
        confidence=CONFIDENCE,
        basis=BASIS,
        entities=(who, name),
        trust=said.trust,
    )
