"""What the owner captures is read as their notes are: it fills its slot, and ends what it replaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from workspaces import at, consolidate, make, memories, problems, say

from memory_system.records import Fact
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

AFTER = "2026-03-24T03:00:00Z"


def captured(root: Path, said: str, words: str, **given: Any) -> Fact:
    """The capture as it is after a night, in a workspace where three weeks before it something was said."""
    make(root)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", said))
    consolidate(root, "2026-03-03T03:00:00Z")
    with Workspace.open(root, now=at("2026-03-23T09:00:00Z")) as ws:
        new_id = edit.capture(ws, words, key="k", **given).id
    consolidate(root, AFTER)
    with Workspace.open(root, now=at(AFTER)) as ws:
        found = ws.store.get(new_id)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("said", "words", "slot", "gone"),
    [
        ("I live in Troy.", "User moved to Boston", ("lives_in", "Boston"), "User lives in Troy"),
        ("I work at Acme.", "User works at Globex now", ("works_at", "Globex"), "User works at Acme"),
        ("I like tea.", "User no longer likes tea", ("likes", "tea"), "User likes tea"),
        ("I live in Troy.", "User likes tea. User lives in Boston now.", ("likes", "tea"), "User lives in Troy"),
        ("我住在大连。", "用户搬到了波士顿", ("lives_in", "波士顿"), "用户住在大连"),
        ("我在云帆科技上班。", "用户现在在海图软件上班", ("works_at", "海图软件"), "用户在云帆科技工作"),
    ],
)
def test_a_capture_fills_its_slot_and_ends_what_was_there(
    said: str, words: str, slot: tuple[str, str], gone: str, tmp_path: Path
) -> None:
    found = captured(tmp_path, said, words, importance=0.7)
    assert (found.attribute, found.value) == slot
    assert (found.content, found.importance, found.evidence[0].ref) == (words, 0.7, "capture:k")
    assert [each.content for each in memories(tmp_path)] == [words]
    (over,) = memories(tmp_path, "archive")
    assert (over.content, over.retired, over.superseded_by) == (gone, "superseded", found.id)
    assert problems(tmp_path, AFTER) == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("I live in Troy.", "User might move to Boston"),
        ("I live in Troy.", "Tom moved to Boston"),
        ("My birthday is 5 May.", "User's birthday is 6 May"),  # as for what is said: a birthday gives way to two
        ("我住在大连。", "用户可能搬去波士顿"),
        ("我的生日是5月5日。", "用户的生日是5月6日"),
    ],
)
def test_what_does_not_end_stands_beside_the_capture(said: str, words: str, tmp_path: Path) -> None:
    captured(tmp_path, said, words)
    assert len(memories(tmp_path)) == 2
    assert memories(tmp_path, "archive") == []


@pytest.mark.parametrize(
    ("said", "words"), [("I live in Boston.", "User moved to Boston"), ("我住在杭州。", "用户搬到了杭州")]
)
def test_a_capture_of_a_slot_that_is_known_confirms_it(said: str, words: str, tmp_path: Path) -> None:
    folded = captured(tmp_path, said, words)
    (known,) = memories(tmp_path)
    assert (folded.retired, folded.superseded_by) == ("merged", known.id)
    assert [each.ref for each in known.evidence] == ["a:e1", "capture:k"]


@pytest.mark.parametrize(
    ("before", "words", "after", "left"),
    [
        ("I live in Troy.", "User moved to Boston", "I live in Austin.", "User lives in Austin"),
        ("我住在大连。", "用户搬到了波士顿", "我住在烟台。", "用户住在烟台"),
    ],
)
def test_captures_and_talk_of_one_day_are_taken_by_their_time(
    before: str, words: str, after: str, left: str, tmp_path: Path
) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-23T08:00:00Z", "user", before), ("2026-03-23T10:00:00Z", "user", after))
    with Workspace.open(tmp_path, now=at("2026-03-23T09:00:00Z")) as ws:
        edit.capture(ws, words)
    consolidate(tmp_path, AFTER)
    (last,) = memories(tmp_path)
    assert last.content == left
    assert {each.value for each in last.history} == {each.value for each in memories(tmp_path, "archive")}
