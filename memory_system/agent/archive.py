"""Old sessions are packed away (seed 003): gzip under `sessions/archive/`, still read, listed and searched. The cursors
move with the files, so that nothing is read twice, whenever the program is stopped."""

from __future__ import annotations

import gzip
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from memory_system import clock
from memory_system.readers.places import Place, find, place
from memory_system.readers.transcript import UNKNOWN, load
from memory_system.recall.index import Index
from memory_system.store.database import StaleIndexError
from memory_system.workspace import Workspace

DAYS = 30
FOLDER = "archive"
NEVER = "\uffff"


def archive(ws: Workspace, days: int = DAYS) -> list[str]:
    """Pack the sessions in which nothing was said for so many days; the names of the new files. The workspace must be
    open for writing. Transcripts that the config names as sources stay where they are."""
    before = clock.stamp(ws.now - timedelta(days=days))
    packed = [_packed(ws, each) for each in _loose(ws) if _last(ws, each) < before]
    follow(ws)
    return [ws.layout.name(each) for each in packed if each is not None]


def _loose(ws: Workspace) -> list[Place]:
    inside = (each for each in find(ws.layout, ws.config)[0] if each.path.is_relative_to(ws.layout.sessions))
    return [each for each in inside if not each.is_packed and each.source is None]


def _last(ws: Workspace, loose: Place) -> str:
    """When something was last said; later than all stamps for what is no transcript, or cannot be read."""
    with suppress(OSError):
        return max(load(loose, ws.config.zone).times, default=NEVER)
    return NEVER


def _packed(ws: Workspace, loose: Place) -> Path | None:
    """Pack one file; None, and nothing is changed, when somebody wrote to it meanwhile."""
    target = packed_path(ws, loose.path)
    ws.files.make_folder(target.parent)
    ws.files.replace(target, gzip.compress(ws.files.read(loose.path), mtime=0))
    now = loose.path.lstat()
    if (now.st_size, now.st_mtime_ns) != (loose.size, loose.mtime_ns):
        ws.files.remove(target)
        return None
    ws.files.remove(loose.path)
    return target


def packed_path(ws: Workspace, path: Path) -> Path:
    """Where a transcript under `sessions/` is packed away."""
    inner = path.relative_to(ws.layout.sessions)
    return ws.layout.sessions / FOLDER / inner.with_name(f"{inner.name}.gz")


def follow(ws: Workspace) -> None:
    """Let cursors and index follow the files that were packed, also those of a run that was stopped in between."""
    cursors = ws.checkpoint.state.cursors
    moved = {session: row for session, old in cursors.items() if (row := _moved(ws, old)) is not None}
    if moved:  # the cursors last: as long as they have not moved, this is done again
        _follow_in_index(ws, {session: row["path"] for session, row in moved.items()})
        ws.checkpoint.save(cursors={**cursors, **moved})


def _moved(ws: Workspace, row: dict[str, Any]) -> dict[str, Any] | None:
    """The cursor's row for the packed file; None when its file is where it was, or nowhere."""
    path = ws.layout.root / row["path"]
    if path.exists() or not path.is_relative_to(ws.layout.sessions):
        return None
    found = place(packed_path(ws, path), ws.layout)
    if not isinstance(found, Place):
        return None
    whole = load(found, ws.config.zone).lines == row["lines"]  # else it must be opened again
    return {**row, "path": found.name, "size": found.size if whole else UNKNOWN, "mtime_ns": found.mtime_ns}


def _follow_in_index(ws: Workspace, paths: dict[str, str]) -> None:
    try:
        with Index.open(ws.layout.search_index, ws.config, write=True) as index, index.writing(index.fingerprint):
            for session, path in paths.items():
                index.move_session(session, path)
    except StaleIndexError:
        return  # it is made anew from the cursors, which have moved
