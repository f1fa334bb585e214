"""What the owner's own files could say: proposed by `status`, never written."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import at, consolidate, make, say

from memory_system.upkeep.distill import proposals
from memory_system.workspace import Workspace


def proposed(root: Path) -> list[tuple[str, str, str]]:
    with Workspace.open(root, now=at("2026-03-03T12:00:00Z")) as ws:
        return [(each["file"], each["line"], each["quote"]) for each in proposals(ws)]


def test_a_new_name_is_proposed_until_the_file_says_it(tmp_path: Path) -> None:
    make(tmp_path)
    identity = tmp_path / "IDENTITY.md"
    identity.write_text("- **Name:** Pip\n")
    say(tmp_path, "s", ("2026-03-02T09:00:00Z", "user", "Your name is Juno. My name is Nora Quill."))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert proposed(tmp_path) == [
        ("IDENTITY.md", "- **Name:** Juno", "Your name is Juno."),
        ("USER.md", "- **Name:** Nora Quill", "My name is Nora Quill."),
    ]
    assert identity.read_text() == "- **Name:** Pip\n"
    assert not (tmp_path / "USER.md").exists()
    identity.write_text("- **Name:** JUNO\n")
    assert [file for file, *_ in proposed(tmp_path)] == ["USER.md"]


def test_the_line_is_in_the_language_of_the_workspace_whatever_was_practised(tmp_path: Path) -> None:
    make(tmp_path)
    talk = "I live in Bergen. I work at Fernway. I love rowing. My sister Ada lives in Oslo. I have two cats."
    say(tmp_path, "s", ("2026-03-02T09:00:00Z", "user", talk), ("2026-03-02T09:01:00Z", "user", "我叫Nora。"))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert proposed(tmp_path) == [("USER.md", "- **Name:** Nora", "我叫Nora。")]


@pytest.mark.parametrize(
    ("first", "second", "line"),
    [
        (
            "From now on you're my fitness coach.",
            "Your role is now to be my writing editor.",
            "- **Role:** writing editor",
        ),
        ("从现在起你是我的健身教练。", "以后你就当我的写作编辑吧。", "- **角色:** 写作编辑"),
    ],
)
def test_the_latest_role_of_the_assistant_is_proposed(tmp_path: Path, first: str, second: str, line: str) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-01T09:00:00Z", "user", first))
    say(tmp_path, "t", ("2026-03-02T09:00:00Z", "user", second))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert proposed(tmp_path) == [("IDENTITY.md", line, second)]


def test_the_line_is_in_the_language_of_the_memory(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-02T09:00:00Z", "user", "你以后就叫小满吧。"))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert proposed(tmp_path) == [("IDENTITY.md", "- **名字:** 小满", "你以后就叫小满吧。")]


def test_evidence_without_a_quote_is_no_hindrance(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-02T09:00:00Z", "user", "My name is Nora Quill."))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    path = tmp_path / "memory/layer2/active/facts.jsonl"
    path.write_text(path.read_text().replace('"quote":"My name is Nora Quill.",', ""))
    assert proposed(tmp_path) == [("USER.md", "- **Name:** Nora Quill", "")]


def test_what_is_no_identity_is_not_proposed(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-02T09:00:00Z", "user", "I like rowing. My friend is called Ada."))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    assert proposed(tmp_path) == []
