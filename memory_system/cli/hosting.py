"""integrate, hook, schedule and watch."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
import typer
from typer import Argument, Option

from memory_system.cli.answers import Settings, handled
from memory_system.errors import UsageError

if TYPE_CHECKING:
    from memory_system.hosts.schedule import Schedule
    from memory_system.hosts.steps import Plan
    from memory_system.workspace import Workspace

Host = Literal["openclaw", "claude-code", "generic"]
Event = Literal["session-start", "user-prompt-submit", "session-end"]
Scheduler = Literal["systemd", "cron"]


@handled
def integrate(
    settings: Settings,
    host: Annotated[Host, Argument(help="Where the agent lives.")],
    remove: Annotated[bool, Option("--remove", help="Take everything out again.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    rules: Annotated[bool, Option("--rules", help="Also put the rules of recall into AGENTS.md or CLAUDE.md.")] = False,
    facts: Annotated[
        bool, Option("--facts", help="Let OpenClaw's own search see what is remembered, in groups as well.")
    ] = False,
    agent: Annotated[str, Option(help="Which of OpenClaw's agents.")] = "main",
    folder: Annotated[Path | None, Option(help="The host's own folder, where it is not the usual one.")] = None,
) -> None:
    """Live inside OpenClaw, Claude Code or a machine's scheduler: show each change, then make it. Safe to repeat."""
    from memory_system.hosts import integrations, steps
    from memory_system.hosts import schedule as jobs

    if facts and host != "openclaw":
        raise UsageError("--facts is for OpenClaw", "elsewhere memories are found with the tools, or memory search")
    with settings.open() as ws:
        if host == "generic":
            chosen = steps.Plan(jobs.difference(_job(ws), remove=remove), [], {}, [])
        elif remove:
            chosen = steps.plan_removal(ws, host, *integrations.undoing(host))
        else:
            chosen = _plan(ws, host, agent, folder, rules=rules, facts=facts)
    shown = list(steps.shown(chosen))
    if not settings.as_json:
        typer.echo("\n".join(shown or ["nothing to change"]))
    left: list[str] = []  # to be done by hand
    if not dry_run and host == "generic":
        _ = jobs.remove(_job(ws)) if remove else jobs.install(_job(ws), "")
    elif not dry_run:
        left += steps.apply(ws, chosen)
    left += chosen.advice
    row = {
        "host": host,
        "status": "shown" if dry_run else "removed" if remove else "integrated",
        "changed": [str(each.path) for each in chosen.changes],
        "commands": [list(each) for each in chosen.commands],
        "shown": shown,
        "left": left,
    }
    last = ["nothing was changed"] if dry_run else []
    settings.answer(row, "\n".join([*last, *(f"→ {each}" for each in left)]) or "done")


def _plan(ws: Workspace, host: str, agent: str, folder: Path | None, *, rules: bool, facts: bool) -> Plan:
    from memory_system.hosts import integrations, steps

    argv = _ourselves(ws.layout.root)
    wanted = {"tools": find_spec("mcp") is not None, "rules": rules}
    is_openclaw = host == integrations.OPENCLAW
    usual = integrations.state_folder if is_openclaw else integrations.claude_folder
    there = folder.expanduser().absolute() if folder else usual(os.environ, Path.home())
    if is_openclaw:
        taken = integrations.openclaw_steps(ws, there, agent, argv, **wanted, facts=facts or ws.config.facts_page)
        return steps.plan(ws, host, taken, integrations.openclaw_advice(ws, argv, **wanted))
    taken = integrations.claude_steps(ws, there, argv, **wanted)
    return steps.plan(ws, host, taken, integrations.advice(ws, argv, "CLAUDE.md", **wanted))


def _ourselves(root: Path) -> list[str]:
    """How others call this program for that workspace."""
    return [sys.executable, "-m", "memory_system", "--workspace", str(root)]


@handled
def hook(
    settings: Settings,
    host: Annotated[Literal["claude-code"], Argument(help="Whose hook it is.")],
    event: Annotated[Event, Argument(help="What has happened.")],
) -> None:
    """What the hooks that `integrate` sets up call, with the host's JSON on stdin; it never fails."""
    from memory_system.hosts import integrations

    del host  # there is one so far
    try:
        if row := integrations.answer(event, sys.stdin.buffer.read(), settings.open):
            typer.echo(orjson.dumps(row).decode())
    except Exception as error:
        if settings.debug:
            raise
        settings.say(f"memory: {error}")


@handled
def schedule(
    settings: Settings,
    action: Annotated[Literal["install", "show", "remove"], Argument(help="What to do with the job.")],
    scheduler: Annotated[Scheduler | None, Option("--with", help="Which one; else systemd where there is one.")] = None,
) -> None:
    """Let the machine run `consolidate` once an hour; a run that finds no night due does nothing."""
    from memory_system.hosts import schedule as jobs

    with settings.open() as ws:
        job = _job(ws)
    if action == "show":
        units = {str(path): text for path, text in job.files().items()}
        row = {"installed": jobs.installed(job) or None, "crontab": job.line.rstrip(), "units": units}
        settings.answer(row, _job_lines)
        return
    done = jobs.remove(job) if action == "remove" else jobs.install(job, scheduler or "")
    settings.answer({"status": action, "done": done}, "\n".join(done) or "there is none")


def _job(ws: Workspace) -> Schedule:
    from memory_system.hosts.schedule import Schedule

    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Schedule(ws.layout.root, _ourselves(ws.layout.root), config / "systemd" / "user")


def _job_lines(row: dict[str, Any]) -> list[str]:
    told = [f"installed: {row['installed'] or 'no'}", "", "crontab:", f"  {row['crontab']}"]
    for path, text in row["units"].items():
        told += ["", f"{path}:", *(f"  {line}" for line in text.splitlines())]
    return told


@handled
def watch(settings: Settings) -> None:
    """Index notes and transcripts and run due nights as files change, until interrupted; needs the extra `[watch]`."""
    import time

    from memory_system.hosts import schedule as watching

    with settings.open() as ws:
        folders = watching.places(ws)
    batches = _changes(folders)
    settings.say(f"watching {', '.join(map(str, folders))}; Ctrl-C ends it")
    for done in watching.watch(settings.open, batches, time.monotonic):
        settings.answer({"done": done}, done)


def _changes(folders: Iterable[Path]) -> Iterator[list[Path]]:
    """Which files have changed, a few times a second; an empty list when none has."""
    try:
        import watchfiles
    except ImportError:
        raise UsageError("watching needs a package more", "pip install 'memory-system[watch]'") from None
    found = watchfiles.watch(
        *folders, watch_filter=None, debounce=400, rust_timeout=500, yield_on_timeout=True, raise_interrupt=True
    )
    for batch in found:
        yield [Path(path) for _, path in batch]
