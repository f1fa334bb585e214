"""`search.sqlite`: what search, snapshot and the JSON dumps ask, derived from the memories, the transcripts read so far
and the notes. Filled with the same things it has the same `content()`, whatever the order; deleting it loses nothing.

No text is kept twice: the words are in a contentless FTS5 table, and when a text is taken out they are prepared again.
The index says which units hold a word; `ranking` says what that is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import orjson

from memory_system.config import Config
from memory_system.disk import Files
from memory_system.recall import entering, kinds, schema, terms, views
from memory_system.recall.entering import Entries
from memory_system.recall.schema import MEMORIES, SCOPES, json_list, range_of, unpacked
from memory_system.recall.units import Unit, Units, storable
from memory_system.recall.views import Naming, Sessions, Standing
from memory_system.records import POOLS, TYPES, Fact, Pool, from_line
from memory_system.store.database import BATCH, IN_MEMORY, LOCK_SECONDS, Database, StaleIndexError, batches

T = TypeVar("T")

# A writer that does not spill keeps readers out only while it commits.
_FOR_WRITING = ("synchronous=NORMAL", "cache_spill=OFF", "cache_size=-65536")
_FOR_READING = ("query_only=ON", "cache_size=-16384")

MOST_KEPT = 10_000  # units that an index which is held open remembers, about


class Filters(NamedTuple):
    """What results must be, where not empty: said in [since, until) (stamps), of one `type_of`, about an entity."""

    since: str = ""
    until: str = ""
    kind: str = ""
    entity: str = ""


NO_FILTERS = Filters()


class Index(Entries):
    """One index, open. Close it, or use it in a `with`."""

    def __init__(self, database: Database, config: Config) -> None:
        super().__init__(database, Units(config))
        self._config = config
        database.function("names", terms.names, 2)
        database.function("spelled", self._units.spelled, 1)
        self._kept: dict[str, Any] | None = None  # what follows from the whole, where nobody writes through this
        self._version = 0

    @classmethod
    def open(cls, path: Path, config: Config, *, write: bool = False, wait: float = LOCK_SECONDS) -> Self:
        """The index in the file; StaleIndexError when there is none or it is of no use. Nothing is created."""
        index = cls(Database(path, wait), config)
        try:
            if index._meta("identity") != schema.identity(config):
                raise StaleIndexError(
                    f"the search index {path} was made by another version or for another configuration"
                )
            for pragma in _FOR_WRITING if write else _FOR_READING:
                index._database.rows(f"PRAGMA {pragma}")
        except BaseException:  # Ctrl-C too must not leave the file open
            index.close()
            raise
        index._kept = None if write else {}
        return index

    @classmethod
    def in_memory(cls, config: Config) -> Self:
        index = cls(Database(IN_MEMORY), config)
        index._create()
        return index

    @classmethod
    @contextmanager
    def rebuilding(cls, path: Path, config: Config, files: Files, fingerprint: str = "") -> Iterator[Self]:
        """A new, empty index to fill; at the end it takes the place of the file, whole. On an error nothing changes."""
        with Database.replacing(path, files) as database:
            index = cls(database, config)
            database.rows("PRAGMA cache_size=-32768")  # a night holds its changes beside it
            index._create()
            with index.writing(fingerprint):
                yield index
                for statement in schema.INDEXES:
                    database.rows(statement)

    def _create(self) -> None:
        self._database.script(Path(__file__).with_name("tables.sql").read_text("utf-8"))
        self._database.run("INSERT INTO meta VALUES ('identity', ?)", [(schema.identity(self._config),)])

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def renew(self) -> None:
        """Forget what is known of a state that is over, where another program has written to the file."""
        version = self._one("PRAGMA data_version")
        if self._kept and version != self._version:
            self._kept.clear()
        self._version = version

    def _once(self, name: str, find: Callable[[], T]) -> T:
        """What follows from the whole index, found once for each of its states."""
        if self._kept is None:
            return find()
        if name not in self._kept:
            self._kept[name] = find()
        found: T = self._kept[name]
        return found

    def _one(self, sql: str, values: Any = ()) -> int:
        return int(self._database.rows(sql, values)[0][0])

    def _meta(self, key: str) -> str:
        rows = self._database.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    @property
    def fingerprint(self) -> str:
        """What the last writer said that the index stands for."""
        return self._meta("fingerprint")

    # Putting in and taking out

    @contextmanager
    def writing(self, fingerprint: str) -> Iterator[None]:
        """One transaction: everything put and dropped inside, and the fingerprint, or nothing."""
        with self._database.transaction():
            yield
            if not self._one("SELECT count(*) FROM milestone"):  # memories have changed, or there are few
                self._database.rows(schema.SQL["milestones"])
            self.note("counts", schema.counted(self._database))
            self._database.run("INSERT OR REPLACE INTO meta VALUES ('fingerprint', ?)", [(fingerprint,)])

    def has_messages(self, refs: Iterable[str]) -> set[str]:
        """Those of the refs that are indexed."""
        return {unit.key for batch in batches(refs) for _, unit in entering.find(self._database, "session", batch)}

    def unread(self) -> dict[str, str]:
        """When each of the messages that no night has read yet was said, by ref."""
        return self.noted("unread")

    def set_unread(self, said: Mapping[str, str]) -> None:
        """These messages of the index are the unread ones from now on."""
        self.note("unread", said)

    def noted(self, key: str) -> dict[str, Any]:
        """What was noted in it under that name; empty when nothing was."""
        return dict(orjson.loads(self._meta(key) or b"{}"))

    def note(self, key: str, value: Mapping[str, Any]) -> None:
        self._database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", [(key, orjson.dumps({**value}).decode())])

    # Asking for what holds a word

    def reading(self) -> AbstractContextManager[None]:
        """All that is asked inside is answered by one state of the index; nothing is to be waited for there."""
        return self._database.reading()

    def holders(self, term: str, scopes: Collection[str], limit: int = -1) -> list[int]:
        """The units of the scopes (of `SCOPES`, side by side there) that have one of `terms.asked`, at most `limit`."""
        expression = terms.match(term)
        return self._matching(expression, scopes, limit) if expression else []

    def held(self, term: str, scopes: Collection[str], most: int) -> tuple[list[int], int]:
        """`holders`, and how many they are; of what more than `most` have, only that: it is dear to count."""
        expression = terms.match(term)
        if not expression:
            return [], 0
        common: dict[str, int] = self._once(f"more than {most} {sorted(scopes)}", dict)
        if expression not in common:
            numbers = self._matching(expression, scopes, most + 1)
            if len(numbers) <= most:
                return numbers, len(numbers)
            common[expression] = self._one(schema.SQL["counted"], (expression, *range_of(scopes)))
        return [], common[expression]

    def of_kind(self, kind: str, scopes: Collection[str], limit: int = -1) -> list[int]:
        """As `holders`, for what is of one of `kinds.kinds_of`."""
        return self._once(f"{kind} {sorted(scopes)}", lambda: self._matching(kinds.match(kind), scopes, limit))

    def _matching(self, expression: str, scopes: Collection[str], limit: int) -> list[int]:
        [(found,)] = self._database.rows(schema.SQL["holders"], (expression, *range_of(scopes), limit))
        numbers: list[int] = orjson.loads(found)
        return numbers

    def beginning(self, head: str) -> list[str]:
        """The stems in the index that begin so."""
        sql = "SELECT group_concat(term, ' ') FROM word WHERE term > ? AND term < ?"
        [(stems,)] = self._once(f"beginning {head}", lambda: self._database.rows(sql, (head, head + chr(0x10FFFF))))
        return stems.split() if stems else []

    def holders_of_stem(self, stem: str, scopes: Collection[str], limit: int) -> list[int]:
        """As `holders`, for one of `beginning`: to stem a stem again may give another."""
        sql = "SELECT doc FROM stem WHERE term = ? AND doc BETWEEN ? AND ? LIMIT ?"
        return [number for (number,) in self._database.rows(sql, (stem, *range_of(scopes), limit))]

    # Asking for units

    def units(self, numbers: Collection[int]) -> dict[int, Unit]:
        """The units with these numbers, if there are such, without what is searched beside a message."""
        if self._kept is None:
            return self._read_units(numbers)
        known: dict[int, Unit | None] = self._once("units", dict)
        if len(known) > MOST_KEPT:
            for number in [*islice(known, MOST_KEPT // 4)]:  # those that were read first make room
                del known[number]
        if wanted := [number for number in numbers if number not in known]:
            known.update(dict.fromkeys(wanted) | self._read_units(wanted))
        return {number: unit for number in sorted(numbers) if (unit := known[number])}

    def _read_units(self, numbers: Collection[int]) -> dict[int, Unit]:
        rows = self._database.rows(schema.SQL["units"], (json_list(sorted(numbers)),))
        units, unsaid = ((number, Unit._make(row)) for number, *row in rows), self._unsaid
        return {number: unit for number, unit in units if not unit.role or unit.ref not in unsaid}

    @property
    def _unsaid(self) -> Collection[str]:
        """The refs of the messages of which the owner asks that they are no longer kept."""
        sql = "SELECT ref FROM ref_at JOIN memory ON memory.rowid = place WHERE unsaid"
        return self._once("unsaid", lambda: {ref for (ref,) in self._database.rows(sql)})

    def texts(self) -> Iterator[tuple[int, str]]:
        """The number and the text of every unit, in the order of numbers."""
        sql, last = "SELECT number, text FROM unit WHERE number > ? ORDER BY number LIMIT ?", 0
        while rows := self._database.rows(sql, (last, BATCH)):
            yield from rows
            last = rows[-1][0]

    def speakers(self) -> list[str]:
        sql = "SELECT DISTINCT speaker FROM unit WHERE speaker <> '' ORDER BY speaker"
        return [speaker for (speaker,) in self._database.rows(sql)]

    def message(self, ref: str) -> list[Unit]:
        """The message with that ref, as one unit or in its passages; empty when there is none that may be given out."""
        key = storable(ref)
        return [] if key in self._unsaid else [unit for _, unit in entering.whole(self._database, key)]

    def passing(self, numbers: Collection[int], filters: Filters) -> Collection[int]:
        """Those of the units that the filters let through."""
        if filters == NO_FILTERS:
            return numbers
        values = filters._asdict() | {"numbers": json_list(numbers)}
        return [number for (number,) in self._database.rows(schema.SQL["passing"], values)]

    def standing_on(self, refs: Collection[str], scopes: Collection[str]) -> list[int]:
        """The numbers of the memories of the scopes that stand on one of these messages."""
        pools = [SCOPES[scope] for scope in scopes if scope in MEMORIES]
        values = {"refs": json_list(refs), "scopes": json_list(pools)}
        return [number for (number,) in self._database.rows(schema.SQL["standing_on"], values)]

    def ids_on(self, refs: Collection[str]) -> list[str]:
        """The ids of the memories of either pool that stand on one of these messages, in order."""
        sql = "SELECT DISTINCT id FROM memory_ref WHERE ref IN (SELECT value FROM json_each(?)) ORDER BY id"
        return [key for (key,) in self._database.rows(sql, (json_list(refs),))]

    def numbers(self, keys: Collection[str], scope: str = "session") -> dict[str, int]:
        """The numbers of the messages with these refs (of their first passages), or memories with these ids."""
        sql = "SELECT key, number FROM unit WHERE scope = ? AND key IN (SELECT value FROM json_each(?))"
        return dict(self._database.rows(sql, (SCOPES[scope], json_list(keys))))

    @property
    def sessions(self) -> Sessions:
        return self._once("sessions", lambda: Sessions(self._database))

    def size(self, scopes: Collection[str]) -> int:
        """How many units these scopes have, what is over counted with the archive."""
        sizes = self._once("sizes", self._sizes)
        return sum(sizes[scope] for scope in scopes)

    def _sizes(self) -> dict[str, int]:
        counts, (sessions, average) = self.counts(), self.sessions.average
        active, archived = (sum(counts[f"{pool} {kind}"] for kind in TYPES) for pool in POOLS)
        said = round(sessions * average)
        return {"memory": active, "over": 0, "archive": archived, "session": said, "note": counts["passages"]}

    # Asking for memories and notes

    def at(self, moment: datetime) -> Standing:
        return Standing(self._database, self._config, moment)

    def memories(self, ids: Collection[str]) -> dict[str, tuple[Pool, Fact]]:
        """The memories with these ids, of either pool."""
        sql = "SELECT id, pool, line FROM memory WHERE id IN (SELECT value FROM json_each(?))"
        rows = self._database.rows(sql, (json_list(ids),))
        return {key: (pool, from_line(unpacked(line))) for key, pool, line in rows}

    def naming(self, called: Collection[str]) -> Naming:
        """The active memories that name someone or something, by whichever of these names; there may be very many."""
        values = {"called": json_list(map(storable, called))}
        groups = self._database.rows(schema.SQL["named"], values)
        names = Counter(dict(self._database.rows(schema.SQL["named_beside"], values)))
        ids: list[str] = []
        for subject, _, _, _, its_ids, _ in groups:
            ids += (found := orjson.loads(its_ids))
            names[subject] += len(found)
        places = chain.from_iterable(orjson.loads(slots) for *_, slots in groups)
        lines = self._database.rows(schema.SQL["lines_at"], (json_list(places),))
        return Naming(
            sorted(ids),
            names,
            {own for _, own, *_ in groups} - {""},
            [orjson.loads(unpacked(line)) for (line,) in lines],
            min((first for _, _, first, *_ in groups), default=""),
            max((last for _, _, _, last, *_ in groups), default=""),
        )

    def pool(self, memory_id: str) -> Pool | None:
        """The pool in which the memory is; None when it is not indexed."""
        rows = self._database.rows("SELECT pool FROM memory WHERE id = ?", (memory_id,))
        return rows[0][0] if rows else None

    def line_number(self, memory_id: str) -> int:
        """The line on which the memory stands in its file (sorted by id), 1-based; 0 when it is not indexed."""
        return self._one(schema.SQL["line_number"], {"id": memory_id})

    def counts(self) -> dict[str, int]:
        """How many there are: `active fact`, `archive belief`, … , `entities`, `categories`, `messages`, `passages`."""
        return self.noted("counts") or schema.counted(self._database)

    def note_digests(self) -> dict[str, str]:
        """The notes that are indexed, by name, and the `note_digest` of each."""
        return self._once("notes", lambda: dict(self._database.rows("SELECT path, digest FROM note")))

    def dump(self) -> dict[str, dict[str, Any]]:
        """Keywords, timeline and relations of the active memories, by the names of their files."""
        return views.dump(self._database)

    def content(self, *, notes: bool = True, words: bool = True) -> Iterator[bytes]:
        """All that is in it in a fixed order, equal for indexes filled with the same. Unread messages are left out, but
        for their `words`; without `notes`, so is what comes from them, which may change before the next night."""
        unread = self.unread()
        for name, sql in schema.CONTENT.items():
            wanted = {"note": notes, "word": words}.get(name, True)
            for row in self._database.rows(sql) if wanted else ():
                if name != "unit" or _lasts(row, notes=notes, unread=unread):
                    yield f"{name} {row!r}\n".encode()


def _lasts(row: Any, *, notes: bool, unread: Collection[str]) -> bool:
    """Whether a unit is part of the content that is compared."""
    scope, key, part = row[0], row[1], row[5]
    if scope == SCOPES["session"]:
        return (key.removesuffix(f"#{part}") if part > 1 else key) not in unread
    return notes or scope != SCOPES["note"]
