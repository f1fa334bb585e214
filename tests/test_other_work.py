"""Another job: the new work takes the place of the old, what somebody is and where, and names it as what was before."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, said
from workspaces import consolidate, contents, make, memories, say

ZH, EN = "我在蓝岸科技做产品设计师。", "I work at Bluecoast as a product designer."


def two_days(root: Path, first: str, then: str, day: str = "2026-06-10") -> None:
    make(root)
    say(root, "a", ("2026-03-02T10:00:00Z", "user", first))
    say(root, "b", (f"{day}T10:00:00Z", "user", then))
    consolidate(root, "2026-06-12T12:00:00Z")


def work(root: Path) -> dict[str, set[str]]:
    """What stands in the slots of work."""
    found: dict[str, set[str]] = {"works_at": set(), "occupation": set()}
    for each in memories(root):
        if each.attribute in found and each.polarity:
            found[each.attribute].add(each.value)
    return found


@pytest.mark.parametrize("day", ["2026-03-20", "2026-06-10"])
@pytest.mark.parametrize(
    ("first", "then"),
    [
        (ZH, "我跳槽到青禾软件做前端工程师了。"),
        (ZH, "我上个月跳槽去了青禾软件，现在做前端工程师。"),
        (ZH, "我换工作了，现在在青禾软件做前端工程师。"),
        (ZH, "我从蓝岸科技离职了，去了青禾软件做前端工程师。"),
        (EN, "I changed jobs and now work at Greenleaf as a frontend engineer."),
        (EN, "I left Bluecoast and joined Greenleaf as a frontend engineer."),
        (EN, "I moved to Greenleaf as a frontend engineer."),
        ("I'm a product designer at Bluecoast.", "I joined Greenleaf as a frontend engineer."),
    ],
)
def test_the_old_work_does_not_stand_beside_the_new(tmp_path: Path, first: str, then: str, day: str) -> None:
    two_days(tmp_path, first, then, day)
    new = ("青禾软件", "前端工程师") if first is ZH else ("Greenleaf", "frontend engineer")
    assert work(tmp_path) == {"works_at": {new[0]}, "occupation": {new[1]}}
    gone = ("蓝岸科技", "产品设计师") if first is ZH else ("Bluecoast", "designer")
    assert not any(each in told for told in contents(tmp_path) for each in gone if "离职" not in told)


@pytest.mark.parametrize(
    ("first", "then", "before"),
    [
        (ZH, "我跳槽到青禾软件做前端工程师了。", "产品设计师"),
        (EN, "I changed jobs: I now work as a frontend engineer.", "product designer"),
    ],
)
def test_the_work_before_is_of_the_same_kind(tmp_path: Path, first: str, then: str, before: str) -> None:
    """Where one has worked ends as well, but what one was is what came before."""
    two_days(tmp_path, first, then)
    [now] = [each for each in memories(tmp_path) if each.attribute == "occupation"]
    assert now.history[-1].value == before
    assert now.supersedes == now.history[-1].id


@pytest.mark.parametrize(
    ("words", "home"),
    [
        ("I moved to Greenleaf Software.", set()),
        ("I moved to Lyon as a child.", {"Lyon"}),
        ("I moved to Lyon as soon as I could.", {"Lyon"}),
    ],
)
def test_a_firm_is_no_home(words: str, home: set[str]) -> None:
    assert {each.value for each in claims([said(words)]) if each.attribute == "lives_in"} == home


@pytest.mark.parametrize(
    ("first", "then"),
    [(ZH, "我弟弟跳槽到青禾软件做前端工程师了。"), (EN, "My brother joined Greenleaf as a frontend engineer.")],
)
def test_another_s_new_work_ends_none_of_mine(tmp_path: Path, first: str, then: str) -> None:
    two_days(tmp_path, first, then)
    assert memories(tmp_path, "archive") == []
