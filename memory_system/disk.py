"""The one door to the disk: atomic replace, durable append, torn tails, locks.

`Disk` is the port: a handful of system calls, one method each, which tests replace to record, fail or tear any of
them. `Files` builds what the rest of the program uses from them. Durable means: temporary file in the same folder,
write, fsync, `os.replace`, fsync of the folder (as SQLite and Borg do). Files are made 0600 and folders 0700 whatever
the umask. Locks are on open files, and the kernel frees them when their holder dies.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import socket
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain, takewhile
from pathlib import Path
from typing import Any

import orjson

from memory_system.errors import DamagedError, LockedError, LocklessError, UnwritableError, WorkspaceError

FILE_MODE = 0o600
FOLDER_MODE = 0o700
CHUNK = 1 << 20
LOCK_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0)  # seconds after each try: it may only be somebody asking
LOG_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02) + (0.05,) * 60  # for a file that others add to: held for milliseconds
WITHOUT = {  # types whose locks stay on this machine, or are none
    "afs", "coda", "davfs", "fuse.curlftpfs", "fuse.davfs2", "fuse.gcsfuse", "fuse.geesefs", "fuse.goofys",
    "fuse.mount-s3", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse", "ncpfs", "vboxsf",
}  # fmt: skip
SWITCHED_OFF = {  # types that have locks, and the options that keep them on this machine
    "nfs": {"nolock", "local_lock=all", "local_lock=flock"},
    "nfs4": {"local_lock=all", "local_lock=flock"},
    "cifs": {"nobrl"},
    "smb3": {"nobrl"},
}
_OCTAL = re.compile(r"\\([0-7]{3})")


class Disk:
    """The port: the system calls that change a disk. Each may raise OSError."""

    def open(self, path: Path, flags: int) -> int:
        return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)

    def write(self, descriptor: int, data: bytes) -> None:
        """Write all of data."""
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]

    def fsync(self, descriptor: int) -> None:
        os.fsync(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        source.replace(target)

    def unlink(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def rmdir(self, path: Path) -> None:
        path.rmdir()

    def mkdir(self, path: Path) -> None:
        path.mkdir(mode=FOLDER_MODE, exist_ok=True)

    def mounts(self) -> str:
        """What is mounted where, as Linux tells it; empty elsewhere."""
        try:
            return Path("/proc/self/mountinfo").read_text(errors="replace")
        except OSError:
            return ""

    def sync_folder(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def refusal(error: OSError) -> WorkspaceError:
    """What the disk refused to do, as an error of ours that says what to do."""
    path = error.filename or "the workspace"
    if isinstance(error, PermissionError):
        hint = f"give yourself the right, or run as its owner; who has it: ls -ld {path}"
        return WorkspaceError(f"no right to read or write {path}", hint)
    return WorkspaceError(f"{path}: {error.strerror or error}")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """An OSError of the disk as an error of ours that says what to do."""
    try:
        yield
    except OSError as error:
        reason = {
            errno.ENOSPC: "the disk is full",
            errno.EDQUOT: "the disk quota is used up",
            errno.EROFS: "the file system is read-only",
            errno.EACCES: "no right to write",
            errno.EPERM: "no right to write",
            errno.ELOOP: "it is a symbolic link",
        }.get(error.errno or 0, error.strerror or str(error))
        raise UnwritableError(f"cannot write {path}: {reason}") from error


@contextmanager
def _taken_back(descriptor: int, size: int) -> Iterator[None]:
    """On an error of the disk, the file as long as it was."""
    try:
        yield
    except OSError:
        with suppress(OSError):
            os.ftruncate(descriptor, size)
        raise


class Files:
    """Durable file operations over a `Disk`."""

    def __init__(self, disk: Disk | None = None) -> None:
        self.disk = disk or Disk()

    def make_folder(self, path: Path) -> None:
        with _explained(path):
            missing = [*takewhile(lambda folder: not folder.is_dir(), (path, *path.parents))]
            for folder in reversed(missing):
                self.disk.mkdir(folder)
                self.disk.sync_folder(folder.parent)

    def read(self, path: Path) -> bytes:
        """The whole file; empty when there is none."""
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return b""

    def replace(self, path: Path, chunks: bytes | Iterable[bytes], *, durable: bool = True) -> None:
        """The file, whole and new, or as it was: never half. `durable=False` is for what can be derived again."""
        temporary = path.with_name(f".{path.name}.tmp")
        with _explained(path):
            try:
                self._write_new(temporary, [chunks] if isinstance(chunks, bytes) else chunks, durable=durable)
                self.disk.replace(temporary, path)
            except OSError:
                with suppress(OSError):
                    self.disk.unlink(temporary)
                raise
            if durable:
                self.disk.sync_folder(path.parent)

    def replace_if_changed(self, path: Path, data: bytes, *, durable: bool = True) -> bool:
        """Replace the file unless it holds these bytes already; whether it was written."""
        if path.is_file() and self.read(path) == data:
            return False
        self.replace(path, data, durable=durable)
        return True

    def _write_new(self, path: Path, chunks: Iterable[bytes], *, durable: bool) -> None:
        descriptor = self.disk.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.fchmod(descriptor, FILE_MODE)
            for block in _blocks(chunks):
                self.disk.write(descriptor, block)
            if durable:
                self.disk.fsync(descriptor)
        finally:
            os.close(descriptor)

    def append(
        self, path: Path, data: bytes | Iterable[bytes], *, follow_renames: bool = False, alone: bool = False,
        durable: bool = True,
    ) -> None:  # fmt: skip
        """Add whole lines at the end, durably: one write (for bytes) and one fsync. A torn last line of an earlier
        crash is closed first. With `follow_renames` the lines (bytes: an iterable is used up) are written again when
        the file was replaced under our hands, so that a `rewrite` beside us loses nothing. Who is `alone` with the
        file takes back what the disk did not take: after a failed fsync nobody knows what is there. `durable=False`:
        it may be lost with the power."""
        new = follow_renames and not path.exists()
        with _explained(path):
            descriptor = self.disk.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
            try:
                if follow_renames:
                    wait_for(descriptor)
                size = os.fstat(descriptor).st_size
                if durable and not size:  # its name first, or a power loss takes away what was acknowledged in it
                    self.disk.sync_folder(path.parent)
                torn = b"\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else b""
                with _taken_back(descriptor, size) if alone else nullcontext():
                    for block in [torn + data] if isinstance(data, bytes) else _blocks(chain((torn,), data)):
                        self.disk.write(descriptor, block)
                    if durable:
                        self.disk.fsync(descriptor)
                replaced = follow_renames and not _same_file(descriptor, path)
            except OSError:
                if new:
                    self._withdraw(path, descriptor, data if isinstance(data, bytes) else b"")
                raise
            finally:
                os.close(descriptor)
        if replaced:
            self.append(path, data, follow_renames=True, durable=durable)

    def _withdraw(self, path: Path, descriptor: int, data: bytes) -> None:
        """Take away a file made for data which the disk did not take, unless somebody else has added to it."""
        with suppress(OSError):
            if _same_file(descriptor, path) and data.startswith(os.pread(descriptor, len(data) + 1, 0)):
                self.disk.unlink(path)

    def rewrite(self, path: Path, changed: Callable[[list[bytes]], list[bytes]], *, durable: bool = True) -> None:
        """Put other lines in the place of a file's, to which others add meanwhile (`append` with `follow_renames`):
        none of theirs is lost. `changed` is given the lines with their ends."""
        if not path.exists():
            return
        with self.held(path):
            lines = [line + b"\n" for line in self.read(path).split(b"\n") if line]
            if (kept := changed(lines)) != lines:
                self.replace(path, kept, durable=durable)

    @contextmanager
    def held(self, path: Path) -> Iterator[None]:
        """Keep away, for a moment, those who add to the file that is there."""
        while True:
            with _explained(path):
                descriptor = self.disk.open(path, os.O_RDWR)
            try:
                wait_for(descriptor)
                if _same_file(descriptor, path):
                    yield
                    return
            finally:
                os.close(descriptor)

    def rename(self, source: Path, target: Path) -> None:
        with _explained(target):
            self.disk.replace(source, target)
            self.disk.sync_folder(target.parent)

    def remove(self, path: Path) -> None:
        with _explained(path):
            self.disk.unlink(path)

    def remove_folder(self, path: Path) -> None:
        """Remove a folder of ours with its files (it holds no folders)."""
        if path.is_symlink():
            self.remove(path)  # the link, not what it leads to
        elif path.is_dir():
            for each in path.iterdir():
                self.remove(each)
            with _explained(path):
                self.disk.rmdir(path)

    def read_object(self, path: Path) -> dict[str, Any]:
        """The JSON object in the file; {} when there is no file, DamagedError when it holds anything else."""
        data = self.read(path)
        if not data:
            if path.exists():
                raise DamagedError(f"{path} is empty", "put back a copy of it, or remove it to start it anew")
            return {}
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise DamagedError(f"{path} is not JSON: {error}") from error
        if not isinstance(value, dict):
            raise DamagedError(f"{path} is not a JSON object")
        return value

    @contextmanager
    def locked(self, path: Path, since: str) -> Iterator[None]:
        """Hold the lock file for this process; LockedError names who holds it already, LocklessError the file system
        on which a lock keeps nobody out. The kernel frees it when the holder dies; the file itself is never removed."""
        if kind := without_locks(self.disk.mounts(), path.resolve()):
            raise LocklessError(f"{path.parent} lies on {kind}, where a lock keeps no other machine out")
        with _explained(path):
            descriptor = self.disk.open(path, os.O_RDWR | os.O_CREAT)
        try:
            take(descriptor, path)
            with _explained(path):
                sign(descriptor, since)
            yield
        finally:
            os.close(descriptor)


def _same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _blocks(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks of about a megabyte, so that a file of small lines takes few writes."""
    held = bytearray()
    for chunk in chunks:
        held += chunk
        if len(held) >= CHUNK:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


