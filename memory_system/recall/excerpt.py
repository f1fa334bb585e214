"""Reading exactly: a memory by its id, a message by its ref, lines of a file of the workspace by its name, and where a
text stands.

No name leads out of the workspace, to a link, or to what is not for reading (the state folder with its key).
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import re
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from memory_system.disk import is_regular
from memory_system.layout import PEOPLES_FILES, Layout
from memory_system.recall.around import Around, Give, as_it_is, outdated_words, standing_for
from memory_system.recall.search_index import Index
from memory_system.recall.units import Unit
from memory_system.records import KINDS, Fact, Row, kind_of, session_of, to_line
from memory_system.store.months import standing

LINES = 120  # given at once, at most
CHARACTERS = 12_000  # the same

_CITATION = re.compile(r"(.+)[#:]L(\d{1,9})(?:-L(\d{1,9}))?", re.DOTALL)
_ID = re.compile(r"[fbs]_\d{8}_\w+")


class _RefusedError(Exception):
    """The name leads where nothing may be read; the message says why."""


def get(
    layout: Layout,
    index: Index,
    pending: Iterable[Fact],
    path_or_id: str,
    *,
    from_line: int = 1,
    lines: int = LINES,
    give: Give = as_it_is,
) -> dict[str, Any]:
    """`status` (ok, not_found, error), `text`, `path`, `from` and `lines` (how many); `truncated` and `nextFrom` when
    more follows; for a memory its `record`, the `context` that it leans on (of messages as far as `give` gives them),
    and where it is outdated what stands in its place (`outdated_by`, `outdated`); `error` says why. The name is that of
    a file, a citation of its lines (`notes.md#L3-L5`), a memory's id or a message's ref. At most `LINES` lines and
    `CHARACTERS` of text, however many are asked for. Never raises for a name."""
    if _ID.fullmatch(path_or_id) and (record := _memory(index, pending, path_or_id)):
        path, line = place_of_memory(layout, index, record.id)
        row = orjson.loads(to_line(record))
        answer = {"status": "ok", "text": record.told, "path": path, "from": line, "lines": 1}
        return {**answer, **_shown_beside(row, index, give), "record": row}
    if not {"/", "."} & {*path_or_id} and path_or_id[:2] in {f"{letter}_" for letter in KINDS}:
        missing = {"status": "not_found", "text": "", "path": path_or_id, "from": from_line, "lines": 0}
        return {**missing, "error": f"there is no memory {path_or_id}"}
    said = None if "/" in path_or_id else _message(layout, index, path_or_id)
    return said or _of_file(layout, path_or_id, from_line, lines)


def _memory(index: Index, pending: Iterable[Fact], memory_id: str) -> Fact | None:
    waiting = next((record for record in pending if record.id == memory_id), None)
    return waiting or next((record for _, record in index.memories([memory_id]).values()), None)


def _shown_beside(row: Row, index: Index, give: Give) -> dict[str, str]:
    """What is shown with a memory: what it leans on, and what stands in its place."""
    context = Around(index, give).of(row)
    shown = {"context": context} if context else {}
    if row.get("outdated_by") and (newer := standing_for(row["id"], index)):
        shown |= {"outdated_by": newer.id, "outdated": outdated_words(newer, row["content"], row.get("lang", ""))}
    return shown


def _message(layout: Layout, index: Index, ref: str) -> dict[str, Any] | None:
    """The answer for the ref of a message: what was said, as it is indexed; None when it is no ref."""
    parts = index.message(ref)
    if not parts:
        return None
    path, first, last = where_said(layout, parts[0])
    text = "\n".join(part.text for part in parts)
    cut = {"truncated": True} if len(text) > CHARACTERS else {}
    answer = {"status": "ok", "text": text[:CHARACTERS], "path": path, "from": first, "lines": last - first + 1}
    return {**answer, **cut, "said_at": parts[0].said_at, "speaker": parts[0].speaker or parts[0].role}


# Files of the workspace


def _of_file(layout: Layout, name: str, from_line: int, lines: int) -> dict[str, Any]:
    """The answer for lines of a file; a citation (`n.md#L3-L5`) and the ref of a note (`n.md:L3`) name theirs."""
    if cited := _CITATION.fullmatch(name):
        name, from_line = cited[1], int(cited[2])
        lines = int(cited[3] or from_line) - from_line + 1
    answer = {"status": "ok", "text": "", "path": name, "from": max(1, from_line), "lines": 0}
    try:
        if _ID.fullmatch(name):
            raise FileNotFoundError
        parts = _inside(layout, name)
        with _opened(layout.root, _standing(layout, parts)) as file:
            return answer | {"path": "/".join(parts)} | _excerpt(_lines(file), max(1, from_line), lines)
    except FileNotFoundError:
        return answer | {"status": "not_found", "error": f"there is no {name}"}
    except (_RefusedError, OSError, EOFError, zlib.error, UnicodeEncodeError) as error:
        return answer | {"status": "error", "error": f"{name}: {error}"}


def _inside(layout: Layout, name: str) -> tuple[str, ...]:
    """The parts of the name below the workspace; _RefusedError when it is none that may be read."""
    path = PurePosixPath(name)
    if path.is_absolute():
        if not path.is_relative_to(layout.root):
            raise _RefusedError("it lies outside the workspace")
        path = path.relative_to(layout.root)
    if "\0" in name or any(part.startswith("..") for part in path.parts):
        raise _RefusedError("it is no name of a file in the workspace")
    if not _readable(path.parts, path.suffix) and layout.root / path != layout.inbox:
        allowed = "MEMORY.md and its like, and what lies under sessions/, memory/ and knowledge/"
        raise _RefusedError(f"there is no such file to read; these can be: {allowed}")
    return path.parts


def _readable(parts: tuple[str, ...], suffix: str) -> bool:
    match parts:
        case [name]:
            return name in PEOPLES_FILES
        case ["sessions", *_]:
            return True
        case ["memory", "state", *_]:
            return False
        case ["memory", "layer2" | "layer3", *_]:
            return suffix in (".jsonl", ".json", ".md", ".gz")
        case [("memory" | "knowledge"), *_]:
            return suffix == ".md"
    return False


def _standing(layout: Layout, parts: tuple[str, ...]) -> tuple[str, ...]:
    """The parts of the name under which the file stands: a month of layer 3 may be packed."""
    path = layout.root.joinpath(*parts)
    return (*parts[:-1], standing(path).name) if path.parent == layout.layer3 else parts


@contextmanager
def _opened(root: Path, parts: tuple[str, ...]) -> Iterator[io.BufferedIOBase]:
    """The file for reading, reached folder by folder so that no link is followed, not even one made meanwhile."""
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for number, part in enumerate(parts, 1):
            kind = os.O_NONBLOCK if number == len(parts) else os.O_DIRECTORY
            below = _open_below(descriptor, part, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | kind)
            os.close(descriptor)
            descriptor = below
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _RefusedError("it is not a file")
        with open(descriptor, "rb", closefd=False) as file:
            yield gzip.GzipFile(fileobj=file) if parts[-1].endswith(".gz") else file
    finally:
        os.close(descriptor)


def _open_below(folder: int, part: str, flags: int) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _RefusedError("it is a link, or leads through one") from None
        if error.errno in (errno.ENAMETOOLONG, errno.EINVAL):
            raise FileNotFoundError(part) from None
        raise


def _lines(file: Iterable[bytes]) -> Iterator[str]:
    for line in file:
        if b"\0" in line:  # a terminal would be sent whatever the bytes mean to it
            raise _RefusedError("it holds no text")
        yield line.rstrip(b"\r\n").decode(errors="replace")


def _excerpt(lines: Iterator[str], first: int, count: int) -> dict[str, Any]:
    """So many lines, as far as there is room; of one that is too long by itself the beginning."""
    taken: list[str] = []
    room, count = CHARACTERS, min(max(1, count), LINES)
    for number, line in enumerate(lines, 1):
        if number < first:
            continue
        if len(taken) == count or (taken and len(line) > room):
            return {"text": "\n".join(taken), "lines": len(taken), "truncated": True, "nextFrom": number}
        if len(line) > room:
            following = {} if next(lines, None) is None else {"nextFrom": number + 1}
            return {"text": line[:room], "lines": 1, "truncated": True, **following}
        taken.append(line)
        room -= len(line) + 1
    return {"text": "\n".join(taken), "lines": len(taken)}


# Where a text stands


def place_of_memory(layout: Layout, index: Index, memory_id: str) -> tuple[str, int]:
    """The name of the file the memory stands in and its line there; the inbox for a capture no night has folded in."""
    if pool := index.pool(memory_id):
        return layout.name(layout.pool(pool, kind_of(memory_id))), index.line_number(memory_id)
    with suppress(OSError):
        for number, line in enumerate(layout.inbox.read_bytes().split(b"\n"), 1):
            if memory_id.encode() in line:
                return layout.name(layout.inbox), number
    return layout.name(layout.inbox), 1


def where_said(layout: Layout, unit: Unit) -> tuple[str, int, int]:
    """The file in which a message stands and its lines there: its transcript, or layer 3 where that is gone."""
    path = layout.root / unit.path.partition("#")[0]
    if path.parent == layout.layer3 or not path.exists():
        month = layout.layer3 / f"{unit.said_at[:7]}.jsonl"
        line, _ = _line_in(standing(month), unit.ref)
        if line:
            return layout.name(month), line, line
    return unit.path, *place_of_message(layout, unit.path, unit.ref)


def place_of_message(layout: Layout, name: str, ref: str) -> tuple[int, int]:
    """The line of a message in its transcript, twice: by the entry's id, else its number; else all lines."""
    entry = ref.removeprefix(f"{session_of(ref)}:")
    line, last = _line_in(layout.root / name, entry)
    if not line and entry.isdecimal() and 0 < int(entry) <= last:
        line = int(entry)
    return (line, line) if line else (1, max(1, last))


def _line_in(path: Path, entry: str) -> tuple[int, int]:
    """The number of the line that carries the id, 0 where none does, and how many were read."""
    number, sought = 0, entry.encode()
    if ".jsonl" not in path.name or not is_regular(path):
        return 0, 0
    with suppress(OSError, EOFError, zlib.error), gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if sought in line and _is_of(line, entry):
                return number, number
    return 0, number


def _is_of(line: bytes, entry: str) -> bool:
    """Whether the line carries the entry's id, and does not only speak of it."""
    with suppress(orjson.JSONDecodeError):
        row = orjson.loads(line)
        return isinstance(row, dict) and entry in (row.get("id"), row.get("ref"))
    return False
