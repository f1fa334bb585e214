"""Nights one by one, caught up, interrupted after any phase and at any write: always the same bytes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from workspaces import Crash, CrashingDisk, at, consolidate, contents, layers, make, memories, say, stopped

from memory_system.errors import ExhaustedError
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

ZONE = "Asia/Shanghai"

WEEK = [
    ("2026-03-02T09:00:00Z", "user", "Also, I'm allergic to peanuts. My name is Ana."),
    ("2026-03-02T09:01:00Z", "assistant", "Noted, Ana!"),
    ("2026-03-03T10:00:00Z", "user", "我住在杭州，在云帆科技工作。"),
    ("2026-03-04T12:00:00Z", "user", "Maybe I will like rowing. I like green tea."),
    ("2026-03-05T12:00:00Z", "user", "我下周三要去看牙医。"),
    ("2026-03-06T12:00:00Z", "user", "I moved to Lisbon last week!"),
    ("2026-03-07T12:00:00Z", "user", "I don't like green tea any more. 我养了一只猫，叫年糕。"),
    ("2026-03-08T12:00:00Z", "user", "I play the cello in an orchestra. The orchestra meets on Mondays."),
]


def fill(root: Path) -> None:
    """A week of talk in two sessions, one of which goes on for days."""
    make(root, zone=ZONE)
    for number, message in enumerate(WEEK):
        say(root, "long" if number % 2 else f"day{number}", message)


def caught_up(root: Path, until: str = "2026-03-10T00:00:00Z") -> dict[str, bytes]:
    fill(root)
    consolidate(root, until)
    return layers(root)


def test_seven_nights_one_by_one_are_the_same_as_caught_up(tmp_path: Path) -> None:
    one_by_one = tmp_path / "one"
    fill(one_by_one)
    for day in range(2, 10):
        consolidate(one_by_one, f"2026-03-{day:02}T19:30:00Z")
    assert layers(one_by_one) == caught_up(tmp_path / "all", "2026-03-09T19:30:00Z")


def test_messages_that_arrive_day_by_day_give_the_same_too(tmp_path: Path) -> None:
    root = tmp_path / "live"
    make(root, zone=ZONE)
    for number, message in enumerate(WEEK):
        say(root, "long" if number % 2 else f"day{number}", message)
        consolidate(root, f"2026-03-{int(message[0][8:10]):02}T19:30:00Z")
    consolidate(root, "2026-03-09T19:30:00Z")
    assert layers(root) == caught_up(tmp_path / "all", "2026-03-09T19:30:00Z")


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    before = caught_up(tmp_path)
    report = consolidate(tmp_path, "2026-03-10T00:00:00Z")
    assert not report.nights
    assert layers(tmp_path) == before


def story(root: Path) -> Path:
    """Two nights that make, confirm, supersede, archive and fold a capture in."""
    make(root, zone="UTC")
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "I live in Porto. I'm allergic to peanuts. 我喜欢喝茶。"))
    say(root, "b", ("2026-03-03T09:00:00Z", "user", "I moved to Lisbon. I'm allergic to peanuts, remember that."))
    with Workspace.open(root, now=at("2026-03-02T10:00:00Z")) as ws:
        edit.capture(ws, "User keeps bees", importance=0.7)
    return root


UNTIL = "2026-03-04T12:00:00Z"


def test_stopped_at_every_write_and_run_again_gives_the_same_bytes(tmp_path: Path) -> None:
    whole = story(tmp_path / "whole")
    left = stopped(whole, lambda disk: consolidate(whole, UNTIL, disk=disk))
    assert len(left) > 60
    expected = layers(whole)
    for what, root in left:
        consolidate(root, UNTIL)
        assert layers(root) == expected, what


def test_stopped_twice_at_different_writes(tmp_path: Path) -> None:
    whole = story(tmp_path / "whole")
    left = stopped(whole, lambda disk: consolidate(whole, UNTIL, disk=disk), every=6)
    expected = layers(whole)
    for number, (what, root) in enumerate(left):
        with suppress(Crash):
            consolidate(root, UNTIL, disk=CrashingDisk(stop=4 * number + 1))
        consolidate(root, UNTIL)
        assert layers(root) == expected, what


def test_a_run_that_failed_three_times_waits_for_the_owner(tmp_path: Path) -> None:
    story(tmp_path)
    stop = 25  # in the first night, after the checkpoint has begun
    for _ in range(3):
        with pytest.raises(Crash):
            consolidate(tmp_path, UNTIL, disk=CrashingDisk(stop=stop, torn=False))
        stop = 8
    with pytest.raises(ExhaustedError):
        consolidate(tmp_path, UNTIL)
    assert consolidate(tmp_path, UNTIL, force=True).nights


def test_a_gap_like_a_wrong_clock_empties_nothing(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I went to the aquarium in Lisbon with my cousin."))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    before = contents(tmp_path)
    assert before
    say(tmp_path, "b", ("2036-03-02T09:00:00Z", "user", "I bought a red kettle at the market."))
    consolidate(tmp_path, "2036-03-03T12:00:00Z")
    assert before <= contents(tmp_path)
    consolidate(tmp_path, "2036-03-04T12:00:00Z", force=True)
    assert not before & contents(tmp_path)


def test_what_matters_never_fades_away(tmp_path: Path) -> None:
    make(tmp_path)
    say(
        tmp_path,
        "a",
        (
            "2026-03-02T09:00:00Z",
            "user",
            "Also, I'm allergic to peanuts. We rehearse the whale song in the old chapel.",
        ),
    )
    for year in range(2026, 2031):
        say(tmp_path, f"y{year}", (f"{year}-04-02T09:00:00Z", "user", "I planted tomatoes on the balcony."))
        consolidate(tmp_path, f"{year}-04-03T12:00:00Z")
    kept = [record for record in memories(tmp_path) if record.attribute == "allergy"]
    assert [record.value for record in kept] == ["peanuts"]
    assert "peanuts" in (tmp_path / "memory/layer1/snapshot.md").read_text()
    assert any("whale" in each for each in contents(tmp_path, "archive"))
