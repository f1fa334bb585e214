"""Phase 5: what faded or expired goes to the archive, and the weakest where there are too many; what was used is lifted
a little; an archived memory that was found again comes back. Only records that this concerns are touched, so an idle
night costs nothing."""

from __future__ import annotations

from collections.abc import Iterable

from memory_system.phases import Night
from memory_system.phases.evidence import retire
from memory_system.records import KINDS, Fact
from memory_system.store import retention
from memory_system.store.draft import Draft
from memory_system.store.store import Memories

REACTIVATED_SCORE = 0.3
DECAYED, CROWDED = "decayed", "crowded"  # why what nobody has put away or replaced left the active pool


def run(accessed: Iterable[str], memories: Memories, night: Night) -> Draft:
    """The memories after the night's decay."""
    draft = Draft(memories)
    if night.held:
        return draft
    for memory_id in accessed:
        record = draft.get(memory_id)
        if record is not None:
            _use(record, draft, night)
    for memory_id in sorted(draft.leaving_before(night.stamp)):
        record = draft.get(memory_id)
        if record is not None and (reason := leaving_reason(record, night)):
            retire(record, reason, draft, night)
    for record in _beyond_limit(draft, night):
        retire(record, CROWDED, draft, night)
    return draft


def leaving_reason(record: Fact, night: Night) -> str:
    """Why the memory leaves the active pool tonight: expired, decayed, or not at all (empty)."""
    if record.expires and record.expires <= night.stamp:
        return "expired"
    faded = retention.effective(record, night.at, night.config) < night.config.thresholds.archive
    return DECAYED if faded else ""


def _beyond_limit(draft: Draft, night: Night) -> list[Fact]:
    """The weakest memories above `thresholds.active_limit`, the older first where they are as weak. What matters stays
    even where there are more of it than the limit allows."""
    limit = night.config.thresholds.active_limit
    active = [each for kind in KINDS.values() for each in draft.active(kind)] if limit else []
    if len(active) <= limit:
        return []
    records = [each for each in map(draft.get, active) if each is not None and not retention.is_protected(each)]
    records.sort(key=lambda each: (retention.effective(each, night.at, night.config), each.said_at, each.id))
    return records[: len(active) - limit]


def _use(record: Fact, draft: Draft, night: Night) -> None:
    """An active memory is lifted; an archived one returns, unless it was replaced, denied or put away by hand."""
    pool = draft.pool_of(record.id)
    if pool == "active":
        score = retention.lifted(record, night.at, night.config, retention.ACCESSED_SHARE)
        draft.put("active", record.model_copy(update={"score": score, "scored_at": night.stamp}), "accessed")
    elif record.retired in (DECAYED, CROWDED):
        back = {"retired": None, "score": REACTIVATED_SCORE, "scored_at": night.stamp, "updated": night.stamp}
        draft.put("active", record.model_copy(update=back), "reactivated")
