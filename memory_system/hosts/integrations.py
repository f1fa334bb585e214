"""Living inside OpenClaw: its transcripts as a source, a hook that puts the snapshot into private sessions, the tools,
and a nightly job (it has no setting that names files for the system prompt: `systemPromptFiles` exists in no version
looked at). Living inside Claude Code: its transcripts as a source, the tools, and three hooks, whose answers are given
here. A hook never fails: a host must not stop because its memory does."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from string import Template
from typing import Any

import orjson

from memory_system import finder, pipeline
from memory_system.disk import is_regular
from memory_system.errors import LockedError
from memory_system.finder import Giver
from memory_system.hosts import PATIENCE, Block, Command, Open, Own, Step, Value
from memory_system.llm import phrases
from memory_system.workspace import Workspace

NO_TOOLS = "for tools over MCP install what serves them, and run the command again: pip install 'memory-system[mcp]'"
OPENCLAW = "openclaw"
HOOK = "memory-snapshot"
FOLDER = Path(__file__).with_name("openclaw")  # of the files of that hook
JOB = "memory-system nightly"
KEY = "memory-system:nightly"  # OpenClaw keeps one job for each such key
SERVER = "memory"
_LIST = ("openclaw", "automations", "list", "--all", "--json")
AFTER = 70  # minutes between a night's slot and the job: not with OpenClaw's own at 03:00
MOST = 20_000  # characters that OpenClaw takes of one file

CLAUDE_CODE = "claude-code"
BUDGET = 600  # tokens of what is put beside a prompt
LONGEST_PROMPT = 4_000  # characters of it that are searched for
EVENTS = {  # in Claude Code's settings: the event, our name for it, and seconds
    "SessionStart": ("session-start", 15),
    "UserPromptSubmit": ("user-prompt-submit", 15),
    "SessionEnd": ("session-end", 60),
}


def state_folder(environment: Mapping[str, str], home: Path) -> Path:
    """OpenClaw's state: OPENCLAW_STATE_DIR, else the profile's folder, else the newest name of its usual folder."""
    if given := environment.get("OPENCLAW_STATE_DIR"):
        return Path(given).expanduser().absolute()
    home = Path(environment.get("OPENCLAW_HOME") or home)
    profile = environment.get("OPENCLAW_PROFILE")
    if profile and profile != "default":
        return home / f".openclaw-{profile}"
    older = home / ".clawdbot"
    return older if older.is_dir() and not (home / ".openclaw").exists() else home / ".openclaw"


def openclaw_steps(
    ws: Workspace, state: Path, agent: str, argv: Sequence[str], *, tools: bool, rules: bool, facts: bool = False
) -> list[Step]:
    """What has to stand where. `argv` calls this program for the workspace, `tools` says that it can serve them; with
    `facts` OpenClaw's own search sees what is remembered."""
    hook, config = state / "hooks" / HOOK, str(state / "openclaw.json")
    found: list[Step] = [
        Value(str(ws.layout.config), ["sources"], {"path": str(state / "agents" / agent)}, listed=True),
        Own(str(hook / "HOOK.md"), (FOLDER / "HOOK.md").read_text("utf-8")),
        Own(str(hook / "handler.js"), handler(ws.layout.snapshot, agent)),
        Value(config, ["hooks", "internal", "entries", HOOK], {"enabled": True}),
    ]
    if facts:
        found.append(Value(str(ws.layout.config), ["facts_page"], value=True))
    if tools:
        server = {"command": argv[0], "args": [*argv[1:], "serve"]}
        found.append(Value(config, ["mcp", "servers", SERVER], server))
    if rules:
        found.append(Block(str(ws.layout.root / "AGENTS.md"), _rules(ws, argv)))
    return [*found, _job(ws, argv)]


def handler(snapshot: Path, agent: str) -> str:
    """The hook's program."""
    code = Template((FOLDER / "handler.js").read_text("utf-8"))
    return code.substitute(snapshot=json.dumps(str(snapshot)), private=json.dumps(private_key(agent)), most=MOST)


def private_key(agent: str) -> str:
    """A pattern (the same in JavaScript and Python) of the keys of sessions that nobody but the owner sees: the agent's
    main one, or a direct chat, perhaps by channel and account. What is not known to be private is not."""
    return rf"^agent:{re.escape(agent)}:(?:main|(?:[^:]+:){{0,2}}(?:direct|dm):[^:]+)$"


def _job(ws: Workspace, argv: Sequence[str]) -> Command:
    """The nightly job. OpenClaw keeps one for each declaration key, so that declaring it again changes nothing."""
    return (
        "openclaw", "automations", "create", "--declaration-key", KEY, "--name", JOB,
        "--cron", job_time(ws.config.consolidation.schedule), "--tz", ws.config.timezone,
        "--command-argv", json.dumps([*argv, "--quiet", "consolidate"]),
        "--command-cwd", str(ws.layout.root), "--timeout-seconds", "1800", "--no-deliver",
    )  # fmt: skip


