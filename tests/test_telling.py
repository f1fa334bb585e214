"""What a run tells of its nights in words: what was learnt, what changed, and what ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from workspaces import consolidate, make, say


def told_of(root: Path, *said: str) -> dict[str, list[str]]:
    """The words of the report on the night after each of the messages, of the last one."""
    row: dict[str, Any] = {}
    for day, words in enumerate(said, 1):
        say(root, f"s{day}", (f"2026-03-{day:02}T09:00:00Z", "user", words))
        row = consolidate(root, f"2026-03-{day + 1:02}T12:00:00Z").to_row()
    return {name: [each["text"] for each in row[name]] for name in ("learnt", "changed", "ended")}


@pytest.mark.parametrize("words", ["I'm not allergic to peanuts.", "我对花生不过敏。"])
def test_a_denial_of_what_nobody_said_is_learnt(words: str, tmp_path: Path) -> None:
    told = told_of(make(tmp_path / "w"), words)
    assert (len(told["learnt"]), told["changed"], told["ended"]) == (1, [], [])


@pytest.mark.parametrize(
    ("before", "now", "place"),
    [("I live in Porto.", "I live in Ghent now.", "Ghent"), ("我住在杭州。", "我现在住在青岛。", "青岛")],
)
def test_a_new_value_is_told_as_a_change_alone(before: str, now: str, place: str, tmp_path: Path) -> None:
    told = told_of(make(tmp_path / "w"), before, now)
    assert [each.endswith(place) for each in told["changed"]] == [True]
    assert told["learnt"] == told["ended"] == []


@pytest.mark.parametrize(
    ("before", "now", "what"),
    [
        ("I'm allergic to peanuts.", "I'm not allergic to peanuts.", "peanuts"),
        ("我对花生过敏。", "我对花生不过敏。", "花生"),
    ],
)
def test_what_is_denied_has_ended(before: str, now: str, what: str, tmp_path: Path) -> None:
    told = told_of(make(tmp_path / "w"), before, now)
    assert [what in each for each in told["ended"]] == [True]
