"""What is installed with the program: every file of it, and what happens where one is missing or damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from itertools import cycle
from pathlib import Path

from pages import PROJECT
from workspaces import make, say

PACKAGE = PROJECT / "memory_system"


def test_every_file_of_the_package_is_installed() -> None:
    wanted = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    installed = {path for pattern in wanted["memory_system"] for path in PACKAGE.glob(pattern)}
    others = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")}
    assert others - installed == set()


DAMAGED = {
    "missing": None,
    "empty": "",
    "a head alone": "head",
    "torn": "half",
    "of another version": "another",
    "a line without weights": "line",
}


def damage(path: Path, how: str | None) -> None:
    text = path.read_text("utf-8")
    head, *lines = text.split("\n")
    texts = {
        "": "",
        "head": f"{head}\n",
        "half": text[: len(text) // 2],
        "another": text.replace("weights 1", "weights 0", 1),
        "line": "\n".join([head, *lines[:100], lines[100].partition("\t")[0], *lines[101:]]),
    }
    if how is None:
        path.unlink()
    else:
        path.write_text(texts[how], "utf-8")


def test_a_judge_that_is_missing_or_damaged_is_told_by_its_name(tmp_path: Path) -> None:
    """Both are read by the same code: each damage is that of one of them."""
    shutil.copytree(PACKAGE, tmp_path / "memory_system")
    wrong = {}
    for (name, how), lang in zip(DAMAGED.items(), cycle(("en", "zh"))):
        path = tmp_path / f"memory_system/understand/judge.{lang}.txt"
        whole = path.read_bytes()
        assert name != "missing" or night(tmp_path, lang).returncode == 0
        damage(path, how)
        done = night(tmp_path, lang)
        if done.returncode != 70 or path.name not in done.stderr or "Traceback" in done.stderr:
            wrong[name] = (done.returncode, done.stderr)
        path.write_bytes(whole)
    assert wrong == {}


def night(home: Path, lang: str) -> subprocess.CompletedProcess[str]:
    """The first night of a new workspace by the program that lies in that folder."""
    root = make(Path(tempfile.mkdtemp(dir=home)))
    say(root, "s", ("2026-03-02T09:00:00Z", "user", {"en": "I live in Leeds.", "zh": "我住在杭州。"}[lang]))
    command = [sys.executable, "-m", "memory_system", "--workspace", str(root), "--now", "2026-03-03T04:00:00Z"]
    world = {**os.environ, "PYTHONPATH": str(home)}
    return subprocess.run([*command, "consolidate"], cwd=home, env=world, capture_output=True, text=True, check=False)
