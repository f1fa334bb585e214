"""Workspaces for tests: built from a few lines of talk, consolidated, compared byte by byte."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_system import clock, finder, pipeline
from memory_system.disk import Disk
from memory_system.layout import Layout
from memory_system.recall.search_index import Index
from memory_system.upkeep import check, edit
from memory_system.workspace import Workspace


def at(text: str) -> datetime:
    return clock.read_stamp(text)


def make(root: Path, *, zone: str = "UTC", **config: Any) -> Path:
    """An empty workspace with that configuration."""
    edit.init(root, zone)
    (root / "memory/config.json").write_text(json.dumps({"timezone": zone, **config}))
    return root


def say(root: Path, session: str, *said: tuple[str, str, str], **header: Any) -> None:
    """Append messages (time, role, text) to an OpenClaw transcript, whose header is made when it is new."""
    path = root / "sessions" / f"{session}.jsonl"
    lines = []
    count = 0
    if path.exists():
        count = path.read_bytes().count(b"\n") - 1
    else:
        lines.append({"type": "session", "version": 3, "id": session, "timestamp": said[0][0], **header})
    for number, (when, role, text) in enumerate(said, count + 1):
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        parent = f"e{number - 1}" if number > 1 else None
        lines.append({"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": when, "message": message})
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def remembering(root: Path) -> Path:
    """A workspace that remembers one thing in each language, as of 2026-02-21."""
    make(root)
    said = ("Careful, I'm allergic to peanuts.", "我住在杭州。")
    say(root, "a", *((f"2026-02-20T09:00:0{5 * number}Z", "user", text) for number, text in enumerate(said)))
    consolidate(root, "2026-02-21T03:10:00Z")
    return root


def lived(root: Path, texts: Iterable[str]) -> Path:
    """A workspace in whose talk each text was said, one a day of February 2026."""
    make(root)
    for number, text in enumerate(texts, 1):
        say(root, f"s{number}", (f"2026-02-{number:02}T09:00:00Z", "user", text))
    consolidate(root, "2026-03-03T12:00:00Z")
    return root


def given(root: Path, message: str) -> list[tuple[str, str]]:
    """What `context` gives such a workspace's agent: how sure each line is, and the line."""
    with Workspace.open(root, now=at("2026-03-03T12:00:00Z")) as ws:
        return [(each["confidence"], each["line"]) for each in finder.context(ws, message)["items"]]


def consolidate(root: Path, now: str, *, disk: Disk | None = None, **options: Any) -> pipeline.Report:
    with Workspace.open(root, now=at(now), write=True, disk=disk) as ws:
        return pipeline.consolidate(ws, **options)


def memories(root: Path, pool: str = "active") -> list[Any]:
    with Workspace.open(root) as ws:
        return [record for there, record in ws.store.records() if there == pool]


def contents(root: Path, pool: str = "active") -> set[str]:
    return {record.content for record in memories(root, pool)}


def two_days(root: Path, now: str) -> Path:
    """A workspace after two days of talk in both languages, and their nights."""
    make(root)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "I live in Porto. I'm allergic to peanuts. 我喜欢划船。"))
    say(root, "b", ("2026-03-03T09:00:00Z", "user", "I moved to Lisbon. I have a dog called Biscuit."))
    consolidate(root, now)
    return root


def afterwards(root: Path, *said: str) -> set[str]:
    """What is active in a new workspace after what the user said: the last of it two days after the others."""
    make(root)
    *first, then = said
    say(root, "a", *((f"2026-03-02T10:{minute:02}:00Z", "user", text) for minute, text in enumerate(first)))
    say(root, "b", ("2026-03-04T10:00:00Z", "user", then))
    consolidate(root, "2026-03-05T12:00:00Z")
    return contents(root)


def problems(root: Path, now: str) -> list[str]:
    """What `validate` finds: where, and what."""
    with Workspace.open(root, now=at(now)) as ws:
        return [f"{each.where} {each.what}" for each in check.validate(ws)]


