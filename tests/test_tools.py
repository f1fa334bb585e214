"""The agent's tools: what they answer to good, bad and odd arguments."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import orjson
import pytest
from workspaces import at, contents, make, memories, remembering

from memory_system import clock
from memory_system.agent.tools import FLUSH_TOOLS, TOOLS, Toolbox
from memory_system.recall.search import SCOPES_OF
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

NOW = "2026-02-24T14:30:15Z"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return remembering(tmp_path / "w")


@pytest.fixture
def box(root: Path) -> Toolbox:
    return Toolbox(root, lambda: at(NOW))


def test_the_tools_have_the_names_and_required_arguments_of_the_seeds() -> None:
    required = {each.name: each.schema["required"] for each in TOOLS}
    assert required == {
        "memory_search": ["query"],
        "memory_get": ["path"],
        "memory_write": ["content"],
        "memory_forget": [],
    }
    assert {"query", "top_k"} <= set(TOOLS[0].schema["properties"])
    assert {"content", "category"} <= set(TOOLS[2].schema["properties"])
    assert [each.read_only for each in TOOLS] == [True, True, False, False]
    assert set(TOOLS[0].to_anthropic()) == {"name", "description", "input_schema"}
    json.dumps([each.to_anthropic() for each in TOOLS])


def test_writing_answers_and_writes_as_in_seed_000(box: Toolbox, root: Path) -> None:
    said = {"content": "User prefers dark mode and vim keybindings.", "category": "preference"}
    answer = box.call("memory_write", said)
    assert answer == {"status": "saved", "path": "memory/2026-02-24.md", "category": "preference"}
    assert (root / "memory/2026-02-24.md").read_text() == (
        "# Memory Log: 2026-02-24\n\n## [14:30:15] preference\n\nUser prefers dark mode and vim keybindings.\n"
        "<!-- by: assistant, 3 lines -->\n"
    )
    box.call("memory_write", {"content": "第二条"})
    assert "## [14:30:15] general\n\n第二条\n" in (root / "memory/2026-02-24.md").read_text()


def test_empty_input_is_an_error_as_in_seed_000(box: Toolbox) -> None:
    assert box.call("memory_write", {"content": "  "}) == {"error": "Empty content"}
    assert box.call("memory_search", {"query": ""}) == {"results": [], "error": "Empty query"}
    assert box.call("memory_search", {}) == {"results": [], "error": "Empty query"}
    assert box.call("memory_get", {"path": " "})["status"] == "error"
    assert box.call("memory_forget", {})["error"] == "Empty query"


@pytest.mark.parametrize(("query", "said"), [("what is the user allergic to?", "peanuts"), ("用户住在哪里？", "杭州")])
def test_searching_answers_with_results_and_total_found(box: Toolbox, query: str, said: str) -> None:
    answer = box.call("memory_search", {"query": query})
    assert said in answer["results"][0]["snippet"]
    assert answer["total_found"] >= len(answer["results"])
    wanted = {"path", "startLine", "endLine", "score", "snippet", "source", "citation"}
    assert wanted <= set(answer["results"][0])


def test_the_modes_of_the_search_command_are_those_of_the_tool(box: Toolbox, root: Path) -> None:
    box.call("memory_write", {"content": "Peanuts are off the shopping list"})
    modes = TOOLS[0].schema["properties"]["mode"]["enum"]
    assert TOOLS[0].schema["properties"]["corpus"]["enum"] == list(SCOPES_OF)
    assert modes == ["auto", "keyword", "vector", "hybrid", "tfidf"]
    found = {mode: box.call("memory_search", {"query": "peanuts", "mode": mode}) for mode in modes}
    assert {mode: "peanuts" in each["results"][0]["snippet"].lower() for mode, each in found.items()} == dict.fromkeys(
        modes, True
    )
    assert {row["source"] for row in found["tfidf"]["results"]} == {"note"}  # seed 000 searches notes
    assert {mode for mode, each in found.items() if "warning" in each} == {"vector", "hybrid"}  # there is no embedder


def test_results_are_limited_by_either_name(root: Path) -> None:
    moments = (at(NOW) + timedelta(seconds=number) for number in count())
    box = Toolbox(root, lambda: next(moments))
    for number in range(8):
        box.call("memory_write", {"content": f"User owns kite number {number}", "type": "fact"})
    lengths = [
        len(box.call("memory_search", {"query": "kite", **limit})["results"])
        for limit in ({}, {"top_k": 2}, {"maxResults": 3}, {"top_k": "4"}, {"top_k": None, "maxResults": 1.0})
    ]
    assert lengths == [5, 2, 3, 4, 1]
    assert box.call("memory_search", {"query": "kite", "minScore": 2})["results"] == []


def test_where_to_look_can_be_said(box: Toolbox) -> None:
    sources = {
        corpus: {row["source"] for row in box.call("memory_search", {"query": "peanuts", "corpus": corpus})["results"]}
        for corpus in ("memories", "sessions", "notes", "memory")
    }
    assert sources == {"memories": {"memory"}, "sessions": {"session"}, "notes": set(), "memory": {"memory"}}


def test_reading_what_was_found(box: Toolbox) -> None:
    box.call("memory_write", {"content": "line"})
    found = box.call("memory_get", {"path": "memory/2026-02-24.md", "from": 3, "lines": "1"})
    assert found == {
        "status": "ok", "path": "memory/2026-02-24.md", "from": 3, "lines": 1, "text": "## [14:30:15] general",
        "truncated": True, "nextFrom": 4,
    }  # fmt: skip
    row = box.call("memory_search", {"query": "peanuts", "corpus": "memories"})["results"][0]
    assert box.call("memory_get", {"path": row["id"]})["text"] == row["snippet"]
    assert box.call("memory_get", {"path": "../secret.md"})["status"] == "error"
    assert box.call("memory_get", {"path": "memory/2020-01-01.md"})["status"] == "not_found"


def test_a_memory_with_a_type_is_a_memory_at_once(box: Toolbox, root: Path) -> None:
    answer = box.call("memory_write", {"content": "用户对青霉素过敏", "type": "fact", "category": "health"})
    assert (answer["status"], answer["type"], answer["category"]) == ("saved", "fact", "health")
    assert box.call("memory_search", {"query": "青霉素"})["results"][0]["id"] == answer["id"]
    with Workspace.open(root) as ws:
        (record,) = ws.inbox.pending()
    assert (record.category, record.importance) == ("health", 1.0)
    believed = box.call("memory_write", {"content": "User may move to Porto", "type": "belief", "importance": "0.4"})
    assert believed["id"].startswith("b_")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory_write", {"content": 7}),
        ("memory_write", {"content": "x", "type": "summary"}),
        ("memory_write", {"content": "x", "type": "fact", "importance": "high"}),
        ("memory_write", {"content": "x", "type": "fact", "importance": 3}),
        ("memory_search", {"query": "x", "top_k": 0}),
        ("memory_search", {"query": "x", "top_k": "many"}),
        ("memory_search", {"query": "x", "top_k": float("nan")}),
        ("memory_search", {"query": ["x"]}),
        ("memory_search", "x"),
        ("memory_search", {"query": "x", "top_k": 10**400}),
        ("memory_search", {"query": "x", "minScore": float("nan")}),
        ("memory_search", {"query": "x", "mode": "psychic"}),
        ("memory_get", {"path": "memory/2026-02-24.md", "from": 10**30}),
        ("memory_forget", {"ids": ["f_20260101_abcdefghij"]}),
        ("memory_forget", {"ids": 7}),
        ("memory_forget", {"ids": {"f_20260101_abcdefghij": True}}),
        ("memory_forget", {"query": "peanuts", "ids": [None]}),
        ("memory_bake", {}),
    ],
)
def test_odd_arguments_are_an_error_and_no_crash(box: Toolbox, name: str, arguments: Any) -> None:
    assert box.call(name, arguments)["error"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("memory_search", {"query": "\ud800 peanuts"}),
        ("memory_get", {"path": "memory/\ud800.md"}),
        ("memory_write", {"content": "half a sign: \ud800", "category": "\ud800"}),
        ("memory_forget", {"ids": ["\ud800"]}),
    ],
)
def test_what_is_no_text_does_not_come_back_in_an_answer(box: Toolbox, name: str, arguments: Any) -> None:
    assert orjson.dumps(box.call(name, arguments))  # as MCP and a transcript need it


def test_without_a_workspace_the_answer_says_so(tmp_path: Path) -> None:
    answer = Toolbox(tmp_path / "none", clock.now).call("memory_search", {"query": "x"})
    assert "not a workspace" in answer["error"]
    assert "init" in answer["hint"]


def test_forgetting_asks_back_and_takes_only_what_was_confirmed(box: Toolbox, root: Path) -> None:
    box.call("memory_write", {"content": "User feeds peanuts to the birds", "type": "fact"})
    found = box.call("memory_forget", {"query": "peanuts"})
    (match,) = [each for each in found["matches"] if "allergic" in each["content"]]
    assert "confirm" not in found
    asked = box.call("memory_forget", {"ids": [match["id"]]})
    assert asked["status"] == "confirm"
    assert [each["content"] for each in asked["memories"]] == ["User is allergic to peanuts"]
    assert asked["left"] == [{"path": "sessions/a.jsonl", "line": 2}]
    assert contents(root) == {"User is allergic to peanuts", "用户住在杭州"}
    done = box.call("memory_forget", {"ids": [match["id"]], "confirm": asked["confirm"]})
    assert (done["status"], done["memories"]) == ("forgotten", 1)
    assert contents(root) | contents(root, "archive") == {"用户住在杭州"}
    found = box.call("memory_search", {"query": "peanuts"})["results"]
    assert [each["snippet"] for each in found] == ["User feeds peanuts to the birds"]
    assert "peanuts" in (root / "sessions/a.jsonl").read_text()  # the owner's file, as the answer says
    assert "--transcripts" in done["note"]


def test_what_can_only_be_one_thing_is_asked_about_at_once(tmp_path: Path) -> None:
    box = Toolbox(make(tmp_path / "w"), lambda: at(NOW))
    made = box.call("memory_write", {"content": "用户收集邮票", "type": "fact"})
    asked = box.call("memory_forget", {"query": "邮票"})
    assert [each["id"] for each in asked["memories"]] == [made["id"]]
    assert "does not confirm" in box.call("memory_forget", {"query": "邮票", "confirm": asked["confirm"]})["error"]
    assert box.call("memory_forget", {"ids": made["id"], "confirm": asked["confirm"]})["status"] == "forgotten"
    assert box.call("memory_search", {"query": "邮票"})["results"] == []


def test_a_code_confirms_only_what_it_was_given_for(box: Toolbox, root: Path) -> None:
    ids = {each.content: each.id for each in memories(root)}
    first = box.call("memory_forget", {"ids": [ids["User is allergic to peanuts"]]})
    for arguments in (
        {"ids": [ids["用户住在杭州"]], "confirm": first["confirm"]},
        {"ids": list(ids.values()), "confirm": first["confirm"]},
        {"ids": [ids["User is allergic to peanuts"]], "confirm": "yes"},
        {"ids": [ids["User is allergic to peanuts"]], "confirm": ""},
    ):
        assert "does not confirm" in box.call("memory_forget", arguments)["error"]
    assert contents(root) == set(ids)


def test_nothing_to_forget(box: Toolbox) -> None:
    assert box.call("memory_forget", {"query": "zebra"})["status"] == "not_found"


def test_forgetting_waits_for_a_consolidation(box: Toolbox, root: Path) -> None:
    ids = [each.id for each in memories(root)]
    asked = box.call("memory_forget", {"ids": ids})
    with Workspace.open(root, write=True):
        assert "held by" in box.call("memory_forget", {"ids": ids, "confirm": asked["confirm"]})["error"]
        assert box.call("memory_search", {"query": "peanuts"})["results"]
        assert box.call("memory_write", {"content": "meanwhile"})["status"] == "saved"


def test_while_a_session_is_flushed_only_todays_note_can_be_written(root: Path) -> None:
    box = Toolbox(root, lambda: at(NOW), FLUSH_TOOLS)
    assert set(box.tools) == {"memory_search", "memory_get", "memory_write"}
    before = (root / "memory/2026-02-24.md").exists()
    answer = box.call("memory_write", {"content": "The launch is on 3 March", "type": "fact", "path": "MEMORY.md"})
    assert (before, answer["path"]) == (False, "memory/2026-02-24.md")
    assert "error" in box.call("memory_forget", {"query": "peanuts"})
    with Workspace.open(root) as ws:
        assert ws.inbox.pending() == []


def test_an_agent_cannot_flood_the_inbox_and_the_owner_still_can_write(box: Toolbox, root: Path) -> None:
    with Workspace.open(root, now=at(NOW)) as ws:
        first = edit.capture(ws, "User likes stone number 0", role="assistant")
        others = [
            first.model_copy(update={"id": f"f_20260224_{number:010}", "content": f"User likes stone number {number}"})
            for number in range(1, edit.MOST_WAITING - 1)
        ]
        ws.inbox.add(*others)
    assert box.call("memory_write", {"content": "User likes the last stone", "type": "fact"})["status"] == "saved"
    refused = box.call("memory_write", {"content": "User likes one stone more", "type": "fact"})
    assert str(edit.MOST_WAITING) in refused["error"]
    with Workspace.open(root, now=at(NOW)) as ws:
        edit.capture(ws, "I like pebbles, too")
        waiting = {each.content for each in ws.inbox.pending()}
    assert {"User likes the last stone", "I like pebbles, too"} < waiting
    assert "User likes one stone more" not in waiting
