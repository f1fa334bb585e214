"""Phase 4c: three or more active facts of one topic give one summary, rewritten when its facts change. A topic is an
entity and a category: each kind of fact about the user by itself, and everything about another person or thing
together. The text says the facts as a person would sum them up: the newest comes first, values of one kind stand in one
clause, and nothing is said that no fact says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import Any

from memory_system.attributes import about, topics_of
from memory_system.phases import Night, fitting
from memory_system.phases.evidence import retire
from memory_system.privacy.masks import strictest
from memory_system.records import USER, Fact, Summary, memory_id, told
from memory_system.store.draft import Draft
from memory_system.store.keys import topic_key
from memory_system.store.store import Memories, row_of
from memory_system.text import essence, estimate_tokens, told_in

COMPOSED = "rule:compose"
MOST_FACTS = 12
MOST_TOKENS = 40  # of a summary of more than two facts: it repeats what is stored already
IMPORTANCE_SHARE = 0.9  # of the most important fact in it
_ENDS = "。.；; "
_MARK = {"en": "; ", "zh": "；"}
_STOP = {"en": ". ", "zh": "。"}
_AND = {"en": (", ", " and "), "zh": ("、", "和")}
# "One of User's favorite books is" (最喜欢的书之一是) names one; how several are named.
_SEVERAL = {
    "en": (re.compile(r"^One of (.+) is $"), r"\1 include "),
    "zh": (re.compile("之一是$"), "包括"),
}


def run(changed: Iterable[Draft], memories: Memories, night: Night) -> Draft:
    """The summaries of all topics that the night's changes touch; `memories` has those changes."""
    draft = Draft(memories)
    rows = (row_of(each, one) for one in changed for each in one.changed)
    touched = {topic for row in rows for topic in topics_of(row)}
    for topic, known, facts in list(_wanted(touched, draft, night)):
        _write(topic, known, facts, draft, night)
    return draft


def _wanted(topics: Iterable[str], draft: Draft, night: Night) -> Iterator[tuple[str, Fact | None, list[Fact]]]:
    """Those of the topics that get a summary, entity by entity, each with the one there is and the facts that it tells;
    two that share their best facts get one. What the owner has written stays."""
    told: set[frozenset[str]] = set()
    for topic in sorted(topics, key=lambda each: (_entity(each), each)):
        known, facts = _gathered(topic, draft)
        if known is not None and known.is_owners:
            continue
        summed = _fitting(facts) if len(facts) >= night.config.thresholds.summary_trigger else []
        sources = frozenset(fact.id for fact in summed)
        if sources and sources not in told:
            told.add(sources)
            yield topic, known, summed
        elif known is not None:
            retire(known, "dissolved", draft, night)


def _gathered(topic: str, draft: Draft) -> tuple[Fact | None, list[Fact]]:
    """The summary of the topic there is, and the best of its active facts."""
    ranked: list[tuple[float, str, str]] = []
    known: Fact | None = None
    for memory_id_ in draft.find(topic_key(topic)):
        row = row_of(memory_id_, draft)
        if row.get("topic") == topic:
            known = draft.get(memory_id_)
        elif topic in topics_of(row) and not row.get("outdated_by"):  # still
            ranked.append((row["importance"], row.get("said_at", ""), memory_id_))
    return known, [fact for *_, key in nlargest(MOST_FACTS, ranked) if (fact := draft.get(key))]


def _fitting(facts: list[Fact]) -> list[Fact]:
    """The best facts that a short text holds, but two at least."""
    found = fitting(facts, MOST_TOKENS, lambda fact: estimate_tokens(fact.content))
    return found if len(found) > 1 else sorted(facts, key=lambda fact: len(fact.content))[:2]


def _entity(topic: str) -> str:
    return topic.rpartition("/")[0]


def _write(topic: str, known: Fact | None, facts: list[Fact], draft: Draft, night: Night) -> None:
    """Make or rewrite the summary of one topic."""
    content = compose(facts, "" if _entity(topic) == USER else _entity(topic))
    taken = {"content": content, "method": COMPOSED, **_taken(facts, night)}
    if not isinstance(known, Summary):
        new_id, first = memory_id(Summary, night.day, f"topic:{topic}", content), facts[0]
        taken |= {"topic": topic, "created": night.stamp, "subject": _entity(topic)}
        draft.put("active", Summary(id=new_id, category=first.category, lang=first.lang, **taken), "new")
    elif any(getattr(known, name) != taken[name] for name in ("source_facts", "content", "sensitivity")):
        draft.put("active", known.model_copy(update={"version": known.version + 1, **taken}), "rewritten")


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


def compose(facts: Iterable[Fact], name: str = "") -> str:
    """The facts as one text, each language by itself, the one that says more first. `name` is whom or what they are
    about; left out, it is the user, by the name that the facts have for them."""
    by_language: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        by_language[told_in(fact.lang)].append(fact)
    ordered = sorted(by_language.items(), key=lambda each: (-len(each[1]), each[0]))
    return " ".join(_told(group, name, lang) for lang, group in ordered)


def _told(facts: Sequence[Fact], name: str, lang: str) -> str:
    newest = sorted(facts, key=lambda fact: fact.said_at, reverse=True)
    name = name or next((fact.entities[0] for fact in newest if fact.entities), "")
    said = dict.fromkeys(_said(head, values, lang) for head, values in _clauses(_not_said_by_others(newest)).items())
    about_it = [each for each in said if _without(name, each, lang) != each]
    others = [each for each in said if each not in about_it]
    # the subject that clauses share is named once
    opened = _MARK[lang].join([*about_it[:1], *(_without(name, each, lang) for each in about_it[1:])])
    return _STOP[lang].join(filter(None, (opened, *others))) + _STOP[lang].rstrip()


def _not_said_by_others(facts: Sequence[Fact]) -> list[Fact]:
    """The facts without those whose words stand in the words of another: it says the same and more."""
    said = {fact.id: essence(fact.content.rstrip(_ENDS)) for fact in facts}
    covered = {mine for mine in said.values() for other in said.values() if mine in other and mine != other}
    return [fact for fact in facts if said[fact.id] not in covered]


def _clauses(facts: Iterable[Fact]) -> dict[str, list[str]]:
    """The facts as clauses: those that differ in a value alone, of a slot of many values, as one, which is followed by
    these values."""
    clauses: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        content = told(vars(fact)).rstrip(_ENDS)
        head = content[: -len(fact.value)] if _is_listed(fact) and content.endswith(fact.value) else ""
        clauses[head or content] += [fact.value] if head else []
    return clauses


def _is_listed(fact: Fact) -> bool:
    """Whether the slot holds things of one kind, which can be listed: tastes and tools, but not the names of people."""
    row = about(fact.attribute)
    return bool(fact.value) and not row.get("single") and "value_type" not in row


def _said(head: str, values: Iterable[str], lang: str) -> str:
    values = list(dict.fromkeys(values))
    if len(values) < 2:
        return head + "".join(values)
    comma, last = _AND[lang]
    several, plural = _SEVERAL[lang]
    return several.sub(plural, head) + comma.join(values[:-1]) + last + values[-1]


def _without(name: str, content: str, lang: str) -> str:
    """The clause without the name that opens it as its subject; 用户的… and User's … have another subject."""
    rest = content.removeprefix(name) if name else content
    if lang == "zh":
        return content if rest.startswith(("的", "和", "等", "与", "跟", "：")) else rest
    return rest[1:] if rest[:1] == " " and rest[1:2].islower() else content
