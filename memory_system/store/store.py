"""The truth: the memories in `layer2/active` and `layer2/archive`, and its only writer. `Store.apply` journals a
commit, writes the files whole, moves the checkpoint along, and marks the journal's entry done; what a crash leaves
between is finished when the workspace is next opened for writing.

A store that was loaded keeps each memory as the line it stands on, and parses it when it is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from memory_system.config import Config
from memory_system.disk.files import Files
from memory_system.errors import DamagedError, MemorySystemError
from memory_system.layout import Layout
from memory_system.records import KINDS, POOLS, Fact, Pool, Row, kind_of
from memory_system.store import ordered
from memory_system.store.checkpoint import Checkpoint
from memory_system.store.entries import Change, Entry
from memory_system.store.journal import Journal
from memory_system.store.parsing import checked, parsed, row_on
from memory_system.store.seen import Seen

if TYPE_CHECKING:
    from memory_system.store.catalogue import Catalogue
    from memory_system.store.gist import Gist
    from memory_system.store.keys import Key
    from memory_system.store.likeness import Accept, AlikeKey, Found
    from memory_system.store.lookup import Lookup

T = TypeVar("T")
VERY_MANY = 5_000  # memories from which on a night keeps a catalogue of them
STEADY_TRIES = 5  # of reading beside somebody who commits again and again


class Memories(Protocol):
    """What phases read from: a store, or a draft over one. `find` looks an active memory up by one of its keys,
    `find_alike` those that share keys of `likeness.keys_of`, or words."""

    def get(self, memory_id: str) -> Fact | None: ...
    def line_of(self, memory_id: str) -> bytes | None: ...
    def pool_of(self, memory_id: str) -> Pool | None: ...
    def find(self, key: Key) -> list[str]: ...
    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept = ...) -> Found: ...
    def knows(self, memory_id: str) -> bool: ...
    def active(self, kind: type[Fact]) -> list[str]: ...
    def leaving_before(self, stamp: str) -> list[str]: ...


def row_of(memory_id: str, memories: Memories) -> Row:
    """The memory as it stands in its file: for looking at very many, where parsing each would be slow; {} for none."""
    line = memories.line_of(memory_id)
    return row_on(line, memory_id) if line else {}


def facts_of(ids: Iterable[str], memories: Memories) -> list[Fact]:
    """Those of the memories that are facts."""
    found = (memories.get(each) for each in ids if kind_of(each) is Fact)
    return [each for each in found if each is not None]


def active_only(found: Found, memories: Memories) -> Found:
    """Of what was found by its words, what is still active; a key without any is left out."""
    active = {
        key: (count, [each for each in ids if memories.pool_of(each) == "active"])
        for key, (count, ids) in found.items()
    }
    return {key: each for key, each in active.items() if each[1]}


@dataclass(slots=True)
class _Held:
    pool: Pool
    line: bytes


class Store:
    """The memories of one workspace."""

    def __init__(
        self,
        layout: Layout,
        config: Config,
        files: Files,
        journal: Journal,
        checkpoint: Checkpoint,
        rules: Callable[[], str],
    ) -> None:
        """`rules` tells under which rules memories are looked for (`Workspace.fingerprint`)."""
        self.layout = layout
        self.config = config
        self.files = files
        self.journal = journal
        self.checkpoint = checkpoint
        self.seen = Seen(layout, files)
        self._rules = rules

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
        return parsed(row.line, memory_id) if row else None

    def line_of(self, memory_id: str) -> bytes | None:
        row = self._loaded.rows.get(memory_id)
        return row.line if row else None

    def pool_of(self, memory_id: str) -> Pool | None:
        row = self._loaded.rows.get(memory_id)
        return row.pool if row else None

    def ids(self) -> Iterable[str]:
        return self._loaded.rows.keys()

    def find(self, key: Key) -> list[str]:
        """Ids of the active memories with that key, in order."""
        return self._looked_up(lambda lookup: lookup.find(key)) if self._loaded.rows else []

    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept = lambda _: True) -> Found:
        """Ids of the active memories that share one of these keys and whose gist is accepted."""
        if not self._loaded.rows:
            return {}
        wanted = list(keys)
        found = self._looked_up(lambda lookup: lookup.find_alike(wanted, accept))
        return {key: each for key, each in found.items() if each[1]}

    def knows(self, memory_id: str) -> bool:
        """Whether a memory of the same origin and content is in either pool, whatever night made it."""
        return origin_part(memory_id) in self._loaded.origins

    def active(self, kind: type[Fact]) -> list[str]:
        """Ids of the active memories of one kind."""
        start = f"{kind.PREFIX}_"
        return [key for key, row in self._loaded.rows.items() if row.pool == "active" and key.startswith(start)]

    def leaving_before(self, stamp: str) -> list[str]:
        """Ids of the active memories that expire or fade before the stamp."""
        return self._looked_up(lambda lookup: lookup.leaving_before(stamp))

    def next_leaving(self) -> str:
        """The first stamp at which any active memory expires or fades; empty when none ever does."""
        return self._looked_up(lambda lookup: lookup.next_leaving())

    def all_lines(self) -> Iterator[tuple[Pool, bytes]]:
        """Every memory as its line, with its pool."""
        for row in self._loaded.rows.values():
            yield row.pool, row.line

    def records(self) -> Iterator[tuple[Pool, Fact]]:
        """Every memory with its pool."""
        for memory_id, row in self._loaded.rows.items():
            yield row.pool, parsed(row.line, memory_id)

    def counts(self) -> Counter[tuple[Pool, str]]:
        """How many memories there are by pool and kind letter, counted from the files line by line."""
        return Counter(
            {(pool, letter): _count(self.layout.pool(pool, kind)) for pool in POOLS for letter, kind in KINDS.items()}
        )

    @cached_property
    def _loaded(self) -> _Loaded:
        return self.steadily(lambda pending: _load(self, pending))

    @cached_property
    def _lookup(self) -> Lookup:
        from memory_system.store.lookup import Loaded  # a run that finds nothing new starts without it

        return self._catalogue(self.journal.head().hash) or Loaded(self._active_rows, self.config)

    def prepare(self) -> None:
        """Before a night over very many memories: make the catalogue of them, where there is none that holds."""
        if len(self._loaded.rows) < VERY_MANY:
            return
        from memory_system.store import catalogue

        known, head = self.__dict__.get("_lookup"), self.journal.head().hash
        if isinstance(known, catalogue.Catalogue):
            return
        if not (found := self._catalogue(head)):
            catalogue.make(self.layout.catalogue, (self._rules(), head), self._active_rows(), self.config, self.files)
            found = self._catalogue(head)
        if found:
            self._lookup = found

    def drop_lookup(self) -> None:
        """Let go of what looks memories up, and of its file: whoever asks next reads the memories."""
        self.close()
        self.__dict__.pop("_lookup", None)
        with suppress(MemorySystemError):  # what cannot be removed stands for a commit that is not the last
            self.files.remove(self.layout.catalogue)

    def _looked_up(self, ask: Callable[[Lookup], T]) -> T:
        """What the lookup answers; a catalogue that turns out to be damaged gives way to the memories themselves."""
        try:
            return ask(self._lookup)
        except MemorySystemError:
            self.drop_lookup()
            return ask(self._lookup)

    def _catalogue(self, head: str) -> Catalogue | None:
        """The catalogue of the memories after that commit, where there is one that holds."""
        if not self.layout.catalogue.exists():
            return None
        from memory_system.store import catalogue

        return catalogue.opened(self.layout.catalogue, (self._rules(), head), self.config, self._gist_of)

    def catalogue_is_sound(self) -> bool:
        """Whether a catalogue that is used holds what it would hold if it were made anew."""
        found = self._catalogue(self.journal.head().hash)
        if found is None:
            return True
        with closing(found):
            return found.holds(self._active_rows())

    def _active_rows(self) -> Iterator[Row]:
        return (row_on(each.line, key) for key, each in self._loaded.rows.items() if each.pool == "active")

    def _gist_of(self, memory_id: str) -> Gist:
        from memory_system.store.gist import gist_of

        return gist_of(row_of(memory_id, self)["content"])

    def close(self) -> None:
        """Let go of what is open."""
        if "_lookup" in self.__dict__:
            self._lookup.close()

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
                self._loaded.renew(change)
        self._follow(changes)

    def _follow(self, changes: list[Change]) -> None:
        """Let whatever looks memories up know what the last commit changed. It is derived: where it cannot, the commit
        stands without it. Of what was forgotten nobody knows any more under which keys it was found."""
        if any(each.is_blank for each in changes):
            self.drop_lookup()
            return
        head = self.journal.head()
        try:
            if "_lookup" in self.__dict__:
                self._lookup.move(changes, head.hash)
            elif (found := self._catalogue(head.prev)) is not None:
                with closing(found):
                    found.move(changes, head.hash)
        except MemorySystemError:
            self.drop_lookup()

    def _rewrite(self, pool: Pool, kind: type[Fact], changes: list[Change]) -> None:
        """The file with the changes that concern it; untouched when none does."""
        if mine := _mine(pool, kind, changes):
            self.files.replace(self.layout.pool(pool, kind), ordered.merged(self.lines(pool, kind), mine))


def _count(path: Path) -> int:
    """How many memories stand in the file."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(line != b"\n" for line in file)


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
    rows: dict[str, _Held]
    origins: set[str]

    def put(self, memory_id: str, pool: Pool, line: bytes) -> None:
        self.rows[memory_id] = _Held(pool, line)
        self.origins.add(origin_part(memory_id))

    def renew(self, change: Change) -> None:
        """Bring what is loaded to where the files are after a change."""
        self.rows.pop(change.id, None)
        self.origins.discard(origin_part(change.id))
        if change.after is not None and change.after_pool is not None:
            self.put(change.id, change.after_pool, change.after)


def _load(store: Store, pending: list[Change]) -> _Loaded:
    """All memories as lines; they are checked unless they stand as the program has written them."""
    as_written = not pending and store.seen.holds()
    loaded = _Loaded({}, set())
    for pool in POOLS:
        for kind in KINDS.values():
            name = store.layout.name(store.layout.pool(pool, kind))
            for number, line in store.settled(pool, kind, pending):
                where = f"{name}:{number}"
                memory_id = ordered.line_id(line) if as_written else checked(line, kind, where)["id"]
                if memory_id in loaded.rows:
                    raise DamagedError(f"{where}: the id {memory_id} stands twice")
                loaded.put(memory_id, pool, line)
    return loaded


def origin_part(memory_id: str) -> str:
    """Kind and hash of the id, without the date of the night."""
    kind, _, rest = memory_id.partition("_")
    return kind + rest.partition("_")[2]
