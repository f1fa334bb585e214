"""Crashes: a story of several nights is stopped at every file operation (in this process, with torn writes), and by a
real SIGKILL that `strace` injects at system calls of `memory consolidate`. It is gone on with, and must end in the same
bytes; captures that were acknowledged meanwhile must be there.

    scripts/torture/crash.py inside [--nights 6] [--every 1]
    scripts/torture/crash.py kill [--points 200]        needs strace
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests"), str(PROJECT)]

from workspaces import Crash, CrashingDisk, at, consolidate, layers, make, say  # noqa: E402 - after the path

from memory_system.upkeep import edit  # noqa: E402 - likewise
from memory_system.workspace import Workspace  # noqa: E402 - likewise

WORDS = (
    "I live in Porto. I'm allergic to peanuts. 我喜欢喝茶。", "I moved to Lisbon. I'm allergic to peanuts!",
    "I like chess. I like tulips. I like rye bread. 我养了一只猫，叫年糕。", "Maybe I will move to Basel. 年糕三岁了。",
    "I don't like chess anymore. I have a dentist appointment next Tuesday.", "我搬到根特了。I moved to Ghent.",
    "My project is called Kelp. Kelp is written in Rust. Kelp has two users.", "我下周三要去看牙医。I play the cello.",
)  # fmt: skip
CALLS = ("write", "fsync", "rename", "openat", "unlink", "ftruncate", "pwrite64")


def begin(root: Path, nights: int) -> Path:
    make(root)
    for number, words in enumerate(WORDS[:nights], 1):
        say(root, f"s{number}", (f"2026-03-{number + 1:02}T09:00:00Z", "user", words))
    capture(root, "User keeps bees", "2026-03-02T10:00:00Z")
    return root


def capture(root: Path, words: str, moment: str) -> None:
    with Workspace.open(root, now=at(moment)) as ws:
        edit.capture(ws, words, key=words)


def until(nights: int) -> str:
    return f"2026-03-{nights + 3:02}T12:00:00Z"


class BusyDisk(CrashingDisk):
    """A disk that stops; a moment before, another program captures something and is told that it is safe."""

    root = Path()

    def _step(self, name: str) -> bool:
        if len(self.done) + 1 == self.stop:
            capture(self.root, "User owns a kayak", "2026-03-30T10:00:00Z")
        return super()._step(name)


def inside(place: Path, nights: int, every: int) -> None:
    start = begin(place / "start", nights)
    whole = Path(shutil.copytree(start, place / "whole"))
    counting = CrashingDisk()
    consolidate(whole, until(nights), disk=counting)
    expected = layers(whole)
    points = range(1, len(counting.done) + 1, every)
    for stop in points:
        root = Path(shutil.copytree(start, place / "w"))
        disk = BusyDisk(stop=stop)
        disk.root = root
        try:
            consolidate(root, until(nights), disk=disk)
            raise AssertionError(f"not stopped at {stop}")
        except Crash:
            pass
        consolidate(root, until(nights))
        assert layers(root) == expected, f"stopped at {stop}: {counting.done[stop - 1]}"
        with Workspace.open(root) as ws:
            assert "User owns a kayak" in {each.content for each in ws.inbox.pending()}, f"lost at {stop}"
        shutil.rmtree(root)
    print(f"{len(points)} of {len(counting.done)} operations of {nights} nights: same bytes, no capture lost")


def command(root: Path, nights: int) -> list[str]:
    return [sys.executable, "-m", "memory_system", "--workspace", str(root), "--now", until(nights), "consolidate"]


def traced(root: Path, nights: int, *options: str) -> subprocess.CompletedProcess[str]:
    call = ["strace", "-f", *options, *command(root, nights)]
    return subprocess.run(call, cwd=PROJECT, capture_output=True, text=True, check=False)


def points_of(start: Path, place: Path, nights: int, count: int) -> Iterator[tuple[str, int]]:
    """Which call, and its how-manieth, spread over all calls on files of the workspace."""
    root = Path(shutil.copytree(start, place / "count"))
    log = place / "strace.log"
    traced(root, nights, "-e", f"trace={','.join(CALLS)}", "-o", str(log))
    calls: dict[str, int] = dict.fromkeys(CALLS, 0)
    found = []
    for line in log.read_text(errors="replace").splitlines():
        name = re.match(r"\d+ +(\w+)\(", line)
        if name and name[1] in calls:
            calls[name[1]] += 1
            if str(root) in line or name[1] in ("write", "fsync", "ftruncate", "pwrite64"):
                found.append((name[1], calls[name[1]]))
    shutil.rmtree(root)
    print(f"{len(found)} calls: {calls}", flush=True)
    yield from (found[number * len(found) // count] for number in range(min(count, len(found))))


def kill(place: Path, nights: int, count: int) -> None:
    start = begin(place / "start", nights)
    whole = Path(shutil.copytree(start, place / "whole"))
    consolidate(whole, until(nights))
    expected = layers(whole)
    killed = 0
    for call, number in points_of(start, place, nights, count):
        root = Path(shutil.copytree(start, place / "w"))
        done = traced(root, nights, "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={number}")
        killed += done.returncode != 0
        capture(root, "User owns a kayak", "2026-03-30T10:00:00Z")
        consolidate(root, until(nights))
        assert layers(root) == expected, f"killed at {call} {number}"
        with Workspace.open(root) as ws:
            assert "User owns a kayak" in {each.content for each in ws.inbox.pending()}
        shutil.rmtree(root)
        if not killed % 20:
            print(f"{killed} kills so far", flush=True)
    print(f"{killed} kills by SIGKILL: same bytes, no capture lost")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("how", choices=("inside", "kill"))
    options.add_argument("--nights", type=int, default=6)
    options.add_argument("--every", type=int, default=1, help="of so many operations one is stopped at")
    options.add_argument("--points", type=int, default=200)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="torture-crash-") as temporary:
        if given.how == "inside":
            inside(Path(temporary), given.nights, given.every)
        else:
            kill(Path(temporary), given.nights, given.points)


if __name__ == "__main__":
    main()
