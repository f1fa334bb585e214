"""How people type to an assistant: all in small letters, with laughs for full stops, orders without a please."""

from __future__ import annotations

import pytest
from memory_system.phrasing.typed import spelled_out
from spoken import claims, kept, said, talk, told


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("book a table for two at Luigi's", "User asks the assistant to book a table for two at Luigi's"),
        ("cancel my gym membership", "User asks the assistant to cancel their gym membership"),
        ("add oat milk to the shopping list", "User asks the assistant to add oat milk to the shopping list"),
        ("把跟李婷的电话改到南门店", "用户请助手把跟李婷的电话改到南门店"),
        ("取消健身房会员", "用户请助手取消健身房会员"),
    ],
)
def test_an_order_is_told_as_asked_of_the_assistant(words: str, expected: str) -> None:
    assert told(words) == [expected]


@pytest.mark.parametrize(
    "words",
    [
        "Call my mother every Sunday at six",
        "book club was great with Ana",
        "把孩子送到学校就去上班",
        "把旧房子卖给了李婷",
    ],
)
def test_what_the_speaker_does_is_no_order(words: str) -> None:
    (line,) = told(words)
    assert "asks" not in line
    assert "请助手" not in line


def test_a_laugh_and_a_btw_part_two_matters() -> None:
    found = claims([said("i moved to leeds lol btw my sister lives in york")])
    assert {(each.subject, each.value) for each in found} == {("user", "leeds"), ("User's sister", "york")}
    (line,) = told("our wifi password is on the fridge lol. btw my wife's flight lands in Rome")
    assert line == "User's wifi password is on the fridge. User's wife's flight lands in Rome"


@pytest.mark.parametrize(
    "words",
    ["we had a baby", "we sold the car", "my car broke down", "the cat had kittens", "我胳膊摔断了", "我们把车卖了"],
)
def test_what_happens_in_a_life_is_kept_however_few_its_words(words: str) -> None:
    assert kept([said(words)]) == [words]


@pytest.mark.parametrize(
    ("question", "reply", "expected"),
    [
        ("How was the exam?", "Went really well, I passed!", "It went really well, Tom passed"),
        (
            "How's your knee btw?",
            "better, physio says I can run again",
            "Better, physio says Tom can run again (asked: How is Tom's knee)",
        ),
        ("你膝盖怎么样了？", "好多了，医生说可以跑步了", "Tom说好多了，医生说可以跑步了（被问：Tom膝盖怎么样了）"),
    ],
)
def test_how_it_went_or_how_it_is_is_no_person(question: str, reply: str, expected: str) -> None:
    found = claims(talk(("user", question, "Ana"), ("assistant", reply, "Tom")))
    assert [each.content for each in found] == [expected]


@pytest.mark.parametrize("words", ["lucky you, I start at Lumen in May", "Also guess what, I start at Lumen in May"])
def test_what_is_only_called_out_is_no_statement(words: str) -> None:
    (line,) = told(words)
    assert line.startswith("User starts at Lumen")


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("im allergic to penicillin btw", "allergy", "penicillin"),
        ("im not allergic to nuts lol", "allergy", "nuts"),
        ("i dont like cilantro", "dislikes", "cilantro"),
        ("hi my names dana", "name", "dana"),
        ("u can call me jo", "nickname", "jo"),
        ("my fav band is the national", "favorite.band", "national"),
        ("我对青霉素过敏哈", "allergy", "青霉素"),
        ("查了 我不对青霉素过敏哈哈", "allergy", "青霉素"),
        ("不爱吃香菜", "dislikes", "香菜"),
        ("俺叫大勇", "name", "大勇"),
        ("叫我阿勇就成", "nickname", "阿勇"),
        ("最喜欢的乐队是海桥", "favorite.乐队", "海桥"),
    ],
)
def test_what_is_typed_in_haste_fills_the_same_slot(words: str, attribute: str, value: str) -> None:
    (claim,) = claims([said(words)])
    assert (claim.attribute, claim.value) == (attribute, value)


@pytest.mark.parametrize(
    "words", ["you can call me tomorrow", "u can call me anytime", "my names are on the list", "最喜欢的就是你了"]
)
def test_what_only_looks_like_a_slot_is_none(words: str) -> None:
    assert not any(each.attribute for each in claims([said(words)]))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("i cant do fridays anymore", "User cannot do fridays anymore"),
        ("ive got a dog and shes three", "User has got a dog and she is three"),
        ("yall are invited to my garden party", "Y'all are invited to User's garden party"),
        ("ya’ll are invited to my garden party", "Y'all are invited to User's garden party"),
        ("imma move to Boston next month", "User is going to move to Boston in March 2026"),
        ("im tryna learn the banjo", "User is trying to learn the banjo"),
    ],
)
def test_what_is_typed_in_haste_is_told_spelled_out(words: str, expected: str) -> None:
    assert told(words) == [expected]


def test_code_and_quotations_are_not_spelled_out() -> None:
    for words in ("alias `dont` to no", 'the sign said "dont walk"'):
        assert spelled_out(words) == words


@pytest.mark.parametrize(
    ("fact", "promise", "is_kept"),
    [
        ("My passport runs out in June.", "I'll remind you in May.", False),
        ("My passport runs out in June.", "I'll remind you in May to renew the passport.", True),
        ("我的护照六月到期。", "好的，我会在五月提醒你。", False),
    ],
)
def test_a_promise_to_remind_of_nothing_is_not_kept(fact: str, promise: str, is_kept: bool) -> None:
    turns = talk(("user", fact), ("assistant", promise))
    assert any("assistant" in each.content or "助手" in each.content for each in claims(turns)) == is_kept
