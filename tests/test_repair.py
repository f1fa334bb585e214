"""`validate --repair`: whatever `validate` finds is mended, nothing is deleted, and the memory is what it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import test_check
from workspaces import at, consolidate, layers, problems, say

from memory_system.upkeep import correct
from memory_system.upkeep.repair import repair
from memory_system.workspace import Workspace

NOW = "2026-03-05T12:00:00Z"
CHECKPOINT = "memory/state/consolidation.json"
FACTS = test_check.FACTS
OWNERS = {  # what stays for the owner to mend, because it may be meant or is not ours
    test_check.transcript_gone, test_check.quote_changed, test_check.evidence_from_nowhere,
    test_check.dangling_reference, test_check.words_forged,
}  # fmt: skip


def mend(root: Path) -> list[str]:
    with Workspace.open(root, now=at(NOW), write=True, settle=False) as ws:
        return repair(ws)


def said(found: dict[str, bytes]) -> dict[str, bytes]:
    """What the memories say, whatever was set by hand beside it."""
    return {name: data for name, data in found.items() if "search" not in name}


MENDED = [each for each in test_check.DAMAGE if each not in OWNERS]


@pytest.mark.parametrize("damage", MENDED, ids=lambda damage: damage.__name__)
def test_damage_is_mended(root: Path, damage: Callable[[Path], None]) -> None:
    before = said(layers(root))
    damage(root)
    mend(root)
    assert problems(root, NOW) == []
    consolidate(root, NOW)  # the journal does not tell of the empty night that the snapshot stood for
    assert said(layers(root)) == before


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (test_check.torn_line, b""),
        (test_check.journal_byte, b"walnuts"),
        (test_check.checkpoint_garbage, b"{]"),
    ],
)
def test_nothing_is_deleted(root: Path, damage: Callable[[Path], None], words: bytes) -> None:
    before = test_check.lines(root, FACTS)
    damage(root)
    words = words or next(line for line in test_check.lines(root, FACTS) if line not in before)
    mend(root)
    assert words in b"".join(path.read_bytes() for path in (root / "memory/state").glob("damaged.*"))


def test_the_journal_tells_of_it(root: Path) -> None:
    test_check.torn_line(root)
    mend(root)
    with Workspace.open(root) as ws:
        last = list(ws.journal.entries())[-1]
    assert last.entry.reason.startswith("repair: 1 lines of memory/layer2/active/facts.jsonl were set aside")


def test_a_sound_workspace_needs_none(root: Path) -> None:
    before = said(layers(root))
    with Workspace.open(root) as ws:
        seq = ws.journal.head().seq
    assert mend(root) == []
    with Workspace.open(root) as ws:
        assert ws.journal.head().seq == seq
    assert said(layers(root)) == before


def test_a_checkpoint_told_by_the_journal_reads_on_where_it_was(root: Path) -> None:
    test_check.checkpoint_garbage(root)
    mend(root)
    assert not consolidate(root, NOW).nights
    say(root, "c", ("2026-03-06T09:00:00Z", "user", "I like chess."))
    assert consolidate(root, "2026-03-07T12:00:00Z").accounts[0]["messages"]["read"] == 1


def test_nights_go_on_after_a_journal_was_set_aside(root: Path) -> None:
    test_check.journal_byte(root)
    mend(root)
    say(root, "c", ("2026-03-06T09:00:00Z", "user", "I moved to Ghent."))
    consolidate(root, "2026-03-07T12:00:00Z")
    assert problems(root, NOW) == []


def test_of_two_lines_the_one_in_its_pool_stays_wherever_it_is_read(root: Path) -> None:
    """A line that came back into the active pool, beside the archived one that its owner has put in other words."""
    archived = root / "memory/layer2/archive/facts.jsonl"
    line = test_check.lines(root, FACTS)[0]
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        correct.archive(ws, json.loads(line)["id"])
    archived.write_bytes(archived.read_bytes().replace(b'"importance":', b'"note":"mine","importance":', 1))
    (root / FACTS).write_bytes(line + (root / FACTS).read_bytes())
    mend(root)
    assert b'"note":"mine"' in archived.read_bytes()
    assert json.loads(line)["id"].encode() not in (root / FACTS).read_bytes()
