"""Workspaces that other versions of the program wrote: older ones become ones of today and are kept as they were, newer
ones lose nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from workspaces import at, consolidate, contents, copied, copies, make, problems, say, stopped

from memory_system import finder
from memory_system.errors import DamagedError, NewerError
from memory_system.store.checkpoint import SCHEMA
from memory_system.upkeep import stats
from memory_system.upkeep.preview import preview
from memory_system.upkeep.repair import repair
from memory_system.workspace import Workspace

NOW = "2026-03-05T12:00:00Z"
NEXT = "2026-03-07T12:00:00Z"
CHECKPOINT = "memory/state/consolidation.json"
DERIVED = ("memory/layer1", "memory/layer2/entities", "memory/layer2/index")  # those workspaces came without
PAST = sorted((Path(__file__).parent / "schemas").iterdir())


def state(root: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((root / CHECKPOINT).read_text())
    return found


def set_state(root: Path, **values: object) -> None:
    (root / CHECKPOINT).write_text(json.dumps({**state(root), **values}))


def everything(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and path.name != "lock"}


# ---- older ---------------------------------------------------------------------------------------------------------


def past(schema: Path, tmp_path: Path) -> Path:
    """A workspace as that version left it; only its owner may read it, as the program made it."""
    root = Path(shutil.copytree(schema, tmp_path / "w"))
    for path in (root, *root.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return root


@pytest.mark.parametrize("schema", PAST, ids=lambda path: path.name)
def test_a_past_version_is_read_without_being_changed(schema: Path, tmp_path: Path) -> None:
    root = past(schema, tmp_path)
    before = everything(root)
    with Workspace.open(root, now=at(NOW)) as ws:
        found = [each["text"] for each in finder.search(ws, "where do I live", archived=True)["results"]]
    assert "User lives in Porto" in found
    assert {path: data for path, data in everything(root).items() if path.name != "access.jsonl"} == before


@pytest.mark.parametrize("schema", PAST, ids=lambda path: path.name)
def test_a_past_version_becomes_one_of_today_and_is_kept(schema: Path, tmp_path: Path) -> None:
    root = past(schema, tmp_path)
    before = (root / CHECKPOINT).read_bytes()
    say(root, "c", ("2026-03-06T09:00:00Z", "user", "I like chess."))
    consolidate(root, NEXT)
    assert state(root)["schema"] == SCHEMA
    assert (root / f"memory/state/schema-{schema.name}.consolidation.json").read_bytes() == before
    assert {"User likes chess", "用户对花生过敏", "User keeps bees"} <= contents(root)
    assert "User lives in Porto" in contents(root, "archive")
    assert set(copied(root)) == {"a:e1", "b:e1", "c:e1"}
    assert problems(root, NEXT) == []


@pytest.mark.parametrize("schema", PAST, ids=lambda path: path.name)
def test_looking_first_shows_what_it_will_take(schema: Path, tmp_path: Path) -> None:
    root = past(schema, tmp_path)
    before = everything(root)
    with Workspace.open(root, now=at(NOW)) as ws:
        waiting = stats.status(ws)["layer3"]["to_fill"]
        told = preview(ws)["layer3"]
    assert everything(root) == before
    assert (waiting["transcripts"], told["new"]) == (2, 2)
    assert 0 < told["bytes"] <= waiting["bytes"]


@pytest.mark.parametrize("schema", PAST, ids=lambda path: path.name)
def test_an_upgrade_that_was_stopped_goes_on(schema: Path, tmp_path: Path) -> None:
    whole = past(schema, tmp_path)
    left = stopped(whole, lambda disk: consolidate(whole, NOW, disk=disk), every=3)
    expected = copies(whole)
    for what, root in left:
        consolidate(root, NOW)
        assert copies(root) == expected, what
        assert [each for each in problems(root, NOW) if not each.startswith(DERIVED)] == [], what


def test_a_workspace_from_before_the_journal_is_adopted_and_its_files_kept(tmp_path: Path) -> None:
    root = make(tmp_path)
    line = '{"id":"f_20260204_001","content":"用户对花生过敏","importance":1.0,"score":0.95,"category":"health"}\n'
    facts = root / "memory/layer2/active/facts.jsonl"
    facts.write_text(line)
    consolidate(root, NOW)
    assert (root / "memory/state/adopted.active.facts.jsonl").read_text() == line
    with Workspace.open(root) as ws:
        record = ws.store.get("f_20260204_001")
    assert record is not None
    assert (record.content, record.score, record.edited) == ("用户对花生过敏", 0.95, ())
    assert problems(root, NOW) == []


# ---- newer ---------------------------------------------------------------------------------------------------------


def test_keys_of_a_newer_minor_are_kept(root: Path) -> None:
    facts = root / "memory/layer2/active/facts.jsonl"
    facts.write_bytes(facts.read_bytes().replace(b'"version":1', b'"mood":"calm","version":1'))
    set_state(root, schema="3.9", moods={"calm": 3})
    say(root, "c", ("2026-03-06T09:00:00Z", "user", "I like chess. I'm allergic to peanuts!"))
    consolidate(root, NEXT)
    assert (state(root)["schema"], state(root)["moods"]) == ("3.9", {"calm": 3})
    assert all(b'"mood":"calm"' in line for line in facts.read_bytes().splitlines() if b"chess" not in line)
    assert problems(root, NEXT) == []


def test_a_newer_major_is_read_and_never_written(root: Path) -> None:
    set_state(root, schema="4.0", cursors="elsewhere")
    before = everything(root)
    for write in (lambda: consolidate(root, NOW), lambda: mend(root)):
        with pytest.raises(NewerError):
            write()
    with Workspace.open(root) as ws:
        assert "User has a pet called Biscuit" in {record.content for _, record in ws.store.records()}
    assert everything(root) == before


def mend(root: Path) -> list[str]:
    with Workspace.open(root, now=at(NOW), write=True, settle=False) as ws:
        return repair(ws)


@pytest.mark.parametrize("schema", ["", "2", "x.y", 2, None, "-1.0"])
def test_a_schema_that_is_none_is_damage(root: Path, schema: object) -> None:
    set_state(root, schema=schema)
    with pytest.raises(DamagedError):
        consolidate(root, NOW)


def test_an_entry_of_a_newer_program_keeps_its_place_in_the_chain(root: Path) -> None:
    path = next((root / "memory/state/journal").glob("*.jsonl"))
    with Workspace.open(root) as ws:
        first = next(ws.journal.entries())
    newer = first.header[:-1] + b',"mood":"calm"}'
    assert not [each for each in problems(root, NOW) if "journal" in each]
    path.write_bytes(path.read_bytes().replace(first.header, newer, 1))
    assert any("chain" in each for each in problems(root, NOW))  # the header is part of the hash, known or not
