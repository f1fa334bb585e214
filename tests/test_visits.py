"""Who holds the device: measured on moments of which nothing was learned, and in whole sessions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson
import pytest
from spoken import kept, talk

from memory_system.privacy.pasted import Callings
from memory_system.turns import Message
from memory_system.understand.visits import HANDS, LEAVES, RETURNS, TURN_FROM, Visits, turn_of

CORPUS = Path(__file__).parent.parent / "corpus"


def typed(*said: tuple[str, str]) -> set[str]:
    """What of a session a guest has typed, as it stands when all is heard."""
    visits = Visits(Callings(["Noll"]))
    found: set[str] = set()
    for number, (role, words) in enumerate(said):
        message = Message("s", str(number), role, "", f"2026-03-02T10:{number:02}:00Z", words)
        is_guests, earlier = visits.hear(message)
        found.update([message.ref] if is_guests else [], earlier)
    return {words for number, (_, words) in enumerate(said) if f"s:{number}" in found}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_often_it_is_heard_that_the_device_changes_hands_and_seldom_otherwise(lang: str) -> None:
    moments = [orjson.loads(line) for line in (CORPUS / f"turns.{lang}.blind.jsonl").read_bytes().splitlines()]
    heard = Counter((each["turn"], turn_of(each["s"], each["before"], TURN_FROM)) for each in moments)
    count = Counter(each["turn"] for each in moments)
    assert heard[RETURNS, RETURNS] >= 0.5 * count[RETURNS]
    assert heard[HANDS, HANDS] >= 0.5 * count[HANDS]
    assert heard[LEAVES, LEAVES] >= 0.2 * count[LEAVES]
    assert heard["none", ""] >= 0.9 * count["none"]


SESSIONS = [
    (
        ("user", "hi this is Sam, Noll is feeding the hens. how long do eggs boil"),
        ("assistant", "Hi Sam. Seven minutes."),
        ("user", "ta. I'm allergic to peanuts by the way"),
        ("assistant", "Noted, Sam."),
        ("user", "and I can't stand coriander"),
        ("assistant", "Fair enough."),
        ("user", "its me again, sorry about that, what did he ask you"),
        ("assistant", "About eggs."),
        ("user", "I'm lactose intolerant, so no butter on the toast"),
    ),
    (
        ("user", "我是小安 他去喂鸡了 借他手机问一下 鸡蛋煮多久"),
        ("assistant", "小安你好，七分钟。"),
        ("user", "好的 我对花生过敏"),
        ("assistant", "记下了，小安。"),
        ("user", "还有我不吃香菜"),
        ("assistant", "好的。"),
        ("user", "我回来了 他刚才拿我手机问你啥了"),
        ("assistant", "问煮鸡蛋。"),
        ("user", "我乳糖不耐受，吐司不要抹黄油"),
    ),
]


@pytest.mark.parametrize("said", SESSIONS)
def test_a_guest_types_until_the_owner_is_back(said: tuple[tuple[str, str], ...]) -> None:
    assert typed(*said) == {said[place][1] for place in (0, 2, 4)}


@pytest.mark.parametrize("said", SESSIONS)
def test_however_much_is_answered(said: tuple[tuple[str, str], ...]) -> None:
    """Each message is answered in three parts; what a guest types is kept by none of them."""
    answered = [each for one in said for each in ([one] if one[0] == "user" else [one] * 3)]
    found = "\n".join(kept(talk(*answered)))
    assert not [each for each in ("peanuts", "coriander", "花生", "香菜") if each in found]
    assert "lactose" in found or "乳糖" in found


def test_in_a_group_everybody_speaks_for_themselves() -> None:
    visits = Visits(Callings(["Noll"]))
    words = "hi this is Sam, Noll is feeding the hens"
    assert visits.hear(Message("s", "1", "user", "Sam", "2026-03-02T10:00:00Z", words)) == (False, [])
