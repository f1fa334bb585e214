"""What is made up, played or dreamt fills no slot of whoever tells it."""

from __future__ import annotations

import pytest
from spoken import claims, said


@pytest.mark.parametrize(
    "words",
    [
        "In my D&D game I live in a mountain and I'm allergic to elves.",
        "In the novel I'm writing, the heroine is allergic to bees and she lives in a lighthouse.",
        "I dreamt I lived in Rome and worked at Fernway.",
        "I live in a castle in my dreams.",
        "我在写的小说里，主角对蜜蜂过敏，住在灯塔里。",
        "在我的游戏里我叫阿龙，我住在山里，我对精灵过敏。",
        "昨晚梦见我搬到了罗马。",
    ],
)
def test_fiction_fills_no_slot(words: str) -> None:
    found = claims([said(words)])
    assert [each.attribute for each in found if each.attribute] == []
    assert {each.category for each in found} <= {"general", "event"}


def test_what_the_sentence_goes_on_with_is_not_told_as_if_it_were_so() -> None:
    assert not [each for each in claims([said("在我的游戏里我叫阿龙，我对精灵过敏。")]) if "过敏" in each.content]


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("I live in Leeds and in my novel the heroine lives in York.", "lives_in", "Leeds"),
        ("In my story the hero lives in York, but I live in Leeds.", "lives_in", "Leeds"),
        ("In my novel she lives in York. I live in Leeds.", "lives_in", "Leeds"),
        ("My story is simple: I'm allergic to nuts.", "allergy", "nuts"),
        ("I'm playing the main character in the school play, I'm allergic to dust.", "allergy", "dust"),
        ("我喜欢看小说，我住在杭州。", "lives_in", "杭州"),
        ("在我的小说里主角住在山里，但是我住在杭州。", "lives_in", "杭州"),
        ("我演主角，我对灰尘过敏。", "allergy", "灰尘"),
    ],
)
def test_what_is_so_beside_it_stays(words: str, attribute: str, value: str) -> None:
    assert [each.value for each in claims([said(words)]) if each.attribute == attribute] == [value]
