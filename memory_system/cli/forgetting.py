"""forget: what is chosen goes, for good."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_system.cli.answers import Settings, handled
from memory_system.errors import UsageError

if TYPE_CHECKING:
    from memory_system.forgetting import Selection
    from memory_system.workspace import Workspace

SHOWN = 20  # memories and lines that a preview shows; --json has them all
LONGEST = 100  # characters of a memory in a preview


@handled
def forget(
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(help="Ids of memories.")] = None,
    entity: Annotated[str, typer.Option(help="All that names this person or thing.")] = "",
    session: Annotated[str, typer.Option(help="All that was said in this session.")] = "",
    last: Annotated[int | None, typer.Option(min=1, help="All that was said in the last so many days.")] = None,
    since: Annotated[str, typer.Option(help="All that was said from this day (or instant) on.")] = "",
    until: Annotated[str, typer.Option(help="All that was said up to this day (or before this instant).")] = "",
    query: Annotated[str, typer.Option(help="All that holds these words.")] = "",
    transcripts: Annotated[bool, typer.Option("--transcripts", help="Take it out of the transcripts, too.")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="Take it out of notes, MEMORY.md and the like, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, and write nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Forget for good: from memories, archive, index, snapshot and journal; it does not come back from transcripts."""
    from memory_system import forgetting

    settings: Settings = context.obj
    with settings.open(write=not dry_run) as ws:
        if not dry_run and (done := forgetting.finish(ws)):
            settings.say(f"finished the forgetting of {done.at} that was interrupted")
        selection = _selection(ws, tuple(ids or ()), entity, session, last, since, until, query)
        plan = forgetting.plan_of(ws, selection, transcripts=transcripts, notes=notes)
        row = plan.to_row()
        if dry_run or plan.is_empty:
            status = "nothing to forget" if plan.is_empty else "nothing was forgotten"
            settings.answer({"status": status, **row}, lambda: "\n".join([*preview_lines(row), status]))
            return
        if not yes:
            _ask(settings, row)
        certificate = forgetting.forget(ws, plan, who="cli").to_row()
    settings.answer({"status": "forgotten", **certificate}, lambda: "\n".join(certificate_lines(certificate)))


def _selection(
    ws: Workspace, ids: tuple[str, ...], entity: str, session: str, last: int | None, since: str, until: str, query: str
) -> Selection:
    from memory_system import clock
    from memory_system.forgetting import Selection

    if last is not None and (since or until):
        raise UsageError("--last does not go with --since or --until")
    start = clock.stamp(ws.now - timedelta(days=last)) if last is not None else _stamp(since, ws, after=False)
    return Selection(ids, entity, session, start, _stamp(until, ws, after=True), query)


def _stamp(text: str, ws: Workspace, *, after: bool) -> str:
    """The stamp of a day's beginning (of the day after, for the end of a span), or of the instant that is named."""
    from memory_system import clock

    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"no day or instant: {text!r}", "write it like 2026-02-04 or 2026-02-04T03:00:00Z") from None
    if len(text) <= len("2026-02-04"):
        moment += timedelta(days=after)
    return clock.stamp(moment if moment.tzinfo else moment.replace(tzinfo=ws.config.zone))


def _ask(settings: Settings, row: dict[str, Any]) -> None:
    """Show what will go and wait for a yes; UsageError where nobody can say it."""
    from memory_system.privacy.masks import masked

    if settings.as_json or not sys.stdin.isatty():
        raise UsageError("nothing was forgotten: nobody could be asked", "look with --dry-run, then say --yes")
    for line in preview_lines(row):
        typer.echo(masked(line, settings.masked), err=True)
    if not typer.confirm("Forget this for good? 确定永久遗忘吗？", err=True):
        raise typer.Exit(1)


def preview_lines(row: dict[str, Any]) -> Iterator[str]:
    """What would go, as a person reads it."""
    for each in row["memories"][:SHOWN]:
        content = each["content"] if len(each["content"]) <= LONGEST else each["content"][: LONGEST - 1] + "…"
        yield f"- {each['id']} {content} ({each['why']})"
    yield from _more(row["memories"])
    for each in row["evidence"][:SHOWN]:
        yield f"~ {each['id']} loses the words of {', '.join(each['refs'])}"
    yield from (f"+ {each} comes back: what had taken its place goes" for each in row["restored"])
    yield f"{len(row['memories'])} memories, words of {row['messages']} messages, {len(row['quarantine'])} held back"
    yield from _left_lines(row["left"], "it also stands in files of yours")


def certificate_lines(row: dict[str, Any]) -> Iterator[str]:
    """What was done, and what is left to do."""
    yield f"forgotten: {row['memories']} memories, words of {row['messages']} messages"
    yield f"certificate {row['id']} of {row['at']}, journal {row['entry']}, head {row['head']}"
    yield from (f"! {path} could not be written, or was written to meanwhile: forget again" for path in row["failed"])
    yield from _left_lines(row["left"], "still in files of yours")
    yield "out of reach: " + "; ".join(row["unreachable"])


def _left_lines(left: list[dict[str, Any]], title: str) -> Iterator[str]:
    if left:
        yield f"{title} (take it out with --transcripts --notes):"
        yield from (f"  {each['path']}:{each['line']}" for each in left[:SHOWN])
        yield from _more(left)


def _more(rows: list[Any]) -> Iterator[str]:
    if len(rows) > SHOWN:
        yield f"  and {len(rows) - SHOWN} more: see them all with --json"
