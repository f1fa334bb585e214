"""The truth: the memories in `layer2/active` and `layer2/archive`, and its only writer. `Store.apply` journals a
commit, writes the files whole, moves the checkpoint along, and marks the journal's entry done; what a crash leaves
between is finished when the workspace is next opened for writing.

A store that was loaded keeps each memory as the line it stands on, and parses it when it is asked for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import orjson
from pydantic import ValidationError

from memory_system import clock, ordered, retention, text
from memory_system.checkpoint import Checkpoint
from memory_system.config import Config
from memory_system.errors import DamagedError
from memory_system.files import Files
from memory_system.journal import Change, Entry, Journal
from memory_system.layout import Layout
from memory_system.records import KINDS, POOLS, Fact, Pool, Row, from_line, kind_of
from memory_system.seen import Seen

if TYPE_CHECKING:
    from memory_system.likeness import Accept, Found, Key, Likeness

T = TypeVar("T")
STEADY_TRIES = 5  # of reading beside somebody who commits again and again
_TEXTS = ("subject", "attribute", "value", "category", "said_at", "created", "scored_at", "expires")
_END_MARKS = " .!?~,。！？～，…"


class Memories(Protocol):
    """What phases read from: a store, or a draft over one. `find` looks an active memory up by one of its keys,
    `find_alike` those that share keys of `likeness.keys_of`, or words."""

    def get(self, memory_id: str) -> Fact | None: ...
    def line_of(self, memory_id: str) -> bytes | None: ...
    def pool_of(self, memory_id: str) -> Pool | None: ...
    def find(self, key: int) -> list[str]: ...
    def find_alike(self, keys: Iterable[Key], accept: Accept = ...) -> Found: ...
    def knows(self, memory_id: str) -> bool: ...
    def active(self, kind: type[Fact]) -> list[str]: ...
    def leaving_before(self, stamp: str) -> list[str]: ...


def slot_key(subject: str, attribute: str) -> int:
    """The key of every active memory in a slot."""
    return hash(("slot", subject, attribute))


def value_key(subject: str, attribute: str, value: str) -> int:
    """The key of the active memories that give a slot this value, whatever its case or width."""
    return hash(("value", subject, attribute, text.fold(value)))


def entity_key(entity: str) -> int:
    """The key of the active memories that name the entity or have it as subject."""
    return hash(("entity", entity))


def content_key(content: str) -> int:
    """The key of the active memories that say this, punctuation and case aside."""
    return hash(("content", text.essence(content)))


def quote_key(role: str, quote: str) -> int:
    """The key of the active memories that stand on these words of that role, the marks at their end aside."""
    return hash(("quote", role, quote.rstrip(_END_MARKS)))


def row_of(memory_id: str, memories: Memories) -> Row:
    """The memory as it stands in its file: for looking at very many, where parsing each would be slow; {} for none."""
    line = memories.line_of(memory_id)
    row: dict[str, Any] = orjson.loads(line) if line else {}
    return row


def keys_of_row(row: Row) -> Iterator[int]:
    """Every key under which the memory is found while it is active."""
    subject = row.get("subject", "user")
    if attribute := row.get("attribute"):
        yield slot_key(subject, attribute)
        yield value_key(subject, attribute, row.get("value", ""))
    for entity in dict.fromkeys((subject, *row.get("entities", ()))):
        yield entity_key(entity)
    yield content_key(row["content"])
    yield from {quote_key(each.get("role", ""), each.get("quote", "")) for each in row.get("evidence", ())}


def active_only(found: Found, memories: Memories) -> Found:
    """Of what was found by its words, what is still active; a key without any is left out."""
    active = {
        key: (count, [each for each in ids if memories.pool_of(each) == "active"])
        for key, (count, ids) in found.items()
    }
    return {key: each for key, each in active.items() if each[1]}


@dataclass(slots=True)
class _Row:
    pool: Pool
    line: bytes
    leaves: str  # retention.leaves_at; empty for the archive


class Store:
    """The memories of one workspace."""

    def __init__(self, layout: Layout, config: Config, files: Files, journal: Journal, checkpoint: Checkpoint) -> None:
        self.layout = layout
        self.config = config
        self.files = files
        self.journal = journal
        self.checkpoint = checkpoint
        self.seen = Seen(layout, files)

    # reading

    def lines(self, pool: Pool, kind: type[Fact]) -> Iterator[tuple[int, bytes]]:
        """The numbered lines of one file, sorted by id as they stand."""
        path = self.layout.pool(pool, kind)
        if path.exists():
            with path.open("rb") as file:
                yield from ((number, line) for number, line in enumerate(file, 1) if line != b"\n")

    def settled(self, pool: Pool, kind: type[Fact], pending: Iterable[Change]) -> Iterator[tuple[int, bytes]]:
        """The numbered lines of one file with the pending changes of a commit that is half-way through the files, so
        that a memory on the move is seen once."""
        mine = _mine(pool, kind, pending)
        there = self.lines(pool, kind)
        return enumerate(ordered.merged(there, mine), 1) if mine else there

    def steadily(self, read: Callable[[list[Change]], T]) -> T:
        """What `read` makes of the files and the journal's pending changes; once more where a commit came between."""
        for _ in range(STEADY_TRIES):
            mark = self.journal.mark()
            try:
                found = read(self.journal.pending())
            except DamagedError:
                if self.journal.mark() == mark:
                    raise
                continue
            if self.journal.mark() == mark:
                return found
        return read(self.journal.pending())

    def rows(self, pool: Pool, kind: type[Fact]) -> Iterator[Row]:
        """The memories of one file as they stand; DamagedError names the line that is none."""
        name = self.layout.name(self.layout.pool(pool, kind))
        for number, line in self.lines(pool, kind):
            yield checked(line, kind, f"{name}:{number}")

    def get(self, memory_id: str) -> Fact | None:
        row = self._loaded.rows.get(memory_id)
        return _parsed(row.line, memory_id) if row else None

    def line_of(self, memory_id: str) -> bytes | None:
        row = self._loaded.rows.get(memory_id)
        return row.line if row else None

    def pool_of(self, memory_id: str) -> Pool | None:
        row = self._loaded.rows.get(memory_id)
        return row.pool if row else None

    def ids(self) -> Iterable[str]:
        return self._loaded.rows.keys()

    def find(self, key: int) -> list[str]:
        """Ids of the active memories with that key."""
        return self._loaded.keys.get(key, [])

    def find_alike(self, keys: Iterable[Key], accept: Accept = lambda _: True) -> Found:
        """Ids of the active memories that share one of these keys and whose gist is accepted. The first time it is
        asked it looks at all."""
        return active_only(self._likeness.find(keys, accept), self)

    def knows(self, memory_id: str) -> bool:
        """Whether a memory of the same origin and content is in either pool, whatever night made it."""
        return origin_part(memory_id) in self._loaded.origins

    def active(self, kind: type[Fact]) -> list[str]:
        """Ids of the active memories of one kind."""
        start = f"{kind.PREFIX}_"
        return [key for key, row in self._loaded.rows.items() if row.pool == "active" and key.startswith(start)]

    def leaving_before(self, stamp: str) -> list[str]:
        """Ids of the active memories that expire or fade before the stamp."""
        return [key for key, row in self._loaded.rows.items() if row.leaves and row.leaves <= stamp]

    def next_leaving(self) -> str:
        """The first stamp at which any active memory expires or fades; empty when none ever does."""
        return min((row.leaves for row in self._loaded.rows.values() if row.leaves), default="")

    def all_lines(self) -> Iterator[tuple[Pool, bytes]]:
        """Every memory as its line, with its pool."""
        for row in self._loaded.rows.values():
            yield row.pool, row.line

    def records(self) -> Iterator[tuple[Pool, Fact]]:
        """Every memory with its pool."""
        for memory_id, row in self._loaded.rows.items():
            yield row.pool, _parsed(row.line, memory_id)

    def counts(self) -> Counter[tuple[Pool, str]]:
        """How many memories there are by pool and kind letter, counted from the files line by line."""
        return Counter(
            {(pool, letter): sum(1 for _ in self.lines(pool, kind)) for pool in POOLS for letter, kind in KINDS.items()}
        )

    @cached_property
    def _loaded(self) -> _Loaded:
        return self.steadily(lambda pending: _load(self, pending))

    @cached_property
    def _likeness(self) -> Likeness:
        from memory_system.likeness import Likeness  # a run that finds nothing new starts without it

        active = (orjson.loads(row.line) for row in self._loaded.rows.values() if row.pool == "active")
        return Likeness(active)

    # writing

    def apply(self, entry: Entry, changes: Iterable[Change]) -> None:
        """Commit: afterwards all of it is true, or (journal not written) nothing. What was done to the files by hand
        meanwhile stays to be noticed."""
        in_order = sorted(changes, key=lambda change: change.id)
        untouched = self.seen.holds()
        self.journal.begin(entry, in_order)
        self._finish(entry, in_order)
        if untouched:
            self.seen.note()

    def recover(self) -> Entry | None:
        """Finish the commit that a crash interrupted; the entry, if there was one. Whether the files were touched by
        hand since is not known then."""
        left = self.journal.unfinished()
        if left is None:
            return None
        self._finish(*left)
        if self.checkpoint.state.current_phase is None:  # that night was over: only the mark was lost
            self.checkpoint.save(phase_data={})
        return left[0]

    def _finish(self, entry: Entry, changes: list[Change]) -> None:
        for pool in ("archive", "active"):  # what is put away may be seen twice by who reads only files, never nowhere
            for kind in KINDS.values():
                self._rewrite(pool, kind, changes)
        self.checkpoint.move(entry.state)
        self.journal.done(entry)
        if "_loaded" in self.__dict__:
            for change in changes:
                _renew(self._loaded, change, self.config)
        if "_likeness" in self.__dict__:
            for change in changes:
                if change.after and change.after_pool == "active":
                    self._likeness.note(orjson.loads(change.after))
                else:
                    self._likeness.drop(change.id)

    def _rewrite(self, pool: Pool, kind: type[Fact], changes: list[Change]) -> None:
        """The file with the changes that concern it; untouched when none does."""
        if mine := _mine(pool, kind, changes):
            self.files.replace(self.layout.pool(pool, kind), ordered.merged(self.lines(pool, kind), mine))


