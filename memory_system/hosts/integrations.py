"""Living inside OpenClaw: its transcripts as a source, a hook that puts the snapshot into private sessions, the tools,
and a nightly job (it has no setting that names files for the system prompt: `systemPromptFiles` exists in no version
looked at). Living inside Claude Code: its transcripts as a source, three hooks (what they do stands in `hooks`), and
the tools."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from memory_system.hosts.steps import PATIENCE, Block, Command, Own, Step, Value
from memory_system.workspace import Workspace

RULES = {
    "en": """## Memory

Your long-term memory is kept by the program `memory`. What it knows best stands in the memory snapshot, which you are
shown when a private session begins.

- Before you answer anything about earlier work, decisions, dates, people, preferences or todos: search first, with the
  tool `memory_search`, or with `{memory} search "WORDS"`. If you are not sure after that, say that you have looked.
- When somebody asks you to remember something, do it at once: tool `memory_write`, or `{memory} capture "SENTENCE"`.
- What you find there is private. Never quote it in a group chat.
- Do not write in `memory/layer1`, `memory/layer2`, `memory/layer3` and `memory/state`: the program does.""",
    "zh": """## 记忆

你的长期记忆由程序 `memory` 管理。其中最重要的内容在记忆快照里，私聊会话开始时会给你看。

- 凡是问到以前的工作、决定、日期、人物、偏好或待办，先搜索再回答：用工具 `memory_search`，
  或运行 `{memory} search "关键词"`。搜过仍没有把握，就说明你查过了。
- 有人让你记住什么，马上记：用工具 `memory_write`，或运行 `{memory} capture "一句话"`。
- 查到的内容是私密的，不要在群聊里引用。
- 不要写 `memory/layer1`、`memory/layer2`、`memory/layer3` 和 `memory/state`：它们由程序来写。""",
}

HEARTBEAT = {
    "en": """Run `{memory} heartbeat`. If it prints HEARTBEAT_OK, reply HEARTBEAT_OK. Otherwise do what it lists: ask
the owner what it says should be asked, one question at a time, and put right what it says is wrong. Do not
repeat what you have told the owner today.""",
    "zh": """运行 `{memory} heartbeat`。如果输出 HEARTBEAT_OK，就回复 HEARTBEAT_OK。否则按它列出的去做：
该问主人的，一次只问一个问题；它说有问题的，把它处理好。今天已经跟主人说过的，不要再说。""",
}

NO_TOOLS = "for tools over MCP install what serves them, and run the command again: pip install 'memory-system[mcp]'"


OPENCLAW = "openclaw"
HOOK = "memory-snapshot"
JOB = "memory-system nightly"
KEY = "memory-system:nightly"  # OpenClaw keeps one job for each such key
SERVER = "memory"
AFTER = 70  # minutes between a night's slot and the job: not with OpenClaw's own at 03:00
MOST = 20_000  # characters that OpenClaw takes of one file

_LIST = ("openclaw", "automations", "list", "--all", "--json")


HOOK_MD = """---
name: {name}
description: "Shows the agent its memory snapshot, in private sessions only"
metadata: {{ "openclaw": {{ "events": ["agent:bootstrap"] }} }}
---

# Memory snapshot

Puts `memory/layer1/snapshot.md` into the agent's context when a session begins. In groups, channels, jobs and helpers'
sessions it does nothing. `memory integrate openclaw --remove` takes it away.
"""

HANDLER = """// Shows the agent its memory snapshot, in private sessions only. Made by: memory integrate openclaw
import {{ readFile }} from "node:fs/promises";

const SNAPSHOT = {snapshot};
const PRIVATE = new RegExp({private});

export default async function handler(event) {{
  if (event?.type !== "agent" || event?.action !== "bootstrap") return;
  const context = event.context ?? {{}};
  const key = context.sessionKey ?? event.sessionKey;
  if (typeof key !== "string" || !PRIVATE.test(key) || !Array.isArray(context.bootstrapFiles)) return;
  const content = await readFile(SNAPSHOT, "utf8").catch(() => "");
  if (!content) return;
  const file = {{ name: "snapshot.md", path: SNAPSHOT, content: content.slice(0, {most}), missing: false }};
  context.bootstrapFiles.push(file);
}}
"""
CLAUDE_CODE = "claude-code"
EVENTS = {  # in Claude Code's settings: the event, our name for it, and seconds
    "SessionStart": ("session-start", 15),
    "UserPromptSubmit": ("user-prompt-submit", 15),
    "SessionEnd": ("session-end", 60),
}


def state_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where OpenClaw keeps its state: OPENCLAW_STATE_DIR, else the folder of the profile, else the newest name of its
    usual folder that is there."""
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
        Value(str(ws.layout.config), ("sources",), {"path": str(state / "agents" / agent)}, listed=True),
        Own(str(hook / "HOOK.md"), HOOK_MD.format(name=HOOK)),
        Own(str(hook / "handler.js"), handler(ws.layout.snapshot, agent)),
        Value(config, ("hooks", "internal", "entries", HOOK), {"enabled": True}),
    ]
    if facts:
        found.append(Value(str(ws.layout.config), ("facts_page",), value=True))
    if tools:
        server = {"command": argv[0], "args": [*argv[1:], "serve"]}
        found.append(Value(config, ("mcp", "servers", SERVER), server))
    if rules:
        found.append(Block(str(ws.layout.root / "AGENTS.md"), _rules(ws, argv)))
    return [*found, _job(ws, argv)]


