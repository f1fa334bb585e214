"""What a night has no room for waits: a later night with room takes the best of it, and no more than its share."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from workspaces import Crash, CrashingDisk, at, consolidate, contents, layers, make, memories, problems, say

from memory_system import forgetting
from memory_system.errors import DamagedError
from memory_system.forgetting import Selection
from memory_system.upkeep import preview, undo
from memory_system.workspace import Workspace

PLACES = ("Ghent", "Porto", "Leeds", "Turin", "Bergen", "Malmo", "Tartu", "Cadiz", "Split", "Basel")
STREETS = ("柳树", "桃花", "梧桐", "银杏", "石桥", "水井", "钟楼", "竹林", "古槐", "灯塔")
FULL = [f"We painted {4 + number} blue doors in {place} together." for number, place in enumerate(PLACES)] + [
    f"我在{street}街的旧书店里买了{number + 3}本游记。" for number, street in enumerate(STREETS)
]
IDLE = ("Thanks a lot, you are very kind!", "太谢谢你了，你真是个好人！")
FIRST, SECOND = "2026-03-03T04:00:00Z", "2026-03-04T04:00:00Z"


def speak(root: Path, day: int, texts: list[str], session: str = "", **header: object) -> None:
    said = [(f"2026-03-{day:02}T09:{number:02}:00Z", "user", text) for number, text in enumerate(texts)]
    say(root, session or f"day{day}", *said, **header)


def full_then_idle(root: Path) -> Path:
    """A day with more to keep than its share, and one with nothing."""
    make(root, screen={"keep_share": 0.4})
    speak(root, 2, FULL)
    speak(root, 3, list(IDLE) * 12)
    return root


def tokens(texts: list[str] | set[str]) -> int:
    """Latin words, Han characters and marks."""
    return sum(len(re.findall(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]", each)) for each in texts)


def state(root: Path) -> str:
    return (root / "memory/state/consolidation.json").read_text()


def test_a_quiet_day_takes_up_what_a_full_one_left_and_the_share_holds_over_both(tmp_path: Path) -> None:
    root = full_then_idle(tmp_path)
    consolidate(root, FIRST)
    before = contents(root)
    assert tokens(before) <= 0.4 * tokens(FULL) < tokens(FULL)
    report = consolidate(root, SECOND)
    added = contents(root) - before
    assert len(added) > 5
    assert tokens(contents(root)) <= 0.4 * tokens([*FULL, *(12 * IDLE)])
    assert report.to_row()["accounting"]["balanced"]
    assert problems(root, SECOND) == []


def test_it_is_dated_and_told_as_on_the_day_it_was_said(tmp_path: Path) -> None:
    make(tmp_path, screen={"keep_share": 0.01})
    people = {"participants": {"user": "Orla", "assistant": "Bram"}}
    texts = [f"I will show you {number} old maps of {place} tomorrow." for number, place in enumerate(PLACES, 20)]
    said = [(f"2026-03-02T09:{number:02}:00Z", "user", text) for number, text in enumerate(texts)]
    say(tmp_path, "maps", ("2026-03-02T08:00:00Z", "assistant", "Thanks!"), *said, **people)
    consolidate(tmp_path, FIRST)
    before = contents(tmp_path)
    (tmp_path / "memory/config.json").write_text('{"timezone": "UTC", "screen": {"keep_share": 0.9}}')
    speak(tmp_path, 3, [IDLE[0]] * 40)
    consolidate(tmp_path, SECOND)
    added = contents(tmp_path) - before
    assert added
    for each in added:
        assert "Orla will show Bram" in each
        assert "on 3 March 2026" in each
    assert {each.said_at[:10] for each in memories(tmp_path)} == {"2026-03-02"}


def test_nights_one_by_one_are_the_same_as_caught_up(tmp_path: Path) -> None:
    caught_up = full_then_idle(tmp_path / "all")
    consolidate(caught_up, SECOND)
    live = make(tmp_path / "live", screen={"keep_share": 0.4})
    speak(live, 2, FULL)
    consolidate(live, FIRST)
    speak(live, 3, list(IDLE) * 12)
    consolidate(live, SECOND)
    assert layers(live) == layers(caught_up)


def test_stopped_at_every_write_it_is_taken_up_once(tmp_path: Path) -> None:
    first = full_then_idle(tmp_path / "first")
    consolidate(first, FIRST)
    whole = Path(shutil.copytree(first, tmp_path / "whole"))
    disk = CrashingDisk()
    consolidate(whole, SECOND, disk=disk)
    expected = layers(whole)
    for stop in range(1, len(disk.done) + 1, 3):
        root = Path(shutil.copytree(first, tmp_path / str(stop)))
        with pytest.raises(Crash):
            consolidate(root, SECOND, disk=CrashingDisk(stop=stop))
        consolidate(root, SECOND)
        assert layers(root) == expected, f"stopped at {stop}: {disk.done[stop - 1]}"


def test_a_dry_run_tells_what_would_be_taken_up(tmp_path: Path) -> None:
    root = full_then_idle(tmp_path)
    consolidate(root, FIRST)
    before = contents(root)
    with Workspace.open(root, now=at(SECOND)) as ws:
        row = preview.preview(ws)
    assert contents(root) == before
    consolidate(root, SECOND)
    assert row["totals"]["facts"] == sum(each.id.startswith("f_") for each in memories(root))


def test_only_places_wait_and_what_was_forgotten_meanwhile_is_not_taken_up(tmp_path: Path) -> None:
    root = full_then_idle(tmp_path)
    consolidate(root, FIRST)
    before = contents(root)
    assert "day2:e" in state(root)
    assert not re.search("doors|游记", state(root))
    with Workspace.open(root, now=at(FIRST), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, Selection(session="day2")))
    consolidate(root, SECOND)
    assert before
    assert contents(root) == set()


def test_after_a_week_it_waits_no_longer(tmp_path: Path) -> None:
    make(tmp_path, screen={"keep_share": 0.4})
    speak(tmp_path, 2, FULL)
    consolidate(tmp_path, FIRST)
    before = contents(tmp_path)
    speak(tmp_path, 12, list(IDLE) * 12)
    consolidate(tmp_path, "2026-03-13T04:00:00Z")
    assert contents(tmp_path) == before
    assert "day2:e" not in state(tmp_path).partition('"left_over"')[2]


def test_undone_and_read_again_it_is_the_same(tmp_path: Path) -> None:
    root = full_then_idle(tmp_path)
    consolidate(root, FIRST)
    consolidate(root, SECOND)
    expected = contents(root)
    with Workspace.open(root, now=at(SECOND), write=True) as ws:
        undo.rollback(ws, "2026-03-04T03:00:00Z", redo=True)
    assert contents(root) < expected
    consolidate(root, SECOND)
    assert contents(root) == expected


def test_undone_for_good_nothing_of_it_comes_back_in_another_night(tmp_path: Path) -> None:
    root = full_then_idle(tmp_path)
    consolidate(root, FIRST)
    assert contents(root)
    with Workspace.open(root, now=at(FIRST), write=True) as ws:
        undo.rollback(ws, "2026-03-03T03:00:00Z")
    consolidate(root, SECOND)
    assert contents(root) == set()


@pytest.mark.parametrize("rows", [5, None, "day2:e1@0-5 3 1.00", [3], ["day2:e1"]])
def test_a_checkpoint_that_tells_of_it_otherwise_is_damaged(tmp_path: Path, rows: object) -> None:
    root = full_then_idle(tmp_path)
    consolidate(root, FIRST)
    path = root / "memory/state/consolidation.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "left_over": {"2026-03-03T03:00:00Z": rows}}))
    with pytest.raises(DamagedError):
        consolidate(root, SECOND)


@pytest.mark.parametrize("word", ["Perth", "梧桐"])
def test_a_name_that_was_forgotten_is_not_taken_up(tmp_path: Path, word: str) -> None:
    root = make(tmp_path, screen={"keep_share": 0.01})
    towns = ("Vaduz", "Sligo", "Evora", "Delft", "Umea", "Lugo", "Perth")
    speak(
        root,
        2,
        [*FULL, *(f"We mended {number} red boats near {town} together." for number, town in enumerate(towns, 4))],
    )
    consolidate(root, FIRST)
    assert not any(word in each for each in contents(root))
    with Workspace.open(root, now=at(FIRST), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, Selection(entity=word)))
    (root / "memory/config.json").write_text('{"timezone": "UTC", "screen": {"keep_share": 0.95}}')
    speak(root, 3, [IDLE[0]] * 60)
    consolidate(root, SECOND)
    added = contents(root)
    assert len(added) > 10
    assert not any(word in each for each in added)


def test_a_transcript_that_is_gone_leaves_nothing_to_take_up(tmp_path: Path) -> None:
    root = full_then_idle(tmp_path)
    consolidate(root, FIRST)
    before = contents(root)
    (root / "sessions/day2.jsonl").unlink()
    consolidate(root, SECOND)
    assert contents(root) == before


def test_a_plan_of_a_short_day_is_kept(tmp_path: Path) -> None:
    """Four sentences of a day need no share."""
    make(tmp_path, screen={"keep_share": 0.1})
    speak(tmp_path, 2, [
        "The bus was late again and I walked through the whole park in the rain.",
        "We ate soup with old friends at the corner place near the canal.",
        "Our neighbours have painted their fence green and planted roses beside it.",
        "I will visit my cousin in Ghent next Friday.",
    ])  # fmt: skip
    speak(tmp_path, 3, ["今天公交车又晚点了，我冒雨走过了整个公园。", "我们和老朋友在运河边的小店里喝了汤。",
                        "邻居把篱笆刷成了绿色，还种了玫瑰。", "我下周五要去看望住在苏州的表哥。"])  # fmt: skip
    consolidate(tmp_path, SECOND)
    assert any("cousin in Ghent on 13 March 2026" in each for each in contents(tmp_path))
    assert any("2026年3月13日" in each and "表哥" in each for each in contents(tmp_path))
