"""With `thresholds.active_limit` the active pool stays small: the weakest go to the archive, what matters stays, and
what is asked for comes back."""

from __future__ import annotations

from pathlib import Path

from workspaces import at, consolidate, contents, make, memories, problems, say

from memory_system import finder
from memory_system.workspace import Workspace

SAID = (
    "Also, I'm allergic to peanuts.",
    "我住在杭州。",
    "I sold the blue kayak to a neighbour.",
    "我把旧书架送给了楼下的学校。",
    "We rehearse the musical in the old chapel.",
    "My brother Owen plays the cello in a quartet.",
)


def lived(root: Path, limit: int) -> Path:
    make(root, screen={"keep_share": 1.0}, thresholds={"active_limit": limit})
    for number, text in enumerate(SAID, 1):
        say(root, f"s{number}", (f"2026-02-0{number}T09:00:00Z", "user", text))
    consolidate(root, "2026-02-08T12:00:00Z")
    return root


def test_without_a_limit_all_stay(tmp_path: Path) -> None:
    assert len(memories(lived(tmp_path, 0))) >= len(SAID)


def test_the_weakest_make_way_and_what_matters_stays(tmp_path: Path) -> None:
    root = lived(tmp_path, 4)
    assert len(memories(root)) == 4
    assert {"User is allergic to peanuts", "用户住在杭州"} <= contents(root)
    assert {each.retired for each in memories(root, "archive")} == {"crowded"}
    assert problems(root, "2026-02-08T12:00:00Z") == []


def test_what_matters_stays_beyond_the_limit(tmp_path: Path) -> None:
    root = make(tmp_path, thresholds={"active_limit": 1})
    say(root, "a", ("2026-02-01T09:00:00Z", "user", "Also, I'm allergic to peanuts. My name is Ines. 我对青霉素过敏。"))
    consolidate(root, "2026-02-02T12:00:00Z")
    assert len(memories(root)) == 3


def test_what_made_way_comes_back_when_it_is_found(tmp_path: Path) -> None:
    root = lived(tmp_path, 4)
    gone = memories(root, "archive")[0]
    with Workspace.open(root, now=at("2026-02-09T10:00:00Z")) as ws:
        found = finder.search(ws, gone.content, archived=True)["results"]
        assert gone.id in {each["id"] for each in found}
    (root / "memory/config.json").write_text("{}")  # a limit would send it, or another, away again
    consolidate(root, "2026-02-10T12:00:00Z")
    assert gone.id in {each.id for each in memories(root)}
