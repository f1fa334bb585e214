"""Nights: which are due, one on its way, what follows from it, and its accounting.

A night is a slot of the schedule; it handles what was said (or captured, or is to fade) before it. Slots without any of
that are not run one by one: nothing would happen in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_system import clock
from memory_system.records import Problem
from memory_system.workspace import Workspace

LONG_SILENCE = timedelta(days=400)  # without messages: rather a wrong clock than a life
MANY_WAITING = 100  # messages that make --if-due run before the next slot


@dataclass(slots=True)
class Waiting:
    """What no night has handled yet: stamps of unread messages by session, and of captures and accesses."""

    messages: dict[str, list[str]]
    others: list[str]

    def oldest(self) -> str | None:
        stamps = [each[0] for each in self.messages.values() if each] + self.others
        return min(stamps, default=None)

    def count_before(self, moment: datetime) -> int:
        limit = clock.stamp(moment)
        return sum(1 for stamps in self.messages.values() for each in stamps if each < limit)

    def sessions_before(self, moment: datetime) -> list[str]:
        """The sessions in which something was said before the moment."""
        limit = clock.stamp(moment)
        return sorted(session for session, stamps in self.messages.items() if stamps and stamps[0] < limit)


def next_night(waiting: Waiting, ws: Workspace) -> datetime | None:
    """The next slot that has anything to do, if it is not in the future."""
    found = min(_candidates(waiting, ws), default=None)
    return found if found is not None and found <= ws.now else None


def last_slot(ws: Workspace) -> datetime | None:
    """The latest slot that has come, when it is later than the last one handled."""
    slot = ws.config.schedule.last(ws.now)
    done = ws.checkpoint.state.last_night
    return slot if slot is not None and (not done or slot > clock.read_stamp(done)) else None


def _candidates(waiting: Waiting, ws: Workspace) -> Iterable[datetime]:
    oldest = waiting.oldest()
    if oldest is not None:
        yield _slot_after(oldest, ws)
    leaving = ws.checkpoint.state.next_change
    if leaving is None and ws.checkpoint.state.last_night:
        leaving = ws.store.next_leaving()  # changed by hand since the last night
    if leaving and not ws.checkpoint.state.decay_held and not is_long_silence(waiting, ws):
        yield _slot_after(leaving, ws)


def _slot_after(stamp: str, ws: Workspace) -> datetime:
    return ws.config.schedule.after(clock.read_stamp(max(stamp, ws.checkpoint.state.last_night)))


def is_long_silence(waiting: Waiting, ws: Workspace) -> bool:
    """Whether nothing was said for so long, from the last message that was read to the next one (or until now), that
    the clock is in doubt. What the owner accepted with --force does not count."""
    if not ws.checkpoint.state.last_message:
        return False
    last = max(ws.checkpoint.state.last_message, ws.checkpoint.state.silence_accepted)
    unread = min((stamps[0] for stamps in waiting.messages.values() if stamps), default=clock.stamp(ws.now))
    return clock.read_stamp(unread) - clock.read_stamp(last) > LONG_SILENCE


def end_of(now: datetime) -> datetime:
    """The end of a partial night up to now: stamps are whole seconds, and a night handles what was before it."""
    return now.replace(microsecond=0) + timedelta(seconds=1)


def is_ahead(ws: Workspace) -> bool:
    """Whether a night was handled that has not come yet: the clock was wrong then, or is now."""
    last = ws.checkpoint.state.last_night
    return bool(last) and clock.read_stamp(last) > ws.now + timedelta(days=1)


def clock_problems(ws: Workspace) -> list[Problem]:
    """What to tell the owner of a clock that was wrong: until it is put right, nothing new would be read."""
    if not is_ahead(ws):
        return []
    last = ws.checkpoint.state.last_night
    what = f"the last night handled, {last}, has not come yet: nothing is due before it"
    return [Problem("clock", what, "if the clock is right now: memory consolidate --force")]


def is_due(waiting: Waiting, ws: Workspace) -> bool:
    """Whether an `--if-due` run has to add a partial night: the last success is too long ago, or much is waiting."""
    count = waiting.count_before(ws.now)
    success = ws.checkpoint.state.last_success
    overdue = timedelta(hours=ws.config.consolidation.fallback_hours)
    late = not success or ws.now - clock.read_stamp(success) > overdue
    return count > MANY_WAITING or (count > 0 and late)
