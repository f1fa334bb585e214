"""Files are their owner's alone, whatever the umask; folders that lead elsewhere or are another's are refused."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from workspaces import at, consolidate, make, say

from memory_system import finder, forgetting
from memory_system.errors import UnsafeError
from memory_system.forgetting import Selection
from memory_system.upkeep import check, edit
from memory_system.workspace import Workspace

NOW = "2026-03-03T12:00:00Z"


def filled(root: Path) -> Path:
    make(root)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", "I live in Porto. I have a dog called Barnaby."))
    return root


def test_whatever_the_umask_files_are_the_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        root = filled(tmp_path / "w")
        with Workspace.open(root, now=at(NOW)) as ws:
            edit.capture(ws, "User parks in bay 14")
            edit.note(ws, "bought a kettle")
        consolidate(root, NOW)
        with Workspace.open(root, now=at(NOW), write=True) as ws:
            forgetting.forget(ws, forgetting.plan_of(ws, Selection(entity="Barnaby")))
    finally:
        os.umask(before)
    mine = [path for path in (root / "memory").rglob("*") if path.name != "config.json"]
    assert [path for path in mine if stat.S_IMODE(path.stat().st_mode) not in (0o600, 0o700)] == []
    with Workspace.open(root, now=at(NOW)) as ws:
        assert check.validate(ws) == []


@pytest.mark.parametrize("name", ["state", "state/journal", "layer2/active", "layer2/index", "layer1"])
def test_a_folder_that_leads_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    root = filled(tmp_path / "w")
    elsewhere = tmp_path / "elsewhere"
    shutil.move(root / "memory" / name, elsewhere)
    (root / "memory" / name).symlink_to(elsewhere)
    before = {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()}
    with pytest.raises(UnsafeError):
        consolidate(root, NOW)
    with Workspace.open(root, now=at(NOW)) as ws:  # these take no lock
        for write in (lambda: edit.capture(ws, "User keeps bees"), lambda: edit.note(ws, "the kettle is red")):
            with pytest.raises(UnsafeError):
                write()
        finder.search(ws, "bees")
    assert {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()} == before


def test_a_folder_into_which_others_may_write_is_refused(tmp_path: Path) -> None:
    root = filled(tmp_path / "w")
    (root / "memory/state").chmod(0o777)
    with pytest.raises(UnsafeError, match="others may write"):
        consolidate(root, NOW)


def test_what_others_can_read_is_named(tmp_path: Path) -> None:
    root = filled(tmp_path / "w")
    consolidate(root, NOW)
    (root / "memory/layer2/active/facts.jsonl").chmod(0o644)
    with Workspace.open(root, now=at(NOW)) as ws:
        assert [each.what for each in check.validate(ws)] == ["others can read it"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another's, and is not refused itself")
def test_another_users_folder_is_refused() -> None:
    with tempfile.TemporaryDirectory() as folder:  # where others may look
        Path(folder).chmod(0o755)
        root = filled(Path(folder) / "w")
        for path in (root, *root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        refused_to_another(root)


def refused_to_another(root: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from memory_system.errors import UnsafeError\nfrom memory_system.workspace import Workspace\n"
        "os.setuid(65534)\n"
        "try:\n    Workspace.open(Path(sys.argv[1]), write=True)\nexcept UnsafeError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=False)
    assert "belongs to another user" in done.stdout, done.stderr
