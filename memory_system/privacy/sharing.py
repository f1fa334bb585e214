"""What of a memory others may see. Its `sensitivity` is `shared` when all of its words were said in a shared chat,
`sensitive` when it is nobody else's business wherever it was said (health, safety, where to reach somebody), else
`normal`: said in private. Only what is shared may stand in a group's prompt; what the owner has set goes before."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from memory_system.privacy import masks
from memory_system.records import Fact, session_of

NORMAL, SENSITIVE, SHARED = "normal", "sensitive", "shared"
LOOSENESS = {SENSITIVE: 0, NORMAL: 1, SHARED: 2}  # what nobody knows is private
SENSITIVE_CATEGORIES = frozenset({"health", "safety", "contact"})


def sensitivity_of(record: Fact) -> str:
    """How sensitive a memory is by what it says and where that was said; one without words of its own (a summary) is
    as sensitive as it was made."""
    if record.category in SENSITIVE_CATEGORIES or masks.fires(record.content):
        return SENSITIVE
    if not record.evidence:
        return record.sensitivity
    return SHARED if all(each.chat for each in record.evidence) else NORMAL


def rated(record: Fact) -> Fact:
    """The memory with its sensitivity as it is."""
    found = sensitivity_of(record)
    return record if found == record.sensitivity else record.model_copy(update={"sensitivity": found})


def strictest(records: Iterable[Fact]) -> str:
    """The sensitivity of what is made of these memories."""
    return min((each.sensitivity for each in records), key=lambda level: LOOSENESS.get(level, 0), default=NORMAL)


def may_be_told(record: Fact, sessions: Collection[str]) -> bool:
    """Whether a memory may stand before all members of a chat, which has these sessions: the owner has said so, or all
    of its words were said there."""
    if "sensitivity" in record.edited or record.sensitivity != SHARED:
        return record.sensitivity == SHARED
    said = {session_of(each.ref) for each in record.evidence}
    return sensitivity_of(record) == SHARED and bool(said) and said <= set(sessions)
