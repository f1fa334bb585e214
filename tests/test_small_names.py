"""Names without a capital, and what is said of home, school and allergies in the words that people type."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, kinds, said
from workspaces import afterwards


def slots(words: str) -> set[tuple[str, str, str]]:
    return {(each.subject, each.attribute, each.value) for each in claims([said(words)]) if each.attribute}


def test_a_common_name_behind_a_word_of_kin_needs_no_capital() -> None:
    assert slots("my wife sarah is vegetarian and im coeliac") == {
        ("user", "partner", "Sarah"),
        ("Sarah", "diet", "vegetarian"),
        ("user", "condition", "coeliac"),
    }


@pytest.mark.parametrize("words", ["my friend group is vegan", "my wife really is vegetarian", "my boss drew a map"])
def test_another_word_behind_it_is_no_name(words: str) -> None:
    assert not [each for each in slots(words) if each[1] in ("friend", "partner", "colleague")]


def test_the_cat_at_home_has_its_name() -> None:
    assert slots("家里有只橘猫叫年糕") == {("user", "pet", "年糕")}


def test_who_was_admitted_does_not_study_there_yet() -> None:
    (told,) = claims([said("我女儿考上清华了")])
    assert (told.attribute, told.content) == ("", "用户的女儿考上清华了")


@pytest.mark.parametrize(("words", "kind"), [("那你工作怎么办", "question"), ("恭喜啊，真替你高兴", "chat")])
def test_what_is_no_fact(words: str, kind: str) -> None:
    assert kinds(words) == [kind]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("I'm allergic to eggs.", "I thought I was allergic to eggs, but I'm not"),
        ("I'm allergic to eggs.", "allergy test came back today. im not allergic to eggs"),
        ("I'm allergic to eggs.", "got my results: i'm not allergic to eggs"),
        ("我对鸡蛋过敏。", "过敏原检测出来了，我对鸡蛋不过敏"),
        ("我对鸡蛋过敏。", "报告拿到了。我对鸡蛋不过敏"),
    ],
)
def test_an_allergy_that_was_none_is_history(tmp_path: Path, first: str, then: str) -> None:
    assert not {"User is allergic to eggs", "用户对鸡蛋过敏"} & afterwards(tmp_path, first, then)


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("I'm allergic to eggs.", "I'm not allergic to eggs.", "User is allergic to eggs"),
        (
            "My son is allergic to eggs.",
            "I thought I was allergic to eggs, but I'm not",
            "User's son is allergic to eggs",
        ),
        ("我对鸡蛋过敏。", "过敏原检测出来了，我对花生不过敏", "用户对鸡蛋过敏"),
    ],
)
def test_an_allergy_stays_that_nothing_ruled_out(tmp_path: Path, first: str, then: str, kept: str) -> None:
    assert kept in afterwards(tmp_path, first, then)
