"""A message that names a project is given what is known of it, and one that speaks of what was said before what that is
about: "you mentioned" is no word of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import given, lived

SAID = {
    "en": (
        "I'm leading the Nimbus project, a rewrite of our billing service.",
        "The Nimbus launch slipped to 20 March because of the payment bug.",
        "I'm building a weather app called Drizzle.",
        "I asked my boss about the garden project.",
        "We stayed on a houseboat in Amsterdam last spring.",
        "We went to Lisbon with my friend Nora.",
        "My favourite drink is ginger ale.",
        "I take the tram to work.",
    ),
    "zh": (
        "我在做青鸟项目，重写我们的计费系统。",
        "青鸟项目的上线推迟到三月二十号。",
        "我最近在做一个自己的项目，叫小满，是记账 App。",
        "我负责“星桥”项目的测试。",
        "去年春天我们在大理住过一家民宿。",
        "我和朋友小林去了厦门。",
        "我最喜欢喝姜汁汽水。",
        "我坐地铁上班。",
    ),
}


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {lang: lived(tmp_path_factory.mktemp(lang), texts) for lang, texts in SAID.items()}


@pytest.mark.parametrize(
    ("lang", "message", "wanted"),
    [
        ("en", "How is the Nimbus project going?", ("rewrite", "20 March")),
        ("en", "What is the status of Nimbus?", ("rewrite", "20 March")),
        ("en", "how is nimbus going", ("rewrite", "20 March")),
        ("en", "Write an email about Nimbus to Leo", ("rewrite", "20 March")),
        ("en", "Any news on Drizzle?", ("weather app",)),
        ("zh", "青鸟项目进展如何？", ("计费", "2026-03-20")),
        ("zh", "写封邮件，讲讲青鸟项目", ("计费", "2026-03-20")),
        ("zh", "给客户写一段小满的介绍", ("小满",)),
        ("zh", "星桥项目进展如何？", ("测试",)),
    ],
)
def test_what_is_known_of_a_project_is_given(
    lives: dict[str, Path], lang: str, message: str, wanted: tuple[str, ...]
) -> None:
    lines = [line for _, line in given(lives[lang], message)]
    assert [each for each in wanted if not any(each in line for line in lines)] == []


@pytest.mark.parametrize(
    ("lang", "asked", "unasked"),
    [
        ("en", "What is the status of Nimbus?", "Write an email about Nimbus to Leo"),
        ("zh", "青鸟项目进展如何？", "写封邮件，讲讲青鸟项目"),
    ],
)
def test_who_asks_nothing_is_given_it_plainly(lives: dict[str, Path], lang: str, asked: str, unasked: str) -> None:
    assert {sure for sure, _ in given(lives[lang], asked)} == {"middle"}
    assert {sure for sure, _ in given(lives[lang], unasked)} == {"high"}


@pytest.mark.parametrize(
    ("lang", "message"),
    [
        ("en", "How is the Orion project going?"),
        ("en", "Summarize this article about Lisbon"),
        ("en", "I water the garden"),
        ("en", "A nimbus cloud over Oslo"),
        ("en", "Can a User change this?"),
        ("zh", "猎户项目进展如何？"),
        ("zh", "总结一下这篇讲厦门的文章"),
        ("zh", "青色的鸟"),
        ("zh", "写一份项目周报"),
    ],
)
def test_of_what_is_in_nobodys_hand_nothing_is_given(lives: dict[str, Path], lang: str, message: str) -> None:
    assert given(lives[lang], message) == []


@pytest.mark.parametrize(
    ("lang", "message", "wanted"),
    [
        ("en", "last time you mentioned a houseboat", "houseboat"),
        ("en", "You said something about a houseboat last time", "houseboat"),
        ("en", "the other day we talked about the weather app", "Drizzle"),
        ("zh", "上次你提到的民宿", "民宿"),
        ("zh", "之前说的那家民宿", "民宿"),
        ("zh", "前几天我们聊过的地铁", "地铁"),
    ],
)
def test_that_it_was_mentioned_is_no_part_of_what_it_is(
    lives: dict[str, Path], lang: str, message: str, wanted: str
) -> None:
    (sure, line), *_ = given(lives[lang], message)
    assert sure == "high"
    assert wanted in line


@pytest.mark.parametrize(
    ("lang", "message"),
    [
        ("en", "last time you mentioned a spaceship"),
        ("en", "you told me a riddle last time"),
        ("zh", "上次你提到的飞船"),
        ("zh", "之前你给我讲的谜语"),
    ],
)
def test_of_what_was_never_mentioned_nothing_is_given(lives: dict[str, Path], lang: str, message: str) -> None:
    assert given(lives[lang], message) == []
