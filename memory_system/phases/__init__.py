"""The phases of a night, each a module with one function: those up to the commit are pure, over staged input and a
read-only view of the memories; index, profiles and snapshot are derived from what was committed, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar
from zoneinfo import ZoneInfo

from memory_system import clock
from memory_system.config import Config

if TYPE_CHECKING:  # a night that asks nobody does without
    from memory_system.llm.asking import Asker


Item = TypeVar("Item")


def fitting(found: Iterable[Item], room: int, cost: Callable[[Item], int]) -> list[Item]:
    """As many of them, in order, as the room holds: one that is too large leaves it to those behind."""
    kept: list[Item] = []
    for each in found:
        if (size := cost(each)) <= room:
            kept.append(each)
            room -= size
    return kept


@dataclass(frozen=True)
class Night:
    """What every phase may know of the night: its clock (UTC), the configuration, and a model to ask, if any. `held`:
    nothing fades or expires, because the clock is in doubt."""

    at: datetime
    config: Config
    llm: Asker | None = None
    held: bool = False

    @cached_property
    def zone(self) -> ZoneInfo:
        return self.config.zone

    @cached_property
    def day(self) -> date:
        """The local date of the night; ids carry it."""
        return clock.local_date(self.at, self.zone)

    @cached_property
    def stamp(self) -> str:
        return clock.stamp(self.at)

    def local(self, stamp: str) -> datetime:
        """That moment where the owner lives."""
        return clock.read_stamp(stamp).astimezone(self.zone)
