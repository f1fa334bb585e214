"""The program as it is typed: answers, exit codes, and what it says when the world is bad; in a process of its own
where one is what counts."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import as_anybody, memory
from workspaces import at, consolidate, make, memories, say

from memory_system.disk import Files
from memory_system.workspace import Workspace

Run = Callable[..., subprocess.CompletedProcess[str]]
NOW = "2026-03-03T12:00:00Z"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `memory` on a workspace under tmp_path."""
    return partial(memory, "--workspace", str(tmp_path / "w"))


@pytest.fixture
def start(tmp_path: Path) -> Run:
    """The same in a process of its own."""

    def call(*arguments: str, first: Iterable[str] = (), **options: Any) -> subprocess.CompletedProcess[str]:
        command = [*first, sys.executable, "-m", "memory_system", "--workspace", str(tmp_path / "w"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)

    return call


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = make(tmp_path / "w")
    say(
        root,
        "a",
        ("2026-03-02T09:00:00Z", "user", "Also, I'm allergic to peanuts."),
        ("2026-03-02T09:00:05Z", "user", "我住在杭州。"),
    )
    return root


@pytest.fixture
def slept(workspace: Path) -> Path:
    """The same after its night, which needs no process of its own where something else is tested."""
    consolidate(workspace, NOW)
    return workspace


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert "Traceback" not in done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.usefixtures("slept")
def test_a_rollback_names_what_would_undo_it_and_nothing_else(run: Run) -> None:
    told = run("rollback", "#1").stdout
    assert "memory rollback #2" in told
    assert "memory rollback #1 --redo" in told
    assert run("rollback", "#1").stdout.strip() == "nothing to undo"
    assert answer(run("--json", "rollback", "#1", "--redo"))["entry"] == "#3"
    assert answer(run("--json", "rollback", "#1"))["entry"] is None


@pytest.mark.usefixtures("slept")
def test_a_forgetting_is_not_rolled_back(run: Run) -> None:
    run("forget", "--query", "杭州", "--yes")
    before = answer(run("--json", "audit", "head"))["head"]
    done = run("--json", "rollback", "#2")
    assert done.returncode == answer(done)["error"]["exit_code"] == 8
    assert "for good" in answer(done)["error"]["what"]
    assert answer(run("--json", "audit", "head"))["head"] == before


@pytest.mark.usefixtures("slept")
def test_diff_shows_the_rollback_that_came_last(run: Run, workspace: Path) -> None:
    run("rollback", "#1")
    first = answer(run("--json", "diff"))
    assert [each["seq"] for each in first["entries"]] == [2]
    assert set(first["counts"]) == {"rolled back"}
    say(workspace, "b", ("2026-03-03T10:00:00Z", "user", "I live in Leeds."))
    run("consolidate", "--now", "2026-03-04T12:00:00Z")
    assert [each["seq"] for each in answer(run("--json", "diff"))["entries"]] == [3]


def test_a_day_names_its_only_night(run: Run, workspace: Path) -> None:
    """03:00 in UTC, when the night ends, is a day earlier in Honolulu."""
    consolidate(workspace, NOW)
    assert run("rollback", "2026-03-02").returncode == 1
    (workspace / "memory/config.json").write_text('{"timezone": "Pacific/Honolulu"}')
    assert "- f_" in run("rollback", "2026-03-02").stdout


@pytest.mark.usefixtures("slept")
def test_of_several_nights_of_a_day_one_must_be_named(run: Run, workspace: Path) -> None:
    say(workspace, "b", ("2026-03-03T10:00:00Z", "user", "I live in Leeds."))
    run("consolidate", "--force", "--now", NOW)
    done = run("rollback", "2026-03-03")
    assert done.returncode == 2
    assert "2026-03-03T03:00:00Z, 2026-03-03T12:00:01Z" in done.stderr
    assert "rolled back" in run("rollback", "2026-03-03T12:00:01Z").stdout


@pytest.mark.usefixtures("workspace")
def test_a_chat_without_a_key_ends_before_it_begins(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    before = sorted((tmp_path / "w/sessions").iterdir())
    done = run("chat", input="hello\n")
    assert (done.returncode, done.stdout) == (6, "")
    assert "there is no key for the model" in done.stderr
    assert sorted((tmp_path / "w/sessions").iterdir()) == before


def test_init_twice(run: Run, tmp_path: Path) -> None:
    assert "config.json" in run("init").stdout
    assert "already" in run("init").stdout
    assert (tmp_path / "w/SOUL.md").exists()
    assert oct((tmp_path / "w/memory/config.json").stat().st_mode)[-3:] == "600"
    assert oct((tmp_path / "w/memory/state").stat().st_mode)[-3:] == "700"


@pytest.mark.parametrize(
    ("options", "locale", "config", "soul"),
    [
        ((), "C.UTF-8", {}, "You are"),
        ((), "zh_CN.UTF-8", {}, "你是"),
        (("--language", "zh"), "en_GB.UTF-8", {"language": "zh"}, "你是"),
        (("--language", "en"), "zh_CN.UTF-8", {"language": "en"}, "You are"),
    ],
)
def test_init_in_either_language(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...], locale: str, config: dict[str, str], soul: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("LC_ALL", locale)
    run("init", "--timezone", "UTC", *options)
    made = json.loads((tmp_path / "w/memory/config.json").read_text())
    assert {name: made[name] for name in made if name == "language"} == config
    assert soul in (tmp_path / "w/SOUL.md").read_text()
    (tmp_path / "w/SOUL.md").unlink()
    (tmp_path / "w/memory/config.json").write_text('{"language": "zh"}')
    assert "set `language` in it" in run("init", "--language", "en").stderr
    assert "你是" in (tmp_path / "w/SOUL.md").read_text()
    spoken = run("init").stdout.partition(" ")[0]
    assert spoken == ("工作区" if locale.startswith("zh") else "workspace")


@pytest.mark.parametrize(("said", "mode"), [("y", "on"), ("n", None), ("", None)])
def test_init_on_a_terminal_asks_once_whether_a_model_may_read(
    start: Run, tmp_path: Path, said: str, mode: str | None
) -> None:
    for asked in (True, False):
        ours, theirs = pty.openpty()
        os.write(ours, said.encode() + b"\n")
        done = start("init", stdin=theirs)
        os.close(ours)
        os.close(theirs)
        assert ("US dollars" in done.stderr) is asked
    config = json.loads((tmp_path / "w/memory/config.json").read_bytes())
    assert config.get("llm", {}).get("mode") == mode


def test_consolidate_reports(run: Run, start: Run, workspace: Path) -> None:
    told = start("consolidate", "--json", "--now", NOW)
    assert told.stderr == ""  # nothing of progress goes into pipes
    done = answer(told)
    assert done["nights"] == ["2026-03-03T03:00:00Z"]
    assert done["status"] == "done"
    assert [phase["number"] for phase in done["phases"]] == [1, 2, 3, 4, 4, 4, 5, 6, 4, 7]
    assert done["accounting"]["balanced"]
    assert done["accounting"]["messages"]["read"] == 2
    assert done["totals"]["facts"] == 2
    assert done["problems"] == []
    assert answer(run("--now", NOW, "consolidate", "--json"))["status"] == "nothing due"


def test_a_dry_run_points_at_nothing_that_is_not_there(run: Run, workspace: Path) -> None:
    say(workspace, "b", *((f"2026-03-02T10:{n:02}:00Z", "user", f"I have a cat called Mo{n}k.") for n in range(30)))
    told = run("consolidate", "--dry-run", "--now", NOW).stdout
    assert "memory diff" not in told
    assert "\nconsolidated" not in told
    assert told.count("Mo7k") == len([row for row in told.splitlines() if row.startswith("+") and "Mo7k" in row])
    assert "memory diff" in run("consolidate", "--now", NOW).stdout


def test_bad_lines_are_counted_and_the_rest_is_read(run: Run, workspace: Path) -> None:
    with (workspace / "sessions/a.jsonl").open("ab") as file:
        file.write(b'not json\n{"type":"message","id":"x","message":[]}\n\xff\xfe\n')
    done = run("consolidate", "--json", "--now", NOW)
    assert done.returncode == 0
    row = answer(done)
    assert len(row["problems"]) == 3
    assert all(problem["where"].startswith("sessions/a.jsonl:") and problem["hint"] for problem in row["problems"])
    assert row["totals"]["facts"] == 2


@pytest.mark.parametrize(("lang", "said"), [("en", "lines that cannot be read: 2"), ("zh", "读不了的行：2")])
def test_lines_that_were_skipped_stay_known_until_they_are_mended(
    run: Run, workspace: Path, lang: str, said: str
) -> None:
    """By several nights, too."""
    (workspace / "memory/config.json").write_text(json.dumps({"language": lang}))
    path = workspace / "sessions/a.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b"not json\n")
    run("consolidate", "--now", NOW)
    path.write_bytes(whole + b'not json\n{"type":"message","id":"x","message":[]}\n')
    run("consolidate", "--force", "--now", "2026-03-03T18:00:00Z")
    place = f"sessions/a.jsonl:{whole.count(bytes([10])) + 1}"
    for command in ("status", "validate"):
        told = answer(run("--now", "2026-03-03T18:00:00Z", "--json", command))
        assert told["ok"]
        assert [each["where"] for each in told["skipped"]] == [place]
        shown = run("--now", "2026-03-03T18:00:00Z", command)
        assert shown.returncode == 0
        assert place in shown.stdout
        assert "all is well" not in shown.stdout
    assert said in run("--now", "2026-03-03T18:00:00Z", "status").stdout
    path.write_bytes(whole)
    run("consolidate", "--force", "--now", "2026-03-03T19:00:00Z")
    assert answer(run("--now", "2026-03-03T19:00:00Z", "--json", "validate"))["skipped"] == []


def test_a_night_that_waits_is_not_well(run: Run, slept: Path) -> None:
    path = slept / "memory/state/consolidation.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"current_phase": 2, "night": "2026-03-04T03:00:00Z"}))
    told = run("validate")
    assert told.returncode == 0
    assert "waits: the night of 2026-03-04" in told.stdout
    assert "all is well" not in told.stdout


def test_a_damaged_line_is_told_once(run: Run, slept: Path) -> None:
    with (slept / FACTS).open("a", encoding="utf-8") as file:
        file.write('{"id":"f_2026\n')
    told = answer(run("--json", "validate"))["problems"]
    about = [each for each in told if f"{FACTS}:3" in each["where"] + each["what"]]
    assert len(about) == 1
    assert about[0]["where"] == f"{FACTS}:3"
    assert "validate --repair" in about[0]["hint"]
    for command in ("status", "validate"):
        done = run(command)
        assert f"{FACTS}:3" in done.stdout + done.stderr
        assert "JSONDecodeError" not in done.stdout + done.stderr


def test_get_of_what_is_not_there(run: Run, workspace: Path) -> None:
    for name in ("nofile.md", "没有.md", "memory/nofile.md"):
        told = run("get", name).stderr
        assert name in told
        assert "there is no" in told


def test_get_says_where_what_it_cuts_goes_on(run: Run, workspace: Path) -> None:
    (workspace / "memory/long.md").write_text("\n".join(f"第{number}行" for number in range(1, 301)), encoding="utf-8")
    done = run("get", "memory/long.md", "--lines", "500")
    assert done.stdout.splitlines()[-1] == "第120行"
    assert "memory get memory/long.md --from 121" in done.stderr
    rest = run("get", "memory/long.md", "--from", "241", "--lines", "500")
    assert (rest.stdout.splitlines()[-1], rest.stderr) == ("第300行", "")
    assert "memory/long.md has no line 301" in run("get", "memory/long.md", "--from", "301").stderr


def test_get_sends_no_bytes_to_a_terminal(run: Run, workspace: Path) -> None:
    (workspace / "sessions/bin.jsonl").write_bytes(b"\x1b[31m\x00\xff\n")
    done = run("get", "sessions/bin.jsonl")
    assert done.returncode != 0
    assert "it holds no text" in done.stderr
    assert done.stdout == ""


def test_one_bad_file_leaves_room_for_the_others(run: Run, workspace: Path) -> None:
    (workspace / "sessions/a.jsonl").write_bytes(b"\xff\xfe\n" * 500)
    for name in ("b", "c"):
        (workspace / f"sessions/{name}.jsonl").write_text("not json\n", encoding="utf-8")
    for command in ("consolidate", "status"):
        told = [line for line in run("--now", NOW, command).stdout.splitlines() if "! sessions/" in line]
        assert [line.split("sessions/")[1][:7] for line in told] == ["a.jsonl", "b.jsonl", "c.jsonl"]
        assert "more in this file" in told[0]
    everything = answer(run("--now", NOW, "status", "--json"))["problems"]
    assert any("and 499 more lines like it" in each["what"] for each in everything)


def test_search_and_get(run: Run, slept: Path) -> None:
    for query, word in (("peanut allergies", "peanuts"), ("杭州", "杭州"), ("住", "杭州")):
        found = answer(run("search", query, "--json", "--scope", "memories"))
        assert word in found["results"][0]["text"]
        assert set(found["results"][0]) == {
            "id", "type", "path", "startLine", "endLine", "score", "source", "refs", "text", "snippet", "citation",
            "said_at",
        }  # fmt: skip
    first = found["results"][0]
    assert answer(run("get", first["id"], "--json"))["record"]["id"] == first["id"]
    line = answer(run("get", first["path"], "--from", str(first["startLine"]), "--lines", "1", "--json"))["text"]
    assert first["id"] in line
    assert run("search", "nothing of the kind zzz").returncode == 0
    assert run("get", "f_20260101_0000000000").returncode == 1
    assert run("get", "../secret").returncode == 1


def test_context(run: Run, start: Run, slept: Path) -> None:
    assert "allergic to peanuts" in run("context", "Can I eat peanuts?").stdout
    assert "杭州" in start("context", "-", input="还记得我住在哪里吗？").stdout
    assert run("context", "thanks!").stdout == ""
    found = answer(run("context", "Can I eat peanuts?", "--budget", "60", "--without-snapshot", "--json"))
    assert found["tokens"] <= found["budget"] == 60
    assert run("context", "peanuts", "--budget", "-1").returncode == 2


def test_every_answer_leaves_a_line(run: Run, slept: Path) -> None:
    log = slept / "memory/state/access.jsonl"
    before = log.read_text().count("\n") if log.exists() else 0
    memory = answer(run("search", "peanuts", "--json", "--scope", "memories", "--now", NOW))["results"][0]["id"]
    for command in (("search", "zzz"), ("get", memory), ("get", "a:e1"), ("context", "peanuts"), ("context", "hi")):
        run(*command, "--now", NOW)
    rows = [json.loads(line) for line in log.read_text().splitlines()[before:]]
    assert {(row["at"], row["who"]) for row in rows} == {(NOW, "cli")}
    assert [row["did"] for row in rows] == ["search", "search", "get", "get", "context", "context"]
    assert [row["ids"] for row in rows[:4]] == [[memory], [], [memory], ["a:e1"]]
    assert memory in rows[4]["ids"]
    assert rows[5]["ids"] == []


def test_a_day_is_shown_as_it_is_where_the_owner_lives(run: Run, tmp_path: Path) -> None:
    root = make(tmp_path / "w", zone="Asia/Shanghai")
    say(root, "a", ("2026-03-01T23:40:00Z", "user", "我对花生过敏。"))  # on 2 March in Shanghai
    consolidate(root, NOW)
    assert "2026-03-02 用户对花生过敏" in run("search", "花生", "--scope", "memories").stdout
    assert "2026-03-02" in run("context", "我对什么过敏").stdout


def test_search_only_among_some_and_explained(run: Run, slept: Path) -> None:
    assert answer(run("search", "peanuts", "--json", "--since", "2026-03-03"))["results"] == []
    assert answer(run("search", "peanuts", "--json", "--until", "2026-03-01"))["results"] == []
    day = ("--since", "2026-03-02", "--until", "2026-03-02")
    assert answer(run("search", "peanuts", "--json", *day, "--type", "fact"))["results"][0]["type"] == "fact"
    assert answer(run("search", "peanuts", "--json", *day, "--type", "message"))["results"][0]["type"] == "message"
    assert answer(run("search", "杭州", "--json", "--entity", "伦敦"))["results"] == []
    assert "  words " in run("search", "peanuts", "--explain").stdout


def test_capture_is_found_at_once_and_folded_in(run: Run, workspace: Path) -> None:
    made = answer(run("capture", "用户喜欢吃榴莲", "--json", "--importance", "0.8", "--now", NOW))
    assert made["id"].startswith("f_20260303_")
    assert answer(run("search", "榴莲", "--json"))["results"][0]["id"] == made["id"]
    run("consolidate", "--now", "2026-03-04T12:00:00Z")
    assert made["id"] in {record.id for record in memories(workspace)}
    assert not (workspace / "memory/state/inbox.jsonl").exists()


CAPTURED = {
    "用户对花生过敏": "health",
    "User is allergic to penicillin": "health",
    "User's emergency contact is Dana": "safety",
    "用户喜欢吃榴莲": "faded",
    "User parks in bay 14": "faded",
}


def test_a_captured_matter_of_health_never_fades(run: Run, workspace: Path) -> None:
    made = {words: answer(run("capture", words, "--json", "--now", NOW))["id"] for words in CAPTURED}
    for year in (2026, 2027, 2028):
        say(workspace, f"year{year}", (f"{year}-03-05T09:00:00Z", "user", "I bought a kite for my niece."))
        assert run("consolidate", "--now", f"{year}-03-06T12:00:00Z").returncode == 0
    active = {record.id: record.category for record in memories(workspace)}
    assert {words: active.get(made[words], "faded") for words in CAPTURED} == CAPTURED


@pytest.mark.parametrize("words", ["my password is hunter2x!", "我的密码是abc12345"])
def test_a_capture_of_nothing_but_a_secret_is_refused(run: Run, workspace: Path, words: str) -> None:
    refused = run("capture", words)
    assert refused.returncode == 2
    assert "nothing but a secret" in refused.stderr
    assert not (workspace / "memory/state/inbox.jsonl").exists()
    assert run("capture", f"{words} and my locker is number 12 at the harbour gym").returncode == 0


def test_two_captures_of_one_second_say_each_where_they_come_from(run: Run, workspace: Path) -> None:
    for words in ("User parks in bay 14", "用户把车停在14号车位"):
        assert run("--now", NOW, "capture", words).returncode == 0
    consolidate(workspace, "2026-03-04T12:00:00Z")
    refs = [each.evidence[0].ref for each in memories(workspace) if each.method == "capture"]
    assert len(set(refs)) == 2
    assert all(ref.startswith("capture:2026-03-03T12:00:00") for ref in refs)


def test_capture_with_a_key_is_one_memory(run: Run, workspace: Path) -> None:
    first = answer(run("capture", "User rows", "--key", "k1", "--json"))
    assert answer(run("capture", "User rows", "--key", "k1", "--json"))["id"] == first["id"]
    run("consolidate", "--force")
    assert answer(run("capture", "User rows", "--key", "k1", "--json"))["id"] == first["id"]


@pytest.mark.parametrize(
    ("first", "second"), [("User parks in bay 14", "User parks in bay 15"), ("用户停在3号位", "用户停在4号位")]
)
def test_another_text_with_a_key_that_is_taken_is_refused(run: Run, workspace: Path, first: str, second: str) -> None:
    known = answer(run("capture", first, "--key", "bay", "--json"))["id"]
    for _ in range(2):
        done = run("capture", second, "--key", "bay")
        assert done.returncode == 2
        assert f"the key 'bay' stands for {known}: {first}" in done.stderr
        assert f"memory edit {known}" in done.stderr
        run("consolidate", "--force")
    assert answer(run("capture", first.replace(" ", "  "), "--key", "bay", "--json"))["id"] == known


def test_a_key_still_stands_for_words_that_were_corrected(run: Run, workspace: Path) -> None:
    known = answer(run("capture", "User parks in bay 14", "--key", "bay", "--json"))["id"]
    run("consolidate", "--force")
    assert run("edit", known, "--content", "User parks in bay 15").returncode == 0
    assert answer(run("capture", "User parks in bay 14", "--key", "bay", "--json"))["id"] == known


@pytest.mark.parametrize("words", ["", "  ", "\u3000"])
def test_an_empty_question_is_refused_as_an_empty_capture_is(run: Run, workspace: Path, words: str) -> None:
    for command in ("search", "capture"):
        done = run(command, words)
        assert done.returncode == 2
        assert f'→ memory {command} "what to' in done.stderr


@pytest.mark.parametrize("broken", ['{"thresholds": 5}', '{"a', "[]"])
def test_with_a_config_that_cannot_be_read_a_capture_is_refused_and_nothing_acknowledged(
    run: Run, workspace: Path, broken: str
) -> None:
    assert run("capture", "User rows").returncode == 0
    path, inbox = workspace / "memory/config.json", workspace / "memory/state/inbox.jsonl"
    good, before = path.read_bytes(), inbox.read_bytes()
    path.write_text(broken, "utf-8")
    for command in ("capture", "note"):
        done = run(command, "User swims")
        assert done.returncode == 3
        assert str(path) in done.stderr
        assert done.stdout == ""
    assert inbox.read_bytes() == before
    path.write_bytes(good)
    found = answer(run("search", "who rows or swims", "--json"))["results"]
    assert [each["text"] for each in found] == ["User rows"]


def test_note_in_the_seeds_form(run: Run, workspace: Path) -> None:
    done = answer(
        run("note", "User prefers dark mode.", "--category", "preference", "--json", "--now", "2026-03-02T14:30:15Z")
    )
    assert done == {"status": "saved", "path": "memory/2026-03-02.md", "category": "preference"}
    text = (workspace / "memory/2026-03-02.md").read_text()
    assert text == "# Memory Log: 2026-03-02\n\n## [14:30:15] preference\n\nUser prefers dark mode.\n"
    assert "dark mode" in answer(run("search", "dark mode", "--json"))["results"][0]["text"]


def test_archive_and_restore(run: Run, slept: Path) -> None:
    memory_id = answer(run("search", "peanuts", "--json", "--scope", "memories"))["results"][0]["id"]
    assert run("archive", memory_id).returncode == 0
    assert "already" in run("archive", memory_id).stdout
    assert answer(run("search", "peanuts", "--json", "--scope", "memories"))["results"] == []
    assert answer(run("search", "peanuts", "--json", "--archived"))["results"]
    assert run("validate").stdout.strip() == "all is well"
    assert run("restore", memory_id).returncode == 0
    assert answer(run("search", "peanuts", "--json", "--scope", "memories"))["results"][0]["id"] == memory_id
    assert run("validate").stdout.strip() == "all is well"
    assert run("archive", "f_20260101_0000000000").returncode == 1


def test_stats_look_like_the_seeds(run: Run, slept: Path) -> None:
    lines = run("stats", "--now", NOW).stdout.split("\n")
    assert lines[0] == "📊 Memory System Stats"
    assert "Active: 2 | Archive: 0" in lines
    assert "  Facts: 2 (100%)" in lines
    assert "Last Consolidation: 2026-03-03T12:00:00Z" in lines
    assert "Next Scheduled: 2026-03-04T03:00:00Z" in lines


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["consolidate", "--now", "yesterday-ish"], 2, "--now"),
        (["frobnicate"], 2, ""),
        (["capture", "   "], 2, "empty"),
        (["capture", "x", "--importance", "7"], 2, "importance"),
        (["search", "x", "--scope", "moon"], 2, "scope"),
        (["search", "x", "--since", "2026-13-01"], 2, "2026-02-03"),
        (["search", "x", "--since", "2026-05-01", "--until", "2026-04-01"], 2, "since 2026-05-01 is after until"),
        (["forget", "--since", "2026-05-01", "--until", "2026-04-01"], 2, "is after until 2026-04-02"),
        (["context", " "], 2, "the question is empty"),
        (["context", "-"], 2, "the question is empty"),
        (["consolidate", "--llm", "perhaps"], 2, "--llm is one of"),
        (["undo"], 2, "Did you mean 'rollback'?"),
        (["serach", "x"], 2, "Did you mean 'search'?"),
        (["--workspace", "", "status"], 2, "it is empty"),
        (["--workspace", "", "init"], 2, "it is empty"),
        (["status", "--workspace="], 2, "it is empty"),
        (["search", "--模式"], 2, "--模式"),
        (["search", "x", "--limit", "三"], 2, "--limit"),
        (["search", "x", "--limit", "0"], 2, "it must be greater"),
        (["capture"], 2, "text"),
        (["--workspace"], 2, "--workspace"),
    ],
)
def test_usage_errors(run: Run, workspace: Path, arguments: list[str], code: int, said: str) -> None:
    done = run(*arguments)
    assert done.returncode == code
    assert said in done.stderr
    what, then = done.stderr.splitlines()
    assert what.startswith("memory: ")
    assert then.startswith("  → ")
    assert "Value error" not in what
    told = answer(run("--json", *arguments))["error"]
    assert told["kind"] == "UsageError"
    assert told["exit_code"] == code
    assert said in told["what"]
    assert "COMMAND" not in told["hint"]


