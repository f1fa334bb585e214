"""The layered system prompt: its order, its caps, its stability, and what a group must not see."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspaces import at, consolidate, make, say

from memory_system.agent import prompt
from memory_system.config import parse_config
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

NOW = "2026-02-24T12:00:00Z"  # a Tuesday
SOUL = "# Soul\nYou are Koda, a thoughtful AI assistant.\n\n## Values\n- Honesty over comfort"


def composed(root: Path, now: str = NOW, **options: object) -> prompt.Prompt:
    with Workspace.open(root, now=at(now)) as ws:
        return prompt.compose(ws, **options)  # type: ignore[arg-type] - options of compose


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace in which every layer has something to say."""
    root = make(tmp_path / "w")
    say(root, "a", ("2026-02-20T09:00:00Z", "user", "Careful, I'm allergic to peanuts."))
    consolidate(root, "2026-02-21T03:10:00Z")
    with Workspace.open(root, now=at(NOW)) as ws:
        edit.capture(ws, "User owns a green kayak")
    for name, said in {
        "SOUL.md": SOUL,
        "IDENTITY.md": "- **Name:** Koda",
        "USER.md": "- **Name:** Alex",
        "MEMORY.md": "- prefers TypeScript",
        "memory/2026-02-24.md": "# Memory Log: 2026-02-24\n\n## [09:00:00] fact\n\nThe kettle is broken.",
        "memory/2026-02-23.md": "# Memory Log: 2026-02-23\n\nBought tea.",
        "memory/2026-02-22.md": "# Memory Log: 2026-02-22\n\nSlept long.",
    }.items():
        (root / name).write_text(said)
    return root


def test_the_layers_stand_in_the_order_of_seed_000(root: Path) -> None:
    names = [each.name for each in composed(root, message="which colour is the kayak?").layers]
    assert names == [
        "soul", "base", "identity", "user", "evergreen", "snapshot", "recent", "recall", "recalled",
    ]  # fmt: skip


def test_the_prompt_begins_with_the_soul_and_a_rule_as_in_seed_000(root: Path) -> None:
    said = composed(root).text
    assert said.startswith(f"{SOUL}\n\n---\n\nToday is Tuesday, 2026-02-24.")
    assert "\n\n---\n\n## Evergreen Memory\n\n- prefers TypeScript\n\n---\n\n" in said
    assert said.index("### 2026-02-24") < said.index("### 2026-02-23")


def test_the_recall_instruction_is_that_of_seed_004(root: Path) -> None:
    said = " ".join(composed(root).text.split())
    assert (
        "## Memory Recall Before answering anything about prior work, decisions, dates, people, preferences, or todos: "
        "run memory_search on MEMORY.md + memory/*.md; then use memory_get to pull only the needed lines and keep "
        "context small. If low confidence after search, say you checked."
    ) in said


def test_notes_of_today_and_yesterday_are_shown_and_of_more_days_on_request(root: Path) -> None:
    assert "Bought tea" in composed(root).text
    assert "Slept long" not in composed(root).text
    assert "Slept long" in composed(root, days=3).text
    assert "kettle" not in composed(root, days=0).text


def test_today_is_the_owners_day(tmp_path: Path) -> None:
    root = make(tmp_path, zone="Asia/Shanghai", language="zh")
    assert "今天是2026-02-25，星期三" in composed(root, "2026-02-24T16:30:00Z").text


def test_an_unchanged_workspace_gives_the_same_bytes_all_day(root: Path) -> None:
    assert composed(root, "2026-02-24T00:00:01Z").text == composed(root, "2026-02-24T23:59:59Z").text
    assert composed(root).text == composed(root).text


def test_a_message_changes_only_the_end(root: Path) -> None:
    with_message, without = composed(root, message="Which kayak do I own?").text, composed(root).text
    assert with_message.startswith(without)
    assert "green kayak" in with_message[len(without) :]


def test_a_group_sees_nothing_private(root: Path) -> None:
    made = composed(root, session="group", message="kayak", days=9)
    assert [each.name for each in made.layers] == ["soul", "base", "identity"]
    for private in ("Alex", "TypeScript", "peanuts", "kayak", "kettle", "Bought tea", "memory_search"):
        assert private not in made.text


