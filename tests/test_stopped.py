"""Who takes back in a message of its own what they have just told that they do, does it no more."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import consolidate, contents, make, say


def told(root: Path, *messages: str) -> set[str]:
    """What stands after a session in which the user said one after the other, a minute apart."""
    said = [(f"2026-03-02T09:{minute:02}:00Z", "user", words) for minute, words in enumerate(messages)]
    say(root, "s", *said)
    consolidate(root, "2026-03-03T03:00:00Z")
    return contents(root)


@pytest.mark.parametrize(
    ("deed", "stopped", "now"),
    [
        ("I run every morning.", "Actually, I stopped.", "User no longer runs every morning"),
        ("I smoke a pack a day.", "Oh wait, I quit last month.", "User no longer smokes a pack a day"),
        ("I take vitamin D every day.", "I don't anymore.", "User no longer takes vitamin D"),
        ("I'm learning Danish.", "Well, I gave it up.", "User is no longer learning Danish"),
        ("I play tennis on Sundays.", "No, I no longer do that.", "User no longer plays tennis on Sundays"),
        ("我每天早上跑步。", "其实我停了。", "用户不再每天早上跑步"),
        ("我每天喝两杯咖啡。", "我已经不喝了。", "用户不再每天喝两杯咖啡"),
        ("我抽烟。", "早戒了。", "用户不再抽烟"),
        ("我在学吉他。", "后来放弃了。", "用户不再学吉他"),
        ("我每周三去游泳。", "我现在不去了。", "用户不再每周三去游泳"),
    ],
)
def test_a_deed_that_was_just_told_is_given_up(deed: str, stopped: str, now: str, tmp_path: Path) -> None:
    assert told(make(tmp_path), deed, stopped) == {now}
    assert len(contents(tmp_path, "archive")) == 1


@pytest.mark.parametrize(
    "messages",
    [
        ("I love tea.", "Actually, I stopped."),
        ("I used to smoke a pack a day.", "Actually, I stopped."),
        ("I run every morning and I take vitamin D.", "Actually, I stopped."),
        ("I run every morning.", "My sister lives in Hull.", "Actually, I stopped."),
        ("I run every morning.", "I stopped at the shop in Hull for some milk."),
        ("我喜欢喝茶。", "其实我停了。"),
        ("我每天喝两杯咖啡。", "我已经不跑了。"),
        ("我每天早上跑步，晚上写日记。", "其实我停了。"),
    ],
)
def test_what_is_not_certain_stands(messages: tuple[str, ...], tmp_path: Path) -> None:
    told(make(tmp_path), *messages)
    assert not contents(tmp_path, "archive")


def test_another_speaker_takes_nothing_back(tmp_path: Path) -> None:
    root = make(tmp_path)
    say(
        root,
        "s",
        ("2026-03-02T09:00:00Z", "user", "I run every morning."),
        ("2026-03-02T09:01:00Z", "assistant", "Actually, I stopped."),
        participants={"user": "Ana", "assistant": "Ben"},
    )
    consolidate(root, "2026-03-03T03:00:00Z")
    assert any("runs every morning" in each for each in contents(root))
    assert not contents(root, "archive")
