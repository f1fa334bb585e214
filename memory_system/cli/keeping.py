"""status, stats, llm, snapshot, validate, audit and rebuild-index; backup: all of a workspace in one encrypted file.
Problems as a person is told of them are a few lines, in which one bad file leaves room for the others."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from memory_system import clock, upkeep
from memory_system.cli import AS_OF_HELP, Settings
from memory_system.errors import LLMError, UsageError

if TYPE_CHECKING:
    from memory_system.upkeep.backup import Key

Action = Literal["create", "verify", "restore", "key"]  # with a backup
SHOWN = 5  # ids of facts that nobody has confirmed, files that others can read
NAMED = 4  # ids that a line of the log shows
DAYS = 7  # of asking that are shown to a person; --json has them all
MOST = 12  # shown to a person; --json has them all
Row = dict[str, str]


def status(settings: Settings) -> None:
    """How the workspace is doing, and what to look at; exits with 1 when there is something."""
    with settings.open() as ws:
        row, lang = upkeep.stats.status(ws), ws.language
    settings.answer(row, lambda row: status_lines(row, lang))


def stats(settings: Settings, as_of: Annotated[str, Option(help=AS_OF_HELP)] = "") -> None:
    """How many memories there are, of which type and importance."""
    with settings.open_as_of(as_of) as ws:
        row = upkeep.stats.stats(ws)
    settings.answer(row, stats_lines)


def llm(settings: Settings, what: Annotated[Literal["check"], Argument(help="check.")] = "check") -> None:
    """Ask the language model one tiny question and say what works; exits with 6 when it gives no answer."""
    del what  # there is one
    from memory_system.llm.claude import check
    from memory_system.llm.ledger import Ledger

    with settings.open() as ws:
        found, usage = check(ws.config)
        ledger = Ledger(ws.layout.ledger, ws.files, ws.config)
        if usage.calls:
            outcome = "answered" if found["answers"] else "failed"
            ledger.add_talk("check", found["model"], usage, outcome, clock.stamp(ws.now))
        row = {**found, "tokens": usage.tokens, "usd": ledger.cost(usage, found["model"])}
    settings.answer(row, llm_lines)
    if not found["answers"]:
        raise typer.Exit(LLMError.exit_code)


def llm_lines(row: dict[str, Any]) -> Iterator[str]:
    """What works at the model's address, for a person."""
    yield f"{row['model']} at {row['address']} (llm.mode is {row['mode']})"
    if row["problem"]:
        yield f"! no answer: {row['problem']}"
        yield "→ set ANTHROPIC_API_KEY, or name a server in llm.base_url and start it: docs/llm.md"
    else:
        yield f"  it answers: {row['tokens']} tokens" + (f", ${row['usd']:.6f}" if row["usd"] is not None else "")
        yield f"  structured output: {'yes' if row['structured'] else 'no, it is asked in words'}"
        yield f"  batches: {'yes' if row['batch'] else 'no, llm.mode must not be batch'}"
    known = "known" if row["priced"] else f"unknown: no night asks {row['model']} before it stands in llm.prices"
    yield f"  price: {known}"


def snapshot(settings: Settings, as_of: Annotated[str, Option(help=AS_OF_HELP)] = "") -> None:
    """Show what the agent reads in the morning: the snapshot, as the memories give it."""
    from memory_system.nights import derive

    with settings.open_as_of(as_of) as ws:
        row = derive.snapshot_row(ws)
    settings.answer(row, row["text"].rstrip("\n"))


def validate(
    settings: Settings,
    repair: Annotated[bool, Option(help="Set damage aside, put back what was lost, make the rest anew.")] = False,
) -> None:
    """Check everything the program relies on; exits with 1 and names file and line where something is wrong. What was
    stopped half-way, and lines of transcripts that were skipped, are told and not wrong."""
    repaired: list[str] = []
    if repair:
        with settings.open(write=True, settle=False) as ws:
            repaired = upkeep.repair.repair(ws)
    with settings.open() as ws:
        found = upkeep.check.validate(ws), upkeep.check.unfinished(ws), upkeep.stats.skipped(ws)
        names = "problems", "waiting", "skipped"
        rows = {name: [each.to_row() for each in there] for name, there in zip(names, found, strict=True)}
    row = {"ok": not rows["problems"], "repaired": repaired, **rows}
    settings.answer(row, validate_lines)


def validate_lines(row: dict[str, Any]) -> Iterator[str]:
    """What was repaired, what waits or was skipped and is not wrong, and what is."""
    yield from (f"repaired: {each}" for each in row["repaired"])
    yield from (f"waits: {each['what']}\n  → {each['hint']}" for each in row["waiting"])
    yield from problem_lines(row["problems"])
    yield from problem_lines(row["skipped"])
    if not (row["waiting"] or row["skipped"] or row["problems"]):
        yield "all is well"


