"""search, get and context."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date, tzinfo
from typing import Annotated, Any, Literal

import typer

from memory_system import clock
from memory_system.cli.answers import AS_OF_HELP, Settings, handled
from memory_system.errors import UsageError

Scope = Literal["all", "memories", "notes", "sessions"]  # as in recall, which is not imported for --help

Mode = Literal["auto", "keyword", "vector", "hybrid", "tfidf"]  # likewise
Kind = Literal["any", "fact", "belief", "summary", "message", "note"]


@handled
def search(
    settings: Settings,
    query: Annotated[str, typer.Argument(help="What to look for, in your own words; English or Chinese.")],
    limit: Annotated[int | None, typer.Option(min=1, help="How many results, at most.")] = None,
    scope: Annotated[Scope, typer.Option(help="Where to look.")] = "all",
    archived: Annotated[bool, typer.Option(help="Also look among archived memories.")] = False,
    since: Annotated[str, typer.Option(help="Only what was said on this day or later: 2026-02-03.")] = "",
    until: Annotated[str, typer.Option(help="Only what was said on this day or earlier.")] = "",
    kind: Annotated[Kind, typer.Option("--type", help="Only results of this type.")] = "any",
    entity: Annotated[str, typer.Option(help="Only what names this person or thing.")] = "",
    explain: Annotated[bool, typer.Option(help="Show what each score is made of.")] = False,
    mode: Annotated[Mode, typer.Option(help="Find by words, by meaning (with an embedder) or both.")] = "auto",
    as_of: Annotated[str, typer.Option(help=AS_OF_HELP)] = "",
) -> None:
    """Find memories, notes and what was said."""
    from memory_system import finder

    if not query.strip():
        raise UsageError("there is nothing to look for: the question is empty", 'memory search "what to look for"')
    with settings.open_as_of(as_of) as ws:
        found = finder.search(
            ws, query, limit=limit, scope=scope, archived=archived, since=_day(since), until=_day(until),
            kind="" if kind == "any" else kind, entity=entity, explain=explain, mode=mode, who="cli",
            unmasked=settings.unmasked,
        )  # fmt: skip
    _warn(settings, found)
    settings.answer(found, lambda: result_lines(found, ws.zone))


def _where_it_goes_on(found: dict[str, Any]) -> str:
    if not found["lines"]:
        return f"{found['path']} has no line {found['from']}"
    if "nextFrom" not in found:
        return "this is too long to be given whole"
    return f"more follows: memory get {found['path']} --from {found['nextFrom']}"


def _warn(settings: Settings, found: dict[str, Any]) -> None:
    if "warning" in found and not settings.as_json:
        settings.say(f"memory: {found['warning']}")


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise UsageError(f"{text!r} is not a day; write it like 2026-02-03") from None


def result_lines(found: dict[str, Any], zone: tzinfo) -> str:
    """What was found, for people; days are those where the owner lives."""
    return "\n".join(_result_line(row, zone) for row in found["results"]) or "nothing found"


def _result_line(row: dict[str, Any], zone: tzinfo) -> str:
    text = " ".join(filter(None, (clock.day_of(row["said_at"], zone), *row["snippet"].split())))
    text += " (archived)" * (row["source"] == "archive")
    text += f" {row['outdated']}" if "outdated" in row else ""
    around = "".join(f"              {dimmed(line)}\n" for line in row.get("context", "").splitlines())
    parts = " ".join(f"{name} {value:.2f}" for name, value in row.get("explain", {}).items())
    return f"{around}{row['score']:.2f} {row['type']:8} {text}\n      {row['id']} {row['citation']}" + (
        f"\n      {parts}" if parts else ""
    )


def dimmed(text: str) -> str:
    """What stands beside a memory, for a terminal: less bright than the memory."""
    return typer.style(text, dim=True)


@handled
def get(
    settings: Settings,
    name: Annotated[str, typer.Argument(help="A memory's id, or a file of the workspace.")],
    from_line: Annotated[int, typer.Option("--from", min=1, help="First line.")] = 1,
    lines: Annotated[int, typer.Option(min=1, help="How many lines, 120 at most.")] = 120,
) -> None:
    """Read one memory, or lines of a file, exactly."""
    from memory_system import finder
    from memory_system.errors import NotFoundError

    with settings.open() as ws:
        found = finder.get(ws, name, from_line=from_line, lines=lines, who="cli", unmasked=settings.unmasked)
    if found["status"] != "ok" and not settings.as_json:
        raise NotFoundError(found["error"])
    settings.answer(found, lambda: "\n".join(read_lines(found)))
    if not settings.as_json and (found.get("truncated") or not found["lines"]):
        settings.say(f"memory: {_where_it_goes_on(found)}")
    if found["status"] != "ok":
        raise typer.Exit(NotFoundError.exit_code)


def read_lines(found: dict[str, Any]) -> Iterator[str]:
    """What was read, for people: a memory with what it leans on, and with what stands in its place."""
    yield from map(dimmed, found.get("context", "").splitlines())
    yield found["text"]
    if "outdated" in found:
        yield f"{found['outdated']} {found['outdated_by']}"


@handled
def context(
    settings: Settings,
    message: Annotated[str, typer.Argument(help="What was said to the agent; - reads it from stdin.")],
    budget: Annotated[int | None, typer.Option(min=0, help="Tokens, at most.")] = None,
    without_snapshot: Annotated[bool, typer.Option(help="Leave out what the snapshot shows already.")] = False,
) -> None:
    """Show what to give an agent for a message: what is remembered about it, in few tokens; nothing when nothing is."""
    from memory_system import finder

    text = sys.stdin.buffer.read().decode(errors="replace") if message == "-" else message
    with settings.open() as ws:
        found = finder.context(
            ws, text, budget=budget, without_snapshot=without_snapshot, who="cli", unmasked=settings.unmasked
        )
    _warn(settings, found)
    if found["text"] or settings.as_json:
        settings.answer(found, found["text"])
