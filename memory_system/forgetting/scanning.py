"""What a workspace holds that today's rules would not let in: secrets, wherever they stand, and memories whose words
want to steer an agent. `fix` takes them out of everything that is ours: secrets become `[secret:kind]` in memories,
captures, the journal and the state; what wants to steer goes to the archive and into quarantine. Stopped midway, it is
done again: every step finds what is left."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.errors import MemorySystemError
from memory_system.forgetting import let_go, owner_files, remake, reset_night
from memory_system.nights import copying
from memory_system.phases import Night, summaries
from memory_system.privacy.secrets import redact, without_secrets
from memory_system.privacy.trust import OWNER, key_of, suspects
from memory_system.readers.places import transcripts
from memory_system.recall.search_index import Index
from memory_system.records import Evidence, Fact, Pool, from_line, to_line
from memory_system.store.draft import Draft
from memory_system.store.journal import Change, Entry
from memory_system.text import texts_in
from memory_system.workspace import Workspace

Found = tuple[str, tuple[str, ...]]  # where, and which kinds of what is found there, if any
STEERS = "steers"  # how the kind of what wants to steer begins, before the rule's id
REASON = "policy scan"
HELD_BACK = "held back"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: the file and its line (or a memory's id), of which kinds it is, and whose the file is."""

    where: str
    kinds: tuple[str, ...]
    ours: bool = True


def scan(ws: Workspace) -> list[Finding]:
    """Everything that today's rules would not let in, in the order of the files."""
    theirs = (Finding(where, kinds, ours=False) for where, kinds in _peoples(ws) if kinds)
    return list(dict.fromkeys((*ours(ws), *theirs)))


def ours(ws: Workspace) -> Iterator[Finding]:
    """What is found in the files of the program."""
    for part in (_memories, _journal, _copied, _state_and_derived, _indexed):
        yield from (Finding(where, kinds) for where, kinds in part(ws) if kinds)


def kinds_in(value: Any) -> tuple[str, ...]:
    """The kinds of secrets in the texts of a JSON value."""
    return tuple(sorted({kind for text in texts_in(value) for kind in redact(text)[1]}))


def _kinds_on(line: bytes) -> tuple[str, ...]:
    return kinds_in(owner_files.parsed(line))


def suspected(record: Fact, approved: Collection[str]) -> tuple[str, Evidence] | None:
    """The rule by which a memory would be held back today, and the words that it knows; None when it would not be, or
    when the owner has let it in or set its words."""
    if record.is_owners or key_of(record.content) in approved:
        return None
    for each in record.evidence:
        found = suspects(each.quote, owner=each.trust in OWNER) if key_of(each.quote) not in approved else ()
        if found:
            return found[0].rule.id, each
    return None


def own_files(ws: Workspace) -> list[Path]:
    """The files of the state that hold words: not those of keys, marks and places."""
    files = [*ws.layout.state.iterdir(), *ws.layout.journal.glob("*.torn"), *ws.layout.runs.rglob("*")]
    wordless = {*ws.layout.sifted()} - {*ws.layout.captures()}
    return sorted(path for path in files if path.is_file() and path not in wordless)


def _memories(ws: Workspace) -> Iterator[Found]:
    approved = frozenset(ws.quarantine.approved())
    for pool, line in ws.store.all_lines():
        record = from_line(line)
        steers = suspected(record, approved) if pool == "active" else None
        yield record.id, (*_kinds_on(line), *([f"{STEERS}:{steers[0]}"] if steers else []))


def _journal(ws: Workspace) -> Iterator[Found]:
    for group in ws.journal.entries():
        kinds = {kind for change in group.changes for kind in _kinds_on(change.to_line())}
        yield f"{ws.layout.name(ws.layout.journal)}:entry {group.entry.seq}", tuple(sorted(kinds))


def _copied(ws: Workspace) -> Iterator[Found]:
    for path, number, line in ws.said.lines():
        row = owner_files.parsed(line)
        yield f"{ws.layout.name(path)}:{number}", kinds_in(row.get("text") if isinstance(row, dict) else row)


def _state_and_derived(ws: Workspace) -> Iterator[Found]:
    derived = (path for folder in ws.layout.derived() for path in sorted(folder.glob("*")))
    for path in (*own_files(ws), *(path for path in derived if path.suffix in (".json", ".md"))):
        for number, line in enumerate(ws.files.read(path).split(b"\n"), 1):
            yield f"{ws.layout.name(path)}:{number}", _kinds_on(line)


