"""`validate` is silent on a sound workspace and finds each kind of damage, with its place."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from workspaces import at, problems

from memory_system.upkeep import check
from memory_system.workspace import Workspace

NOW = "2026-03-05T12:00:00Z"


FACTS = "memory/layer2/active/facts.jsonl"
ARCHIVE = "memory/layer2/archive/facts.jsonl"


def lines(root: Path, name: str) -> list[bytes]:
    return (root / name).read_bytes().splitlines(keepends=True)


def rewrite(root: Path, name: str, changed: list[bytes]) -> None:
    (root / name).write_bytes(b"".join(changed))


def edit_first(root: Path, name: str, **values: object) -> None:
    first, *rest = lines(root, name)
    rewrite(root, name, [json.dumps(json.loads(first) | values, ensure_ascii=False).encode() + b"\n", *rest])


def torn_line(root: Path) -> None:
    rewrite(root, FACTS, [*lines(root, FACTS)[:-1], lines(root, FACTS)[-1][:40]])


def doubled_line(root: Path) -> None:
    rewrite(root, FACTS, [lines(root, FACTS)[0], *lines(root, FACTS)])


def in_both_pools(root: Path) -> None:
    rewrite(root, ARCHIVE, sorted([*lines(root, ARCHIVE), lines(root, FACTS)[0]]))


def lost_line(root: Path) -> None:
    rewrite(root, FACTS, lines(root, FACTS)[1:])


def unsorted_lines(root: Path) -> None:
    rewrite(root, FACTS, lines(root, FACTS)[::-1])


def score_out_of_range(root: Path) -> None:
    edit_first(root, FACTS, score=3.5)


def dangling_reference(root: Path) -> None:
    edit_first(root, FACTS, supersedes="f_20200101_aaaaaaaaaa")


def quote_changed(root: Path) -> None:
    edit_first(root, FACTS, evidence=[{"ref": "a:e1", "quote": "I live on the moon"}])


def evidence_from_nowhere(root: Path) -> None:
    edit_first(root, FACTS, evidence=[{"ref": "zzz:e1", "quote": "x"}])


def belief_among_facts(root: Path) -> None:
    edit_first(root, FACTS, id="b_20260303_aaaaaaaaaa")


def journal_byte(root: Path) -> None:
    path = next((root / "memory/state/journal").glob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b"peanuts", b"walnuts", 1))


def journal_entry_gone(root: Path) -> None:
    path = next((root / "memory/state/journal").glob("*.jsonl"))
    data = path.read_bytes()
    path.write_bytes(data[data.index(b'{"done":1') :].partition(b"\n")[2])


def journal_count_changed(root: Path) -> None:
    path = next((root / "memory/state/journal").glob("*.jsonl"))
    path.write_bytes(path.read_bytes().replace(b'"read":1,', b'"read":2,', 1))


def index_row_gone(root: Path) -> None:
    connection = sqlite3.connect(root / "memory/layer2/index/search.sqlite")
    connection.execute("DELETE FROM memory WHERE id = (SELECT min(id) FROM memory)")
    connection.commit()
    connection.close()


def index_garbage(root: Path) -> None:
    (root / "memory/layer2/index/search.sqlite").write_bytes(b"not a database" * 500)


def keywords_changed(root: Path) -> None:
    (root / "memory/layer2/index/keywords.json").write_bytes(b"{}\n")


def profile_changed(root: Path) -> None:
    next((root / "memory/layer2/entities").glob("e_*.json")).write_bytes(b"{}\n")


def snapshot_changed(root: Path) -> None:
    with (root / "memory/layer1/snapshot.md").open("ab") as file:
        file.write(b"1. [1.00] User trusts everybody\n")


def inbox_garbage(root: Path) -> None:
    (root / "memory/state/inbox.jsonl").write_bytes(b'{"id":"f_2026')


def readable_by_others(root: Path) -> None:
    (root / FACTS).chmod(0o644)


def transcript_gone(root: Path) -> None:
    """And what was copied of it."""
    (root / "sessions/a.jsonl").unlink()
    shutil.rmtree(root / "memory/layer3")


def checkpoint_garbage(root: Path) -> None:
    (root / "memory/state/consolidation.json").write_bytes(b"{]")


def archive_emptied(root: Path) -> None:
    (root / ARCHIVE).write_bytes(b"")


def words_forged(root: Path) -> None:
    (root / FACTS).write_bytes((root / FACTS).read_bytes().replace(b"Lisbon", b"London"))


def content_missing(root: Path) -> None:
    edit_first(root, FACTS, content=None)


def time_garbage(root: Path) -> None:
    edit_first(root, FACTS, scored_at="yesterday")


def entities_garbage(root: Path) -> None:
    edit_first(root, FACTS, entities=None)


def entity_index_garbage(root: Path) -> None:
    (root / "memory/layer2/entities/_index.json").write_bytes(b"{}")


DAMAGE: dict[Callable[[Path], None], str] = {
    torn_line: f"{FACTS}:",
    doubled_line: f"{FACTS}:2",
    in_both_pools: "stands in",
    lost_line: "not there any more",
    archive_emptied: "not there any more",
    words_forged: "was edited by hand",
    content_missing: f"{FACTS}:1",
    time_garbage: f"{FACTS}:1",
    entities_garbage: f"{FACTS}:1",
    entity_index_garbage: "_index.json",
    unsorted_lines: "order of ids",
    score_out_of_range: f"{FACTS}:1",
    dangling_reference: "f_20200101_aaaaaaaaaa",
    quote_changed: "a:e1",
    evidence_from_nowhere: "zzz:e1",
    belief_among_facts: "does not belong",
    journal_byte: "journal",
    journal_entry_gone: "chain",
    journal_count_changed: "journal",
    index_row_gone: "search.sqlite",
    index_garbage: "search.sqlite",
    keywords_changed: "keywords.json",
    profile_changed: "entities/e_",
    snapshot_changed: "snapshot.md",
    inbox_garbage: "memory/state/inbox.jsonl:1",
    readable_by_others: "others can read",
    transcript_gone: "a:e1",
    checkpoint_garbage: "consolidation.json",
}


def test_a_sound_workspace(root: Path) -> None:
    assert problems(root, NOW) == []


@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_damage_is_found(root: Path, damage: Callable[[Path], None]) -> None:
    damage(root)
    found = problems(root, NOW)
    assert any(DAMAGE[damage] in each for each in found), found


@pytest.mark.parametrize("damage", [torn_line, checkpoint_garbage])
def test_no_hint_leads_back_to_where_it_was_given(root: Path, damage: Callable[[Path], None]) -> None:
    damage(root)
    with Workspace.open(root, now=at(NOW)) as ws:
        hints = {problem.hint for problem in check.validate(ws)}
    assert hints
    assert not any(hint.endswith("memory validate") for hint in hints), hints


def test_looking_changes_nothing(root: Path) -> None:
    def state() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}

    torn_line(root)
    index_garbage(root)
    before = state()
    assert problems(root, NOW)
    assert state() == before
