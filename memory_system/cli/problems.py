"""Problems as a person is told of them: a few lines, in which one bad file leaves room for the others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

MOST = 12  # shown to a person; --json has them all
Row = dict[str, str]


def problem_lines(rows: list[Row]) -> Iterator[str]:
    """The problems, each with what to do on a line of its own."""
    yield from _told(rows, "", "\n  → ")


def report_problem_lines(rows: list[Row]) -> Iterator[str]:
    """The problems under the report of a run, one a line."""
    yield from _told(rows, "  ", " → ")


def _told(rows: list[Row], indent: str, arrow: str) -> Iterator[str]:
    shown = [(row, 0) for row in rows] if len(rows) <= MOST else list(_by_file(rows))
    for row, more in shown[:MOST]:
        alike = f"; and {more} more in this file" if more else ""
        yield f"{indent}! {row['where']}: {row['what']}{alike}" + (f"{arrow}{row['hint']}" if row["hint"] else "")
    if left := sum(1 + more for _, more in shown[MOST:]):
        yield f"{indent}! and {left} more: see them all with --json"
    elif len(shown) < len(rows):
        yield f"{indent}! see them all with --json"


def _by_file(rows: Iterable[Row]) -> Iterator[tuple[Row, int]]:
    """The first problem of each file, and how many more there are of it."""
    files: dict[str, list[Row]] = {}
    for row in rows:
        files.setdefault(row["where"].rpartition(":")[0] or row["where"], []).append(row)
    for alike in files.values():
        yield alike[0], len(alike) - 1
