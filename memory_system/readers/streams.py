"""Files as numbered lines, whatever is in them: plain, gzip or zstd (from the standard library where it has it, Python
3.14, else from the package `zstandard` of the extra `[zstd]`), lines without end, bytes that are no text. Nothing here
holds more than one block and one line."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from memory_system.readers.formats import Row, UnreadableError

if TYPE_CHECKING:
    import jsonlines


BLOCK = 1 << 20
LINE_CAP = 8 << 20
DEPTH_CAP = 64
ARCHIVE_CAP = 256 << 20  # bytes of a session that is packed with zstd
ZSTD = b"\x28\xb5\x2f\xfd"
_GZIP = b"\x1f\x8b"

Flaw = tuple[int, str, str]  # line, what is wrong with it, hint


@contextmanager
def open_regular(path: Path) -> Iterator[tuple[io.BufferedIOBase, os.stat_result]]:
    """The file's bytes, unpacked if it is gzip or zstd, and what the disk says of it. OSError for a link, pipe or
    device: opening neither hangs nor leads elsewhere."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise OSError("it is no regular file")
    with os.fdopen(descriptor, "rb") as stream:
        head = stream.peek(4)[:4]
        if head == ZSTD:
            yield io.BytesIO(_unpacked(stream.read())), found
        elif head[:2] == _GZIP:
            with gzip.GzipFile(fileobj=stream) as unpacked:
                yield unpacked, found
        else:
            yield stream, found


def _unpacked(data: bytes) -> bytes:
    try:
        return unpack(data, ARCHIVE_CAP)
    except ValueError as error:
        raise OSError(str(error)) from None


class Lines:
    """Iterates over the lines, without their ends, and remembers what a cursor needs: `ends[n]` is the offset where
    line n+1 ends. `count` is the number of lines so far. A line over the cap comes out empty and stands in `flaws`; so
    does a file that breaks off (`broken`). `closed` tells whether the last line has its newline."""

    def __init__(self, stream: io.BufferedIOBase, limit: int | None = None) -> None:
        self.stream = stream
        self.limit = limit
        self.ends = array("Q")
        self.flaws: list[Flaw] = []
        self.closed = True
        self.broken = False

    @property
    def count(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[bytes]:
        held: list[bytes] = []
        size = offset = 0
        for block in self._blocks():
            pieces = block.split(b"\n")
            for piece in pieces[:-1]:
                size += len(piece)
                offset += size + 1
                if self.count == self.limit:
                    return
                yield self._line(held, piece, size, offset - 1)
                held, size = [], 0
            size += len(pieces[-1])
            if size <= LINE_CAP:
                held.append(pieces[-1])
            else:
                held = []
        if size and self.count != self.limit:
            self.closed = False
            yield self._line(held, b"", size, offset + size)

    def _line(self, held: list[bytes], piece: bytes, size: int, end: int) -> bytes:
        self.ends.append(end)
        if size > LINE_CAP:
            self.flaws.append((self.count, f"the line is longer than {LINE_CAP >> 20} MB", "it was skipped"))
            return b""
        return b"".join((*held, piece)) if held else piece

    def _blocks(self) -> Iterator[bytes]:
        try:
            while block := self.stream.read1(BLOCK):
                yield block
        except (EOFError, OSError, zlib.error) as error:
            self.broken = True
            hint = "what could be had of it was read; put back a whole copy"
            self.flaws.append((self.count + 1, f"the file breaks off: {error}", hint))


def json_rows(lines: Lines) -> Iterator[tuple[int, Row]]:
    """The objects that stand on the lines; what is none goes to `lines.flaws`. A torn last line (no newline, no JSON)
    is taken back: its writer may still be at it."""
    import jsonlines  # commands that read no transcript start without it

    reader = jsonlines.Reader(lines, loads=_loads)
    while True:
        try:
            row = reader.read(type=dict, skip_empty=True)
        except EOFError:
            return
        except jsonlines.InvalidLineError as error:
            if lines.closed:
                lines.flaws.append((lines.count, _wrong(error), "it was skipped; mend the line or remove it"))
            else:
                lines.ends.pop()
        else:
            yield lines.count, row


def text_rows(lines: Lines) -> Iterator[tuple[int, Row]]:
    for line in lines:
        yield lines.count, line.decode(errors="replace").removeprefix("\ufeff").rstrip("\r")


def _wrong(error: jsonlines.InvalidLineError) -> str:
    cause = error.__cause__
    if isinstance(cause, UnicodeDecodeError):
        return "the line is not UTF-8"
    return f"the line is not JSON: {cause}" if cause else "the line is JSON, but no object"


def _loads(line: str | bytes) -> Any:
    value = orjson.loads(line)
    text = str(line)  # jsonlines hands it over decoded
    if text.count("{") + text.count("[") > DEPTH_CAP and _depth(value) > DEPTH_CAP:
        raise ValueError(f"it is nested deeper than {DEPTH_CAP}")
    return value


def _depth(value: object) -> int:
    """How deep lists and objects are nested, without recursion."""
    deepest = 0
    level = [value]
    while level := [each for each in level if isinstance(each, dict | list)]:
        deepest += 1
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return deepest


def unpack(data: bytes, most: int) -> bytes:
    """The unpacked bytes, at most so many; ValueError when they are damaged or more, UnreadableError when nothing here
    can unpack."""
    try:
        zstandard = import_module("zstandard")
    except ImportError:
        return _by_itself(data, most)
    try:
        if zstandard.frame_content_size(data) > most:  # the library would make room for whatever the frame says
            raise ValueError(f"it is longer than {most >> 20} MB")
        plain: bytes = zstandard.ZstdDecompressor().decompress(data, max_output_size=most)
    except zstandard.ZstdError as error:
        raise ValueError(f"its packed form is damaged: {error}") from None
    return plain


def _by_itself(data: bytes, most: int) -> bytes:
    """With what Python brings along."""
    try:
        zstd = import_module("compression.zstd")
    except ImportError:
        hint = "install what unpacks it: pip install 'memory-system[zstd]'"
        raise UnreadableError("it holds events packed with zstd, and nothing here unpacks them", hint) from None
    try:
        plain: bytes = zstd.ZstdDecompressor().decompress(data, most + 1)
    except zstd.ZstdError as error:
        raise ValueError(f"its packed form is damaged: {error}") from None
    if len(plain) > most:
        raise ValueError(f"it is longer than {most >> 20} MB")
    return plain