def test_the_program_alone_shows_its_help() -> None:
    done = memory()
    assert done.returncode == 2
    assert "consolidate" in done.stderr


def test_what_a_field_cannot_hold_is_said_plainly(run: Run, slept: Path) -> None:
    done = run("edit", memories(slept)[0].id, "--importance", "7")
    assert done.returncode == 2
    assert "importance: it must be less than" in done.stderr


def test_a_usage_error_is_an_object_only_where_one_is_asked_for(run: Run) -> None:
    assert run("search").stdout == ""
    assert run("capture", "one", "two", "--", "--json").stdout == ""


def test_no_workspace(run: Run) -> None:
    done = run("consolidate")
    assert done.returncode == 4
    assert "init" in done.stderr
    assert answer(run("status", "--json"))["error"]["exit_code"] == 4


def test_config_typo_names_the_nearest_key(run: Run, workspace: Path) -> None:
    (workspace / "memory/config.json").write_text('{"thresholds": {"archve": 0.1}}')
    done = run("consolidate")
    assert done.returncode == 3
    assert "thresholds.archve" in done.stderr
    assert "did you mean archive" in done.stderr


def test_damaged_checkpoint_is_no_restart(run: Run, workspace: Path) -> None:
    (workspace / "memory/state/consolidation.json").write_text("{half")
    done = run("consolidate", "--now", NOW)
    assert done.returncode == 4
    assert "consolidation.json" in done.stderr
    assert not (workspace / "memory/layer2/active/facts.jsonl").exists()


