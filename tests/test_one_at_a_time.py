"""Of an accountant, a dentist or a landlord one has one at a time: the new one ends the old."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import afterwards


@pytest.mark.parametrize(
    ("first", "then", "gone", "now"),
    [
        ("My accountant is Per Lund.", "My accountant is now Runa Holm.", "Per Lund", "Runa Holm"),
        ("我的会计是周强。", "我的会计换成方敏了。", "周强", "方敏"),
        ("我的房东是周强。", "我换房东了，现在是方敏。", "周强", "方敏"),
    ],
)
def test_the_new_one_ends_the_old(tmp_path: Path, first: str, then: str, gone: str, now: str) -> None:
    active = afterwards(tmp_path, first, then)
    assert not any(gone in each for each in active)
    assert any(now in each for each in active)


@pytest.mark.parametrize(
    "words", ["The invoice for Kestrel is 4,200.", "The table for Anna is 4.", "我爸下周一搬去养老院，叫夕阳红。"]
)
def test_what_a_thing_costs_or_is_called_is_of_no_person(tmp_path: Path, words: str) -> None:
    active = afterwards(tmp_path, "I like tea.", words)
    assert not any("years old" in each or "用户的爸叫" in each for each in active)
    assert len(active) == 2
