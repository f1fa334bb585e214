"""Living inside a host: what is put where, what is taken out again, and what the hooks answer."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result
from workspaces import consolidate, make, say

from memory_system.cli import app, hoisted
from memory_system.errors import UsageError
from memory_system.hosts import integrations, with_block, with_value


class Machine:
    """A home with a workspace, and programs of hosts that only write down how they were called."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = root / "home"
        self.bin = root / "bin"
        self.log = root / "called"
        self.bin.mkdir(parents=True)
        self.ws = make(self.home / "agent")
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("PATH", f"{self.bin}:/usr/bin:/bin")
        monkeypatch.setenv("LOG", str(self.log))
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
        monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)

    def program(self, name: str, script: str = "") -> None:
        path = self.bin / name
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" "{name} $*" >> "$LOG"\n{script}\n')
        path.chmod(0o755)

    def run(self, *arguments: str, told: bytes = b"") -> Result:
        return CliRunner().invoke(app, hoisted(["--workspace", str(self.ws), *arguments]), input=told)

    def do(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert done.exit_code == 0, done.stderr
        return done.stdout

    def put(self, name: str, text: str) -> Path:
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def called(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


# ---- putting something into a file of somebody else ----------------------------------------------------------------

TEXTS = [
    "",
    " \n",
    "{}",
    "{ }\n",
    '{\n  "x": 1\n}\n',
    '{"a":{"b":[]},"x":"{[\\"y"}',
    '{\n\t"a": {\n\t\t"b": [\n\t\t\t{"c": 1}\n\t\t]\n\t}\n}',
    '{"一": "二", "a": {"x": [1, 2, {"b": 3}]}}\r\n',
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_put_into_json_can_be_cut_out_again(text: str) -> None:
    changed, piece = with_value(text, ("a", "b"), {"k": "值"}, listed=True)
    assert {"k": "值"} in json.loads(changed)["a"]["b"]
    assert changed.replace(piece, "") == text
    before = json.loads(text.strip() or "{}")
    assert {**json.loads(changed), "a": None} == {**before, "a": None}


@pytest.mark.parametrize("text", ["[1]", "not json", '{"a": 1', "// comment\n{}", '{"a": {"b": 5}}', '{"a": 5}'])
def test_json_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        with_value(text, ("a", "b"), 1, listed=True)


@pytest.mark.parametrize("text", ["", "# Rules\n", "# Rules", "a\r\n", "\n\n"])
def test_what_is_put_into_markdown_can_be_cut_out_again(text: str) -> None:
    changed, piece = with_block(text, "## Memory\n\nSearch first.")
    assert changed.startswith(text)
    assert changed.replace(piece, "") == text


# ---- OpenClaw ------------------------------------------------------------------------------------------------------

CONFIG = '{\n  "memory": {"search": {"provider": "none"}},\n  "gateway": {"auth": {"token": "loopback"}}\n}\n'
LISTING = (
    'case "$*" in *list*) echo \'{"jobs":[{"id":"j-1","declarationKey":"memory-system:nightly"},{"id":"j-2"}]}\';; esac'
)


def test_openclaw_is_told_everything_it_needs(machine: Machine) -> None:
    machine.program("openclaw", LISTING)
    machine.put(".openclaw/openclaw.json", CONFIG)
    machine.do("integrate", "openclaw")
    config = json.loads((machine.home / ".openclaw/openclaw.json").read_text())
    assert config["hooks"]["internal"]["entries"] == {"memory-snapshot": {"enabled": True}}
    assert config["gateway"] == {"auth": {"token": "loopback"}}
    server = config["mcp"]["servers"]["memory"]
    assert [server["command"], *server["args"]][-3:] == ["--workspace", str(machine.ws), "serve"]
    assert "systemPromptFiles" not in json.dumps(config)
    hook = machine.home / ".openclaw/hooks/memory-snapshot"
    assert '"events": ["agent:bootstrap"]' in (hook / "HOOK.md").read_text()
    assert str(machine.ws / "memory/layer1/snapshot.md") in (hook / "handler.js").read_text()
    sources = json.loads((machine.ws / "memory/config.json").read_text())["sources"]
    assert sources == [{"path": str(machine.home / ".openclaw/agents/main")}]
    [job] = machine.called()
    assert job.startswith("openclaw automations create --declaration-key memory-system:nightly")
    assert "--command-argv" in job
    assert "--no-deliver" in job
    assert not (machine.home / ".openclaw/cron").exists()


def test_integrating_again_changes_nothing(machine: Machine) -> None:
    machine.put(".openclaw/openclaw.json", CONFIG)
    machine.do("integrate", "openclaw", "--rules")
    first = tree(machine.home)
    row = json.loads(machine.do("--json", "integrate", "openclaw", "--rules"))
    assert row["changed"] == []
    assert tree(machine.home) == first


def test_a_dry_run_shows_each_change_and_makes_none(machine: Machine) -> None:
    machine.program("openclaw")
    machine.put(".openclaw/openclaw.json", CONFIG)
    before = tree(machine.home)
    told = machine.do("integrate", "openclaw", "--dry-run")
    assert '+  "hooks": {"internal": {"entries": {"memory-snapshot": {"enabled": true}}}},' in told
    assert "+const SNAPSHOT" in told
    assert "$ openclaw automations create" in told
    assert tree(machine.home) == before
    assert machine.called() == []


@pytest.mark.parametrize(
    "config", [CONFIG, "{}", '{"hooks":{"internal":{"entries":{"boot-md":{"enabled":true}}}}}', None]
)
def test_taking_it_out_leaves_every_file_as_it_was(config: str | None, machine: Machine) -> None:
    machine.program("openclaw", LISTING)
    machine.put("agent/AGENTS.md", "# How we work\n\n- ask first\n")
    if config is not None:
        machine.put(".openclaw/openclaw.json", config)
    before = tree(machine.home)
    machine.do("integrate", "openclaw", "--rules")
    assert "memory_search" in (machine.ws / "AGENTS.md").read_text()
    machine.do("integrate", "openclaw", "--remove")
    assert tree(machine.home) == before
    assert machine.called()[-1] == "openclaw automations rm j-1"
    assert not (machine.home / ".openclaw/hooks/memory-snapshot").exists()


def test_an_empty_file_is_left_as_an_empty_file(machine: Machine) -> None:
    machine.put("agent/AGENTS.md", "")
    machine.put(".openclaw/openclaw.json", "")
    before = tree(machine.home)
    machine.do("integrate", "openclaw", "--rules")
    machine.do("integrate", "openclaw", "--remove")
    assert tree(machine.home) == before


def test_rules_that_were_asked_for_once_stay_until_they_are_taken_out(machine: Machine) -> None:
    path = machine.put("agent/AGENTS.md", "# Mine\n")
    machine.do("integrate", "openclaw", "--rules")
    with_rules = path.read_text()
    machine.do("integrate", "openclaw")
    assert path.read_text() == with_rules
    machine.do("integrate", "openclaw", "--remove")
    assert path.read_text() == "# Mine\n"


def test_what_the_owner_changed_meanwhile_stays(machine: Machine) -> None:
    path = machine.put(".openclaw/openclaw.json", CONFIG)
    machine.do("integrate", "openclaw")
    path.write_text(json.dumps({**json.loads(path.read_text()), "agents": {"x": 1}}))  # and OpenClaw wrote it anew
    machine.do("integrate", "openclaw", "--remove")
    assert json.loads(path.read_text()) == {**json.loads(CONFIG), "agents": {"x": 1}}


def test_peoples_files_are_not_touched_unasked(machine: Machine) -> None:
    machine.put("agent/AGENTS.md", "mine\n")
    told = machine.do("integrate", "openclaw")
    assert (machine.ws / "AGENTS.md").read_text() == "mine\n"
    assert "--rules" in told
    assert "heartbeat" in told


def test_a_config_with_comments_is_left_alone(machine: Machine) -> None:
    machine.put(".openclaw/openclaw.json", "// mine\n{}\n")
    before = tree(machine.home)
    done = machine.run("integrate", "openclaw")
    assert done.exit_code == 2
    assert "openclaw.json: it is not plain JSON" in done.stderr
    assert tree(machine.home) == before


def test_a_hook_of_somebody_else_under_our_name_is_left_alone(machine: Machine) -> None:
    machine.put(".openclaw/hooks/memory-snapshot/handler.js", "// mine\n")
    assert machine.run("integrate", "openclaw").exit_code == 2
    assert (machine.home / ".openclaw/hooks/memory-snapshot/handler.js").read_text() == "// mine\n"


def test_without_openclaw_the_command_is_told(machine: Machine) -> None:
    told = machine.do("integrate", "openclaw")
    assert "openclaw is not here; run this where it is: openclaw automations create" in told


def test_what_a_hosts_command_says_may_be_no_text(machine: Machine) -> None:
    machine.program("openclaw", "printf 'no gateway \\377\\n'; exit 1")
    assert "this did not work (no gateway \ufffd): openclaw automations create" in machine.do("integrate", "openclaw")


def test_the_rules_are_in_the_language_of_the_workspace(machine: Machine) -> None:
    (machine.ws / "memory/config.json").write_text('{"language": "zh"}')
    machine.do("integrate", "openclaw", "--rules")
    assert "先搜索再回答" in (machine.ws / "AGENTS.md").read_text()


@pytest.mark.parametrize(
    ("key", "private"),
    [
        ("agent:main:main", True),
        ("agent:main:direct:ana", True),
        ("agent:main:feishu:direct:ou_58ac", True),
        ("agent:main:telegram:work:direct:5", True),
        ("agent:main:telegram:group:-1001", False),
        ("agent:main:telegram:group:-1001:topic:5", False),
        ("agent:main:discord:channel:9", False),
        ("agent:main:slack:channel:direct:9:thread:1", False),
        ("agent:main:cron:digest:run:1", False),
        ("agent:main:subagent:5f", False),
        ("agent:main:main:heartbeat", False),
        ("agent:other:main", False),
        ("hook:gmail:1", False),
        ("", False),
    ],
)
def test_the_snapshot_is_for_private_sessions_only(key: str, private: bool) -> None:
    pattern = integrations.private_key("main")
    assert bool(re.search(pattern, key)) == private
    assert json.dumps(pattern) in integrations.handler(Path("/ws/memory/layer1/snapshot.md"), "main")


def test_the_snapshot_has_a_name_that_openclaw_keeps(tmp_path: Path) -> None:
    root = make(tmp_path)
    names = [f"{name}{number}" for number in range(12) for name in ("Ana", "Bo", "Cy", "Di", "Ed")]
    talk = [f"My friend {name} likes 茶 and rowing." for name in names]
    said = [(f"2026-03-02T09:{number:02}:00Z", "user", text) for number, text in enumerate(talk)]
    say(root, "s", *said)
    consolidate(root, "2026-03-03T12:00:00Z")
    [path] = (root / "memory/layer1").iterdir()
    assert path.suffix == ".md"
    assert not re.match(r"\d{4}-\d\d-\d\d", path.name)  # such names fade, and are dreamt of
    text = path.read_bytes().decode("utf-8")
    assert len(text) <= 8_000
    assert "\0" not in text


def test_openclaws_own_search_sees_what_is_remembered_where_that_is_asked_for(machine: Machine) -> None:
    config = (machine.ws / "memory/config.json").read_bytes()
    machine.do("integrate", "openclaw", "--facts")
    machine.do("integrate", "openclaw")  # what was asked for once stays
    talk = (
        ("2026-03-02T09:00:00Z", "user", "Also, I'm allergic to peanuts."),
        ("2026-03-02T09:01:00Z", "user", "我可能明年会搬去杭州。"),
    )
    say(machine.ws, "s", *talk)
    consolidate(machine.ws, "2026-03-03T12:00:00Z")
    page = machine.ws / "memory/layer1/facts.md"
    assert page.read_text() == (
        "# What is remembered\n\n- 2026-03-02 User is allergic to peanuts\n"
        "- 2026-03-02 用户：“我可能明年[2027]会搬去杭州。” (not sure)\n"
    )
    assert machine.run("validate").exit_code == 0
    page.write_text("# mine\n")
    assert "facts.md" in machine.run("validate").stdout
    assert [machine.run("integrate", other, "--facts").exit_code for other in ("claude-code", "generic")] == [2, 2]
    machine.do("integrate", "openclaw", "--remove")
    consolidate(machine.ws, "2026-03-04T12:00:00Z", force=True)
    assert not page.exists()
    assert (machine.ws / "memory/config.json").read_bytes() == config


@pytest.mark.parametrize(
    ("schedule", "job"),
    [("0 3 * * *", "10 4 * * *"), ("30 23 * * *", "40 0 * * *"), ("0 3 * * 1", "10 4 * * *"), ("@daily", "20 * * * *"),
     ("0 */6 * * *", "20 * * * *")],
)  # fmt: skip
def test_the_job_runs_after_the_night_and_away_from_openclaws_own(schedule: str, job: str) -> None:
    assert integrations.job_time(schedule) == job


@pytest.mark.parametrize(
    ("environment", "folders", "found"),
    [
        ({}, [], ".openclaw"),
        ({}, [".clawdbot"], ".clawdbot"),
        ({}, [".clawdbot", ".openclaw"], ".openclaw"),
        ({"OPENCLAW_PROFILE": "work"}, [".openclaw"], ".openclaw-work"),
        ({"OPENCLAW_PROFILE": "default"}, [], ".openclaw"),
    ],
)
def test_where_openclaw_keeps_its_state(
    environment: dict[str, str], folders: list[str], found: str, tmp_path: Path
) -> None:
    for name in folders:
        (tmp_path / name).mkdir()
    assert integrations.state_folder(environment, tmp_path) == tmp_path / found
    assert integrations.state_folder({**environment, "OPENCLAW_STATE_DIR": "/else"}, tmp_path) == Path("/else")


# ---- Claude Code ---------------------------------------------------------------------------------------------------

SETTINGS = '{\n  "model": "opus",\n  "hooks": {\n    "SessionStart": [\n      {"hooks": []}\n    ]\n  }\n}\n'


@pytest.mark.parametrize("settings", [SETTINGS, "{}\n", None])
def test_claude_code_is_told_and_left_as_it_was(settings: str | None, machine: Machine) -> None:
    machine.program("claude")
    if settings is not None:
        machine.put(".claude/settings.json", settings)
    before = tree(machine.home)
    machine.do("integrate", "claude-code", "--rules")
    hooks = json.loads((machine.home / ".claude/settings.json").read_text())["hooks"]
    start = hooks["SessionStart"][0]["hooks"][0]
    assert start["type"] == "command"
    assert start["command"].endswith("hook claude-code session-start")
    assert "SessionEnd" in hooks
    sources = json.loads((machine.ws / "memory/config.json").read_text())["sources"]
    assert sources == [{"path": str(machine.home / ".claude/projects"), "format": "claude-code"}]
    [added] = machine.called()
    assert added.startswith("claude mcp add --scope user memory -- ")
    assert added.endswith(" serve")
    machine.do("integrate", "claude-code", "--remove")
    assert machine.called()[-1] == "claude mcp remove --scope user memory"
    assert tree(machine.home) == before


def event(name: str, **more: Any) -> bytes:
    """What Claude Code's documentation of hooks says that stands on stdin."""
    common = {
        "session_id": "eb5b0174-0555-4601-804e-672d68069c89", "transcript_path": "/home/ana/.claude/projects/x.jsonl",
        "cwd": "/home/ana/x", "permission_mode": "default", "hook_event_name": name,
    }  # fmt: skip
    return json.dumps({**common, **more}, ensure_ascii=False).encode()


DOCUMENTED = [
    *(("session-start", event("SessionStart", source=each)) for each in ("startup", "resume", "clear", "compact")),
    ("user-prompt-submit", event("UserPromptSubmit", prompt="我在哪里上班？ May I eat peanuts?")),
    *(
        ("session-end", event("SessionEnd", reason=each))
        for each in ("clear", "logout", "prompt_input_exit", "bypass_permissions_disabled", "other")
    ),
]


@pytest.mark.parametrize(("name", "told"), DOCUMENTED)
def test_every_documented_event_is_answered_as_documented(name: str, told: bytes, machine: Machine) -> None:
    say(machine.ws, "s", ("2026-03-02T09:00:00Z", "user", "Also, I'm allergic to peanuts. 我在云帆科技上班。"))
    consolidate(machine.ws, "2026-03-03T12:00:00Z")
    if name == "user-prompt-submit":  # what the snapshot holds is not told again
        (machine.ws / "memory/layer1/snapshot.md").unlink()
    done = machine.run("hook", "claude-code", name, told=told)
    assert (done.exit_code, done.stderr) == (0, "")
    if name == "session-end":
        assert done.stdout == ""
        return
    answer = json.loads(done.stdout)
    assert set(answer) == {"hookSpecificOutput"}
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert answer["hookSpecificOutput"]["hookEventName"] == json.loads(told)["hook_event_name"]
    assert "peanuts" in answer["hookSpecificOutput"]["additionalContext"]


def test_a_hook_of_the_real_program_with_a_prompt_of_a_megabyte(machine: Machine) -> None:
    say(machine.ws, "s", ("2026-03-02T09:00:00Z", "user", "My dentist is Dr. Quill in Porto."))
    consolidate(machine.ws, "2026-03-03T12:00:00Z")
    (machine.ws / "memory/layer1/snapshot.md").unlink()
    command = [sys.executable, "-m", "memory_system", "--workspace", str(machine.ws), "hook", "claude-code"]
    told = event("UserPromptSubmit", prompt="Which dentist did I tell you about? " + "word " * 200_000)
    done = subprocess.run([*command, "user-prompt-submit"], input=told, capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout) < 10_000


def test_a_session_begins_with_the_snapshot(machine: Machine) -> None:
    say(machine.ws, "s", ("2026-03-02T09:00:00Z", "user", "Also, I'm allergic to peanuts. 我在云帆科技上班。"))
    consolidate(machine.ws, "2026-03-03T12:00:00Z")
    done = machine.run("hook", "claude-code", "session-start", told=event("SessionStart", source="startup"))
    told = json.loads(done.stdout)["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "allergy: peanuts" in told["additionalContext"]
    assert "云帆科技" in told["additionalContext"]


def test_a_prompt_brings_what_is_remembered_about_it(machine: Machine) -> None:
    facts = [f"My friend {name} likes rowing." for name in ("Ana", "Bo", "Cleo", "Dan", "Eva")]
    say(machine.ws, "s", ("2026-03-02T09:00:00Z", "user", "My dentist is Dr. Quill in Porto. " + " ".join(facts)))
    consolidate(machine.ws, "2026-03-03T12:00:00Z")
    (machine.ws / "memory/layer1/snapshot.md").unlink()
    asked = event("UserPromptSubmit", prompt="Which dentist did I tell you about?")
    done = machine.run("hook", "claude-code", "user-prompt-submit", told=asked)
    told = json.loads(done.stdout)["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    assert "Quill" in told["additionalContext"]
    for silent in ("/compact", " ", "Thanks!"):
        assert machine.run("hook", "claude-code", "user-prompt-submit", told=event("U", prompt=silent)).stdout == ""


def test_what_a_hook_says_is_not_remembered_as_the_users_words(machine: Machine) -> None:
    say(machine.ws, "s", ("2026-03-02T09:00:00Z", "user", "Also, I'm allergic to peanuts."))
    consolidate(machine.ws, "2026-03-03T12:00:00Z")
    done = machine.run("hook", "claude-code", "session-start", told=event("SessionStart", source="startup"))
    from memory_system.readers.reading import judge

    context = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert judge(f"{context}\nWhat may I eat?", "user") == ("What may I eat?", "")


def test_the_end_of_a_session_reads_what_is_due(machine: Machine) -> None:
    say(machine.ws, "s", ("2026-03-02T09:00:00Z", "user", "Also, I'm allergic to peanuts."))
    done = machine.run(
        "--now", "2026-03-03T12:00:00Z", "hook", "claude-code", "session-end", told=event("SessionEnd", reason="other")
    )
    assert (done.exit_code, done.stdout) == (0, "")
    assert "peanuts" in (machine.ws / "memory/layer1/snapshot.md").read_text()


@pytest.mark.parametrize("name", ["session-start", "user-prompt-submit", "session-end"])
@pytest.mark.parametrize(
    "told",
    [
        b"", b"not json", b"[1]", b"\xff\xfe", b'{"prompt": 5}', b"null", b"{} {}", b'{"prompt": "\\ud800"}',
        b'{"prompt": null}', b"[" * 100_000, b'{"prompt": "a\\u0000b"}', b"\xef\xbb\xbf{}",
    ],
)  # fmt: skip
def test_a_hook_never_fails(name: str, told: bytes, machine: Machine) -> None:
    done = machine.run("hook", "claude-code", name, told=told)
    assert done.exit_code == 0
    assert done.stdout == ""


def test_a_hook_without_a_workspace_says_so_and_does_not_fail(machine: Machine, tmp_path: Path) -> None:
    machine.ws = tmp_path / "nowhere"
    done = machine.run("hook", "claude-code", "session-start", told=event("SessionStart", source="startup"))
    assert (done.exit_code, done.stdout) == (0, "")
    assert "not a workspace" in done.stderr


# ---- the machine's own scheduler -----------------------------------------------------------------------------------

CRONTAB = (
    'case "$1" in -l) cat "$HOME/table" 2>/dev/null || exit 1;; -r) rm "$HOME/table";; -) cat > "$HOME/table";; esac'
)


@pytest.mark.parametrize("table", [None, "0 5 * * * backup\n", "# mine", "MAILTO=me\n\n5 4 * * * x\n"])
def test_a_line_in_the_crontab_and_its_removal(table: str | None, machine: Machine) -> None:
    machine.program("crontab", CRONTAB)
    machine.program("systemctl", "exit 1")
    path = machine.home / "table"
    if table is not None:
        path.write_text(table)
    for _ in range(2):
        machine.do("schedule", "install")
    lines = path.read_text().splitlines()
    assert [line for line in lines if "memory_system" in line and line.startswith("17 * * * * ")] == lines[-1:]
    assert json.loads(machine.do("--json", "schedule", "show"))["installed"] == "cron"
    machine.do("schedule", "remove")
    after = path.read_text() if path.exists() else None
    assert after == (f"{table}\n" if table == "# mine" else table)  # a crontab ends with a newline, or cron refuses it


def test_a_scheduler_is_shown_what_changes_before_it_does(machine: Machine) -> None:
    machine.program("crontab", CRONTAB)
    machine.program("systemctl", "exit 1")
    machine.put("table", "0 5 * * * backup\n")
    before = tree(machine.home)
    told = machine.do("integrate", "generic", "--dry-run")
    assert "+17 * * * * " in told
    assert " 0 5 * * * backup" in told
    assert "nothing was changed" in told
    assert tree(machine.home) == before
    row = json.loads(machine.do("--json", "integrate", "generic"))
    assert (row["host"], row["status"], row["changed"]) == ("generic", "integrated", ["crontab"])
    assert json.loads(machine.do("--json", "integrate", "generic"))["changed"] == []  # safe to repeat
    assert "-17 * * * * " in machine.do("integrate", "generic", "--remove")
    assert tree(machine.home) == before


def test_a_timer_that_is_not_taken_is_told(machine: Machine) -> None:
    machine.program("systemctl", 'case "$*" in *enable*) exit 1;; esac')
    assert "does not start" in machine.run("integrate", "generic").stderr


def test_a_timer_that_catches_up_and_its_removal(machine: Machine) -> None:
    machine.program("systemctl")
    before = tree(machine.home)
    machine.do("integrate", "generic")
    units = {path.suffix: path.read_text() for path in (machine.home / ".config/systemd/user").iterdir()}
    assert set(units) == {".service", ".timer"}
    assert "Persistent=true" in units[".timer"]
    assert (
        f"ExecStart={sys.executable} -m memory_system --workspace {machine.ws} --quiet consolidate" in units[".service"]
    )
    assert any("enable --now memory-system-" in each for each in machine.called())
    machine.do("integrate", "generic", "--remove")
    assert tree(machine.home) == before
    assert any("disable --now memory-system-" in each for each in machine.called())


def test_a_machine_without_any_scheduler_is_told_what_to_do(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(machine.bin))
    done = machine.run("schedule", "install")
    assert done.exit_code == 2
    assert "memory consolidate" in done.stderr
    assert machine.run("schedule", "show").exit_code == 0
    assert [path.name for path in machine.home.iterdir()] == ["agent"]
