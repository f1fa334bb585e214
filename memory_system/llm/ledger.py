"""`state/ledger.jsonl`: what asking a language model took, one line a question: run, night, phase, model, calls,
tokens, US dollars by the price table of the configuration, seconds. The budget is kept by adding it up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from memory_system.config import Config
from memory_system.files import Files
from memory_system.llm import Usage

MILLION = 1_000_000
BATCH_PRICE = 0.5  # of the price for an answer at once
Row = dict[str, Any]


class Ledger:
    """What asking has cost one workspace. `config` gives prices and budget."""

    def __init__(self, path: Path, files: Files, config: Config) -> None:
        self.path = path
        self.files = files
        self.config = config

    @cached_property
    def rows(self) -> list[Row]:
        """Every line that can be read."""
        return list(_rows(self.files.read(self.path).split(b"\n")))

    def add(self, row: Row) -> None:
        self.files.append(self.path, orjson.dumps(row) + b"\n")
        self.rows.append(row)

    def cost(self, usage: Usage, model: str, *, batch: bool = False) -> float | None:
        """US dollars; None for a model without a price."""
        price = next((each for each in self.config.llm.prices if each.model == model), None)
        if price is None:
            return None
        sums = (
            usage.input * price.input, usage.output * price.output,
            usage.cached * price.cached, usage.written * price.written,
        )  # fmt: skip
        return round(sum(sums) / MILLION * (BATCH_PRICE if batch else 1), 6)

    def tokens_left(self, night: str) -> int:
        """Tokens that the night may still take."""
        spent = sum(tokens_of(row) for row in self.rows if row["night"] == night)
        return max(0, self.config.budget.tokens_per_night - spent)

    def dollars_left(self, now: str) -> float:
        """US dollars that the month of that stamp may still cost."""
        spent = sum(row["usd"] or 0.0 for row in self.rows if row["at"][:7] == now[:7])
        return max(0.0, self.config.budget.usd_per_month - spent)


def tokens_of(row: Row) -> int:
    return sum(int(row[name]) for name in ("input", "output", "cached", "written"))


def usage_row(usage: Usage) -> Row:
    """The columns of a line that tell what was used."""
    return {
        "calls": usage.calls, "input": usage.input, "output": usage.output,
        "cached": usage.cached, "written": usage.written,
    }  # fmt: skip


def _rows(lines: Iterable[bytes]) -> Iterator[Row]:
    for line in lines:
        try:
            row = orjson.loads(line)
            tokens_of(row)
            float(row["usd"] or 0.0)
        except (ValueError, KeyError, TypeError):
            continue  # a torn line, or none of ours
        if isinstance(row.get("night"), str) and isinstance(row.get("at"), str):
            yield row


def by_day(rows: Iterable[Row]) -> dict[str, Row]:
    """What each day (UTC) has cost: calls, tokens, US dollars."""
    days: dict[str, Row] = {}
    for row in rows:
        day = days.setdefault(row["at"][:10], {"calls": 0, "tokens": 0, "usd": 0.0})
        day["calls"] += row["calls"]
        day["tokens"] += tokens_of(row)
        day["usd"] = round(day["usd"] + (row["usd"] or 0.0), 6)
    return dict(sorted(days.items()))
