"""`state/answers.jsonl`: every answer under the name of its question, written before it is used. A run that goes on
after a crash asks nothing twice, and a night can be run again from its answers alone. What failed is kept for its own
run, so that the run ends in the same bytes whenever it goes on. The file holds the last `KEPT_RUNS` runs that asked.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from memory_system.disk.files import Files

Row = dict[str, Any]
COSTS = "costs"  # of a row: its line of the ledger, which a crash may have kept from being written there


KEPT_RUNS = 400  # that have asked: about a year of nights
_SPARE = 40  # more than that many, before the file is written anew


class Answers:
    """The answers of one workspace. A row holds `key`, `at`, `run`, `night`, the question's `name` and `prompt` (file,
    version and hash), `model`, `tokens`, `answer` or `failed`, and where it was paid for its `costs`."""

    def __init__(self, path: Path, files: Files) -> None:
        self.path = path
        self.files = files

    @cached_property
    def _rows(self) -> list[Row]:
        """In the order of the file; a line that is no answer (a torn one) is passed over."""
        rows = []
        for line in self.files.read(self.path).split(b"\n"):
            with suppress(orjson.JSONDecodeError):
                row = orjson.loads(line)
                if isinstance(row, dict) and isinstance(row.get("key"), str):
                    rows.append(row)
        return rows

    @cached_property
    def _by_key(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in self._rows:
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
        return list(dict.fromkeys(str(row.get("run")) for row in self._rows))

    def has(self, key: str, run: str) -> bool:
        """Whether that run has an answer, or a failure, to the question."""
        return any(row.get("run") == run for row in self._by_key.get(key, ()))

    def costs(self) -> list[Row]:
        """The line of the ledger of every question that was paid for, in the order of the file."""
        return [row[COSTS] for row in self._rows if row.get(COSTS)]

    def keep(self, key: str, row: Row) -> None:
        """Write an answer or a failure down, durably."""
        row = {"key": key, **row}
        self.files.append(self.path, orjson.dumps(row) + b"\n")
        known = self._by_key  # as the file was before
        self._rows.append(row)
        known.setdefault(key, []).append(row)

    def drop_old(self) -> None:
        """Keep what the last runs that asked were answered, and drop what those before them were: they cannot be
        replayed any more."""
        runs = self.runs()
        if len(runs) <= KEPT_RUNS + _SPARE:
            return
        kept = set(runs[-KEPT_RUNS:])
        rows = [row for row in self._rows if str(row.get("run")) in kept]
        self.files.replace(self.path, (orjson.dumps(row) + b"\n" for row in rows))
        self.__dict__.update(_rows=rows)
        self.__dict__.pop("_by_key", None)
