"""The memory as it was on an earlier day: what was true, what waited, what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from workspaces import at, consolidate, layers, make, say

from memory_system import finder
from memory_system.errors import UsageError
from memory_system.nights import derive
from memory_system.upkeep import edit, stats, undo
from memory_system.workspace import Workspace

DAYS = (
    "I live in Porto. I'm allergic to peanuts. 我喜欢划船。",
    "I like rowing. 我们在院子里种了三棵柿子树。",
    "I moved to Ghent. 我不喜欢划船了。",
    "I have a dog called Biscuit. 我养了一只猫，叫年糕。",
)
NOW = "2026-03-09T12:00:00Z"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path)


def live(root: Path) -> list[dict[str, bytes]]:
    """A night after each day; what layers 1 and 2 held after it."""
    found = []
    for number, words in enumerate(DAYS, 1):
        say(root, f"s{number}", (f"2026-03-0{number}T09:00:00Z", "user", words))
        consolidate(root, f"2026-03-0{number + 1}T04:00:00Z")
        found.append(layers(root))
    return found


def then(root: Path, moment: str, ask: Any) -> Any:
    with Workspace.open(root, now=at(NOW)) as ws, undo.as_of(ws, undo.moment_of(moment, ws)) as earlier:
        return ask(earlier)


def truth(ws: Workspace) -> dict[str, bytes]:
    files = (path for path in (ws.layout.own / "layer2").rglob("*.jsonl") if path.stat().st_size)
    return {ws.layout.name(path): path.read_bytes() for path in files}


def everything(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_what_had_been_said_is_counted_as_it_had_been_read(root: Path) -> None:
    live(root)
    counted = [
        then(root, moment, stats.stats)["layer3"]
        for moment in ("2026-02-01", "2026-03-01T12:00:00Z", "2026-03-02T04:00:00Z", "2026-03-04T12:00:00Z", NOW)
    ]
    assert [each["messages"] for each in counted] == [0, 0, 1, 3, 4]
    with Workspace.open(root, now=at(NOW)) as ws:
        assert counted[-1] == stats.stats(ws)["layer3"]


def test_each_morning_is_told_as_it_was(root: Path) -> None:
    mornings = live(root)
    before = everything(root)
    for number, morning in enumerate(mornings, 2):
        moment = f"2026-03-0{number}T04:00:00Z"
        assert then(root, moment, truth) == {name: data for name, data in morning.items() if "jsonl" in name and data}
        told = then(root, moment, derive.snapshot_row)
        assert told["text"].encode() == morning["memory/layer1/snapshot.md"]
        assert told["night"] == f"2026-03-0{number}T03:00:00Z"
    assert everything(root) == before


def test_before_the_first_night_there_was_nothing(root: Path) -> None:
    live(root)
    assert then(root, "2026-02-01", stats.stats)["total"] == 0


def test_a_day_means_its_end_where_the_owner_lives(tmp_path: Path) -> None:
    root = make(tmp_path, zone="Asia/Shanghai")
    say(root, "a", ("2026-03-01T09:00:00Z", "user", "I like rowing."))
    consolidate(root, "2026-03-02T12:00:00Z")  # eight in the evening there
    assert then(root, "2026-03-02", stats.stats)["active"] == 1
    assert then(root, "2026-03-01", stats.stats)["active"] == 0
    assert then(root, "2026-03-02T11:59:00Z", stats.stats)["active"] == 0


def test_stats_name_the_last_consolidation_of_then(root: Path) -> None:
    live(root)
    assert then(root, "2026-03-03", stats.stats)["last_consolidation"] == "2026-03-03T04:00:00Z"


def test_search_finds_what_was_known_and_nothing_later(root: Path) -> None:
    live(root)
    with Workspace.open(root, now=at("2026-03-08T10:00:00Z")) as ws:
        edit.note(ws, "Biscuit went to Ghent by train")
    (root / "MEMORY.md").write_text("# Memory\n\nBiscuit lives in Ghent.\n")  # nobody knows since when

    def texts(moment: str, words: str) -> str:
        found = then(root, moment, lambda ws: finder.search(ws, words))
        return " ".join(each["text"] for each in found["results"])

    assert "Porto" in texts("2026-03-03", "where do I live")
    assert "Ghent" not in texts("2026-03-03", "Ghent Porto")
    assert "Biscuit" not in texts("2026-03-04", "Biscuit")
    assert "年糕" not in texts("2026-03-04", "猫 年糕")
    assert "年糕" in texts("2026-03-05", "年糕")
    now = texts(NOW, "Biscuit")
    assert "Biscuit" in now
    assert "by train" in now


def test_looking_back_counts_as_no_use(root: Path) -> None:
    live(root)
    then(root, "2026-03-04", lambda ws: finder.search(ws, "rowing"))
    assert not (root / "memory/state/access.jsonl").exists()


def test_a_capture_waited_until_a_night_folded_it_in(root: Path) -> None:
    with Workspace.open(root, now=at("2026-03-01T10:00:00Z")) as ws:
        edit.capture(ws, "User parks in bay 14")
    live(root)

    def waiting(moment: str) -> list[str]:
        return then(root, moment, lambda ws: [each.content for each in ws.inbox.pending()])

    assert waiting("2026-03-01T09:00:00Z") == []
    assert waiting("2026-03-01") == ["User parks in bay 14"]
    assert waiting("2026-03-02") == []


def test_what_was_rolled_back_was_true_until_then(root: Path) -> None:
    mornings = live(root)
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        undo.rollback(ws, "#4")
    assert "Biscuit" in then(root, "2026-03-05", derive.snapshot_row)["text"]
    assert "Biscuit" not in then(root, NOW, derive.snapshot_row)["text"]
    assert then(root, NOW, truth) == {name: data for name, data in mornings[2].items() if "jsonl" in name and data}


@pytest.mark.parametrize("when", ["yesterday", "2026-13-01", "", "2026-03-10", "2027-01-01T00:00:00Z"])
def test_a_day_that_is_none_or_has_not_come_is_a_usage_error(root: Path, when: str) -> None:
    with Workspace.open(root, now=at(NOW)) as ws, pytest.raises(UsageError):
        undo.moment_of(when, ws)
