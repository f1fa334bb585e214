"""The sample workspace, consolidated as the demo does it, against what was expected of it before there was a
program."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from expectations import listed, matches, unmet, unmet_text
from workspaces import at, consolidate, layers, memories

from memory_system.nights import derive
from memory_system.text import estimate_tokens
from memory_system.upkeep import check, edit
from memory_system.workspace import Workspace

HERE = Path(__file__).parent
EXPECTED = tomllib.loads((HERE / "sample_expectations.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sample") / "workspace"
    shutil.copytree(HERE.parent / "workspace", root)
    edit.init(root, "UTC")
    report = consolidate(root, EXPECTED["until"])
    assert report.to_row()["accounting"]["balanced"]
    return root


def test_what_must_be_remembered(sample: Path) -> None:
    problems = list(unmet(sample, {name: EXPECTED.get(name, ()) for name in ("fact", "belief", "summary", "archived")}))
    assert not problems, listed(problems, sample)


def test_what_must_not_be(sample: Path) -> None:
    problems = list(unmet(sample, {"absent": EXPECTED["absent"]}))
    assert not problems, listed(problems, sample)


@pytest.mark.parametrize("slot", EXPECTED["slot"], ids=lambda slot: slot["attribute"])
def test_slots_keep_their_history(sample: Path, slot: dict[str, Any]) -> None:
    wanted = {"subject": slot["subject"], "attribute": slot["attribute"], "polarity": True}
    found = [record for record in memories(sample) if matches(record, wanted)]
    assert [record.value for record in found] == [slot["current"]]
    assert [past.value for past in found[0].history] == slot["history"]


@pytest.mark.parametrize("conflict", EXPECTED["conflict"], ids=lambda each: each["attribute"])
def test_conflicts_stand(sample: Path, conflict: dict[str, Any]) -> None:
    wanted = {"subject": conflict["subject"], "attribute": conflict["attribute"]}
    values = [record.value for record in memories(sample) if matches(record, wanted)]
    assert len(values) == len(conflict["contains"])
    for words in conflict["contains"]:
        assert any(all(word in value for word in words) for value in values), values


def test_the_snapshot(sample: Path) -> None:
    wanted = EXPECTED["snapshot"]
    path = sample / "memory/layer1/snapshot.md"
    problems = list(unmet_text(path, {"snapshot_contains": wanted["contains"], "snapshot_absent": wanted["absent"]}))
    assert not problems, path.read_text("utf-8")
    assert estimate_tokens(path.read_text("utf-8")) <= wanted["max_tokens"]


def test_no_secret_is_written(sample: Path) -> None:
    for path in sorted((sample / "memory").rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            assert not [secret for secret in EXPECTED["secrets"] if secret.encode() in data], path


def test_validate_finds_nothing(sample: Path) -> None:
    with Workspace.open(sample, now=at(EXPECTED["until"])) as ws:
        assert check.validate(ws) == []


def test_what_is_derived_can_be_deleted(sample: Path) -> None:
    before = layers(sample)
    for name in ("layer1", "layer2/index", "layer2/entities"):
        shutil.rmtree(sample / "memory" / name)
    with Workspace.open(sample, now=at(EXPECTED["until"]), write=True) as ws:
        derive.rebuild(ws)
    assert layers(sample) == before
