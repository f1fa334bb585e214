"""capture, note, archive, restore and edit; and forget: what is chosen goes, for good."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memory_system import clock
from memory_system.cli.answers import Settings, complain, handled
from memory_system.errors import UnwritableError, UsageError
from memory_system.text import shortened

if TYPE_CHECKING:
    from memory_system.forgetting.planning import Plan
    from memory_system.workspace import Workspace


Sensitivity = Literal["normal", "sensitive", "shared"]  # as in masks, which is not imported for --help
SHOWN = 20  # memories and lines that a preview shows; --json has them all
LONGEST = 100  # characters of a memory in a preview


@handled
def capture(
    settings: Settings,
    text: Annotated[str, typer.Argument(help="What to remember, as one sentence.")],
    kind: Annotated[str, typer.Option("--type", help="fact or belief.")] = "fact",
    importance: Annotated[float, typer.Option(help="0 to 1.")] = 0.5,
    confidence: Annotated[float | None, typer.Option(help="Between 0 and 1; of a belief.")] = None,
    entities: Annotated[str, typer.Option(help="Names it is about, with commas between.")] = "",
    source: Annotated[str, typer.Option(help="Where it comes from: session:entry.")] = "",
    key: Annotated[str, typer.Option(help="The same key and text twice are one memory.")] = "",
) -> None:
    """Remember one thing now; it is found at once and folded in tonight."""
    from memory_system.upkeep import edit

    with settings.open() as ws:
        record = edit.capture(
            ws, text, kind=kind, importance=importance, confidence=confidence, entities=_names(entities),
            source=source, key=key, who="cli",
        )  # fmt: skip
    settings.answer({"status": "saved", "id": record.id, "content": record.content}, f"{record.id}  {record.content}")


@handled
def note(
    settings: Settings,
    text: Annotated[str, typer.Argument(help="What happened.")],
    category: Annotated[str, typer.Option(help="preference, fact, decision, todo, person, …")] = "general",
) -> None:
    """Append an entry to today's note."""
    from memory_system.upkeep import edit

    with settings.open() as ws:
        path = edit.note(ws, text, category, who="cli")
    settings.answer({"status": "saved", "path": path, "category": category}, path)


@handled
def archive(settings: Settings, memory_id: Annotated[str, typer.Argument(help="The memory's id.")]) -> None:
    """Put a memory away by hand; it can be restored."""
    from memory_system.upkeep import edit

    with settings.open(write=True) as ws:
        record = edit.archive(ws, memory_id, who="cli")
        replaced = [{"id": each.id, "content": each.content} for each in edit.replaced_by(ws, record)]
    hints = (f"\n  it had replaced {each['content']}\n  → memory restore {each['id']}" for each in replaced)
    row = {"status": "archived", "id": record.id, "content": record.content, "replaced": replaced}
    settings.answer(row, "".join((f"archived {record.id}", *hints)))


@handled
def restore(settings: Settings, memory_id: Annotated[str, typer.Argument(help="The memory's id.")]) -> None:
    """Bring an archived memory back."""
    from memory_system.upkeep import edit

    with settings.open(write=True) as ws:
        record = edit.restore(ws, memory_id, who="cli")
    settings.answer({"status": "restored", "id": record.id, "content": record.content}, f"restored {record.id}")


