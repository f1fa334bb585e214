"""capture, note, archive, restore and edit; quarantine, for what was held back; forget, which is for good, and policy,
for what should never have come in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from memory_system import clock, upkeep
from memory_system.cli import WRONG, Settings, ended
from memory_system.errors import UnwritableError, UsageError
from memory_system.text import shortened

if TYPE_CHECKING:
    from memory_system.forgetting.planning import Plan, Selection
    from memory_system.forgetting.scanning import Finding
    from memory_system.workspace import Workspace

Sensitivity = Literal["normal", "sensitive", "shared"]  # as in masks, which is not imported for --help
Deed = Literal["list", "show", "approve", "reject"]  # to what was held back
SHOWN = 20  # memories and lines that a preview shows; --json has them all
LONGEST = 100  # characters of a memory in a preview
LONGEST_HELD = 160  # characters of what was held back that a list shows


def capture(
    settings: Settings,
    text: Annotated[str, Argument(help="What to remember, as one sentence.")],
    kind: Annotated[str, Option("--type", help="fact or belief.")] = "fact",
    importance: Annotated[float, Option(help="0 to 1.")] = 0.5,
    confidence: Annotated[float | None, Option(help="Between 0 and 1; of a belief.")] = None,
    entities: Annotated[str, Option(help="Names it is about, with commas between.")] = "",
    source: Annotated[str, Option(help="Where it comes from: session:entry.")] = "",
    key: Annotated[str, Option(help="The same key and text twice are one memory.")] = "",
) -> None:
    """Remember one thing now; it is found at once and folded in tonight."""
    with settings.open() as ws:
        record = upkeep.edit.capture(
            ws, text, kind=kind, importance=importance, confidence=confidence, entities=_names(entities),
            source=source, key=key, who="cli",
        )  # fmt: skip
    settings.answer({"status": "saved", "id": record.id, "content": record.content}, f"{record.id}  {record.content}")


def note(
    settings: Settings,
    text: Annotated[str, Argument(help="What happened.")],
    category: Annotated[str, Option(help="preference, fact, decision, todo, person, …")] = "general",
) -> None:
    """Append an entry to today's note."""
    with settings.open() as ws:
        path = upkeep.edit.note(ws, text, category, who="cli")
    settings.answer({"status": "saved", "path": path, "category": category}, path)


def archive(settings: Settings, memory_id: Annotated[str, Argument(help="The memory's id.")]) -> None:
    """Put a memory away by hand; it can be restored."""
    with settings.open(write=True) as ws:
        is_there = ws.store.pool_of(memory_id) == "archive"
        record = upkeep.correct.archive(ws, memory_id, who="cli")
        replaced = [{"id": each.id, "content": each.content} for each in upkeep.correct.replaced_by(ws, record)]
    hints = (f"\n  it had replaced {each['content']}\n  → memory restore {each['id']}" for each in replaced)
    row = {"status": "archived", "id": record.id, "content": record.content, "replaced": replaced}
    settings.answer(row, "".join((_moved("archived", record.id, already=is_there), *hints)))


def restore(settings: Settings, memory_id: Annotated[str, Argument(help="The memory's id.")]) -> None:
    """Bring an archived memory back."""
    with settings.open(write=True) as ws:
        is_there = ws.store.pool_of(memory_id) == "active"
        record = upkeep.correct.restore(ws, memory_id, who="cli")
    row = {"status": "restored", "id": record.id, "content": record.content}
    settings.answer(row, _moved("restored", record.id, already=is_there))


def _moved(done: str, memory_id: str, *, already: bool) -> str:
    where = {"archived": "in the archive", "restored": "active"}[done]
    return f"{memory_id} is {where} already: nothing to do" if already else f"{done} {memory_id}"


def edit(
    settings: Settings,
    memory_id: Annotated[str, Argument(help="The memory's id.")],
    content: Annotated[str | None, Option(help="What it says from now on.")] = None,
    value: Annotated[str | None, Option(help="What its slot holds; changes in its words as well.")] = None,
    importance: Annotated[float | None, Option(help="0 to 1.")] = None,
    category: Annotated[str | None, Option(help="identity, health, preference, status, …")] = None,
    entities: Annotated[str | None, Option(help="Names it is about, with commas between.")] = None,
    confidence: Annotated[float | None, Option(help="Between 0 and 1; of a belief.")] = None,
    pinned: Annotated[bool | None, Option("--pinned/--unpinned", help="Never let it fade away.")] = None,
    sensitivity: Annotated[
        Sensitivity | None, Option(help="shared: may be told in any group; normal and sensitive: never.")
    ] = None,
    if_version: Annotated[int | None, Option(help="Only if this is its version still.")] = None,
    split: Annotated[bool, Option(help="Take its last merging back: two memories of one.")] = False,
) -> None:
    """Correct a memory by hand; consolidation never undoes that."""
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
            changed = [*upkeep.correct.split(ws, memory_id, if_version=if_version)]
        else:
            changed = [upkeep.correct.edit(ws, memory_id, values, if_version=if_version, who="cli")]
        status = "unchanged" if ws.journal.head().seq == seq else "split" if split else "edited"
    rows = [{"id": each.id, "content": each.content, "version": each.version} for each in changed]
    settings.answer(
        {"status": status, "memories": rows}, "\n".join(f"{status} {row['id']}  {row['content']}" for row in rows)
    )


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.replace("，", ",").split(",") if name.strip()]


