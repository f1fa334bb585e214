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
        ("很清晰，从磨刀到收纳每一步都有图", "用户说很清晰，从磨刀到收纳每一步都有图"),
        ("不仅仅是一把椅子，更是爷爷的手艺", "用户说不仅仅是一把椅子，更是爷爷的手艺"),
        ("很喜欢在厨房里练拉花", "用户很喜欢在厨房里练拉花"),
        ("但菜谱翻了好几遍，还是有点拿不准", "用户说菜谱翻了好几遍，还是有点拿不准"),
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


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("hi there, im Maeve Donnelly, 41, i fix pianos for a living", {"name": "Maeve Donnelly", "age": "41"}),
        (
            "hi there, first day using this. im Maeve Donnelly, 41, i fix pianos",
            {"name": "Maeve Donnelly", "age": "41"},
        ),
        ("hi im Lena Moor and i work as a nurse in Bath", {"name": "Lena Moor", "occupation": "nurse"}),
        ("hello everyone, im Otto, 29", {"name": "Otto", "age": "29"}),
        ("good morning, I'm Petra. I row.", {"name": "Petra"}),
        ("大家好我是周岚，35岁", {"name": "周岚", "age": "35"}),
        ("hi all, i'm from Leeds", {"hometown": "Leeds"}),
    ],
)
def test_who_greets_and_says_who_they_are_is_known(text: str, slots: dict[str, str]) -> None:
    found = claims([said(text)])
    assert {each.attribute: each.value for each in found if each.attribute} == slots
    assert not any(each.content.startswith(("There", "Hi", "Hello", "Good", "大家")) for each in found)


@pytest.mark.parametrize(
    "text", ["hello! im tired and i need sleep", "hi, im American, 41 people came", "嗨，我是累了"]
)
def test_how_somebody_is_is_no_name(text: str) -> None:
    assert {each.attribute for each in claims([said(text)])} & {"name", "age"} == set()


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("尿酸高，医生让我少喝啤酒", "health"),
        ("我尿酸五百二，医生开了非布司他一天一片", "health"),
        ("医生把非布司他停了，改苯溴马隆，五十毫克", "health"),
        ("大夫给我妈换成缬沙坦了", "health"),
        ("my uric acid is high, the doctor told me to drink less beer", "health"),
        ("The cardiologist switched me to bisoprolol", "health"),
        ("医生的办公室换了新桌子", "general"),
        ("The doctor next door told a joke", "general"),
    ],
)
def test_what_a_doctor_orders_is_health(text: str, category: str) -> None:
    assert {each.category for each in claims([said(text)])} == {category}


def test_what_is_not_to_be_kept_on_with_is_a_wish() -> None:
    (claim,) = claims([said("so don't keep suggesting oat milk to me")])
    assert (claim.attribute, claim.category) == ("instruction", "instruction")


@pytest.mark.parametrize("text", ["hi there, first day using this.", "I'm new here!", "你好，第一次用这个。"])
def test_that_somebody_is_new_here_is_not_told(text: str) -> None:
    assert claims([said(text)]) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("i told you wrong, the grant form is the blue one", "User says the grant form is the blue one"),
        (
            "i told you wrong about the boiler, it is the red one",
            "User told the assistant wrong about the boiler, it is the red one",
        ),
        ("I gave you right and wrong answers", "User gave the assistant right and wrong answers"),
    ],
)
def test_what_was_told_wrong_is_told_right(text: str, content: str) -> None:
    assert told(text) == [content]


@pytest.mark.parametrize("text", ["每周二四晚上我要去练羽毛球，别给我排事", "每周三晚上别给我排事"])
def test_a_wish_for_certain_days_is_told_with_the_days(text: str) -> None:
    found = [each.content for each in claims([said(text)]) if "别给用户排事" in each.content]
    assert found
    assert all("每周" in each for each in found)


def test_a_wish_for_all_days_is_one() -> None:
    assert [each.content for each in claims([said("别给我排事")])] == ["用户要求助手别给用户排事"]
