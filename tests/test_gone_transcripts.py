"""A transcript that was deleted is found no more after the next night, without making the index anew; what was
remembered of it stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import at, consolidate, contents, make, memories, problems, say

from memory_system import finder
from memory_system.workspace import Workspace

DAY = "2026-03-{}T09:00:00Z"


def said(root: Path, query: str) -> list[str]:
    """What is found in the messages of sessions."""
    with Workspace.open(root, now=at("2026-03-09T12:00:00Z")) as ws:
        return [each["text"] for each in finder.search(ws, query, scope="sessions")["results"]]


@pytest.mark.parametrize(
    ("gone", "other", "query"),
    [
        ("I keep bees. I live in Porto. I work at Globex.", "My sister Ana plays chess.", "bees"),
        ("我养蜂。我住在大连。我在云帆科技上班。", "我妹妹小岚下围棋。", "养蜂"),
    ],
)
def test_its_messages_leave_the_index_and_come_back_with_it(gone: str, other: str, query: str, tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", (DAY.format("02"), "user", gone))
    say(tmp_path, "a:b", (DAY.format("02"), "user", f"{other} {query}?"))  # its name begins with the other's
    consolidate(tmp_path, "2026-03-03T03:00:00Z")
    remembered = contents(tmp_path)
    path = tmp_path / "sessions/a.jsonl"
    words = path.read_bytes()
    path.unlink()
    say(tmp_path, "c", (DAY.format("04"), "user", "I play the oboe."))
    consolidate(tmp_path, "2026-03-05T03:00:00Z")
    assert not [each for each in said(tmp_path, query) if gone in each]
    assert [each for each in said(tmp_path, query) if other in each]
    assert remembered < contents(tmp_path)
    wrong = problems(tmp_path, "2026-03-05T04:00:00Z")
    lost = [each for each in memories(tmp_path) if any(said.ref == "a:e1" for said in each.evidence)]
    assert len(lost) > 1
    assert [each.partition(" ")[2] for each in wrong] == ["there is no message a:e1"] * len(lost)

    path.write_bytes(words)
    say(tmp_path, "c", (DAY.format("06"), "user", "I play the lute."))
    consolidate(tmp_path, "2026-03-07T03:00:00Z")
    assert [each for each in said(tmp_path, query) if gone in each]
    assert problems(tmp_path, "2026-03-07T04:00:00Z") == []
