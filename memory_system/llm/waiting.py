"""Questions that wait to be sent in a batch: `state/queue.jsonl`, one a line, each written down as it is put off, so
that a run that is stopped loses none of them.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from memory_system.disk.files import Files


@dataclass(frozen=True, slots=True)
class Queued:
    """A question that waits: the name of its answer, what is asked, by which prompt, for which night of which run, the
    body of its request, what it takes at most, and what using its answer will need."""

    key: str
    name: str
    prompt: str
    run: str
    night: str
    params: dict[str, Any]
    tokens: int
    usd: float
    rows: list[dict[str, Any]] = field(default_factory=list)


class Queue:
    """The questions of one workspace that wait, and those that are `underway` already, by name."""

    def __init__(self, path: Path, files: Files) -> None:
        self.path = path
        self.files = files
        self.underway: dict[str, Queued] = {}

    @cached_property
    def _found(self) -> dict[str, Queued]:
        """By name; a line that is no question (a torn one) is passed over."""
        found = {}
        for line in self.files.read(self.path).split(b"\n"):
            try:
                each = queued_from(orjson.loads(line))
            except (ValueError, TypeError):
                continue
            found[each.key] = each
        return found

    @property
    def waiting(self) -> list[Queued]:
        """In the order in which they were put off."""
        return list(self._found.values())

    def knows(self, key: str) -> bool:
        """Whether the question of that name is to be answered by a batch."""
        return key in self._found or key in self.underway

    def put(self, question: Queued) -> None:
        self.files.append(self.path, orjson.dumps(asdict(question)) + b"\n")
        self._found[question.key] = question

    def clear(self) -> None:
        self.files.remove(self.path)
        self._found.clear()

    def drop(self, keys: Collection[str]) -> None:
        """Take out what a batch has already: a crash came between its writing and the clearing."""
        kept = [each for each in self.waiting if each.key not in keys]
        if len(kept) < len(self.waiting):
            self.files.replace(self.path, [orjson.dumps(asdict(each)) + b"\n" for each in kept])
            self._found.clear()
            self._found.update({each.key: each for each in kept})

    def tokens(self, night: str) -> int:
        """Tokens that the questions take at most for that night."""
        return sum(each.tokens for each in self._unpaid if each.night == night)

    @property
    def usd(self) -> float:
        """US dollars that all of them cost at most."""
        return sum(each.usd for each in self._unpaid)

    @property
    def _unpaid(self) -> list[Queued]:
        return [*self.waiting, *self.underway.values()]


def queued_from(row: Any) -> Queued:
    """The question of a line; TypeError where it is none."""
    known = {each.name for each in fields(Queued)}
    return Queued(**{name: value for name, value in dict(row).items() if name in known})
