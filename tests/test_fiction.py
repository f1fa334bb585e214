"""What is made up, played or dreamt fills no slot of whoever tells it."""

from __future__ import annotations

import pytest
from spoken import claims, said, talk


@pytest.mark.parametrize(
    "words",
    [
        "In my D&D game I live in a mountain and I'm allergic to elves.",
        "In the novel I'm writing, the heroine is allergic to bees and she lives in a lighthouse.",
        "I dreamt I lived in Rome and worked at Fernway.",
        "I live in a castle in my dreams.",
        "我在写的小说里，主角对蜜蜂过敏，住在灯塔里。",
        "在我的游戏里我叫阿龙，我住在山里，我对精灵过敏。",
        "昨晚梦见我搬到了罗马。",
    ],
)
def test_fiction_fills_no_slot(words: str) -> None:
    found = claims([said(words)])
    assert [each.attribute for each in found if each.attribute] == []
    assert {each.category for each in found} <= {"general", "event"}


def test_what_the_sentence_goes_on_with_is_not_told_as_if_it_were_so() -> None:
    assert not [each for each in claims([said("在我的游戏里我叫阿龙，我对精灵过敏。")]) if "过敏" in each.content]


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("I live in Leeds and in my novel the heroine lives in York.", "lives_in", "Leeds"),
        ("In my story the hero lives in York, but I live in Leeds.", "lives_in", "Leeds"),
        ("In my novel she lives in York. I live in Leeds.", "lives_in", "Leeds"),
        ("My story is simple: I'm allergic to nuts.", "allergy", "nuts"),
        ("I'm playing the main character in the school play, I'm allergic to dust.", "allergy", "dust"),
        ("我喜欢看小说，我住在杭州。", "lives_in", "杭州"),
        ("在我的小说里主角住在山里，但是我住在杭州。", "lives_in", "杭州"),
        ("我演主角，我对灰尘过敏。", "allergy", "灰尘"),
    ],
)
def test_what_is_so_beside_it_stays(words: str, attribute: str, value: str) -> None:
    assert [each.value for each in claims([said(words)]) if each.attribute == attribute] == [value]


@pytest.mark.parametrize(
    "words",
    [
        "In my novel I'm a pirate. I live on a ship. My sister is called Ann and I'm allergic to rum.",
        "In my Novel I'm a pirate. I live on a ship and I'm allergic to rum.",
        "I'm writing a novel called Ash. In it I'm a nurse. I have diabetes and a husband who drinks.",
        "Let's play: you are a pirate and I'm your captain. I have one leg. My wife is called Coral.",
        "Pretend I'm your boss. I live in York and I have a dog called Rex.",
        "在我的小说里，我是一个医生。我住在南京，我对花生过敏。",
        "周六我们玩剧本杀，我演一个医生。我住在南京，我有心脏病。我的猫叫波波。",
        "我们来玩角色扮演：你是海盗，我是船长。我住在岛上。我老婆叫珊瑚。",
    ],
)
def test_who_is_somebody_else_stays_so_in_the_next_sentences(words: str) -> None:
    assert [each.attribute for each in claims([said(words)]) if each.attribute] == []


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("I can't pretend I'm fine. I'm allergic to nuts.", "nuts"),
        ("At dinner we pretend we're happy. I'm allergic to nuts.", "nuts"),
        ("In the campaign I'm responsible for the posters. I'm allergic to nuts.", "nuts"),
        ("My character is not an easy one. I'm allergic to nuts.", "nuts"),
        ("I'm playing a game called Hades. In it I'm stuck at level 3. I'm allergic to nuts.", "nuts"),
        ("我在组里的角色是前端工程师。我对花生过敏。", "花生"),
        ("我的角色是前端工程师。我对花生过敏。", "花生"),
        ("我在话剧里演一个医生。我对花生过敏。", "花生"),
        ("去看房时我们假装我们是夫妻。我对花生过敏。", "花生"),
        ("我们玩得很开心，你是好导游，我是第一次来。我对花生过敏。", "花生"),
    ],
)
def test_what_only_sounds_like_a_part_in_a_game_silences_nothing(words: str, value: str) -> None:
    assert [each.value for each in claims([said(words)]) if each.attribute == "allergy"] == [value]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("In my novel I'm a pirate. I live on a ship. But in real life I live in Leeds.", "Leeds"),
        ("In my novel I'm a pirate. I live on a ship.\n\nI live in Leeds.", "Leeds"),
        ("In my novel I'm a pirate. I actually live on a ship. Anyway, I live in Leeds.", "Leeds"),
        ("In our D&D game my character is an elf. By the way, I live in Leeds.", "Leeds"),
        ("I love that game. I live in Leeds.", "Leeds"),
        ("We play football on Sundays and I'm the goalkeeper. I live in Leeds.", "Leeds"),
        ("在我的小说里，我是一个医生。我住在南京。回到现实里，我住在合肥。", "合肥"),
        ("我喜欢玩剧本杀。我住在合肥。", "合肥"),
    ],
)
def test_until_they_are_themselves_again(words: str, value: str) -> None:
    assert [each.value for each in claims([said(words)]) if each.attribute == "lives_in"] == [value]


@pytest.mark.parametrize(
    ("opening", "inside", "over"),
    [
        (
            "Let's play: you are a pirate and I'm your captain.",
            "I live on an island.",
            "Enough playing. I live in Leeds.",
        ),
        ("我们来玩角色扮演：你是海盗，我是船长。", "我住在岛上。", "不玩了。我住在合肥。"),
    ],
)
def test_a_game_with_the_assistant_goes_on_until_it_is_over(opening: str, inside: str, over: str) -> None:
    played = talk(("user", opening), ("assistant", "Arr!"), ("user", inside), ("assistant", "Arr!"), ("user", over))
    assert [each.value for each in claims(played) if each.attribute] == ["Leeds" if over.isascii() else "合肥"]


def test_a_game_is_over_after_a_pause_and_in_another_session() -> None:
    opening = "Let's play: you are a pirate and I'm your captain."
    later = said("I live in Leeds.", entry="2", at="2026-02-03T12:30:00Z")
    elsewhere = said("I live in Leeds.", session="other", at="2026-02-03T10:31:00Z")
    for other in (later, elsewhere):
        assert [each.value for each in claims([said(opening), other]) if each.attribute] == ["Leeds"]
