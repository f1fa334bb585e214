"""What others ask is no question of the user's, and what the user took them to have done is only supposed."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, said
from workspaces import consolidate, contents, make, memories, say


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("My sister asked how do I install Rust.", 'User\'s sister asked "how do I install Rust"'),
        ("my sister asked how do I install Rust?", 'User\'s sister asked "how do I install Rust"'),
        ("My brother asked again can I borrow the drill.", 'User\'s brother asked again "can I borrow the drill"'),
        ("I asked how do I install Rust.", "User asked how do they install Rust"),
        ("我妹妹问怎么装Rust。", "用户的妹妹问怎么装Rust"),
    ],
)
def test_whose_question_it_is(words: str, told: str) -> None:
    assert [each.content for each in claims([said(words)])] == [told]


@pytest.mark.parametrize(
    "asked",
    [
        ("my sister asked how do I install Rust?", "My sister asked about Rust again?", "She asked if Rust is hard?"),
        ("我妹妹问怎么装Rust？", "我妹妹又问怎么升级Rust？", "她想知道Rust难不难？"),
    ],
)  # fmt: skip
def test_what_another_asks_on_three_days_is_no_interest_of_the_users(asked: tuple[str, ...], tmp_path: Path) -> None:
    root = make(tmp_path)
    for day, words in enumerate(asked, 5):
        say(root, f"s{day}", (f"2026-01-0{day}T09:00:00Z", "user", words))
        consolidate(root, f"2026-01-0{day + 1}T03:00:00Z")
    assert not [each for each in memories(root) if each.attribute == "interest"]
    assert not [each for each in contents(root) if each.startswith(("User asks", "用户问"))]


@pytest.mark.parametrize(
    ("words", "supposed"),
    [
        ("I thought Tom had quit.", True),
        ("I assumed they were going to sell the boat.", True),
        ("We thought my brother would move to Hull.", True),
        ("I thought she'd already left Hull.", True),
        ("我以为小王辞职了。", True),
        ("我以为他们要卖船。", True),
        ("I thought the concert in Hull was great.", False),
        ("I thought Hull was a great town.", False),
        ("我觉得赫尔的音乐会很好听。", False),
    ],
)
def test_what_one_took_others_to_do_is_supposed(words: str, supposed: bool) -> None:
    assert {each.confidence < 1 for each in claims([said(words)])} <= {supposed}


@pytest.mark.parametrize(
    "words", ["外婆家在绍兴。", "我外婆老家在绍兴。", "我老婆老家是绍兴的。", "My grandma's hometown is Cork.",
              "My wife's hometown is Cork.", "My grandma grew up in Cork."],
)  # fmt: skip
def test_where_others_come_from_is_no_hometown_of_the_users(words: str) -> None:
    assert not [each for each in claims([said(words)]) if each.attribute == "hometown" and each.subject == "user"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("我女儿五岁，儿子八岁。", ["用户的女儿五岁", "用户的儿子八岁"]),
        ("我爸爸是老师，妈妈是护士。", ["用户的爸爸是老师", "用户的妈妈是护士"]),
        ("我哥住在上海，姐姐住在广州。", ["用户的哥住在上海", "用户的姐姐住在广州"]),
        ("女儿小雨今年5岁了。", ["用户的女儿叫小雨", "小雨5岁"]),
        ("我弟叫陈光，在上大学。", ["用户的弟叫陈光", "陈光在上大学"]),
        ("My daughter is 5 and my son is 8.", ["User's daughter is 5 years old", "User's son is 8 years old"]),
        ("My sister likes tea and my brother likes jam.", ["User's sister likes tea", "User's brother likes jam"]),
    ],
)
def test_of_two_that_are_named_beside_one_another_each_has_its_own(words: str, told: list[str]) -> None:
    assert sorted(each.content for each in claims([said(words)])) == sorted(told)


@pytest.mark.parametrize("words", ["我姐住在广州，儿子八岁。", "他的儿子喜欢恐龙。", "我同事小李很厉害。儿子八岁。"])
def test_whose_son_it_is_that_is_named_behind_another_nobody_can_tell(words: str) -> None:
    assert not [each for each in claims([said(words)]) if each.subject == "用户的儿子"]
    assert any("儿子" in each.content for each in claims([said(words)]))


@pytest.mark.parametrize(
    "words", ["Mum's in hospital again, has pneumonia. On antibiotics.", "My sister is visiting. On wegovy now."]
)
def test_what_follows_on_somebody_near_fills_nothing_of_the_speaker(words: str) -> None:
    assert not any(each.attribute for each in claims([said(words)]) if each.subject == "user")


def test_what_is_behind_a_home_of_ones_own_does() -> None:
    assert ("medication", "sertraline") in {
        (each.attribute, each.value) for each in claims([said("Moved to Leeds. On sertraline now.")])
    }


def test_what_one_sits_in_all_day_is_no_home() -> None:
    assert not any(each.attribute == "lives_in" for each in claims([said("I live in the dashboard all day lol")]))
