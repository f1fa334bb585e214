"""The transcript formats. A new one is one file beside this and one line here."""

from __future__ import annotations

from collections.abc import Sequence

from memory_system.readers import claude_code, notes, openclaw, plain
from memory_system.readers.entries import Reader, Row

READERS: tuple[Reader, ...] = (
    openclaw,
    claude_code,
    plain,
    notes,
)


def reader_for(head: Sequence[Row], name: str = "") -> Reader | None:
    """The format of that name, or the one that the first lines are in; None when nobody knows them."""
    return next((each for each in READERS if (name == each.NAME if name else each.sniff(head))), None)
