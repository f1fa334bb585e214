"""The access log tells who has read and written what, long after the night, and nothing of what is forgotten."""

from __future__ import annotations

import os
from pathlib import Path

from commands import memory
from workspaces import at, consolidate, make, memories, say

from memory_system import finder, forgetting
from memory_system.agent.tools import Toolbox
from memory_system.forgetting import Selection
from memory_system.upkeep import correct, edit
from memory_system.workspace import Workspace

NOW = "2026-03-03T12:00:00Z"


def talked(root: Path) -> Path:
    make(root)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", "I have a dog called Barnaby. I live in Porto."))
    consolidate(root, NOW)
    return root


def log(root: Path) -> list[tuple[str, str, str]]:
    with Workspace.open(root) as ws:
        return [(row["at"], row["who"], row["did"]) for row in ws.accesses.log()]


def test_it_tells_who_has_read_and_written_by_every_way(tmp_path: Path) -> None:
    root = talked(tmp_path)
    with Workspace.open(root, now=at("2026-03-03T13:00:00Z")) as ws:
        finder.search(ws, "dog")
        edit.capture(ws, "Barnaby snores")
    toolbox = Toolbox(root, lambda: at("2026-03-03T14:00:00Z"), who="mcp")
    toolbox.call("memory_get", {"path": memories(root)[0].id})
    toolbox.call("memory_write", {"content": "Barnaby ate a shoe"})
    for words in (["archive", memories(root)[0].id], ["restore", memories(root)[0].id], ["note", "walked"]):
        done = memory("--workspace", root, "--now", "2026-03-03T15:00:00Z", *words)
        assert words[0] == "restore" or done.returncode == 0
    told = [(who, did) for _, who, did in log(root)]
    assert told[:4] == [("library", "search"), ("library", "capture"), ("mcp", "get"), ("mcp", "note")]
    assert ("cli", "archive") in told
    assert ("cli", "note") in told


def test_a_note_whose_name_is_no_utf_8_can_be_read_and_is_told_of(tmp_path: Path) -> None:
    root = make(tmp_path)
    name = os.fsdecode(b"memory/\xff.md")
    (root / name).write_text("zebra\n")
    with Workspace.open(root, now=at(NOW)) as ws:
        assert finder.get(ws, name)["text"] == "zebra"
    assert log(root) == [(NOW, "library", "get")]


def test_it_outlasts_the_nights(tmp_path: Path) -> None:
    root = talked(tmp_path)
    for day in ("2026-03-03", "2026-04-02"):
        with Workspace.open(root, now=at(f"{day}T13:00:00Z")) as ws:
            finder.search(ws, "dog")
        say(root, f"s{day}", (f"{day}T14:00:00Z", "user", "I play chess."))
        consolidate(root, f"{day[:8]}05T12:00:00Z")
    assert [when for when, _, _ in log(root)] == ["2026-03-03T13:00:00Z", "2026-04-02T13:00:00Z"]
    months = sorted(path.name for path in (root / "memory/state/access").iterdir())
    assert months == ["2026-03.jsonl", "2026-04.jsonl"]


def test_writing_is_no_use_of_a_memory(tmp_path: Path) -> None:
    root = talked(tmp_path)
    with Workspace.open(root, now=at("2026-03-03T13:00:00Z"), write=True) as ws:
        memory = next(each for each in ws.store.records())[1]
        correct.archive(ws, memory.id)
        assert ws.accesses.before("2026-03-04T00:00:00Z") == []
        assert ws.accesses.stamps() == []
        finder.get(ws, memory.id)
        assert ws.accesses.before("2026-03-04T00:00:00Z") == [memory.id]


def test_months_that_are_too_old_go(tmp_path: Path) -> None:
    root = talked(tmp_path)
    with Workspace.open(root) as ws:
        for number in range(40):
            ws.accesses.note("search", [], at(f"{2020 + number // 12}-{number % 12 + 1:02}-01T00:00:00Z"))
            ws.accesses.put_by("2030-01-01T00:00:00Z")
        rows = ws.accesses.log()
    assert (len(rows), rows[-1]["at"]) == (24, "2023-04-01T00:00:00Z")


def test_forgetting_takes_what_it_names_out_of_it_and_leaves_the_rest(tmp_path: Path) -> None:
    root = talked(tmp_path)
    with Workspace.open(root, now=at("2026-03-03T13:00:00Z")) as ws:
        finder.search(ws, "Barnaby Porto", scope="memories")
    say(root, "t", ("2026-03-03T14:00:00Z", "user", "I play chess."))
    consolidate(root, "2026-03-04T12:00:00Z")  # the line is put by
    with Workspace.open(root, now=at("2026-03-05T12:00:00Z"), write=True) as ws:
        finder.search(ws, "Barnaby Porto", scope="memories")
        gone = {record.id for _, record in ws.store.records() if "Barnaby" in record.content}
        before = ws.accesses.log()
        forgetting.forget(ws, forgetting.plan_of(ws, Selection(entity="Barnaby")), who="cli")
        after = ws.accesses.log()
    assert all(gone & set(row["ids"]) for row in before)
    assert not any(gone & set(row["ids"]) for row in after)
    assert [(row["at"], row["did"]) for row in after[:2]] == [(row["at"], row["did"]) for row in before]
    assert all(row["ids"] for row in after)
    assert (after[-1]["who"], after[-1]["did"]) == ("cli", "forget")