def quarantine(
    settings: Settings,
    action: Annotated[Deed, Argument(help="list, show, approve or reject.")] = "list",
    held_id: Annotated[str, Argument(help="The id of what was held back.")] = "",
) -> None:
    """What was held back because it wants to steer an agent: look at it, let it in, or throw it out."""
    if (action == "list") == bool(held_id):
        raise UsageError(
            "name what was held back" if not held_id else "list takes no id", f"memory quarantine {action} q_…"
        )
    with settings.open() as ws:
        if action == "approve":
            upkeep.edit.approve(ws, held_id, who="cli")
        elif action == "reject":
            from memory_system.privacy.trust import REJECTED

            ws.quarantine.settle(held_id, REJECTED)
        held = [ws.quarantine.get(held_id)] if held_id else ws.quarantine.waiting()
        rows = [{**asdict(each), "why": each.why} for each in held]
    settings.answer({"held": rows}, lambda _: held_lines(rows) if rows else ["nothing is held back"])


def held_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """What was held back as a person reads it: quoted, and without characters that nobody sees."""
    from memory_system.privacy.trust import shown

    for row in rows:
        words = shown(" ".join(row["quote"].split()))
        words = words if len(rows) == 1 else shortened(words, LONGEST_HELD)
        yield f"{row['id']}  {row['status']}  “{words}”"
        yield f"  {row['why']} ({row['rule']}); said {row['said_at']} by {row['role']} in {row['ref']}"


def forget(
    settings: Settings,
    ids: Annotated[list[str] | None, Argument(help="Ids of memories.")] = None,
    entity: Annotated[str, Option(help="All that names this person or thing.")] = "",
    session: Annotated[str, Option(help="All that was said in this session.")] = "",
    last: Annotated[int | None, Option(min=1, help="All that was said in the last so many days.")] = None,
    since: Annotated[str, Option(help="All that was said from this day (or instant) on.")] = "",
    until: Annotated[str, Option(help="All that was said up to this day (or before this instant).")] = "",
    query: Annotated[str, Option(help="All that holds these words.")] = "",
    transcripts: Annotated[bool, Option("--transcripts", help="Take it out of the transcripts, too.")] = False,
    notes: Annotated[bool, Option("--notes", help="Take it out of notes, MEMORY.md and the like, too.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would go, and write nothing.")] = False,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
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
    if certificate["failed"]:
        raise ended(_left_behind(certificate["failed"], selection))


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


def _left_behind(failed: list[str], selection: Selection) -> UnwritableError:
    """Of files that could not be written, and how to go on: what stands in nothing of ours is found by its words."""
    by_words = selection.ids or selection.by_source
    again = "forget it there with --query WORDS" if by_words else "run the same command again"
    hint = f"mend what stands behind each of them, then {again}; or take the lines out by hand"
    return UnwritableError(f"forgotten, but not taken out of {', '.join(failed)}", hint)


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


def policy(
    settings: Settings,
    action: Annotated[Literal["scan"], Argument(help="scan.")] = "scan",
    fix: Annotated[bool, Option("--fix", help="Take it out of everything but your own files.")] = False,
) -> None:
    """Look through all that is there for what today's rules would not let in; exits with 1 where any is left."""
    from memory_system.forgetting import finish, scanning

    del action  # there is one
    with settings.open(write=fix) as ws:
        if fix:
            finish(ws)
        found = scanning.scan(ws)
        mended = fix and any(each.ours for each in found)
        changed = scanning.fix(ws) if mended else 0
        left = scanning.scan(ws) if mended else found
    row = {"found": list(map(asdict, found)), "changed": changed, "left": list(map(asdict, left))}
    settings.answer(row, lambda _: _policy_lines(found, changed, left))
    if left:
        raise typer.Exit(WRONG)


def _policy_lines(found: list[Finding], changed: int, left: list[Finding]) -> Iterator[str]:
    for each in found:
        kept = "" if each in left else ", mended"
        yield f"{each.where}: {', '.join(each.kinds)}{kept}{'' if each.ours else ' (your own file)'}"
    yield f"{len(found)} places, {changed} memories changed, {len(left)} places left"
    if any(each.ours for each in left):
        yield "take it out of what is ours with: memory policy scan --fix"
