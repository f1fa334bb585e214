"""What is asked, what would have been, and whose measure nobody knows is no fact about the speaker."""

from __future__ import annotations

import pytest
from spoken import claims, kinds, said, talk, told


@pytest.mark.parametrize(
    "text",
    [
        "我对什么过敏你还记得不", "我在哪儿上班你猜", "我生日是哪天来着", "我住在泉州不", "我吃药没",
        "我会不会对花生过敏",
        "你还记得我住哪儿没", "I'm allergic to what again", "what am I allergic to", "where do I live again",
    ],
)  # fmt: skip
def test_a_question_without_its_mark_is_one(text: str) -> None:
    assert kinds(text) == ["question"]


@pytest.mark.parametrize(
    "text", ["我对花生过敏你知道没", "我不对花生过敏", "他还没", "我从来不", "I know what I like again"]
)
def test_what_is_stated_is_no_question(text: str) -> None:
    assert kinds(text) == ["statement"]


def test_a_question_behind_a_statement_leaves_it_one() -> None:
    assert kinds("我表妹在泉州上班，你还记得她叫什么不") == ["statement", "question"]


@pytest.mark.parametrize(
    "text",
    [
        "要是当年我去了北京，现在说不定是个女明星", "当初要是听我妈的，我现在就住在上海了",
        "早知道我就学医了，现在就是医生",
        "If I'd studied medicine I'd be a doctor in York by now", "Had I stayed in Cork, I'd be married by now",
    ],
)  # fmt: skip
def test_what_would_have_been_is_not_remembered(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "attribute"),
    [("我早知道他住在泉州，没告诉你", ""), ("He asked if I'd like to live in Leeds", "")],
)
def test_what_only_sounds_like_it_is_told(text: str, attribute: str) -> None:
    assert [each.attribute or "" for each in claims([said(text)])] == [attribute]


def test_a_small_measure_without_a_name_is_not_the_speakers() -> None:
    found = claims(talk(("user", "豆包复查没事了"), ("user", "体重6.8公斤，方医生说要减到5.5")))
    assert [each.attribute for each in found if each.attribute] == []
    found = claims([said("我儿子上幼儿园了。身高102，体重17公斤。")])
    assert "user" not in {each.subject for each in found if each.attribute}


def test_a_grown_measure_is() -> None:
    found = {(each.attribute, each.value) for each in claims([said("我记一下，身高169cm，体重60公斤")])}
    assert {("height", "169cm"), ("weight", "60公斤")} <= found


@pytest.mark.parametrize(
    "words",
    [
        "我儿子从楼梯上摔下来了。医生说骨折了。",
        "我妈昨天住院了。医生说肺炎。",
        "医生说骨折了。",
        "My son fell down the stairs. The doctor says it's sciatica.",
    ],
)
def test_a_doctors_word_on_nobody_named_is_no_illness_of_the_user(words: str) -> None:
    found = claims([said(words)])
    assert found
    assert not any(each.attribute for each in found)


@pytest.mark.parametrize(
    ("words", "plan"),
    [
        ("我要去睡觉了，明天六点去北京。", "2026年2月4日六点去北京"),
        ("I'm off to bed, tomorrow at six I fly to Oslo.", "Oslo"),
    ],
)
def test_a_plan_beside_good_night_is_kept(words: str, plan: str) -> None:
    assert any(plan in each for each in told(words))
