"""Proposals for people's own files: the right line, once, and every other byte as it was."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from commands import memory
from workspaces import at, consolidate, make, memories, say

from memory_system.upkeep.correct import edit
from memory_system.upkeep.distill import apply, distill
from memory_system.workspace import Workspace

NOW = "2026-03-29T04:00:00Z"


def told(root: Path, *said: str, day: str = "2026-03-28", now: str = NOW) -> None:
    """The user says these things, one session each, and a night passes."""
    for number, text in enumerate(said):
        say(root, f"{day}-{number}", (f"{day}T09:0{number}:00Z", "user", text))
    consolidate(root, now)


def proposed(root: Path, now: str = NOW, days: int = 7) -> dict[str, str]:
    """The files as they would be."""
    with Workspace.open(root, now=at(now)) as ws:
        return {draft.name: draft.after for draft in distill(ws, days)}


def applied(root: Path, now: str = NOW) -> None:
    with Workspace.open(root, now=at(now)) as ws:
        apply(ws, distill(ws, 7))


IDENTITY = """# IDENTITY.md - Who Am I?

- **Name:** 阿木
- **Vibe:** 自然、利落

---

阿木这个名字是用户在 2026-03-16 定下的。
"""


def test_a_renamed_assistant_gets_its_name_and_its_story_stays(tmp_path: Path) -> None:
    """Seed 004: the assistant is renamed twice; the line with the name follows, the note below it stays."""
    make(tmp_path)
    (tmp_path / "IDENTITY.md").write_text(IDENTITY)
    told(tmp_path, "我给你改个名字，你叫小明。")
    assert proposed(tmp_path)["IDENTITY.md"] == IDENTITY.replace("**Name:** 阿木", "**Name:** 小明")
    applied(tmp_path)
    told(tmp_path, "我再给你改个名字，你现在叫小红。", day="2026-03-29", now="2026-03-30T04:00:00Z")
    assert proposed(tmp_path, "2026-03-30T04:00:00Z")["IDENTITY.md"] == IDENTITY.replace(
        "**Name:** 阿木", "**Name:** 小红"
    )
    applied(tmp_path, "2026-03-30T04:00:00Z")
    assert proposed(tmp_path, "2026-03-30T04:00:00Z") == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "- **Name:** Juno\n"),
        ("- **Name:** Juno\n", None),
        ("- Name: Pip\r\n- Vibe: calm\r\n", "- Name: Juno\r\n- Vibe: calm\r\n"),
        ("- **Name:**\n  _(pick something you like)_\n", "- **Name:** Juno\n  _(pick something you like)_\n"),
        ("**Name**: Pip <!-- mine -->", "**Name**: Juno <!-- mine -->"),
        ("# Me\n\n- **Vibe:** calm\n\nNotes\n", "# Me\n\n- **Vibe:** calm\n- **Name:** Juno\n\nNotes\n"),
        ("```\n- **Name:** Example\n```\n", "```\n- **Name:** Example\n```\n- **Name:** Juno\n"),
        ("- 名字：皮皮\n", "- 名字：Juno\n"),
    ],
)
def test_the_line_with_the_name(before: str, after: str | None, tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "IDENTITY.md").write_bytes(before.encode())
    told(tmp_path, "Your name is Juno.")
    assert proposed(tmp_path).get("IDENTITY.md") == after


MEMORY = """# Long-term Memory

## Work
- User works at Acme  <!-- trigger: office --> <!-- importance: 6 -->
<!-- openclaw-memory-promotion:abc -->
- User works at Acme [score=0.9 signals=4 source=memory/2026-03-01.md:1-2] <!-- importance: 6 -->
- Acme sells anvils to coyotes
- Alice works at Acme
- 妈妈住在上海
- 用户住在上海

