"""What the journal tells: why a memory is there and says what it says, and what a run has changed. Reading only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import orjson

from memory_system import finder
from memory_system.errors import NotFoundError
from memory_system.phases.evidence import RULE
from memory_system.records import QUOTE, Evidence, Fact, Summary, session_of
from memory_system.store import retention
from memory_system.store.entries import Change, Group
from memory_system.understand.claims import claim_rules
from memory_system.understand.weights import LANGUAGES
from memory_system.upkeep import edit, heard
from memory_system.workspace import Workspace

FORGOTTEN = "[forgotten]"  # shown for what a change said when forgetting has blanked it
UNTOLD = frozenset({"updated", "version", "scored_at"})  # fields that move with every change
KEPT = "kept as it was said"
COMPOSED = "three or more facts of one topic, told together"
EARLIER = "told by an earlier version of the program, by a rule that is gone"


def why(ws: Workspace, memory_id: str) -> dict[str, Any]:
    """Why the memory is there: its words' sources with their quotes, what they lean on, the rule that read them, every
    change since, what it superseded, by what it is outdated, and what its rank is made of. NotFoundError for an id that
    nobody knows."""
    record, pool = edit.find(ws, memory_id)
    return {
        "id": record.id,
        "content": record.content,
        "pool": pool or "inbox",
        "context": finder.contexts(ws, [record]).get(record.id, ""),
        "sources": [each.model_dump() | _origin(each, ws) for each in record.evidence],
        "source_facts": list(getattr(record, "source_facts", ())),
        "method": record.method,
        "rule": rule_of(record),
        "judge": heard.judgement(ws, record),
        "edited": list(record.edited),
        "history": [each.model_dump() for each in record.history],
        "supersedes": record.supersedes,
        "superseded_by": record.superseded_by,
        "outdated_by": record.outdated_by,
        "changes": [change_row(group, change) for group, change in _changes_of(ws, memory_id)],
        "rank": _rank(record, ws),
    }


def _origin(evidence: Evidence, ws: Workspace) -> dict[str, Any]:
    """Where the words were said: the transcript, what its host calls the conversation, which kind of chat that is, and
    whether it was the owner who said them. Empty for what no transcript holds."""
    cursor = ws.checkpoint.state.cursors.get(session_of(evidence.ref))
    if cursor is None:
        return {}
    where = {"path": cursor["path"], "session_key": cursor.get("key", ""), "chat": cursor.get("chat") or "direct"}
    return {**where, "owner": evidence.role in ("user", "note") and evidence.trust == "user"}


def rule_of(record: Fact) -> str:
    """What the rule that made the memory is for; empty when no rule did."""
    if isinstance(record, Summary):
        return COMPOSED if record.method.startswith(RULE) else ""
    if record.form == QUOTE:
        return KEPT
    if not record.method.startswith(RULE):
        return ""
    rule_id = record.method.removeprefix(RULE)
    found = (rule.why for lang in LANGUAGES for rule in claim_rules(lang) if rule.id == rule_id)
    return next(found, EARLIER)


def _rank(record: Fact, ws: Workspace) -> dict[str, Any]:
    """What the memory ranks by in the snapshot, and how search lifts it."""
    return {
        "importance": record.importance,
        "score": record.score,
        "scored_at": record.scored_at,
        "effective": round(retention.effective(record, ws.faded_at(ws.now), ws.config), 4),
        "decay_per_day": round(retention.rate(record, ws.config), 6),
        "floor": ws.config.thresholds.floor if retention.is_protected(record) else None,
    }


def _changes_of(ws: Workspace, memory_id: str) -> Iterator[tuple[Group, Change]]:
    for group in ws.journal.entries():
        for change in group.changes:
            if change.id == memory_id:
                yield group, change


def diff(ws: Workspace, name: str = "") -> dict[str, Any]:
    """What a run has changed, entry by entry; the last consolidation without a name. See `entries_of`."""
    groups = entries_of(ws, name)
    rows = [change_row(group, change) for group in groups for change in group.changes]
    return {
        "entries": [
            {"seq": each.entry.seq, "time": each.entry.time, "run": each.entry.run, "night": each.entry.night,
             "reason": each.entry.reason}
            for each in groups
        ],
        "counts": dict(Counter(row["why"] for row in rows).most_common()),
        "changes": rows,
    }  # fmt: skip


def entries_of(ws: Workspace, name: str = "") -> list[Group]:
    """The journal's entries of a run (its id, the stamp of a night, or #3 for the third entry), in order; those of the
    last consolidation without a name. A night that was done again is the last one of that stamp. NotFoundError when
    there are none."""
    groups = list(ws.journal.entries())
    wanted = name or next((each.entry.run for each in reversed(groups) if each.entry.run), "")
    nights = [each for each in groups if wanted and wanted == each.entry.night]
    found = nights[-1:] or [each for each in groups if wanted and wanted in (each.entry.run, f"#{each.entry.seq}")]
    if not found:
        known = dict.fromkeys(each.entry.run or f"#{each.entry.seq}" for each in groups[-5:])
        hint = f"the last ones are {', '.join(known)}" if known else "nothing has been changed yet"
        raise NotFoundError(f"the journal knows no run {name}" if name else "there is no run to look at yet", hint)
    return found


def change_row(group: Group, change: Change) -> dict[str, Any]:
    """A change as it is shown: when and why, from where to where, and the fields that differ."""
    before, after = (orjson.loads(line) if line else {} for line in (change.before, change.after))
    names = [name for name in {**before, **after} if name not in UNTOLD and before.get(name) != after.get(name)]
    return {
        "seq": group.entry.seq,
        "time": group.entry.time,
        "run": group.entry.run,
        "id": change.id,
        "why": change.why,
        "from": change.before_pool,
        "to": change.after_pool,
        "content": (after or before).get("content", FORGOTTEN),
        "fields": {name: [before.get(name), after.get(name)] for name in names} if before and after else {},
    }