def test_a_second_run_is_told_who_holds_the_lock(run: Run, start: Run, workspace: Path) -> None:
    with Workspace.open(workspace, now=at(NOW), write=True):
        done = start("consolidate", "--now", NOW)
    assert done.returncode == 5
    assert str(os.getpid()) in done.stderr
    assert run("consolidate", "--now", NOW).returncode == 0


def test_eight_captures_during_a_consolidation(run: Run, start: Run, workspace: Path) -> None:
    words = ["alder", "birch", "cedar", "elm", "柳树", "松树", "maple", "oak"]
    with Workspace.open(workspace, now=at(NOW), write=True), ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda word: start("capture", f"User planted {word}", "--now", NOW), words))
        assert [each.returncode for each in done] == [0] * 8
        for word in words:
            assert answer(run("search", word, "--json"))["results"][0]["text"] == f"User planted {word}"
    run("consolidate", "--now", "2026-03-04T12:00:00Z")
    assert {f"User planted {word}" for word in words} <= {record.content for record in memories(workspace)}


def test_read_only_folder(run: Run, workspace: Path) -> None:
    state = workspace / "memory/state"
    state.chmod(0o500)
    immutable = subprocess.run(["chattr", "+i", state], check=False, capture_output=True)  # stops root, too
    try:
        if os.geteuid() == 0 and immutable.returncode:
            return  # root writes everywhere, and this file system knows no immutable folders
        done = run("capture", "User rows")
    finally:
        subprocess.run(["chattr", "-i", state], check=False, capture_output=True)
        state.chmod(0o700)
    assert done.returncode == 4
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr


