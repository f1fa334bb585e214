"""What was only heard or thought of, and the plain word that bears it out: one memory is left of the two."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import consolidate, make, memories, say

from memory_system.records import Belief, Fact


def days(root: Path, *texts: str) -> None:
    """Each text is a session of its own, six days after the one before."""
    make(root)
    for number, text in enumerate(texts):
        say(root, f"s{number}", (f"2026-03-{1 + 6 * number:02}T10:00:00Z", "user", text))
    consolidate(root, f"2026-03-{6 * len(texts):02}T12:00:00Z")


@pytest.mark.parametrize(
    ("heard", "said", "slot"),
    [
        ("I heard Lin moved to Chengdu.", "Lin moved to Chengdu last month.", ("lives_in", "Chengdu")),
        ("Apparently Lin has moved to Chengdu.", "Lin moved to Chengdu last month.", ("lives_in", "Chengdu")),
        ("I heard my cousin works at Quillfield.", "My cousin works at Quillfield.", ("works_at", "Quillfield")),
        ("听说小林搬到成都了。", "小林上个月搬到成都了。", ("lives_in", "成都")),
        ("据说小林搬到成都了。", "小林上个月搬到成都了。", ("lives_in", "成都")),
        ("好像听人说小林搬到成都了。", "小林上个月搬到成都了。", ("lives_in", "成都")),
        ("我也听同事说小林搬去成都了。", "小林上个月搬到成都了。", ("lives_in", "成都")),
        ("我听说我表弟在云帆科技上班。", "我表弟在云帆科技上班。", ("works_at", "云帆科技")),
    ],
)
def test_hearsay_is_confirmed_by_the_fact(tmp_path: Path, heard: str, said: str, slot: tuple[str, str]) -> None:
    days(tmp_path, heard)
    [belief] = memories(tmp_path)
    assert isinstance(belief, Belief)
    assert (belief.attribute, belief.value) == slot
    days(tmp_path / "then", heard, said)
    [fact] = memories(tmp_path / "then")
    assert type(fact) is Fact
    assert (fact.attribute, fact.value) == slot
    [gone] = memories(tmp_path / "then", "archive")
    assert (gone.retired, fact.promoted_from) == ("promoted", gone.id)


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("I heard Lin moved to Chengdu.", "Lin moved to Ghent last month."),
        ("I heard Lin moved to Chengdu.", "Tom moved to Chengdu last month."),
        ("听说小林搬到成都了。", "小吴上个月搬到成都了。"),
    ],
)
def test_hearsay_of_something_else_is_not(tmp_path: Path, heard: str, said: str) -> None:
    days(tmp_path, heard, said)
    assert [each.retired for each in memories(tmp_path, "archive")] == []


@pytest.mark.parametrize(
    ("heard", "told"),
    [
        ("I heard Lin moved to Chengdu.", "Lin moved to Chengdu"),
        ("我听说小林搬到成都了。", "小林搬到成都了"),
        ("听同事说，小林搬到成都了。", "小林搬到成都了"),
    ],
)
def test_what_was_heard_often_enough_is_told_as_a_fact(tmp_path: Path, heard: str, told: str) -> None:
    days(tmp_path, *[heard] * 5)
    [fact] = memories(tmp_path)
    assert type(fact) is Fact
    assert fact.content == told


@pytest.mark.parametrize(
    ("supposed", "said", "home"),
    [
        ("I might move to Lisbon next year.", "I moved to Lisbon.", "Lisbon"),
        ("Maybe I'll end up living in Lisbon.", "We've just moved to Lisbon.", "Lisbon"),
        ("I'm not sure whether I'll move to Lisbon.", "I moved to Lisbon.", "Lisbon"),
        ("My brother might move to Lisbon.", "My brother lives in Lisbon now.", "Lisbon"),
        ("我可能明年搬去杭州。", "我搬到杭州了。", "杭州"),
        ("我在考虑要不要搬去杭州。", "我搬到杭州了。", "杭州"),
        ("我弟弟说不定会去杭州生活。", "我弟弟现在住在杭州。", "杭州"),
    ],
)
def test_a_move_bears_out_that_it_was_thought_of(tmp_path: Path, supposed: str, said: str, home: str) -> None:
    days(tmp_path, supposed, said)
    [fact] = memories(tmp_path)
    assert (type(fact), fact.attribute, fact.value) == (Fact, "lives_in", home)
    [belief] = memories(tmp_path, "archive")
    assert (belief.retired, fact.promoted_from) == ("promoted", belief.id)


@pytest.mark.parametrize(
    ("supposed", "said"),
    [
        ("I might move to Lisbon next year.", "I moved to Porto."),
        ("I might move to Lisbon next year.", "My brother moved to Lisbon."),
        ("I might not move to Lisbon after all.", "I moved to Lisbon."),
        ("I might visit Lisbon next year.", "I moved to Lisbon."),
        ("我可能明年搬去杭州。", "我搬到苏州了。"),
        ("我可能明年去杭州玩。", "我搬到杭州了。"),
        ("我可能不搬去杭州了。", "我搬到杭州了。"),
    ],
)
def test_no_other_move_does(tmp_path: Path, supposed: str, said: str) -> None:
    days(tmp_path, supposed, said)
    assert memories(tmp_path, "archive") == []


@pytest.mark.parametrize(
    ("home", "supposed"),
    [("I live in Porto.", "I might move to Lisbon next year."), ("我住在上海。", "我可能明年搬去杭州。")],
)
def test_a_plan_for_another_home_denies_none(tmp_path: Path, home: str, supposed: str) -> None:
    days(tmp_path, home, supposed, home)
    assert {type(each) for each in memories(tmp_path)} == {Fact, Belief}
    assert memories(tmp_path, "archive") == []
