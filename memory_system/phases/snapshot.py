"""Phase 7: the snapshot, layer 1: what the agent reads every morning, within its token budget. It is a pure function of
the truth, the owner's identity files and the night's local date, and is written only when its bytes change; what was
left out, and what it would have cost, stands in `state/rankings.json`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any

import orjson

from memory_system import clock
from memory_system.phases import Night, facts_page
from memory_system.phases.index import open_index
from memory_system.phases.shortlist import (
    CANDIDATES,
    CONSTRAINT_CATEGORIES,
    LONGEST,
    Candidate,
    candidate_of,
    candidates,
    choose,
    for_core,
    is_over,
    short,
    within,
)
from memory_system.privacy import trust
from memory_system.privacy.masks import masked
from memory_system.privacy.secrets import redact
from memory_system.recall.index import Index
from memory_system.records import Fact, Summary
from memory_system.rules import table
from memory_system.store.retention import is_protected
from memory_system.text import estimate_tokens
from memory_system.workspace import Workspace

RECENT_DAYS = 3
COMING_DAYS = 14
COMING_CATEGORIES = ("schedule", "reminder", "todo", "event")
COMING_GRANULARITIES = frozenset({"minute", "hour", "part", "day", "weekend", "week"})  # no plan for next year
USER_CATEGORIES = ("identity", "status", "project")
SECTION_SHARE = 0.15  # of the budget, at most, for each of user, constraints and recent

_TRAIT = re.compile(r"^\s*-\s*\**([^*:：\n]{1,30}?)\**[:：]\**\s*(\S.*?)\s*$", re.MULTILINE)

WORDS = {
    "zh": {
        "title": "# 工作记忆快照",
        "made": "> 生成时间: {made} | 记忆数: {total} | 活跃: {active} | 归档: {archive}",
        "identity": "## 身份",
        "user": "## 用户",
        "constraints": "## 约束",
        "coming": "## 近期安排 ({days}天内)",
        "top": "## 核心记忆 (Top {count})",
        "recent": "## 近期要点 ({days}天内)",
        "index": "## 索引",
        "library": "[完整记忆库: {total} 条 | 实体: {entities} 个 | 主题: {categories} 类]",
        "search": "使用 memory_search 检索详细信息",
        "role": "定位",
    },
    "en": {
        "title": "# Working memory snapshot",
        "made": "> Generated: {made} | Memories: {total} | Active: {active} | Archived: {archive}",
        "identity": "## Identity",
        "user": "## User",
        "constraints": "## Constraints",
        "coming": "## Coming up ({days} days)",
        "top": "## Core memories (top {count})",
        "recent": "## Recent ({days} days)",
        "index": "## Index",
        "library": "[Whole memory: {total} entries | Entities: {entities} | Topics: {categories}]",
        "search": "Use memory_search for the details",
        "role": "Role",
    },
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What stands in the core of the snapshot, in rank order, and what could have."""

    chosen: list[Candidate]
    omitted: list[Candidate]


def run(night: Night, ws: Workspace) -> Iterator[str]:
    """Write the snapshot; with somebody to ask, in the order and the fewer words that are found for its memories."""
    if ws.config.llm.mode != "off" and night.llm is not None:
        from memory_system.phases.asking import polish

        if asker := night.asker(polish.NAME):
            with open_index(ws) as index:
                _, choice = compose(index, night.day, ws)
            polish.ask(asker, [short(each.record) for each in choice.chosen], ws)
    yield from write(night.at, ws)


def write(at: datetime, ws: Workspace) -> list[str]:
    """Write the snapshot of the night at that moment where it changes, and the page of facts; the names of the files
    written."""
    day = clock.local_date(at, ws.config.zone)
    with open_index(ws) as index:
        text, choice = compose(index, day, ws)
    rankings = orjson.dumps(_rankings(choice), option=orjson.OPT_INDENT_2) + b"\n"
    ws.files.replace_if_changed(ws.layout.rankings, rankings, durable=False)
    ws.files.make_folder(ws.layout.snapshot.parent)
    changed = ws.files.replace_if_changed(ws.layout.snapshot, text.encode())
    return [*([ws.layout.snapshot.name] if changed else []), *facts_page.write(ws)]


def text_of(index: Index, at: datetime, ws: Workspace) -> str:
    """The snapshot of the night at that moment, as it must stand in its file."""
    return compose(index, clock.local_date(at, ws.config.zone), ws)[0]


def without_identity(text: str) -> str:
    """The snapshot without its section on who the agent is, which people may change at any time."""
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        if line.startswith("## "):
            inside = line in {words["identity"] for words in WORDS.values()}
        if not inside:
            kept.append(line)
    return "\n".join(kept)