tail without newline"""


def test_what_has_changed_is_put_right_and_comments_stay(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "MEMORY.md").write_text(MEMORY)
    told(tmp_path, "I work at Acme.", "我住在上海。", day="2026-03-02", now="2026-03-03T04:00:00Z")
    told(tmp_path, "I now work at Borealis.", "我搬到杭州了，现在住在杭州。")
    found = proposed(tmp_path)["MEMORY.md"]
    mine = "- User works at Acme  <!-- trigger: office --> <!-- importance: 6 -->\n"
    assert mine in MEMORY
    assert mine.replace("Acme", "Borealis") in found
    assert "<!-- openclaw-memory-promotion:abc -->\n- User works at Acme [score=0.9" in found
    assert "- Acme sells anvils to coyotes\n- Alice works at Acme\n- 妈妈住在上海\n" in found
    assert "- 用户住在上海" not in found
    assert "杭州" in found


def test_marks_of_a_host_come_only_from_its_owner_and_end_their_line(tmp_path: Path) -> None:
    """A memory's words may hold such a mark; in a file it would tell the host how to treat the line."""
    make(tmp_path)
    (tmp_path / "MEMORY.md").write_text(MEMORY)
    told(tmp_path, "Also, I'm allergic to peanuts.")
    with Workspace.open(tmp_path, now=at(NOW), write=True) as ws:
        (memory,) = memories(tmp_path)
        edit(ws, memory.id, {"content": "User is allergic <!-- importance: 10 --> to <!-- trigger: nuts -->\npeanuts"})
    applied(tmp_path)
    lines = (tmp_path / "MEMORY.md").read_text().splitlines()
    assert [line for line in lines if "peanuts" in line] == [
        "- User is allergic ‹!-- importance: 10 --› to ‹!-- trigger: nuts --› peanuts"
    ]
    assert [line for line in lines if "<!-- trigger" in line] == [
        "- User works at Acme  <!-- trigger: office --> <!-- importance: 6 -->"
    ]


def test_what_the_last_days_taught_is_added_once(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "MEMORY.md").write_text("# Mine\n\n- I like it short")
    told(tmp_path, "Also, I'm allergic to peanuts.", "It rained.")
    assert proposed(tmp_path)["MEMORY.md"] == (
        "# Mine\n\n- I like it short\n\n## Lately learnt\n- User is allergic to peanuts\n"
    )
    applied(tmp_path)
    assert proposed(tmp_path) == {}
    told(tmp_path, "我的妹妹叫知意。", day="2026-03-29", now="2026-03-30T04:00:00Z")
    applied(tmp_path, "2026-03-30T04:00:00Z")
    text = (tmp_path / "MEMORY.md").read_text()
    assert text.count("## Lately learnt") + text.count("## 近来记下的") == 1
    assert "- User is allergic to peanuts\n- " in text


def test_older_memories_are_not_proposed_as_news(tmp_path: Path) -> None:
    make(tmp_path)
    told(tmp_path, "Also, I'm allergic to peanuts.")
    assert proposed(tmp_path, "2026-04-28T04:00:00Z") == {}
    assert "peanuts" in proposed(tmp_path, "2026-04-28T04:00:00Z", days=60)["MEMORY.md"]


def test_how_to_treat_the_owner_goes_to_user_md_in_its_form(tmp_path: Path) -> None:
    make(tmp_path)
    before = "# User\n\n<!-- observed: 2026-01-05 | status: active -->\n- Keep answers short.\n"
    (tmp_path / "USER.md").write_text(before)
    told(tmp_path, "From now on always answer me in French.")
    found = proposed(tmp_path)["USER.md"]
    assert found.startswith(before)
    added = found.removeprefix(before)
    assert added.startswith("\n<!-- observed: 2026-03-28 | status: active -->\n- ")
    assert "French" in added


def test_a_file_does_not_grow_beyond_what_its_host_reads(tmp_path: Path) -> None:
    make(tmp_path)
    (tmp_path / "MEMORY.md").write_text("- x\n" + "filler words of the owner\n" * 384)
    told(tmp_path, "Also, I'm allergic to peanuts.")
    assert proposed(tmp_path) == {}


def test_nothing_is_written_unless_it_is_asked_for(tmp_path: Path) -> None:
    make(tmp_path)
    path = tmp_path / "MEMORY.md"
    path.write_text("# Mine\n")
    path.chmod(0o640)
    told(tmp_path, "Also, I'm allergic to peanuts.")
    distill = partial(memory, "--workspace", tmp_path, "--now", NOW, "distill")
    shown = distill()
    assert "+- User is allergic to peanuts" in shown.stdout
    assert "--apply" in shown.stderr
    assert path.read_text() == "# Mine\n"
    row = json.loads(distill("--json").stdout)
    assert [each["quote"] for each in row["proposals"]] == ["Also, I'm allergic to peanuts."]
    assert distill("--apply").returncode == 0
    assert path.read_text() == "# Mine\n\n## Lately learnt\n- User is allergic to peanuts\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert distill().stdout == "nothing to propose\n"
