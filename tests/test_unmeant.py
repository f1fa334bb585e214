"""A figure of speech and what others say of the speaker fill no slot; what is so beside them still does."""

from __future__ import annotations

import pytest
from spoken import claims, said


def slots(words: str) -> list[tuple[str, str]]:
    return [(each.attribute, each.value) for each in claims([said(words)]) if each.attribute]


@pytest.mark.parametrize(
    "words",
    [
        "Honestly it feels like I'm living in an airport these days.",
        "With the twins here I feel like I'm working at a circus.",
        "It's like I live in a hostel with free laundry.",
        "They walk past me as though I worked for the council.",
        "My name is mud in the allotment society since the hosepipe.",
        "My wife jokes, but I'm basically married to my phone.",
        "I'm allergic to early mornings, and to my landlord.",
        "I work at lightning speed when the boss is out.",
        "家里三个孩子，感觉像住在游乐场里。",
        "我仿佛住在机场。",
        "我这几天跟住在医院似的。",
        "我对早起过敏，对房东更过敏。",
        "我早就嫁给工作了。",
    ],
)
def test_a_figure_of_speech_fills_no_slot_and_is_nobodys_health(words: str) -> None:
    found = claims([said(words)])
    assert [(each.attribute, each.value) for each in found if each.attribute] == []
    assert "health" not in {each.category for each in found}
    assert found  # it is told as it was said


@pytest.mark.parametrize(
    "words",
    [
        "My aunt says I'm the slowest driver in Kent.",
        "My boss thinks I'm a student.",
        "Leo goes, I'm a pilot, and I go, you're a clown, Leo.",
        "She was like I live in Cork and nobody laughed.",
        "My coach told me I'm a fantastic dancer.",
        "我姑姑说我是全家最慢的司机。",
        "小赵说，我是飞行员，我说你是开碰碰车的吧。",
        "小李说：我住在杭州。",
        "小李说：我对花生过敏。",
        "小王突然说：我结婚了",
        "Leo goes, I'm allergic to nuts.",
        "大家都说我是个好老师。",
    ],
)
def test_what_others_say_fills_no_slot_of_the_speaker(words: str) -> None:
    assert slots(words) == []


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("I feel like I'm at home because I live in Leeds.", ("lives_in", "Leeds")),
        ("It feels like spring. I work at Fernway.", ("works_at", "Fernway")),
        ("It's like I said, I live in Leeds.", ("lives_in", "Leeds")),
        ("I work at Full Speed Couriers.", ("works_at", "Full Speed Couriers")),
        ("I'm allergic to work gloves with latex.", ("allergy", "work gloves with latex")),
        ("My doctor says I'm allergic to latex.", ("allergy", "latex")),
        ("My mum always says my birthday is 4 May.", ("birthday", "4 May")),
        ("My sister thinks I'm Danish but I'm from Oslo.", ("hometown", "Oslo")),
        ("Everyone went riding, I'm allergic to horses so I stayed.", ("allergy", "horses")),
        ("I told him I live in Leeds.", ("lives_in", "Leeds")),
        ("People say I'm funny. I'm a nurse.", ("occupation", "nurse")),
        ("我住在北京，感觉像回到了家。", ("lives_in", "北京")),
        ("我简直是个傻瓜，我对花生过敏。", ("allergy", "花生")),
        ("老实说，我住在杭州。", ("lives_in", "杭州")),
        ("他说，那你把钱还我，我已经住在杭州了。", ("lives_in", "杭州")),
        ("My therapist told me I have PTSD.", ("condition", "PTSD")),
        ("跟你说，我住在杭州。", ("lives_in", "杭州")),
        ("王医生说，我对青霉素过敏。", ("allergy", "青霉素")),
        ("我对同事带来的花过敏。", ("allergy", "同事带来的花")),
        ("我真像我爸，我对花生过敏。", ("allergy", "花生")),
    ],
)
def test_what_is_so_beside_it_is_read(words: str, slot: tuple[str, str]) -> None:
    assert slot in slots(words)


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("My mum says I'm allergic to penicillin.", ("allergy", "penicillin")),
        ("My teacher told me I have dyslexia.", ("condition", "dyslexia")),
    ],
)
def test_what_others_say_of_the_speakers_health_is_a_belief(words: str, slot: tuple[str, str]) -> None:
    (found,) = (each for each in claims([said(words)]) if each.attribute)
    assert (found.attribute, found.value) == slot
    assert (found.modality, found.confidence) == ("reported", 0.6)
    assert found.subject == "user"


def test_what_others_say_of_themselves_is_a_quotation() -> None:
    assert [each.content for each in claims([said("小王突然说：我结婚了")])] == ["用户说小王突然说：“我结婚了”"]
