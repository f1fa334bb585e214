"""`state/access.jsonl`: which memories were found or read, so that a night can lift them and bring archived ones back.
It is a hint and no part of the truth: losing a line costs nothing, and a search never fails because of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime

import orjson

from memory_system import clock
from memory_system.files import Files
from memory_system.layout import Layout


class Accesses:
    """The access log of one workspace."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.path = layout.state / "access.jsonl"
        self.files = files

    def note(self, ids: Iterable[str], at: datetime) -> None:
        """Remember that these memories were used; one write without fsync."""
        line = orjson.dumps({"at": clock.stamp(at), "ids": sorted(set(ids))}) + b"\n"
        with suppress(OSError):
            descriptor = self.files.disk.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)

    def before(self, end: str) -> list[str]:
        """Ids used before the stamp and not forgotten yet, sorted."""
        return sorted({each for at, ids, _ in self._lines() if at < end for each in ids})

    def stamps(self) -> list[str]:
        """When memories were used."""
        return [at for at, _, _ in self._lines()]

    def forget_before(self, end: str) -> None:
        """Drop what a night has used up."""
        lines = list(self._lines())
        kept = [line + b"\n" for at, _, line in lines if at >= end]
        if len(kept) < len(lines):
            self.files.replace(self.path, kept, durable=False)

    def _lines(self) -> Iterator[tuple[str, list[str], bytes]]:
        """When, which ids, and the line itself; what is no such line is passed over."""
        for line in self.files.read(self.path).split(b"\n"):
            with suppress(ValueError, KeyError, TypeError):
                row = orjson.loads(line)
                yield clock.stamp(clock.read_stamp(row["at"])), [str(each) for each in row["ids"]], line
