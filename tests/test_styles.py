"""How the assistant should answer changes with the owner's wish: a later one ends what cannot be had beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from memory_system.phases.settling.styles import ways
from spoken import claims, said
from workspaces import consolidate, make, memories, say

from memory_system import clock
from memory_system.upkeep import edit
from memory_system.workspace import Workspace


def constraints(root: Path) -> list[str]:
    """The lines of the snapshot's section on how the assistant must behave."""
    text = (root / "memory/layer1/snapshot.md").read_text("utf-8")
    section = text.partition("## Constraints")[2] or text.partition("## 约束")[2]
    return section.partition("##")[0].strip().splitlines()


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        (
            "From now on answer in bullet points.",
            "The bullet points are starting to annoy me. Stop with the bullets, just write short paragraphs please",
            "stop with the bullets, just write short paragraphs",
        ),
        (
            "Please keep your answers short from now on.",
            "Could you answer in more detail? Two lines are too little.",
            "answer in more detail",
        ),
        ("From now on reply in a formal tone.", "Can you be more casual from now on?", "be more casual"),
        ("以后回答都分点列出来。", "别再分点了，直接说就行", "别再分点了"),
        (
            "以后回答我的时候简短一点，别超过两句话",
            "你能不能回答具体一点，之前说两句话太短了，现在可以长一点",
            "回答具体一点",
        ),
        ("以后用正式的语气回答我。", "回答可以随意一点", "可以随意一点"),
    ],
)
def test_a_later_wish_ends_the_one_it_cannot_stand_beside(before: str, after: str, left: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", before))
    consolidate(root, "2026-03-03T03:00:00Z")
    assert len(constraints(root)) == 1
    say(root, "b", ("2026-03-03T09:00:00Z", "user", after))
    consolidate(root, "2026-03-04T03:00:00Z")
    (line,) = constraints(root)
    assert left in line


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("From now on answer in bullet points.", "Please stop using emojis."),
        ("Please keep your answers short from now on.", "From now on answer in detail when I ask for help."),
        ("From now on answer in French.", "Please never start with a greeting."),
        ("以后回答都分点列出来。", "以后别用表情。"),
        ("以后回答简短一点。", "以后写邮件的时候要写得详细一点。"),
    ],
)
def test_wishes_in_other_matters_stand_side_by_side(before: str, after: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", before))
    say(root, "b", ("2026-03-03T09:00:00Z", "user", after))
    consolidate(root, "2026-03-04T03:00:00Z")
    assert len(constraints(root)) == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Also don't ever begin with 'Certainly!'", "User doesn't want the assistant to begin with 'Certainly"),
        ("Can you stop sending links?", "User wants the assistant to stop sending links"),
        ("能不能别老用感叹号？", "用户要求助手别老用感叹号"),
    ],
)
def test_a_wish_is_one_however_it_is_put(words: str, told: str) -> None:
    found = [each for each in claims([said(words)]) if each.attribute == "instruction"]
    assert [each.content.startswith(told) for each in found] == [True]


@pytest.mark.parametrize(
    "words",
    [
        "Can you stop by the shop on your way?",
        "Could you write a shorter poem about the sea?",
        "Don't start with me, Tom.",
        "你能不能帮我查一下去烟台的车票",
        "这部电影太长了，我看睡着了",
    ],
)
def test_what_is_wanted_once_is_no_wish_for_all_answers(words: str) -> None:
    assert not [each for each in claims([said(words)]) if each.attribute == "instruction"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Can you stop using emojis and call me Bea not Beatrice?", "Bea"),
        ("你别用表情了，叫我小岚就行，不用叫岚姐", "小岚"),
    ],
)
def test_a_name_beside_a_wish_is_known(words: str, name: str) -> None:
    found = {each.attribute: each.value for each in claims([said(words)])}
    assert found["nickname"] == name
    assert name not in found["instruction"]


@pytest.mark.parametrize(
    ("words", "later"),
    [
        ("From now on answer in bullet points.", "From now on write in prose, no bullet points."),
        ("以后都用列表回答我。", "以后用成段的话回答我，别用列表。"),
    ],
)
def test_a_capture_by_hand_binds_and_ends_as_what_is_said_does(words: str, later: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    for day, each in ((2, words), (3, later)):
        with Workspace.open(root, now=clock.read_stamp(f"2026-03-0{day}T09:00:00Z"), write=True) as ws:
            edit.capture(ws, each)
        consolidate(root, f"2026-03-0{day + 1}T03:00:00Z")
        assert constraints(root) == [f"- {each}"]


@pytest.mark.parametrize(
    "words",
    [
        "At Tom's house: don't use the back door.",
        "Ana told me: don't send flowers",
        "Don't call mum before nine.",
        "Doctor's orders: avoid using the left arm.",
        "Recipe: use a table with long bullet points",
        "妈妈说：别用左手提东西。",
    ],
)
def test_a_capture_about_anything_else_is_no_wish(words: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    for day, each in ((2, "Keep your answers short."), (3, words)):
        with Workspace.open(root, now=clock.read_stamp(f"2026-03-0{day}T09:00:00Z"), write=True) as ws:
            edit.capture(ws, each)
        consolidate(root, f"2026-03-0{day + 1}T03:00:00Z")
    assert constraints(root) == ["- Keep your answers short."]


def test_what_an_agent_captures_binds_nobody(tmp_path: Path) -> None:
    root = make(tmp_path)
    with Workspace.open(root, now=clock.read_stamp("2026-03-02T09:00:00Z"), write=True) as ws:
        edit.capture(ws, "From now on answer in bullet points.", role="assistant")
    consolidate(root, "2026-03-03T03:00:00Z")
    assert constraints(root) == []
    assert [each.attribute for each in memories(root)] == [""]


def test_the_way_that_is_wanted() -> None:
    short, bullets = 0, 1
    assert ways("User wants the assistant to keep answers short, no bullet points", "en") == {
        short: True,
        bullets: False,
    }
    assert ways("用户要求助手别超过三句话", "zh") == {short: True}
    assert ways("用户要求助手回答用户的时候简短一点", "zh") == {short: True}
    assert ways("User wants the assistant to keep it short in emails", "en") == {}
    assert ways("User wants the assistant to write short or long answers", "en") == {}


@pytest.mark.parametrize(
    "words",
    [
        "Can you call me Monday?",
        "Can you call me Uber?",
        "Can you stop with the car at my house?",
        "Could you answer more questions about Leeds?",
        "你能给我叫辆车吗？",
        "你能周一叫我吗？",
        "你能回答更多关于绍兴的问题吗？",
    ],
)
def test_what_is_asked_for_once_is_no_name_and_no_style(words: str) -> None:
    assert not any(each.attribute for each in claims([said(words)]))


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("Can you call me Bea?", ("nickname", "Bea")),
        ("Can you stop with all the emojis?", ("instruction", "with all the emojis")),
        ("Could you answer more briefly?", ("instruction", "answer more briefly")),
        ("你能回答得更简短一点吗？", ("instruction", "回答得更简短一点")),
    ],
)
def test_a_name_and_a_style_that_are_asked_for_are_kept(words: str, slot: tuple[str, str]) -> None:
    assert [(each.attribute, each.value) for each in claims([said(words)])] == [slot]
