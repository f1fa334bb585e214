"""Repair: what is damaged is set aside in `state/damaged.*` and never deleted, what the journal still knows is put
back, what can be derived is made anew, and the journal says that it was done. What only the owner can know (a
transcript that is gone, a config.json that is none) is left alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from memory_system import clock
from memory_system.disk import FILE_MODE, FOLDER_MODE
from memory_system.errors import DamagedError
from memory_system.nights import copying, derive
from memory_system.records import FILES, Fact, Pool, kind_of
from memory_system.store import months
from memory_system.store.checkpoint import Checkpoint
from memory_system.store.journal import GENESIS, Change, Entry, read_entries, sound_length
from memory_system.store.truth import checked, line_id, merged, parse_problem, take_over
from memory_system.upkeep.check import readable_by_others
from memory_system.upkeep.undo import replayed
from memory_system.workspace import Workspace

REASON = "repair"
Standing = tuple[Pool, bytes]  # a memory's pool, and its line there


def repair(ws: Workspace) -> list[str]:
    """Mend what can be mended; what was done, in words. The workspace must be open for writing and not settled.
    NewerError when a newer program wrote it."""
    cut = list(_journal(ws))
    done = [*cut, *_checkpoint(ws)]
    ws.checkpoint.refuse_newer()
    done += [told for step in (_lines, _interrupted, _lost, _others, _rights) for told in step(ws)]
    changes = _unknown(ws) if cut else []
    if done or changes:
        entry = Entry(clock.stamp(ws.now), f"{REASON}: {'; '.join(done)}", state={"next_change": None})
        ws.store.apply(entry, changes)
    take_over(ws.store, clock.stamp(ws.now), allow_losses=True)
    copying.fill(ws)
    derive.rebuild(ws)
    return done


def _aside(ws: Workspace, name: str) -> Path:
    """Where what was damaged is kept: among the files that forgetting goes through, too."""
    return ws.layout.state / f"damaged.{name}"


def _journal(ws: Workspace) -> Iterator[str]:
    """The journal ends where its chain breaks; what follows can explain and undo nothing any more."""
    previous, whole = GENESIS, True
    newest = next(reversed(ws.journal.months()), None)
    for path in ws.journal.months():
        data, readable = months.salvaged(path)
        keep = sound_length(path, previous) if whole else 0
        unbegun = readable and path == newest and b'{"done":' not in data[keep:]
        broken = not readable or (keep < len(data) and not unbegun)
        if broken or not whole:
            _set_aside(ws, path, data, keep, readable=readable)
            yield f"the journal from {path.name}, byte {keep}, was set aside"
        whole = whole and not broken
        previous = next((group.hash for group in reversed(list(read_entries(path)))), previous) if keep else previous


def _set_aside(ws: Workspace, path: Path, data: bytes, keep: int, *, readable: bool) -> None:
    """Move a month but for its first bytes to where damage is kept; what cannot be unpacked, as it is."""
    if data[keep:]:
        ws.files.append(_aside(ws, path.name), data[keep:].rstrip(b"\n") + b"\n")
    if keep:
        ws.files.replace(path, data[:keep])
    if not readable:
        ws.files.rename(months.packed(path), _aside(ws, months.packed(path).name))
    if not keep:
        months.remove(path, ws.files)


def _checkpoint(ws: Workspace) -> Iterator[str]:
    """A checkpoint that cannot be read is told again by the journal."""
    try:
        Checkpoint(ws.layout, ws.files)
    except DamagedError:
        ws.files.rename(ws.layout.checkpoint, _aside(ws, f"{clock.stamp(ws.now)}-{ws.layout.checkpoint.name}"))
        ws.checkpoint.state = replayed(each.entry for each in ws.journal.entries())
        ws.checkpoint.save()
        yield "the checkpoint was set aside and told again by the journal"


def _lines(ws: Workspace) -> Iterator[str]:
    """Lines that are no memories of their file, and second lines of one memory, leave it."""
    files = {(pool, kind): _sifted(ws, pool, kind) for pool, kind in FILES}
    copies: dict[str, list[Standing]] = defaultdict(list)
    for (pool, _), (sound, _) in files.items():
        for line in sound:
            copies[line_id(line)].append((pool, line))
    known = ws.journal.latest() if any(len(each) > 1 for each in copies.values()) else {}
    stay = {key: _chosen(each, known.get(key)) for key, each in copies.items()}
    for (pool, kind), (sound, damaged) in files.items():
        kept: list[bytes] = []
        for line in sound:
            if stay.get(line_id(line)) == (pool, line):
                kept.append(stay.pop(line_id(line))[1])
            else:
                damaged.append(line)
        if damaged:
            path = ws.layout.pool(pool, kind)
            ws.files.append(_aside(ws, f"{pool}.{path.name}"), damaged)
            ws.files.replace(path, sorted(kept, key=line_id))
            yield f"{len(damaged)} lines of {ws.layout.name(path)} were set aside"


def _sifted(ws: Workspace, pool: Pool, kind: type[Fact]) -> tuple[list[bytes], list[bytes]]:
    """The lines of a file that are memories of it, and the others."""
    sound: list[bytes] = []
    damaged: list[bytes] = []
    for _, line in ws.store.lines(pool, kind):
        try:
            checked(line, kind, "")
            wrong = bool(parse_problem(line))
        except DamagedError:
            wrong = True
        (damaged if wrong else sound).append(line.rstrip(b"\n") + b"\n")
    return sound, damaged


def _chosen(copies: list[Standing], known: Standing | None) -> Standing:
    """Of the lines of one memory the one that stays: as the journal has it, else in its pool, else the first."""
    return min(copies, key=lambda copy: (copy != known, known is not None and copy[0] != known[0]))


def _interrupted(ws: Workspace) -> Iterator[str]:
    entry = ws.store.recover()
    if entry is not None:
        yield f"the commit of {entry.time} was finished"


def _lost(ws: Workspace) -> Iterator[str]:
    """Memories that the journal knows and no file holds are put back."""
    there = {line_id(line) for *_, line in ws.store.everything()}
    lost = {key: each for key, each in ws.journal.latest().items() if key not in there}
    for pool, kind in FILES:
        mine: dict[str, bytes | None]
        mine = {key: line for key, (was, line) in lost.items() if was == pool and kind_of(key) is kind}
        if mine:
            path = ws.layout.pool(pool, kind)
            ws.files.replace(path, merged(ws.store.lines(pool, kind), mine))
            yield f"{len(mine)} memories were put back into {ws.layout.name(path)}"


def _unknown(ws: Workspace) -> list[Change]:
    """What stands in the files and not in what is left of the journal."""
    known = ws.journal.latest()
    changes = []
    for _, pool, _, line in ws.store.everything():
        was_in, was = known.get(line_id(line), (None, None))
        if (was_in, was) != (pool, line):
            changes.append(Change(line_id(line), REASON, was_in, was, pool, line))
    return changes


def _others(ws: Workspace) -> Iterator[str]:
    """Lines that are no rows of their file leave it; what transcripts still say comes back into layer 3."""
    for name, kept in (("the inbox", ws.inbox), ("the quarantine", ws.quarantine), ("layer 3", ws.said)):
        if count := kept.set_aside():
            yield f"{count} lines of {name} were set aside"


def _rights(ws: Workspace) -> Iterator[str]:
    """Nobody but the owner may read what the program wrote."""
    wide = list(readable_by_others(ws))
    for path in wide:
        path.chmod(FOLDER_MODE if path.is_dir() else FILE_MODE)
    if wide:
        yield f"{len(wide)} files were closed to others"
