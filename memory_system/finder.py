"""Search and get, bound to a workspace: its index (or one made for the moment), its inbox, and the access log."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any

from memory_system import clock
from memory_system.phases.index import fresh_index, open_index
from memory_system.recall import excerpt
from memory_system.recall import search as ranking
from memory_system.recall.database import StaleIndexError
from memory_system.recall.index import Filters, Index
from memory_system.recall.search import Scope
from memory_system.records import KINDS
from memory_system.workspace import Workspace


def search(
    ws: Workspace,
    query: str,
    *,
    limit: int | None = None,
    scope: Scope = "all",
    archived: bool = False,
    since: date | None = None,
    until: date | None = None,
    kind: str = "",
    entity: str = "",
    explain: bool = False,
) -> dict[str, Any]:
    """The answer of `memory search --json`; the memories it shows count as used. `since` and `until` are local days,
    both included; `kind` is fact, belief, summary, message or note; `explain` adds the parts of each score."""
    filters = Filters(_midnight(ws, since), _end(ws, until), kind, entity)

    def ask(index: Index) -> dict[str, Any]:
        return ranking.search(
            ws.layout, ws.config, index, ws.inbox.pending(), query,
            now=ws.now, limit=limit or ws.config.search.limit, scope=scope, archived=archived,
            filters=filters, explain=explain,
        )  # fmt: skip

    found = _asked(ws, ask)
    _note_use(ws, [row["id"] for row in found["results"] if row["source"] in ("memory", "archive")])
    return found


def _end(ws: Workspace, until: date | None) -> str:
    """The stamp before which it must have been said: the end of the day, and no later than the workspace stands."""
    end = _midnight(ws, until + timedelta(days=1)) if until and until < date.max else ""
    if ws.layout.elsewhere:  # an earlier state: notes that were written since are there, but not in it
        end = min(filter(None, (end, clock.stamp(ws.now + timedelta(seconds=1)))))
    return end


def _midnight(ws: Workspace, day: date | None) -> str:
    """The stamp at which the local day begins; empty without a day, or where it lies beyond all stamps."""
    with suppress(OverflowError):
        return clock.stamp(datetime.combine(day, time(), ws.config.zone)) if day else ""
    return ""


def get(ws: Workspace, path_or_id: str, *, from_line: int = 1, lines: int = excerpt.LINES) -> dict[str, Any]:
    """The answer of `memory get --json`; a memory that is read counts as used."""

    def read(index: Index) -> dict[str, Any]:
        return excerpt.get(ws.layout, index, ws.inbox.pending(), path_or_id, from_line=from_line, lines=lines)

    found = _asked(ws, read)
    _note_use(ws, [path_or_id] if found["status"] == "ok" and path_or_id[:2] in {f"{kind}_" for kind in KINDS} else [])
    return found


def _asked(ws: Workspace, ask: Callable[[Index], dict[str, Any]]) -> dict[str, Any]:
    """The answer of the index; of one made for the moment where the file turns out to be damaged."""
    try:
        with open_index(ws) as index:
            return ask(index)
    except StaleIndexError:
        with fresh_index(ws) as index:
            return ask(index)


def _note_use(ws: Workspace, ids: list[str]) -> None:
    if ids:
        ws.accesses.note(ids, ws.now)
