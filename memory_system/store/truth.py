"""The files of the truth, line by line in the order of their ids: changes put in, lines checked or parsed
(DamagedError says where one is no memory); and how the files stood when the program last wrote them.

What a person has done to them with an editor is the owner's word: the next writing command takes it into the journal,
whence it can be explained and undone like everything else. A changed line is an edit, a new one a memory, a line taken
out of the active pool puts its memory away, and one taken out of the archive removes it. Lines that are missing in
masses are rather lost than removed: then nothing is written, and the owner is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import orjson

from memory_system import clock, text
from memory_system.disk import Files
from memory_system.errors import DamagedError, MissingLinesError
from memory_system.layout import Layout
from memory_system.privacy.secrets import redact
from memory_system.records import (
    FILES,
    RETURNED,
    SETTABLE,
    STANDING,
    WORDS,
    Evidence,
    Fact,
    Pool,
    Row,
    from_line,
    kind_of,
    to_line,
)
from memory_system.store.journal import Change, Entry

if TYPE_CHECKING:  # a store stands on these files
    from memory_system.store.store import Store

_ID_HEAD = b'{"id":"'
_TEXTS = ("subject", "attribute", "value", "category", "said_at", "created", "scored_at", "expires")
BY_HAND = "edited by hand"
REMOVED = "removed by hand"
NO_LONGER_OUTDATED = "no longer outdated"
HAND = "hand"  # the method of a memory that a person wrote into a file
EDIT = "edit"  # how the refs of the owner's corrections begin
GIVEN = ("created", "said_at", "scored_at")  # what a memory has from the program: it stays when a line loses it
FEW = 5  # missing lines of one file that are never too many
_OUTDATED_BY = re.compile(rb'"outdated_by"\s*:\s*"([^"]+)"')
_MARKS = re.compile(r"[,.;:!?，。；：！？]| (?:and|but|since|because|who|which|where) ")  # what has them is no value


def merged(lines: Iterable[tuple[int, bytes]], changed: dict[str, bytes | None]) -> Iterator[bytes]:
    """The lines with the changed ones put in their places by id; None takes one out. Others keep their order."""
    waiting = sorted(((key, new) for key, new in changed.items() if new is not None), reverse=True)
    for _, line in lines:
        key = line_id(line)
        while waiting and waiting[-1][0] < key:
            yield waiting.pop()[1]
        if key not in changed:
            yield line if line.endswith(b"\n") else line + b"\n"
    yield from (new for _, new in reversed(waiting))


def line_id(line: bytes) -> str:
    """The id of the memory on a line, without parsing the rest where the line is one of ours."""
    if line.startswith(_ID_HEAD):
        return line[len(_ID_HEAD) : line.index(b'"', len(_ID_HEAD))].decode()
    return str(orjson.loads(line)["id"])


def row_on(line: bytes, memory_id: str) -> Row:
    """The row on the line of a memory, not parsed further."""
    try:
        row: dict[str, Any] = orjson.loads(line)
    except ValueError as error:
        raise DamagedError(f"{memory_id} is not a memory as it stands: {error}") from None
    return row


def parsed(line: bytes, name: str) -> Fact:
    """The memory on its line, which errors call by its id or its place."""
    if wrong := parse_problem(line):
        raise DamagedError(f"{name} is not a memory as it stands: {wrong}")
    return from_line(line)


def checked(line: bytes, kind: type[Fact], where: str) -> dict[str, Any]:
    """The row on a line of the truth; the fields that everything relies on are checked, the rest when it is parsed."""
    try:
        row: dict[str, Any] = orjson.loads(line)
        if kind_of(row["id"]) is not kind or not isinstance(row["score"] + row["importance"], int | float):
            raise ValueError("it does not belong into this file")
        if not isinstance(row["content"], str) or not all(isinstance(row.get(name, ""), str) for name in _TEXTS):
            raise ValueError("a field that must be text is none")
        if not all(isinstance(each, str) for each in row.get("entities", ())):
            raise ValueError("its entities are no texts")
        if not all(isinstance(each.get("quote", ""), str) for each in row.get("evidence", ())):
            raise ValueError("its evidence is no list of quotes")
        if not (_is_stamp(row.get("scored_at", "")) and _is_stamp(row.get("expires", ""))):
            raise ValueError("a time is no instant")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError(f"{where}: not a memory: {parse_problem(line) or error}") from None
    return row


@lru_cache(maxsize=4096)  # most memories of a night share theirs
def _is_stamp(value: str) -> bool:
    return not value or clock.parse_instant(value) is not None


def parse_problem(line: bytes) -> str:
    """Why a line is not a memory; empty when it is one."""
    try:
        from_line(line)
    except orjson.JSONDecodeError as error:
        return f"it is not JSON from character {error.pos + 1} on"
    except ValueError as error:  # pydantic's among them
        return "; ".join(line.strip() for line in str(error).split("\n")[:3])
    return ""


class Seen:
    """The files of one workspace, as they were last seen."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.layout = layout
        self.files = files
        self.path = layout.seen

    def holds(self) -> bool:
        """Whether every file still stands as it was seen."""
        try:
            return self.files.read_object(self.path) == self._now()
        except DamagedError:
            return False

    def note(self) -> None:
        """Take the files as they stand now for seen."""
        self.files.replace_if_changed(self.path, orjson.dumps(self._now()) + b"\n", durable=False)

    def _now(self) -> dict[str, Any]:
        """Size and time of change of each file that is there."""
        paths = (self.layout.pool(pool, kind) for pool, kind in FILES)
        found = ((self.layout.name(path), path.stat()) for path in paths if path.exists())
        return {name: [state.st_size, state.st_mtime_ns] for name, state in found}


