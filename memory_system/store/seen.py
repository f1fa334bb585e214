"""`state/seen.json`: how the files of the truth stood when the program last wrote them, so that what a person has done
to them since is noticed at the cost of six looks at the disk. A hint: where it is missing or stale, they are read.
"""

from __future__ import annotations

from typing import Any

import orjson

from memory_system.disk.files import Files
from memory_system.errors import DamagedError
from memory_system.layout import Layout
from memory_system.records import KINDS, POOLS


class Seen:
    """The files of one workspace, as they were last seen."""

    def __init__(self, layout: Layout, files: Files) -> None:
        self.layout = layout
        self.files = files
        self.path = layout.seen

    def holds(self) -> bool:
        """Whether every file still stands as it was seen."""
        try:
            return self.files.read_object(self.path) == self._now()
        except DamagedError:
            return False

    def note(self) -> None:
        """Take the files as they stand now for seen."""
        self.files.replace_if_changed(self.path, orjson.dumps(self._now()) + b"\n", durable=False)

    def _now(self) -> dict[str, Any]:
        """Size and time of change of each file that is there."""
        paths = (self.layout.pool(pool, kind) for pool in POOLS for kind in KINDS.values())
        found = ((self.layout.name(path), path.stat()) for path in paths if path.exists())
        return {name: [state.st_size, state.st_mtime_ns] for name, state in found}
