"""Forgetting: what is chosen, what stands on the same words, and how all of it goes without leaving a byte; and what
rules that have improved since would not have let in.

It goes step by step. Every step can be done again: a plan that was stopped is finished by whoever opens the workspace
for writing next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.forgetting import owner_files
from memory_system.forgetting.planning import Plan, Selection, plan_of
from memory_system.nights import copying, derive
from memory_system.phases import Night, summaries
from memory_system.privacy.tombstones import blanked
from memory_system.readers import Cursor, Library
from memory_system.records import NEWER, NOT_LIKELY, RETURNED, Fact, Pool, Row, Summary, to_line
from memory_system.store import months
from memory_system.store.draft import Draft
from memory_system.store.inbox import Who
from memory_system.store.journal import Change, Entry, digest
from memory_system.text import texts_in
from memory_system.turns import Message
from memory_system.workspace import Workspace

__all__ = ["Selection", "finish", "forget", "let_go", "plan_of", "remake", "reset_night"]

Tainted = Callable[[Change], bool]  # whether a change in the journal says what must go

WHY = "forgotten"
FORGET = "forget "  # with which a forgetting's entry of the journal begins
UNREACHABLE = (
    "git history and other backups of these files",
    "what a model provider was sent",
    "copies that other programs have made",
)


def forget(ws: Workspace, plan: Plan, who: Who = "library") -> Row:
    """Do what the plan says, for good; the certificate."""
    ws.tombstones.keep_key()
    ws.files.replace(ws.layout.forgetting, plan.to_bytes())
    certificate = _carry_out(ws, plan)
    ws.accesses.note("forget", [plan.id], ws.now, who)
    return certificate


def finish(ws: Workspace) -> Row | None:
    """Finish the forgetting that was stopped, if there is one."""
    row = ws.files.read_object(ws.layout.forgetting)
    return _carry_out(ws, Plan.from_row(row)) if row else None


def _carry_out(ws: Workspace, plan: Plan) -> Row:
    """What was forgotten, when, and where the journal stands after it; `failed` are files that could not be written
    (`reasons` tell why), `left` the lines of people's files that still hold it."""
    ws.tombstones.add(plan.marks)
    ws.inbox.drop(plan.gone)
    entry = _commit(ws, plan)
    ws.journal.blank(entry, _aliases(ws, plan))
    reset_night(ws)
    _erase_copies(ws, plan)
    failed = _redact(ws, plan)
    _sweep(ws, plan)
    remake(ws)
    left = sorted(set(owner_files.lines_with(ws, plan.words, set(plan.refs))))
    ws.files.remove(ws.layout.forgetting)
    ws.files.disk.sync_folder(ws.layout.state)
    return {
        "id": plan.id,
        "at": plan.at,
        "memories": len(plan.gone),
        "messages": plan.messages,
        "journal_payloads": len(entry.blanked),
        "entry": f"#{entry.seq}",
        "head": ws.journal.head().hash,
        "left": [{"path": path, "line": line} for path, line in left],
        "failed": list(failed),
        "reasons": failed,
        "unreachable": list(UNREACHABLE),
    }


def _aliases(ws: Workspace, plan: Plan) -> dict[str, str]:
    """What stands in the journal for each memory's id, which is a digest of what it said and could be guessed."""
    return {key: f"{key.partition('_')[0]}_00000000_{ws.tombstones.mac('id', key)[:10]}" for key in plan.gone}


def _commit(ws: Workspace, plan: Plan) -> Entry:
    """The one entry of the journal that takes the memories out; the entry that is there already, if it is."""
    reason = FORGET + plan.id
    before = [group.entry for group in ws.journal.entries() if group.entry.reason == reason]
    if before:
        return before[-1]
    changes = {change.id: change for change in _changes(ws, plan)}
    entry = Entry(clock.stamp(ws.now), reason, state={"next_change": None})
    let_go(ws, entry, changes, _tainted_by(plan, ws), _aliases(ws, plan))
    return entry


