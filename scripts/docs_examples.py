"""The examples of the documentation: memories of the sample workspace, and a first night as it looks on a terminal."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
NIGHT = "2026-02-21T04:00:00Z"  # when the sample workspace is consolidated, as in scripts/demo


def pretty(value: Any) -> str:
    return "```json\n" + json.dumps(value, ensure_ascii=False, indent=2) + "\n```"


@cache
def sample() -> tuple[list[Any], dict[str, dict[str, Any]]]:
    """The active memories of the sample workspace after its last night, and its entity profiles by name."""
    from memory_system import clock, pipeline
    from memory_system.upkeep import edit
    from memory_system.workspace import Workspace

    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "workspace"
        shutil.copytree(PROJECT / "workspace", root)
        edit.init(root, "UTC")
        with Workspace.open(root, now=clock.read_stamp(NIGHT), write=True) as ws:
            pipeline.consolidate(ws)
        with Workspace.open(root) as ws:
            records = [record for pool, record in ws.store.records() if pool == "active"]
            profiles = [json.loads(path.read_text("utf-8")) for path in sorted(ws.layout.entities.glob("e_*.json"))]
    return records, {each["name"]: each for each in profiles}


def a_fact() -> str:
    """A fact about the user that took the place of an older one."""
    return example(lambda each: each.NAME == "facts" and each.subject == "user" and bool(each.history))


def a_belief() -> str:
    return example(lambda each: each.NAME == "beliefs" and bool(each.basis))


def a_summary() -> str:
    """A summary that is no longer than it must be."""
    return example(lambda each: each.NAME == "summaries" and len(each.source_facts) == 3)


def example(suits: Callable[[Any], bool]) -> str:
    """The first memory of the sample that suits, as it stands in its file, laid out for reading."""
    from memory_system.records import to_line

    found = next(record for record in sample()[0] if suits(record))
    return pretty(json.loads(to_line(found)))


def a_profile() -> str:
    """The smallest profile that has a slot and a relation."""
    profiles = [each for each in sample()[1].values() if each["slots"] and each["relations"]]
    return pretty(min(profiles, key=lambda each: (len(json.dumps(each)), each["name"])))


# ---- a first night -------------------------------------------------------------------------------------------------

FIRST_NIGHT = (
    "export MEMORY_WORKSPACE=agent",
    "memory init --timezone UTC",
    """cat > agent/sessions/monday.jsonl <<'END'
{"timestamp":"2026-03-02T09:00:00Z","role":"user","content":"I'm allergic to peanuts. I think I'll visit Oslo in May."}
{"timestamp":"2026-03-02T09:00:20Z","role":"assistant","content":"Noted. What takes you there?"}
{"timestamp":"2026-03-02T09:01:00Z","role":"user","content":"我换工作了，现在在云帆科技上班。谢谢！"}
END""",
    "memory --now 2026-03-03T03:10:00Z consolidate",
    "memory --now 2026-03-03T03:10:00Z search peanut --limit 1",
    "memory --now 2026-03-03T03:10:00Z search 云帆 --limit 1",
    "memory get memory/layer1/snapshot.md",
)


@cache
def first_night() -> tuple[str, ...]:
    """What each command of the first night prints, in a folder of its own."""
    mark = "---- next ----"
    script = f"\necho '{mark}'\n".join((f"memory() {{ '{sys.executable}' -m memory_system \"$@\"; }}", *FIRST_NIGHT))
    with tempfile.TemporaryDirectory() as home:
        world = {"PATH": os.environ["PATH"], "HOME": home, "PYTHONPATH": str(PROJECT), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            ["sh", "-eu"], input=script, cwd=home, env=world, capture_output=True, text=True, check=True
        )
    return tuple(each.strip("\n") for each in done.stdout.split(f"{mark}\n")[1:])


def console() -> str:
    """The first night as it looks on a terminal."""
    lines = [f"$ {command}\n{answer}".strip() for command, answer in zip(FIRST_NIGHT, first_night(), strict=True)]
    return "```console\n" + "\n".join(lines) + "\n```"


def report() -> str:
    return "```\n" + next(each for each in first_night() if each.startswith("consolidated")) + "\n```"
