"""An allergy put right: what is denied, what it is instead, and which memory gives way."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, said
from workspaces import afterwards, contents, memories


@pytest.mark.parametrize(
    ("words", "allergic", "not_allergic"),
    [
        ("Turns out I'm not allergic to kiwi, it's latex.", {"latex"}, {"kiwi"}),
        ("I'm not allergic to kiwi - it's latex and wool.", {"latex and wool"}, {"kiwi"}),
        ("My son isn't allergic to eggs, it's milk.", {"milk"}, {"eggs"}),
        ("It's latex I'm allergic to, kiwi is fine.", {"latex"}, {"kiwi"}),
        ("I'm not allergic to kiwi, it's just that I hate it.", set(), {"kiwi"}),
        ("I'm not allergic to dogs, it's fine.", set(), {"dogs"}),
        ("I'm allergic to kiwi, it's awful.", {"kiwi"}, set()),
        ("我对芒果不过敏，是对荔枝过敏。", {"荔枝"}, {"芒果"}),
        ("我不是对芒果过敏，是对荔枝过敏。", {"荔枝"}, {"芒果"}),
        ("我对芒果其实不过敏，过敏的是荔枝。", {"荔枝"}, {"芒果"}),
        ("我对芒果过敏，真难受。", {"芒果"}, set()),
    ],
)
def test_both_the_denial_and_what_it_is_instead_are_read(
    words: str, allergic: set[str], not_allergic: set[str]
) -> None:
    found = [each for each in claims([said(words)]) if each.attribute == "allergy"]
    assert {each.value for each in found if each.polarity} == allergic
    assert {each.value for each in found if not each.polarity} == not_allergic


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I'm allergic to kiwi.", "I'm not allergic to kiwi, it's latex."),
        ("I'm allergic to kiwi.", "Actually I said kiwi before, but it's latex I'm allergic to, kiwi is fine."),
        ("I'm allergic to kiwi.", "I'm not allergic to kiwi after all."),
        ("I'm allergic to kiwi.", "I thought I was allergic to kiwi, but the test was negative."),
        ("I'm allergic to kiwi.", "I always thought I was allergic to kiwi. The allergy test came back negative."),
        ("I'm allergic to kiwi.", "I thought I was allergic to kiwi but my doctor says I'm not."),
        ("I'm allergic to kiwi.", "I assumed I was allergic to kiwi, but the blood tests came back clear."),
        ("I'm allergic to kiwi.", "Turns out I'm not allergic to kiwi after all."),
        ("我对芒果过敏。", "我以为我对芒果过敏，检查结果是阴性。"),
        ("我对芒果过敏。", "查出来我其实对芒果不过敏。"),
        ("我对芒果过敏。", "我一直以为自己对芒果过敏，去医院查了并不过敏。"),
        ("我对芒果过敏。", "医生说我对芒果不过敏。"),
        ("我对芒果过敏。", "我现在对芒果不过敏了。"),
        ("我对芒果过敏。", "我对芒果不过敏，是对荔枝过敏。"),
        ("我对芒果过敏。", "之前说错了，我对芒果不过敏，对荔枝过敏。"),
        ("我对芒果过敏。", "我对芒果其实不过敏。"),
    ],
)
def test_an_outright_correction_takes_the_place_of_the_allergy(tmp_path: Path, first: str, then: str) -> None:
    afterwards(tmp_path, first, then)
    assert [each.value for each in memories(tmp_path, "archive")] == ["kiwi" if first.isascii() else "芒果"]
    said_before = [past.value for each in memories(tmp_path) if each.attribute == "allergy" for past in each.history]
    assert said_before == [each.value for each in memories(tmp_path, "archive")]


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("I'm allergic to bees.", "I'm not allergic to nuts, it's shellfish.", "allergic to bees"),
        ("I'm allergic to bees.", "It's latex I'm allergic to, kiwi is fine.", "allergic to bees"),
        ("我对蜜蜂过敏。", "我对头孢不过敏，是对阿莫西林过敏。", "对蜜蜂过敏"),
    ],
)
def test_another_allergy_stays(tmp_path: Path, first: str, then: str, kept: str) -> None:
    afterwards(tmp_path, first, then)
    assert any(kept in each for each in contents(tmp_path))
    assert not contents(tmp_path, "archive")


@pytest.mark.parametrize(
    ("first", "then", "stays"),
    [
        (
            "I take 20 mg of lisinopril every morning and I can't have aspirin.",
            "The doctor raised my lisinopril to 40 mg.",
            "User cannot have aspirin",
        ),
        (
            "My mum takes warfarin and she's allergic to penicillin.",
            "They've changed my mum's warfarin to apixaban.",
            "User's mum is allergic to penicillin",
        ),
        ("我每天吃20毫克赖诺普利，而且不能吃阿司匹林。", "医生把我的赖诺普利加到40毫克了。", "用户不能吃阿司匹林"),
    ],
)
def test_what_one_cannot_have_stays_when_what_one_takes_changes(
    first: str, then: str, stays: str, tmp_path: Path
) -> None:
    afterwards(tmp_path, first, then)
    assert any(each.startswith(stays) for each in contents(tmp_path))


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("My brother takes warfarin and he can't have aspirin.", "aspirin"),
        ("My wife takes warfarin and my son can't have milk.", "milk"),
        ("我弟弟吃华法林，他不能吃阿司匹林。", "阿司匹林"),
    ],
)
def test_what_another_cannot_have_is_told(words: str, kept: str) -> None:
    assert any(kept in each.content for each in claims([said(words)]))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("I thought I was allergic to eggs.", "thought"),
        ("I thought I was allergic to eggs, but I'm not.", "thought"),
        ("I thought my son was allergic to eggs.", "thought"),
        ("I always thought I had diabetes.", "thought"),
        ("我以为我对鸡蛋过敏。", "以为"),
        ("我一直以为自己对鸡蛋过敏。", "以为"),
        ("我以为我对鸡蛋过敏，其实没有。", "以为"),
        ("我以为我有糖尿病。", "以为"),
    ],
)
def test_what_was_thought_once_is_told_as_that_and_fills_no_slot(words: str, told: str) -> None:
    found = claims([said(words)])
    assert found
    assert all(told in each.content and not each.attribute for each in found)


@pytest.mark.parametrize(
    ("words", "allergic"),
    [
        ("I never thought I was allergic to eggs, but I am.", {"eggs"}),
        ("I thought I told you that I'm allergic to eggs.", {"eggs"}),
        ("I thought I was allergic to eggs, it turned out it was milk.", {"milk"}),
        ("I thought I was allergic to mites, turns out it's wool.", {"wool"}),
        ("我以为我对螨虫过敏，结果查出来是羊毛。", {"羊毛"}),
    ],
)
def test_what_it_turned_out_to_be_fills_the_slot(words: str, allergic: set[str]) -> None:
    assert {each.value for each in claims([said(words)]) if each.attribute == "allergy"} == allergic


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("I'm allergic to eggs.", "I've outgrown my egg allergy.", "User is not allergic to egg"),
        ("I have an egg allergy.", "My egg allergy is gone!", "User is not allergic to egg"),
        ("I'm allergic to eggs.", "I tested negative for an egg allergy.", "User is not allergic to egg"),
        ("我对鸡蛋过敏。", "我的鸡蛋过敏好了。", "用户对鸡蛋不过敏"),
    ],
)
def test_an_allergy_that_is_over_ends_the_one_known(first: str, then: str, left: str, tmp_path: Path) -> None:
    afterwards(tmp_path, first, then)
    assert contents(tmp_path) == {left}
