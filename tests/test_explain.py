"""why, diff and rollback: what the journal tells, and the way back."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from commands import as_anybody, memory
from workspaces import at, consolidate, contents, layers, make, say

from memory_system import pipeline
from memory_system.cli import searching
from memory_system.errors import DependentChangesError, LockedError, NotFoundError
from memory_system.records import CAPTURED
from memory_system.upkeep import check, correct, edit, explain, undo
from memory_system.upkeep.preview import preview
from memory_system.workspace import Workspace

DAYS = (
    ("I live in Porto. I'm allergic to peanuts.", "我喜欢划船。"),
    ("I like rowing.", "我们在院子里种了三棵柿子树。"),
    ("I moved to Ghent.", "我不喜欢划船了。"),
    ("My project is called Kelp. Kelp is written in Rust. Kelp has two users.", "我养了一只猫，叫年糕。"),
    ("I like chess. I like tulips. I'm allergic to peanuts!", "我对芒果过敏。"),
    ("Maybe I will move to Basel.", "我可能会去学大提琴。"),
    ("I don't like chess anymore.", "年糕三岁了。"),
    ("I have a dentist appointment next Tuesday. Kelp has three users.", "我下周三要去看牙医。"),
    ("I moved to Basel. My dog is called Biscuit.", "我喜欢划船。"),
    ("How can I get Biscuit to stop barking? I like tulips a lot.", "我住在巴塞尔。"),
)
LATER = "2026-03-19T12:00:00Z"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path)


def live(root: Path, days: int) -> list[dict[str, bytes]]:
    """So many days with a night after each; what the layers held after every night, and before the first."""
    found = []
    for number, (english, chinese) in enumerate(DAYS[:days], 1):
        say(root, f"s{number}", (f"2026-03-{number:02}T09:00:00Z", "user", f"{english} {chinese}"))
        consolidate(root, f"2026-03-{number + 1:02}T12:00:00Z")
        found.append(layers(root))
    return found


def truth(root: Path) -> dict[str, bytes]:
    return kept(layers(root))


def kept(found: dict[str, bytes]) -> dict[str, bytes]:
    """Without the words of the transcripts, which stay read and copied, and files in which nothing stands."""
    return {name: data for name, data in found.items() if data and not name.startswith(("search", "layer3"))}


def run_of(root: Path, number: int) -> str:
    with Workspace.open(root) as ws:
        return [group.entry.run for group in ws.journal.entries()][number]


def roll_back(root: Path, name: str, **options: bool) -> list[Any]:
    with Workspace.open(root, now=at(LATER), write=True) as ws:
        return undo.rollback(ws, name, **options)


def asked(root: Path, words: str) -> dict[str, Any]:
    """Why the memory with these words is there."""
    with Workspace.open(root, now=at(LATER)) as ws:
        found = next(record.id for _, record in ws.store.records() if words in record.content)
        return explain.why(ws, found)


def test_why_names_the_words_the_rule_and_the_changes(root: Path) -> None:
    live(root, 3)
    row = asked(root, "Ghent")
    assert [(each["ref"], each["quote"]) for each in row["sources"]] == [("s3:e1", "I moved to Ghent.")]
    assert row["method"].startswith("rule:en.")
    assert row["rule"]
    assert [past["value"] for past in row["history"]] == ["Porto"]
    old = asked(root, "Porto")
    assert (old["pool"], old["superseded_by"]) == ("archive", row["id"])
    assert [change["why"] for change in old["changes"]] == ["new", "superseded"]


def test_why_says_when_words_are_kept_as_they_were_said(root: Path) -> None:
    live(root, 2)
    row = asked(root, "柿子树")
    assert (row["method"], row["rule"]) == ("judge", explain.KEPT)
    assert row["judge"]["kept"]
    assert row["judge"]["words"]


def test_why_knows_a_capture_that_waits(root: Path) -> None:
    with Workspace.open(root, now=at(LATER)) as ws:
        record = edit.capture(ws, "User parks in bay 14")
        row = explain.why(ws, record.id)
    assert (row["pool"], row["changes"], row["rank"]["importance"]) == ("inbox", [], 0.5)


def test_diff_is_of_the_last_run_unless_one_is_named(root: Path) -> None:
    live(root, 3)
    with Workspace.open(root) as ws:
        last, first = explain.diff(ws), explain.diff(ws, "2026-03-02T03:00:00Z")
    assert {"User lives in Ghent", "User lives in Porto"} <= {each["content"] for each in last["changes"]}
    assert {each["why"] for each in first["changes"]} == {"new"}
    assert sum(first["counts"].values()) == len(first["changes"])


def test_an_unknown_run_is_an_error_that_names_known_ones(root: Path) -> None:
    live(root, 1)
    with Workspace.open(root) as ws, pytest.raises(NotFoundError) as caught:
        explain.diff(ws, "r_never")
    assert run_of(root, 0) in caught.value.hint


def test_each_night_rolled_back_in_turn_gives_the_morning_before(root: Path) -> None:
    live(root, len(DAYS))
    mornings = []
    for number in range(len(DAYS) - 1, 0, -1):
        roll_back(root, run_of(root, number))
        mornings.append(truth(root))
        with Workspace.open(root, now=at(LATER)) as ws:
            assert list(check.validate(ws)) == []
    fresh = make(root / "again")
    before = live(fresh, len(DAYS) - 1)
    wanted = [kept(each) for each in reversed(before)]
    for found, expected in zip(mornings, wanted, strict=True):
        assert found == expected


@pytest.mark.parametrize("first", [1, 6, 10])
def test_nights_that_were_undone_to_be_done_again_give_the_same_bytes(root: Path, first: int) -> None:
    live(root, len(DAYS))
    consolidate(root, LATER)
    wanted = layers(root)
    with Workspace.open(root) as ws:
        nights = [group.entry.night for group in ws.journal.entries()][first - 1 :]
    for night in reversed(nights):
        roll_back(root, night, redo=True)
        with Workspace.open(root) as ws:
            assert [*check.derived(ws)] == []
    assert consolidate(root, LATER).nights == nights
    assert layers(root) == wanted


def test_a_night_that_was_done_again_is_known_by_its_last_commit(root: Path) -> None:
    live(root, 2)
    roll_back(root, "2026-03-03T03:00:00Z", redo=True)
    consolidate(root, LATER)
    with Workspace.open(root) as ws:
        (last,) = explain.diff(ws, "2026-03-03T03:00:00Z")["entries"]
        assert last["seq"] == ws.journal.head().seq
    roll_back(root, "2026-03-03T03:00:00Z")
    assert not any("rowing" in each for each in contents(root))


def test_a_run_of_which_a_part_was_undone_can_be_undone(root: Path) -> None:
    say(root, "s1", ("2026-03-01T09:00:00Z", "user", "I like rowing. 我喜欢下棋。"))
    say(root, "s2", ("2026-03-02T09:00:00Z", "user", "I like rowing! 我很喜欢下棋。"))
    run = consolidate(root, LATER).run_id
    roll_back(root, "2026-03-03T03:00:00Z")
    roll_back(root, run)
    assert contents(root) == set()


def test_why_tells_of_summaries_too(root: Path) -> None:
    say(root, "s1", ("2026-03-01T09:00:00Z", "user", "I like chess. I like tulips. I like rye bread."))
    consolidate(root, LATER)
    with Workspace.open(root, now=at(LATER)) as ws:
        rules = [explain.rule_of(record) for _, record in ws.store.records()]
    assert all(rules)
    assert explain.COMPOSED in rules


def test_what_was_undone_is_not_made_again_unless_asked(root: Path) -> None:
    live(root, 2)
    roll_back(root, run_of(root, 1))
    consolidate(root, LATER)
    assert not any("rowing" in each for each in contents(root))
    roll_back(root, "#2", redo=True)
    consolidate(root, LATER, force=True)
    assert any("rowing" in each for each in contents(root))


def test_what_was_undone_may_be_made_again_in_the_same_process(root: Path) -> None:
    say(root, "s1", ("2026-03-01T09:00:00Z", "user", "I like rowing. 我喜欢下棋。"))
    with Workspace.open(root, now=at("2026-03-02T12:00:00Z"), write=True) as ws:
        before = pipeline.consolidate(ws)
        undo.rollback(ws, before.run_id, redo=True)
        again = pipeline.consolidate(ws)
    assert again.accounts == before.accounts


def test_the_snapshot_stands_for_the_night_before_only_until_the_next_one(root: Path) -> None:
    live(root, 2)
    roll_back(root, run_of(root, 1))
    consolidate(root, LATER)
    with Workspace.open(root, now=at(LATER), write=True) as ws:
        assert list(check.validate(ws)) == []
        assert ws.checkpoint.state.shown_night == ""


def test_what_was_done_by_hand_is_undone_without_moving_the_snapshot_to_another_night(root: Path) -> None:
    live(root, 1)
    consolidate(root, LATER)
    before = truth(root)
    with Workspace.open(root, now=at(LATER), write=True) as ws:
        correct.archive(ws, next(iter(ws.store.ids())))
    roll_back(root, "#2")
    assert truth(root) == before
    with Workspace.open(root, now=at(LATER)) as ws:
        assert (ws.checkpoint.state.last_night, ws.checkpoint.state.shown_night) == ("2026-03-19T03:00:00Z", "")


@pytest.mark.parametrize("phase", ["index", "decay"])
@pytest.mark.parametrize("redo", [False, True])
def test_a_night_that_stopped_halfway_does_not_go_on_from_what_was_undone(
    root: Path, monkeypatch: pytest.MonkeyPatch, phase: str, redo: bool
) -> None:
    live(root, 1)
    say(root, "s2", ("2026-03-02T09:00:00Z", "user", "I like rowing. 我喜欢下棋。"))
    with monkeypatch.context() as patched:
        patched.setattr(f"memory_system.phases.{phase}.run", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            consolidate(root, "2026-03-03T12:00:00Z")
    roll_back(root, f"#{2 if phase == 'index' else 1}", redo=redo)
    report = consolidate(root, LATER)
    assert all(account["balanced"] for account in report.accounts)
    rowing = any("rowing" in each for each in contents(root))
    assert rowing == (redo or phase == "decay")  # decay comes before the commit: nothing of that night was undone
    with Workspace.open(root, now=at(LATER)) as ws:
        assert list(check.validate(ws)) == []


def test_a_rollback_can_be_rolled_back(root: Path) -> None:
    live(root, 3)
    before = contents(root)
    roll_back(root, run_of(root, 2))
    assert contents(root) != before
    with Workspace.open(root) as ws:
        last = ws.journal.head().seq
    roll_back(root, f"#{last}")
    assert contents(root) == before


def test_later_changes_are_named_and_undone_only_when_asked(root: Path) -> None:
    live(root, 3)
    before = truth(root)
    with pytest.raises(DependentChangesError, match=run_of(root, 2)):
        roll_back(root, run_of(root, 0))
    assert truth(root) == before
    roll_back(root, run_of(root, 0), cascade=True)
    assert not {each for each in contents(root) if "Ghent" in each or "Porto" in each}


@pytest.mark.parametrize(("number", "options"), [(2, []), (0, ["--cascade"])])
def test_what_is_told_after_an_undoing_has_all_of_it_read_again(root: Path, number: int, options: list[str]) -> None:
    live(root, 3)
    before, run = contents(root), run_of(root, number)
    told = memory("--workspace", root, "rollback", run, *options).stdout.splitlines()[-1]
    for command in told.partition("again: ")[2].split(", then "):
        assert memory("--workspace", root, *command.split()[1:]).returncode == 0
    consolidate(root, "2026-03-04T12:00:00Z")
    assert contents(root) == before


def test_a_later_summary_of_what_goes_builds_on_it(root: Path) -> None:
    for day, thing in enumerate(("I like chess.", "I like tulips.", "I like rowing."), 1):
        say(root, f"s{day}", (f"2026-03-{day:02}T09:00:00Z", "user", thing))
        consolidate(root, f"2026-03-{day + 1:02}T12:00:00Z")
    with pytest.raises(DependentChangesError, match=run_of(root, 2)):
        roll_back(root, run_of(root, 0))
    roll_back(root, run_of(root, 0), cascade=True)
    assert contents(root) == {"User likes tulips"}


def test_whichever_night_is_undone_nothing_names_what_is_gone(root: Path, tmp_path_factory: Any) -> None:
    live(root, len(DAYS))
    for number in range(len(DAYS)):
        copy = shutil.copytree(root, tmp_path_factory.mktemp("undone") / "workspace")
        with suppress(DependentChangesError):
            roll_back(copy, run_of(root, number))
        with Workspace.open(copy, now=at(LATER)) as ws:
            assert list(check.validate(ws)) == []


def test_a_capture_that_a_night_folded_in_waits_again(root: Path) -> None:
    with Workspace.open(root, now=at("2026-03-01T10:00:00Z")) as ws:
        edit.capture(ws, "User parks in bay 14")
    consolidate(root, "2026-03-02T12:00:00Z")
    roll_back(root, run_of(root, 0))
    with Workspace.open(root) as ws:
        assert [each.content for each in ws.inbox.pending()] == ["User parks in bay 14"]
    consolidate(root, LATER)
    assert contents(root) == {"User parks in bay 14"}


@pytest.mark.parametrize(
    ("said", "captured"),
    [("I live in Porto.", "User now lives in Porto"), ("我住在杭州。", "用户现在住在杭州")],
)
@pytest.mark.parametrize("first", ["said", "captured"])
def test_a_capture_waits_again_in_its_own_words(root: Path, said: str, captured: str, first: str) -> None:
    days = {"said": ("01", "02"), "captured": ("02", "01")}[first]
    with Workspace.open(root, now=at(f"2026-03-{days[1]}T10:00:00Z")) as ws:
        edit.capture(ws, captured)
        (before,) = ws.inbox.pending()
    say(root, "s1", (f"2026-03-{days[0]}T09:00:00Z", "user", said))
    run = consolidate(root, "2026-03-04T12:00:00Z").run_id
    assert len(contents(root)) == 1
    roll_back(root, run)
    with Workspace.open(root) as ws:
        (waiting,) = ws.inbox.pending()
    assert (waiting.content, waiting.evidence, waiting.superseded_by) == (before.content, before.evidence, None)
    assert waiting.method == CAPTURED


def everything(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_a_dry_run_tells_what_the_run_then_does_and_writes_nothing(root: Path) -> None:
    live(root, 2)
    say(root, "s3", ("2026-03-03T09:00:00Z", "user", "I moved to Ghent. 我喜欢下棋。"))
    before = everything(root)
    with Workspace.open(root, now=at(LATER)) as ws:
        told = preview(ws)
    assert everything(root) == before
    done = consolidate(root, LATER)
    with Workspace.open(root) as ws:
        changes = explain.diff(ws)["changes"]
    assert told["changes"] == changes
    assert told["accounting"] == done.to_row()["accounting"]


def test_a_dry_run_reads_the_same_sources(tmp_path: Path) -> None:
    root = make(tmp_path / "workspace", sources=[{"path": "logs/*.jsonl"}, {"path": "../beside"}])
    for folder, words in (("logs", "I live in Porto."), ("../beside", "我养了一只猫，叫年糕。")):
        (root / folder).mkdir()
        say(root, f"../{folder}/talk", ("2026-03-03T09:00:00Z", "user", words))
    with Workspace.open(root, now=at(LATER)) as ws:
        told = preview(ws)
    assert told["problems"] == []
    consolidate(root, LATER)
    with Workspace.open(root) as ws:
        assert told["changes"] == explain.diff(ws)["changes"] != []


def test_a_dry_run_where_nothing_may_be_written_changes_no_rights(root: Path) -> None:
    live(root, 2)
    say(root, "s3", ("2026-03-03T09:00:00Z", "user", "I moved to Ghent."))
    first = as_anybody()
    paths = [root, *root.rglob("*")]
    rights = [path.stat().st_mode & ~0o222 for path in paths]
    try:
        for path, mode in zip(paths, rights, strict=True):
            path.chmod(mode)
        command = [sys.executable, "-m", "memory_system", "--workspace", str(root), "--now", LATER, "--json"]
        done = subprocess.run([*first, *command, "consolidate", "--dry-run"], capture_output=True, check=False)
        assert [path.stat().st_mode for path in paths] == rights
    finally:
        for path, mode in zip(paths, rights, strict=True):
            path.chmod(mode | 0o200)
    assert done.returncode == 0, done.stderr
    consolidate(root, LATER)
    with Workspace.open(root) as ws:
        assert orjson.loads(done.stdout)["changes"] == explain.diff(ws)["changes"] != []


def test_a_dry_run_beside_a_writer_is_refused(root: Path) -> None:
    with Workspace.open(root, write=True), Workspace.open(root) as ws, pytest.raises(LockedError):
        preview(ws)


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ([["f_1", "f_2", "f_3"], ["f_1", "f_4", "f_3"]], "x: + f_4, - f_2"),
        ([None, ["f_1"]], "x: + f_1"),
        ([[{"ref": "a:1", "quote": "tea"}], []], "x: - a:1 tea"),
        ([["f_1", "f_2"], ["f_2", "f_1"]], ""),
        ([0.8, None], "x: 0.8 → -"),
    ],
)
def test_a_field_is_told_by_what_became_of_it(field: list[Any], told: str) -> None:
    row = {"id": "s_1", "content": "C", "why": "rewritten", "from": "active", "to": "active", "fields": {"x": field}}
    assert searching.change_line(row).partition("(rewritten)")[2].strip() == told
