"""Lines of JSON in the order of their ids, as the files of the truth hold them: changes are put in without parsing the
rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

_ID_HEAD = b'{"id":"'


def merged(lines: Iterable[tuple[int, bytes]], changed: dict[str, bytes | None]) -> Iterator[bytes]:
    """The lines with the changed ones put in their places by id; None takes one out. Lines that somebody has put out of
    order stay so, each of them once."""
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
