"""`state/access.jsonl`: one line for each answer of search, get and context: when (`at`), who asked (`who`: cli, mcp or
library), what was done (`did`) and the `ids` of all that was shown: memories, refs of messages, names of notes. The
night lifts the memories among them and brings archived ones back. It is a hint and no part of the truth: losing a line
costs nothing, and a search never fails because of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Literal

import orjson

from memory_system import clock
from memory_system.files import Files
from memory_system.layout import Layout
from memory_system.records import is_memory_id

Who = Literal["cli", "mcp", "library"]


class Accesses:
    """The access log of one workspace."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.path = layout.state / "access.jsonl"
        self.files = files

    def note(self, did: str, ids: Iterable[str], at: datetime, who: Who = "library") -> None:
        """Remember an answer and what it showed; one write without fsync."""
        row = {"at": clock.stamp(at), "who": who, "did": did, "ids": list(dict.fromkeys(ids))}
        with suppress(OSError):
            descriptor = self.files.disk.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                os.write(descriptor, orjson.dumps(row) + b"\n")
            finally:
                os.close(descriptor)

    def before(self, end: str) -> list[str]:
        """Ids of memories used before the stamp and not forgotten yet, sorted."""
        return sorted({each for at, ids, _ in self._lines() if at < end for each in ids})

    def stamps(self) -> list[str]:
        """When memories were used."""
        return [at for at, ids, _ in self._lines() if ids]

    def forget_before(self, end: str) -> None:
        """Drop what a night has used up."""
        lines = list(self._lines())
        kept = [line + b"\n" for at, _, line in lines if at >= end]
        if len(kept) < len(lines):
            self.files.replace(self.path, kept, durable=False)

    def _lines(self) -> Iterator[tuple[str, list[str], bytes]]:
        """When, which memories, and the line itself; what is no such line is passed over."""
        for line in self.files.read(self.path).split(b"\n"):
            with suppress(ValueError, KeyError, TypeError):
                row = orjson.loads(line)
                memories = [each for each in map(str, row["ids"]) if is_memory_id(each)]
                yield clock.stamp(clock.read_stamp(row["at"])), memories, line
