"""The command line: parse, open, call, print. Commands live in one module a group and import what they need in their
bodies, so that `--help` and `capture` start at once. stdout is data, stderr is talk. What every command shares stands
here: the options, the way to the workspace, the printing of answers, and the one handler that turns an error into what
happened and what to do next."""

from __future__ import annotations

import functools
import inspect
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Concatenate, NoReturn, ParamSpec

import orjson
import typer
import typer.core
import typer.main
from typer import Option

from memory_system import __version__, clock, upkeep
from memory_system.errors import ConfigError, MemorySystemError, UsageError, plainly

if TYPE_CHECKING:
    from memory_system.workspace import Workspace

P = ParamSpec("P")
Row = dict[str, Any]
AS_OF_HELP = "As it was at the end of this day, or at this instant: 2026-02-03."
WRONG = 1  # how a command ends that has found what its owner must look at
INTERRUPTED = 130
UNEXPECTED = 70  # a fault of the program itself, as sysexits.h calls it
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
        single.command(cmd_name)(handled(getattr(module, cmd_name.replace("-", "_"))))
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
        sys.exit(app(args=arguments, prog_name="memory", standalone_mode=False))
    except typer.Abort:
        typer.echo("memory: stopped before anything was done", err=True)
        sys.exit(WRONG)
    except _MISUSE as misuse:
        sys.exit(_refused(misuse, as_json="--json" in takewhile(lambda each: each != "--", arguments)))


def _refused(misuse: Any, *, as_json: bool) -> int:
    """Say what typer does not understand as every other error is said; where nothing was asked for, help is. The exit
    code."""
    if not sys.argv[1:]:
        typer.echo(misuse.format_message(), err=True)
        return UsageError.exit_code
    command = misuse.ctx.command_path if misuse.ctx else "memory"
    error = UsageError(plainly(misuse.format_message()), f"see: {command} --help")
    return ended(error, as_json=as_json).exit_code


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
    words = iter(arguments)
    for each in words:
        if each == "--":
            rest += [each, *words]
        elif each in FLAGS or each.startswith(tuple(f"{name}=" for name in WITH_VALUE)):
            first.append(each)
        elif each in WITH_VALUE and (value := next(words, None)) is not None:
            first += [each, value]
        else:
            rest.append(each)
    return first + rest


# ---- what every command shares ---------------------------------------------------------------------------------------


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, under a name of our own: when a bare KeyboardInterrupt comes out of a string of code, as dataclasses are
    made of, CPython dies of the signal at the end of `python -m`, however well it was answered."""

    came: ClassVar[bool] = False  # what it came out of may have said it in an error of its own, as pydantic does


@dataclass(frozen=True, slots=True)
class Settings:
    """The options of every command."""

    workspace: Path | None = None
    as_json: bool = False
    now_text: str | None = None
    quiet: bool = False
    debug: bool = False
    unmasked: bool = False
    masked: set[str] = field(default_factory=set)  # what the workspaces that were opened want masked

    @property
    def root(self) -> Path:
        """--workspace (or MEMORY_WORKSPACE), else `workspace` in ./config.json, else OpenClaw's own."""
        path = self.workspace or _configured() or _openclaw()
        try:
            return path.expanduser()
        except RuntimeError:
            raise UsageError(f"there is no home folder for {path}", "write the whole path") from None

    @property
    def now(self) -> datetime:
        if self.now_text is None:
            return clock.now()
        moment = clock.parse_instant(self.now_text)
        if moment is None:
            raise UsageError(f"--now is no instant: {self.now_text!r}", "write it like 2026-02-04T03:00:00Z")
        return moment

    def open(self, *, write: bool = False, allow_losses: bool = False, settle: bool = True) -> Workspace:
        from memory_system.workspace import Workspace

        ws = Workspace.open(self.root, now=self.now, write=write, allow_losses=allow_losses, settle=settle)
        self.masked.update(() if self.unmasked else ws.masked)
        if ws.recovered is not None:
            self.say(f"finished the commit of {ws.recovered.time} that was interrupted")
        if ws.taken_over is not None:
            self.say(f"took over what was changed by hand; see it with: memory diff #{ws.taken_over.seq}")
        return ws

    @contextmanager
    def open_as_of(self, day: str) -> Iterator[Workspace]:
        """The workspace for reading, as it was on that day (or instant); as it is without one."""
        with self.open() as ws:
            if not day:
                yield ws
                return

            with upkeep.undo.as_of(ws, upkeep.undo.moment_of(day, ws)) as earlier:
                yield earlier

    def answer(self, row: Row, told: str | Callable[[Row], Iterable[str]]) -> None:
        """Print the answer, masked as the owner wants it: with --json the object, else a text or lines made of it. The
        command ends there with WRONG where the answer is that not all is `ok`."""
        if self.as_json:
            typer.echo(_as_json(self._shown(row)))
        else:
            text = told if isinstance(told, str) else "\n".join(told(row))
            typer.echo(self._shown([text, row])[0])  # the row tells what the text may leave bare
        if not row.get("ok", True):
            raise typer.Exit(WRONG)

    def say(self, text: str) -> None:
        """Talk to the person, not to the pipe."""
        if not self.quiet:
            typer.echo(self._shown(text), err=True)

    def _shown(self, answer: Any) -> Any:
        """The answer without what the owner wants masked."""
        if not self.masked:  # most have no such wish: they start sooner
            return answer
        from memory_system.privacy import masks

        return masks.shown(answer, self.masked)


