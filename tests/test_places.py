"""Clock and place: a clock that goes back or far ahead, summer time, another zone, missed nights, a leap day; and the
same bytes whatever the machine is set to."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from workspaces import at, consolidate, contents, layers, make, memories, say

from memory_system import clock
from memory_system.upkeep import check, correct, edit
from memory_system.workspace import Workspace


def problems(root: Path, now: str) -> list[str]:
    with Workspace.open(root, now=at(now)) as ws:
        return [f"{each.where} {each.what}" for each in check.validate(ws)]


def nights_of(root: Path) -> list[str]:
    with Workspace.open(root) as ws:
        return [group.entry.night for group in ws.journal.entries()]


@pytest.mark.parametrize("back", ["2026-03-05T11:00:00Z", "2025-03-05T12:00:00Z", "1970-01-01T00:00:00Z"])
def test_a_clock_that_went_back_loses_and_doubles_nothing(tmp_path: Path, back: str) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "Also, I'm allergic to peanuts. 我喜欢划船。"))
    consolidate(tmp_path, "2026-03-05T12:00:00Z")
    before = contents(tmp_path)
    with Workspace.open(tmp_path, now=at(back)) as ws:
        edit.capture(ws, "User keeps bees")
    consolidate(tmp_path, back)
    assert before <= contents(tmp_path)
    say(tmp_path, "a", ("2026-03-05T13:00:00Z", "user", "I like chess."))
    consolidate(tmp_path, "2026-03-06T12:00:00Z")
    after = contents(tmp_path)
    assert len(after) == len(memories(tmp_path)) == len(before) + 2
    assert problems(tmp_path, "2026-03-06T13:00:00Z") == []


def test_a_clock_ten_years_ahead_archives_nothing(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I like rowing. I saw a film about whales. 我去过一次水族馆。"))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    before = contents(tmp_path)
    consolidate(tmp_path, "2036-03-03T12:00:00Z")
    with Workspace.open(tmp_path, now=at("2036-03-03T12:30:00Z"), write=True) as ws:
        memory_id = next(iter(ws.store.ids()))
        correct.archive(ws, memory_id)
        correct.restore(ws, memory_id)
    assert contents(tmp_path) == before
    assert memories(tmp_path, "archive") == []


@pytest.mark.parametrize(
    ("zone", "day", "schedule"),
    [
        ("Europe/Berlin", "2026-03-29", "30 2 * * *"),  # 2:30 is left out
        ("Europe/Berlin", "2026-10-25", "30 2 * * *"),  # 2:30 comes twice
        ("America/New_York", "2026-11-01", "30 1 * * *"),
        ("Australia/Lord_Howe", "2026-10-04", "15 2 * * *"),  # by half an hour
        ("Africa/Cairo", "2026-04-24", "0 0 * * *"),  # midnight is left out
    ],
)
def test_one_night_for_each_date_when_the_clocks_change(tmp_path: Path, zone: str, day: str, schedule: str) -> None:
    root = make(tmp_path, zone=zone, consolidation={"schedule": schedule})
    start = at(f"{day}T00:00:00Z") - timedelta(days=2)
    for hour in range(0, 24 * 4, 6):
        moment = start + timedelta(hours=hour)
        say(root, f"s{hour:03}", (clock.stamp(moment), "user", f"I bought {hour + 2} red kettles."))
        consolidate(root, clock.stamp(moment + timedelta(minutes=40)))
    with Workspace.open(root) as ws:
        dates = [clock.local_date(at(night), ws.config.zone) for night in nights_of(root)]
        assert dates == sorted(set(dates))
        assert len(dates) in (3, 4)
    assert problems(root, clock.stamp(start + timedelta(days=6))) == []


def test_who_moves_to_another_zone_loses_no_night_and_has_none_twice(tmp_path: Path) -> None:
    zones = ["Asia/Shanghai", "America/Los_Angeles", "Pacific/Kiritimati", "UTC"]
    make(tmp_path, zone=zones[0])
    for number, zone in enumerate(zones * 2):
        (tmp_path / "memory/config.json").write_text(f'{{"timezone":"{zone}"}}')
        say(tmp_path, f"s{number}", (f"2026-03-0{number + 1}T09:00:00Z", "user", f"I have {number + 2} green boats."))
        consolidate(tmp_path, f"2026-03-0{number + 1}T22:00:00Z")
    consolidate(tmp_path, "2026-03-12T22:00:00Z")
    nights = nights_of(tmp_path)
    assert nights == sorted(set(nights))
    read = {each.ref for record in (*memories(tmp_path), *memories(tmp_path, "archive")) for each in record.evidence}
    assert {f"s{number}:e1" for number in range(8)} <= read
    assert problems(tmp_path, "2026-03-12T23:00:00Z") == []


@pytest.mark.parametrize("words", ["I have a dentist appointment tomorrow.", "我明天下午三点约了牙医。"])
def test_a_leap_day_is_a_day(tmp_path: Path, words: str) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2028-02-28T09:00:00Z", "user", words))
    say(tmp_path, "b", ("2028-02-29T09:00:00Z", "user", "Also, I'm allergic to peanuts."))
    consolidate(tmp_path, "2028-03-01T12:00:00Z")
    found = {record.id[2:10]: record for record in memories(tmp_path)}
    assert set(found) == {"20280229", "20280301"}
    assert found["20280229"].event_time.start[:10] == "2028-02-29"
    consolidate(tmp_path, "2029-02-28T12:00:00Z")
    assert problems(tmp_path, "2029-03-01T12:00:00Z") == []


STORY = """
import sys
from pathlib import Path
from workspaces import consolidate
consolidate(Path(sys.argv[1]), "2026-03-07T12:00:00Z")
"""
SETTINGS = [
    {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONHASHSEED": "1"},
    {"TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "77", "LANG": "zh_CN.GBK"},
    {"TZ": ":nonsense", "LC_ALL": "POSIX", "PYTHONHASHSEED": "4242", "PYTHONUTF8": "0"},
]


def test_the_same_bytes_on_every_machine(tmp_path: Path) -> None:
    told = [
        (f"s{number}", (f"2026-03-0{number}T09:00:00Z", "user", words))
        for number, words in enumerate(
            (
                "I live in Porto. 我喜欢划船。我妹妹叫知意。", "I like rowing and İstanbul. My dog is called Straße.",
                "I moved to Ghent. 我不喜欢划船了。", "I have a dentist appointment next Tuesday. 我下周三要去看牙医。",
                "Also, I'm allergic to peanuts! 知意对芒果过敏。",
            ),
            1,
        )
    ]  # fmt: skip
    found = []
    for number, setting in enumerate(SETTINGS):
        root = make(tmp_path / str(number), zone="Asia/Shanghai")
        for session, message in told if number % 2 else reversed(told):  # another order of the names in the folder
            say(root, session, message)
        places = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
        environment = {**os.environ, **setting, "PYTHONPATH": os.pathsep.join(places)}
        subprocess.run([sys.executable, "-c", STORY, root], check=True, env=environment, capture_output=True)
        found.append(layers(root))
        shutil.rmtree(root)
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 10
