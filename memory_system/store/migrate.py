"""Taking a workspace of an older program through the steps of `schemas`, when it is first opened for writing. What
is changed in its files is kept as it was, `state/schema-1.1.*`; what becomes of memories is an entry of the journal.
"""

from __future__ import annotations

from collections.abc import Iterator

from memory_system.records import KINDS, POOLS, Fact, Pool, to_line
from memory_system.store import by_hand
from memory_system.store.entries import Change, Entry
from memory_system.store.parsing import checked
from memory_system.store.schemas import MIGRATIONS, Migration, due
from memory_system.store.store import Store


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
    for pool in POOLS:
        for kind in KINDS.values():
            if mine := list(_changes(step, store, pool, kind)):
                by_hand.keep_original(store, pool, kind, f"schema-{store.checkpoint.state.schema}")
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
