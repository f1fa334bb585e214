"""Of whom a Chinese clause is that names nobody: of whom the talk is, and of the speaker only where nobody else is."""

from __future__ import annotations

import pytest
from spoken import claims, said, talk


def slots_of(*turns: tuple[str, str]) -> set[tuple[str, str, str]]:
    return {(each.subject, each.attribute, each.value) for each in claims(talk(*turns)) if each.attribute}


@pytest.mark.parametrize(
    "words",
    [
        "年糕昨晚走了，17岁。",
        "小李来了，28岁，是个画家。",
        "小李今天请假了，对花粉过敏。",
        "隔壁王阿姨住院了，有高血压。",
        "豆豆三岁了，住在阳台上。",
        "昨天认识了一个新同事，在腾讯做设计。",
    ],
)
def test_what_is_said_of_another_fills_no_slot_of_the_speaker(words: str) -> None:
    assert not {each for each in slots_of(("user", words)) if each[0] == "user"}
    assert claims([said(words)])


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("大家好，我是林岚，28岁。", ("age", "28")),
        ("男，35岁，程序员。", ("age", "35")),
        ("小李来了，我今年28岁。", ("age", "28")),
        ("小李请客，我没去，对虾过敏。", ("allergy", "虾")),
        ("最近睡不好，对花粉过敏。", ("allergy", "花粉")),
        ("刚搬家，住在滨江。", ("lives_in", "滨江")),
    ],
)
def test_what_is_said_of_oneself_fills_ones_own(words: str, slot: tuple[str, str]) -> None:
    assert ("user", *slot) in slots_of(("user", words))


@pytest.mark.parametrize(
    ("asked", "answer", "slot"),
    [
        ("你爸多大了？", "62岁了。", ("用户的爸爸", "age", "62")),
        ("你妈身体怎么样？", "有高血压。", ("用户的妈妈", "condition", "高血压")),
        ("你爸住哪儿？", "住在苏州。", ("用户的爸爸", "lives_in", "苏州")),
        ("你妈身体怎么样？", "还行，我最近有高血压。", ("user", "condition", "高血压")),
        ("你多大了？", "62岁了。", ("user", "age", "62")),
    ],
)
def test_an_answer_is_about_whom_the_question_is_about(asked: str, answer: str, slot: tuple[str, str, str]) -> None:
    assert slots_of(("assistant", asked), ("user", answer)) == {slot}


@pytest.mark.parametrize(
    ("words", "slot", "content"),
    [
        ("我有两个女儿，小雨和小雪。小雪对坚果过敏。", ("小雪", "allergy", "坚果"), "用户有两个女儿，叫小雨和小雪"),
        ("我家有两只猫：团团和豆豆。豆豆有糖尿病。", ("豆豆", "condition", "糖尿病"), "用户养了两只猫，叫团团和豆豆"),
        (
            "I have two daughters, Runa and Tove. Tove is allergic to nuts.",
            ("Tove", "allergy", "nuts"),
            "User has two daughters called Runa and Tove",
        ),
    ],
)
def test_each_of_several_names_is_known(words: str, slot: tuple[str, str, str], content: str) -> None:
    assert slot in slots_of(("user", words))
    assert content in {each.content for each in claims([said(words)])}


@pytest.mark.parametrize(
    ("words", "name"),
    [("My girlfriend Mei thinks I should go to Chicago.", "Mei"), ("我女朋友小美觉得我应该考北京。", "小美")],
)
def test_who_thinks_something_is_known_by_name(words: str, name: str) -> None:
    assert ("user", "partner", name) in slots_of(("user", words))


@pytest.mark.parametrize(
    "words",
    ["我的会计换成方敏了，电话13800002222。", "隔壁王阿姨说，电话13800002222。", "我姐叫林竹，电话13800002222。"],
)
def test_whose_number_it_is_nobody_can_tell(words: str) -> None:
    assert ("user", "phone", "13800002222") not in slots_of(("user", words))


@pytest.mark.parametrize("words", ["双胞胎儿子九月上小学。", "我爸搬去养老院了。"])
def test_a_word_for_kin_or_a_deed_is_no_name(words: str) -> None:
    assert not {each for each in slots_of(("user", words)) if each[1] in ("sibling", "child", "parent")}