# ---- what a person has done to them ----------------------------------------------------------------------------------


def take_over(store: Store, stamp: str, *, allow_losses: bool = False) -> Entry | None:
    """Take what was changed by hand since the program last wrote into the journal; the entry, if anything was.
    MissingLinesError when too much is missing, DamagedError when a line is no memory."""
    changes, forms = look(store, stamp)
    if not allow_losses:
        _watch_losses(changes, store)
    if not store.journal.head().seq:  # a workspace from before there was a journal
        for pool, kind in FILES:
            store.keep_original(pool, kind, "adopted")
    _tidy(store, forms)
    moved: dict[str, object] = {"next_change": None}
    if "commit" in store.checkpoint.state.phase_data:  # that night is done: what it has not derived is derived anew
        moved |= {"current_phase": None, "phase_data": {}, "retry_count": 0}
    entry = Entry(stamp, BY_HAND, state=moved)
    changes += released(changes, store, stamp)
    if changes:
        store.apply(entry, changes)
    store.seen.note()
    return entry if changes else None


def look(store: Store, stamp: str) -> tuple[list[Change], dict[str, bytes]]:
    """What stands in the files and not in the journal: the changes that the owner's word makes of it, and by id the
    lines that only have another form, as the journal has them. DamagedError for a line that is no memory."""
    adopted = not store.journal.head().seq  # a workspace from before there was a journal
    known, there = store.journal.latest(), set[str]()
    changes, forms = list[Change](), dict[str, bytes]()
    for where, pool, kind, line in store.everything():
        key = checked(line, kind, where)["id"]
        if key in there:
            raise DamagedError(f"{where}: the id {key} stands twice")
        there.add(key)
        was = known.pop(key, None)
        if was is None:
            changes.append(_added(parsed(line, where), pool, stamp, adopted=adopted))
        elif was != (pool, line) and (was[0] != pool or parsed(line, where) != from_line(was[1])):
            changes.append(_edited(was, pool, parsed(line, where), stamp))
        elif was != (pool, line):
            forms[key] = was[1]
    return [*changes, *(_removed(key, pool, line, stamp) for key, (pool, line) in known.items())], forms


def _added(record: Fact, pool: Pool, stamp: str, *, adopted: bool) -> Change:
    """A memory that was written into a file, with what only the program can know."""
    given = {"created": stamp, "said_at": stamp, "scored_at": stamp, "method": "" if adopted else HAND}
    missing = {name: value for name, value in given.items() if not getattr(record, name)}
    plain = _in_pool(record.model_copy(update=missing), pool)
    if not adopted:
        first = plain.model_copy(update={"version": 0})
        plain = as_owners(first, ["content"], stamp, since=first)
    return Change(record.id, "adopted" if adopted else "added by hand", None, None, pool, to_line(plain))


def _edited(was: tuple[Pool, bytes], pool: Pool, record: Fact, stamp: str) -> Change:
    """What a person has made of a memory."""
    since = from_line(was[1])
    lost = {name: getattr(since, name) for name in GIVEN if not getattr(record, name)}
    record = _with_its_value(record.model_copy(update=lost), since)
    names = [name for name, value in record if value != getattr(since, name, None)]
    edited = as_owners(_in_pool(record, pool), names, stamp, since=since)
    return Change(record.id, BY_HAND, *was, pool, to_line(edited))


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
        update |= STANDING  # it is so as the owner says now
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
