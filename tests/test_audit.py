"""The journal's chain: every single line that is edited, taken out or moved is found and named; a tail that was cut off
is found beside a head that was kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from workspaces import at, consolidate, make, say

from memory_system import forgetting
from memory_system.forgetting import Selection
from memory_system.upkeep import check
from memory_system.workspace import Workspace


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three nights and a forgetting: entries with whole and with blanked lines."""
    root = make(tmp_path_factory.mktemp("audit"))
    for day, text in ((2, "I live in Porto. I have a dog called Barnaby."), (3, "I play chess."), (4, "我住在杭州。")):
        say(root, f"s{day}", (f"2026-03-0{day}T09:00:00Z", "user", text))
        consolidate(root, f"2026-03-0{day + 1}T12:00:00Z")
    with Workspace.open(root, now=at("2026-03-06T12:00:00Z"), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, Selection(entity="Barnaby")))
    say(root, "s6", ("2026-03-06T13:00:00Z", "user", "I collect stamps."))
    consolidate(root, "2026-03-07T12:00:00Z")
    return root


def lines_of(root: Path) -> list[bytes]:
    (month,) = (root / "memory/state/journal").glob("*.jsonl")
    return month.read_bytes().splitlines(keepends=True)


def found(root: Path, lines: list[bytes], anchor: str = "") -> str:
    """Where the audit finds fault with such a journal; empty when it finds none."""
    (month,) = (root / "memory/state/journal").glob("*.jsonl")
    whole = month.read_bytes()
    month.write_bytes(b"".join(lines))
    try:
        with Workspace.open(root) as ws:
            problem = check.verify(ws, anchor)
            return problem.where if problem else ""
    finally:
        month.write_bytes(whole)


def entry_of(lines: list[bytes], number: int) -> int:
    """The entry to which a line belongs."""
    return sum(line.startswith(b'{"entry":') for line in lines[: number + 1])


def edits(line: bytes) -> Iterator[bytes]:
    """The line with one value changed, wherever there is one."""

    def changed(value: object) -> Iterator[object]:
        if isinstance(value, dict):
            for key, each in value.items():
                for new in changed(each):
                    yield {**value, key: new}
        elif isinstance(value, list):
            for number, each in enumerate(value):
                for new in changed(each):
                    yield [*value[:number], new, *value[number + 1 :]]
        elif isinstance(value, bool) or value is None:
            yield "x"
        elif isinstance(value, str):
            yield value + "0"
        elif isinstance(value, int | float):
            yield value + 1

    for new in changed(json.loads(line)):
        yield json.dumps(new, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def test_the_journal_that_was_written_holds(root: Path) -> None:
    with Workspace.open(root) as ws:
        assert check.verify(ws) is None
        assert check.verify(ws, str(ws.journal.head())) is None
        assert check.verify(ws, ws.journal.head().hash) is None


def test_every_edit_of_every_value_is_found_in_its_entry(root: Path) -> None:
    lines = lines_of(root)
    tried = 0
    for number, line in enumerate(lines):
        for new in edits(line):
            where = found(root, [*lines[:number], new, *lines[number + 1 :]])
            assert where, (number, new[:200])
            assert abs(int(where.rpartition(" ")[2]) - entry_of(lines, number)) <= 1
            tried += 1
    assert tried > 300


def test_every_line_that_is_taken_out_is_found(root: Path) -> None:
    lines = lines_of(root)
    for number in range(len(lines) - 1):
        assert found(root, lines[:number] + lines[number + 1 :]), lines[number][:120]


def test_every_two_lines_that_change_places_are_found(root: Path) -> None:
    lines = lines_of(root)
    for number in range(len(lines) - 1):
        swapped = [*lines[:number], lines[number + 1], lines[number], *lines[number + 2 :]]
        assert found(root, swapped), (lines[number][:80], lines[number + 1][:80])


def test_whole_entries_cannot_be_taken_out_or_moved(root: Path) -> None:
    lines = lines_of(root)
    entries: list[list[bytes]] = []
    for line in lines:
        if line.startswith(b'{"entry":'):
            entries.append([])
        entries[-1].append(line)
    for number in range(len(entries) - 1):
        without = [line for place, each in enumerate(entries) if place != number for line in each]
        assert found(root, without) == f"memory/state/journal:entry {number + 1}"
    for first, second in combinations(range(len(entries)), 2):
        moved = list(entries)
        moved[first], moved[second] = entries[second], entries[first]
        assert found(root, [line for each in moved for line in each]), (first, second)


def test_a_tail_that_was_cut_off_is_found_beside_the_head(root: Path) -> None:
    lines = lines_of(root)
    with Workspace.open(root) as ws:
        anchor = str(ws.journal.head())
    starts = [number for number, line in enumerate(lines) if line.startswith(b'{"entry":')]
    assert found(root, lines[: starts[-1]]) == ""  # nothing in the journal itself tells
    for end in range(len(lines) - 1):
        assert found(root, lines[:end], anchor), end
    assert found(root, lines, anchor.replace(":", ":0"))


def test_a_payload_cannot_be_blanked_by_hand(root: Path) -> None:
    lines = lines_of(root)
    number = next(n for n, line in enumerate(lines) if b'"before":null,"after":{' in line)
    row = json.loads(lines[number])
    row["change"]["after"], row["salt"] = None, ""
    blank = json.dumps(row, separators=(",", ":")).encode() + b"\n"
    assert found(root, [*lines[:number], blank, *lines[number + 1 :]])
