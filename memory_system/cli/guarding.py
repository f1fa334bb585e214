"""quarantine, policy, audit and backup: what was held back, what should have been, whether the journal is the one that
was written; and all of a workspace in one encrypted file, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memory_system.cli.answers import WRONG, Settings, handled
from memory_system.errors import UsageError
from memory_system.text import shortened

if TYPE_CHECKING:
    from memory_system.forgetting.scanning import Finding
    from memory_system.upkeep.backup import Key

Deed = Literal["list", "show", "approve", "reject"]  # to what was held back
Question = Literal["verify", "head", "log"]
Action = Literal["create", "verify", "restore", "key"]  # with a backup
NAMED = 4  # ids that a line of the log shows
LONGEST = 160  # characters of what was held back that a list shows
SHOWN_FILES = 5  # files that others can read


@handled
def quarantine(
    settings: Settings,
    action: Annotated[Deed, typer.Argument(help="list, show, approve or reject.")] = "list",
    held_id: Annotated[str, typer.Argument(help="The id of what was held back.")] = "",
) -> None:
    """What was held back because it wants to steer an agent: look at it, let it in, or throw it out."""
    if (action == "list") == bool(held_id):
        raise UsageError(
            "name what was held back" if not held_id else "list takes no id", f"memory quarantine {action} q_…"
        )
    with settings.open() as ws:
        if action == "approve":
            from memory_system.upkeep import edit

            edit.approve(ws, held_id, who="cli")
        elif action == "reject":
            from memory_system.privacy.quarantine import REJECTED

            ws.quarantine.settle(held_id, REJECTED)
        held = [ws.quarantine.get(held_id)] if held_id else ws.quarantine.waiting()
        rows = [{**asdict(each), "why": each.why} for each in held]
    settings.answer({"held": rows}, lambda _: held_lines(rows) if rows else ["nothing is held back"])


@handled
def policy(
    settings: Settings,
    action: Annotated[Literal["scan"], typer.Argument(help="scan.")] = "scan",
    fix: Annotated[bool, typer.Option("--fix", help="Take it out of everything but your own files.")] = False,
) -> None:
    """Look through all that is there for what today's rules would not let in; exits with 1 where any is left."""
    from memory_system import forgetting

    del action  # there is one
    with settings.open(write=fix) as ws:
        if fix:
            forgetting.finish(ws)
        found = forgetting.scan(ws)
        mended = fix and any(each.ours for each in found)
        changed = forgetting.fix(ws) if mended else 0
        left = forgetting.scan(ws) if mended else found
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


@handled
def audit(
    settings: Settings,
    question: Annotated[Question, typer.Argument(help="verify, head or log.")] = "verify",
    anchor: Annotated[str, typer.Option(help="A head that was kept elsewhere: it must still be there.")] = "",
    last: Annotated[int, typer.Option(min=1, help="How many lines of the log, at most: the newest.")] = 20,
) -> None:
    """Check or anchor the journal's chain, or show who read and wrote what; exits with 1 where an entry is wrong."""
    from memory_system.upkeep import check as chain

    with settings.open() as ws:
        if question == "log":
            rows = ws.accesses.log()[-last:]
            settings.answer({"log": rows}, lambda _: map(_log_line, rows) if rows else ["nothing yet"])
            return
        head = ws.journal.head()
        wrong = chain.verify(ws, anchor) if question == "verify" else None
    problem = wrong.to_row() if wrong else None
    told = f"! {wrong.where}: {wrong.what}\n  → {wrong.hint}" if wrong else str(head)
    settings.answer({"ok": wrong is None, "head": str(head), "problem": problem}, told)
    if wrong:
        raise typer.Exit(WRONG)


def _log_line(row: dict[str, Any]) -> str:
    return f"{row['at']}  {row.get('who', '?'):8} {row.get('did', '?'):8} {_first(row['ids'], NAMED)}".rstrip()


