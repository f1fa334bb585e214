"""The command line: parse, open, call, print. Commands live in one module a group and import what they need in their
bodies, so that `--help` and `capture` start at once. stdout is data, stderr is talk."""

from __future__ import annotations

import os
import signal
import sys
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
import typer.core
import typer.main
from typer import Option

from memory_system import __version__
from memory_system.cli.answers import Interrupted, Settings, answer_error
from memory_system.errors import UsageError

WITH_VALUE = ("--workspace", "--now")
FLAGS = ("--json", "--quiet", "--debug", "--unmasked")
GROUPS = (  # the commands in the order of --help, and the module that holds them
    ("consolidating", ("init", "consolidate")),
    ("remembering", ("capture", "note")),
    ("searching", ("search", "get", "context")),
    ("agents", ("prompt", "chat", "session", "serve")),
    ("keeping", ("status", "stats", "llm", "snapshot", "validate", "rebuild-index")),
    ("remembering", ("archive", "restore", "edit")),
    ("searching", ("why", "diff", "rollback")),
    ("remembering", ("forget",)),
    ("searching", ("heartbeat", "distill")),
    ("consolidating", ("integrate", "schedule", "hook", "watch")),
    ("keeping", ("backup",)),
    ("remembering", ("quarantine", "policy")),
    ("keeping", ("audit",)),
)
COMMANDS = {name: module for module, names in GROUPS for name in names}
MEANT = {  # what is typed for a command under another name
    "undo": "rollback",
    "revert": "rollback",
    "find": "search",
    "ask": "search",
    "remember": "capture",
    "add": "capture",
    "delete": "forget",
    "remove": "forget",
    "run": "consolidate",
}
_MISUSE: Any = typer.BadParameter.__base__  # the usage error of click, wherever typer keeps it
PLAIN: dict[str, Any] = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}


class Commands(typer.core.TyperGroup):
    """The commands, each imported when it is asked for."""

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        near = MEANT.get(args[0]) or next(iter(get_close_matches(args[0], COMMANDS, 1)), "")
        if args[0] not in COMMANDS and near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near!r}?")
        return super().resolve_command(ctx, args)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"memory_system.cli.{COMMANDS[cmd_name]}")
        single = typer.Typer(**PLAIN)
        single.command(cmd_name)(getattr(module, cmd_name.replace("-", "_")))
        return typer.main.get_command(single)


app = typer.Typer(
    name="memory",
    cls=Commands,
    help="Long-term memory for an AI agent: files you own, consolidated while you sleep. 给智能体的长期记忆。",
    no_args_is_help=True,
    **PLAIN,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memory-system {__version__}")
        raise typer.Exit


def _folder(text: str) -> Path:
    """The folder of that name; an empty one is a slip (of a script's variable), not the folder that we are in."""
    if not text.strip():
        raise typer.BadParameter("it is empty; name the folder, or leave the option out")
    return Path(text)


@app.callback()
def options(
    context: typer.Context,
    workspace: Annotated[
        Path | None,
        Option(
            help="The workspace: the folder that holds memory/.",
            envvar="MEMORY_WORKSPACE",
            parser=_folder,
            metavar="<path>",
        ),
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Answer with one JSON object.")] = False,
    now: Annotated[str | None, Option(help="The moment to act at, ISO 8601, instead of the clock's.")] = None,
    quiet: Annotated[bool, Option("--quiet", help="Say nothing but the answer.")] = False,
    debug: Annotated[bool, Option("--debug", help="Show where an error comes from.")] = False,
    unmasked: Annotated[
        bool, Option("--unmasked", help="Show what config.json masks, and what is held back, too.")
    ] = False,
    version: Annotated[bool, Option("--version", callback=_show_version, help="Show the version.")] = False,
) -> None:
    """Options of every command; they may stand before or after it."""
    del version  # its callback has shown it
    context.obj = Settings(workspace, as_json, now, quiet, debug, unmasked)


def main() -> None:
    """The program."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for them takes a tenth of a short command
    catch_interrupts()
    arguments = hoisted(sys.argv[1:])
    try:
        app(args=arguments, prog_name="memory")
    except SystemExit as end:
        misuse: Any = end.__context__  # which typer has told the person
        if isinstance(misuse, _MISUSE) and "--json" in takewhile(lambda each: each != "--", arguments):
            command = misuse.ctx.command_path if misuse.ctx else "memory"
            answer_error(UsageError(misuse.format_message(), f"see: {command} --help"))
        raise


def catch_interrupts() -> None:
    """Have Ctrl-C raise Interrupted, unless whoever started us has it ignored."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(*_: object) -> NoReturn:
    Interrupted.came = True
    raise Interrupted


def hoisted(arguments: list[str]) -> list[str]:
    """The same arguments with the options of every command put before it; what follows `--` stays."""
    first: list[str] = []
    rest: list[str] = []
    waiting = list(reversed(arguments))
    while waiting:
        each = waiting.pop()
        if each == "--":
            rest += [each, *reversed(waiting)]
            break
        if each in FLAGS or each.startswith(tuple(f"{name}=" for name in WITH_VALUE)):
            first.append(each)
        elif each in WITH_VALUE and waiting:
            first += [each, waiting.pop()]
        else:
            rest.append(each)
    return first + rest
