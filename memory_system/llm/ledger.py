"""`state/ledger.jsonl`: what a language model took, one line a question or turn of a talk: run, night, phase, model,
calls, tokens, US dollars by the price table of the configuration, seconds. The budget is kept by adding up the nights'.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from memory_system.config import Config
from memory_system.disk.files import Files
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
        self.added: list[Row] = []  # by `add`: what was paid in the lifetime of this object

    @cached_property
    def rows(self) -> list[Row]:
        """Every line that can be read."""
        return list(_rows(self.files.read(self.path).split(b"\n")))

    def add(self, row: Row) -> None:
        self._append(row)
        self.added.append(row)

    def _append(self, row: Row) -> None:
        known = self.rows  # as the file was before
        self.files.append(self.path, orjson.dumps(row) + b"\n")
        known.append(row)

    def add_talk(self, phase: str, model: str, usage: Usage, outcome: str, now: str) -> None:
        """What a talk with the owner took. It belongs to no night, and the budget is not for it."""
        told = {"at": now, "run": "", "night": "", "phase": phase, "model": model, "outcome": outcome}
        self.add({**told, **usage_row(usage), "usd": self.cost(usage, model), "seconds": usage.seconds})

    @property
    def of_nights(self) -> list[Row]:
        """The lines of questions that nights have asked."""
        return [row for row in self.rows if row["night"]]

    @property
    def of_talks(self) -> list[Row]:
        return [row for row in self.rows if not row["night"]]

    def catch_up(self, lines: Iterable[Row]) -> None:
        """Add those of the lines that are not there yet, by question and run."""
        known = {(row.get("key"), row.get("run")) for row in self.rows}
        for line in lines:
            if (line.get("key"), line.get("run")) not in known:
                self._append(line)

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
        """US dollars that the nights of that stamp's month may still cost."""
        spent = sum(row["usd"] or 0.0 for row in self.of_nights if row["at"][:7] == now[:7])
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


def summed(rows: Iterable[Row]) -> Row:
    """Lines in one: calls, tokens sent and received, US dollars (None where one has no price)."""
    rows = list(rows)
    output = sum(int(row["output"]) for row in rows)
    priced = all(row["usd"] is not None for row in rows)
    return {
        "calls": sum(int(row["calls"]) for row in rows),
        "input_tokens": sum(map(tokens_of, rows)) - output,
        "output_tokens": output,
        "usd": round(sum((row["usd"] for row in rows), 0.0), 6) if priced else None,
    }


def by_day(rows: Iterable[Row]) -> dict[str, Row]:
    """The lines of each day (UTC) in one."""
    rows = sorted(rows, key=lambda row: str(row["at"]))
    return {day: summed(of_day) for day, of_day in groupby(rows, key=lambda row: str(row["at"])[:10])}
