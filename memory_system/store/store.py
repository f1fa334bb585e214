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
from typing import TYPE_CHECKING, Protocol, TypeVar

from memory_system.config import Config
from memory_system.disk import Files
from memory_system.errors import DamagedError, MemorySystemError
from memory_system.layout import Layout
from memory_system.records import FILES, KINDS, Fact, Pool, Row, kind_of
from memory_system.store import truth
from memory_system.store.checkpoint import Checkpoint, moved_keys
from memory_system.store.journal import Change, Entry, Journal
from memory_system.store.truth import Seen, checked, parsed, row_on

if TYPE_CHECKING:
    from memory_system.store.keys import Accept, AlikeKey, Found, Key
    from memory_system.store.lookup import Catalogue, Lookup

T = TypeVar("T")
NOWHERE = (None, None)
VERY_MANY = 5_000  # memories from which on a night keeps a catalogue of them
STEADY_TRIES = 5  # of reading beside somebody who commits again and again


class Memories(Protocol):
    """What phases read from: a store, or a draft over one. `find` looks an active memory up by one of its keys,
    `find_alike` those that share keys of `keys_of`, or words."""

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


class Store:
    """The memories of one workspace."""

    def __init__(
        self, layout: Layout, config: Config, files: Files, journal: Journal, checkpoint: Checkpoint,
        rules: Callable[[], str],
    ) -> None:  # fmt: skip
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

    def everything(self, pending: Iterable[Change] | None = None) -> Iterator[tuple[str, Pool, type[Fact], bytes]]:
        """Every line of the truth with its place, pool and kind, as it stands when the begun commit is finished."""
        pending = self.journal.pending() if pending is None else pending
        for pool, kind in FILES:
            name, lines = self.layout.name(self.layout.pool(pool, kind)), self.settled(pool, kind, pending)
            yield from ((f"{name}:{number}", pool, kind, line) for number, line in lines)

    def settled(self, pool: Pool, kind: type[Fact], pending: Iterable[Change]) -> Iterator[tuple[int, bytes]]:
        """The numbered lines of one file with the changes of a half-way commit: a memory on the move is seen once."""
        mine = _mine(pool, kind, pending)
        there = self.lines(pool, kind)
        return enumerate(truth.merged(there, mine), 1) if mine else there

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
        line = self.line_of(memory_id)
        return parsed(line, memory_id) if line else None

    def line_of(self, memory_id: str) -> bytes | None:
        return self._loaded.rows.get(memory_id, NOWHERE)[1]

    def pool_of(self, memory_id: str) -> Pool | None:
        return self._loaded.rows.get(memory_id, NOWHERE)[0]

    def ids(self) -> Iterable[str]:
        return self._loaded.rows.keys()

    def find(self, key: Key) -> list[str]:
        """Ids of the active memories with that key, in order."""
        return self._looked_up(lambda lookup: lookup.find(key)) if self._loaded.rows else []

    def find_alike(self, keys: Iterable[AlikeKey], accept: Accept = lambda _: True) -> Found:
        """Ids of the active memories that share one of these keys and whose gist is accepted."""
        wanted = list(keys)
        return self._looked_up(lambda lookup: lookup.find_alike(wanted, accept)) if self._loaded.rows else {}

    def knows(self, memory_id: str) -> bool:
        """Whether a memory of the same origin and content is in either pool, whatever night made it."""
        return origin_part(memory_id) in self._loaded.origins

    def active(self, kind: type[Fact]) -> list[str]:
        start = f"{kind.PREFIX}_"
        return [key for key, row in self._loaded.rows.items() if row[0] == "active" and key.startswith(start)]

    def leaving_before(self, stamp: str) -> list[str]:
        """Ids of the active memories that expire or fade before the stamp."""
        return self._looked_up(lambda lookup: lookup.leaving_before(stamp))

    def next_leaving(self) -> str:
        """The first stamp at which any active memory expires or fades; empty when none ever does."""
        return self._looked_up(lambda lookup: lookup.next_leaving())

    def all_lines(self) -> Iterator[tuple[Pool, bytes]]:
        yield from self._loaded.rows.values()

    def records(self) -> Iterator[tuple[Pool, Fact]]:
        for memory_id, (pool, line) in self._loaded.rows.items():
            yield pool, parsed(line, memory_id)

    def counts(self) -> Counter[tuple[Pool, str]]:
        """How many memories there are by pool and kind letter, counted from the files line by line."""
        return Counter({(pool, kind.PREFIX): sum(1 for _ in self.lines(pool, kind)) for pool, kind in FILES})

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
        from memory_system.store import lookup

        known, head = self.__dict__.get("_lookup"), self.journal.head().hash
        if isinstance(known, lookup.Catalogue):
            return
        if not (found := self._catalogue(head)):
            lookup.make_catalogue(
                self.layout.catalogue, (self._rules(), head), self._active_rows(), self.config, self.files
            )
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
        from memory_system.store import lookup

        stands_for, path = (self._rules(), head), self.layout.catalogue
        return lookup.catalogue_in(path, stands_for, self.config, lambda key: row_of(key, self)["content"])

    def catalogue_is_sound(self) -> bool:
        """Whether a catalogue that is used holds what it would hold if it were made anew."""
        found = self._catalogue(self.journal.head().hash)
        if found is None:
            return True
        with closing(found):
            return found.holds(self._active_rows())

    def _active_rows(self) -> Iterator[Row]:
        return (row_on(line, key) for key, (pool, line) in self._loaded.rows.items() if pool == "active")

    def close(self) -> None:
        if "_lookup" in self.__dict__:
            self._lookup.close()

    # writing

    def keep_original(self, pool: Pool, kind: type[Fact], name: str) -> None:
        """Keep a file of memories as it is, in `state/NAME.*`, unless one was kept before."""
        kept = self.layout.state / f"{name}.{pool}.{kind.NAME}.jsonl"
        data = self.files.read(self.layout.pool(pool, kind))
        if data and not kept.exists():
            self.files.replace(kept, data)

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
        """Finish the commit that a crash interrupted; that entry, if any. Changes by hand since are not known then."""
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
                if mine := _mine(pool, kind, changes):
                    self.files.replace(self.layout.pool(pool, kind), truth.merged(self.lines(pool, kind), mine))
        self.checkpoint.save(**moved_keys(self.checkpoint.state, entry.state))
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
    rows: dict[str, tuple[Pool, bytes]]
    origins: set[str]

    def put(self, memory_id: str, pool: Pool, line: bytes) -> None:
        self.rows[memory_id] = (pool, line)
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
    for where, pool, kind, line in store.everything(pending):
        memory_id = truth.line_id(line) if as_written else checked(line, kind, where)["id"]
        if memory_id in loaded.rows:
            raise DamagedError(f"{where}: the id {memory_id} stands twice")
        loaded.put(memory_id, pool, line)
    return loaded


def origin_part(memory_id: str) -> str:
    """Kind and hash of the id, without the date of the night."""
    kind, _, rest = memory_id.partition("_")
    return kind + rest.partition("_")[2]
