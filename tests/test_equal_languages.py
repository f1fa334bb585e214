"""What one language knows the other knows as well: the same told in English and in Chinese fills the same slots, is
withheld, ranks last or is taken back alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, said, talk
from workspaces import at, consolidate, contents, make, say

from memory_system import clock, finder, rules
from memory_system.agent import prompt
from memory_system.nights import derive
from memory_system.text import paused
from memory_system.understand.language import language
from memory_system.understand.values import value_of
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

SLOTS = [
    ("My GP put me on warfarin.", "医生给我开了华法林。", "user medication", "warfarin", "华法林"),
    ("I live in Leeds.", "我住在杭州。", "user lives_in", "Leeds", "杭州"),
    ("I'm allergic to peanuts.", "我对花生过敏。", "user allergy", "peanuts", "花生"),
    ("I no longer work at Acme.", "我不在华远公司上班了。", "user works_at not", "Acme", "华远公司"),
    ("I broke up with Marta.", "我跟小渔分手了。", "user partner not", "Marta", "小渔"),
    (
        "I stopped the melatonin, no need for it.",
        "我不吃褪黑素了 医生说没必要",
        "user medication not",
        "melatonin",
        "褪黑素",
    ),
    ("My birthday is 21 June.", "我的生日是6月21号。", "user birthday", "21 June", "6月21号"),
    ("My brother Tom lives in Leeds.", "我哥哥许峰住在兰州。", "user sibling", "Tom", "许峰"),
]


def slots(words: str) -> set[tuple[str, str]]:
    """The slots that the words fill, each with its value."""
    found = (each for each in claims([said(words)]) if each.attribute)
    return {(f"{each.subject} {each.attribute}{'' if each.polarity else ' not'}", each.value) for each in found}


def test_the_same_fills_the_same_slot() -> None:
    rows = [
        (words, slot, value) for en, zh, slot, *values in SLOTS for words, value in zip((en, zh), values, strict=True)
    ]
    assert [(words, slots(words)) for words, slot, value in rows if (slot, value) not in slots(words)] == []


def test_what_is_told_of_an_attribute_is_checked_in_both() -> None:
    types = {row["type"] for row in rules.table("attributes", "attributes").values() if "type" in row}
    assert [(lang, each) for lang in ("en", "zh") for each in types if not language(lang).types[each]] == []
    assert [value_of(words, "blood", language("zh")) for words in ("AB型", "A+", "型")] == ["AB型", "A+", None]


@pytest.mark.parametrize(
    ("words", "never"),
    [
        ("My niece is deaf in one ear.", "relative"),
        ("My emergency contact is my sister Ruth, phone 555 010 2233.", "user phone"),
        ("我的紧急联系人是我姐姐，电话13800001111。", "user phone"),
        ("My son Leo loves his teacher, her birthday is May 3.", "birthday"),
        ("我女儿朵朵在学校认识了小雨，她生日是五月十二。", "birthday"),
        ("I'm allergic to Mondays haha.", "allergy"),
        ("我对上班过敏。", "allergy"),
        ("是个女儿！名字想好了叫安安", "user name"),
    ],
)
def test_what_is_anothers_or_a_joke_fills_no_slot(words: str, never: str) -> None:
    assert not [slot for slot, _ in slots(words) if never in slot]


@pytest.mark.parametrize("words", ["Help me write a letter.", "帮我写一封信。", "帮我看一下这个。"])
def test_a_request_that_tells_nothing_is_not(words: str) -> None:
    assert claims(talk(("user", words), ("assistant", "OK."))) == []


@pytest.mark.parametrize(
    "words",
    [
        "Can you not save this? I had a row with my neighbour.",
        "能不能别记这个？我跟邻居吵架了。",
        "Don't keep this in your memory. I had a row with my neighbour.",
        "不要把这些写进记忆里。我跟邻居吵架了。",
    ],
)
def test_what_is_not_to_be_kept_is_not(words: str) -> None:
    assert claims([said(words)]) == []


@pytest.mark.parametrize(
    ("words", "news"),
    [("别往外说，我下个月要离职了。", "离职"), ("Don't tell anyone, I'm quitting next month.", "quitting")],
)
def test_what_is_told_in_confidence_is_no_mere_request(words: str, news: str) -> None:
    assert any(news in each.content for each in claims([said(words)]))


def test_a_blank_beside_another_script_is_no_comma() -> None:
    for words in (
        "我用 Python 写 3 个脚本",
        "我住在 上海浦东",
        "我对 青霉素 过敏",
        "我的座右铭是 知足常乐",
        "我 住在 苏州",
        "我住在  上海浦东",
        "我住在🎉🎉上海浦东",
        "真的好累🎉🎉的明天",
    ):
        assert paused(words) == words
    assert paused("今天真的好累🎉🎉明天去跑步") == "今天真的好累， 明天去跑步"
    assert paused("今天真的好累❤️明天去跑步") == "今天真的好累， 明天去跑步"
    assert paused("石膏拆了 胳膊细了🎉明天去跑步") == "石膏拆了，胳膊细了，明天去跑步"


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("我住在上海。", "不对，张强没有房子。", "用户住在上海"),
        ("I live in Leeds.", "No wait, Tom has no house.", "User lives in Leeds"),
    ],
)
def test_what_is_said_of_another_matter_puts_nothing_right(before: str, after: str, kept: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", before), ("2026-03-02T09:01:00Z", "user", after))
    consolidate(root, "2026-03-03T03:00:00Z")
    assert kept in contents(root)


@pytest.mark.parametrize(
    ("words", "question", "told"),
    [
        ("I take sertraline every morning.", "Which medicines do I take?", "sertraline"),
        ("我每天早上吃二甲双胍。", "我现在吃什么药？", "二甲双胍"),
    ],
)
def test_what_one_takes_is_given_when_it_is_asked_for(words: str, question: str, told: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(root, "2026-03-03T03:00:00Z")
    with Workspace.open(root, now=clock.read_stamp("2026-03-04T09:00:00Z")) as ws:
        assert told in finder.context(ws, question)["text"]


@pytest.mark.parametrize(("said", "told"), [("I'm allergic to peanuts.", "You are a"), ("我对花生过敏。", "你是一个")])
@pytest.mark.parametrize("sample", ["en", "zh"])
def test_the_sample_of_a_soul_is_told_in_the_language_of_the_memories(
    tmp_path: Path, said: str, told: str, sample: str
) -> None:
    edit.init(tmp_path, "UTC", sample)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", said))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    with Workspace.open(tmp_path, now=at("2026-03-03T12:00:00Z")) as ws:
        assert f": {told}" in ws.layout.snapshot.read_text()
        assert told in prompt.compose(ws).layers[0].text
    (tmp_path / "SOUL.md").write_text("# Soul\n\nYou are Mori.\n")
    with Workspace.open(tmp_path, now=at("2026-03-03T12:00:00Z")) as ws:
        assert "You are Mori." in prompt.compose(ws).layers[0].text
        assert "You are Mori." in derive.snapshot_row(ws)["text"]
