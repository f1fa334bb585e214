"""What the owner asks not to keep is not kept, nor the wish; it is counted."""

from __future__ import annotations

from collections import Counter

import pytest
from spoken import claims, said


@pytest.mark.parametrize(
    "words",
    [
        "Don't remember this: I cheated on the exam.",
        "Don't remember this: I cheated on the exam. It was the maths one, in May.",
        "Don\u2019t save this, but I failed my driving test again.",
        "I failed my driving test again, but please don't write that down.",
        "I'm allergic to latex. Don't save this.",
        "下面这个别记：我考试作弊了。",
        "这个别记：我考试作弊了，是数学。还欠了室友三千块钱。",
        "我对乳胶过敏，这件事不用记。",
        "我驾照又没考过，别记下来。",
        "刚才说的别记住，我其实没去面试。",
    ],
)
def test_what_is_not_to_be_kept_is_not(words: str) -> None:
    tally: Counter[str] = Counter()
    assert claims([said(words)], tally) == []
    assert tally["segments.dropped.withheld"] == tally["segments"] > 0


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("我现在住在杭州西湖旁边。这个别记，我驾照又没考过。", ["用户住在杭州西湖旁边"]),
        ("I live in Leeds. Don't save this, but I failed my driving test again.", ["User lives in Leeds"]),
        ("Don't forget this: I'm allergic to bees.", ["User is allergic to bees"]),
        ("I don't save that often. I live in Leeds.", ["User lives in Leeds"]),
        ("我住在杭州。这个别记，我驾照又没考过。", ["用户住在杭州"]),
        ("特别记住，我对蜜蜂过敏。", ["用户对蜜蜂过敏"]),
        ("别忘了：我对蜜蜂过敏。", ["用户对蜜蜂过敏"]),
    ],
)
def test_the_rest_is_kept(words: str, kept: list[str]) -> None:
    assert [each.content for each in claims([said(words)]) if each.attribute] == kept
