"""What is said of an animal of the house is the animal's, in both languages, and none of the owner's."""

from __future__ import annotations

import pytest
from spoken import claims, said


@pytest.mark.parametrize(
    ("words", "subject", "slot", "told"),
    [
        ("My cat can't have chicken.", "User's cat", "diet", "User's cat doesn't eat chicken"),
        ("Our cat can't have chicken.", "User's cat", "diet", "User's cat doesn't eat chicken"),
        ("Our dog is allergic to wheat.", "User's dog", "allergy", "User's dog is allergic to wheat"),
        ("我的猫不能吃鸡肉。", "用户的猫", "diet", "用户的猫不能吃鸡肉"),
        ("我家的猫不能吃鸡肉。", "用户的猫", "diet", "用户家的猫不能吃鸡肉"),
        ("我们家狗不能吃巧克力。", "用户的狗", "diet", "用户家的狗不能吃巧克力"),
        ("我家猫对鸡肉过敏。", "用户的猫", "allergy", "用户家的猫对鸡肉过敏"),
        ("我家猫在吃处方粮。", "用户的猫", "", "用户家的猫在吃处方粮"),
    ],
)
def test_what_an_animal_of_the_house_cannot_have_is_its_own(words: str, subject: str, slot: str, told: str) -> None:
    (claim,) = claims([said(words)])
    assert (claim.subject, claim.attribute, claim.content) == (subject, slot, told)


def test_people_of_the_house_are_near_as_well() -> None:
    assert {each.subject for each in claims([said("Our daughter is 5 years old.")])} == {"User's daughter"}
    assert {each.subject for each in claims([said("我家儿子在杭州上学。")])} == {"用户的儿子"}


@pytest.mark.parametrize("words", ["我家在杭州西湖边。", "我不能吃鸡肉。", "I can't have chicken."])
def test_the_house_and_its_owner_are_nobody_else(words: str) -> None:
    assert {each.subject for each in claims([said(words)])} == {"user"}


@pytest.mark.parametrize(
    ("words", "name", "told"),
    [
        ("My sister is called Nora. She lives in Leeds.", "Nora", "Nora lives in Leeds"),
        ("My husband's name is Erik. He's a pilot.", "Erik", "Erik is a pilot"),
        ("My cat is called Dumpling and she loves salmon.", "Dumpling", "Dumpling likes salmon"),
        ("I have a dog called Rex. He's allergic to chicken.", "Rex", "Rex is allergic to chicken"),
        ("我妹妹叫李娜。她住在成都。", "李娜", "李娜住在成都"),
        ("我家狗叫豆宝，今年7岁。", "豆宝", "豆宝7岁"),
    ],
)
def test_who_was_given_a_name_is_spoken_of_by_it(words: str, name: str, told: str) -> None:
    assert (name, told) in [(each.subject, each.content) for each in claims([said(words)])]


@pytest.mark.parametrize(
    ("words", "rest"),
    [
        ("我家的猫叫团子，它爱吃三文鱼。", "团子爱吃三文鱼"),
        ("我儿子叫小宇，今年八岁，喜欢恐龙。", "小宇喜欢恐龙"),
        ("我儿子叫小宇，今年八岁，特别喜欢看恐龙的纪录片。", "小宇特别喜欢看恐龙的纪录片"),
        ("My cat is called Dumpling and she loves salmon.", "Dumpling likes salmon"),
    ],
)
def test_what_goes_on_about_who_was_named_is_kept_and_none_of_the_owners(words: str, rest: str) -> None:
    contents = [each.content for each in claims([said(words)])]
    assert any(rest in each for each in contents)
    assert not any(each.startswith(("用户喜欢", "用户特别喜欢", "User likes")) for each in contents)


def test_a_courtesy_beside_a_name_is_not_told() -> None:
    assert [each.content for each in claims([said("我叫陈晨，很高兴认识你。")])] == ["用户的名字是陈晨"]


@pytest.mark.parametrize(
    ("words", "value", "told"),
    [
        ("I keep rabbits.", "rabbits", "User keeps rabbits"),
        ("My uncle keeps bees.", "bees", "User's uncle keeps bees"),
        ("我养了三只兔子", "三只兔子", "用户养了三只兔子"),
    ],
)
def test_animals_that_somebody_keeps_are_pets(words: str, value: str, told: str) -> None:
    (claim,) = claims([said(words)])
    assert (claim.attribute, claim.value, claim.content) == ("pet", value, told)