def _configured() -> Path | None:
    from memory_system.disk import Files

    try:
        found = Files().read_object(Path("config.json")).get("workspace")
    except MemorySystemError:
        return None
    if found is not None and not isinstance(found, str):
        raise ConfigError("./config.json: workspace must be a path")
    return Path(found) if found else None


def _openclaw() -> Path:
    own = os.environ.get("OPENCLAW_WORKSPACE_DIR")
    state = os.environ.get("OPENCLAW_STATE_DIR", "~/.openclaw")
    return Path(own) if own else Path(state) / "workspace"


def handled(command: Callable[Concatenate[Settings, P], None]) -> Callable[..., None]:
    """A command that is given the options of every command, and the one place where an error ends: said in two lines,
    with its exit code; a traceback only with --debug."""

    @functools.wraps(command)
    def run(context: typer.Context, *args: P.args, **kwargs: P.kwargs) -> None:
        settings: Settings = context.obj
        try:
            command(settings, *args, **kwargs)
        except (typer.Exit, typer.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            raise _interrupted(settings) from None
        except Exception as error:
            if Interrupted.came and not isinstance(error, MemorySystemError):
                raise _interrupted(settings) from None
            if settings.debug:
                print(_clean(traceback.format_exc()), file=sys.stderr)
            ours = _as_ours(error)
            if ours.hint == UsageError.hint:
                ours.hint = f"see: {context.command_path} --help"
            raise ended(ours, as_json=settings.as_json) from None

    signature = inspect.signature(command, eval_str=True)
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = (context, *list(signature.parameters.values())[1:])
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]  # what typer looks at
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _interrupted(settings: Settings) -> typer.Exit:
    settings.say("interrupted; the next run goes on where this one stopped")
    return typer.Exit(INTERRUPTED)


def _as_ours(error: Exception) -> MemorySystemError:
    if isinstance(error, MemorySystemError):
        return error
    if isinstance(error, OSError):
        from memory_system.disk import refusal

        return refusal(error)
    unexpected = MemorySystemError(f"unexpected {type(error).__name__}: {error}", "please report it, with --debug")
    unexpected.exit_code = UNEXPECTED
    return unexpected


def ended(error: MemorySystemError, *, as_json: bool = False) -> typer.Exit:
    """How a command ends that an error ends: it is said to the person, and with --json it is the answer."""
    if as_json:
        told = {"kind": type(error).__name__, "what": _clean(str(error)), "hint": error.hint}
        typer.echo(_as_json({"error": {**told, "exit_code": error.exit_code}}))
    complain(error)
    return typer.Exit(error.exit_code)


def _as_json(row: Row) -> str:
    try:
        return orjson.dumps(row, option=orjson.OPT_INDENT_2).decode()
    except orjson.JSONEncodeError:  # it names a file whose name is no UTF-8
        import json

        return json.dumps(row, indent=2)


def complain(error: MemorySystemError) -> None:
    """What happened and what to do next, for the person."""
    print(_clean(f"memory: {error}\n  → {error.hint}"), file=sys.stderr)


def _clean(message: str) -> str:
    """A message without secrets: it may quote what was typed or read."""
    from memory_system.privacy.secrets import redact

    return redact(message)[0]