def compose(index: Index, day: date, ws: Workspace) -> tuple[str, Choice]:
    """The snapshot of that local date, and what was chosen for its core."""
    moment = datetime.combine(day, time(), ws.config.zone)
    found = [each for each in candidates(index, moment, ws.faded_at(moment)) if not trust.is_unproven(each.record)]
    lang = ws.config.language if ws.config.language != "auto" else main_language(found)
    words, budget = WORDS[lang], ws.config.token_budget
    room = int(budget.layer1_total * SECTION_SHARE)
    user = within(_user_slots(found, lang), room)
    constraints = within(_constraints(found), room)
    placed = {each.record.id for each in (*user, *constraints)}
    coming = within(_coming(index, moment, placed, found), room)
    placed |= {each.record.id for each in coming}
    recent = within(_recent(index, moment, placed), room)
    who = identity_lines(ws, words["role"])
    page = _Page(words, _counts(index, moment, ws), who, _lines(user), _lines(constraints), _lines(coming))

    rest = [each for each in found if each.record.id not in placed]
    left = budget.layer1_total - estimate_tokens(page.text([""], _lines(recent)))
    chosen = choose(for_core(rest, ws.config.importance_rules.general_fact), left, budget)
    shown = {each.record.id for each in chosen}
    text = page.text(_core(chosen, ws), _lines(each for each in recent if each.record.id not in shown))
    text = masked(text, ws.masked)
    return text, Choice(chosen, [each for each in rest if each.record.id not in shown])


def _core(chosen: list[Candidate], ws: Workspace) -> list[str]:
    """The core memories, numbered, in the order and the words that were found for them, if any."""
    told = [short(each.record) for each in chosen]
    arranged = _arranged(chosen, told, ws) if told and ws.config.llm.mode != "off" else list(enumerate(told))
    shown = (f"[{chosen[place].rank:.2f}] {trust.shown(words)}" for place, words in arranged)
    return [f"{number}. {line}" for number, line in enumerate(shown, 1)]


def _arranged(chosen: list[Candidate], told: list[str], ws: Workspace) -> list[tuple[int, str]]:
    """What must not be forgotten keeps its place: who reads only the beginning finds it there."""
    from memory_system.phases.asking import polish

    fixed = {place for place, each in enumerate(chosen) if is_protected(each.record)}
    return polish.wording(ws).arranged(told, fixed)


@dataclass(frozen=True, slots=True)
class _Page:
    """Everything of the snapshot but its core and what is recent."""

    words: Mapping[str, str]
    counts: Mapping[str, Any]
    identity: list[str]
    user: list[str]
    constraints: list[str]
    coming: list[str]

    def text(self, core: list[str], recent: list[str]) -> str:
        words = self.words
        sections = (
            (words["identity"], self.identity),
            (words["user"], self.user),
            (words["constraints"], self.constraints),
            (words["coming"].format(days=COMING_DAYS), self.coming),
            (words["top"].format(count=len(core)), core),
            (words["recent"].format(days=RECENT_DAYS), recent),
            (words["index"], [words["library"].format(**self.counts), words["search"]]),
        )
        head = f"{words['title']}\n{words['made'].format(**self.counts)}\n"
        return "\n".join([head, *("\n".join([title, *lines, ""]) for title, lines in sections if lines)])


def shown_in(ws: Workspace) -> Callable[[Fact], bool]:
    """What tells whether a memory stands in the snapshot as it is: in its own words, in the fewer ones that were found
    for them, or as a value of the user's."""
    text, kinds = ws.files.read(ws.layout.snapshot).decode(errors="replace"), ws.masked
    labels, shorter = table("attributes", "attributes"), _shorter(ws)

    def is_shown(record: Fact) -> bool:
        told = short(record)
        label = labels.get(record.attribute, {}).get("label", {}) if record.value and record.polarity else {}
        slots = (f"\n- {each}: {trust.shown(record.value)[:LONGEST]}\n" for each in label.values())
        lines = (f" {told}\n", f" {trust.shown(shorter.get(told) or told)}\n", *slots)
        return any(masked(line, kinds) in text for line in lines)

    return is_shown


def _shorter(ws: Workspace) -> Mapping[str, str]:
    """The fewer words that were found for lines of the snapshot."""
    if ws.config.llm.mode == "off":
        return {}
    from memory_system.phases.asking import polish

    return polish.wording(ws).shorter


def main_language(found: Iterable[Candidate]) -> str:
    """The language of most memories; English when there are none."""
    votes = Counter(each.record.lang for each in found if each.record.lang in WORDS)
    return min(votes, key=lambda lang: (-votes[lang], lang)) if votes else "en"


