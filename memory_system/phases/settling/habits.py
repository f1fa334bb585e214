"""What a user does again and again says what they care about: who asks about the same thing on several days is taken to
be interested in it. Each day is a source by itself, none of them sure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, tzinfo

from memory_system import attributes, clock
from memory_system.phases import Night
from memory_system.phases.understanding.wondering import Wondered, is_topic
from memory_system.records import ASKED, STOCK_NAMES, USER, USER_NAME, Evidence, Fact
from memory_system.rules import table
from memory_system.store.draft import Draft
from memory_system.store.keys import entity_key
from memory_system.text import told_in
from memory_system.turns import Claim

DAYS = 3  # on which somebody asks before it is a habit
CONFIDENCE = 0.6  # of one of them
BASIS = "asks about it on several days"
_OF_A_QUESTION = f'"rule:{ASKED}.'.encode()  # without it a line need not be parsed


def claims(facts: Draft, memories: Draft, night: Night, asked: Iterable[Wondered] = ()) -> Iterator[Claim]:
    """A claim for each day, where the owner lives, on which the user asked about what they asked about again this
    night; `asked` are the questions that are too short for memories."""
    changed = (memories.get(each) for each in facts.changed if _OF_A_QUESTION in (memories.line_of(each) or b""))
    short: dict[str, list[Wondered]] = defaultdict(list)
    for each in asked:
        short[each.name].append(each)
    for name in dict.fromkeys([*(name for fact in changed for name in _asked_about(fact)), *short]):
        found = (memories.get(each) for each in sorted(memories.find(entity_key(name))))
        remembered = [each for each in found if each is not None and name in _asked_about(each)]
        by_day = {_day(each.said_at, night.zone): _of_question(each, night) for each in short.get(name, ())}
        by_day |= {
            _day(each.said_at, night.zone): _of_fact(name, each, fact) for fact in remembered for each in fact.evidence
        }
        if len(by_day) >= DAYS and is_topic(name, (each.quote for each in by_day.values())):
            yield from (by_day[day] for day in sorted(by_day))


def _day(said_at: str, zone: tzinfo) -> date:
    return clock.local_date(clock.read_stamp(said_at), zone)


def _asked_about(fact: Fact | None) -> tuple[str, ...]:
    """What a question of the user's names, beside the two who speak: "Ana asks Ben to mend the boat"."""
    if type(fact) is not Fact or fact.subject != USER or not fact.was_asked:
        return ()
    return tuple(name for name in fact.entities[1:] if name not in STOCK_NAMES and f" asks {name} " not in fact.content)


def _of_fact(name: str, said: Evidence, fact: Fact) -> Claim:
    """That the user is interested in it, as that day's question suggests."""
    lang = told_in(fact.lang)
    who = fact.entities[0] if fact.entities else USER_NAME[lang]
    return replace(
        _claim(name, who, lang, said.quote, said.ref, said.said_at, said.role),
        importance=fact.importance,
        trust=said.trust,
    )


def _of_question(asked: Wondered, night: Night) -> Claim:
    """The same of a question that is no memory."""
    claim = _claim(asked.name, USER_NAME[asked.lang], asked.lang, asked.quote, asked.ref, asked.said_at, asked.role)
    return replace(claim, importance=attributes.importance_of("general", night.config))


def _claim(name: str, who: str, lang: str, quote: str, ref: str, said_at: str, role: str) -> Claim:
    return Claim(
        content=str(table(lang, "words")["interested"]).format(who=who, value=name),
        category="preference",
        subject=USER,
        importance=0.0,
        lang=lang,
        quote=quote,
        ref=ref,
        span=(0, len(quote)),
        said_at=said_at,
        role=role,
        method="rule:habit",
        attribute="interest",
        value=name,
        confidence=CONFIDENCE,
        basis=BASIS,
        entities=(who, name),
    )
