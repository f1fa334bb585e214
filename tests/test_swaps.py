"""What took the place of another: a medicine of the same kind that is not named, a thing of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import afterwards, contents, memories


@pytest.mark.parametrize(
    ("before", "then", "gone", "now"),
    [
        ("I'm on Zoloft.", "My doctor switched me to Lexapro.", "Zoloft", "Lexapro"),
        ("I take metformin. I'm on Zoloft.", "They switched me to escitalopram.", "Zoloft", "metformin"),
        ("My dad takes metformin.", "My doctor switched my dad to Ozempic.", "metformin", "User's dad takes Ozempic"),
        ("我在吃二甲双胍。", "医生给我换成了达格列净", "二甲双胍", "用户用达格列净"),
        ("我爸在吃氨氯地平。", "我爸的医生给他换成了缬沙坦", "氨氯地平", "用户的爸用缬沙坦"),
    ],
)
def test_a_medicine_takes_the_place_of_the_only_one_of_its_kind(
    before: str, then: str, gone: str, now: str, tmp_path: Path
) -> None:
    stands = afterwards(tmp_path, before, then)
    assert any(now in each for each in stands)
    assert [each for each in contents(tmp_path, "archive") if gone in each]
    assert not [each for each in stands if gone in each]


@pytest.mark.parametrize(
    ("before", "then", "left"),
    [
        ("I'm on metformin.", "My doctor switched me to Lexapro.", "metformin"),  # another kind
        (
            "I take metformin. I take sitagliptin.",
            "My doctor switched me to Ozempic.",
            "metformin",
        ),  # which of the two?
        ("I take metformin and aspirin.", "My doctor switched me to Ozempic.", "aspirin"),
        ("I take metformin.", "My doctor also moved me to Ozempic on top.", "metformin"),
        ("I take metformin.", "My doctor put me on Ozempic.", "metformin"),
        ("My mum takes metformin.", "My doctor switched my dad to Ozempic.", "metformin"),
        ("我在吃二甲双胍。", "医生给我换成了缬沙坦", "二甲双胍"),
        ("我妈在吃二甲双胍。", "医生给我爸换成了达格列净", "二甲双胍"),
    ],
)
def test_a_medicine_stays_where_another_may_be_meant(before: str, then: str, left: str, tmp_path: Path) -> None:
    assert any(left in each for each in afterwards(tmp_path, before, then))


@pytest.mark.parametrize(
    ("before", "then", "gone"),
    [
        ("I have a Pixel.", "I replaced my Pixel with an iPhone.", "User has a Pixel"),
        ("My phone is a Pixel 6.", "I replaced my Pixel with an iPhone.", "User's phone is a Pixel 6"),
        ("I drive a Golf.", "We traded in our old Golf for a Tesla.", "User drives a Golf"),
        ("我用的是小米手机。", "我把小米换成了iPhone", "用户用的是小米手机"),
        ("我的手机是小米14。", "我把小米换成了iPhone", "用户的手机是小米14"),
    ],
)
def test_a_thing_that_was_swapped_is_history(before: str, then: str, gone: str, tmp_path: Path) -> None:
    assert gone not in afterwards(tmp_path, before, then)
    assert gone in contents(tmp_path, "archive")


@pytest.mark.parametrize(
    ("before", "then"),
    [
        ("I like my old Pixel.", "I replaced my Pixel with an iPhone."),
        ("My sister has a Pixel.", "I replaced my Pixel with an iPhone."),
        ("I have a Pixel.", "I might replace my Pixel with an iPhone."),
        ("我喜欢小米的耳机。", "我把小米换成了iPhone"),
        ("我爸用的是小米手机。", "我把小米换成了iPhone"),
    ],
)
def test_what_is_said_of_it_otherwise_stays(before: str, then: str, tmp_path: Path) -> None:
    afterwards(tmp_path, before, then)
    assert contents(tmp_path, "archive") == set()


@pytest.mark.parametrize(
    ("before", "then", "slot"),
    [
        ("我开的是朗逸。", "朗逸卖了，换了辆比亚迪汉", ("vehicle", "比亚迪汉")),
        ("I drive a Golf.", "We traded in our old Golf for a Tesla Model 3.", ("vehicle", "Tesla Model 3")),
        ("My phone is a Pixel 6.", "I replaced my Pixel with an iPhone.", ("device.phone", "iPhone")),
    ],
)
def test_what_took_its_place_is_named_without_article(
    before: str, then: str, slot: tuple[str, str], tmp_path: Path
) -> None:
    afterwards(tmp_path, before, then)
    assert slot in {(each.attribute, each.value) for each in memories(tmp_path)}
