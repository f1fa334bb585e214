"""What a workspace holds that today's rules would not let in: secrets, wherever they stand, and memories whose words
want to steer an agent. Looking only; `masking` mends what is ours."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_system.errors import MemorySystemError
from memory_system.forgetting import people
from memory_system.forgetting.cutting import strings
from memory_system.privacy.secrets import redact
from memory_system.privacy.trust import OWNER, key_of, suspects
from memory_system.recall.index import Index
from memory_system.records import Evidence, Fact, from_line
from memory_system.workspace import Workspace

STEERS = "steers"  # how the kind of what wants to steer begins, before the rule's id


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found: the file and its line (or a memory's id), of which kinds it is, and whose the file is."""

    where: str
    kinds: tuple[str, ...]
    ours: bool = True


def scan(ws: Workspace) -> list[Finding]:
    """Everything that today's rules would not let in, in the order of the files."""
    return list(dict.fromkeys((*ours(ws), *_peoples(ws))))


def ours(ws: Workspace) -> Iterator[Finding]:
    """What is found in the files of the program."""
    for part in (_memories, _journal, _copied, _state, _derived):
        yield from part(ws)


def kinds_in(value: Any) -> tuple[str, ...]:
    """The kinds of secrets in the texts of a JSON value."""
    return tuple(sorted({kind for text in strings(value) for kind in redact(text)[1]}))


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


def _memories(ws: Workspace) -> Iterator[Finding]:
    approved = frozenset(ws.quarantine.approved())
    for pool, line in ws.store.all_lines():
        record = from_line(line)
        steers = suspected(record, approved) if pool == "active" else None
        kinds = (*kinds_in(people.parsed(line)), *([f"{STEERS}:{steers[0]}"] if steers else []))
        if kinds:
            yield Finding(record.id, kinds)


def _journal(ws: Workspace) -> Iterator[Finding]:
    for group in ws.journal.entries():
        kinds = {kind for change in group.changes for kind in kinds_in(people.parsed(change.to_line()))}
        if kinds:
            yield Finding(f"{ws.layout.name(ws.layout.journal)}:entry {group.entry.seq}", tuple(sorted(kinds)))


def _copied(ws: Workspace) -> Iterator[Finding]:
    for path, number, line in ws.said.lines():
        row = people.parsed(line)
        if kinds := kinds_in(row.get("text") if isinstance(row, dict) else row):
            yield Finding(f"{ws.layout.name(path)}:{number}", kinds)


def _state(ws: Workspace) -> Iterator[Finding]:
    for path in own_files(ws):
        yield from _lines(ws, path)


def _derived(ws: Workspace) -> Iterator[Finding]:
    for folder in (ws.layout.snapshot.parent, ws.layout.entities, ws.layout.index):
        for path in sorted(folder.glob("*")):
            if path.suffix in (".json", ".md"):
                yield from _lines(ws, path)
    path = ws.layout.search_index
    kinds: set[str] = set()
    with suppress(MemorySystemError):
        if path.exists():
            with Index.open(path, ws.config) as index:
                kinds = {kind for line in index.content() for kind in redact(line.decode(errors="replace"))[1]}
    if kinds:
        yield Finding(ws.layout.name(path), tuple(sorted(kinds)))


def _lines(ws: Workspace, path: Path) -> Iterator[Finding]:
    for number, line in enumerate(ws.files.read(path).split(b"\n"), 1):
        if kinds := kinds_in(people.parsed(line)):
            yield Finding(f"{ws.layout.name(path)}:{number}", kinds)


def _peoples(ws: Workspace) -> Iterator[Finding]:
    """Lines of transcripts and notes: they are people's, and only listed."""
    for place in people.transcripts(ws):
        for number, line in enumerate(people.bytes_of(place.path).split(b"\n"), 1):
            if kinds := kinds_in(list(people.told(people.parsed(line)))):
                yield Finding(f"{place.name}:{number}", kinds, ours=False)
    for path in people.notes(ws):
        for number, text in enumerate(people.bytes_of(path).decode(errors="replace").split("\n"), 1):
            if kinds := kinds_in(text):
                yield Finding(f"{ws.layout.name(path)}:{number}", kinds, ours=False)
