"""The phases of a night: each a module with one pure function over staged input and a read-only view of the memories."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from memory_system import clock
from memory_system.config import Config
from memory_system.llm import LLM


@dataclass(frozen=True, slots=True)
class Night:
    """What every phase may know of the night: its clock (UTC), the configuration, and a model to ask, if any."""

    at: datetime
    config: Config
    llm: LLM | None = None

    @property
    def zone(self) -> ZoneInfo:
        return self.config.zone

    @property
    def day(self) -> date:
        """The local date of the night; ids carry it."""
        return clock.local_date(self.at, self.zone)

    @property
    def stamp(self) -> str:
        return clock.stamp(self.at)