FACTS = "memory/layer2/active/facts.jsonl"
FORGET = ["forget", "--query", "peanuts", "--transcripts", "--yes"]


@pytest.mark.parametrize(
    ("name", "mode", "command", "code", "said"),
    [
        (FACTS, 0o000, ["validate"], 1, ["no right to read", "ls -ld"]),
        (FACTS, 0o000, ["status"], 4, ["no right to read", "ls -ld"]),
        ("sessions/a.jsonl", 0o400, FORGET, 4, ["sessions/a.jsonl:2\n", "a.jsonl: no right to write", "same command"]),
        ("sessions/a.jsonl", 0o000, FORGET, 4, ["not taken out of sessions/a.jsonl: no right to read"]),
    ],
    ids=str,
)
@pytest.mark.usefixtures("slept")
def test_what_may_not_be_read_or_written_is_named_with_its_reason(
    start: Run, workspace: Path, name: str, mode: int, command: list[str], code: int, said: list[str]
) -> None:
    (workspace / name).chmod(mode)
    done = start(*command, first=as_anybody())
    assert done.returncode == code
    assert [each for each in said if each not in done.stdout + done.stderr] == []
    assert "--repair" not in done.stdout
    assert "--transcripts" not in done.stdout


def test_a_full_disk_leaves_the_old_state(run: Run, workspace: Path) -> None:
    run("consolidate", "--now", NOW)
    before = (workspace / "memory/layer2/active/facts.jsonl").read_bytes()
    lines = [
        ("2026-03-03T13:00:00Z", "user", f"I bought {number} red kettles at market number {number}.")
        for number in range(300)
    ]
    say(workspace, "b", *lines)
    command = f"{sys.executable} -m memory_system --workspace {workspace} consolidate --now 2026-03-04T12:00:00Z"
    limited = f"ulimit -f 40; exec {command}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, timeout=60)
    assert done.returncode in (4, -signal.SIGXFSZ, 128 + signal.SIGXFSZ), done.stderr
    assert "Traceback" not in done.stderr
    assert (workspace / "memory/layer2/active/facts.jsonl").read_bytes() == before
    assert run("consolidate", "--now", "2026-03-04T12:00:00Z").returncode == 0


