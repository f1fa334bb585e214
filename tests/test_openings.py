"""What a message opens with is not told as what its speaker is or did; what says nothing is not told at all."""

from __future__ import annotations

import pytest
from spoken import claims, said, talk, told


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("happy pancake day. Ines marched in the parade", "User says Ines marched in the parade"),
        ("Happy with the new desk in the hall", "User is happy with the new desk in the hall"),
        ("happy hour at the Anchor was loud", "User says happy hour at the Anchor was loud"),
        ("left knee is swollen and hot", "User says left knee is swollen and hot"),
        ("left the keys at the pub in Ghent", "User left the keys at the pub in Ghent"),
        ("对啊高铁二十分钟就到了", "用户说高铁二十分钟就到了"),
        ("对了我下个月去泉州出差", "用户2026年3月去泉州出差"),
        ("对了解的人来说很简单的事", "用户对了解的人来说很简单的事"),
    ],
)
def test_an_opening_is_no_verb_and_no_state(text: str, content: str) -> None:
    assert told(text) == [content]


def test_which_one_it_is_was_not_left_anywhere() -> None:
    found = claims(talk(("assistant", "Which knee?"), ("user", "left one. no swelling. Ines says it's my shoes")))
    assert found
    assert not any("User left" in each.content for each in found)


@pytest.mark.parametrize(
    "text",
    [
        "PLEASE remember that one, it's really important", "don't forget this one please",
        "Oh, one more important thing",
        "记住这个，真的很重要", "这点一定要记住", "我怕我忘了先发你", "对了很重要的一件事", "凑合呗哈哈",
    ],
)  # fmt: skip
def test_what_says_nothing_is_not_told(text: str) -> None:
    assert told(text) == []


def test_how_it_goes_is_not_told_without_what() -> None:
    assert claims(talk(("assistant", "How do you manage?"), ("user", "badly haha"))) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Remember that one thing: I'm allergic to nuts", "nuts"),
        ("对了很重要的一件事，我对虾过敏", "虾"),
        ("记住这个，我对虾过敏", "虾"),
    ],
)
def test_what_is_to_be_remembered_is(text: str, value: str) -> None:
    assert [each.value for each in claims([said(text)]) if each.attribute == "allergy"] == [value]
