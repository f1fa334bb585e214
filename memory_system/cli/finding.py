"""search and get."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from memory_system.cli.answers import Settings, handled

Scope = Literal["all", "memories", "notes", "sessions"]  # as in recall, which is not imported for --help


@handled
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What to look for, in your own words; English or Chinese.")],
    limit: Annotated[int | None, typer.Option(min=1, help="How many results, at most.")] = None,
    scope: Annotated[Scope, typer.Option(help="Where to look.")] = "all",
    archived: Annotated[bool, typer.Option(help="Also look among archived memories.")] = False,
) -> None:
    """Find memories, notes and what was said."""
    from memory_system import finder

    settings: Settings = context.obj
    with settings.open() as ws:
        found = finder.search(ws, query, limit=limit, scope=scope, archived=archived)
    settings.answer(found, lambda: "\n".join(result_line(each) for each in found["results"]) or "nothing found")


def result_line(row: dict[str, Any]) -> str:
    said = f"{row['said_at'][:10]} " if row["said_at"] else ""
    text = " ".join(row["snippet"].split())
    return f"{row['score']:.2f} {row['type']:8} {said}{text}\n      {row['id']} {row['citation']}"


@handled
def get(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A memory's id, or a file of the workspace.")],
    from_line: Annotated[int, typer.Option("--from", min=1, help="First line.")] = 1,
    lines: Annotated[int, typer.Option(min=1, help="How many lines.")] = 120,
) -> None:
    """Read one memory, or lines of a file, exactly."""
    from memory_system import finder
    from memory_system.errors import NotFoundError

    settings: Settings = context.obj
    with settings.open() as ws:
        found = finder.get(ws, name, from_line=from_line, lines=lines)
    if found["status"] != "ok" and not settings.as_json:
        raise NotFoundError(found["error"])
    settings.answer(found, found["text"])
    if found["status"] != "ok":
        raise typer.Exit(NotFoundError.exit_code)
