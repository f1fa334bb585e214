"""What was said in private stays out of a group's prompt, whatever was said."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from workspaces import at, consolidate, contents, make, say

from memory_system import prompt
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
