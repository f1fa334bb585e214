"""Is the journal the one that was written? Every entry is chained to the one before it; `verify` names the first that
is not as it was. What was cut off at the end shows only beside a head that was kept elsewhere (`head`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memory_system.errors import DamagedError
from memory_system.records import Problem
from memory_system.store.entries import Group
from memory_system.store.journal import GENESIS
from memory_system.workspace import Workspace

RESTORE = "put the journal back from a copy, or: memory validate --repair"
CUT = "entries were cut off at its end, or the head is of another workspace"


@dataclass(frozen=True, slots=True)
class Head:
    """Where the journal ends: to be kept elsewhere, it vouches for all that is before it."""

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"


def head(ws: Workspace) -> Head:
    """The journal's last entry and its hash."""
    there = ws.journal.head()
    return Head(there.seq, there.hash)


def verify(ws: Workspace, anchor: str = "") -> Problem | None:
    """The first thing that is wrong with the journal; None when nothing is. `anchor` is a head (or its hash) that was
    kept elsewhere: the entry that it names must still be there."""
    hashes = [GENESIS]
    promised: dict[str, str] = {}
    blanks: dict[str, tuple[str, str]] = {}
    last: Group | None = None
    try:
        for group in ws.journal.entries():
            where = f"{ws.layout.name(ws.layout.journal)}:entry {len(hashes)}"
            if wrong := _wrong(group, len(hashes), hashes[-1], last):
                return Problem(where, wrong, RESTORE)
            hashes.append(group.hash)
            promised |= group.entry.blanked
            blanks |= {digest: (there, where) for digest, there in group.blanks.items()}
            last = group
    except (DamagedError, TypeError, KeyError, ValueError) as error:
        return Problem(f"{ws.layout.name(ws.layout.journal)}:entry {len(hashes)}", str(error), RESTORE)
    return next(_unpromised(blanks, promised), None) or _beside(anchor, hashes, ws)


def _wrong(group: Group, seq: int, previous: str, last: Group | None) -> str:
    """What is wrong with an entry in its place; empty when nothing is."""
    if group.entry.seq != seq or group.prev != previous:
        return f"the chain of the journal is broken here: this says that it is entry {group.entry.seq}"
    if not group.verifies():
        return "the chain of the journal is broken here: this is not what was written"
    return "the entry before it was never finished" if last is not None and not last.done else ""


def _unpromised(blanks: dict[str, tuple[str, str]], promised: dict[str, str]) -> Iterator[Problem]:
    """Blanked lines that no forgetting speaks of, or that are not as it left them."""
    for digest, (there, where) in blanks.items():
        if promised.get(digest) != there:
            yield Problem(where, "a payload was blanked or changed, and no forgetting has done it", RESTORE)


def _beside(anchor: str, hashes: list[str], ws: Workspace) -> Problem | None:
    """Whether the entry of a head that was kept elsewhere is still there."""
    seq, _, wanted = anchor.strip().rpartition(":")
    if not wanted:
        return None
    there = wanted in hashes[1:] and (not seq or hashes.index(wanted) == int(seq))
    return None if there else Problem(ws.layout.name(ws.layout.journal), f"the entry of {anchor} is not there", CUT)