def layers(root: Path) -> dict[str, bytes]:
    """Every file under layer1, layer2 and layer3 with its bytes; the search index by its content, past months of layer
    3 as they were before they were packed."""
    found = copies(root)
    for folder in ("layer1", "layer2"):
        for path in sorted((root / "memory" / folder).rglob("*")):
            if path.is_file() and not path.name.startswith("search.sqlite"):
                found[str(path.relative_to(root))] = path.read_bytes()
    index = Layout(root).search_index
    if index.exists():
        with Workspace.open(root) as ws, Index.open(index, ws.config) as opened:
            found[index.name] = b"".join(opened.content())
    return found


def copies(root: Path) -> dict[str, bytes]:
    """The months of layer 3, unpacked, each with its rows in the order of refs: they stand as they were read."""
    found = {}
    for path in sorted((root / "memory/layer3").glob("*")):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        found[f"layer3/{path.name[:7]}"] = b"".join(sorted(data.splitlines(keepends=True)))
    return found


def copied(root: Path) -> dict[str, str]:
    """What layer 3 says, by ref."""
    rows = [json.loads(line) for data in copies(root).values() for line in data.splitlines()]
    assert len({row["ref"] for row in rows}) == len(rows)
    return {row["ref"]: row["text"] for row in rows}


class Crash(BaseException):
    """The machine stops: nothing may catch it, and nothing may be tidied up after it."""


@dataclass
class CrashingDisk(Disk):
    """A disk that stops the program at operation number `stop` (0: never); a write is torn in the middle first."""

    stop: int = 0
    torn: bool = True
    done: list[str] = field(default_factory=list)
    dead: bool = False

    def _step(self, name: str) -> bool:
        if self.dead:
            raise Crash("the machine is off")
        self.done.append(name)
        if len(self.done) == self.stop:
            self.dead = True
        return self.dead

    def open(self, path: Path, flags: int) -> int:
        if self._step(f"open {path.name}"):
            raise Crash
        return super().open(path, flags)

    def write(self, descriptor: int, data: bytes) -> None:
        if self._step("write"):
            if self.torn:
                super().write(descriptor, data[: len(data) // 2])
            raise Crash
        super().write(descriptor, data)

    def fsync(self, descriptor: int) -> None:
        del descriptor  # what was written stays, as it does when a process dies
        if self._step("fsync"):
            raise Crash

    def replace(self, source: Path, target: Path) -> None:
        if self._step(f"replace {target.name}"):
            raise Crash
        super().replace(source, target)

    def unlink(self, path: Path) -> None:
        if self._step(f"unlink {path.name}"):
            raise Crash
        super().unlink(path)

    def mkdir(self, path: Path) -> None:
        if self._step(f"mkdir {path.name}"):
            raise Crash
        super().mkdir(path)

    def sync_folder(self, path: Path) -> None:
        if self._step(f"sync {path.name}"):
            raise Crash


class CopyingDisk(CrashingDisk):
    """A disk that puts by what a program leaves when it is stopped at an operation: of those that differ from the one
    before, each `every`th."""

    def __init__(self, root: Path, place: Path, every: int) -> None:
        super().__init__()
        self.root, self.place, self.every = root, place, every
        self.left: list[tuple[str, Path]] = []
        self._last: dict[str, bytes] = {}
        self._differing = 0

    def _step(self, name: str) -> bool:
        paths = (Path(folder, name) for folder, _, names in os.walk(self.root) for name in names)
        held = {str(path): path.read_bytes() for path in paths}
        self.done.append(name)
        self._differing += held != self._last
        if held != self._last and self._differing % self.every == 0:
            self.left.append((f"{len(self.done)}: {name}", self.place / str(len(self.done))))
            shutil.copytree(self.root, self.left[-1][1], symlinks=True)
        self._last = held
        return False

    def write(self, descriptor: int, data: bytes) -> None:
        half = len(data) // 2
        Disk.write(self, descriptor, data[:half])
        self._step("write")
        Disk.write(self, descriptor, data[half:])


def stopped(root: Path, run: Callable[[CopyingDisk], object], *, every: int = 1) -> list[tuple[str, Path]]:
    """What `run` leaves of the workspace when it is stopped at any operation on the disk, each told by its number and
    name; the workspace itself is as it is after the whole of it."""
    disk = CopyingDisk(root, root.with_name(f"{root.name}-stopped"), every)
    run(disk)
    assert disk.left, "nothing was written"
    return disk.left