def _user_slots(found: Iterable[Candidate], lang: str) -> Iterator[Candidate]:
    """What the user is, one line a slot: `- label: value`."""
    known = table("attributes", "attributes")
    for each in found:
        record = each.record
        label = known.get(record.attribute, {}).get("label", {}).get(lang)
        if (
            type(record) is Fact
            and record.subject == "user"
            and record.category in USER_CATEGORIES
            and label
            and record.polarity
        ):
            yield _bullet(each, f"{label}: {trust.shown(record.value)[:LONGEST]}")


def _constraints(found: Iterable[Candidate]) -> Iterator[Candidate]:
    """How the assistant must behave, and what keeps the user safe."""
    for each in found:
        if each.record.category in CONSTRAINT_CATEGORIES and trust.is_owners(each.record.evidence):
            yield _bullet(each, short(each.record))


def _bullet(candidate: Candidate, text: str) -> Candidate:
    """The candidate as a line of a list."""
    line = f"- {text}"
    return replace(candidate, line=line, tokens=estimate_tokens(line + "\n"))


def _lines(candidates: Iterable[Candidate]) -> list[str]:
    return [each.line for each in candidates]


def _coming(index: Index, moment: datetime, used: set[str], known: Iterable[Candidate]) -> Iterator[Candidate]:
    """What the next days bring, and what is due in them, the nearest first: of what passes, and of what is `known`,
    where a check-up is a matter of health. What fills a slot of another kind (an allergy) does not happen on a day."""
    today, until = (str((moment + timedelta(days=days)).date()) for days in (0, COMING_DAYS + 1))
    ranked = index.at(moment).ranked(CANDIDATES, categories=COMING_CATEGORIES)
    known = (each for each in known if not each.record.attribute or each.record.category in COMING_CATEGORIES)
    found = {each.record.id: each for each in (*map(candidate_of, ranked), *known) if each.record.id not in used}
    ahead = [
        (when.start, each)
        for each, when in ((each, each.record.event_time) for each in found.values())
        if when and when.granularity in COMING_GRANULARITIES and when.start < until and when.end > today + "T00:00"
    ]
    for start, each in sorted(ahead, key=lambda pair: (pair[0], pair[1].record.id)):
        yield _bullet(each, f"{start[:10]}: {short(each.record)}")


def _recent(index: Index, moment: datetime, used: set[str]) -> Iterator[Candidate]:
    """What was said in the last days, newest first."""
    start, end = moment - timedelta(days=RECENT_DAYS - 1), moment + timedelta(days=1)
    ranked = index.at(moment).ranked(CANDIDATES, said=(clock.stamp(start), clock.stamp(end)))
    found = [each for each in map(candidate_of, ranked) if not isinstance(each.record, Summary)]
    found = [each for each in found if not (trust.is_unproven(each.record) or is_over(each.record))]
    for each in sorted(found, key=lambda each: each.record.said_at, reverse=True):
        said = clock.parse_instant(each.record.said_at or each.record.created)
        if said is not None and each.record.id not in used:
            day = clock.local_date(said, moment.tzinfo or clock.zone_named("UTC"))
            yield _bullet(each, f"{day}: {short(each.record)}")


def identity_lines(ws: Workspace, role: str) -> list[str]:
    """Who the agent is: the traits in IDENTITY.md, else the first sentence of SOUL.md."""
    traits = _TRAIT.findall(ws.files.read(ws.layout.root / "IDENTITY.md").decode(errors="replace"))
    if traits:
        return [redact(f"- {name}: {value[:LONGEST]}")[0] for name, value in traits[:3]]
    soul = ws.files.read(ws.layout.root / "SOUL.md").decode(errors="replace").split("\n")
    first = next((line.strip() for line in soul if line.strip() and not line.startswith("#")), "")
    return [redact(f"- {role}: {first[:LONGEST]}")[0]] if first else []


def _counts(index: Index, moment: datetime, ws: Workspace) -> dict[str, Any]:
    """The figures in the head and the foot, and when it was made: the night that the schedule has on that date."""
    counts = index.counts()
    active = sum(count for name, count in counts.items() if name.startswith("active "))
    archive = sum(count for name, count in counts.items() if name.startswith("archive "))
    made = ws.config.schedule.on(moment.date()) or moment  # a run by hand may fall on a date without one
    total = {"total": active + archive, "active": active, "archive": archive, "made": clock.stamp(made)}
    return total | {"entities": counts["entities"], "categories": counts["categories"]}


def _rankings(choice: Choice) -> dict[str, Any]:
    """What stands in rankings.json: who is in the core and who is not, with what each costs."""

    def row(each: Candidate) -> dict[str, Any]:
        return {"id": each.record.id, "rank": round(each.rank, 4), "tokens": each.tokens, "topic": each.topic}

    return {"chosen": [row(each) for each in choice.chosen], "omitted": [row(each) for each in choice.omitted]}