def audit(
    settings: Settings,
    question: Annotated[Literal["verify", "head", "log"], Argument(help="verify, head or log.")] = "verify",
    anchor: Annotated[str, Option(help="A head that was kept elsewhere: it must still be there.")] = "",
    last: Annotated[int, Option(min=1, help="How many lines of the log, at most: the newest.")] = 20,
) -> None:
    """Check or anchor the journal's chain, or show who read and wrote what; exits with 1 where an entry is wrong."""
    with settings.open() as ws:
        if question == "log":
            rows = ws.accesses.log()[-last:]
            settings.answer({"log": rows}, lambda _: log_lines(rows) if rows else ["nothing yet"])
            return
        head = ws.journal.head()
        wrong = upkeep.check.verify(ws, anchor) if question == "verify" else None
    problem = wrong.to_row() if wrong else None
    told = f"! {wrong.where}: {wrong.what}\n  → {wrong.hint}" if wrong else str(head)
    settings.answer({"ok": wrong is None, "head": str(head), "problem": problem}, told)


def log_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield f"{row['at']}  {row.get('who', '?'):8} {row.get('did', '?'):8} {_first(row['ids'], NAMED)}".rstrip()


def _first(names: list[str], most: int) -> str:
    """The first of the names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def rebuild_index(settings: Settings) -> None:
    """Make everything derived anew: index, profiles, snapshot; copy what transcripts say that layer 3 lacks."""
    from memory_system.nights import copying, derive

    with settings.open(write=True) as ws:
        copying.fill(ws)
        made = derive.rebuild(ws)
    settings.answer({"status": "rebuilt", "made": made}, f"rebuilt {', '.join(made)}")


def backup(
    settings: Settings,
    action: Annotated[Action, Argument(help="create, verify, restore, or key: make a key.")],
    file: Annotated[Path, Argument(help="The backup; for `key`, where the key shall lie.")],
    recipient: Annotated[list[str] | None, Option(help="To whom it is encrypted: a public key, age1….")] = None,
    identity: Annotated[Path | None, Option(help="The file with the secret key that opens it.")] = None,
    passphrase_file: Annotated[Path | None, Option(help="The passphrase is the first line of this file.")] = None,
    into: Annotated[Path | None, Option(help="The new folder in which `restore` puts the workspace.")] = None,
) -> None:
    """Put the whole workspace into one encrypted file (as age does it), check such a file, or unpack it."""
    if (action == "restore") != (into is not None):
        raise UsageError("restore needs --into, and nothing else does", "memory backup restore FILE --into FOLDER")

    row: dict[str, Any] = {"status": "made", "path": str(file)}
    if action == "key":
        row["recipient"] = upkeep.backup.make_key(file)
        told = f"{row['recipient']}\nthe secret half is in {file}: keep a copy where the backups are not"
    elif action == "create":
        key = _key(passphrase_file, tuple(recipient or ()), asked_twice=True)
        with settings.open(write=True) as ws:
            row |= upkeep.backup.create(ws, file, key).to_row()
            row["readable_by_others"] = wide = [ws.layout.name(each) for each in upkeep.check.readable_by_others(ws)]
        told = f"{file}: {row['files']} files, {row['bytes']} bytes, journal at {row['head']}"
        told += f"\n! others can read {_first(wide, SHOWN)}: chmod -R go-rwx memory" if wide else ""
    else:
        key = _key(passphrase_file, upkeep.backup.keys_in(identity) if identity else (), asked_twice=False)
        contents = upkeep.backup.read(file, key)
        row |= {"status": "whole", **contents.to_row()}
        if into is not None:
            upkeep.backup.restore(contents, into)
            row |= {"status": "restored", "workspace": str(into)}
        told = f"{row['status']}: {row['files']} files of {row['made']}, journal at {row['head']}"
        told += f"\nin {into}; look at it with: memory --workspace {into} validate" if into else ""
    settings.answer(row, told)


def _key(passphrase_file: Path | None, keys: tuple[str, ...], *, asked_twice: bool) -> Key:
    """The key that is named; the passphrase of whoever sits there when none is."""
    if passphrase_file is not None:
        return upkeep.backup.Key(upkeep.backup.first_line(passphrase_file), keys)
    if keys:
        return upkeep.backup.Key(keys=keys)
    if not sys.stdin.isatty():
        option = "--recipient" if asked_twice else "--identity"
        raise UsageError("nobody could be asked for a passphrase", f"name {option} or --passphrase-file")
    return upkeep.backup.Key(
        typer.prompt("Passphrase 口令", hide_input=True, confirmation_prompt=asked_twice, err=True)
    )


def status_lines(row: dict[str, Any], lang: str = "en") -> Iterator[str]:
    """How the workspace is doing, for a person, in that language."""
    from memory_system.llm import phrases

    words = phrases(lang)["status"]
    yield words["workspace"].format(row["workspace"])
    yield words["last"].format(row["last_consolidation"] or words["never"])
    due = words["due"].format(row["due"]) if row["due"] else ""
    yield words["next"].format(row["next_scheduled"]) + due
    yield words["waiting"].format(messages=row["waiting_messages"], captures=row["waiting_captures"])
    if row["held_back"]:
        yield words["held_back"].format(row["held_back"])
    yield from _owners_lines(row, words)
    yield words["layer3"].format(shown_size(row["layer3"]["bytes"]))
    if count := (waiting := row["layer3"]["to_fill"])["transcripts"]:
        yield words["to_fill"].format(count=count, most=shown_size(waiting["bytes"]))
    yield words["running"].format(words["yes" if row["running"] else "no"])
    yield from problem_lines([*row["problems"], *row["skipped"]])
    yield from (words["proposal"].format(**each) for each in row["proposals"])
    if row["ok"] and not row["skipped"]:
        yield words["well"]


def _owners_lines(row: dict[str, Any], words: dict[str, str]) -> Iterator[str]:
    """What only the owner can settle, and what does no harm as it is."""
    if ids := row["unconfirmed_health"]:
        shown = ", ".join([*ids[:SHOWN], *["…"][: len(ids[SHOWN:])]])
        yield words["unconfirmed"].format(count=len(ids), ids=shown)
        yield words["confirm"]
    yield from (words["retired"].format(key) for key in row["retired_keys"])


def shown_size(size: int) -> str:
    """A number of bytes as people read it."""
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1_000:.1f} kB"


def stats_lines(row: dict[str, Any]) -> Iterator[str]:
    """The seed's layout."""
    yield "📊 Memory System Stats"
    yield "══════════════════════"
    yield f"Total: {row['total']} memories"
    yield f"Active: {row['active']} | Archive: {row['archive']}"
    yield f"Layer 3: {row['layer3']['messages']} messages, {shown_size(row['layer3']['bytes'])}"
    yield ""
    yield "By Type:"
    names = {"fact": "Facts", "belief": "Beliefs", "summary": "Summaries"}
    for name, count in row["by_type"].items():
        yield f"  {names[name]}: {count} ({round(100 * count / max(1, row['active']))}%)"
    yield ""
    yield "By Importance:"
    spans = {"critical": "0.9-1.0", "high": "0.7-0.9", "medium": "0.4-0.7", "low": "0-0.4"}
    for name, count in row["by_importance"].items():
        yield f"  {name.capitalize()} ({spans[name]}): {count}"
    yield ""
    yield from _asked_lines(row["llm"])
    yield f"Last Consolidation: {row['last_consolidation'] or 'never'}"
    yield f"Next Scheduled: {row['next_scheduled']}"


