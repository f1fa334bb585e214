"""Watching: 1.5 seconds after a note and 5 after a transcript, and not at every keystroke."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from workspaces import at, consolidate, contents, layers, make, say

from memory_system import clock, finder, pipeline
from memory_system.hosts.schedule import kind_of, places, watch
from memory_system.layout import Layout
from memory_system.nights import derive
from memory_system.recall.search_index import Index
from memory_system.recall.units import note_digest
from memory_system.upkeep.check import derived
from memory_system.workspace import Workspace


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("memory/2026-03-02.md", "notes"),
        ("memory/projects/茶.md", "notes"),
        ("memory/layer1/snapshot.md", "transcripts"),  # a night was run
        ("memory/dreaming/light/2026-03-02.md", ""),
        ("memory/state/inbox.jsonl", ""),
        ("memory/layer2/active/facts.jsonl", ""),
        ("sessions/a.jsonl", "transcripts"),
        ("sessions/a.jsonl.gz", "transcripts"),
        ("sessions/sessions.json", ""),
        ("../elsewhere/openclaw-agent.sqlite-wal", "transcripts"),
    ],
)
def test_which_files_count(name: str, kind: str, tmp_path: Path) -> None:
    assert kind_of(Path(os.path.normpath(tmp_path / "ws" / name)), Layout(tmp_path / "ws")) == kind


def test_the_folders_of_sources_are_watched(tmp_path: Path) -> None:
    paths = ("../logs/one.jsonl", str(tmp_path / "agents"), "no/x", "../rooms/*/talk.jsonl")
    root = make(tmp_path / "ws", sources=[{"path": each} for each in paths])
    for name in ("agents", "logs", "rooms"):
        (tmp_path / name).mkdir()
    with Workspace.open(root) as ws:
        found = {Path(os.path.normpath(path)) for path in places(ws)}
    assert found == {root / "memory", root / "sessions", *(tmp_path / name for name in ("agents", "logs", "rooms"))}


class Hand:
    """Gives batches of changes, and the time that they come at."""

    def __init__(self, root: Path, *batches: tuple[float, str]) -> None:
        self.root = root
        self.batches = batches
        self.now = 0.0

    def __iter__(self) -> Iterator[list[Path]]:
        for moment, name in self.batches:
            self.now = moment
            yield [self.root / name] if name else []

    def watched(self, now: str) -> list[str]:
        return [told for _, told in self.timed(now)]

    def timed(self, now: str) -> list[tuple[float, str]]:
        """What was done, and when."""

        def opening(**options: Any) -> Workspace:
            return Workspace.open(self.root, now=at(now), **options)

        return [(self.now, told) for told in watch(opening, self, lambda: self.now)]


def indexed(root: Path) -> set[str]:
    with Workspace.open(root) as ws, Index.open(Layout(root).search_index, ws.config) as opened:
        return set(opened.note_digests())


def test_a_note_is_in_the_index_and_transcripts_are_read_when_a_night_is_due(tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "Careful, I'm allergic to peanuts."))
    consolidate(root, "2026-03-03T04:00:00Z")
    (root / "memory/tea.md").write_text("The tea shop opens at nine.\n")
    done = Hand(root, (0.0, "memory/tea.md"), (1.0, ""), (1.6, "")).watched("2026-03-03T05:00:00Z")
    assert done == ["indexed: memory/tea.md"]
    assert indexed(root) == {"memory/tea.md"}
    say(root, "a", ("2026-03-03T09:00:00Z", "user", "我住在上海。"))
    hand = Hand(root, (0.0, "sessions/a.jsonl"), (4.9, ""), (5.1, ""), (9.0, ""))
    assert hand.watched("2026-03-03T10:00:00Z") == ["indexed: sessions/a.jsonl"]
    assert hand.watched("2026-03-04T04:00:00Z") == ["consolidated: 2026-03-04T03:00:00Z"]
    assert "用户住在上海" in contents(root)


def test_a_note_waits_for_a_second_and_a_half_of_quiet_and_a_transcript_for_five(tmp_path: Path) -> None:
    """The seeds' watchDebounceMs (1500) and SESSION_DIRTY_DEBOUNCE_MS (5000)."""
    root = make(tmp_path)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "Careful, I'm allergic to peanuts."))
    consolidate(root, "2026-03-03T04:00:00Z")
    (root / "memory/tea.md").write_text("The tea shop opens at nine.\n")
    say(root, "a", ("2026-03-03T09:00:00Z", "user", "I moved to Porto."))
    written_on = ((10.0, "memory/tea.md"), (11.4, "memory/tea.md"))
    quiet = ((12.8, ""), (12.9, ""), (14.9, ""), (15.0, ""), (99.0, ""))
    done = Hand(root, *written_on, *quiet).timed("2026-03-03T10:00:00Z")
    assert done == [(12.9, "indexed: memory/tea.md"), (15.0, "indexed: sessions/a.jsonl")]


# ---- what was said today -------------------------------------------------------------------------------------------

SLACK = 0.05  # seconds by which a change is noticed before a test has looked at its clock
LATER = "2026-03-03T10:00:00Z"
TODAY = (("2026-03-03T09:00:00Z", "user", "I moved to Porto."), ("2026-03-03T09:01:00Z", "user", "我养了一只猫。"))


def found(root: Path, query: str) -> list[str]:
    with Workspace.open(root, now=at(LATER)) as ws:
        return [row["text"] for row in finder.search(ws, query, scope="sessions")["results"]]