def _mine(pool: Pool, kind: type[Fact], changes: Iterable[Change]) -> dict[str, bytes | None]:
    """What changes in one file: by id the line that comes, None for one that goes."""
    start = f"{kind.PREFIX}_"
    return {
        each.id: each.after if each.after_pool == pool else None
        for each in changes
        if pool in (each.before_pool, each.after_pool) and each.id.startswith(start)
    }


@dataclass(slots=True)
class _Loaded:
    rows: dict[str, _Row]
    keys: dict[int, list[str]]
    origins: set[str]


def _load(store: Store, pending: list[Change]) -> _Loaded:
    loaded = _Loaded({}, defaultdict(list), set())
    for pool in POOLS:
        for kind in KINDS.values():
            name = store.layout.name(store.layout.pool(pool, kind))
            for number, line in store.settled(pool, kind, pending):
                where = f"{name}:{number}"
                row = checked(line, kind, where)
                if row["id"] in loaded.rows:
                    raise DamagedError(f"{where}: the id {row['id']} stands twice")
                _place(loaded, pool, line, row, store.config)
                for key in keys_of_row(row) if pool == "active" else ():
                    loaded.keys[key].append(row["id"])
    return loaded


def _place(loaded: _Loaded, pool: Pool, line: bytes, row: Row, config: Config) -> None:
    leaves = retention.leaves_at(row, config) if pool == "active" else ""
    loaded.rows[row["id"]] = _Row(pool, line, leaves)
    loaded.origins.add(origin_part(row["id"]))


