"""Plans that were put off, dropped or overtaken, in the few words people use for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import afterwards, contents


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        (
            "my flight to Berlin is on thursday",
            "flight got moved to friday",
            "User's flight to Berlin is on 6 March 2026",
        ),
        ("我妈下周三做膝盖手术", "手术推迟到4月2号了", "用户的妈2026年4月2日做膝盖手术"),
        ("我爸3月20号做白内障手术", "手术改到4月2号了", "用户的爸2026年4月2日做白内障手术"),
        (
            "we have standup at 9:30 every morning",
            "standup is at 10 now",
            "User and others have standup at 10 every morning",
        ),
        ("my daughter's school starts at 8:15", "school starts at 8:30 now", "User's daughter's school starts at 8:30"),
        ("我们每天9点半开早会", "早会现在10点了", "用户等人每天10点开早会"),
    ],
)
def test_what_was_put_off_is_told_with_what_it_is(tmp_path: Path, first: str, then: str, told: str) -> None:
    assert afterwards(tmp_path, first, then) == {told}


def test_what_is_said_beside_the_new_time_is_kept(tmp_path: Path) -> None:
    found = afterwards(
        tmp_path,
        "my flight to Berlin is on thursday",
        "flight got moved to friday, there is a strike at the airport",
    )
    assert [each for each in found if "strike" in each]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I'm planning to rewrite the backend in FastAPI", "dropped the FastAPI idea"),
        ("we are thinking of moving to Lisbon", "decided to stay"),
        ("I'm planning to quit my job", "I decided to stay after all"),
        ("我打算搬去里斯本", "决定不搬了"),
        ("我们打算搬去成都", "还是决定留下来"),
        ("周五约了李姐吃饭", "饭局取消了"),
    ],
)
def test_the_plan_is_over(tmp_path: Path, first: str, then: str) -> None:
    afterwards(tmp_path, first, then)
    assert len(contents(tmp_path, "archive")) == 1


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (("I use FastAPI at work",), "dropped the FastAPI idea"),
        (("I'm planning to quit my job", "we are thinking of moving to Lisbon"), "decided to stay"),
        (("we are thinking of moving to Lisbon",), "we decided to stay at the hotel for a night"),
        (("My sister is planning to move to Lisbon",), "we decided to stay"),
        (("我爸3月20号做白内障手术", "我妈3月25号做膝盖手术"), "手术改到4月2号了"),
        (("我打算搬去里斯本",), "他决定不搬了"),
        (("my son is 9",), "the train is at 10 now"),
        (("we have standup at 9:30 every morning", "my team has standup at 11 on Mondays"), "standup is at 10 now"),
    ],
)
def test_what_is_not_certain_stands(tmp_path: Path, first: tuple[str, ...], then: str) -> None:
    afterwards(tmp_path, *first, then)
    assert not contents(tmp_path, "archive")
