"""What today's rules would not let in, taken out of everything that is ours: secrets become `[secret:kind]` in
memories, captures, the journal and the state; what wants to steer goes to the archive and into quarantine. Stopped
midway, it is done again: every step finds what is left."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.forgetting import people
from memory_system.forgetting.erasing import let_go, remake, reset_night
from memory_system.forgetting.scanning import STEERS, kinds_in, ours, own_files, suspected
from memory_system.nights import copying
from memory_system.phases import Night, summaries
from memory_system.privacy.secrets import redact
from memory_system.records import Evidence, Fact, Pool, to_line
from memory_system.store.draft import Draft
from memory_system.store.entries import Change, Entry
from memory_system.workspace import Workspace

REASON = "policy scan"
HELD_BACK = "held back"


def mask_again(ws: Workspace) -> int:
    """Take secrets that rules have learnt to know out of all that is ours, if there are any; how many memories were
    changed. What steers is left to the owner, who has it looked for (`fix`)."""
    kinds = (kind for finding in ours(ws) for kind in finding.kinds)
    return fix(ws, steering=False) if any(not kind.startswith(STEERS) for kind in kinds) else 0


def fix(ws: Workspace, *, steering: bool = True) -> int:
    """Mend what is ours; how many memories were changed. The workspace must be open for writing. Unless `steering`,
    only secrets go."""
    reset_night(ws)
    ws.inbox.rewrite(lambda record: type(record).model_validate(masked(record.model_dump())))
    ws.inbox.set_aside()  # lines that are torn are masked with the other files
    ws.quarantine.set_aside()
    changes = {change.id: change for change in _changes(ws, steering=steering)}
    entry = Entry(clock.stamp(ws.now), REASON, state={"next_change": None})
    let_go(ws, entry, changes, lambda change: bool(kinds_in(people.parsed(change.to_line()))))
    ws.journal.blank(entry, {})
    ws.said.rewrite(copying.today(ws))
    for path in own_files(ws):
        if path not in ws.layout.captures():
            _mask_file(ws, path)
    remake(ws)
    return len(changes)


def masked(value: Any) -> Any:
    """A JSON value with its texts masked."""
    if isinstance(value, str):
        return redact(value)[0]
    if isinstance(value, list | tuple):
        return [masked(each) for each in value]
    if isinstance(value, dict):
        return {key: masked(each) for key, each in value.items()}
    return value


def _changes(ws: Workspace, *, steering: bool) -> Iterator[Change]:
    approved = frozenset(ws.quarantine.approved())
    scratch = Draft(ws.store)
    for pool, record in list(ws.store.records()):
        steers = suspected(record, approved) if steering and pool == "active" else None
        there: Pool = "archive" if steers else pool
        new = _mended(record, ws, steers=steers is not None)
        if new is None:
            continue
        if steers:
            ws.quarantine.add([_held(*steers)])
        why = HELD_BACK if steers else "masked"
        scratch.put(there, new, why)
        yield Change(record.id, why, pool, _before(record.id, ws), there, to_line(new))
    yield from _composed_anew(scratch, ws)


def _composed_anew(scratch: Draft, ws: Workspace) -> Iterator[Change]:
    """The summaries of what was changed: none tells any longer of what was put away."""
    composed = summaries.run([scratch], scratch, Night(ws.now, ws.config))
    for key, (pool, line, why) in sorted(composed.changed.items()):
        yield Change(key, why, ws.store.pool_of(key), _before(key, ws), pool, line)


def _before(memory_id: str, ws: Workspace) -> bytes | None:
    """The memory's line for the journal; None where it holds a secret, or there is none."""
    line = ws.store.line_of(memory_id)
    return None if line is None or kinds_in(people.parsed(line)) else line


def _mended(record: Fact, ws: Workspace, *, steers: bool) -> Fact | None:
    """The memory as it may stand; None when it may as it is."""
    if not steers and not kinds_in(record.model_dump(mode="json")):
        return None
    changed = {"updated": clock.stamp(ws.now), "version": record.version + 1}
    retired = {"retired": HELD_BACK} if steers else {}
    return type(record).model_validate({**masked(record.model_dump()), **changed, **retired})


def _held(rule: str, words: Evidence) -> dict[str, str]:
    quote = redact(words.quote)[0]
    return {"ref": words.ref, "quote": quote, "said_at": words.said_at, "role": words.role, "rule": rule}


def _mask_file(ws: Workspace, path: Path) -> None:
    ws.files.rewrite(path, lambda lines: list(map(_masked_line, lines)))


def _masked_line(line: bytes) -> bytes:
    value = people.parsed(line)
    if not kinds_in(value):
        return line
    if isinstance(value, str) and not line.startswith(b'"'):
        return redact(value)[0].encode(errors="replace")
    return orjson.dumps(masked(value)) + b"\n"
