"""Past months of the journal are packed: they explain, undo and forget like the others, wherever packing stopped."""

from __future__ import annotations

import gzip
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from workspaces import Crash, CrashingDisk, at, consolidate, contents, make, problems, say

from memory_system import forgetting
from memory_system.disk import Files
from memory_system.store.journal import Change, Entry, Journal
from memory_system.upkeep import explain, undo
from memory_system.upkeep.repair import repair
from memory_system.workspace import Workspace

NOW = "2026-03-05T12:00:00Z"
MONTH = "memory/state/journal/2026-02.jsonl"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make(tmp_path_factory.mktemp("sound"))
    say(root, "a", ("2026-02-20T09:00:00Z", "user", "I live in Porto. I'm allergic to peanuts. 我喜欢划船。"))
    consolidate(root, "2026-02-21T12:00:00Z")
    say(root, "b", ("2026-03-03T09:00:00Z", "user", "I moved to Lisbon. I have a dog called Biscuit."))
    consolidate(root, NOW)
    return root


@pytest.fixture
def root(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "w"))


def files(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "memory/state/journal").iterdir())


def test_a_month_that_is_over_is_packed_and_tells_what_it_told(root: Path) -> None:
    assert files(root) == ["2026-02.jsonl.gz", "2026-03.jsonl"]
    assert problems(root, NOW) == []
    with Workspace.open(root, now=at(NOW)) as ws:
        first, *_ = ws.journal.entries()
        assert {row["why"] for row in explain.diff(ws, first.entry.run)["changes"]} == {"new"}
        with undo.as_of(ws, at("2026-02-25T12:00:00Z")) as then:
            assert "User lives in Porto" in {each.content for _, each in then.store.records()}
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        undo.rollback(ws, first.entry.run, cascade=True)
    assert contents(root) & {"User lives in Porto", "User lives in Lisbon", "User moved to Lisbon"} == set()
    assert problems(root, NOW) == []


def test_what_is_forgotten_goes_from_packed_months(root: Path) -> None:
    assert b"peanuts" in gzip.decompress((root / f"{MONTH}.gz").read_bytes())
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, forgetting.Selection(query="peanuts")))
    assert files(root) == ["2026-02.jsonl.gz", "2026-03.jsonl"]
    data = gzip.decompress((root / f"{MONTH}.gz").read_bytes())
    assert b"peanuts" not in data
    assert "划船".encode() in data
    assert problems(root, NOW) == []


def journal_of(folder: Path) -> Journal:
    """Three months with an entry each."""
    folder.mkdir()
    journal = Journal(folder, Files())
    for month in (1, 2, 3):
        journal.done(journal.begin(Entry(f"2026-0{month}-02T03:00:00Z", "test"), [Change(f"f_{month}", "new")]))
    return journal


def test_stopped_at_any_operation_nothing_is_lost_and_the_next_one_packs(tmp_path: Path) -> None:
    expected = [group.hash for group in journal_of(tmp_path / "whole").entries()]
    counting = CrashingDisk()
    Journal(tmp_path / "whole", Files(counting)).pack(before=at(NOW))
    assert len(counting.done) > 10
    for stop in range(1, len(counting.done) + 1):
        folder = tmp_path / str(stop)
        journal_of(folder)
        hashes = [group.hash for group in Journal(folder, Files()).entries()]
        with suppress(Crash):
            Journal(folder, Files(CrashingDisk(stop=stop))).pack(before=at(NOW))
        assert [group.hash for group in Journal(folder, Files()).entries()] == hashes
        Journal(folder, Files()).pack(before=at(NOW))
        names = ["2026-01.jsonl.gz", "2026-02.jsonl.gz", "2026-03.jsonl"]
        assert sorted(path.name for path in folder.glob("2*")) == names
        assert len(hashes) == len(expected)


def test_past_months_stay_plain_for_as_many_days_as_are_asked_for(tmp_path: Path) -> None:
    root = make(tmp_path, history_days=40)
    told = {
        "2026-02-20": "I bought a kayak today.",
        "2026-03-03": "My neighbour keeps six hens behind the mill.",
        "2026-04-02": "The old piano went to the school in Faro.",
    }
    for day, words in told.items():
        say(root, day, (f"{day}T09:00:00Z", "user", words))
        consolidate(root, f"{day}T23:00:00Z", force=True)
    assert files(root) == ["2026-02.jsonl", "2026-03.jsonl", "2026-04.jsonl"]
    consolidate(root, "2026-04-10T12:00:00Z")
    assert files(root) == ["2026-02.jsonl.gz", "2026-03.jsonl", "2026-04.jsonl"]
    with Workspace.open(root, now=at("2026-04-10T12:00:00Z"), write=True) as ws:
        undo.rollback(ws, next(ws.journal.entries()).entry.run)
    assert not any("kayak" in each for each in contents(root))


def test_a_packed_month_is_written_to_again_when_later_ones_are_gone(tmp_path: Path) -> None:
    journal = journal_of(tmp_path / "j")
    journal.pack(before=at(NOW))
    (tmp_path / "j/2026-03.jsonl").unlink()
    journal.done(journal.begin(Entry("2026-02-03T03:00:00Z", "test"), []))
    assert [group.entry.seq for group in journal.entries()] == [1, 2, 3]
    assert not (tmp_path / "j/2026-02.jsonl.gz").exists()


@pytest.mark.parametrize("cut", [30, 0.5, -12], ids=["head", "middle", "end"])
def test_a_damaged_month_is_named_and_set_aside_as_it_is(root: Path, cut: float) -> None:
    packed = root / f"{MONTH}.gz"
    data = packed.read_bytes()
    torn = data[: int(len(data) * cut) if isinstance(cut, float) else cut]
    packed.write_bytes(torn)
    assert any("2026-02.jsonl.gz cannot be unpacked" in each for each in problems(root, NOW))
    memories = contents(root)
    with Workspace.open(root, now=at(NOW), write=True, settle=False) as ws:
        repair(ws)
    assert (root / "memory/state/damaged.2026-02.jsonl.gz").read_bytes() == torn
    assert contents(root) == memories
    assert problems(root, NOW) == []


def test_what_cannot_be_looked_into_goes_when_something_is_forgotten(root: Path) -> None:
    (root / "memory/state/damaged.2026-02.jsonl.gz").write_bytes(b"\x1f\x8b peanuts, perhaps")
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, forgetting.Selection(query="peanuts")))
    assert not list((root / "memory/state").glob("damaged.*"))
