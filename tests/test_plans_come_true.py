"""A plan to move or to start somewhere is over when it is told to have come true, and kept as history."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import consolidate, contents, make, say


def told(root: Path, before: str, after: str) -> set[str]:
    """What stands right after both were said, two weeks apart."""
    say(root, "before", ("2026-05-05T09:00:00Z", "user", before))
    consolidate(root, "2026-05-06T03:00:00Z")
    say(root, "after", ("2026-05-20T09:00:00Z", "user", after))
    consolidate(root, "2026-05-21T03:00:00Z")
    return contents(root)


@pytest.mark.parametrize(
    ("plan", "event", "gone"),
    [
        ("I'm going to move to Lisbon in May.", "I moved to Lisbon last week.", "move to Lisbon"),
        ("I plan to move to Lisbon this month.", "We finally moved to Lisbon! I live in Lisbon now.", "move to Lisbon"),
        ("I'm going to start at Initech in May.", "I started at Initech last week.", "start at Initech"),
        ("我打算五月搬到里斯本。", "我上周搬到里斯本了。", "打算"),
        ("我打算这个月搬去杭州。", "我搬到杭州了。", "打算"),
        ("我打算五月入职星河科技。", "我上周入职了星河科技。", "打算"),
    ],
)
def test_a_plan_that_came_true_is_over(plan: str, event: str, gone: str, tmp_path: Path) -> None:
    stands = told(make(tmp_path), plan, event)
    assert stands
    assert not [each for each in stands if gone in each]
    assert [each for each in contents(tmp_path, "archive") if gone in each]


@pytest.mark.parametrize(
    ("plan", "event"),
    [
        ("I'm going to move to Lisbon in June.", "I moved to Porto last week."),
        ("I'm going to visit Lisbon in June.", "I moved to Lisbon last week."),
        ("My sister is going to move to Lisbon in June.", "I moved to Lisbon last week."),
        ("我打算六月搬到里斯本。", "我上周搬到波尔图了。"),
        ("我打算六月去里斯本玩。", "我上周搬到里斯本了。"),
    ],
)
def test_another_plan_stays(plan: str, event: str, tmp_path: Path) -> None:
    told(make(tmp_path), plan, event)
    assert not contents(tmp_path, "archive")
