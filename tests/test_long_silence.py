"""After a gap that looks like a wrong clock nothing fades until --force, and what is shown is what is held."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from workspaces import at, consolidate, make, memories, problems, say

from memory_system.upkeep import explain
from memory_system.workspace import Workspace

BEFORE, AFTER = "2024-03-03T03:00:00Z", "2026-03-04T03:00:00Z"


def core(root: Path) -> dict[str, float]:
    """What stands in the core of the snapshot, with its scores."""
    text = (root / "memory/layer1/snapshot.md").read_text("utf-8")
    return {told: float(score) for score, told in re.findall(r"^\d+\. \[(\d\.\d\d)\] (.*)$", text, re.MULTILINE)}


@pytest.mark.parametrize("later", ["", "My cousin Lena plays the cello.", "我表姐会拉大提琴。"])
@pytest.mark.parametrize(
    ("said", "lasting", "passing"),
    [
        (("I like rowing.", "I have a dentist appointment on 12 March at 10."), "User likes rowing", "dentist"),
        (("我喜欢划船。", "3月12日上午10点要看牙医。"), "用户喜欢划船", "牙医"),
    ],
)
def test_what_is_held_is_shown_as_it_was(
    said: tuple[str, str], lasting: str, passing: str, later: str, tmp_path: Path
) -> None:
    make(tmp_path)
    say(tmp_path, "a", *(("2024-03-02T09:00:00Z", "user", words) for words in said))
    consolidate(tmp_path, BEFORE)
    before = core(tmp_path)[lasting]
    if later:
        say(tmp_path, "b", ("2026-03-03T09:00:00Z", "user", later))
    consolidate(tmp_path, AFTER)
    assert len([each for each in memories(tmp_path) if passing in each.content]) == 1
    assert core(tmp_path)[lasting] == before
    assert not [each for each in core(tmp_path) if passing in each]
    assert problems(tmp_path, AFTER) == []
    (held,) = (each for each in memories(tmp_path) if each.content == lasting)
    with Workspace.open(tmp_path, now=at(AFTER)) as ws:
        assert explain.why(ws, held.id)["rank"]["effective"] == pytest.approx(before, abs=0.005)
    consolidate(tmp_path, AFTER, force=True)
    assert lasting not in core(tmp_path)
    assert [each.retired for each in memories(tmp_path, "archive") if each.content == lasting] == ["decayed"]
