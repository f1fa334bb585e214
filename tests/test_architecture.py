"""Imports go down only, nothing forms a ring, and heavy packages are imported where they are used."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from workspaces import make, remembering

PACKAGE = Path(__file__).parent.parent / "memory_system"

# Each room may import the rooms of earlier rows, and those of its own row as long as no ring forms.
ROWS = (
    {"errors"},
    {"records", "clock", "layout", "text", "disk"},
    {"rules", "turns", "config", "llm"},
    {"attributes", "dates", "privacy"},
    {"readers", "store", "understand"},
    {"recall"},
    {"workspace"},
    {"phases"},
    {"nights"},
    {"forgetting", "finder"},
    {"pipeline"},
    {"upkeep"},
    {"agent"},
    {"hosts"},
    {"cli"},
    {"__main__", "__init__"},
)  # fmt: skip


def room_of(path: Path) -> str:
    """The first part of a module's name below the package: phases/facts.py is in the room phases."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> set[str]:
    """The package's modules that a file imports at its top or in its bodies."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("memory_system"):
            parts = node.module.split(".")[1:]
            found |= {parts[0]} if parts else {alias.name for alias in node.names}
    return found - {"__version__"}


FILES = sorted(PACKAGE.rglob("*.py"))


def test_imports_go_down_only() -> None:
    rank = {room: number for number, row in enumerate(ROWS) for room in row}
    upwards = {
        f"{path.relative_to(PACKAGE)}: {other}"
        for path in FILES
        for other in imports(path)
        if rank[other] > rank[room_of(path)]
    }
    assert upwards == set()


def test_no_ring_of_imports() -> None:
    graph: dict[str, set[str]] = {}
    for path in FILES:
        graph.setdefault(room_of(path), set()).update(imports(path) - {room_of(path)})
    done: set[str] = set()

    def visit(room: str, path: tuple[str, ...]) -> None:
        assert room not in path, f"a ring: {path} {room}"
        if room not in done:
            for other in sorted(graph.get(room, ())):
                visit(other, (*path, room))
            done.add(room)

    for room in sorted(graph):
        visit(room, ())


def test_every_room_has_its_row() -> None:
    assert {room_of(path) for path in FILES} == set().union(*ROWS)


HEAVY = ("anthropic", "mcp", "numpy", "asyncio", "sqlite3", "croniter", "rapidfuzz", "httpx2", "pyrage")


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--help"], (*HEAVY, "re2", "memory_system.records", "memory_system.workspace")),
        (["consolidate", "--help"], (*HEAVY, "re2", "memory_system.workspace")),
        (["capture", "User likes rowing"], tuple(each for each in HEAVY)),
        (["search", "rowing"], ("anthropic", "mcp", "numpy", "asyncio", "httpx2", "sklearn")),
        (["consolidate"], ("anthropic", "mcp", "numpy", "asyncio", "httpx2", "sklearn")),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else None,
)
def test_what_must_not_be_imported(arguments: list[str], absent: tuple[str, ...], tmp_path: Path) -> None:
    make(tmp_path)
    assert not set(absent) & imported(tmp_path, *arguments)


def test_a_run_with_nothing_to_do_imports_nothing_of_the_phases_or_of_search(tmp_path: Path) -> None:
    root = remembering(tmp_path)
    found = imported(root, "--now", "2026-02-21T04:00:00Z", "consolidate")
    assert "memory_system.recall.schema" in found
    assert not [
        each for each in found if each.startswith(("memory_system.phases", "memory_system.recall.search_index"))
    ]


def imported(root: Path, *arguments: str) -> set[str]:
    """The modules that are there when the command has ended."""
    code = (
        "import sys\n"
        "from memory_system.cli import main\n"
        "try:\n    main()\nfinally:\n    print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    command = [sys.executable, "-c", code, "--workspace", str(root), *arguments]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stderr.split("\n"))
