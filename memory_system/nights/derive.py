"""Everything that follows from the truth, after changes by hand and from nothing: profiles, index, snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memory_system import clock
from memory_system.phases import entities, index, snapshot
from memory_system.privacy.masks import masked
from memory_system.store.journal import Change
from memory_system.workspace import Workspace


def derive(changes: Iterable[Change], ws: Workspace) -> None:
    """Bring what is derived up to a commit by hand."""
    changes = list(changes)
    for _ in (*index.run(changes, (), ws), *entities.run(changes, ws)):
        pass
    snapshot.run(snapshot_moment(ws), ws)
    mark(ws)


def mark(ws: Workspace) -> None:
    """Remember that everything derived stands where the truth stands."""
    ws.checkpoint.save(derived=ws.journal.head().hash)


def catch_up(ws: Workspace) -> None:
    """Make what is derived anew where it stands behind the truth, as a crash between the two leaves it."""
    if not ws.is_derived:
        rebuild(ws)
    elif ws.masked:  # the owner may want something masked by now that the snapshot on the disk shows
        there = ws.files.read(ws.layout.snapshot).decode(errors="replace")
        if masked(there, ws.masked) != there:
            snapshot.run(snapshot_moment(ws), ws)


def rebuild(ws: Workspace) -> list[str]:
    """Make everything derived anew, as it would be had it never been deleted; the names of what was made."""
    sweep(ws)
    ws.store.drop_lookup()  # the next night makes it, if it wants one
    made = list(index.rebuild(ws))
    entities.rebuild(ws)
    snapshot.run(snapshot_moment(ws), ws)
    mark(ws)
    return ["entities", *made, ws.layout.snapshot.name]


def sweep(ws: Workspace) -> None:
    """Remove what a program that was stopped left half written under another name."""
    for pattern in (".*.tmp", ".*.new"):
        for path in sorted(ws.layout.memory.rglob(pattern)):
            ws.files.remove(path)


def snapshot_row(ws: Workspace) -> dict[str, str]:
    """The snapshot as the memories give it now, with the night that it stands for; nothing is written."""
    moment = snapshot_moment(ws)
    with index.open_index(ws) as opened:
        return {"night": clock.stamp(moment), "text": snapshot.text_of(opened, moment, ws)}


def snapshot_moment(ws: Workspace) -> datetime:
    """The night that the snapshot stands for: the last, or the one before what was rolled back; at first, now."""
    last = ws.checkpoint.state.shown_night or ws.checkpoint.state.last_night
    return clock.read_stamp(last) if last else ws.now
