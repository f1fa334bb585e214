"""search, get and context; why, diff and rollback; heartbeat and distill."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date, tzinfo
from functools import partial
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

import memory_system
from memory_system import clock, upkeep
from memory_system.cli import AS_OF_HELP, Settings
from memory_system.errors import NotFoundError, UsageError
from memory_system.text import shortened

Scope = Literal["all", "memories", "notes", "sessions"]  # as in recall, which is not imported for --help

Mode = Literal["auto", "keyword", "vector", "hybrid", "tfidf"]  # likewise
Kind = Literal["any", "fact", "belief", "summary", "message", "note"]
RUN_HELP = "A run's id, the stamp or the day of a night, or #3 for the journal's third entry."
SIGNS = {(None, "active"): "+", ("active", "archive"): "-", ("archive", "active"): "+"}
LONGEST = 200  # characters of a field that are shown to a person
dimmed = partial(typer.style, dim=True)  # what stands beside a memory: less bright than it is
PLACES = {
    "sentence": "", "before": " (before it)", "first": " (at the beginning)", "behind": " (behind it)",
    "question": " (in the question)",
}  # fmt: skip


def search(
    settings: Settings,
    query: Annotated[str, Argument(help="What to look for, in your own words; English or Chinese.")],
    limit: Annotated[int | None, Option(min=1, help="How many results, at most.")] = None,
    scope: Annotated[Scope, Option(help="Where to look.")] = "all",
    archived: Annotated[bool, Option(help="Also look among archived memories.")] = False,
    since: Annotated[str, Option(help="Only what was said on this day or later: 2026-02-03.")] = "",
    until: Annotated[str, Option(help="Only what was said on this day or earlier.")] = "",
    kind: Annotated[Kind, Option("--type", help="Only results of this type.")] = "any",
    entity: Annotated[str, Option(help="Only what names this person or thing.")] = "",
    explain: Annotated[bool, Option(help="Show what each score is made of.")] = False,
    mode: Annotated[Mode, Option(help="Find by words, by meaning (with an embedder) or both.")] = "auto",
    as_of: Annotated[str, Option(help=AS_OF_HELP)] = "",
) -> None:
    """Find memories, notes and what was said."""
    _asked(query, "search")
    with settings.open_as_of(as_of) as ws:
        found = memory_system.search(
            ws, query, limit=limit, scope=scope, archived=archived, since=_day(since), until=_day(until),
            kind="" if kind == "any" else kind, entity=entity, explain=explain, mode=mode, who="cli",
            unmasked=settings.unmasked,
        )  # fmt: skip
    _warn(settings, found)
    settings.answer(found, lambda found: result_lines(found, ws.zone))


def _asked(question: str, command: str) -> None:
    if not question.strip():
        raise UsageError("there is nothing to look for: the question is empty", f'memory {command} "what to look for"')


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


def result_lines(found: dict[str, Any], zone: tzinfo) -> list[str]:
    """What was found, for people; days are those where the owner lives."""
    return [_result_line(row, zone) for row in found["results"]] or ["nothing found"]


def _result_line(row: dict[str, Any], zone: tzinfo) -> str:
    said_by = f"{row['speaker']}{' (not surely their own words)' * ('whose' in row)}:" if "speaker" in row else ""
    text = " ".join(filter(None, (clock.day_of(row["said_at"], zone), said_by, *row["snippet"].split())))
    text += " (archived)" * (row["source"] == "archive")
    text += f" {row['outdated']}" if "outdated" in row else ""
    parts = " ".join(f"{name} {value:.2f}" for name, value in row.get("explain", {}).items())
    beside = (dimmed(line) for line in row.get("context", "").splitlines())
    below = (f"{row['id']} {row['citation']}", *beside, *filter(None, [parts]))
    return "\n      ".join((f"{row['score']:.2f} {row['type']:8} {text}", *below))


def get(
    settings: Settings,
    name: Annotated[str, Argument(help="A memory's id, or a file of the workspace.")],
    from_line: Annotated[int, Option("--from", min=1, help="First line.")] = 1,
    lines: Annotated[int, Option(min=1, help="How many lines, 120 at most.")] = 120,
) -> None:
    """Read one memory, or lines of a file, exactly."""
    with settings.open() as ws:
        found = memory_system.get(ws, name, from_line=from_line, lines=lines, who="cli", unmasked=settings.unmasked)
    if found["status"] != "ok" and not settings.as_json:
        raise NotFoundError(found["error"])
    settings.answer(found, read_lines)
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


def context(
    settings: Settings,
    message: Annotated[str, Argument(help="What was said to the agent; - reads it from stdin.")],
    budget: Annotated[int | None, Option(min=0, help="Tokens, at most.")] = None,
    without_snapshot: Annotated[bool, Option(help="Leave out what the snapshot shows already.")] = False,
) -> None:
    """Show what to give an agent for a message: what is remembered about it, in few tokens; nothing when nothing is."""
    text = sys.stdin.buffer.read().decode(errors="replace") if message == "-" else message
    _asked(text, "context")
    with settings.open() as ws:
        found = memory_system.context(
            ws, text, budget=budget, without_snapshot=without_snapshot, who="cli", unmasked=settings.unmasked
        )
    _warn(settings, found)
    if found["text"] or settings.as_json:
        settings.answer(found, found["text"])


def why(
    settings: Settings,
    what: Annotated[str, Argument(metavar="ID|SESSION:ENTRY", help="A memory's id, or a message's ref.")],
) -> None:
    """Explain a memory: who said it, what made it, what changed it, why it ranks where it does. Or a message: what was
    kept of it, what was left out, and why."""
    with settings.open() as ws:
        if ":" in what:
            row, lines = upkeep.explain.why_said(ws, what), said_lines
        else:
            row, lines = upkeep.explain.why(ws, what), why_lines
    settings.answer(row, lines)


def diff(
    settings: Settings,
    run: Annotated[str, Argument(help=f"{RUN_HELP} The last one, or its rollback, if left out.")] = "",
) -> None:
    """Show what a run has changed."""
    with settings.open() as ws:
        row = upkeep.explain.diff(ws, run)
    settings.answer(row, diff_lines)


def rollback(
    settings: Settings,
    run: Annotated[str, Argument(help=RUN_HELP)],
    cascade: Annotated[bool, Option(help="Undo later changes to the same memories as well.")] = False,
    redo: Annotated[bool, Option(help="Let the next night read again what the run had read.")] = False,
) -> None:
    """Undo a run; that can be undone, too."""
    with settings.open(write=True) as ws:
        before, lost = ws.journal.head().seq, upkeep.undo.beyond_reach(ws, run)
        upkeep.undo.rollback(ws, run, cascade=cascade, redo=redo)
        seq = ws.journal.head().seq
        entry = f"#{seq}" if seq > before else None  # none was made where there was nothing to undo
        rows = upkeep.explain.diff(ws, entry)["changes"] if entry else []
        stays_read = entry and not redo and any(each.entry.night for each in upkeep.explain.entries_of(ws, run))
    status = "rolled back" if entry else "nothing to undo"
    told = [*map(change_line, rows), f"{status}; undo that with: memory rollback {entry}" if entry else status]
    if stays_read:
        first, whole = (f"memory rollback {entry}, then ", " --cascade") if cascade else ("", "")
        again = f"{first}memory rollback {run}{whole} --redo"
        told.append(f"what was read stays read; let the next night read it again: {again}")
    if lost:
        settings.say(f"{lost} of the memories that {run} has changed were forgotten since, and stay so")
    settings.answer({"status": status, "entry": entry, "changes": rows, "forgotten": lost}, "\n".join(told))


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
    told = ((name, _turned(old, new)) for name, (old, new) in row["fields"].items())
    return "".join(f"\n      {name}: {what}" for name, what in told if what)


def _turned(old: Any, new: Any) -> str:
    """What has become of a field; of a list what came and what went, empty where only its order is another."""
    if not isinstance(old or new, list):
        return " → ".join(shortened(str("-" if each is None else each), LONGEST) for each in (old, new))
    before, after = old or [], new or []
    came = (f"+ {_named(each)}" for each in after if each not in before)
    went = (f"- {_named(each)}" for each in before if each not in after)
    return shortened(", ".join((*came, *went)), LONGEST)


def _named(part: Any) -> str:
    """An entry of a list, by what tells it from others: where it was said and the words, or the memory it is of."""
    known = [part[key] for key in ("ref", "id", "quote", "content") if part.get(key)] if isinstance(part, dict) else []
    return " ".join(map(str, known or [part]))


def heartbeat(settings: Settings) -> None:
    """Look, without a model, for what the owner should be told or asked: HEARTBEAT_OK, or what to do."""
    with settings.open() as ws:
        row, lang = upkeep.stats.heartbeat(ws), ws.language
    settings.answer(row, lambda row: beat_lines(row, lang))


def beat_lines(row: dict[str, Any], lang: str) -> Iterator[str]:
    """What to do, for an agent or a person, in that language."""
    from memory_system.llm import phrases

    if not row["items"]:
        yield row["status"]
    for each in row["items"]:
        yield f"- {each['what']}\n  → {each['do']}"
    if row["more"]:
        words = phrases(lang)["more"]
        yield "- … " + words["and"].join(f"{count} {words.get(kind, kind)}" for kind, count in row["more"].items())


def distill(
    settings: Settings,
    days: Annotated[int, Option(min=1, help="Of how many days memories are looked at for new lines.")] = 7,
    apply: Annotated[bool, Option("--apply", help="Write the files; without it they are only shown.")] = False,
) -> None:
    """Propose what MEMORY.md, USER.md and IDENTITY.md should say after the last days, as a diff."""
    from memory_system.finder import Giver

    with settings.open() as ws:
        drafts = upkeep.distill.distill(ws, days)
        if apply:
            upkeep.distill.apply(ws, drafts)
        giver = Giver(ws, unmasked=settings.unmasked)  # the files may hold secrets beside what is proposed
    diffs = (upkeep.distill.difference(each.before, each.after, (each.name, each.name)) for each in drafts)
    diff = giver.text("".join(diffs))
    row = {
        "status": "applied" if apply else "proposed",
        "proposals": [
            {name: giver.text(text) for name, text in each.items()} for draft in drafts for each in draft.proposals
        ],
        "diff": diff,
    }
    settings.answer(row, diff.rstrip("\n") or "nothing to propose")
    if drafts and not apply:
        settings.say("nothing was written; write it with: memory distill --apply")
