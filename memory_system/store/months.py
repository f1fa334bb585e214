"""The journal's files: a month of JSONL is plain while it is written to, and packed (gzip, `.jsonl.gz`) when it is
over. A month is known by the path of its plain file, whichever of the two there is; where there are both, packing was
stopped before its end and the plain one counts.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from memory_system.disk import CHUNK, Files
from memory_system.errors import DamagedError

ENDING = ".gz"
LEVEL = 6
GZIP_WINDOW = 31  # as zlib has it: 32 KB, with the head and the end of gzip
PLAIN = "[0-9][0-9][0-9][0-9]-[0-9][0-9].jsonl"


def packed(path: Path) -> Path:
    return path.with_name(f"{path.name}{ENDING}")


def standing(path: Path) -> Path:
    """Where the month lies, plain or packed."""
    return path if path.exists() else packed(path)


def months_in(folder: Path) -> list[Path]:
    """The months, the oldest first."""
    names = {path.name.removesuffix(ENDING) for path in folder.glob(f"{PLAIN}*")}
    return [folder / name for name in sorted(names) if name.endswith(".jsonl")]


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The month for reading; DamagedError where it is packed and cannot be unpacked."""
    with _plain(path) or gzip.open(packed(path)) as file:
        try:
            yield cast("BinaryIO", file)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DamagedError(f"{packed(path)} cannot be unpacked: {error}") from None


def _plain(path: Path) -> BinaryIO | None:
    """The plain file; None where there is none, or none any more: the month may be packed beside us."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def read(path: Path) -> bytes:
    with opened(path) as file:
        return file.read()


def salvaged(path: Path) -> tuple[bytes, bool]:
    """As much of the month as can be read, and whether that is all."""
    found: list[bytes] = []
    with suppress(DamagedError), opened(path) as file:
        while data := file.read(CHUNK):
            found.append(data)
        return b"".join(found), True
    return b"".join(found), False


def tail(path: Path, size: int) -> bytes:
    """The last bytes of the month."""
    if (plain := _plain(path)) is None:
        return read(path)[-size:]
    with plain as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - size))
        return file.read()


def mark(path: Path) -> tuple[str, int]:
    """What is another one after anything was written into the month."""
    there = standing(path)
    return there.name, there.stat().st_size


def replace(path: Path, lines: Iterable[bytes], files: Files) -> None:
    """The month with other lines, packed if it was; nothing of what it held stays."""
    if not path.exists():
        files.replace(packed(path), _packed(lines))
        return
    files.replace(path, lines)
    if packed(path).exists():
        files.remove(packed(path))
        files.disk.sync_folder(path.parent)


def remove(path: Path, files: Files) -> None:
    for each in (path, packed(path)):
        files.remove(each)


def pack(path: Path, files: Files) -> None:
    """Pack the month, if it is not packed. Until the plain file is surely gone nothing else may be written: it would
    come back with what it held."""
    if not path.exists():
        return
    with path.open("rb") as file:
        files.replace(packed(path), _packed(iter(lambda: file.read(CHUNK), b"")))
    files.remove(path)
    files.disk.sync_folder(path.parent)


def unpack(path: Path, files: Files) -> None:
    """Make the month one that can be written to."""
    if not path.exists() and packed(path).exists():
        files.replace(path, read(path))
        files.remove(packed(path))


def _packed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP_WINDOW)
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()
