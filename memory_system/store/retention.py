"""How memories fade. The effective score of a memory at a moment is `score × e^(−rate × days since scored_at)`, with
`rate = base × (1 − importance / 2)`: what matters fades at half the speed (after Ebbinghaus). Pinned memories, and
those about identity, health and safety, never fall below a floor."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from functools import lru_cache

from memory_system import clock
from memory_system.config import Config
from memory_system.records import Fact, Row, kind_of, type_name

PROTECTED = frozenset({"identity", "health", "safety"})
SCORE_DIGITS = 6
CONFIRMED_SHARE = 0.5  # of the way to 1 that a confirmation lifts the score
ACCESSED_SHARE = 0.02  # of the way to 1 that a day with accesses lifts it
NEVER_DAYS = 365_000.0


def is_protected(memory: Fact | Row) -> bool:
    """Whether a memory, or one as it stands in its file, never falls below the floor."""
    row = vars(memory) if isinstance(memory, Fact) else memory
    return bool(row.get("pinned")) or row.get("category") in PROTECTED


def rate(record: Fact, config: Config) -> float:
    """Share of the score lost in a day, as the exponent of decay."""
    return rate_of(type(record), record.importance, config)


def rate_of(kind: type[Fact], importance: float, config: Config) -> float:
    base: float = getattr(config.decay_rates, type_name(kind))
    return base * (1 - importance * 0.5)


def effective(record: Fact, moment: datetime, config: Config) -> float:
    """The score at the moment, floor included; a moment before `scored_at` changes nothing."""
    faded = record.score
    if record.scored_at:
        faded *= math.exp(-rate(record, config) * clock.days_between(clock.read_stamp(record.scored_at), moment))
    return max(faded, config.thresholds.floor) if is_protected(record) else faded


def lifted(record: Fact, moment: datetime, config: Config, share: float = CONFIRMED_SHARE) -> float:
    """The score after one more confirmation (or, by a smaller share, access) at the moment."""
    score = effective(record, moment, config)
    return round(score + (1 - score) * share, SCORE_DIGITS)


def leaves_at(row: Row, config: Config) -> str:
    """The stamp from which a memory has expired, or faded below the archive threshold; empty when it never does."""
    leaves: str = row.get("expires") or ""
    if is_protected(row):
        return leaves
    speed = rate_of(kind_of(row["id"]), row["importance"], config)
    fades = _fades_at(row.get("scored_at", ""), row["score"], speed, config.thresholds.archive)
    return min(leaves, fades) if leaves and fades else leaves or fades


@lru_cache(maxsize=4096)  # most memories of a night share all four
def _fades_at(scored_at: str, score: float, speed: float, threshold: float) -> str:
    """The stamp from which `score × e^(−speed × days)` is below the threshold; empty for never."""
    if not scored_at or not threshold or not speed:
        return ""
    days = max(0.0, math.log(score / threshold)) / speed if score > 0 else 0.0
    if days > NEVER_DAYS:
        return ""
    return clock.stamp(clock.read_stamp(scored_at) + timedelta(days=days, seconds=1))
