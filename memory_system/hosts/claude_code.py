"""Living inside Claude Code: its transcripts as a source, three hooks, and the tools. What the hooks do stands in
`hooks`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from memory_system.hosts.steps import Block, Command, Step, Value
from memory_system.hosts.texts import NO_TOOLS, RULES
from memory_system.workspace import Workspace

NAME = "claude-code"
SERVER = "memory"
EVENTS = {  # in Claude Code's settings: the event, our name for it, and seconds
    "SessionStart": ("session-start", 15),
    "UserPromptSubmit": ("user-prompt-submit", 15),
    "SessionEnd": ("session-end", 60),
}


def folder(environment: Mapping[str, str], home: Path) -> Path:
    """Where Claude Code keeps what belongs to its user."""
    given = environment.get("CLAUDE_CONFIG_DIR")
    return Path(given).expanduser().absolute() if given else home / ".claude"


def steps(ws: Workspace, there: Path, argv: Sequence[str], *, tools: bool, rules: bool) -> list[Step]:
    """What has to stand where. `argv` calls this program for the workspace, `tools` says that it can serve them."""
    settings = str(there / "settings.json")
    source = {"path": str(there / "projects"), "format": NAME}
    found: list[Step] = [Value(str(ws.layout.config), ("sources",), source, listed=True)]
    for event, (name, seconds) in EVENTS.items():
        hook = {"type": "command", "command": shlex.join([*argv, "hook", NAME, name]), "timeout": seconds}
        found.append(Value(settings, ("hooks", event), {"hooks": [hook]}, listed=True))
    if rules:
        found.append(Block(str(there / "CLAUDE.md"), RULES[ws.language].format(memory=" ".join(argv))))
    if tools:
        found.append(Command(("claude", "mcp", "add", "--scope", "user", SERVER, "--", *argv, "serve")))
    return found


def undoing() -> list[Command]:
    """The command that takes the tools away."""
    return [Command(("claude", "mcp", "remove", "--scope", "user", SERVER))]


def advice(ws: Workspace, argv: Sequence[str], *, tools: bool, rules: bool) -> list[str]:
    """What only the owner can do."""
    told = [] if tools else [NO_TOOLS]
    if not rules:
        recall = RULES[ws.language].format(memory=" ".join(argv))
        told.append(f"put this into CLAUDE.md, or run the command again with --rules:\n\n{recall}\n")
    return told
