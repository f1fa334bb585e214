"""Whoever a message is about or meant for: what is known of them is given, whatever else the message says."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from workspaces import at, given, lived

from memory_system.recall.asked import understood
from memory_system.recall.names import spoken_of

EN = (
    "My brother Declan chose the job in Porto over the one in Leeds.",
    "Declan will sell his flat in June.",
    "My colleague Tess is vegetarian and hates phone calls.",
    "My favourite drink is ginger ale.",
    "I take amlodipine for my blood pressure every morning.",
    "I like porridge for breakfast.",
)
ZH = (
    "我弟弟叫郑岩，他选了成都的工作，没去重庆。",
    "郑岩六月要卖掉他的房子。",
    "我同事小苏吃素，讨厌接电话。",
    "我最喜欢喝姜汁汽水。",
    "我每天早上吃氨氯地平降血压。",
    "我早餐喜欢吃肠粉。",
)


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {lang: lived(tmp_path_factory.mktemp(lang), texts) for lang, texts in (("en", EN), ("zh", ZH))}


@pytest.mark.parametrize(
    ("lang", "message", "wanted"),
    [
        ("en", "what has Declan decided", "Porto"),
        ("en", "draft a message to Tess", "vegetarian"),
        ("en", "tell tess that I am late", "vegetarian"),
        ("en", "can you help me plan a dinner with Tess", "vegetarian"),
        ("en", "buy a present for my brother", "Porto"),
        ("zh", "郑岩决定了什么", "成都"),
        ("zh", "帮我给小苏写条消息", "吃素"),
        ("zh", "我想约小苏一起吃饭", "吃素"),
        ("zh", "给我弟弟挑个礼物", "成都"),
    ],
)
def test_what_is_known_of_them_is_given(lives: dict[str, Path], lang: str, message: str, wanted: str) -> None:
    assert any(wanted in line for _, line in given(lives[lang], message))


@pytest.mark.parametrize(
    ("lang", "asked", "unasked"),
    [
        ("en", "what has Declan decided about the boat?", "write a note to Declan about the boat"),
        ("zh", "郑岩决定了哪条船？", "给郑岩写封信，说说船的事"),
    ],
)
def test_who_asks_nothing_is_given_it_plainly(lives: dict[str, Path], lang: str, asked: str, unasked: str) -> None:
    assert {sure for sure, _ in given(lives[lang], asked)} == {"middle"}
    assert {sure for sure, _ in given(lives[lang], unasked)} == {"high"}


@pytest.mark.parametrize(
    ("lang", "message"),
    [
        ("en", "draft a message to Leo"),
        ("en", "Summarize this article about Lisbon"),
        ("zh", "帮我给老刘写条消息"),
        ("zh", "总结一下这篇文章"),
    ],
)
def test_of_others_nothing_is_given(lives: dict[str, Path], lang: str, message: str) -> None:
    assert given(lives[lang], message) == []


@pytest.mark.parametrize(
    ("lang", "message", "wanted", "unrelated"),
    [("en", "what blood pressure pills do I take", "amlodipine", "porridge"), ("zh", "我吃什么降压药", "地平", "肠粉")],
)
def test_a_medicine_is_no_food(lives: dict[str, Path], lang: str, message: str, wanted: str, unrelated: str) -> None:
    lines = " ".join(line for _, line in given(lives[lang], message))
    assert wanted in lines
    assert unrelated not in lines


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("Send an invitation to Nora and Ben", ["nora"]),
        ("call Nora", ["nora"]),
        ("Nora is a name", []),  # nobody says that she is anybody
        ("a flight to Lisbon", []),
        ("my sister's birthday", ["sister"]),
        ("告诉予安明天见", ["予安"]),
        ("给公司写封信", []),
        ("跟大家说一声", []),
        ("我妈妈的生日", ["妈妈"]),
    ],
)
def test_whom_a_message_is_meant_for(message: str, names: list[str]) -> None:
    asked_at = at("2026-03-03T12:00:00Z")
    question = understood(message, asked_at, ZoneInfo("UTC"))
    found = spoken_of(question, [])
    assert len(found) == len(names)
    assert all(form in name for form, name in zip(names, found, strict=True))
