"""What was said in private stays out of a group's prompt, whatever was said; what was said in the group may stand in
it, as long as it is not sensitive."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspaces import at, consolidate, contents, make, memories, problems, say

from memory_system.agent import prompt
from memory_system.errors import UsageError
from memory_system.records import Summary
from memory_system.upkeep import correct
from memory_system.workspace import Workspace

NOW = "2026-03-03T12:00:00Z"
PRIVATE = (
    "I live in {}.", "My name is {}.", "I'm allergic to {}.", "I have a dog called {}.", "Always call me {}.",
    "我住在{}。", "我对{}过敏。", "以后请叫我{}。", "My sister is called {}.", "Remember that my code word is {}.",
)  # fmt: skip
MARKS = ("Zorvex", "Quillam", "Tamberly", "青岚镇", "白砾酱")
said = st.lists(st.tuples(st.sampled_from(PRIVATE), st.sampled_from(MARKS)), min_size=1, max_size=6)


@settings(max_examples=8, deadline=None)
@given(said)
def test_nothing_private_stands_in_a_groups_prompt(talk: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = make(Path(folder) / "w")
        lines = [(f"2026-03-02T09:0{n}:00Z", "user", form.format(mark)) for n, (form, mark) in enumerate(talk)]
        say(root, "private", *lines)
        (root / "MEMORY.md").write_text(f"- {talk[0][1]}\n")
        (root / "USER.md").write_text(f"- {talk[0][1]}\n")
        (root / "memory/2026-03-02.md").write_text(f"## [09:00:00] general\n\n{talk[0][1]} came by.\n")
        consolidate(root, NOW)
        with Workspace.open(root, now=at(NOW)) as ws:
            group, main = (prompt.compose(ws, session=name).text for name in ("group", "main"))
        shown = [mark for mark in MARKS if mark in group]
        assert shown == []
        assert contents(root)
        assert talk[0][1] in main


def test_a_group_session_is_no_source_unless_the_owner_names_it(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "g", ("2026-03-02T09:00:00Z", "user", "I live in Zorvex."))
    index = '{"agent:main:telegram:group:-1001": {"sessionId": "g"}}'
    (tmp_path / "sessions/sessions.json").write_text(index)
    consolidate(tmp_path, NOW)
    assert contents(tmp_path) == set()


HERE, ELSEWHERE = "agent:main:telegram:group:-1001", "agent:main:telegram:group:-1002"
SAID_IN_COMPANY = (
    "I live in {}.", "I play chess in {}.", "My cat is called {}.", "I work at {}.", "My favourite town is {}.",
    "我住在{}。", "我在{}上班。", "我喜欢去{}。", "我养了一只叫{}的猫。",
)  # fmt: skip
SENSITIVE = (
    "I'm allergic to {}.", "I take {} for my asthma.", "My phone number is 415-555-0134, in {}.",
    "我对{}过敏。", "我得了哮喘，在吃{}。", "我的电话是13800138000，在{}。",
)  # fmt: skip
TOWNS = {"private": "Zorvex", "elsewhere": "Quillam", "here": "Tamberly", "sensitive": "Brackwen"}
talks = st.fixed_dictionaries(
    {
        "private": st.lists(st.sampled_from(SAID_IN_COMPANY + SENSITIVE), min_size=1, max_size=4),
        "elsewhere": st.lists(st.sampled_from(SAID_IN_COMPANY + SENSITIVE), min_size=1, max_size=4),
        "here": st.lists(st.sampled_from(SAID_IN_COMPANY), min_size=1, max_size=4, unique=True),
        "sensitive": st.lists(st.sampled_from(SENSITIVE), min_size=1, max_size=3),
    }
)


def in_company(root: Path, talk: dict[str, list[str]]) -> Path:
    """A workspace that knows of a private talk and of two groups: what was said in each names its own town."""
    make(root, sources=[{"path": "sessions", "chats": ["group"]}], screen={"keep_share": 1.0})
    for name, session in {"private": "p", "elsewhere": "e", "here": "g", "sensitive": "g"}.items():
        start = 20 if name == "sensitive" else 0
        if lines := [form.format(TOWNS[name]) for form in talk.get(name, ())]:
            say(root, session, *((f"2026-03-02T09:{start + n:02}:00Z", "user", text) for n, text in enumerate(lines)))
    keys = {HERE: {"sessionId": "g"}, ELSEWHERE: {"sessionId": "e"}, "agent:main:main": {"sessionId": "p"}}
    (root / "sessions/sessions.json").write_text(json.dumps(keys))
    consolidate(root, NOW)
    assert problems(root, NOW) == []
    return root


def shown(root: Path, chat: str = "") -> str:
    with Workspace.open(root, now=at(NOW)) as ws:
        return prompt.compose(ws, session="group", chat=chat).text


@settings(max_examples=12, deadline=None)
@given(talks)
def test_of_all_memories_only_what_was_said_in_the_group_stands_in_its_prompt(talk: dict[str, list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        talk["here"].append("I have a dog called {}.")  # beside which others may stand
        root = in_company(Path(folder) / "w", talk)
        prompts = {chat: shown(root, chat) for chat in (HERE, "g", "", "agent:main:main", "p", "telegram")}
    found = {chat: {name for name, town in TOWNS.items() if town in text} for chat, text in prompts.items()}
    nothing: set[str] = set()
    assert found == {
        HERE: {"here"}, "g": {"here"}, "": nothing, "agent:main:main": nothing, "p": nothing, "telegram": nothing
    }  # fmt: skip


@pytest.mark.parametrize("form", ["I live in {}.", "我住在{}。"])
def test_what_was_said_in_private_as_well_is_private(form: str, tmp_path: Path) -> None:
    root = in_company(tmp_path, {"here": [form]})
    assert "Tamberly" in shown(root, HERE)
    say(root, "q", ("2026-03-04T09:00:00Z", "user", form.format("Tamberly")))
    consolidate(root, "2026-03-05T12:00:00Z")
    assert [each.sensitivity for each in memories(root) if each.attribute == "lives_in"] == ["normal"]
    assert "Tamberly" not in shown(root, HERE)


def test_the_owner_decides_what_may_be_told(tmp_path: Path) -> None:
    root = in_company(tmp_path, {"private": ["I live in {}."], "here": ["I work at {}."]})
    ids = {each.attribute: each.id for each in memories(root)}
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        correct.edit(ws, ids["lives_in"], {"sensitivity": "shared"})
        correct.edit(ws, ids["works_at"], {"sensitivity": "sensitive"})
    for chat in ("", HERE, ELSEWHERE):
        assert ("Zorvex" in shown(root, chat), "Tamberly" in shown(root, chat)) == (True, False)
    say(root, "q", ("2026-03-04T09:00:00Z", "user", "I live in Zorvex."))
    consolidate(root, "2026-03-05T12:00:00Z")
    assert {each.id: each.sensitivity for each in memories(root)} == {
        ids["lives_in"]: "shared", ids["works_at"]: "sensitive",
    }  # fmt: skip


def test_what_the_owner_has_put_otherwise_was_not_said_in_the_group(tmp_path: Path) -> None:
    root = in_company(tmp_path, {"here": ["I work at {}."]})
    (record,) = memories(root)
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        correct.edit(ws, record.id, {"value": "Zorvex"})
    assert "Zorvex" not in shown(root, HERE)


def test_a_chat_is_named_for_a_group_alone(tmp_path: Path) -> None:
    make(tmp_path)
    with Workspace.open(tmp_path, now=at(NOW)) as ws, pytest.raises(UsageError):
        prompt.compose(ws, chat=HERE)


def test_a_summary_is_as_sensitive_as_its_most_sensitive_fact(tmp_path: Path) -> None:
    said = ["My sister Ada lives in {}.", "My sister Ada works at {} Boats.", "My sister Ada is a sailor."]
    root = in_company(tmp_path, {"here": said})
    assert {each.sensitivity for each in memories(root)} == {"shared"}
    say(root, "p", ("2026-03-04T09:00:00Z", "user", "My sister Ada studies at Zorvex University."))
    consolidate(root, "2026-03-05T12:00:00Z")
    summaries = {each.topic: each for each in memories(root) if isinstance(each, Summary)}
    assert summaries["Ada/about"].sensitivity == "normal"
    assert summaries["Ada/about"].content not in shown(root, HERE)
