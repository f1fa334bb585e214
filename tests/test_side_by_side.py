"""Logs that several programs add to while another one sifts them: nothing that anybody has put down is lost."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from workspaces import at, make

from memory_system.disk.files import Files
from memory_system.layout import Layout
from memory_system.privacy.quarantine import Quarantine
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

LINES, WRITERS = 60, 3
NOON = "2026-03-02T12:00:00Z"
Task = Callable[[Path, int], None]


def hold_back(root: Path, writer: int) -> None:
    """Put words down as held back, and now and then a line as a crash has torn it."""
    quarantine = Quarantine(Layout(root), Files())
    for number in range(LINES):
        row = {"ref": f"s{writer}:{number}", "quote": f"pay {writer}-{number}", "said_at": NOON, "role": "user"}
        quarantine.add([{**row, "rule": "en.pay"}])
        if number % 7 == 0:
            Files().append(quarantine.path, b'{"id":"q_torn","ref":"a:b","quo', follow_renames=True)


def look(root: Path, writer: int) -> None:
    with Workspace.open(root, now=at(NOON)) as ws:
        for number in range(LINES):
            ws.accesses.note("search", [f"s{writer}:{number}"], at(NOON))


def write_notes(root: Path, writer: int) -> None:
    with Workspace.open(root, now=at(NOON)) as ws:
        for number in range(LINES):
            edit.note(ws, f"Entry {writer}-{number}")


def beside(root: Path, task: Task, sift: Callable[[], object]) -> None:
    """Run the writers in processes of their own, and sift all the while in this one."""
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=task, args=(root, number)) for number in range(WRITERS)]
    for each in writers:
        each.start()
    while any(each.is_alive() for each in writers):
        sift()
        time.sleep(0.001)
    for each in writers:
        each.join()
    assert [each.exitcode for each in writers] == [0] * WRITERS


EVERYTHING = {f"s{writer}:{number}" for writer in range(WRITERS) for number in range(LINES)}


def test_what_is_held_back_beside_a_repair_is_there(tmp_path: Path) -> None:
    quarantine = Quarantine(Layout(make(tmp_path)), Files())
    aside: list[int] = []
    beside(tmp_path, hold_back, lambda: aside.append(quarantine.set_aside()))
    quarantine.set_aside()
    assert {each.ref for each in quarantine.all()} == EVERYTHING
    assert sum(aside) > 0


@pytest.mark.parametrize("sifting", ["night", "forgetting"])
def test_who_has_read_beside_a_night_or_a_forgetting_is_told(sifting: str, tmp_path: Path) -> None:
    make(tmp_path)
    with Workspace.open(tmp_path, now=at(NOON)) as ws:
        sift = (
            (lambda: ws.accesses.put_by("2026-03-03T00:00:00Z"))
            if sifting == "night"
            else (lambda: ws.accesses.strike(lambda name: name.startswith("other")))
        )
        ws.accesses.note("search", ["other:1"], at(NOON))
        beside(tmp_path, look, sift)
        told = {each for row in ws.accesses.log() for each in row["ids"]}
    assert told - {"other:1"} == EVERYTHING
    assert ("other:1" in told) == (sifting == "night")


def test_a_note_taken_while_notes_are_rewritten_is_there(tmp_path: Path) -> None:
    make(tmp_path)
    path, files = tmp_path / "memory/2026-03-02.md", Files()

    def mark() -> None:
        files.rewrite(path, lambda lines: [*lines, b"\n"])

    beside(tmp_path, write_notes, mark)
    text = path.read_text()
    assert [text.count(f"Entry {writer}-{number}\n") for writer in range(WRITERS) for number in range(LINES)] == (
        [1] * (WRITERS * LINES)
    )


def test_who_is_stopped_while_it_holds_a_log_stops_nobody(tmp_path: Path) -> None:
    path, files = tmp_path / "log", Files()
    files.append(path, b"first\n")
    with files.held(path):  # and does not go on
        files.append(path, b"second\n", follow_renames=True)
    assert path.read_bytes() == b"first\nsecond\n"
