"""What one language knows the other knows as well: the same told in English and in Chinese fills the same slots, is
withheld, ranks last or is taken back alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, kept, said, talk
from test_same_matter import nights


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("My aunt is the principal of the Norrby school.", "position", "principal of the Norrby school"),
        ("我姑姑是桥头小学的校长。", "position", "桥头小学的校长"),
        ("My husband and I are getting divorced.", "plan", "divorced"),
        ("我和老公要离婚了。", "plan", "离婚"),
        ("What I'm really allergic to is walnuts.", "allergy", "walnuts"),
        ("我真正过敏的是核桃。", "allergy", "核桃"),
        ("My GP put me on warfarin.", "medication", "warfarin"),
        ("医生给我开了华法林。", "medication", "华法林"),
        ("My niece is deaf in one ear.", "condition", "deaf in one ear"),
        ("我侄女左耳失聪。", "condition", "左耳失聪"),
        ("I graduated from Lund University.", "education", "Lund University"),
        ("我毕业于兰州大学。", "education", "兰州大学"),
        ("I want to be a pilot.", "goal", "be a pilot"),
        ("我长大想当飞行员。", "goal", "飞行员"),
        ("Spiders scare me.", "fear", "Spiders"),
        ("蜘蛛让我很害怕。", "fear", "蜘蛛"),
        ("I've gone off hotpot.", "dislikes", "hotpot"),
        ("我吃腻了火锅。", "dislikes", "火锅"),
        ("My emergency contact is my aunt Vera.", "emergency_contact", "aunt Vera"),
        ("我的紧急联系人是我姑姑。", "emergency_contact", "我姑姑"),
    ],
)
def test_the_same_fills_the_same_slot(words: str, attribute: str, value: str) -> None:
    assert (attribute, value) in [(each.attribute, each.value) for each in claims([said(words)])]


@pytest.mark.parametrize(
    "words",
    [
        "Can you not save this? I had a row with my neighbour.",
        "能不能别记这个？我跟邻居吵架了。",
        "Don't keep this in your memory. I had a row with my neighbour.",
        "不要把这些写进记忆里。我跟邻居吵架了。",
    ],
)
def test_what_is_not_to_be_kept_is_not(words: str) -> None:
    assert claims([said(words)]) == []


@pytest.mark.parametrize(
    "words",
    [
        "If you need anything, let me know.",
        "如果你有什么需要，随时告诉我。",
        "I'll keep at it and stay positive.",
        "我一定会坚持下去，不放弃。",
    ],
)
def test_offers_and_resolves_leave_room_for_others(words: str) -> None:
    others = ("I moved the boat to Lund.", "The oven broke on Friday.", "我把船搬到了兰州。", "烤箱周五坏了。")
    assert words not in kept(talk(("user", words), *(("user", each) for each in others)))


@pytest.mark.parametrize(
    ("words", "news"),
    [("别往外说，我下个月要离职了。", "离职"), ("Don't tell anyone, I'm quitting next month.", "quitting")],
)
def test_what_is_told_in_confidence_is_no_mere_request(words: str, news: str) -> None:
    assert any(news in each.content for each in claims([said(words)]))


@pytest.mark.parametrize(
    ("days", "gone"),
    [
        (("My husband and I are getting divorced.", "We made up, we're not divorcing after all."), "are getting"),
        (("我跟老公要离婚了。", "我们和好了，不离婚了。"), "要离婚"),
        (("I broke up with Marta.", "Marta and I talked. We got back together."), "no longer together"),
        (("我跟小渔分手了。", "我们和好了。"), "分开"),
    ],
)
def test_who_made_up_is_together_again(tmp_path: Path, days: tuple[str, ...], gone: str) -> None:
    active, archived = nights(tmp_path, *days)
    assert not any(gone in each for each in active)
    assert any(gone in each for each in archived)


@pytest.mark.parametrize(
    "words",
    ["我的紧急联系人是我姐姐，电话13800001111。", "My emergency contact is my sister Ruth, phone 555 010 2233."],
)
def test_a_number_beside_another_is_nobodys_own(words: str) -> None:
    assert "phone" not in [each.attribute for each in claims([said(words)])]


def test_to_be_about_to_divorce_is_not_to_be_parted() -> None:
    assert [each.attribute for each in claims([said("我跟老公要离婚了。")])] == ["plan"]
