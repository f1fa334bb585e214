"""The page of the snapshot: its sections and their titles, and which lines its budget holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_system.config import TokenBudget
from memory_system.phases.shortlist import RECENT_DAYS, Candidate
from memory_system.text import estimate_tokens

COMING_DAYS = 14
NUMBER = "100. [1.00] "  # what stands before a memory of the core, at its longest
WORDS = {
    "zh": {
        "lang": "zh",
        "title": "# 工作记忆快照",
        "made": "> 生成时间: {made} | 记忆数: {total} | 活跃: {active} | 归档: {archive}",
        "days": "> 原话前是说话的日子，“安排”里是事情的日子；两处不一致，以后说的为准。",
        "identity": "## 身份",
        "user": "## 用户",
        "constraints": "## 约束",
        "coming": "## 近期安排 ({days}天内)",
        "later": "## 以后的安排",
        "projects": "## 项目",
        "top": "## 核心记忆 (Top {count})",
        "recent": "## 近期要点 ({days}天内)",
        "index": "## 索引",
        "library": "[完整记忆库: {total} 条 | 实体: {entities} 个 | 主题: {categories} 类]",
        "search": "使用 memory_search 检索详细信息",
        "role": "定位",
    },
    "en": {
        "lang": "en",
        "title": "# Working memory snapshot",
        "made": "> Generated: {made} | Memories: {total} | Active: {active} | Archived: {archive}",
        "days": "> Words have the day they were said, plans their own; where two differ, what was said later holds.",
        "identity": "## Identity",
        "user": "## User",
        "constraints": "## Constraints",
        "coming": "## Coming up ({days} days)",
        "later": "## Later",
        "projects": "## Projects",
        "top": "## Core memories (top {count})",
        "recent": "## Recent ({days} days)",
        "index": "## Index",
        "library": "[Whole memory: {total} entries | Entities: {entities} | Topics: {categories}]",
        "search": "Use memory_search for the details",
        "role": "Role",
    },
}

# The sections, in the order in which they stand, and the days that their titles name.
HEADINGS = {
    "identity": 0, "user": 0, "constraints": 0, "coming": COMING_DAYS, "later": 0, "projects": 0, "top": 0,
    "recent": RECENT_DAYS,
}  # fmt: skip
_MOST_LINES = 999  # of the core, for what its heading takes


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the snapshot, the memories that it tells, and the tokens that what is put before it takes."""

    text: str
    told: tuple[Candidate, ...] = ()
    spare: int = 0

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.record.id for each in self.told)

    @property
    def tokens(self) -> int:
        return estimate_tokens(f"{self.text}\n") + self.spare


@dataclass(slots=True)
class Page:
    """The snapshot as it is put together: what stands in each section, and the tokens that are left."""

    words: Mapping[str, str]
    counts: Mapping[str, Any]
    left: int = 0
    lines: dict[str, list[Line]] = field(default_factory=lambda: {name: [] for name in HEADINGS})

    def heading(self, name: str) -> str:
        """The title of a section; that of the core counts its memories."""
        return self.words[name].format(days=HEADINGS[name], count=len(self.lines[name]) or _MOST_LINES)

    def room(self, name: str) -> int:
        """The tokens that are left for lines of that section."""
        return self.left - (0 if self.lines[name] else estimate_tokens(f"{self.heading(name)}\n\n"))

    def take(self, name: str, lines: Iterable[Line], most: int | None = None) -> None:
        """Put the lines into the section, in order, as many as there is room for, and `most` tokens."""
        room = self.room(name)
        kept = within(lines, room if most is None else min(room, most))
        if kept:
            self.left = room - cost(kept)
            self.lines[name] += kept

    def arrange(self, name: str, order: Iterable[Line]) -> None:
        """Let the lines of the section stand in that order."""
        there = {each.ids for each in self.lines[name]}
        self.lines[name] = [each for each in order if each.ids in there]

    @property
    def placed(self) -> dict[str, str]:
        """The section of each memory that stands there, by its id."""
        return {told.record.id: name for name, lines in self.lines.items() for each in lines for told in each.told}

    def text(self, core: Iterable[str]) -> str:
        """The whole page, with these lines as its core."""
        told = {name: [each.text for each in lines] for name, lines in self.lines.items()} | {"top": [*core]}
        parts = [[self.heading(name), *told[name], ""] for name in HEADINGS if told[name]]
        return "\n".join([self.head, *("\n".join(part) for part in parts), self.foot])

    @property
    def tokens(self) -> int:
        """What the page takes, its core numbered."""
        return estimate_tokens(self.text(f"{NUMBER}{each.text}" for each in self.lines["top"]))

    @property
    def head(self) -> str:
        return f"{self.words['title']}\n{self.words['made'].format(**self.counts)}\n{self.words['days']}\n"

    @property
    def foot(self) -> str:
        return "\n".join([self.words["index"], self.words["library"].format(**self.counts), self.words["search"], ""])


def choose(found: list[Line], room: int, budget: TokenBudget) -> list[Line]:
    """Fill the room by rank: the first topic may take its share of it, then the second and third, all others the rest;
    what the shares leave over goes to whatever comes next in rank."""
    shares = [budget.layer1_top1, budget.layer1_top2, budget.layer1_top3]
    topics = list(dict.fromkeys(each.told[0].topic for each in found))
    allowance = dict(zip(topics, (int(room * share) for share in shares), strict=False))
    rest = int(room * budget.layer1_rest)
    picked: dict[str, Line] = {}
    for each in found:
        topic = each.told[0].topic
        if each.tokens <= allowance.get(topic, rest):
            picked[each.ids[0]] = each
            if topic in allowance:
                allowance[topic] -= each.tokens
            else:
                rest -= each.tokens
    others = [each for each in found if each.ids[0] not in picked]
    picked |= {each.ids[0]: each for each in within(others, room - cost(picked.values()))}
    return [each for each in found if each.ids[0] in picked]


def within(found: Iterable[Line], room: int) -> list[Line]:
    """As many of them, in order, as the room holds."""
    kept: list[Line] = []
    for each in found:
        if each.tokens <= room:
            kept.append(each)
            room -= each.tokens
    return kept


def cost(lines: Iterable[Line]) -> int:
    """The tokens that the lines take together."""
    return sum(each.tokens for each in lines)
