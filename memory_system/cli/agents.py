"""prompt and serve; and session: transcripts from outside."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Annotated, Any, Literal

import typer

from memory_system.cli.answers import Settings, handled
from memory_system.errors import UsageError

Session = Literal["main", "group"]  # as in prompt, which is not imported for --help
Action = Literal["list", "show", "append", "history", "flush", "compact", "prune", "archive"]
Role = Literal["user", "assistant"]
NAMELESS = ("list", "archive")


@handled
def prompt(
    settings: Settings,
    session: Annotated[Session, typer.Option(help="With the owner alone, or in a group: nothing private.")] = "main",
    message: Annotated[str, typer.Option(help="Add the memories that this message calls up.")] = "",
    chat: Annotated[str, typer.Option(help="The group's key: add what was said there and is not sensitive.")] = "",
    days: Annotated[int | None, typer.Option(min=0, help="Days of notes to show, today included.")] = None,
) -> None:
    """Print the agent's system prompt: soul, rules, identity, memory, recent notes."""
    from memory_system.agent.prompt import compose

    with settings.open() as ws:
        made = compose(ws, session=session, message=message, days=days, chat=chat)
    settings.answer(made.to_row(), made.text)


@handled
def serve(settings: Settings) -> None:
    """Serve the agent's tools, the snapshot and the notes over MCP, on stdin and stdout."""
    from memory_system.errors import UsageError

    try:
        from memory_system.agent.serve import run
    except ModuleNotFoundError as error:
        raise UsageError(f"serving needs the package {error.name}", "pip install 'memory-system[mcp]'") from None
    settings.open().close()  # what is wrong with the workspace is said here, not to every call
    run(settings.root, lambda: settings.now)


@handled
def session(
    settings: Settings,
    action: Annotated[Action, typer.Argument(help="list, show, append, history, flush, compact, prune or archive.")],
    name: Annotated[str, typer.Argument(help="The session's id; for all but list and archive.")] = "",
    text: Annotated[str, typer.Argument(help="What was said; for append.")] = "",
    role: Annotated[Role, typer.Option(help="Who said it; for append.")] = "user",
    limit: Annotated[int, typer.Option(min=1, help="Messages that history shows, sessions that list shows.")] = 100,
    days: Annotated[int, typer.Option(min=0, help="Days of silence after which archive packs a session.")] = 30,
) -> None:
    """Look at sessions, add to them, make room in them, pack old ones; flush and compact ask the model of chat."""
    if bool(name) == (action in NAMELESS):
        named = "needs the id of a session" if not name else "takes no session"
        raise UsageError(f"memory session {action} {named}", "see which there are with: memory session list")
    if (action == "append") != bool(text.strip()):
        raise UsageError("append, and only append, takes a text", 'memory session append ID "what was said"')
    actions: dict[Action, Callable[[], tuple[dict[str, Any], list[str]]]] = {
        "list": lambda: _list(settings, limit),
        "show": lambda: _show(settings, name),
        "append": lambda: _append(settings, name, role, text),
        "history": lambda: _history(settings, name, limit),
        "flush": lambda: _make_room(settings, name, "flush"),
        "compact": lambda: _make_room(settings, name, "compact"),
        "prune": lambda: _prune(settings, name),
        "archive": lambda: _archive(settings, days),
    }
    row, lines = actions[action]()
    settings.answer(row, "\n".join(lines))


def _list(settings: Settings, limit: int) -> tuple[dict[str, Any], list[str]]:
    from memory_system.agent.listing import listed

    with settings.open() as ws:
        rows = listed(ws)
    lines = [
        f"{each['last'][:16]}  {each['messages']:5}  {each['id']}{'  (archived)' if each['archived'] else ''}"
        for each in rows[:limit]
    ]
    return {"sessions": rows[:limit], "total": len(rows)}, lines or ["there are no sessions yet"]


def _show(settings: Settings, name: str) -> tuple[dict[str, Any], list[str]]:
    from memory_system.agent.listing import shown

    with settings.open() as ws:
        row = shown(ws, name)
    told = {**{key: value for key, value in row.items() if key != "registered"}, **row["registered"]}
    return row, [f"{key:28} {value}" for key, value in told.items() if value not in ("", None)]


def _history(settings: Settings, name: str, limit: int) -> tuple[dict[str, Any], list[str]]:
    from memory_system.agent.listing import history

    with settings.open() as ws:
        row = history(ws, name, limit, unmasked=settings.unmasked)
    return row, [f"{each['timestamp']} {each['role']}: {each['content']}" for each in row["messages"]]


def _append(settings: Settings, name: str, role: Role, text: str) -> tuple[dict[str, Any], list[str]]:
    from memory_system.agent.listing import append_to

    with settings.open() as ws:
        session_id, path = append_to(ws, name, role, text)
    return {"status": "saved", "id": session_id, "path": path}, [path]


def _make_room(settings: Settings, name: str, how: Literal["flush", "compact"]) -> tuple[dict[str, Any], list[str]]:
    from memory_system.agent import session
    from memory_system.agent.chat import Chat
    from memory_system.agent.model import Silent
    from memory_system.cli.chatting import claude, resumed

    with settings.open() as ws:
        model, old = claude(ws.config), resumed(ws, name)
    with closing(model):
        talk = Chat(settings.root, lambda: settings.now, model, Silent(), old)
        done = talk.flush(forced=True) if how == "flush" else talk.compact(keep=None)
    with settings.open() as ws:
        entry = session.entry_of(ws, old.id)
    words = {"flush": ("flushed", "nothing to flush"), "compact": ("compacted", "nothing to sum up")}[how]
    status = words[0] if done else words[1]
    return {"status": status, "id": old.id, "registered": entry}, [status]


def _prune(settings: Settings, name: str) -> tuple[dict[str, Any], list[str]]:
    from memory_system.agent.messages import in_context
    from memory_system.agent.window import CLEARED, context_tokens, prune
    from memory_system.cli.chatting import resumed

    with settings.open() as ws:
        old, window = resumed(ws, name), ws.config.chat.context_window
    rows = in_context(old.rows)
    tokens = context_tokens(rows, 0)
    instead = prune(rows, tokens, window)
    cleared = sum(each == CLEARED for each in instead.values())
    row = {"id": old.id, "contextTokens": tokens, "trimmed": len(instead) - cleared, "cleared": cleared}
    told = f"{row['trimmed']} results would be trimmed, {cleared} cleared; the transcript stays as it is"
    return row, [f"{tokens} tokens of {window}: {told}"]


def _archive(settings: Settings, days: int) -> tuple[dict[str, Any], list[str]]:
    from memory_system.agent.listing import archive

    with settings.open(write=True) as ws:
        made = archive(ws, days)
    return {"status": "archived", "archived": made}, made or ["nothing is old enough"]