def undoing(host: str) -> tuple[list[Command], list[str]]:
    """The commands that take tools or the nightly job away, and what is to be done by hand where a host cannot be asked
    for its jobs."""
    if host == CLAUDE_CODE:
        return [("claude", "mcp", "remove", "--scope", "user", SERVER)], []
    try:
        told = subprocess.run(_LIST, capture_output=True, timeout=PATIENCE, check=True).stdout  # noqa: S603 - words of ours
        jobs = json.loads(told)["jobs"]
        found = [str(job["id"]) for job in jobs if job.get("declarationKey") == KEY]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return [], [f"OpenClaw could not be asked for its jobs; find {JOB!r} with: openclaw automations list --all"
                    "\nand remove it with: openclaw automations rm ID"]  # fmt: skip
    return [("openclaw", "automations", "rm", each) for each in found], []


def job_time(schedule: str) -> str:
    """When the job runs: some time after the night's slot, on every day; every hour where the slot is none of a day."""
    minute, hour, *_ = [*schedule.split(), "", ""]
    if not (minute.isdigit() and hour.isdigit()):
        return "20 * * * *"
    at = int(hour) * 60 + int(minute) + AFTER
    return f"{at % 60} {at // 60 % 24} * * *"


def openclaw_advice(ws: Workspace, argv: Sequence[str], *, tools: bool, rules: bool) -> list[str]:
    """What only the owner can do."""
    told = advice(ws, argv, "AGENTS.md", tools=tools, rules=rules)
    pulse = phrases(ws.language)["host_heartbeat"].format(memory=" ".join(argv))
    restart = "restart the Gateway, so that it loads the hook: openclaw gateway restart"
    return [restart, *told, f"give this to OpenClaw's heartbeat:\n\n{pulse}\n"]


def advice(ws: Workspace, argv: Sequence[str], file: str, *, tools: bool, rules: bool) -> list[str]:
    """What only the owner can do, where an agent is told its rules in that file."""
    recall = f"put this into {file}, or run the command again with --rules:\n\n{_rules(ws, argv)}\n"
    return [*([] if tools else [NO_TOOLS]), *([] if rules else [recall])]


def _rules(ws: Workspace, argv: Sequence[str]) -> str:
    told: str = phrases(ws.language)["host_rules"].format(memory=" ".join(argv))
    return told


def claude_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where Claude Code keeps what belongs to its user."""
    given = environment.get("CLAUDE_CONFIG_DIR")
    return Path(given).expanduser().absolute() if given else home / ".claude"


def claude_steps(ws: Workspace, there: Path, argv: Sequence[str], *, tools: bool, rules: bool) -> list[Step]:
    """What has to stand where. `argv` calls this program for the workspace, `tools` says that it can serve them."""
    settings = str(there / "settings.json")
    source = {"path": str(there / "projects"), "format": CLAUDE_CODE}
    found: list[Step] = [Value(str(ws.layout.config), ["sources"], source, listed=True)]
    for event, (name, seconds) in EVENTS.items():
        hook = {"type": "command", "command": shlex.join([*argv, "hook", CLAUDE_CODE, name]), "timeout": seconds}
        found.append(Value(settings, ["hooks", event], {"hooks": [hook]}, listed=True))
    if rules:
        found.append(Block(str(there / "CLAUDE.md"), _rules(ws, argv)))
    if tools:
        found.append(("claude", "mcp", "add", "--scope", "user", SERVER, "--", *argv, "serve"))
    return found


# ---- what the hooks of Claude Code do with the JSON on their stdin ---------------------------------------------------


def answer(event: str, told: bytes, opening: Open) -> dict[str, Any]:
    """What the host is to read on stdout for the event (session-start, user-prompt-submit, session-end), as an object;
    empty for nothing. `opening` opens the workspace. ValueError when stdin is not what the host documents."""
    try:
        row = orjson.loads(told)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"stdin is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError("stdin is not a JSON object")
    if event == "session-start":
        return _context("SessionStart", _snapshot(opening))
    if event == "user-prompt-submit":
        prompt = row.get("prompt")
        if not isinstance(prompt, str):
            raise ValueError("the event has no prompt")
        return _context("UserPromptSubmit", _about(prompt, opening))
    with suppress(LockedError), opening(write=True) as ws:  # not now when somebody else is at it
        pipeline.consolidate(ws, if_due=True)
    return {}


def _context(event: str, text: str) -> dict[str, Any]:
    """Words for the model, between marks by which they are known again should they come back in a transcript."""
    if not text.strip():
        return {}
    marked = f"<memory-context>\n{text.strip()}\n</memory-context>"
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": marked}}


def _snapshot(opening: Open) -> str:
    with opening() as ws:
        path = ws.layout.snapshot
        text = path.read_text("utf-8", errors="replace") if is_regular(path) else ""
        return Giver(ws).text(text)  # also what was written before the owner wanted it masked


def _about(prompt: str, opening: Open) -> str:
    """What is remembered about the prompt and does not stand in the snapshot; nothing about a command of the host."""
    if not prompt.strip() or prompt.lstrip().startswith("/"):
        return ""
    with opening() as ws:
        found = finder.context(ws, prompt[:LONGEST_PROMPT], budget=BUDGET, without_snapshot=True, who="cli")
    return str(found["text"])
