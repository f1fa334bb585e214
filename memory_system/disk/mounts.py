"""File systems on which a lock taken here is not seen by another machine: two nights at once would tear a memory apart
there, so it is not written on them. What is mounted how, Linux tells in /proc/self/mountinfo.
"""

from __future__ import annotations

import re
from pathlib import Path

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


def without_locks(mounts: str, path: Path) -> str:
    """The type of the file system that holds the path, where its locks mean nothing to others; empty where they do, or
    where `mounts` (the text of mountinfo) does not tell."""
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
