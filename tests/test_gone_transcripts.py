"""A transcript that was deleted: with layer 3 what it said is found as before, without it it leaves the index with the
next night; what was remembered of it stays either way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from workspaces import at, consolidate, contents, copied, layers, make, memories, problems, say

from memory_system import finder
from memory_system.nights import derive
from memory_system.upkeep import undo
from memory_system.workspace import Workspace

DAY = "2026-03-{}T09:00:00Z"
TALKS = [
    ("I keep bees. I live in Porto. I work at Globex.", "My sister Ana plays chess.", "bees"),
    ("我养蜂。我住在大连。我在云帆科技上班。", "我妹妹小岚下围棋。", "养蜂"),
]


def said(root: Path, query: str) -> list[str]:
    """What is found in the messages of sessions."""
    with Workspace.open(root, now=at("2026-03-09T12:00:00Z")) as ws:
        return [each["text"] for each in finder.search(ws, query, scope="sessions")["results"]]


def talked(root: Path, gone: str, other: str, query: str, **config: object) -> Path:
    """A workspace after a night that has read two sessions; gives the transcript of the first."""
    make(root, **config)
    say(root, "a", (DAY.format("02"), "user", gone))
    say(root, "a:b", (DAY.format("02"), "user", f"{other} {query}?"))  # its name begins with the other's
    consolidate(root, "2026-03-03T03:00:00Z")
    return root / "sessions/a.jsonl"


@pytest.mark.parametrize(("gone", "other", "query"), TALKS)
def test_without_layer_3_its_messages_leave_the_index_and_come_back_with_it(
    gone: str, other: str, query: str, tmp_path: Path
) -> None:
    path = talked(tmp_path, gone, other, query, layer3={"keep": False})
    assert not [*(tmp_path / "memory/layer3").iterdir()]
    remembered = contents(tmp_path)
    words = path.read_bytes()
    path.unlink()
    say(tmp_path, "c", (DAY.format("04"), "user", "I'm allergic to nuts."))
    consolidate(tmp_path, "2026-03-05T03:00:00Z")
    assert not [each for each in said(tmp_path, query) if gone in each]
    assert [each for each in said(tmp_path, query) if other in each]
    assert remembered < contents(tmp_path)
    wrong = problems(tmp_path, "2026-03-05T04:00:00Z")
    lost = [each for each in memories(tmp_path) if any(said.ref == "a:e1" for said in each.evidence)]
    assert len(lost) > 1
    assert [each.partition(" ")[2] for each in wrong] == ["there is no message a:e1"] * len(lost)

    path.write_bytes(words)
    say(tmp_path, "c", (DAY.format("06"), "user", "I play the lute."))
    consolidate(tmp_path, "2026-03-07T03:00:00Z")
    assert [each for each in said(tmp_path, query) if gone in each]
    assert problems(tmp_path, "2026-03-07T04:00:00Z") == []


@pytest.mark.parametrize(("gone", "other", "query"), TALKS)
def test_with_layer_3_it_is_found_cited_and_given_as_before(gone: str, other: str, query: str, tmp_path: Path) -> None:
    path = talked(tmp_path, gone, other, query)
    before, told = layers(tmp_path), said(tmp_path, query)
    path.unlink()
    for _ in range(2):  # at once, and from an index that was made anew
        assert said(tmp_path, query) == told
        assert problems(tmp_path, "2026-03-05T04:00:00Z") == []
        with Workspace.open(tmp_path, now=at("2026-03-05T04:00:00Z")) as ws:
            [found] = [each for each in finder.search(ws, gone, scope="sessions")["results"] if each["id"] == "a:e1"]
            line = finder.get(ws, found["citation"])["text"]
            assert (found["path"], gone in line) == ("memory/layer3/2026-03.jsonl", True)
            assert finder.get(ws, "a:e1")["text"] == gone
            assert finder.context(ws, gone)["text"]
        with Workspace.open(tmp_path, now=at("2026-03-05T04:00:00Z"), write=True) as ws:
            derive.rebuild(ws)
        assert layers(tmp_path) == before


@pytest.mark.parametrize(("gone", "other", "query"), TALKS)
def test_it_may_come_back_and_go_again(gone: str, other: str, query: str, tmp_path: Path) -> None:
    path = talked(tmp_path, gone, other, query)
    words = path.read_bytes()
    for number, there in enumerate((False, True, False), 3):
        path.write_bytes(words) if there else path.unlink()
        say(tmp_path, "c", (DAY.format(f"0{number}"), "user", f"I play the oboe at {number}."))
        consolidate(tmp_path, f"2026-03-0{number + 1}T03:00:00Z")
        assert [each for each in said(tmp_path, query) if gone in each]
        assert problems(tmp_path, f"2026-03-0{number + 1}T04:00:00Z") == []


def test_what_all_transcripts_said_is_found_when_all_are_gone(tmp_path: Path) -> None:
    talked(tmp_path, *TALKS[0])
    shutil.rmtree(tmp_path / "sessions")
    assert said(tmp_path, "bees")
    assert problems(tmp_path, "2026-03-05T04:00:00Z") == []
    assert set(copied(tmp_path)) == {"a:e1", "a-b:e1"}


def test_who_wants_no_copy_any_more_finds_it_no_more_and_who_wants_it_again_does(tmp_path: Path) -> None:
    talked(tmp_path, *TALKS[0]).unlink()
    config = tmp_path / "memory/config.json"
    wanted = config.read_text()
    for number, text in enumerate(('{"layer3": {"keep": false}}', wanted), 4):
        config.write_text(text)
        say(tmp_path, f"c{number}", (DAY.format(f"0{number}"), "user", f"I play the oboe at {number}."))
        consolidate(tmp_path, f"2026-03-0{number + 1}T03:00:00Z")
        found = [each for each in said(tmp_path, "bees") if "Porto" in each]
        assert bool(found) == (text == wanted)
    assert set(copied(tmp_path)) == {"a:e1", "a-b:e1", "c4:e1", "c5:e1"}
    assert problems(tmp_path, "2026-03-06T04:00:00Z") == []


def test_an_earlier_day_knows_what_it_knew(tmp_path: Path) -> None:
    """The earlier state has it of layer 3, too, and nothing that was read later."""
    talked(tmp_path, *TALKS[0])
    say(tmp_path, "c", (DAY.format("04"), "user", "Bees sting when it rains."))
    consolidate(tmp_path, "2026-03-05T03:00:00Z")
    shutil.rmtree(tmp_path / "sessions")
    with (
        Workspace.open(tmp_path, now=at("2026-03-05T04:00:00Z")) as ws,
        undo.as_of(ws, at("2026-03-03T12:00:00Z")) as then,
    ):
        texts = [each["text"] for each in finder.search(then, "bees", scope="sessions")["results"]]
    assert any("Porto" in each for each in texts)
    assert not any("rains" in each for each in texts)


def test_what_an_undone_night_had_read_is_found_though_its_transcript_is_gone(tmp_path: Path) -> None:
    talked(tmp_path, *TALKS[0])
    with Workspace.open(tmp_path, now=at("2026-03-03T04:00:00Z"), write=True) as ws:
        undo.rollback(ws, "#1", redo=True)
        shutil.rmtree(tmp_path / "sessions")
    with Workspace.open(tmp_path, now=at("2026-03-03T04:00:00Z"), write=True) as ws:
        derive.rebuild(ws)
    assert [each for each in said(tmp_path, "bees") if "Porto" in each]
    assert problems(tmp_path, "2026-03-03T05:00:00Z") == []
