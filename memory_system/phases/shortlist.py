"""Which memories the snapshot holds: those that stand by themselves, best first, as many as its budget allows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

import orjson

from memory_system import clock
from memory_system.attributes import topics_of
from memory_system.config import TokenBudget
from memory_system.privacy import trust
from memory_system.recall.index import Index
from memory_system.recall.standing import Ranked
from memory_system.records import ASSISTANT, CAPTURED, USER, Belief, Fact, Summary, from_line
from memory_system.store.retention import PROTECTED
from memory_system.text import estimate_tokens

CANDIDATES = 300  # memories that are looked at; the budget holds a few dozen
LONGEST = 240  # characters of one memory in the snapshot
CONSTRAINT_CATEGORIES = ("instruction", "safety")
PASSING = frozenset({"general", "event", "temporary"})  # kinds of remarks
FEWEST = 10  # memories of the core that are filled up with remarks
_SURE = {"zh": " (可信度 {confidence})", "en": " (confidence {confidence})"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may stand in the snapshot; `rank` orders it and is shown."""

    record: Fact
    rank: float
    line: str
    tokens: int
    topic: str


def candidates(index: Index, moment: datetime, faded_at: datetime) -> list[Candidate]:
    """The facts and beliefs that may stand in the snapshot, best first: by effective score, and those about identity,
    health and safety by importance. What has expired waits to be put away while the clock is in doubt."""
    standing, over = index.at(faded_at), clock.stamp(moment)
    ranked = {each.id: each for each in standing.ranked(CANDIDATES)}
    ranked |= {each.id: each for each in standing.ranked(CANDIDATES, categories=(*PROTECTED, *CONSTRAINT_CATEGORIES))}
    found = [each for each in map(candidate_of, ranked.values()) if not isinstance(each.record, Summary)]
    kept = [each for each in found if not (is_over(each.record) or (each.record.expires or over) < over)]
    kept.sort(key=lambda each: each.record.id)
    kept.sort(key=lambda each: (each.rank, each.record.said_at), reverse=True)
    return kept


def for_core(found: list[Candidate], remark: float) -> list[Candidate]:
    """Those of the candidates that every conversation needs, in the same order: what is known of people, projects,
    plans and preferences, each thing once. What was only said in passing is for search, unless little else is known;
    `remark` is the importance of what nothing stresses."""
    told = {_words_of(each) for each in found if each.record.attribute}
    kept = [
        each for each in found if each.record.attribute or (_stands_alone(each.record) and _words_of(each) not in told)
    ]
    lasting = sum(_lasts(each.record, remark) for each in kept)
    room = max(0, FEWEST - lasting)
    passing = [each.record.id for each in kept if not _lasts(each.record, remark)][room:]
    return [each for each in kept if each.record.id not in passing]


def _words_of(candidate: Candidate) -> tuple[str, str]:
    """Where the memory was said first, and in what words; a capture by hand stands on its own."""
    evidence = candidate.record.evidence
    return (evidence[0].ref, evidence[0].quote) if evidence else (candidate.record.id, "")


def _stands_alone(record: Fact) -> bool:
    """Whether it tells something of the people, and can be understood without what was said before it."""
    return record.subject != ASSISTANT and not record.outdated_by and not record.context


def _lasts(record: Fact, remark: float) -> bool:
    """Whether it is more than a remark: it fills a slot, is about somebody else or a thing that has a name, is of a
    kind that lasts, was stressed or repeated, or written down by hand."""
    return bool(
        record.attribute
        or record.subject != USER
        or record.category not in PASSING
        or record.importance > remark
        or record.method == CAPTURED
    )


def is_over(record: Fact) -> bool:
    """Whether it was of a moment, which the night has ended: only what it says of a day may still come."""
    return record.category == "temporary" and record.event_time is None and record.method != CAPTURED


def candidate_of(ranked: Ranked) -> Candidate:
    record = from_line(ranked.line)
    rank = record.importance if record.category in PROTECTED else ranked.score
    line = f"[{rank:.2f}] {short(record)}"
    topic = next(topics_of(orjson.loads(ranked.line)), f"{record.subject}/{record.category}")
    return Candidate(record, rank, line, estimate_tokens(f"99. {line}\n"), topic)


def short(record: Fact) -> str:
    """The memory on one line, cut where it is very long; a belief says how sure it is."""
    content = trust.shown(" ".join(record.told.split()))
    content = content if len(content) <= LONGEST else content[: LONGEST - 1] + "…"
    sure = _SURE.get(record.lang, _SURE["en"])
    return content + sure.format(confidence=record.confidence) if isinstance(record, Belief) else content


def choose(found: list[Candidate], room: int, budget: TokenBudget) -> list[Candidate]:
    """Fill the room by rank: the first topic may take its share of it, then the second and third, all others the rest;
    what the shares leave over goes to whatever comes next in rank."""
    shares = [budget.layer1_top1, budget.layer1_top2, budget.layer1_top3]
    topics = list(dict.fromkeys(each.topic for each in found))
    allowance = dict(zip(topics, (int(room * share) for share in shares), strict=False))
    rest = int(room * budget.layer1_rest)
    chosen: dict[str, Candidate] = {}
    for each in found:
        left = allowance.get(each.topic, rest)
        if each.tokens <= left:
            chosen[each.record.id] = each
            if each.topic in allowance:
                allowance[each.topic] -= each.tokens
            else:
                rest -= each.tokens
    left_over = room - sum(each.tokens for each in chosen.values())
    for each in found:
        if each.record.id not in chosen and each.tokens <= left_over:
            chosen[each.record.id] = each
            left_over -= each.tokens
    return [each for each in found if each.record.id in chosen]


def within(found: Iterable[Candidate], room: int) -> list[Candidate]:
    """As many of them, in order, as the room holds."""
    kept: list[Candidate] = []
    for each in found:
        if each.tokens <= room:
            kept.append(each)
            room -= each.tokens
    return kept
