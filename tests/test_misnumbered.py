"""A number that was said wrong is put right by the next message, where it is certain which is meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import consolidate, contents, make, say


def stands(root: Path, *messages: tuple[str, str]) -> set[str]:
    """What stands after a session."""
    told = [(f"2026-03-02T09:{minute:02}:00Z", role, words) for minute, (role, words) in enumerate(messages)]
    say(root, "s", *told)
    consolidate(root, "2026-03-03T03:00:00Z")
    return contents(root)


@pytest.mark.parametrize(
    ("first", "then", "now"),
    [
        ("my rent is 1450 a month", "sorry, 1540 not 1450", "User's rent is 1540 a month"),
        ("my daughter is 5", "sorry I meant 6, shes 6", "User's daughter is 6 years old"),
        ("our standup is at 9:30", "oops 10:30", "User's standup is at 10:30"),
        ("i have 3 cats", "actually its 4", "User has 4 cats"),
        ("i take 50 mg of sertraline", "typo, 15 mg", "User takes 15 mg of sertraline"),
        ("我女儿5岁", "不对，是6岁", "用户的女儿6岁"),
        ("我女儿五岁", "不对，是六岁", "用户的女儿六岁"),
        ("我房租4500一个月", "打错了，是5400", "用户房租5400一个月"),
        ("我身高175", "写错了，应该是157", "用户的身高是157"),
    ],
)
def test_the_one_number_of_the_message_before_is_put_right(tmp_path: Path, first: str, then: str, now: str) -> None:
    assert stands(make(tmp_path), ("user", first), ("assistant", "ok"), ("user", then)) == {now}
    assert len(contents(tmp_path, "archive")) == 1


def test_the_number_that_is_named_as_wrong_is_meant(tmp_path: Path) -> None:
    found = stands(make(tmp_path), ("user", "我女儿5岁，儿子8岁"), ("user", "说错了，是6岁不是5岁"))
    assert "用户的女儿6岁" in found
    assert "用户的女儿5岁" not in found


def test_the_one_who_is_named_with_the_right_age_is_meant(tmp_path: Path) -> None:
    found = stands(make(tmp_path), ("user", "我女儿小雨今年5岁了"), ("user", "说错了小雨是4岁"))
    assert found == {"小雨4岁", "用户的女儿叫小雨"}


@pytest.mark.parametrize(
    "messages",
    [
        (("user", "my daughter is 5 and my son is 8"), ("user", "sorry, 6")),
        (("user", "我女儿5岁，儿子8岁"), ("user", "不对，6岁了")),
        (("user", "i have 3 cats"), ("assistant", "Do they all sleep in one room?"), ("user", "no, 2")),
        (("user", "我家有3个房间"), ("assistant", "都朝南吗？"), ("user", "不对，是2个")),
        (("user", "我儿子5岁"), ("user", "不对，是6个月")),
        (("user", "we pay 1450 for rent"), ("user", "what is 3 times 4?"), ("user", "oops, 13")),
    ],
)
def test_what_is_not_certain_stands(tmp_path: Path, messages: tuple[tuple[str, str], ...]) -> None:
    found = stands(make(tmp_path), *messages)
    assert not contents(tmp_path, "archive")
    assert "用户6岁" not in found


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("我儿子今年刚满3岁，9月上幼儿园", "刚满3岁（截至2026年3月2日）"),
        ("隔壁小王今年30岁", "30岁（截至2026年3月2日）"),
    ],
)
def test_an_age_is_told_as_of_the_day_it_was_said(tmp_path: Path, words: str, told: str) -> None:
    assert [each for each in stands(make(tmp_path), ("user", words)) if told in each]