def _renew(loaded: _Loaded, change: Change, config: Config) -> None:
    """Bring what is loaded to where the files are after a change."""
    old = loaded.rows.pop(change.id, None)
    loaded.origins.discard(origin_part(change.id))
    before = set(keys_of_row(orjson.loads(old.line))) if old is not None and old.pool == "active" else set()
    after: set[int] = set()
    if change.after is not None and change.after_pool is not None:
        row = orjson.loads(change.after)
        after = set(keys_of_row(row)) if change.after_pool == "active" else after
        _place(loaded, change.after_pool, change.after, row, config)
    for key in before - after:
        loaded.keys[key].remove(change.id)
    for key in after - before:
        loaded.keys[key].append(change.id)


def origin_part(memory_id: str) -> str:
    """Kind and hash of the id, without the date of the night."""
    kind, _, rest = memory_id.partition("_")
    return kind + rest.partition("_")[2]


def _parsed(line: bytes, memory_id: str) -> Fact:
    try:
        return from_line(line)
    except (ValueError, ValidationError) as error:
        raise DamagedError(f"{memory_id} is not a memory as it stands: {_short(error)}") from None


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
        raise DamagedError(f"{where}: not a memory of this file: {error!r}") from None
    return row


@lru_cache(maxsize=4096)  # most memories of a night share theirs
def _is_stamp(value: str) -> bool:
    return not value or clock.parse_instant(value) is not None


def parse_problem(line: bytes) -> str:
    """Why a line is not a memory; empty when it is one."""
    try:
        from_line(line)
    except (ValueError, ValidationError) as error:
        return _short(error)
    return ""


def _short(error: Exception) -> str:
    return "; ".join(line.strip() for line in str(error).split("\n")[:3])