def _indexed(ws: Workspace) -> Iterator[Found]:
    path = ws.layout.search_index
    with suppress(MemorySystemError):
        if path.exists():
            with Index.open(path, ws.config) as index:
                texts = (line.decode(errors="replace") for line in index.content())
                yield ws.layout.name(path), tuple(sorted({kind for text in texts for kind in redact(text)[1]}))


def _peoples(ws: Workspace) -> Iterator[Found]:
    """Lines of transcripts and notes: they are people's, and only listed."""
    for place in transcripts(ws.layout, ws.config):
        for number, line in enumerate(owner_files.lines_of(place), 1):
            told = texts_in(owner_files.parsed(line), owner_files.is_plain)
            yield f"{place.name}:{number}", kinds_in(list(told))
    for path in owner_files.notes(ws):
        for number, text in enumerate(owner_files.bytes_of(path).decode(errors="replace").split("\n"), 1):
            yield f"{ws.layout.name(path)}:{number}", kinds_in(text)


def mask_again(ws: Workspace) -> int:
    """Take secrets that rules have learnt to know out of all that is ours, if there are any; how many memories were
    changed. What steers is left to the owner, who has it looked for (`fix`)."""
    kinds = (kind for finding in ours(ws) for kind in finding.kinds)
    return fix(ws, steering=False) if any(not kind.startswith(STEERS) for kind in kinds) else 0


def fix(ws: Workspace, *, steering: bool = True) -> int:
    """Mend what is ours (secrets alone unless `steering`); how many memories were changed. It needs the lock."""
    reset_night(ws)
    ws.inbox.rewrite(lambda record: type(record).model_validate(without_secrets(record.model_dump())))
    ws.inbox.set_aside()  # lines that are torn are masked with the other files
    ws.quarantine.set_aside()
    changes = {change.id: change for change in _changes(ws, steering=steering)}
    entry = Entry(clock.stamp(ws.now), REASON, state={"next_change": None})
    let_go(ws, entry, changes, lambda change: bool(_kinds_on(change.to_line())), {})
    ws.journal.blank(entry, {})
    ws.said.rewrite(copying.today(ws))
    for path in own_files(ws):
        if path not in ws.layout.captures():
            ws.files.rewrite(path, lambda lines: list(map(_masked_line, lines)))
    remake(ws)
    return len(changes)


def _changes(ws: Workspace, *, steering: bool) -> Iterator[Change]:
    approved = frozenset(ws.quarantine.approved())
    scratch = Draft(ws.store)

    def before(memory_id: str) -> bytes | None:
        """The memory's line for the journal; None where it holds a secret, or there is none."""
        line = ws.store.line_of(memory_id)
        return None if line is None or _kinds_on(line) else line

    for pool, record in list(ws.store.records()):
        steers = suspected(record, approved) if steering and pool == "active" else None
        there: Pool = "archive" if steers else pool
        new = _mended(record, ws, steers=steers is not None)
        if new is None:
            continue
        if steers:
            rule, words = steers
            held = {"ref": words.ref, "quote": redact(words.quote)[0], "said_at": words.said_at, "role": words.role}
            ws.quarantine.add([{**held, "rule": rule}])
        why = HELD_BACK if steers else "masked"
        scratch.put(there, new, why)
        yield Change(record.id, why, pool, before(record.id), there, to_line(new))
    # the summaries of what was changed: none tells any longer of what was put away
    composed = summaries.run([scratch], scratch, Night(ws.now, ws.config))
    for key, (pool, line, why) in sorted(composed.changed.items()):
        yield Change(key, why, ws.store.pool_of(key), before(key), pool, line)


def _mended(record: Fact, ws: Workspace, *, steers: bool) -> Fact | None:
    """The memory as it may stand; None when it may as it is."""
    if not steers and not kinds_in(record.model_dump(mode="json")):
        return None
    changed = {"updated": clock.stamp(ws.now), "version": record.version + 1}
    retired = {"retired": HELD_BACK} if steers else {}
    return type(record).model_validate({**without_secrets(record.model_dump()), **changed, **retired})


def _masked_line(line: bytes) -> bytes:
    value = owner_files.parsed(line)
    if not kinds_in(value):
        return line
    if isinstance(value, str) and not line.startswith(b'"'):
        return redact(value)[0].encode(errors="replace")
    return orjson.dumps(without_secrets(value)) + b"\n"