@handled
def edit(
    settings: Settings,
    memory_id: Annotated[str, typer.Argument(help="The memory's id.")],
    content: Annotated[str | None, typer.Option(help="What it says from now on.")] = None,
    value: Annotated[str | None, typer.Option(help="What its slot holds; changes in its words as well.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    category: Annotated[str | None, typer.Option(help="identity, health, preference, status, …")] = None,
    entities: Annotated[str | None, typer.Option(help="Names it is about, with commas between.")] = None,
    confidence: Annotated[float | None, typer.Option(help="Between 0 and 1; of a belief.")] = None,
    pinned: Annotated[bool | None, typer.Option("--pinned/--unpinned", help="Never let it fade away.")] = None,
    sensitivity: Annotated[
        Sensitivity | None, typer.Option(help="shared: may be told in any group; normal and sensitive: never.")
    ] = None,
    if_version: Annotated[int | None, typer.Option(help="Only if this is its version still.")] = None,
    split: Annotated[bool, typer.Option(help="Take its last merging back: two memories of one.")] = False,
) -> None:
    """Correct a memory by hand; consolidation never undoes that."""
    from memory_system.upkeep import correct

    given = {
        "content": content, "value": value, "importance": importance, "category": category,
        "entities": None if entities is None else tuple(_names(entities)), "confidence": confidence, "pinned": pinned,
        "sensitivity": sensitivity,
    }  # fmt: skip
    values = {name: each for name, each in given.items() if each is not None}
    if split and values:
        raise UsageError("--split stands alone", "split first, then edit the two")
    with settings.open(write=True) as ws:
        seq = ws.journal.head().seq
        if split:
            changed = [*correct.split(ws, memory_id, if_version=if_version)]
        else:
            changed = [correct.edit(ws, memory_id, values, if_version=if_version, who="cli")]
        status = "unchanged" if ws.journal.head().seq == seq else "split" if split else "edited"
    rows = [{"id": each.id, "content": each.content, "version": each.version} for each in changed]
    settings.answer(
        {"status": status, "memories": rows}, "\n".join(f"{status} {row['id']}  {row['content']}" for row in rows)
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.replace("，", ",").split(",") if name.strip()]


@handled
def forget(
    settings: Settings,
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

    if last is not None and (since or until):
        raise UsageError("--last does not go with --since or --until")
    with settings.open(write=not dry_run) as ws:
        if not dry_run and (done := forgetting.finish(ws)):
            settings.say(f"finished the forgetting of {done['at']} that was interrupted")
        start = clock.stamp(ws.now - timedelta(days=last)) if last else _stamp(since, ws, after=False)
        end = _stamp(until, ws, after=True)
        selection = forgetting.Selection(tuple(ids or ()), entity, session, start, end, query)
        plan = forgetting.plan_of(ws, selection, transcripts=transcripts, notes=notes)
        row = plan.to_row()
        if dry_run or plan.is_empty:
            status = "nothing to forget" if plan.is_empty else "nothing was forgotten"
            settings.answer({"status": status, **row}, lambda row: [*preview_lines(row, plan), status])
            return
        if not yes:
            _ask(settings, row, plan)
        certificate = forgetting.forget(ws, plan, who="cli")
    settings.answer({"status": "forgotten", **certificate}, lambda row: certificate_lines(row, plan))
    if failed := certificate["failed"]:
        what = f"forgotten, but not taken out of {', '.join(failed)}"
        by_words = bool(ids) or selection.by_source  # what stands in nothing of ours is found by its words alone
        again = "forget it there with --query WORDS" if by_words else "run the same command again"
        hint = f"mend what stands behind each of them, then {again}; or take the lines out by hand"
        complain(error := UnwritableError(what, hint))
        raise typer.Exit(error.exit_code)


def _stamp(text: str, ws: Workspace, *, after: bool) -> str:
    """The stamp of a day's beginning (of the day after, for the end of a span), or of the instant that is named."""
    if not text:
        return ""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"no day or instant: {text!r}", "write it like 2026-02-04 or 2026-02-04T03:00:00Z") from None
    if len(text) <= len("2026-02-04"):
        moment += timedelta(days=after)
    return clock.stamp(moment if moment.tzinfo else moment.replace(tzinfo=ws.config.zone))


def _ask(settings: Settings, row: dict[str, Any], plan: Plan) -> None:
    """Show what will go and wait for a yes; UsageError where nobody can say it."""
    from memory_system.privacy.masks import masked

    if settings.as_json or not sys.stdin.isatty():
        raise UsageError("nothing was forgotten: nobody could be asked", "look with --dry-run, then say --yes")
    for line in preview_lines(row, plan):
        typer.echo(masked(line, settings.masked), err=True)
    if not typer.confirm("Forget this for good? 确定永久遗忘吗？", err=True):
        raise typer.Exit(1)


def preview_lines(row: dict[str, Any], plan: Plan) -> Iterator[str]:
    for each in row["memories"][:SHOWN]:
        yield f"- {each['id']} {shortened(each['content'], LONGEST)} ({each['why']})"
    yield from _more(row["memories"])
    for each in row["evidence"][:SHOWN]:
        yield f"~ {each['id']} loses the words of {', '.join(each['refs'])}"
    yield from (f"+ {each} comes back: what had taken its place goes" for each in row["restored"])
    yield f"{len(row['memories'])} memories, words of {row['messages']} messages, {len(row['quarantine'])} held back"
    yield from _left_lines(row["left"], "it also stands in files of yours", plan)


def certificate_lines(row: dict[str, Any], plan: Plan) -> Iterator[str]:
    yield f"forgotten: {row['memories']} memories, words of {row['messages']} messages"
    yield f"certificate {row['id']} of {row['at']}, journal {row['entry']}, head {row['head']}"
    yield from (f"! not taken out of {path}: {why}" for path, why in row["reasons"].items())
    yield from _left_lines(row["left"], "still in files of yours", plan)
    yield "out of reach: " + "; ".join(row["unreachable"])


def _left_lines(left: list[dict[str, Any]], title: str, plan: Plan) -> Iterator[str]:
    """The lines of people's files that hold it, and which options, that were not given, would take it out there."""
    notes = {each["path"].endswith(".md") for each in left}
    ways = (("--transcripts", False in notes and not plan.transcripts), ("--notes", True in notes and not plan.notes))
    options = " ".join(option for option, helps in ways if helps)
    if left:
        yield f"{title} (take it out with {options}):" if options else f"{title}:"
        yield from (f"  {each['path']}:{each['line']}" for each in left[:SHOWN])
        yield from _more(left)


def _more(rows: list[Any]) -> Iterator[str]:
    if len(rows) > SHOWN:
        yield f"  and {len(rows) - SHOWN} more: see them all with --json"
