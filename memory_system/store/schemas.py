"""How workspaces of older programs become ones of today: each step leads to a schema and says what is another in it.
Readers take the checkpoint through the steps as they read it; the first writer takes the files through. What is
changed in them is kept as it was, `state/schema-1.1.*`; what becomes of memories is an entry of the journal.

A schema is `major.minor`, of everything under memory/: a newer minor only adds keys, which are kept; a newer major is
something that an older program would get wrong, so that it only reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_system.records import FILES, Fact, Pool, Row, to_line
from memory_system.store.entries import Change, Entry
from memory_system.store.truth import checked

if TYPE_CHECKING:  # a store stands on a checkpoint, which stands on these
    from memory_system.store.store import Store

FIRST = "1.0"  # of a checkpoint that names none
SCHEMA = "3.0"


def _as_it_is(row: Row) -> Row:
    """Nothing is another."""
    return row


@dataclass(frozen=True, slots=True)
class Migration:
    """A step: the schema it leads to, why there is one, and what it makes of the checkpoint and of a memory, which are
    as they were or have been through it already."""

    to: str
    why: str
    state: Callable[[Row], Row] = _as_it_is
    memory: Callable[[Row], Row] = _as_it_is


MIGRATIONS = (
    Migration("1.1", "the checkpoint names its schema"),
    Migration("2.0", "past months of the journal are packed: a program that cannot unpack them takes them for lost"),
    Migration("2.1", "what a night has no room for waits in the checkpoint"),
    Migration("2.2", "while nothing fades, the checkpoint names the night up to which scores have faded"),
    Migration("3.0", "what was said is kept in layer 3: a program that does not know of it would not forget it there"),
)


def version(schema: object) -> tuple[int, int] | None:
    """Major and minor number; None for what is no schema."""
    major, _, minor = schema.partition(".") if isinstance(schema, str) else ("", "", "")
    return (int(major), int(minor)) if major.isdecimal() and minor.isdecimal() else None


def due(schema: str, migrations: tuple[Migration, ...] = MIGRATIONS) -> list[Migration]:
    """The steps that a workspace of that schema has before it."""
    there = version(schema) or (0, 0)
    return [each for each in migrations if (version(each.to) or there) > there]


def is_newer(schema: str) -> bool:
    """Whether a program wrote it that does things otherwise: then it is only read."""
    return (version(schema) or (0, 0))[0] > (version(SCHEMA) or (0, 0))[0]


def migrate(store: Store, stamp: str, migrations: tuple[Migration, ...] = MIGRATIONS) -> list[Migration]:
    """Do the steps that are due, one after the other; stopped between two, the next writer goes on. Those done."""
    checkpoint = store.checkpoint
    steps = due(checkpoint.state.schema, migrations)
    for step in steps:
        _change_memories(step, store, stamp)
        checkpoint.save(schema=step.to)
    return steps


def _change_memories(step: Migration, store: Store, stamp: str) -> None:
    changes = []
    for pool, kind in FILES:
        if mine := list(_changes(step, store, pool, kind)):
            store.keep_original(pool, kind, f"schema-{store.checkpoint.state.schema}")
            changes += mine
    if changes:
        store.apply(Entry(stamp, f"migrated to {step.to}: {step.why}", state={"next_change": None}), changes)


def _changes(step: Migration, store: Store, pool: Pool, kind: type[Fact]) -> Iterator[Change]:
    """What the step makes of the memories of one file."""
    name = store.layout.name(store.layout.pool(pool, kind))
    for number, line in store.lines(pool, kind):
        row = checked(line, kind, f"{name}:{number}")
        if (new := step.memory(row)) != row:
            yield Change(row["id"], "migrated", pool, line, pool, to_line(kind.model_validate(new)))
