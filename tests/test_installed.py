"""What is installed with the program: every file of it, and what happens where one is missing or damaged."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from pages import PROJECT
from workspaces import make, say

from memory_system.errors import DefectError
from memory_system.understand import weights
from memory_system.understand.judge import LABELS

PACKAGE = PROJECT / "memory_system"


def test_every_file_of_the_package_is_installed() -> None:
    wanted = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    installed = {path for pattern in wanted["memory_system"] for path in PACKAGE.glob(pattern)}
    others = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    assert others - installed == set()


DAMAGED: dict[str, Callable[[str], str]] = {
    "empty": lambda _: "",
    "a head alone": lambda text: text[: text.index("\n") + 1],
    "torn": lambda text: text[: len(text) // 2],
    "of another version": lambda text: text.replace("weights 1", "weights 0", 1),
    "a line without weights": lambda text: "\n".join(
        line.partition("\t")[0] if number == 100 else line for number, line in enumerate(text.split("\n"))
    ),
}


@pytest.mark.parametrize("name", ["judge.en.txt", "judge.zh.txt"])
@pytest.mark.parametrize("how", DAMAGED.values(), ids=DAMAGED)
def test_a_judge_that_is_damaged_is_told_by_its_name(
    how: Callable[[str], str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights, "__file__", str(tmp_path / "weights.py"))
    path = Path(shutil.copy(PACKAGE / "understand" / name, tmp_path))
    assert weights.installed(path.stem, LABELS).labels
    path.write_text(how(path.read_text("utf-8")), "utf-8")
    weights.installed.cache_clear()  # as in the next process
    with pytest.raises(DefectError, match=re.escape(name)):
        weights.installed(path.stem, LABELS)


def test_a_night_without_its_judge_ends_and_says_so(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "memory_system")
    assert night(tmp_path).returncode == 0
    (tmp_path / "memory_system/understand/judge.en.txt").unlink()
    done = night(tmp_path)
    assert done.returncode == 70
    assert "judge.en.txt" in done.stderr
    assert "Traceback" not in done.stderr


def night(home: Path) -> subprocess.CompletedProcess[str]:
    """The first night of a new workspace by the program that lies in that folder."""
    root = make(Path(tempfile.mkdtemp(dir=home)))
    say(root, "s", ("2026-03-02T09:00:00Z", "user", "I live in Leeds."))
    command = [sys.executable, "-m", "memory_system", "--workspace", str(root), "--now", "2026-03-03T04:00:00Z"]
    world = {**os.environ, "PYTHONPATH": str(home)}
    return subprocess.run([*command, "consolidate"], cwd=home, env=world, capture_output=True, text=True, check=False)