def is_regular(path: Path) -> bool:
    """Whether it is a plain file (no link, pipe or device), so that opening it cannot hang or lead elsewhere."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


# ---- locks -----------------------------------------------------------------------------------------------------------


def take(descriptor: int, path: Path) -> None:
    """Hold the lock file as long as it is open; LockedError names who holds it already."""
    try:
        taken = _is_ours(descriptor, LOCK_PAUSES)
    except OSError as error:
        raise LocklessError(f"{path.parent} lies on a file system without locks: {error.strerror}") from error
    if not taken:
        raise LockedError(f"the workspace is held by {_told(os.pread(descriptor, 4096, 0))} ({path})")


def sign(descriptor: int, since: str) -> None:
    """Write into a lock file that this process holds it; not with which words it was called."""
    holder = {"host": socket.gethostname(), "pid": os.getpid(), "command": Path(sys.argv[0]).name, "since": since}
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, orjson.dumps(holder), 0)


def _told(data: bytes) -> str:
    """Who holds a lock, for a person."""
    try:
        row = orjson.loads(data)
        return f"{row['command']} (process {row['pid']} on {row['host']}, since {row['since']})"
    except (ValueError, KeyError, TypeError):
        return "an unknown process"


def wait_for(descriptor: int) -> None:
    """Hold the open file once nobody else does; go on without where it is held for seconds, or locks are unknown."""
    with suppress(OSError):
        _is_ours(descriptor, LOG_PAUSES)


def _is_ours(descriptor: int, pauses: Iterable[float]) -> bool:
    """Whether the file could be locked; OSError where it cannot be by anybody."""
    for pause in pauses:
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(pause)
    return False


def is_held(path: Path) -> bool:
    """Whether some process holds that lock file now."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks: nobody can tell
        return False
    finally:
        os.close(descriptor)
    return False


def without_locks(mounts: str, path: Path) -> str:
    """The type of the file system under the path, where its locks mean nothing to others; else empty."""
    kind, options = _holding(mounts, path)
    lost = SWITCHED_OFF.get(kind, set()) & options
    return f"{kind} with {', '.join(sorted(lost))}" if lost else kind if kind in WITHOUT else ""


def _holding(mounts: str, path: Path) -> tuple[str, set[str]]:
    """Type and options of the mount that the path lies on: the deepest, and of several in one place the last."""
    found: tuple[int, str, set[str]] = (-1, "", set())
    for line in mounts.splitlines():
        place, _, system = line.partition(" - ")
        fields, types = place.split(), system.split()
        if len(fields) > 5 and len(types) > 2:
            point = Path(_OCTAL.sub(lambda each: chr(int(each[1], 8)), fields[4]))
            depth = len(point.parts)
            if path.is_relative_to(point) and depth >= found[0]:
                found = depth, types[0], {*fields[5].split(","), *types[2].split(",")}
    return found[1], found[2]
