"""prompt and serve."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from memory_system.cli.answers import Settings, handled

Session = Literal["main", "group"]  # as in prompt, which is not imported for --help


@handled
def prompt(
    context: typer.Context,
    session: Annotated[Session, typer.Option(help="With the owner alone, or in a group: nothing private.")] = "main",
    message: Annotated[str, typer.Option(help="Add the memories that this message calls up.")] = "",
    chat: Annotated[str, typer.Option(help="The group's key: add what was said there and is not sensitive.")] = "",
    days: Annotated[int | None, typer.Option(min=0, help="Days of notes to show, today included.")] = None,
) -> None:
    """Print the agent's system prompt: soul, rules, identity, memory, recent notes."""
    from memory_system.agent.prompt import compose

    settings: Settings = context.obj
    with settings.open() as ws:
        made = compose(ws, session=session, message=message, days=days, chat=chat)
    settings.answer(made.to_row(), made.text)


@handled
def serve(context: typer.Context) -> None:
    """Serve the agent's tools, the snapshot and the notes over MCP, on stdin and stdout."""
    from memory_system.errors import UsageError

    settings: Settings = context.obj
    try:
        from memory_system.agent.serve import run
    except ModuleNotFoundError as error:
        raise UsageError(f"serving needs the package {error.name}", "pip install 'memory-system[mcp]'") from None
    settings.open().close()  # what is wrong with the workspace is said here, not to every call
    run(settings.root, lambda: settings.now)