def _first(names: list[str], most: int) -> str:
    """The first of the names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def held_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """What was held back as a person reads it: quoted, and without characters that nobody sees."""
    from memory_system.privacy.trust import shown

    for row in rows:
        words = shown(" ".join(row["quote"].split()))
        words = words if len(rows) == 1 else shortened(words, LONGEST)
        yield f"{row['id']}  {row['status']}  “{words}”"
        yield f"  {row['why']} ({row['rule']}); said {row['said_at']} by {row['role']} in {row['ref']}"


@handled
def backup(
    settings: Settings,
    action: Annotated[Action, typer.Argument(help="create, verify, restore, or key: make a key.")],
    file: Annotated[Path, typer.Argument(help="The backup; for `key`, where the key shall lie.")],
    recipient: Annotated[list[str] | None, typer.Option(help="To whom it is encrypted: a public key, age1….")] = None,
    identity: Annotated[Path | None, typer.Option(help="The file with the secret key that opens it.")] = None,
    passphrase_file: Annotated[Path | None, typer.Option(help="The passphrase is the first line of this file.")] = None,
    into: Annotated[Path | None, typer.Option(help="The new folder in which `restore` puts the workspace.")] = None,
) -> None:
    """Put the whole workspace into one encrypted file (as age does it), check such a file, or unpack it."""
    if (action == "restore") != (into is not None):
        raise UsageError("restore needs --into, and nothing else does", "memory backup restore FILE --into FOLDER")
    if action == "key":
        _make_key(settings, file)
    elif action == "create":
        _create(settings, file, _key(passphrase_file, tuple(recipient or ()), asked_twice=True))
    else:
        from memory_system.upkeep import backup

        key = _key(passphrase_file, backup.keys_in(identity) if identity else (), asked_twice=False)
        _open(settings, file, key, into)


def _make_key(settings: Settings, path: Path) -> None:
    from memory_system.disk import Files
    from memory_system.upkeep import backup

    if path.exists():
        raise UsageError(f"{path} is there already", "a key that is gone opens no backup any more: name another file")
    public, secret = backup.new_key()
    Files().replace(path.absolute(), f"# public key: {public}\n{secret}\n".encode())
    row = {"status": "made", "path": str(path), "recipient": public}
    settings.answer(row, f"{public}\nthe secret half is in {path}: keep a copy where the backups are not")


def _create(settings: Settings, path: Path, key: Key) -> None:
    from memory_system.upkeep import backup as backups
    from memory_system.upkeep import check

    with settings.open(write=True) as ws:
        made = backups.create(ws, path, key).to_row()
        wide = [ws.layout.name(each) for each in check.readable_by_others(ws)]
    told = f"{path}: {made['files']} files, {made['bytes']} bytes, journal at {made['head']}"
    told += f"\n! others can read {_first(wide, SHOWN_FILES)}: chmod -R go-rwx memory" if wide else ""
    settings.answer({"status": "made", "path": str(path), **made, "readable_by_others": wide}, told)


def _open(settings: Settings, path: Path, key: Key, into: Path | None) -> None:
    from memory_system.upkeep import backup as backups

    contents = backups.read(path, key)
    row: dict[str, Any] = {"status": "whole", "path": str(path), **contents.to_row()}
    if into is not None:
        backups.restore(contents, into)
        row |= {"status": "restored", "workspace": str(into)}
    told = f"{row['status']}: {row['files']} files of {row['made']}, journal at {row['head']}"
    settings.answer(row, told + (f"\nin {into}; look at it with: memory --workspace {into} validate" if into else ""))


def _key(passphrase_file: Path | None, keys: tuple[str, ...], *, asked_twice: bool) -> Key:
    """The key that is named; the passphrase of whoever sits there when none is."""
    from memory_system.upkeep import backup

    if passphrase_file is not None:
        return backup.Key(backup.first_line(passphrase_file), keys)
    if keys:
        return backup.Key(keys=keys)
    if not sys.stdin.isatty():
        option = "--recipient" if asked_twice else "--identity"
        raise UsageError("nobody could be asked for a passphrase", f"name {option} or --passphrase-file")
    return backup.Key(typer.prompt("Passphrase 口令", hide_input=True, confirmation_prompt=asked_twice, err=True))