def handler(snapshot: Path, agent: str) -> str:
    """The hook's program."""
    return HANDLER.format(snapshot=json.dumps(str(snapshot)), private=json.dumps(private_key(agent)), most=MOST)


def private_key(agent: str) -> str:
    """A pattern (the same in JavaScript and Python) of the keys of sessions that nobody but the owner sees: the agent's
    main one, or a direct chat, perhaps by channel and account. What is not known to be private is not."""
    return rf"^agent:{re.escape(agent)}:(?:main|(?:[^:]+:){{0,2}}(?:direct|dm):[^:]+)$"


def _job(ws: Workspace, argv: Sequence[str]) -> Command:
    """The nightly job. OpenClaw keeps one for each declaration key, so that declaring it again changes nothing."""
    create = (
        "openclaw", "automations", "create", "--declaration-key", KEY, "--name", JOB,
        "--cron", job_time(ws.config.consolidation.schedule), "--tz", ws.config.timezone,
        "--command-argv", json.dumps([*argv, "--quiet", "consolidate"]),
        "--command-cwd", str(ws.layout.root), "--timeout-seconds", "1800", "--no-deliver",
    )  # fmt: skip
    return Command(create)


def undoing_openclaw() -> tuple[list[Command], list[str]]:
    """The commands that take the nightly job away, and what is to be done by hand where OpenClaw cannot be asked."""
    try:
        told = subprocess.run(_LIST, capture_output=True, timeout=PATIENCE, check=True).stdout  # noqa: S603 - words of ours
        jobs = json.loads(told)["jobs"]
        found = [str(job["id"]) for job in jobs if job.get("declarationKey") == KEY]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return [], [f"OpenClaw could not be asked for its jobs; find {JOB!r} with: openclaw automations list --all"
                    "\nand remove it with: openclaw automations rm ID"]  # fmt: skip
    return [Command(("openclaw", "automations", "rm", each)) for each in found], []


def job_time(schedule: str) -> str:
    """When the job runs: some time after the night's slot, on every day; every hour where the slot is none of a day."""
    minute, hour, *_ = [*schedule.split(), "", ""]
    if not (minute.isdigit() and hour.isdigit()):
        return "20 * * * *"
    at = int(hour) * 60 + int(minute) + AFTER
    return f"{at % 60} {at // 60 % 24} * * *"


def openclaw_advice(ws: Workspace, argv: Sequence[str], *, tools: bool, rules: bool) -> list[str]:
    """What only the owner can do."""
    told = _advice(ws, argv, "AGENTS.md", tools=tools, rules=rules)
    pulse = HEARTBEAT[ws.language].format(memory=" ".join(argv))
    restart = "restart the Gateway, so that it loads the hook: openclaw gateway restart"
    return [restart, *told, f"give this to OpenClaw's heartbeat:\n\n{pulse}\n"]


def _advice(ws: Workspace, argv: Sequence[str], file: str, *, tools: bool, rules: bool) -> list[str]:
    recall = f"put this into {file}, or run the command again with --rules:\n\n{_rules(ws, argv)}\n"
    return [*([] if tools else [NO_TOOLS]), *([] if rules else [recall])]


def _rules(ws: Workspace, argv: Sequence[str]) -> str:
    return RULES[ws.language].format(memory=" ".join(argv))


def claude_folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where Claude Code keeps what belongs to its user."""
    given = environment.get("CLAUDE_CONFIG_DIR")
    return Path(given).expanduser().absolute() if given else home / ".claude"


def claude_steps(ws: Workspace, there: Path, argv: Sequence[str], *, tools: bool, rules: bool) -> list[Step]:
    """What has to stand where. `argv` calls this program for the workspace, `tools` says that it can serve them."""
    settings = str(there / "settings.json")
    source = {"path": str(there / "projects"), "format": CLAUDE_CODE}
    found: list[Step] = [Value(str(ws.layout.config), ("sources",), source, listed=True)]
    for event, (name, seconds) in EVENTS.items():
        hook = {"type": "command", "command": shlex.join([*argv, "hook", CLAUDE_CODE, name]), "timeout": seconds}
        found.append(Value(settings, ("hooks", event), {"hooks": [hook]}, listed=True))
    if rules:
        found.append(Block(str(there / "CLAUDE.md"), _rules(ws, argv)))
    if tools:
        found.append(Command(("claude", "mcp", "add", "--scope", "user", SERVER, "--", *argv, "serve")))
    return found


def undoing_claude() -> list[Command]:
    """The command that takes the tools away."""
    return [Command(("claude", "mcp", "remove", "--scope", "user", SERVER))]


def claude_advice(ws: Workspace, argv: Sequence[str], *, tools: bool, rules: bool) -> list[str]:
    """What only the owner can do."""
    return _advice(ws, argv, "CLAUDE.md", tools=tools, rules=rules)
