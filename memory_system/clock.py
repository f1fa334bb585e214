"""Instants: how they are parsed, printed and compared. Nothing else in the package reads the time; a run is given one
`now` at its start and keeps it.

In memory an instant is an aware `datetime` in UTC; on disk it is text in the seed's form, `2026-02-04T03:00:00Z`.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

SECONDS_PER_DAY = 86_400.0
MS_THRESHOLD = 1e11  # a number below it is seconds, above it milliseconds (OpenClaw's own rule)


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


def zone_named(name: str) -> ZoneInfo:
    """The time zone of that IANA name; KeyError or ValueError when there is none."""
    return ZoneInfo(name)
