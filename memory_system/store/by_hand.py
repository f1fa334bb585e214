"""What a person has done to the files of the truth with an editor is the owner's word: the next writing command takes
it into the journal, whence it can be explained and undone like everything else. A changed line is an edit, a new one a
memory, a line taken out of the active pool puts its memory away, and one taken out of the archive removes it.

Lines that are missing in masses are rather lost than removed: then nothing is written, and the owner is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from memory_system import text
from memory_system.errors import DamagedError, MissingLinesError
from memory_system.privacy.secrets import redact
from memory_system.records import FILES, RETURNED, SETTABLE, WORDS, Evidence, Fact, Pool, from_line, kind_of, to_line
from memory_system.store.journal import Change, Entry
from memory_system.store.store import Store
from memory_system.store.truth import checked, line_id, parsed

BY_HAND = "edited by hand"
REMOVED = "removed by hand"
NO_LONGER_OUTDATED = "no longer outdated"
HAND = "hand"  # the method of a memory that a person wrote into a file
EDIT = "edit"  # how the refs of the owner's corrections begin
GIVEN = ("created", "said_at", "scored_at")  # what a memory has from the program: it stays when a line loses it
FEW = 5  # missing lines of one file that are never too many
_OUTDATED_BY = re.compile(rb'"outdated_by"\s*:\s*"([^"]+)"')
_MARKS = re.compile(r"[,.;:!?，。；：！？]| (?:and|but|since|because|who|which|where) ")  # what has them is no value


@dataclass
class Found:
    """What stands in the files and not in the journal: the changes that the owner's word makes of it, and by id the
    lines that only have another form, as the journal has them."""

    changes: list[Change] = field(default_factory=list)
    forms: dict[str, bytes] = field(default_factory=dict)


def take_over(store: Store, stamp: str, *, allow_losses: bool = False) -> Entry | None:
    """Take what was changed by hand since the program last wrote into the journal; the entry, if anything was.
    MissingLinesError when too much is missing, DamagedError when a line is no memory."""
    found = look(store, stamp)
    if not allow_losses:
        _watch_losses(found.changes, store)
    if not store.journal.head().seq:  # a workspace from before there was a journal
        for pool, kind in FILES:
            store.keep_original(pool, kind, "adopted")
    _tidy(store, found.forms)
    moved: dict[str, object] = {"next_change": None}
    if "commit" in store.checkpoint.state.phase_data:  # that night is done: what it has not derived is derived anew
        moved |= {"current_phase": None, "phase_data": {}, "retry_count": 0}
    entry = Entry(stamp, BY_HAND, state=moved)
    found.changes += released(found.changes, store, stamp)
    if found.changes:
        store.apply(entry, found.changes)
    store.seen.note()
    return entry if found.changes else None


def look(store: Store, stamp: str) -> Found:
    """Compare the files with the journal. DamagedError for a line that is no memory of its file."""
    adopted = not store.journal.head().seq  # a workspace from before there was a journal
    known, there, found = store.journal.latest(), set[str](), Found()
    for where, pool, kind, line in store.everything():
        key = checked(line, kind, where)["id"]
        if key in there:
            raise DamagedError(f"{where}: the id {key} stands twice")
        there.add(key)
        was = known.pop(key, None)
        if was is None:
            found.changes.append(_added(parsed(line, where), pool, stamp, adopted=adopted))
        elif was != (pool, line):
            _compare(was, pool, parsed(line, where), stamp, found)
    found.changes += [_removed(key, pool, line, stamp) for key, (pool, line) in known.items()]
    return found


def _added(record: Fact, pool: Pool, stamp: str, *, adopted: bool) -> Change:
    """A memory that was written into a file, with what only the program can know."""
    given = {"created": stamp, "said_at": stamp, "scored_at": stamp, "method": "" if adopted else HAND}
    missing = {name: value for name, value in given.items() if not getattr(record, name)}
    plain = _in_pool(record.model_copy(update=missing), pool)
    if not adopted:
        first = plain.model_copy(update={"version": 0})
        plain = as_owners(first, ["content"], stamp, since=first)
    return Change(record.id, "adopted" if adopted else "added by hand", None, None, pool, to_line(plain))


def _compare(was: tuple[Pool, bytes], pool: Pool, record: Fact, stamp: str, found: Found) -> None:
    """Note what a person has made of a memory."""
    since = from_line(was[1])
    if record == since and was[0] == pool:
        found.forms[record.id] = was[1]
        return
    lost = {name: getattr(since, name) for name in GIVEN if not getattr(record, name)}
    record = _with_its_value(record.model_copy(update=lost), since)
    names = [name for name, value in record if value != getattr(since, name, None)]
    edited = as_owners(_in_pool(record, pool), names, stamp, since=since)
    found.changes.append(Change(record.id, BY_HAND, *was, pool, to_line(edited)))


def _with_its_value(record: Fact, since: Fact) -> Fact:
    """The memory with the value that its new words say, where a person has changed the words alone; where they say none
    for certain, it fills no slot, for the old value is not so any more."""
    same_slot = (record.attribute, record.value) == (since.attribute, since.value)
    if record.content == since.content or not record.value or not same_slot or record.value in record.content:
        return record
    before, found, after = since.content.partition(since.value)
    content, end = record.content, len(record.content) - len(after)
    in_its_place = content[len(before) : end].strip() if found and content.startswith(before) else ""
    if not in_its_place or not content.endswith(after) or _MARKS.search(in_its_place):
        return record.model_copy(update={"attribute": "", "value": ""})
    return record.model_copy(update={"value": in_its_place})


def as_owners(record: Fact, names: Iterable[str], stamp: str, *, since: Fact) -> Fact:
    """The memory after the owner has set the fields with these names: they are remembered as set, secrets in them are
    masked, and its words have the owner as their source. `since` is the memory before."""
    names = set(names) & SETTABLE
    masked = {name: redact(getattr(record, name))[0] for name in ("content", "value")}
    update: dict[str, object] = {
        **masked,
        "edited": tuple(sorted(names.union(since.edited))),
        "updated": stamp,
        "last_confirmed": stamp,
        "version": max(record.version, since.version + 1),
    }
    if names & WORDS:
        update |= {"outdated_by": None, "likely_outdated_by": None}  # it is so as the owner says now
        words = Evidence(ref=f"{EDIT}:{record.id}:{stamp}", quote=masked["content"], said_at=stamp)
        update |= {"evidence": (*record.evidence, words), "lang": text.language(masked["content"])}
    if "importance" in names:  # it matters anew, and fades from here
        update |= {"score": record.importance, "scored_at": stamp}
    return record.model_copy(update=update)


def released(changes: Iterable[Change], store: Store, stamp: str) -> list[Change]:
    """What stands again where the memory that had made it outdated is put away or removed by hand."""
    changed = {each.id: each for each in changes}
    leaving = (each for each in changed.values() if (each.before_pool, each.after_pool) != ("archive", "archive"))
    gone = {each.id.encode() for each in leaving if each.after_pool != "active"}
    found = []
    for pool, line in store.all_lines() if gone else ():
        named = _OUTDATED_BY.search(line)
        record = from_line(line) if named and named[1] in gone else None
        if record is not None and record.id not in changed:
            back = record.model_copy(update={"outdated_by": None, "updated": stamp, "version": record.version + 1})
            found.append(Change(record.id, NO_LONGER_OUTDATED, pool, line, pool, to_line(back)))
    return found


def _in_pool(record: Fact, pool: Pool) -> Fact:
    """The memory as it must stand in the pool into which its line was put."""
    if pool == "active":
        return record.model_copy(update=RETURNED) if record.retired else record
    return record if record.retired else record.model_copy(update={"retired": "by hand"})


def _removed(key: str, pool: Pool, line: bytes, stamp: str) -> Change:
    if pool == "archive":
        return Change(key, REMOVED, pool, line)
    record = from_line(line)
    away = record.model_copy(update={"retired": "by hand", "updated": stamp, "version": record.version + 1})
    return Change(key, REMOVED, pool, line, "archive", to_line(away))


def _watch_losses(changes: Iterable[Change], store: Store) -> None:
    """MissingLinesError when a file is gone, or a large share of its lines is."""
    lost = Counter((each.before_pool, kind_of(each.id)) for each in changes if each.before_pool and each.why == REMOVED)
    for (pool, kind), count in lost.items():
        path = store.layout.pool(pool, kind)
        left = sum(1 for _ in store.lines(pool, kind))
        too_many = count > max(FEW, store.config.thresholds.max_retired_share * (count + left))
        if too_many or not path.exists():
            raise MissingLinesError(f"{count} memories are missing from {store.layout.name(path)}")


def _tidy(store: Store, forms: dict[str, bytes]) -> None:
    """Bring lines that a person has put in another form, or elsewhere in the file, back to how the program has them."""
    for pool, kind in FILES:
        lines = [line for _, line in store.lines(pool, kind)]
        keyed = sorted((line_id(line), line) for line in lines)
        tidy = [forms.get(key, line).rstrip(b"\n") + b"\n" for key, line in keyed]
        if lines != tidy:
            store.files.replace(store.layout.pool(pool, kind), tidy)
