"""Another job: what somebody was and where they worked is over with what they are now, and is kept as history."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import consolidate, contents, make, say


def told(root: Path, before: str, after: str) -> set[str]:
    """What stands after both were said, some weeks apart."""
    say(root, "before", ("2026-01-05T09:00:00Z", "user", before))
    consolidate(root, "2026-01-06T03:00:00Z")
    say(root, "after", ("2026-02-10T09:00:00Z", "user", after))
    consolidate(root, "2026-02-11T03:00:00Z")
    return contents(root)


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        ("I work at Globex as a designer.", "I joined Initech as head of design.", ("Globex", "designer"),
         {"User works at Initech", "User works as head of design at Initech"}),
        ("I work at Globex as a designer.", "I've just started at Initech as a product manager.",
         ("Globex", "designer"), {"User works at Initech", "User works as a product manager at Initech"}),
        ("I work at Globex as a designer.", "I'm now head of design at Initech.", ("Globex", "a designer"),
         {"User works at Initech", "User is head of design"}),
        ("I'm a designer at Globex.", "I got promoted, I'm now the design lead at Globex.", ("a designer",),
         {"User works at Globex", "User is the design lead at Globex"}),
        ("I'm a lawyer at Baker Finch.", "I've been made partner.", ("lawyer",),
         {"User works at Baker Finch", "User is partner"}),
        ("我在蓝海公司做设计师。", "今天第一天到星河公司上班，当产品经理。", ("蓝海", "设计师"),
         {"用户在星河公司工作", "用户在星河公司做产品经理"}),
        ("我在蓝海公司做设计师。", "我今天正式入职星河公司，职位是产品经理。", ("蓝海", "设计师"),
         {"用户在星河公司做产品经理"}),
        ("我在蓝海公司做设计师。", "我升职了，现在是设计主管。", ("设计师",), {"用户在蓝海公司工作", "用户是设计主管"}),
        ("我在蓝海公司做设计师。", "公司提拔我当设计总监了。", ("设计师",), {"用户在蓝海公司工作", "用户是设计总监"}),
        ("我是律师，在明德律所上班。", "我升合伙人了。", ("律师",), {"用户在明德律所工作", "用户是合伙人"}),
    ],
)  # fmt: skip
def test_the_old_job_does_not_stand_beside_the_new(
    before: str, after: str, old: tuple[str, ...], new: set[str], tmp_path: Path
) -> None:
    stands = told(make(tmp_path), before, after)
    assert new <= stands
    assert not [each for each in stands if any(word in each for word in old)]
    assert any(old[-1] in each for each in contents(tmp_path, "archive"))


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("I'm a nurse at Mercy Hospital.", "I quit Mercy Hospital last week.", "User is a nurse"),
        ("I work at Globex as a designer.",
         "I left Globex. Next week I start as a product manager at Initech.", "works as a designer"),
        ("我在蓝海公司做设计师。", "我离开蓝海公司了。", "做设计师"),
        ("我在蓝海公司做设计师。", "我上周从蓝海公司离职了，下周去星河公司当产品经理。", "做设计师"),
    ],
)  # fmt: skip
def test_who_has_left_an_employer_is_nothing_there(before: str, after: str, gone: str, tmp_path: Path) -> None:
    stands = told(make(tmp_path), before, after)
    assert not [each for each in stands if gone in each or "works at" in each or each.startswith("用户在")]
    assert any(gone in each for each in contents(tmp_path, "archive"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I live in Paris and work at Globex as a designer.", "I left Paris on Sunday after a nice weekend."),
        ("I work at Globex as a designer.", "I've been made redundant twice before, years ago."),
        ("I work at Globex as a designer.", "I left Globex early today to pick up my son."),
        ("I work at Globex as a designer.", "Today was my first day at Quillfield yoga club."),
        ("I work at Globex as a designer.", "I started a new job at the gym's front desk on weekends as well."),
        ("我在蓝海公司做设计师。", "我换了份新工作，周末兼职的那份。"),
        ("我在蓝海公司做设计师。", "我从蓝海公司回来了。"),
        ("I work at Globex as a designer.", "My brother was made partner last week."),
        ("我在蓝海公司做设计师。", "我妹妹今天第一天到星河公司上班，当产品经理。"),
        ("我在蓝海公司做设计师。", "我下周去星河公司报到参加培训。"),
    ],
)
def test_a_job_stays_that_nothing_ended(before: str, after: str, tmp_path: Path) -> None:
    told(make(tmp_path), before, after)
    assert not contents(tmp_path, "archive")
