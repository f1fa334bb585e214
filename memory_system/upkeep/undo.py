"""The way back. What a run has changed is changed back by one more entry of the journal, so that it can be undone,
too; what was read stays read, unless the next night is told otherwise. And the memory as it was: today's truth walked
back by the journal, into a place of its own that is thrown away, which changes nothing and waits for nobody who
writes."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock, forgetting
from memory_system.errors import DependentChangesError, ForgottenError, UsageError
from memory_system.nights.derive import catch_up, derive, rebuild
from memory_system.records import CAPTURED, FILES, RETURNED, STANDING, Fact, Pool, from_line, kind_of, named_in
from memory_system.store import truth
from memory_system.store.checkpoint import State, moved_keys
from memory_system.store.journal import Change, Entry, Group
from memory_system.upkeep import edit
from memory_system.upkeep.explain import ROLLBACK, entries_of
from memory_system.workspace import Workspace


def rollback(ws: Workspace, name: str, *, cascade: bool = False, redo: bool = False) -> list[Change]:
    """Undo a run (see `explain.entries_of` for its names); what was changed. DependentChangesError when later entries
    of the journal have changed the same memories again: with `cascade` they are undone as well. With `redo` the next
    night reads again what was read. What was forgotten since stays forgotten (see `beyond_reach`); ForgottenError where
    it was the forgetting itself."""
    forgetting.finish(ws)
    catch_up(ws)
    groups = entries_of(ws, name)
    if any(each.entry.reason.startswith(forgetting.FORGET) for each in groups):
        raise ForgottenError(f"{name} was a forgetting, which is for good: nothing brings back what it took")
    later = _building_on(groups, ws) if _differing(groups, ws) else []
    if later and not cascade:
        which = ", ".join(dict.fromkeys(each.entry.run or f"#{each.entry.seq}" for each in later))
        hint = f"undo them as well: memory rollback {name} --cascade"
        raise DependentChangesError(f"later runs build on {name}: {which}", hint)
    groups += later
    changes = _differing(groups, ws)
    if changes or redo:
        _give_back(changes, ws)
        state = _state(groups, ws, redo=redo)
        ws.store.apply(Entry(clock.stamp(ws.now), ROLLBACK + name, state=state), changes)
        if redo:
            rebuild(ws)  # the index lets go of what is unread again
        else:
            derive(changes, ws)
    return changes


def beyond_reach(ws: Workspace, name: str) -> int:
    """How many of the memories that a run has changed cannot be put back as they were: forgetting has blanked it."""
    return sum(1 for was in _first(entries_of(ws, name)).values() if was.is_blank)


def _first(groups: Iterable[Group]) -> dict[str, Change]:
    """The first change of each memory."""
    first: dict[str, Change] = {}
    for change in (each for group in groups for each in group.changes):
        first.setdefault(change.id, change)
    return first


def _differing(groups: Iterable[Group], ws: Workspace) -> list[Change]:
    """The changes from the truth as it is back to what stood before the first of the entries."""
    back = (
        Change(key, "rolled back", ws.store.pool_of(key), ws.store.line_of(key), was.before_pool, was.before)
        for key, was in _first(groups).items()
        if not (was.before_pool and was.before is None)  # blanked: nobody knows what it said
    )
    return [each for each in back if (each.before_pool, each.before) != (each.after_pool, each.after)]


def _building_on(groups: list[Group], ws: Workspace) -> list[Group]:
    """The later entries that have changed a memory of these, or of one another, again, or made one name another that
    goes. What they have changed and changed back is no matter, were it only to where it stood between two of the
    entries: then a part of them was undone before."""
    stood: dict[str, set[tuple[Pool | None, bytes | None]]] = defaultdict(set)
    for change in (each for group in groups for each in group.changes):
        stood[change.id] |= {(change.before_pool, change.before), (change.after_pool, change.after)}
    ids = {key for key, states in stood.items() if (ws.store.pool_of(key), ws.store.line_of(key)) not in states}
    back, going = set(stood), _made_in(groups)
    later = []
    for group in ws.journal.entries():
        if group.entry.seq > groups[-1].entry.seq:
            touched = {change.id for change in group.changes}
            if touched & ids or _names_any(going, (each for each in group.changes if each.id not in back), ws):
                later.append(group)
                ids |= touched
                back |= touched
                going |= _made_in([group])
    return later


def _made_in(groups: Iterable[Group]) -> set[str]:
    """The memories that were not there before these entries."""
    return {key for key, was in _first(groups).items() if was.before_pool is None}


def _names_any(ids: set[str], changes: Iterable[Change], ws: Workspace) -> bool:
    """Whether a changed memory names one of these, as it was put there and as it stands now."""
    lines = ((change.after, ws.store.line_of(change.id)) for change in changes)
    return any(all(line and named_in(orjson.loads(line)) & ids for line in both) for both in lines)


def _give_back(changes: Iterable[Change], ws: Workspace) -> None:
    """A capture that the run had folded in waits in the inbox again: it is the owner's, not the run's. Before the
    commit, so that a crash between leaves it twice and not never."""
    waiting = {each.id for each in ws.inbox.pending()}
    left = (each for each in changes if each.after is None and each.id not in waiting)
    gone = (from_line(each.before) for each in left if each.before is not None)
    ws.inbox.add(*(as_captured(each) for each in gone if edit.is_captured(each)))


def as_captured(record: Fact) -> Fact:
    """The capture without what nights made of it: its own words, its own evidence, no successor."""
    own, at = record.evidence[0], record.created
    made = {"method": CAPTURED, "content": own.quote, "evidence": (own,), "version": 1}
    times = {"scored_at": at, "updated": at, "last_confirmed": at}
    left = {**RETURNED, **STANDING, "supersedes": None, "history": ()}
    return record.model_copy(update={**made, **times, **left})


def _state(groups: list[Group], ws: Workspace, *, redo: bool) -> dict[str, Any]:
    """The keys of the checkpoint that move: the snapshot shows the morning before the night, and with `redo` reading
    starts where the run had started."""
    nights = [each.entry.night for each in ws.journal.entries() if each.entry.seq < groups[0].entry.seq]
    before = max(filter(None, nights), default="")
    moved: dict[str, Any] = {"next_change": None}
    if any("shown_night" in each.entry.state for each in groups):  # what was done by hand left the snapshot its night
        moved["shown_night"] = before
    if redo:
        moved |= {name: _before(name, groups, ws) for name in ("cursors", "left_over")}
        moved |= {"last_night": before, "shown_night": ""}
    else:  # what the undone nights had no room for does not come back in their stead
        moved["left_over"] = {each.entry.night: None for each in groups if "left_over" in each.entry.state}
    if redo or "commit" in ws.checkpoint.state.phase_data:  # a half-done night would go on from what is undone
        moved |= {"current_phase": None, "phase_data": {}, "retry_count": 0}
    return moved


def _before(name: str, groups: list[Group], ws: Workspace) -> dict[str, Any]:
    """What the run moved of that key of the checkpoint, as it stood before it; None for what was new to it. "cursors":
    how far sessions had been read; "left_over": what earlier nights had no room for."""
    touched = {key for each in groups for key in each.entry.state.get(name, {})}
    before: dict[str, Any] = dict.fromkeys(touched)
    for group in ws.journal.entries():
        if group.entry.seq < groups[0].entry.seq:
            before |= {key: row for key, row in group.entry.state.get(name, {}).items() if key in touched}
    return before


def moment_of(text: str, ws: Workspace) -> datetime:
    """The instant that is meant by a day (its end, where the owner lives) or an instant; UsageError for any other."""
    try:
        begun: datetime | None = datetime.combine(date.fromisoformat(text.strip()), time(), ws.config.zone)
        length = timedelta(days=1, seconds=-1)
    except ValueError:
        begun, length = clock.parse_instant(text), timedelta(0)
    if begun is None:
        raise UsageError(f"{text!r} is no day and no instant", "write it like 2026-02-04")
    if begun > ws.now:
        raise UsageError(f"{text} has not come yet")
    return min(begun + length, ws.now)


@contextmanager
def as_of(ws: Workspace, moment: datetime) -> Iterator[Workspace]:
    """The workspace as it was at the moment, for reading: the memories of every commit up to then, the captures that
    waited, what had been read. Configuration and people's files are today's."""
    with tempfile.TemporaryDirectory(prefix="memory-as-of-") as temporary:
        layout = replace(ws.layout, elsewhere=Path(temporary))
        past = Workspace(layout, moment, ws.files)
        for folder in (each for each in layout.folders() if each.is_relative_to(layout.own)):
            folder.mkdir(exist_ok=True)
        state, since = ws.store.steadily(lambda pending: _walked_back(pending, ws, past))
        past.inbox.add(*_waiting(since.values(), ws, past))
        past.checkpoint.state = state
        past.checkpoint.save(last_night=_last_night(state, ws, moment))
        yield past


def _walked_back(pending: list[Change], ws: Workspace, past: Workspace) -> tuple[State, dict[str, Change]]:
    """Write the memories as they were; the checkpoint then, and each memory's first change since."""
    entries = [each.entry for each in ws.journal.entries()]
    stamp = clock.stamp(past.now)
    # The last entry of the moment, and all before it, whatever their times: a clock may have gone back.
    then = max((number for number, each in enumerate(entries, 1) if each.time <= stamp), default=0)
    since = _first(islice(ws.journal.entries(), then, None))
    for pool, kind in FILES:
        mine = {
            key: change.before if change.before_pool == pool else None
            for key, change in since.items()
            if kind_of(key) is kind
        }
        lines = truth.merged(ws.store.settled(pool, kind, pending), mine)
        past.files.replace(past.layout.pool(pool, kind), lines, durable=False)
    return replayed(entries[:then]), since


def replayed(entries: Iterable[Entry]) -> State:
    """The state of the checkpoint as these commits, from the first on, leave it. A night counts as done with its."""
    state = State()
    for entry in entries:
        moved = moved_keys(state, entry.state)
        if entry.run:
            moved |= {"last_run": entry.time, "last_success": entry.time, "current_phase": None, "phase_data": {}}
        for name, value in moved.items():
            setattr(state, name, value)
    return state


def _last_night(state: State, ws: Workspace, moment: datetime) -> str:
    """The night that the snapshot stood for: a slot that was found empty, too, once it was handled."""
    slot = ws.config.schedule.last(moment)
    handled = slot is not None and state.last_night and clock.stamp(slot) <= ws.checkpoint.state.last_night
    return max(state.last_night, clock.stamp(slot)) if slot and handled else state.last_night


def _waiting(since: Iterable[Change], ws: Workspace, past: Workspace) -> list[Fact]:
    """The captures that had been made and not been folded in."""
    folded = (from_line(each.after) for each in since if each.before_pool is None and each.after is not None)
    captured = [as_captured(each) for each in folded if edit.is_captured(each)]
    return [each for each in (*captured, *ws.inbox.pending()) if each.created <= clock.stamp(past.now)]
