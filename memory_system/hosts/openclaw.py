"""Living inside OpenClaw: its transcripts as a source, a hook that puts the snapshot into private sessions, the tools,
and a nightly job. OpenClaw has no setting that names files for the system prompt (`systemPromptFiles` exists in no
version looked at), so a hook it is."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from memory_system.hosts.steps import PATIENCE, Block, Command, Own, Step, Value
from memory_system.hosts.texts import HEARTBEAT, NO_TOOLS, RULES
from memory_system.workspace import Workspace

NAME = "openclaw"
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


def steps(
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
        found.append(Block(str(ws.layout.root / "AGENTS.md"), RULES[ws.language].format(memory=" ".join(argv))))
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


def undoing() -> tuple[list[Command], list[str]]:
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


def advice(ws: Workspace, argv: Sequence[str], *, tools: bool, rules: bool) -> list[str]:
    """What only the owner can do."""
    words = {"memory": " ".join(argv)}
    recall, pulse = RULES[ws.language].format(**words), HEARTBEAT[ws.language].format(**words)
    told = ["restart the Gateway, so that it loads the hook: openclaw gateway restart"]
    told += [] if tools else [NO_TOOLS]
    if not rules:
        told.append(f"put this into AGENTS.md, or run the command again with --rules:\n\n{recall}\n")
    return [*told, f"give this to OpenClaw's heartbeat:\n\n{pulse}\n"]