def indexes(root: Path) -> list[str]:
    return Hand(root, (0.0, "sessions/a.jsonl"), (6.0, "")).watched(LATER)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = make(tmp_path / "ws")
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "Careful, I'm allergic to peanuts."))
    consolidate(root, "2026-03-03T04:00:00Z")
    return root


def test_what_was_said_today_is_found_and_the_night_makes_of_it_what_it_would_have_made(root: Path) -> None:
    twin = root.with_name("twin")
    shutil.copytree(root, twin)
    for each in (root, twin):
        say(each, "a", *TODAY)
    assert found(root, "Porto") == []
    assert indexes(root) == ["indexed: sessions/a.jsonl"]
    assert found(root, "Porto") == ["I moved to Porto."]
    assert found(root, "猫") == ["我养了一只猫。"]
    assert contents(root) == {"User is allergic to peanuts"}  # no night was due
    with Workspace.open(root, now=at(LATER)) as ws:
        assert list(derived(ws)) == []
    for each in (root, twin):
        consolidate(each, "2026-03-04T04:00:00Z")
    assert layers(root) == layers(twin)
    with Workspace.open(root, now=at(LATER)) as ws, Index.open(ws.layout.search_index, ws.config) as index:
        assert index.unread() == {}


@pytest.mark.parametrize("night_first", [False, True])
def test_what_the_user_took_back_leaves_the_index(root: Path, night_first: bool) -> None:
    say(root, "a", *TODAY)
    indexes(root)
    path = root / "sessions/a.jsonl"
    message = {"role": "user", "content": "I moved to Lyon."}
    again = {"type": "message", "id": "x", "parentId": "e1", "timestamp": "2026-03-03T09:02:00Z", "message": message}
    with path.open("a") as file:
        file.write(json.dumps(again) + "\n")
    if night_first:
        consolidate(root, "2026-03-04T04:00:00Z")
    else:
        indexes(root)
    assert found(root, "Porto") == []
    assert found(root, "Lyon") == ["I moved to Lyon."]
    with Workspace.open(root, now=at(LATER)) as ws, Index.open(ws.layout.search_index, ws.config) as index:
        assert index.counts()["messages"] == 2
        assert list(derived(ws)) == []


def test_what_changed_before_it_began_is_indexed_and_an_index_is_made_where_there_is_none(root: Path) -> None:
    (Layout(root).search_index).unlink()
    (root / "memory/tea.md").write_text("The tea shop opens at nine.\n")
    say(root, "a", *TODAY)
    done = Hand(root, (0.0, ""), (1.0, ""), (1.6, ""), (5.1, "")).watched(LATER)
    assert done == ["indexed: sessions/a.jsonl"]  # the note is in the index that was made
    assert indexed(root) == {"memory/tea.md"}
    assert found(root, "猫") == ["我养了一只猫。"]


def test_what_waits_for_a_later_night_stays_in_the_index(root: Path) -> None:
    say(root, "a", *TODAY, ("2026-03-04T09:00:00Z", "user", "The ferry leaves at seven."))
    indexes(root)
    consolidate(root, "2026-03-04T04:00:00Z")
    assert found(root, "ferry") == ["The ferry leaves at seven."]


def test_somebody_else_who_writes_is_waited_for(tmp_path: Path) -> None:
    root = make(tmp_path)
    hand = Hand(root, (0.0, "memory/tea.md"), (2.0, ""), (2.5, ""))
    with Workspace.open(root, write=True):
        assert hand.watched("2026-03-03T05:00:00Z") == []


# ---- the real program ----------------------------------------------------------------------------------------------


@contextmanager
def watching(root: Path) -> Iterator[Callable[[str], float]]:
    """The command, running; what waits for a line that begins so and tells when it came."""
    command = [sys.executable, "-u", "-m", "memory_system", "--workspace", str(root), "watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:

        def wait(beginning: str) -> float:
            while line := process.stdout.readline() if process.stdout else "":
                if line.startswith(beginning):
                    return time.monotonic()
            raise AssertionError(process.communicate()[1])

        patience = threading.Timer(120, process.kill)
        patience.start()
        try:
            yield wait
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        finally:
            patience.cancel()
            process.kill()


def test_notes_are_indexed_a_second_and_a_half_and_transcripts_five_after_they_change(tmp_path: Path) -> None:
    """Seeds 001 and 004, with files that really change."""
    root = make(tmp_path)
    with Workspace.open(root, write=True) as ws:
        pipeline.consolidate(ws)
        derive.rebuild(ws)
    (root / "memory/tea.md").write_text("The tea shop opens at nine.\n")
    said = clock.stamp(clock.now())
    with watching(root) as wait:
        wait("indexed: memory/tea.md")  # what changed before it began; now it watches
        say(root, "b", (said, "user", "I moved to Porto."))
        spoken = time.monotonic()
        (root / "memory/tea.md").write_text("The tea shop opens at ten.\n")
        written = time.monotonic()
        assert wait("indexed: memory/tea.md") - written + SLACK >= 1.5
        with Workspace.open(root) as ws, Index.open(ws.layout.search_index, ws.config) as index:
            assert index.note_digests()["memory/tea.md"] == note_digest("The tea shop opens at ten.\n")
        assert wait("indexed: sessions/b.jsonl") - spoken + SLACK >= 5.0
        assert found(root, "Porto") == ["I moved to Porto."]
