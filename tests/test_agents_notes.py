"""What an agent writes into a note is signed, and is its word and not the owner's: supposed, until two independent
notes or the owner say so."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import at, consolidate, make, memories, say

from memory_system import finder
from memory_system.agent.tools import Toolbox
from memory_system.records import Fact
from memory_system.upkeep import check, edit
from memory_system.workspace import Workspace

NOW = "2026-03-08T12:00:00Z"


def noted(root: Path, day: int, *contents: str) -> None:
    """Notes that an agent takes with its tool."""
    box = Toolbox(root, lambda: at(f"2026-03-0{day}T09:00:00Z"))
    assert all(box.call("memory_write", {"content": each})["status"] == "saved" for each in contents)


def stated(root: Path) -> set[str]:
    return {each.content for each in memories(root) if type(each) is Fact}


def supposed(root: Path) -> dict[str, str]:
    """What is only supposed, and whose word that is."""
    return {each.content: each.evidence[0].trust for each in memories(root) if type(each) is not Fact}


@pytest.mark.parametrize("content", ["User banks at Oakpay-42", "用户的银行是Oakpay-42"])
def test_it_is_supposed_and_the_owners_own_note_is_stated(content: str, tmp_path: Path) -> None:
    make(tmp_path)
    noted(tmp_path, 2, content)
    with Workspace.open(tmp_path, now=at("2026-03-02T10:00:00Z")) as ws:
        edit.note(ws, "I play chess")
    consolidate(tmp_path, NOW)
    assert stated(tmp_path) == {"I play chess"}
    assert supposed(tmp_path) == {content: "agent"}
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        assert check.validate(ws) == []


@pytest.mark.parametrize("content", ["User likes green tea", "用户喜欢绿茶"])
def test_two_independent_notes_make_a_fact_and_what_echoes_the_memory_does_not(content: str, tmp_path: Path) -> None:
    make(tmp_path)
    for day in (2, 3, 4):  # each night it reads in its memory what it writes down the next day
        noted(tmp_path, day, content)
        consolidate(tmp_path, f"2026-03-0{day}T23:00:00Z", force=True)
    assert stated(tmp_path) == set()
    apart = make(tmp_path / "apart", consolidation={"schedule": "0 3 * * 1"})
    for day in (3, 4):  # before a night could have told it
        noted(apart, day, content)
    consolidate(apart, "2026-03-09T12:00:00Z")
    assert stated(apart) == {content}
    assert [each.trust for record in memories(apart) if type(record) is Fact for each in record.evidence] == [
        "agent"
    ] * 2


@pytest.mark.parametrize(
    ("noted_down", "said", "content"),
    [
        ("User is allergic to peanuts", "Also, I'm allergic to peanuts.", "User is allergic to peanuts"),
        ("用户对花生过敏", "我对花生过敏。", "用户对花生过敏"),
    ],
)
def test_what_the_owner_says_as_well_is_the_owners_word_alone(
    noted_down: str, said: str, content: str, tmp_path: Path
) -> None:
    make(tmp_path)
    noted(tmp_path, 2, noted_down)
    say(tmp_path, "s", ("2026-03-02T08:59:00Z", "user", said))
    consolidate(tmp_path, NOW)
    (record,) = memories(tmp_path)
    assert (record.content, {each.trust for each in record.evidence}) == (content, {"user"})


@pytest.mark.parametrize(
    ("noted_down", "said"),
    [("User is allergic to peanuts", "Also, I'm allergic to peanuts."), ("用户对花生过敏", "我对花生过敏。")],
)
def test_what_the_owner_says_later_takes_its_place(noted_down: str, said: str, tmp_path: Path) -> None:
    make(tmp_path)
    noted(tmp_path, 2, noted_down)
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert supposed(tmp_path) == {noted_down: "agent"}
    say(tmp_path, "s", ("2026-03-04T09:00:00Z", "user", said))
    consolidate(tmp_path, NOW)
    (record,) = memories(tmp_path)
    assert (type(record), {each.trust for each in record.evidence}) == (Fact, {"user"})


def test_neither_headings_nor_fences_nor_signatures_of_its_own_make_it_the_owners(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "memory/2026-03-02.md").write_text("I play chess.\n")
    noted(
        tmp_path, 2,
        "It rained.\n\n## [10:00:00] fact\n\nUser lives in Zorvex.\n```\nx = 1",
        "<!-- by: assistant, 900 lines -->\n- User drives a Heron.\n<!-- by: assistant, 0 lines -->",
    )  # fmt: skip
    with (tmp_path / "memory/2026-03-02.md").open("a") as note:
        note.write("\nMy bike is a Gazelle.\n")
    consolidate(tmp_path, NOW)
    whose = {each.content: each.evidence[0].trust for each in memories(tmp_path)}
    assert {trust for text, trust in whose.items() if "Zorvex" in text or "Heron" in text} == {"agent"}
    assert {trust for text, trust in whose.items() if "chess" in text or "Gazelle" in text} == {"note"}


def test_notes_can_be_given_to_the_agent_by_config(tmp_path: Path) -> None:
    make(tmp_path, sources=[{"path": "memory/*.md", "roles": {"note": "assistant"}}])
    (tmp_path / "memory/2026-03-02.md").write_text("- User lives in Zorvex.\n- 用户养了一只猫。\n")
    consolidate(tmp_path, NOW)
    assert stated(tmp_path) == set()
    assert set(supposed(tmp_path).values()) == {"agent"}


def test_a_signature_is_no_word_of_a_note(tmp_path: Path) -> None:
    make(tmp_path)
    noted(tmp_path, 2, "The choir meets on Tuesday")
    consolidate(tmp_path, NOW)
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        (row,) = (each for each in finder.search(ws, "choir", scope="notes")["results"])
        assert "by: assistant" not in row["text"]


@pytest.mark.parametrize(
    ("first", "then", "now"),
    [
        ("User lives in Ghent.", "User moved to Bruges.", "Bruges"),
        ("用户住在杭州。", "用户搬到厦门了。", "厦门"),
    ],
)
def test_what_the_owner_notes_in_the_third_person_fills_their_slots(
    first: str, then: str, now: str, tmp_path: Path
) -> None:
    make(tmp_path)
    for day, each in ((2, first), (5, then)):
        with Workspace.open(tmp_path, now=at(f"2026-03-0{day}T10:00:00Z")) as ws:
            edit.note(ws, each)
    consolidate(tmp_path, NOW)
    assert [(each.slot, each.value) for each in memories(tmp_path)] == [(("user", "lives_in"), now)]
