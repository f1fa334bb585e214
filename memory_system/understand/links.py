"""The link between a memory and what was said later: does the newer make the older one outdated?

A linear model like the judge: learned from pairs that people marked in whole lives (`corpus/changes.*.jsonl`) by
`scripts/links`, and shipped as one text file that can be read. Every feature has a whole weight; their sum is compared
with two thresholds that were set on people whom the weights had not seen: from `sure` the older memory is outdated,
from `likely` both stand, and the newer is shown beside the older.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_system.errors import DefectError

FORMAT = "links 1"
HEAD = ("sure", "likely", "start")


@dataclass(frozen=True, slots=True)
class Links:
    """The weights of all features, the sum without any, and the thresholds."""

    weights: Mapping[str, int]
    start: int
    sure: int
    likely: int

    def sum_of(self, told: Iterable[str]) -> int:
        """The sum of the weights of what tells for and against a link."""
        return self.start + sum(self.weights.get(each, 0) for each in told)


@cache
def links() -> Links:
    """The model that is shipped. DefectError when the file that is installed with the program is missing or damaged."""
    path = Path(__file__).with_name("links.txt")
    try:
        return read(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DefectError(f"{path} is missing or damaged: {error}") from error


def read(written: str) -> Links:
    """The model that stands in the text; ValueError when it is none."""
    head, *lines = written.rstrip("\n").split("\n")
    if head != FORMAT or not lines or lines[-1] != f"end {len(lines) - 1}":
        raise ValueError("it is no whole file of this version")
    rows = {name: int(weight) for name, weight in (line.rsplit("\t", 1) for line in lines[:-1])}
    sure, likely, start = (rows.pop(name) for name in HEAD)
    return Links(rows, start, sure, likely)


def text_of(model: Links) -> str:
    """The file of the model: one feature a line, in order."""
    rows = {"sure": model.sure, "likely": model.likely, "start": model.start, **dict(sorted(model.weights.items()))}
    lines = [f"{name}\t{weight}" for name, weight in rows.items()]
    return "\n".join((FORMAT, *lines, f"end {len(lines)}")) + "\n"
