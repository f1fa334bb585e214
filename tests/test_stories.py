"""Golden stories: a few days of talk in `stories/*.toml`, and what must be remembered of them, in both languages."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from expectations import listed, unmet
from workspaces import consolidate, make, say

STORIES = sorted((Path(__file__).parent / "stories").glob("*.toml"))


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
def test_story(path: Path, tmp_path: Path) -> None:
    story = tomllib.loads(path.read_text("utf-8"))
    make(tmp_path, zone=story["timezone"])
    tell(tmp_path, story)
    for expect in story["expect"]:
        consolidate(tmp_path, expect["until"])
        problems = list(unmet(tmp_path, expect))
        assert not problems, f"until {expect['until']}: " + listed(problems, tmp_path)


def tell(root: Path, story: dict[str, Any]) -> None:
    """Write the story's sessions."""
    sessions: dict[str, list[tuple[str, str, str]]] = {}
    for each in story["message"]:
        sessions.setdefault(each["session"], []).append((each["at"], each["role"], each["text"]))
    header = {"participants": story["participants"]} if "participants" in story else {}
    for session, said in sessions.items():
        say(root, session, *said, **header)


def test_stories_come_in_pairs() -> None:
    names = {path.stem for path in STORIES}
    assert {f"zh_{name[3:]}" for name in names if name.startswith("en_")} == {n for n in names if n.startswith("zh_")}
