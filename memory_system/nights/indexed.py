"""The index of a workspace, asked whatever state it is in: its file, which is made anew where it is of no use, or an
index for the moment where it is held or nothing may be written."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

from memory_system.errors import LockedError
from memory_system.recall.index import Index
from memory_system.store.database import StaleIndexError
from memory_system.workspace import Workspace

WAIT_SECONDS = 2.0  # for an index that another program holds


def asked(ws: Workspace, ask: Callable[[Index], dict[str, Any]]) -> dict[str, Any]:
    """The answer of the index, made anew where the file is of no use; of one made for the moment, with a warning, where
    it is held, or nothing may be written."""
    try:
        try:
            return _of_file(ws, ask)
        except StaleIndexError:
            from memory_system.phases.index import mend  # most searches do without

            if not mend(ws):
                raise
            return _of_file(ws, ask)
    except (StaleIndexError, LockedError) as error:
        why = _why(ws, error)
    from memory_system.phases.index import fresh_index

    with fresh_index(ws) as index:
        return ask(index) | ({"warning": why} if why else {})


def _of_file(ws: Workspace, ask: Callable[[Index], dict[str, Any]]) -> dict[str, Any]:
    path = ws.layout.search_index
    seen = path.stat() if path.exists() else None  # a night or a rebuilding may put another file there
    key = (path, seen and (seen.st_ino, seen.st_dev), get_ident())  # a connection belongs to a thread
    index = ws.held(key, lambda: Index.open(path, ws.config, wait=WAIT_SECONDS))
    index.forgotten = ws.tombstones
    index.renew()
    return ask(index)


def _why(ws: Workspace, error: StaleIndexError | LockedError) -> str:
    """Why there was no index to ask; empty for an earlier state, which has none."""
    running = ws.is_written_beside
    if ws.layout.elsewhere:
        return ""
    if not ws.checkpoint.state.last_night:
        begun = "the first night is still running" if running else "no night has run yet (memory consolidate)"
        return f"{begun}: only notes and captures are searched"
    if isinstance(error, StaleIndexError) and not running:
        return f"{error}; answered without it ({error.hint})"
    return f"{error}; answered without it" + (" while another program writes" if running else "")
