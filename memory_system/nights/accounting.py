"""The accounting of a night (promise P1): what came in equals what was kept plus what was dropped, by reason, at every
step. Phases count into one `tally` under dotted names; here the names become sums that must close.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from memory_system.records import CLAIM, QUOTE, STATEMENT
from memory_system.store.journal import Change

OUTCOMES = ("new", "confirmed", "merged", "superseding")
FORMS = (CLAIM, QUOTE, STATEMENT)
READING = ("read", "left", "operations")  # of a model: lines that it read, and not, and what it said
GAINED = ("new", "promoted_in", "restored")
LOST = ("archived", "merged", "promoted_out", "forgotten")
Counts = Mapping[str, int]


def under(tally: Counts, prefix: str) -> dict[str, int]:
    """The counts below a dotted name, without it: {"dropped.noise": 3} under "dropped" is {"noise": 3}."""
    head = prefix + "."
    return {name.removeprefix(head): count for name, count in sorted(tally.items()) if name.startswith(head) and count}


def account(tally: Counter[str], changes: Iterable[Change], active_before: int) -> dict[str, Any]:
    """The sums of one night as they are reported and journalled; `balanced` says whether all of them close."""
    read, segments, kept, made = (tally[name] for name in ("messages.read", "segments", "segments.kept", "claims"))
    claims = {name: tally[f"claims.{name}"] for name in OUTCOMES}
    with_claim, without = tally["kept.with_claim"], under(tally, "kept.without_claim")
    sums: dict[str, Any] = {
        "messages": {"read": read, "kept": tally["messages.kept"], "filtered": under(tally, "messages.filtered")},
        "segments": {"total": segments, "kept": kept, "dropped": under(tally, "segments.dropped")},
        "kept": {"total": kept, "with_claim": with_claim, "without_claim": without},
        "made": {"total": made, **{f"{form}s": tally[f"made.{form}"] for form in FORMS}},
        "claims": {"total": made, **claims, "rejected": under(tally, "claims.rejected")},
        "memories": memory_sums(changes, active_before),
    }
    if reading := under(tally, "reading"):
        refused = under(tally, "reading.refused")
        sums["reading"] = {**{name: reading.get(name, 0) for name in READING}, "refused": refused}
    return {**sums, "balanced": not unbalanced(sums)}


def memory_sums(changes: Iterable[Change], active_before: int) -> dict[str, int]:
    """How the active pool came from what it was to what it is, by the pools of each change."""
    sums = dict.fromkeys((*GAINED, *LOST), 0)
    for change in changes:
        for name in moves(change):
            sums[name] += 1
    return {"before": active_before, **sums, "after": active_before + _gained(sums)}


def _gained(sums: Counts) -> int:
    """How many active memories more there are by these sums."""
    return sum(sums[name] for name in GAINED) - sum(sums[name] for name in LOST)


def moves(change: Change) -> list[str]:
    """The sums that one change enters. A memory that was made and put away in the same night enters two."""
    why = change.why.split("+")
    came: list[str] = []
    if change.before_pool is None:
        came = ["promoted_in" if why[0] == "promoted" else "new"]
    elif change.before_pool == "archive" and change.after_pool == "active":
        came = ["restored"]
    if change.after_pool == "archive" and change.before_pool != "archive":
        came.append({"merged": "merged", "promoted": "promoted_out"}.get(why[-1], "archived"))
    elif change.after_pool is None and change.before_pool == "active":
        came.append("forgotten")
    return came


def unbalanced(sums: Mapping[str, Any]) -> list[str]:
    """The names of the sums that do not close."""
    messages, segments, kept, claims, memories = (
        sums[name] for name in ("messages", "segments", "kept", "claims", "memories")
    )
    made = sums.get("made")  # none in the account of an earlier version
    equations = {
        "messages": messages["read"] == messages["kept"] + sum(messages["filtered"].values()),
        "segments": segments["total"] == segments["kept"] + sum(segments["dropped"].values()),
        "kept": kept["total"] == kept["with_claim"] + sum(kept["without_claim"].values()),
        "claims": claims["total"] == sum(claims[name] for name in OUTCOMES) + sum(claims["rejected"].values()),
        "made": made is None or made["total"] == sum(made[f"{form}s"] for form in FORMS),
        "memories": memories["after"] == memories["before"] + _gained(memories),
    }
    return [name for name, closes in equations.items() if not closes]


def total(nights: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sums of several nights in one."""
    nights = list(nights)
    if not nights:
        return account(Counter(), (), 0)
    added: dict[str, Any] = {}
    for night in nights:
        added = _added(added, {name: value for name, value in night.items() if name != "balanced"})
    added["memories"]["before"] = nights[0]["memories"]["before"]
    added["memories"]["after"] = nights[-1]["memories"]["after"]
    return {**added, "balanced": all(night["balanced"] for night in nights) and not unbalanced(added)}


def _added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(one)
    for name, value in other.items():
        result[name] = (
            _added(result.get(name, {}), value) if isinstance(value, Mapping) else result.get(name, 0) + value
        )
    return result
