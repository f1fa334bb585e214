"""Watching: 1.5 seconds after a note and 5 after a transcript, and not at every keystroke."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from workspaces import at, consolidate, contents, make, say

from memory_system.layout import Layout
from memory_system.phases.index import FILE
from memory_system.recall.index import Index
from memory_system.watch import Quiet, kind_of, places, watch
from memory_system.workspace import Workspace


def test_a_note_waits_for_a_second_and_a_half_of_quiet_and_a_transcript_for_five() -> None:
    """The seeds' watchDebounceMs (1500) and SESSION_DIRTY_DEBOUNCE_MS (5000)."""
    quiet = Quiet()
    quiet.changed("notes", 10.0)
    quiet.changed("transcripts", 10.0)
    assert quiet.due(11.4) == []
    quiet.changed("notes", 11.4)  # written on
    assert quiet.due(12.8) == []
    assert quiet.due(12.9) == ["notes"]
    assert quiet.due(14.9) == []
    assert quiet.due(15.0) == ["transcripts"]
    assert quiet.due(99.0) == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("memory/2026-03-02.md", "notes"),
        ("memory/projects/茶.md", "notes"),
        ("memory/layer1/snapshot.md", ""),
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
    root = make(
        tmp_path / "ws", sources=[{"path": "../logs/one.jsonl"}, {"path": str(tmp_path / "agents")}, {"path": "no/x"}]
    )
    (tmp_path / "agents").mkdir()
    (tmp_path / "logs").mkdir()
    with Workspace.open(root) as ws:
        found = {Path(os.path.normpath(path)) for path in places(ws)}
    assert found == {root / "memory", root / "sessions", tmp_path / "logs", tmp_path / "agents"}


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
        def opening(**options: Any) -> Workspace:
            return Workspace.open(self.root, now=at(now), **options)

        return list(watch(opening, self, lambda: self.now))


def indexed(root: Path) -> set[str]:
    with Workspace.open(root) as ws, Index.open(root / "memory/layer2/index" / FILE, ws.config) as opened:
        return set(opened.note_digests())


def test_a_note_is_in_the_index_and_transcripts_are_read_when_a_night_is_due(tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "I'm allergic to peanuts."))
    consolidate(root, "2026-03-03T04:00:00Z")
    (root / "memory/tea.md").write_text("The tea shop opens at nine.\n")
    done = Hand(root, (0.0, "memory/tea.md"), (1.0, ""), (1.6, "")).watched("2026-03-03T05:00:00Z")
    assert done == ["indexed: memory/tea.md"]
    assert indexed(root) == {"memory/tea.md"}
    say(root, "a", ("2026-03-03T09:00:00Z", "user", "我住在上海。"))
    hand = Hand(root, (0.0, "sessions/a.jsonl"), (4.9, ""), (5.1, ""), (9.0, ""))
    assert hand.watched("2026-03-03T10:00:00Z") == ["transcripts have changed; no night is due"]
    assert hand.watched("2026-03-04T04:00:00Z") == ["consolidated 2026-03-04T03:00:00Z"]
    assert "用户住在上海" in contents(root)


def test_somebody_else_who_writes_is_waited_for(tmp_path: Path) -> None:
    root = make(tmp_path)
    hand = Hand(root, (0.0, "memory/tea.md"), (2.0, ""), (2.5, ""))
    with Workspace.open(root, write=True):
        assert hand.watched("2026-03-03T05:00:00Z") == []


def test_the_command_watches_until_it_is_interrupted(tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "I'm allergic to peanuts."))
    consolidate(root, "2026-03-03T04:00:00Z")
    command = [sys.executable, "-m", "memory_system", "--workspace", str(root), "watch"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        limit = time.monotonic() + 60
        while "memory/tea.md" not in indexed(root):  # until it has begun to watch, and 1.5 seconds more
            (root / "memory/tea.md").write_text(f"The tea shop opens at nine. {time.monotonic()}\n")
            time.sleep(2.5)
            assert time.monotonic() < limit
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    assert "indexed: memory/tea.md" in out
    assert process.returncode == 130