def test_less_than_two_thousand_words_of_memory_md_are_shown_and_it_says_so(root: Path) -> None:
    (root / "MEMORY.md").write_text("\n".join(f"- fact number {n} stands here" for n in range(600)))  # 5 words a line
    (layer,) = [each for each in composed(root).layers if each.name == "evergreen"]
    shown, _, notice = layer.text.rpartition("\n\n")
    assert layer.cut
    assert prompt.count_words(shown) == 1995
    assert shown.endswith("- fact number 398 stands here")
    assert notice == (
        "[Cut here: MEMORY.md has 1005 more words; of this file less than 2000 are shown. "
        "Read on with memory_get MEMORY.md from line 400, and make the file shorter.]"
    )


def test_just_under_the_cap_nothing_is_cut(root: Path) -> None:
    for words, cut in ((1999, False), (2000, True)):
        (root / "MEMORY.md").write_text("\n".join(["word"] * words))
        assert [each.cut for each in composed(root).layers if each.name == "evergreen"] == [cut]


def test_chinese_is_counted_and_cut_like_english(root: Path) -> None:
    (root / "MEMORY.md").write_text("\n".join(["- 用户喜欢爬山"] * 400), encoding="utf-8")  # 6 words a line
    (layer,) = [each for each in composed(root).layers if each.name == "evergreen"]
    assert layer.text.count("用户喜欢爬山") == 333
    assert "还有 402 词" in layer.text


def test_long_files_are_cut_each_and_in_all(root: Path) -> None:
    (root / "SOUL.md").write_text("kind\n" * 9_000)
    (root / "USER.md").write_text("likes tea\n" * 1_000)
    (root / "memory/2026-02-24.md").write_text("".join(f"entry {n}\n" for n in range(1, 3_001)))
    made = composed(root)
    sizes = {each.name: len(each.text) for each in made.layers}
    assert 19_000 < sizes["soul"] < 20_200
    assert 3_900 < sizes["user"] < 4_200
    assert "entry 3000" in made.text
    assert "\nentry 1\n" not in made.text
    (root / "memory/config.json").write_text('{"timezone":"UTC","prompt":{"total_characters":5000}}')
    small = composed(root)
    assert len(small.text) <= 5_000
    assert [each.name for each in small.layers][:2] == ["soul", "base"]
    assert "memory_search" in small.text


def test_prefixes_of_seed_001_are_explained_where_they_are_used(root: Path) -> None:
    assert "W (a fact about the world)" not in composed(root).text
    (root / "memory/2026-02-24.md").write_text("- O(c=0.9) @Alex: tea beats coffee\n- W: the office is in Porto")
    assert "W (a fact about the world), B (what happened), O (an opinion)" in composed(root).text


def test_the_session_notes_of_the_day_are_shown_after_its_own(root: Path) -> None:
    (root / "memory/2026-02-24-rename.md").write_text("# Session\n\nuser: your name is Koda now")
    said = composed(root).text
    assert said.index("kettle") < said.index("### 2026-02-24-rename") < said.index("### 2026-02-23")


def test_odd_files_are_no_trouble(root: Path) -> None:
    (root / "SOUL.md").unlink()
    (root / "SOUL.md").symlink_to("/etc/hostname")
    (root / "USER.md").write_bytes(b"\xef\xbb\xbfna\xffme\0: Alex")
    (root / "IDENTITY.md").write_text("   \n")
    made = composed(root)
    assert [each.name for each in made.layers][:2] == ["base", "user"]
    assert "na\ufffdme: Alex" in made.text


def test_an_empty_workspace_has_a_prompt(tmp_path: Path) -> None:
    edit.init(tmp_path, "UTC")
    assert [each.name for each in composed(tmp_path).layers] == ["soul", "base", "recall"]


@settings(max_examples=40)
@given(said=st.text(max_size=400), room=st.integers(1, 600))
def test_the_cap_holds_whatever_the_files_say(tmp_path_factory: pytest.TempPathFactory, said: str, room: int) -> None:
    root = tmp_path_factory.mktemp("w")
    make(root)
    (root / "SOUL.md").write_text(said, encoding="utf-8", errors="replace")
    (root / "MEMORY.md").write_text(said * 3, encoding="utf-8", errors="replace")
    with Workspace.open(root, now=at(NOW)) as ws:
        ws.config = parse_config({"prompt": {"total_characters": room}}, "config.json")
        assert len(prompt.compose(ws).text) <= room
