"""Instants: how they are parsed, printed and compared. Nothing else in the package reads the time; a run is given one
`now` at its start and keeps it.

In memory an instant is an aware `datetime` in UTC; on disk it is text in the seed's form, `2026-02-04T03:00:00Z`.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

SECONDS_PER_DAY = 86_400.0
MS_THRESHOLD = 1e11  # a number below it is seconds, above it milliseconds (OpenClaw's own rule)
SPARSEST_DAYS = 3_000  # a night on 29 February may be eight years away
_DAILY = re.compile(r"(?P<minute>[0-5]?[0-9]) (?P<hour>1?[0-9]|2[0-3]) \* \* \*")  # what most have


def now() -> datetime:
    """The real time, in UTC: the one place where it is read."""
    return datetime.now(UTC)


def parse_instant(value: object) -> datetime | None:
    """ISO text (no zone = UTC) or epoch seconds or milliseconds, as an instant; None when it is none of them."""
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value / 1000 if abs(value) >= MS_THRESHOLD else value, UTC)
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def stamp(moment: datetime) -> str:
    """The instant as it stands in files: UTC, whole seconds, `Z`."""
    if moment.tzinfo is not UTC:
        moment = moment.astimezone(UTC)
    return moment.isoformat(timespec="seconds")[:19] + "Z"


def read_stamp(text: str) -> datetime:
    """The instant that `stamp` wrote (any ISO instant is accepted); ValueError for anything else."""
    moment = parse_instant(text)
    if moment is None:
        raise ValueError(f"not an instant: {text!r}")
    return moment


def days_between(earlier: datetime, later: datetime) -> float:
    """Days from one instant to the other, never negative: a clock that went back makes nothing younger."""
    return max(0.0, (later - earlier).total_seconds() / SECONDS_PER_DAY)


def local_date(moment: datetime, zone: tzinfo) -> date:
    """The calendar day of the instant where the owner lives."""
    return moment.astimezone(zone).date()


def day_of(stamp: str, zone: tzinfo) -> str:
    """The calendar day of a stored instant as people write it; empty for none."""
    return str(local_date(read_stamp(stamp), zone)) if stamp else ""


class Schedule:
    """The nights of a workspace: the first hit of a cron expression on each local date, so that the hour which a clock
    change repeats gives one night and not two."""

    def __init__(self, expression: str, zone: ZoneInfo) -> None:
        self.expression = expression
        self.zone = zone
        daily = _DAILY.fullmatch(expression)
        self._daily = time(int(daily["hour"]), int(daily["minute"])) if daily else None
        self.on = lru_cache(maxsize=4096)(self._on)

    def _on(self, day: date) -> datetime | None:
        """The night of that local date, or None."""
        if self._daily and self._is_plain(day):  # as croniter has it, which takes long to import
            return datetime.combine(day, self._daily, self.zone).astimezone(UTC)
        from croniter import croniter

        midnight = datetime.combine(day, time(), self.zone).astimezone(UTC)  # in UTC a repeated hour is told apart
        before = (midnight - timedelta(microseconds=1)).astimezone(self.zone)
        found: datetime = croniter(self.expression, before).get_next(datetime)
        return found.astimezone(UTC) if local_date(found, self.zone) == day else None

    def _is_plain(self, day: date) -> bool:
        """Whether no clock is changed on that local date."""
        midnights = (datetime.combine(each, time(), self.zone) for each in (day, day + timedelta(days=1)))
        return len({each.utcoffset() for each in midnights}) == 1

    def after(self, moment: datetime) -> datetime:
        """The first night later than the moment: the one that handles what was said at it."""
        day = local_date(moment, self.zone)
        nights = (self.on(day + timedelta(days=ahead)) for ahead in range(SPARSEST_DAYS))
        return next(night for night in nights if night is not None and night > moment)

    def last(self, moment: datetime) -> datetime | None:
        """The latest night not after the moment, as far back as the next may be ahead."""
        day = local_date(moment, self.zone)
        nights = (self.on(day - timedelta(days=back)) for back in range(SPARSEST_DAYS))
        return next((night for night in nights if night is not None and night <= moment), None)


def checked_cron(schedule: str) -> str:
    """The expression itself, or ValueError: five fields or an alias, nothing random, and it must come true some day."""
    from croniter import croniter
    from croniter.croniter import CroniterError

    fields = schedule.split()
    if not (schedule.startswith("@") or len(fields) == 5) or "R" in fields:
        raise ValueError(f"{schedule!r} is not a cron expression of five fields, like 0 3 * * *")
    try:
        croniter(schedule, datetime(2000, 1, 1, tzinfo=UTC)).get_next()
    except (CroniterError, ValueError, KeyError) as error:
        raise ValueError(f"{schedule!r} never comes true: {error}") from None
    return schedule
