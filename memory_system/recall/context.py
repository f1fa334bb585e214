"""What to give an agent for a message: searched widely, packed narrowly. Cues of the message say what else belongs in
and how much is shown; within the budget stands what answers most per token."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from memory_system.config import Config
from memory_system.layout import Layout
from memory_system.recall.cues import Cues, Kind, cues_of
from memory_system.recall.index import Index
from memory_system.recall.lines import Level, line_of, wrapped
from memory_system.recall.numbers import scope_of
from memory_system.recall.search import Answer, answer_to, type_of
from memory_system.recall.units import Unit, Units
from memory_system.records import Fact, Row, kind_of, to_line, type_name
from memory_system.text import estimate_tokens

WIDE = 40  # results that are looked at
TOPIC = 1.15  # times more for a memory of a kind that the message speaks of
PAST = 0.8  # of what is asked of a score where the message speaks of what was before
MOST_POINTERS = 3
DEARNESS = 0.5  # how much the length of a line counts against it
LEVELS: tuple[Level, ...] = ("high", "middle", "low")

Known = Callable[[Fact], bool]


@dataclass(slots=True)
class Item:
    """Something that may be shown: `row` is the memory as it stands in its file, empty for words and notes; `level` how
    sure it is that it belongs here."""

    id: str
    type: str
    unit: Unit
    score: float
    refs: list[str]
    row: Row
    level: Level | None = None
    line: str = ""

    @property
    def source(self) -> str:
        """What `get` reads: a memory's id, a message's ref, or lines of a note."""
        unit = self.unit
        return f"{unit.path}#L{unit.start_line}-L{unit.end_line}" if self.type == "note" else self.id

    def to_row(self) -> dict[str, Any]:
        return {
            "id": self.id, "type": self.type, "confidence": self.level, "score": self.score, "source": self.source,
            "said_at": self.unit.said_at, "refs": self.refs, "line": self.line,
        }  # fmt: skip


def context(
    layout: Layout,
    config: Config,
    index: Index,
    pending: list[Fact],
    message: str,
    *,
    now: datetime,
    budget: int,
    known: Known | None = None,
) -> dict[str, Any]:
    """The answer of `memory context --json`: `text` is what to inject, never more than `budget` tokens and empty when
    nothing is relevant; `tokens` what it costs; `items` its lines; `cues` what the message called for. Memories for
    which `known` is true are left out. Never raises for a message, whatever it holds."""
    cues = cues_of(message)
    items: list[Item] = []
    lang = "en"
    if not cues.idle:
        answer = answer_to(layout, config, index, pending, message, now=now)
        items = _Gathered(config, index, pending, cues, now).items(answer)
        lang = answer.question.lang
        worth = dict(zip(answer.question.terms, answer.weights, strict=False))
        items = [each for each in items if each.level and not (known and each.row and known(_record(each.row)))]
        for each in items:
            each.line = line_of(each.unit, each.source, each.level or "low", worth, lang, config.zone)
    chosen = packed(items, budget - estimate_tokens(wrapped([""], lang)))
    text = wrapped([each.line for each in chosen], lang)
    rows = [each.to_row() for each in chosen]
    return {"text": text, "tokens": estimate_tokens(text), "budget": budget, "cues": cues.names, "items": rows}


class _Gathered:
    """The items for a message, each with its level."""

    def __init__(self, config: Config, index: Index, pending: list[Fact], cues: Cues, now: datetime) -> None:
        self._config = config
        self._index = index
        self._pending = {record.id: to_line(record) for record in pending}
        self._cues = cues
        self._now = now

    def items(self, answer: Answer) -> list[Item]:
        results = answer.results[:WIDE]
        keys = [each.best.unit.key for each in results if scope_of(each.best.number) == "memory"]
        rows = self._rows(keys)
        found = [
            Item(unit.ref, type_of(each), unit, answer.score(each), list(each.refs), rows.get(unit.key, {}))
            for each in results
            for unit in [each.best.unit]
        ]
        there = {each.id for each in found}
        found += [each for each in self._wholes() if each.id not in there]
        for each in found:
            each.level = self._level(each)
        return found

    def _rows(self, keys: Iterable[str]) -> dict[str, Row]:
        keys = list(keys)
        lines = {key: each.line for key, each in self._index.standing(keys, self._now).items()}
        lines |= {key: self._pending[key] for key in keys if key in self._pending}
        return {key: orjson.loads(line) for key, line in lines.items()}

    def _wholes(self) -> Iterable[Item]:
        """The weightiest of the user's memories of the kinds that are asked for as a whole."""
        units = Units(self._config)
        for kind in self._cues.wholes:
            for row in self._of_kind(kind):
                refs = [each["ref"] for each in row.get("evidence", ())]
                yield Item(row["id"], type_name(kind_of(row["id"])), units.memory(row), 1.0, refs, row)

    def _of_kind(self, kind: Kind) -> list[Row]:
        waiting = [orjson.loads(line) for line in self._pending.values()]
        stored = self._index.of_kind(kind.categories, kind.attributes, self._now, kind.most)
        rows = [row for row in waiting if kind.holds(row)] + [orjson.loads(each.line) for each in stored]
        return [row for row in rows if row.get("subject", "user") == "user"][: kind.most]

    def _level(self, item: Item) -> Level | None:
        """How sure it is that the item belongs here; None where it does not. What is only supposed is never sure."""
        wanted, score = self._config.context, item.score
        if item.row and any(kind.holds(item.row) for kind in self._cues.topics):
            score *= TOPIC
        score = score / PAST if self._cues.past else score
        if score >= wanted.sure and item.type != "belief":
            return "high"
        if score >= wanted.unsure:
            return "middle"
        return "low" if score >= wanted.pointer else None


def _record(row: Row) -> Fact:
    return kind_of(row["id"]).model_validate(row)


def packed(items: Iterable[Item], room: int) -> list[Item]:
    """Those whose lines give most for their tokens and fit the room together, the surest first."""
    priced = [(each, estimate_tokens(each.line + "\n")) for each in items]
    priced.sort(key=lambda pair: (-pair[0].score / pair[1] ** DEARNESS, pair[0].id))
    chosen: list[Item] = []
    pointers = MOST_POINTERS
    for each, price in priced:
        is_pointer = each.level == "low"
        if price <= room and (pointers or not is_pointer):
            chosen.append(each)
            room -= price
            pointers -= is_pointer
    return sorted(chosen, key=lambda each: (LEVELS.index(each.level or "low"), -each.score, each.id))
