"""What asking has given and cost. `state/answers.jsonl` has every answer under the name of its question, written
before it is used: a run that goes on after a crash asks nothing twice, and a night can be run again from its answers
alone. What failed is kept for its own run, so that the run ends in the same bytes whenever it goes on.

`state/ledger.jsonl` has a line for each question or turn of a talk: run, night, phase, model, calls, tokens, US
dollars by the price table of the configuration, seconds. The budget is kept by adding up the nights'."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from memory_system.config import Config
from memory_system.disk import Files
from memory_system.llm import Usage

MILLION = 1_000_000
BATCH_PRICE = 0.5  # of the price for an answer at once
Row = dict[str, Any]
COSTS = "costs"  # of a row: its line of the ledger, which a crash may have kept from being written there
KEPT_RUNS = 400  # that have asked: about a year of nights
_SPARE = 40  # more than that many, before the file is written anew


class Lines(ABC):
    """A file of rows, one a line, to which one process adds. A line that is no row of ours, as a torn one, is passed
    over."""

    def __init__(self, path: Path, files: Files) -> None:
        self.path = path
        self.files = files

    @cached_property
    def rows(self) -> list[Row]:
        """In the order of the file."""
        found = []
        for line in self.files.read(self.path).split(b"\n"):
            with suppress(ValueError, KeyError, TypeError):
                if self.is_ours(row := orjson.loads(line)):
                    found.append(row)
        return found

    @abstractmethod
    def is_ours(self, row: Row) -> bool:
        """Whether it is such a row; ValueError, KeyError or TypeError also say that it is none."""

    def append(self, row: Row) -> None:
        """Write it down, durably."""
        known = self.rows  # as the file was before
        self.files.append(self.path, orjson.dumps(row) + b"\n")
        known.append(row)

    def replace(self, rows: list[Row]) -> None:
        """Put other rows in the place of those there are."""
        self.files.replace(self.path, (orjson.dumps(row) + b"\n" for row in rows))
        self.rows = rows


class Ledger(Lines):
    """What asking has cost one workspace. `config` gives prices and budget."""

    def __init__(self, path: Path, files: Files, config: Config) -> None:
        super().__init__(path, files)
        self.config = config
        self.added: list[Row] = []  # by `add`: what was paid in the lifetime of this object

    def is_ours(self, row: Row) -> bool:
        tokens_of(row)
        float(row["usd"] or 0.0)
        return isinstance(row.get("night"), str) and isinstance(row.get("at"), str)

    def add(self, row: Row) -> None:
        self.append(row)
        self.added.append(row)

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
                self.append(line)

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
    return {name: getattr(usage, name) for name in ("calls", "input", "output", "cached", "written")}


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


class Answers(Lines):
    """The answers of one workspace. A row holds `key`, `at`, `run`, `night`, the question's `name` and `prompt` (file,
    version and hash), `model`, `tokens`, `answer` or `failed`, and where it was paid for its `costs`."""

    def is_ours(self, row: Row) -> bool:
        return isinstance(row, dict) and isinstance(row.get("key"), str)

    @cached_property
    def _by_key(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row["key"], []).append(row)
        return found

    def find(self, key: str, run: str) -> Row | None:
        """What became of a question: in that run, else the answer that another run got."""
        rows = self._by_key.get(key, ())
        own = [row for row in rows if row.get("run") == run]
        answered = [row for row in rows if "answer" in row]
        found = own or answered
        return found[-1] if found else None

    def runs(self) -> list[str]:
        """The runs that asked something, in the order in which they did."""
        return list(dict.fromkeys(str(row.get("run")) for row in self.rows))

    def has(self, key: str, run: str) -> bool:
        """Whether that run has an answer, or a failure, to the question."""
        return any(row.get("run") == run for row in self._by_key.get(key, ()))

    def costs(self) -> list[Row]:
        """The line of the ledger of every question that was paid for, in the order of the file."""
        return [row[COSTS] for row in self.rows if row.get(COSTS)]

    def keep(self, key: str, row: Row) -> None:
        """Write an answer or a failure down, durably."""
        row, known = {"key": key, **row}, self._by_key  # as the file was before
        self.append(row)
        known.setdefault(key, []).append(row)

    def drop_old(self) -> None:
        """Keep what the last runs that asked were answered, and drop what those before them were: they cannot be
        replayed any more."""
        runs = self.runs()
        if len(runs) <= KEPT_RUNS + _SPARE:
            return
        kept = set(runs[-KEPT_RUNS:])
        self.replace([row for row in self.rows if str(row.get("run")) in kept])
        vars(self).pop("_by_key", None)


class Asked(NamedTuple):
    """A question that was answered, or failed: the name of its answer, what was asked by which prompt, whom, when, and
    for which night of which run."""

    key: str
    name: str
    prompt: str
    model: str
    at: str
    run: str
    night: str


def book(asked: Asked, outcome: Row, usage: Usage, answers: Answers, ledger: Ledger, *, batch: bool = False) -> None:
    """Write down what came of a question (`answer`, or why it `failed`), then what it cost."""
    usd = ledger.cost(usage, asked.model, batch=batch)
    where = {"at": asked.at, "run": asked.run, "night": asked.night}
    told = {"name": asked.name, "prompt": asked.prompt, "model": asked.model, "tokens": usage.tokens}
    phase = {"phase": asked.name, "model": asked.model, "outcome": outcome.get("failed", "answered")}
    line = {**where, **phase, **usage_row(usage), "usd": usd, "seconds": usage.seconds, "key": asked.key}
    answers.keep(asked.key, {**where, **told, **outcome, COSTS: line})
    ledger.add(line)
