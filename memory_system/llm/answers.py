"""`state/answers.jsonl`: every answer under the name of its question, written before it is used. A run that goes on
after a crash asks nothing twice, and a night can be run again from its answers alone. What failed is kept for its own
run, so that the run ends in the same bytes whenever it goes on.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from memory_system.files import Files

Row = dict[str, Any]
COSTS = "costs"  # of a row: its line of the ledger, which a crash may have kept from being written there


class Answers:
    """The answers of one workspace. A row holds `key`, `at`, `run`, `night`, the question's `name` and `prompt` (file,
    version and hash), `model`, `tokens`, `answer` or `failed`, and where it was paid for its `costs`."""

    def __init__(self, path: Path, files: Files) -> None:
        self.path = path
        self.files = files

    @cached_property
    def _rows(self) -> dict[str, list[Row]]:
        """By key, in the order of the file; a line that is no answer (a torn one) is passed over."""
        rows: dict[str, list[Row]] = {}
        for line in self.files.read(self.path).split(b"\n"):
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError:
                continue
            if isinstance(row, dict) and isinstance(row.get("key"), str):
                rows.setdefault(row["key"], []).append(row)
        return rows

    def find(self, key: str, run: str) -> Row | None:
        """What became of a question: in that run, else the answer that another run got."""
        rows = self._rows.get(key, ())
        own = [row for row in rows if row.get("run") == run]
        answered = [row for row in rows if "answer" in row]
        found = own or answered
        return found[-1] if found else None

    def tokens(self, run: str, night: str, names: Collection[str]) -> int:
        """Tokens that questions of those names have taken in a night of a run."""
        rows = (row for rows in self._rows.values() for row in rows)
        return sum(
            int(row.get("tokens", 0))
            for row in rows
            if (row.get("run"), row.get("night")) == (run, night) and row.get("name") in names
        )

    def runs(self) -> list[str]:
        """The runs that asked something, in the order in which they did."""
        return list(dict.fromkeys(str(row.get("run")) for rows in self._rows.values() for row in rows))

    def has(self, key: str, run: str) -> bool:
        """Whether that run has an answer, or a failure, to the question."""
        return any(row.get("run") == run for row in self._rows.get(key, ()))

    def costs(self) -> list[Row]:
        """The line of the ledger of every question that was paid for, in the order of the file."""
        found = [row for rows in self._rows.values() for row in rows if row.get(COSTS)]
        return [row[COSTS] for row in found]

    def keep(self, key: str, row: Row) -> None:
        """Write an answer or a failure down, durably."""
        self.files.append(self.path, orjson.dumps({"key": key, **row}) + b"\n")
        self._rows.setdefault(key, []).append(row)
