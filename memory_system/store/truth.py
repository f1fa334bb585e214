"""The files of the truth, line by line in the order of their ids: changes put in, lines checked or parsed
(DamagedError says where one is no memory); and how the files stood when the program last wrote them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import orjson

from memory_system import clock
from memory_system.disk import Files
from memory_system.errors import DamagedError
from memory_system.layout import Layout
from memory_system.records import FILES, Fact, Row, from_line, kind_of

_ID_HEAD = b'{"id":"'
_TEXTS = ("subject", "attribute", "value", "category", "said_at", "created", "scored_at", "expires")


def merged(lines: Iterable[tuple[int, bytes]], changed: dict[str, bytes | None]) -> Iterator[bytes]:
    """The lines with the changed ones put in their places by id; None takes one out. Others keep their order."""
    waiting = sorted(((key, new) for key, new in changed.items() if new is not None), reverse=True)
    for _, line in lines:
        key = line_id(line)
        while waiting and waiting[-1][0] < key:
            yield waiting.pop()[1]
        if key not in changed:
            yield line if line.endswith(b"\n") else line + b"\n"
    yield from (new for _, new in reversed(waiting))


def line_id(line: bytes) -> str:
    """The id of the memory on a line, without parsing the rest where the line is one of ours."""
    if line.startswith(_ID_HEAD):
        return line[len(_ID_HEAD) : line.index(b'"', len(_ID_HEAD))].decode()
    return str(orjson.loads(line)["id"])


def row_on(line: bytes, memory_id: str) -> Row:
    """The row on the line of a memory, not parsed further."""
    try:
        row: dict[str, Any] = orjson.loads(line)
    except ValueError as error:
        raise DamagedError(f"{memory_id} is not a memory as it stands: {error}") from None
    return row


def parsed(line: bytes, name: str) -> Fact:
    """The memory on its line, which errors call by its id or its place."""
    if wrong := parse_problem(line):
        raise DamagedError(f"{name} is not a memory as it stands: {wrong}")
    return from_line(line)


def checked(line: bytes, kind: type[Fact], where: str) -> dict[str, Any]:
    """The row on a line of the truth; the fields that everything relies on are checked, the rest when it is parsed."""
    try:
        row: dict[str, Any] = orjson.loads(line)
        if kind_of(row["id"]) is not kind or not isinstance(row["score"] + row["importance"], int | float):
            raise ValueError("it does not belong into this file")
        if not isinstance(row["content"], str) or not all(isinstance(row.get(name, ""), str) for name in _TEXTS):
            raise ValueError("a field that must be text is none")
        if not all(isinstance(each, str) for each in row.get("entities", ())):
            raise ValueError("its entities are no texts")
        if not all(isinstance(each.get("quote", ""), str) for each in row.get("evidence", ())):
            raise ValueError("its evidence is no list of quotes")
        if not (_is_stamp(row.get("scored_at", "")) and _is_stamp(row.get("expires", ""))):
            raise ValueError("a time is no instant")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError(f"{where}: not a memory of this file: {error!r}") from None
    return row


@lru_cache(maxsize=4096)  # most memories of a night share theirs
def _is_stamp(value: str) -> bool:
    return not value or clock.parse_instant(value) is not None


def parse_problem(line: bytes) -> str:
    """Why a line is not a memory; empty when it is one."""
    try:
        from_line(line)
    except ValueError as error:  # pydantic's among them
        return "; ".join(line.strip() for line in str(error).split("\n")[:3])
    return ""


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
        paths = (self.layout.pool(pool, kind) for pool, kind in FILES)
        found = ((self.layout.name(path), path.stat()) for path in paths if path.exists())
        return {name: [state.st_size, state.st_mtime_ns] for name, state in found}
