"""The memory as it was: today's truth walked back by the journal, into a place of its own that is thrown away. Looking
back changes nothing of the workspace and waits for nobody who writes.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path

from memory_system import clock
from memory_system.errors import UsageError
from memory_system.records import KINDS, POOLS, Fact, from_line, kind_of
from memory_system.store import ordered
from memory_system.store.checkpoint import State, moved_keys
from memory_system.store.entries import Change, Entry, Group
from memory_system.upkeep import edit
from memory_system.upkeep.undo import as_captured
from memory_system.workspace import Workspace


@dataclass
class _Then:
    """What the journal tells of a moment: the checkpoint then, and each memory's first change since."""

    state: State = field(default_factory=State)
    since: dict[str, Change] = field(default_factory=dict)


def moment_of(text: str, ws: Workspace) -> datetime:
    """The instant that a person means by a day (its end, where the owner lives) or an instant; UsageError for what is
    neither or has not come yet."""
    try:
        midnight = datetime.combine(date.fromisoformat(text.strip()), time(), ws.config.zone)
        moment = min(midnight + timedelta(days=1, seconds=-1), ws.now)
        known = midnight <= ws.now
    except ValueError:
        found = clock.parse_instant(text)
        if found is None:
            raise UsageError(f"{text!r} is no day and no instant", "write it like 2026-02-04") from None
        moment, known = found, found <= ws.now
    if not known:
        raise UsageError(f"{text} has not come yet")
    return moment


@contextmanager
def as_of(ws: Workspace, moment: datetime) -> Iterator[Workspace]:
    """The workspace as it was at the moment, for reading: the memories of every commit up to then, the captures that
    waited, what had been read. Configuration and people's files are today's."""
    with tempfile.TemporaryDirectory(prefix="memory-as-of-") as temporary:
        layout = replace(ws.layout, elsewhere=Path(temporary))
        past = Workspace(layout, moment, ws.files)
        for folder in (each for each in layout.folders() if each.is_relative_to(layout.own)):
            folder.mkdir(exist_ok=True)
        then = ws.store.steadily(lambda pending: _walked_back(pending, ws, past))
        past.inbox.add_all(_waiting(then.since.values(), ws, past))
        past.checkpoint.state = then.state
        past.checkpoint.save(last_night=_last_night(then.state, ws, moment))
        yield past


def _walked_back(pending: list[Change], ws: Workspace, past: Workspace) -> _Then:
    """Write the memories as they were into the other place; what else the journal tells of then."""
    then = _told(ws.journal.entries(), clock.stamp(past.now))
    for pool in POOLS:
        for kind in KINDS.values():
            mine = {
                key: change.before if change.before_pool == pool else None
                for key, change in then.since.items()
                if kind_of(key) is kind
            }
            lines = ordered.merged(ws.store.settled(pool, kind, pending), mine)
            past.files.replace(past.layout.pool(pool, kind), lines, durable=False)
    return then


def _told(groups: Iterable[Group], stamp: str) -> _Then:
    """What the journal tells of the moment. Where a clock went back, entries are in their order all the same: the last
    one with a time before the moment, and all before it, belong to it."""
    then = _Then()
    later: list[Entry] = []
    for group in groups:
        later.append(group.entry)
        if group.entry.time <= stamp:
            for each in later:
                replay(then.state, each)
            later.clear()
            then.since.clear()
            continue
        for change in group.changes:
            then.since.setdefault(change.id, change)
    return then


def replay(state: State, entry: Entry) -> None:
    """Bring the state of the checkpoint to where a commit left it. A night counts as done with its commit."""
    moved = moved_keys(state, entry.state)
    if entry.run:
        moved |= {"last_run": entry.time, "last_success": entry.time, "current_phase": None, "phase_data": {}}
    for name, value in moved.items():
        setattr(state, name, value)


def _last_night(state: State, ws: Workspace, moment: datetime) -> str:
    """The night that the snapshot stood for: a later slot than that of the last commit, when it was handled and found
    empty."""
    slot = ws.config.schedule.last(moment)
    handled = slot is not None and state.last_night and clock.stamp(slot) <= ws.checkpoint.state.last_night
    return max(state.last_night, clock.stamp(slot)) if slot and handled else state.last_night


def _waiting(since: Iterable[Change], ws: Workspace, past: Workspace) -> list[Fact]:
    """The captures that had been made and not been folded in."""
    folded = (from_line(each.after) for each in since if each.before_pool is None and each.after is not None)
    captured = [as_captured(each) for each in folded if edit.is_captured(each)]
    return [each for each in (*captured, *ws.inbox.pending()) if each.created <= clock.stamp(past.now)]