def _asked_lines(asked: dict[str, Any]) -> Iterator[str]:
    """What a language model has cost, where one was asked."""
    if not asked["by_day"]:
        return
    yield f"Language model: {cost_told(asked)}"
    if asked["talk"]["calls"]:
        yield f"  and in talks and checks: {cost_told(asked['talk'])}"
    for day, of_day in list(asked["by_day"].items())[-DAYS:]:
        yield f"  {day}: {cost_told(of_day)}"
    yield f"  Sending everything: about {asked['tokens_for_everything']} tokens"
    yield ""


def cost_told(asked: dict[str, Any]) -> str:
    """What asking a model has taken: `2 calls, 310 tokens, $0.0012`."""
    price = "no price known" if asked["usd"] is None else f"${asked['usd']:.4f}"
    return f"{asked['calls']} calls, {asked['input_tokens'] + asked['output_tokens']} tokens, {price}"


def problem_lines(rows: list[Row], indent: str = "", arrow: str = "\n  → ") -> Iterator[str]:
    """The problems, each with what to do: on a line of its own, unless another `arrow` leads to it."""
    shown = [(row, 0) for row in rows] if len(rows) <= MOST else list(_by_file(rows))
    for row, more in shown[:MOST]:
        alike = f"; and {more} more in this file" if more else ""
        yield f"{indent}! {row['where']}: {row['what']}{alike}" + (f"{arrow}{row['hint']}" if row["hint"] else "")
    if left := sum(1 + more for _, more in shown[MOST:]):
        yield f"{indent}! and {left} more: see them all with --json"
    elif len(shown) < len(rows):
        yield f"{indent}! see them all with --json"


def _by_file(rows: Iterable[Row]) -> Iterator[tuple[Row, int]]:
    """The first problem of each file, and how many more there are of it."""
    files: dict[str, list[Row]] = {}
    for row in rows:
        files.setdefault(row["where"].rpartition(":")[0] or row["where"], []).append(row)
    for alike in files.values():
        yield alike[0], len(alike) - 1