def _tainted_by(plan: Plan, ws: Workspace) -> Tainted:
    """Which changes in the journal hold what goes: also those of memories that only the journal knows any more, because
    they were rolled back, and that say the same."""
    holds, quotes = _holding(plan), _quotes(plan)

    def tainted(change: Change) -> bool:
        line = change.to_line()
        return holds(line) or (ws.store.pool_of(change.id) is None and any(each in line for each in quotes))

    return tainted


def _quotes(plan: Plan) -> list[bytes]:
    """The words that go, as they stand in our lines."""
    return [orjson.dumps(quote)[1:-1] for quote in plan.words.quotes]


def _holding(plan: Plan) -> Callable[[bytes], bool]:
    """What tells whether a line of ours names a memory, a message or something held back that goes, or the name or
    words that do."""
    ids = [*(key.encode() for key in plan.gone), *map(orjson.dumps, (*plan.refs, *plan.held))]

    def holds(line: bytes) -> bool:
        if any(each in line for each in ids):
            return True
        return plan.words.names and any(plan.words.named_in(each) for each in texts_in(owner_files.parsed(line)))

    return holds


def let_go(
    ws: Workspace, entry: Entry, changes: dict[str, Change], tainted: Tainted, aliases: Mapping[str, str]
) -> None:
    """Commit the changes, and have earlier payloads in the journal give way: those of memories that change, and those
    that are tainted. A memory whose way is no longer told is told again as it stands."""
    changed = set(changes)
    for group in ws.journal.entries():
        for change, written in zip(group.changes, group.digests, strict=True):
            if written in group.blanks or not (change.id in changed or tainted(change)):
                continue
            change.alias = aliases.get(change.id, "")
            entry.blanked[written] = digest("", change.blanked())
            pool = ws.store.pool_of(change.id)
            if change.id not in changes and pool:
                changes[change.id] = Change(change.id, "told again", pool, None, pool, ws.store.line_of(change.id))
    for change in changes.values():
        change.alias = aliases.get(change.id, "")
    ws.store.apply(entry, changes.values())


def _changes(ws: Workspace, plan: Plan) -> Iterator[Change]:
    """What the forgetting changes in the truth: no change says how a memory was before."""
    scratch = Draft(ws.store)
    for key in sorted(plan.gone):
        record, pool = ws.store.get(key), ws.store.pool_of(key)
        if record is not None:
            yield Change(key, WHY, pool)
            scratch.put("archive", record.model_copy(update={"retired": WHY}), WHY)
    for pool, record in list(ws.store.records()):
        if record.id not in plan.gone and (new := _cleansed(record, pool, plan, ws)) is not None:
            there: Pool = "active" if record.id in plan.back else pool
            yield Change(record.id, "restored" if there != pool else "cleansed", pool, None, there, to_line(new))
            scratch.put(there, new, WHY)
    composed = summaries.run([scratch], scratch, Night(ws.now, ws.config))
    for key, (pool, line, why) in sorted(composed.changed.items()):
        before = ws.store.pool_of(key)
        if pool == "archive":  # dissolved: it told of what goes
            yield Change(key, WHY, before)
        else:
            yield Change(key, why, before, None, pool, line)


def _cleansed(record: Fact, pool: Pool, plan: Plan, ws: Workspace) -> Fact | None:
    """The memory without what it had of those that go; None when it had nothing."""
    if isinstance(record, Summary) and pool == "active":
        return None
    lost = plan.lost.get(record.id, ())
    new: dict[str, Any] = {
        "evidence": tuple(each for each in record.evidence if each.ref not in lost),
        "history": tuple(each for each in record.history if each.id not in plan.gone),
        "context": tuple(each for each in record.context if each.ref not in {*lost, *plan.refs}),
        "doubts": tuple(each for each in record.doubts if each not in plan.gone),
    }
    links = ("supersedes", "superseded_by", "promoted_from", *NEWER)
    new |= {name: None for name in links if getattr(record, name) in plan.gone}
    if "likely_outdated_by" in new:
        new |= NOT_LIKELY
    if record.id in plan.back:
        new |= RETURNED
    if new["evidence"] and new["evidence"][0].ref != record.source and record.source in lost:
        new["source"] = new["evidence"][0].ref
    if all(getattr(record, name) == value for name, value in new.items()):
        return None
    return record.model_copy(update={**new, "updated": clock.stamp(ws.now), "version": record.version + 1})


