"""Locks on open files, which the kernel frees when their holder dies: the workspace's, which tells who holds it, and
those for a moment on a file that others add to."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import orjson

from memory_system.errors import LockedError, LocklessError

LOCK_PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2)  # seconds between tries
LOG_PAUSES = (0.001, 0.002, 0.005, 0.01, 0.02) + (0.05,) * 60  # for a file that others add to: held for milliseconds


def lock_holder(since: str) -> dict[str, Any]:
    """What the lock file says of this process; not with which words it was called."""
    command = Path(sys.argv[0]).name
    return {"host": socket.gethostname(), "pid": os.getpid(), "command": command, "since": since}


def take(descriptor: int, path: Path) -> None:
    """Hold the lock file as long as it is open; LockedError names who holds it already."""
    for patience in (*LOCK_PAUSES, None):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if patience is None:
                break
            time.sleep(patience)  # it may only be somebody asking whether it is held
        except OSError as error:
            raise LocklessError(f"{path.parent} lies on a file system without locks: {error.strerror}") from error
    raise LockedError(f"the workspace is held by {_told(os.pread(descriptor, 4096, 0))} ({path})")


def wait_for(descriptor: int) -> None:
    """Hold the file as long as it is open, once nobody else does. Who holds it for seconds was stopped, and a file
    system may know no locks: then we go on without."""
    for patience in LOG_PAUSES:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            time.sleep(patience)
        except OSError:
            return


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


def _told(data: bytes) -> str:
    """Who holds a lock, for a person."""
    try:
        row = orjson.loads(data)
        return f"{row['command']} (process {row['pid']} on {row['host']}, since {row['since']})"
    except (ValueError, KeyError, TypeError):
        return "an unknown process"
