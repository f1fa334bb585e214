"""Phase 4c: three or more active facts of one topic give one summary, rewritten when its facts change. A topic is an
entity and a category: each kind of fact about the user by itself, and everything about another person or thing
together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from memory_system.attributes import topics_of
from memory_system.phases import Night
from memory_system.phases.composing import compose
from memory_system.phases.evidence import retire
from memory_system.privacy.sharing import strictest
from memory_system.records import USER, Fact, Summary, memory_id
from memory_system.store.draft import Draft
from memory_system.store.keys import topic_key
from memory_system.store.store import Memories, row_of
from memory_system.text import estimate_tokens

COMPOSED = "rule:compose"
MOST_FACTS = 12
MOST_TOKENS = 40  # of a summary of more than two facts: it repeats what is stored already
IMPORTANCE_SHARE = 0.9  # of the most important fact in it


def run(changed: Iterable[Draft], memories: Memories, night: Night) -> Draft:
    """The summaries of all topics that the night's changes touch; `memories` has those changes."""
    draft = Draft(memories)
    for wanted in list(_all_wanted(set(_touched(changed)), draft, night)):
        _write(wanted, draft, night)
    return draft


def _all_wanted(topics: Iterable[str], draft: Draft, night: Night) -> Iterator[_Wanted]:
    """Those of the topics that get a summary, entity by entity; two that share their best facts get one."""
    told: set[frozenset[str]] = set()
    for topic in sorted(topics, key=lambda each: (_entity(each), each)):
        ranked, known = _gathered(topic, draft)
        best = (draft.get(memory_id_) for *_, memory_id_ in sorted(ranked, reverse=True)[:MOST_FACTS])
        facts = [each for each in best if each is not None]
        if (wanted := _wanted(topic, facts, known, draft, night)) is None:
            continue
        sources = frozenset(fact.id for fact in wanted.facts)
        if sources not in told:
            told.add(sources)
            yield wanted
        elif wanted.known is not None:
            retire(wanted.known, "dissolved", draft, night)


def _touched(drafts: Iterable[Draft]) -> Iterator[str]:
    for draft in drafts:
        for memory_id_ in draft.changed:
            yield from topics_of(row_of(memory_id_, draft))


def _gathered(topic: str, draft: Draft) -> tuple[list[tuple[float, str, str]], str | None]:
    """The active facts of the topic as (importance, said_at, id), and the id of the summary there is."""
    ranked: list[tuple[float, str, str]] = []
    known: str | None = None
    for memory_id_ in draft.find(topic_key(topic)):
        row = row_of(memory_id_, draft)
        if row.get("topic") == topic:
            known = memory_id_
        elif topic in topics_of(row) and not row.get("outdated_by"):  # still
            ranked.append((row["importance"], row.get("said_at", ""), memory_id_))
    return ranked, known


def _fitting(facts: list[Fact]) -> list[Fact]:
    """The best facts that a short text holds, but two at least."""
    left, fitting = MOST_TOKENS, []
    for fact in facts:
        cost = estimate_tokens(fact.content)
        if cost <= left:
            fitting.append(fact)
            left -= cost
    return fitting if len(fitting) > 1 else sorted(facts, key=lambda fact: len(fact.content))[:2]


def _entity(topic: str) -> str:
    return topic.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A topic that has, or gets, a summary: the facts that it tells, and its text."""

    topic: str
    known: Fact | None
    facts: list[Fact]
    content: str


def _wanted(topic: str, facts: list[Fact], known_id: str | None, draft: Draft, night: Night) -> _Wanted | None:
    """The topic with the facts of its summary; one of too few facts has none, and loses the one there is; one
    that the owner has written stays."""
    known = draft.get(known_id) if known_id else None
    if known is not None and known.is_owners:
        return None
    if len(facts) < night.config.thresholds.summary_trigger:
        if known is not None:
            retire(known, "dissolved", draft, night)
        return None
    facts = _fitting(facts)
    about = "" if _entity(topic) == USER else _entity(topic)
    return _Wanted(topic, known, facts, compose(facts, about))


def _write(wanted: _Wanted, draft: Draft, night: Night) -> None:
    """Make or rewrite the summary of one topic."""
    known, facts, content = wanted.known, wanted.facts, wanted.content
    sources = tuple(fact.id for fact in facts)
    if not isinstance(known, Summary):
        draft.put("active", _new(wanted.topic, content, facts, night), "new")
    elif (known.source_facts, known.content, known.sensitivity) != (sources, content, strictest(facts)):
        changed = {"content": content, "method": COMPOSED, "version": known.version + 1, **_taken(facts, night)}
        draft.put("active", known.model_copy(update=changed), "rewritten")


def _new(topic: str, content: str, facts: list[Fact], night: Night) -> Summary:
    return Summary(
        id=memory_id(Summary, night.day, f"topic:{topic}", content),
        content=content,
        topic=topic,
        created=night.stamp,
        subject=_entity(topic),
        category=facts[0].category,
        lang=facts[0].lang,
        method=COMPOSED,
        **_taken(facts, night),
    )


def _taken(facts: list[Fact], night: Night) -> dict[str, Any]:
    """What a summary has from its facts."""
    importance = round(IMPORTANCE_SHARE * max(fact.importance for fact in facts), 2)
    return {
        "importance": importance,
        "sensitivity": strictest(facts),
        "score": importance,
        "scored_at": night.stamp,
        "updated": night.stamp,
        "source_facts": tuple(fact.id for fact in facts),
        "source": facts[0].source,
        "entities": tuple(dict.fromkeys(entity for fact in facts for entity in fact.entities)),
        "said_at": max(fact.said_at for fact in facts),
    }