def reset_night(ws: Workspace) -> None:
    """A half-done night begins anew: what it staged goes. What it held back is put down first, if it is committed."""
    if "commit" in ws.checkpoint.state.phase_data and ws.checkpoint.stage("quarantine").exists():
        ws.quarantine.add(ws.checkpoint.read_stage("quarantine", dict))
    for folder in sorted(ws.layout.runs.glob("*")):
        ws.files.remove_folder(folder)
    if ws.checkpoint.state.current_phase is not None or ws.checkpoint.state.phase_data:
        ws.checkpoint.save(current_phase=None, phase_data={}, retry_count=0)


def _erase_copies(ws: Workspace, plan: Plan) -> None:
    """Take it out of layer 3: whole messages, and the words that go of others."""
    refs, today = set(plan.refs), copying.today(ws)

    def told(message: Message) -> str:
        text = "" if message.ref in refs else today(message)
        return blanked(text, plan.words.spans(text))

    ws.said.rewrite(told)


def _redact(ws: Workspace, plan: Plan) -> owner_files.Failed:
    """Take it out of people's files, as far as their owner said so; reading goes on where it was."""
    failed, refs = owner_files.Failed(), set(plan.refs)
    if plan.notes:
        owner_files.redact_notes(ws, plan.words, refs, failed)
    if plan.transcripts:
        owner_files.redact_transcripts(ws, plan.words, refs, failed)
    if plan.notes or plan.transcripts:
        _move_cursors(ws)
        copying.fill(ws)
    return failed


def _move_cursors(ws: Workspace) -> None:
    """Files that were redacted have as many lines as before: they count as read as far as they were."""
    fresh = Library(ws.layout, ws.config, ws.now, ws.tombstones)
    moved = {}
    for session, row in ws.checkpoint.state.cursors.items():
        cursor = Cursor.from_row(row)
        script = fresh.script(session, cursor)
        if script is not None and script.place.name == cursor.path and script.digest(cursor.lines):
            size, changed = script.size, script.mtime_ns
            moved[session] = replace(cursor, size=size, mtime_ns=changed, digest=script.digest(cursor.lines)).to_row()
    ws.checkpoint.save(cursors={**ws.checkpoint.state.cursors, **moved})
    ws.__dict__.pop("library", None)  # what it holds is as the files were


def _sweep(ws: Workspace, plan: Plan) -> None:
    """Every file of ours that holds any of it loses those lines; so do the leftovers of crashes."""
    sources = {*plan.gone, *plan.refs, *plan.held}
    ws.accesses.strike(lambda name: name in sources or plan.words.named_in(name))
    spoken = (ws.layout.answers, ws.layout.batch, ws.layout.queue, ws.layout.wording)
    for path in spoken:  # a model says it in words of its own, which nobody can look for
        ws.files.remove(path)
    for path in sorted(ws.layout.state.iterdir()) + sorted(ws.layout.journal.glob("*.torn")):
        if path.suffix == months.ENDING:  # a damaged month of the journal that nobody can look into
            ws.files.remove(path)
        elif path.is_file() and path not in ws.layout.sifted():
            _without_lines(ws, path, plan)


def remake(ws: Workspace) -> None:
    """Everything derived goes, with all its bytes, and is made again."""
    ws.store.drop_lookup()
    for folder in ws.layout.derived():
        ws.files.remove_folder(folder)
        ws.files.make_folder(folder)
    derive.rebuild(ws)


def _without_lines(ws: Workspace, path: Path, plan: Plan) -> None:
    holds, quotes = _holding(plan), _quotes(plan)

    def stays(line: bytes) -> bool:
        return not (holds(line) or any(each in line for each in quotes))

    if path.suffix != ".json":
        ws.files.rewrite(path, lambda lines: list(filter(stays, lines)))
    elif not all(map(stays, ws.files.read(path).splitlines())):
        ws.files.remove(path)  # one value, derived
