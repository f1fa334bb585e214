"""Locks on open files, which the kernel frees when their holder dies. That of a workspace tells who holds it; those on
a file that others add to last a moment. Where a lock is not seen by another machine, two nights at once would tear a
memory apart: what is mounted how, Linux tells in /proc/self/mountinfo."""

from __future__ import annotations

import fcntl
import os
import re
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import orjson

from memory_system.errors import LockedError, LocklessError

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