def test_ctrl_c(run: Run, workspace: Path) -> None:
    lines = [("2026-03-02T13:00:00Z", "user", f"I bought {number} red kettles.") for number in range(3_000)]
    say(workspace, "b", *lines)
    command = [sys.executable, "-m", "memory_system", "--workspace", str(workspace), "consolidate", "--now", NOW]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not Files().read(workspace / "memory/state/lock"):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert run("consolidate", "--now", NOW).returncode == 0


def test_ctrl_c_while_a_string_of_code_runs(tmp_path: Path) -> None:
    """CPython would die of the signal, not end with the code."""
    (tmp_path / "interrupted.py").write_text(
        "import os, signal, sys\n"
        "from memory_system.cli import catch_interrupts\n"
        "catch_interrupts()\n"
        "try:\n"
        "    exec('os.kill(os.getpid(), signal.SIGINT)\\nwhile True: pass')\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)\n"
    )
    here = os.pathsep.join([str(tmp_path), *sys.path])
    command = [sys.executable, "-m", "interrupted"]
    assert subprocess.run(command, env={**os.environ, "PYTHONPATH": here}, timeout=60).returncode == 130


def test_ctrl_c_within_what_says_it_in_an_error_of_its_own(workspace: Path, tmp_path: Path) -> None:
    """As pydantic does while it builds a class."""
    (tmp_path / "jsonlines.py").write_text(
        "import os, signal\n"
        "try:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    while True: pass\n"
        "except KeyboardInterrupt:\n"
        "    raise RuntimeError('could not be built') from None\n"
    )
    done = memory_with(tmp_path, workspace, "consolidate")
    assert done.returncode == 130
    assert "unexpected" not in done.stderr


def test_ctrl_c_while_the_program_starts(workspace: Path, tmp_path: Path) -> None:
    """Ctrl-C in the middle of an import: a module that it needs sends it."""
    (tmp_path / "typer").mkdir()
    (tmp_path / "typer/__init__.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(9)\n"
    )
    done = memory_with(tmp_path, workspace, "status")
    assert (done.returncode, done.stderr) == (130, "")


def memory_with(modules: Path, workspace: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program where those modules are found before any others."""
    command = [sys.executable, "-m", "memory_system", "--workspace", str(workspace), *arguments]
    here = os.pathsep.join([str(modules), *sys.path])
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": here}, capture_output=True, text=True, timeout=60)
