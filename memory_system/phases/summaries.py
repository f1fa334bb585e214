"""Phase 4c: three or more active facts of one topic give one summary, rewritten when its facts change. A topic is an
entity and a category: each kind of fact about the user by itself, and everything about another person or thing
together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memory_system.phases import Night
from memory_system.phases.facts import retire
from memory_system.records import Fact, Summary, kind_of, memory_id
from memory_system.store import Draft, Memories, entity_key, row_of

USER = "user"
SCATTERED = frozenset({"general", "event", "schedule", "reminder", "todo"})  # no topics: such facts share nothing
MOST_FACTS = 12
IMPORTANCE_SHARE = 0.9  # of the most important fact in it


def run(changed: Iterable[Draft], memories: Memories, night: Night) -> Draft:
    """The summaries of all topics that the night's changes touch; `memories` has those changes."""
    draft = Draft(memories)
    for topic in sorted(set(_touched(changed))):
        _write(topic, draft, night)
    return draft


def topics_of(row: Mapping[str, Any]) -> Iterator[str]:
    """The topics that a memory, as it stands in its file, belongs to; none unless it is a fact."""
    if kind_of(row["id"]) is not Fact:
        return
    subject, category, entities = row.get("subject", USER), row.get("category", "general"), row.get("entities", ())
    if subject == USER and category not in SCATTERED:
        yield f"{USER}/{category}"
    own_name = entities[0] if subject == USER and entities else None  # how the content calls the user
    for entity in dict.fromkeys((subject, *entities)):
        if entity not in (USER, own_name):
            yield f"{entity}/about"


def _touched(drafts: Iterable[Draft]) -> Iterator[str]:
    for draft in drafts:
        for memory_id_ in draft.changed:
            yield from topics_of(row_of(memory_id_, draft))


def _facts_of(topic: str, draft: Draft) -> list[Fact]:
    """The active facts of a topic, those that matter most first, as many as a summary holds."""
    rows = (row_of(each, draft) for each in draft.find(entity_key(_entity(topic))))
    ranked = sorted((row["importance"], row.get("said_at", ""), row["id"]) for row in rows if topic in topics_of(row))
    found = (draft.get(memory_id_) for *_, memory_id_ in reversed(ranked[-MOST_FACTS:]))
    return [each for each in found if each is not None]


def _entity(topic: str) -> str:
    return topic.rpartition("/")[0]


def _write(topic: str, draft: Draft, night: Night) -> None:
    """Make, rewrite or retire the summary of one topic."""
    facts = _facts_of(topic, draft)
    known = _summary_of(topic, draft)
    if len(facts) < night.config.thresholds.summary_trigger:
        if known is not None:
            retire(known, "dissolved", draft, night)
        return
    sources = tuple(fact.id for fact in facts)
    content = compose(facts)
    if known is None:
        draft.put("active", _new(topic, content, facts, night), "new")
    elif (known.source_facts, known.content) != (sources, content):
        changed = {"content": content, "version": known.version + 1, **_taken(facts, night)}
        draft.put("active", known.model_copy(update=changed), "rewritten")


def _summary_of(topic: str, draft: Draft) -> Summary | None:
    ids = (each for each in draft.find(entity_key(_entity(topic))) if kind_of(each) is Summary)
    found = (draft.get(each) for each in ids)
    return next((each for each in found if isinstance(each, Summary) and each.topic == topic), None)


def _new(topic: str, content: str, facts: list[Fact], night: Night) -> Summary:
    return Summary(
        id=memory_id(Summary, night.day, f"topic:{topic}", content),
        content=content,
        topic=topic,
        created=night.stamp,
        subject=_entity(topic),
        category=facts[0].category,
        lang=facts[0].lang,
        method="rule:compose",
        **_taken(facts, night),
    )


def _taken(facts: list[Fact], night: Night) -> dict[str, Any]:
    """What a summary has from its facts."""
    importance = round(IMPORTANCE_SHARE * max(fact.importance for fact in facts), 2)
    return {
        "importance": importance,
        "score": importance,
        "scored_at": night.stamp,
        "updated": night.stamp,
        "source_facts": tuple(fact.id for fact in facts),
        "source": facts[0].source,
        "entities": tuple(dict.fromkeys(entity for fact in facts for entity in fact.entities)),
        "said_at": max(fact.said_at for fact in facts),
    }


def compose(facts: list[Fact]) -> str:
    """The facts as one text: each said once, sentence by sentence, the common beginning not repeated in Chinese."""
    by_language: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_language[fact.lang].append(fact)
    return "".join(_joined(lang, group) for lang, group in sorted(by_language.items(), key=lambda each: -len(each[1])))


def _joined(lang: str, facts: list[Fact]) -> str:
    contents = list(dict.fromkeys(fact.content.rstrip("。.") for fact in facts))
    if lang != "zh":
        return " ".join(f"{content}." for content in contents)
    name = facts[0].entities[0] if facts[0].entities else ""
    return "；".join([contents[0], *(_without(name, content) for content in contents[1:])]) + "。"


def _without(name: str, content: str) -> str:
    """The clause without the subject that it shares with the one before; 用户的… needs its 用户."""
    rest = content.removeprefix(name) if name else content
    return content if not rest or rest.startswith(("的", "和", "等")) else rest
