"""What every command shares: the options, the way to the workspace, the printing of answers, and the one handler that
turns an error into what happened and what to do next.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec

import orjson
import typer

from memory_system import clock
from memory_system.errors import ConfigError, MemorySystemError, UsageError

if TYPE_CHECKING:
    from memory_system.workspace import Workspace

P = ParamSpec("P")
Row = dict[str, Any]
AS_OF_HELP = "As it was at the end of this day, or at this instant: 2026-02-03."
WRONG = 1  # how a command ends that has found what its owner must look at
INTERRUPTED = 130
UNEXPECTED = 70  # a fault of the program itself, as sysexits.h calls it


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
            from memory_system.upkeep import undo

            with undo.as_of(ws, undo.moment_of(day, ws)) as earlier:
                yield earlier

    def answer(self, row: Row, told: str | Callable[[Row], Iterable[str]]) -> None:
        """Print the answer, masked as the owner wants it: with --json the object, else a text or lines made of it."""
        if self.as_json:
            typer.echo(_as_json(self._shown(row)))
        else:
            text = told if isinstance(told, str) else "\n".join(told(row))
            typer.echo(self._shown([text, row])[0])  # the row tells what the text may leave bare

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

    path = Path("config.json")
    try:
        found = Files().read_object(path).get("workspace")
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
            if settings.as_json:
                answer_error(ours)
            complain(ours)
            raise typer.Exit(ours.exit_code) from None

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


def answer_error(error: MemorySystemError) -> None:
    """The error as the answer of --json."""
    what = {"kind": type(error).__name__, "what": _clean(str(error)), "hint": error.hint, "exit_code": error.exit_code}
    typer.echo(_as_json({"error": what}))


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
