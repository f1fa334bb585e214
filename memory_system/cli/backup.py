"""backup: all of a workspace in one encrypted file, and back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_system.cli.answers import Settings, handled
from memory_system.errors import UsageError

if TYPE_CHECKING:
    from memory_system.upkeep.backup import Key

SHOWN = 5  # files that others can read


class Action(StrEnum):
    CREATE = "create"
    VERIFY = "verify"
    RESTORE = "restore"
    KEY = "key"


@handled
def backup(
    context: typer.Context,
    action: Annotated[Action, typer.Argument(help="create, verify, restore, or key: make a key.")],
    file: Annotated[Path, typer.Argument(help="The backup; for `key`, where the key shall lie.")],
    recipient: Annotated[list[str] | None, typer.Option(help="To whom it is encrypted: a public key, age1….")] = None,
    identity: Annotated[Path | None, typer.Option(help="The file with the secret key that opens it.")] = None,
    passphrase_file: Annotated[Path | None, typer.Option(help="The passphrase is the first line of this file.")] = None,
    into: Annotated[Path | None, typer.Option(help="The new folder in which `restore` puts the workspace.")] = None,
) -> None:
    """Put the whole workspace into one encrypted file (as age does it), check such a file, or unpack it."""
    settings: Settings = context.obj
    if (action is Action.RESTORE) != (into is not None):
        raise UsageError("restore needs --into, and nothing else does", "memory backup restore FILE --into FOLDER")
    if action is Action.KEY:
        _make_key(settings, file)
    elif action is Action.CREATE:
        _create(settings, file, _key(passphrase_file, tuple(recipient or ()), asked_twice=True))
    else:
        from memory_system.upkeep import backup

        key = _key(passphrase_file, backup.keys_in(identity) if identity else (), asked_twice=False)
        _open(settings, file, key, into)


def _make_key(settings: Settings, path: Path) -> None:
    from memory_system.disk.files import Files
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
    lines = [f"{path}: {made['files']} files, {made['bytes']} bytes, journal at {made['head']}", *_wide_lines(wide)]
    settings.answer({"status": "made", "path": str(path), **made, "readable_by_others": wide}, "\n".join(lines))


def _wide_lines(wide: list[str]) -> Iterator[str]:
    if wide:
        more = f" and {len(wide) - SHOWN} more" if len(wide) > SHOWN else ""
        yield f"! others can read {', '.join(wide[:SHOWN])}{more}: chmod -R go-rwx memory"


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
