"""Disks that fail, and disks that lose what was not flushed: what stands between a program and its promises."""

from __future__ import annotations

import errno
import os
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from memory_system.disk import FILE_MODE, FOLDER_MODE, Disk

CODES = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EDQUOT": errno.EDQUOT, "EROFS": errno.EROFS}
FAILING = ("open", "write", "fsync", "replace", "unlink", "mkdir", "rmdir", "sync")


@dataclass
class FailingDisk(Disk):
    """A disk on which operation number `fail` ends with an error (0: none), and all later ones of its kind do when it
    is `lasting`, as on a full disk. A write that fails has written half."""

    fail: int = 0
    code: int = errno.ENOSPC
    lasting: bool = True
    done: list[str] = field(default_factory=list)
    broken: str = ""

    def _step(self, name: str) -> bool:
        self.done.append(name)
        if len(self.done) == self.fail:
            self.broken = name
            return True
        return bool(self.broken) and self.lasting and name == self.broken

    def _check(self, name: str) -> None:
        if self._step(name):
            raise OSError(self.code, os.strerror(self.code))

    def open(self, path: Path, flags: int) -> int:
        self._check("open")
        return super().open(path, flags)

    def write(self, descriptor: int, data: bytes) -> None:
        if self._step("write"):
            super().write(descriptor, data[: len(data) // 2])
            raise OSError(self.code, os.strerror(self.code))
        super().write(descriptor, data)

    def fsync(self, descriptor: int) -> None:
        del descriptor  # nothing here is worth the wait
        self._check("fsync")

    def replace(self, source: Path, target: Path) -> None:
        self._check("replace")
        super().replace(source, target)

    def unlink(self, path: Path) -> None:
        self._check("unlink")
        super().unlink(path)

    def rmdir(self, path: Path) -> None:
        self._check("rmdir")
        super().rmdir(path)

    def mkdir(self, path: Path) -> None:
        self._check("mkdir")
        super().mkdir(path)

    def sync_folder(self, path: Path) -> None:
        del path
        self._check("sync")


@dataclass
class Step:
    """One operation on the disk. A write has its place in the file; a file is known by the name it was opened under and
    a number, because names change."""

    what: str
    path: Path
    file: int = 0
    other: Path | None = None
    at: int = 0
    data: bytes = b""


@dataclass
class RecordingDisk(Disk):
    """A disk that does everything and remembers it. `marks` are numbers of steps after which somebody was told that
    something is safe, each with what was promised."""

    steps: list[Step] = field(default_factory=list)
    files: dict[int, tuple[Path, int, int]] = field(default_factory=dict)  # descriptor -> path, file, place

    marks: list[tuple[int, str]] = field(default_factory=list)
    names: dict[Path, int] = field(default_factory=dict)
    count: int = 0

    def promise(self, what: str) -> None:
        self.marks.append((len(self.steps), what))

    def open(self, path: Path, flags: int) -> int:
        new = not path.exists()
        descriptor = super().open(path, flags)
        if new or path not in self.names:
            self.count += 1
            self.names[path] = self.count
        if new:
            self.steps.append(Step("create", path, self.names[path]))
        if flags & os.O_TRUNC:
            self.steps.append(Step("truncate", path, self.names[path]))
        place = os.fstat(descriptor).st_size if flags & os.O_APPEND else 0
        self.files[descriptor] = path, self.names[path], place
        return descriptor

    def write(self, descriptor: int, data: bytes) -> None:
        path, number, place = self.files[descriptor]
        self.steps.append(Step("write", path, number, at=place, data=data))
        self.files[descriptor] = path, number, place + len(data)
        super().write(descriptor, data)

    def fsync(self, descriptor: int) -> None:
        path, number, _ = self.files[descriptor]
        self.steps.append(Step("fsync", path, number))

    def replace(self, source: Path, target: Path) -> None:
        super().replace(source, target)
        number = self.names.pop(source, 0)
        if number:
            self.names[target] = number
        self.steps.append(Step("replace", source, number, target))

    def unlink(self, path: Path) -> None:
        if path.exists() or path.is_symlink():
            self.steps.append(Step("unlink", path, self.names.pop(path, 0)))
        super().unlink(path)

    def mkdir(self, path: Path) -> None:
        self.steps.append(Step("mkdir", path))
        super().mkdir(path)

    def rmdir(self, path: Path) -> None:
        self.steps.append(Step("rmdir", path))
        super().rmdir(path)

    def sync_folder(self, path: Path) -> None:
        self.steps.append(Step("sync", path))


def after_power_loss(before: Path, root: Path, place: Path, steps: list[Step], chance: random.Random | None) -> None:
    """Make in `place` what the disk may hold when power goes after these steps, which were done in `root`, a copy of
    `before`. Without `chance` all of them reached it; with it, of those that nothing had flushed any may be lost, and
    a lost write leaves zeros where a later one of its file was kept."""
    shutil.copytree(before, place)
    inodes: dict[int, bytearray] = {}
    for number, step in enumerate(steps):
        if chance is None or _is_flushed(number, steps) or chance.random() < 0.5:
            _apply(step, inodes, place, root)
    for path, number in _names(place, inodes).items():
        path.write_bytes(bytes(inodes[number]))


# While steps are applied, a file that they touch holds its number instead of its bytes, so that a name can be kept when
# its content is lost, and a content when its name is.
_MARK = b"\0inode "


def _names(place: Path, inodes: dict[int, bytearray]) -> dict[Path, int]:
    found = {}
    for path in place.rglob("*"):
        if path.is_file() and (data := path.read_bytes()).startswith(_MARK):
            number = int(data[len(_MARK) :])
            inodes.setdefault(number, bytearray())
            found[path] = number
    return found


def _apply(step: Step, inodes: dict[int, bytearray], place: Path, root: Path) -> None:
    path = place / step.path.relative_to(root)
    if step.what in ("create", "truncate", "write") and step.file not in inodes:
        there = path.is_file() and not path.read_bytes().startswith(_MARK)
        inodes[step.file] = bytearray(path.read_bytes()) if there else bytearray()
        if there:
            path.write_bytes(_MARK + str(step.file).encode())
    if step.what == "create":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_MARK + str(step.file).encode())
        path.chmod(FILE_MODE)
    elif step.what == "truncate":
        inodes[step.file].clear()
    elif step.what == "write":
        data = inodes[step.file]
        data.extend(b"\0" * (step.at - len(data)))
        data[step.at : step.at + len(step.data)] = step.data
    elif step.what == "replace" and step.other is not None:
        if path.exists():
            path.replace(place / step.other.relative_to(root))
    elif step.what == "unlink":
        path.unlink(missing_ok=True)
    elif step.what == "mkdir":
        path.mkdir(mode=FOLDER_MODE, exist_ok=True)
    elif step.what == "rmdir" and path.is_dir() and not any(path.iterdir()):
        path.rmdir()


def _is_flushed(number: int, steps: list[Step]) -> bool:
    """Whether the step was flushed before the power went: the bytes of a file by fsync of it, names by fsync of their
    folder. (A file system keeps the names of one folder in order; that is not relied upon.)"""
    step = steps[number]
    if step.what in ("write", "truncate"):
        return any(each.what == "fsync" and each.file == step.file for each in steps[number + 1 :])
    if step.what in ("fsync", "sync"):
        return True
    folders = {step.path.parent, step.other.parent if step.other else step.path.parent}
    return any(each.what == "sync" and each.path in folders for each in steps[number + 1 :])
