"""why, diff and rollback; heartbeat and distill."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_system.cli.answers import Settings, handled

if TYPE_CHECKING:
    from memory_system.upkeep.distill import Draft


RUN_HELP = "A run's id, the stamp of a night, or #3 for the journal's third entry."
SIGNS = {(None, "active"): "+", ("active", "archive"): "-", ("archive", "active"): "+"}
LONGEST = 200  # characters of a field that are shown to a person
PLACES = {
    "sentence": "", "before": " (before it)", "first": " (at the beginning)", "behind": " (behind it)",
    "question": " (in the question)",
}  # fmt: skip


@handled
def why(
    settings: Settings,
    what: Annotated[str, typer.Argument(metavar="ID|SESSION:ENTRY", help="A memory's id, or a message's ref.")],
) -> None:
    """Explain a memory: who said it, what made it, what changed it, why it ranks where it does. Or a message: what was
    kept of it, what was left out, and why."""
    from memory_system.upkeep import explain

    with settings.open() as ws:
        if ":" in what:
            row, lines = explain.why_said(ws, what), said_lines
        else:
            row, lines = explain.why(ws, what), why_lines
    settings.answer(row, lambda: "\n".join(lines(row)))


@handled
def diff(
    settings: Settings, run: Annotated[str, typer.Argument(help=f"{RUN_HELP} The last one if left out.")] = ""
) -> None:
    """Show what a run has changed."""
    from memory_system.upkeep import explain

    with settings.open() as ws:
        row = explain.diff(ws, run)
    settings.answer(row, lambda: "\n".join(diff_lines(row)))


@handled
def rollback(
    settings: Settings,
    run: Annotated[str, typer.Argument(help=RUN_HELP)],
    cascade: Annotated[bool, typer.Option(help="Undo later changes to the same memories as well.")] = False,
    redo: Annotated[bool, typer.Option(help="Let the next night read again what the run had read.")] = False,
) -> None:
    """Undo a run; that can be undone, too."""
    from memory_system.upkeep import explain, undo

    with settings.open(write=True) as ws:
        before, lost = ws.journal.head().seq, undo.beyond_reach(ws, run)
        undo.rollback(ws, run, cascade=cascade, redo=redo)
        seq = ws.journal.head().seq
        entry = f"#{seq}" if seq > before else None  # none was made where there was nothing to undo
        rows = explain.diff(ws, entry)["changes"] if entry else []
    status = "rolled back" if entry else "nothing to undo"
    last = f"{status}; undo that with: memory rollback {entry}" if entry else status
    if lost:
        settings.say(f"{lost} of the memories that {run} has changed were forgotten since, and stay so")
    settings.answer(
        {"status": status, "entry": entry, "changes": rows, "forgotten": lost},
        lambda: "\n".join([*map(change_line, rows), last]),
    )


def why_lines(row: dict[str, Any]) -> Iterator[str]:
    rank = row["rank"]
    yield f"{row['id']}  {row['content']}"
    yield f"  in       {row['pool']}"
    for each in row["sources"]:
        where = f" ({each['session_key']})" if each.get("session_key") else ""
        yield f"  said     {each['said_at']} by {each['role']} in {each['ref']}{where}: {each['quote']}"
    yield from (f"  beside   {line}" for line in row["context"].splitlines())
    for each in row["source_facts"]:
        yield f"  from     {each}"
    yield f"  made by  {row['method'] or 'hand'}" + (f" ({row['rule']})" if row["rule"] else "")
    yield from (f"  {line}" for line in _judge_lines(row["judge"] or {}))
    if row["edited"]:
        yield f"  by hand  {', '.join(row['edited'])}"
    for each in row["history"]:
        yield f"  before   {each['value'] or each['content']} until {each['until']} ({each['id']})"
    if row["superseded_by"]:
        yield f"  replaced by {row['superseded_by']}"
    if row["outdated_by"]:
        yield f"  outdated by {row['outdated_by']}"
    for each in row["changes"]:
        yield f"  changed  {each['time']} #{each['seq']} {each['why']}" + _fields(each)
    floor = f", never below {rank['floor']}" if rank["floor"] is not None else ""
    yield (
        f"  ranks    {rank['effective']}: score {rank['score']} of {rank['scored_at'] or 'no day'}, fading by "
        f"{rank['decay_per_day']} a day{floor}; importance {rank['importance']}"
    )


def said_lines(row: dict[str, Any]) -> Iterator[str]:
    """What became of a message, segment by segment."""
    yield f"{row['ref']}  said {row['said_at']} by {row['speaker'] or row['role']}"
    if row["filtered"]:
        yield f"  no source of memories: {row['filtered']}"
    elif not row["read"]:
        yield "  no night has read it yet; this is what one would make of it:"
    for each in row["segments"]:
        yield f"  {'+' if each['kept'] else '-'} {each['text'] or '[not shown]'}"
        yield f"      {'kept as ' + each['as'] if each['kept'] else 'dropped'}: {each['why']}"
        yield from (f"      {line}" for line in _judge_lines(each))
        if each["memories"]:
            yield f"      stands in {', '.join(each['memories'])}"
        elif each["kept"] and row["read"]:
            yield "      no memory stands on it: it was known already, or was put right or forgotten since"
    for each in row["memories"]:
        yield f"  {each['id']} ({each['pool']})  {each['content']}"


def _judge_lines(row: dict[str, Any]) -> Iterator[str]:
    """What the judge decided, and the words that spoke for it and against it."""
    told = [row["stance"], row["change"]] if row.get("kept") else []
    if any(told):
        yield f"meant    {', '.join(filter(None, told))}"
    if words := row.get("words"):
        shown = (f"{each['word']!r}{PLACES[each['where']]} {each['weight']:+}" for each in words)
        yield f"judged by {', '.join(shown)}"


def diff_lines(row: dict[str, Any]) -> Iterator[str]:
    for each in row["entries"]:
        night = f" night {each['night']}" if each["night"] else ""
        yield f"#{each['seq']} {each['time']} {each['reason']} {each['run']}{night}".rstrip()
    yield from map(change_line, row["changes"])
    yield ", ".join(f"{count} {why}" for why, count in row["counts"].items()) or "nothing changed"


def change_line(row: dict[str, Any]) -> str:
    """`+ f_… text (new)`; ~ for what stays where it is, - for what leaves."""
    sign = "-" if row["to"] is None else SIGNS.get((row["from"], row["to"]), "~")
    return f"{sign} {row['id']} {row['content']} ({row['why']})" + (_fields(row) if sign == "~" else "")


def _fields(row: dict[str, Any]) -> str:
    told = [f"{name}: {_short(old)} → {_short(new)}" for name, (old, new) in row["fields"].items()]
    return "\n      " + "\n      ".join(told) if told else ""


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"{len(value)} of them"
    told = str("-" if value is None else value)
    return told if len(told) <= LONGEST else told[: LONGEST - 1] + "…"


@handled
def heartbeat(settings: Settings) -> None:
    """Look, without a model, for what the owner should be told or asked: HEARTBEAT_OK, or what to do."""
    from memory_system.upkeep import stats as pulse

    with settings.open() as ws:
        row = pulse.heartbeat(ws)
    settings.answer(row, lambda: "\n".join(_beat_lines(row)))


def _beat_lines(row: dict[str, Any]) -> Iterator[str]:
    if not row["items"]:
        yield row["status"]
    for each in row["items"]:
        yield f"- {each['what']}\n  → {each['do']}"
    if row["more"]:
        yield "- … " + ", ".join(f"{count} {kind.replace('_', ' ')}" for kind, count in row["more"].items())


@handled
def distill(
    settings: Settings,
    days: Annotated[int, typer.Option(min=1, help="Of how many days memories are looked at for new lines.")] = 7,
    apply: Annotated[bool, typer.Option("--apply", help="Write the files; without it they are only shown.")] = False,
) -> None:
    """Propose what MEMORY.md, USER.md and IDENTITY.md should say after the last days, as a diff."""
    from memory_system.finder import Giver
    from memory_system.upkeep import distill as curation

    with settings.open() as ws:
        drafts = curation.distill(ws, days)
        if apply:
            curation.apply(ws, drafts)
        giver = Giver(ws, unmasked=settings.unmasked)  # the files may hold secrets beside what is proposed
    diff = giver.text("".join(map(_diff, drafts)))
    row = {
        "status": "applied" if apply else "proposed",
        "proposals": [{name: giver.text(text) for name, text in each.items()} for each in curation.rows_of(drafts)],
        "diff": diff,
    }
    settings.answer(row, diff.rstrip("\n") or "nothing to propose")
    if drafts and not apply:
        settings.say("nothing was written; write it with: memory distill --apply")


def _diff(draft: Draft) -> str:
    """As `diff -u` shows it."""
    import difflib

    before, after = (text.splitlines(keepends=True) for text in (draft.before, draft.after))
    lines = difflib.unified_diff(before, after, draft.name, draft.name, n=1)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
