"""A year: so many nights with so many new messages over a memory that holds so many facts already. Says what a night
costs, how memory and disk grow, whether everything important is still there, and whether `validate` is silent on every
thirtieth night.

    scripts/torture/year.py [--nights 365] [--facts 100000] [--messages 200]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests"), str(PROJECT)]

from workspaces import at, make, say  # noqa: E402 - after the path to it is known

from memory_system.records import Evidence, Fact, memory_id, to_line  # noqa: E402 - likewise
from memory_system.store.journal import Change, Entry  # noqa: E402 - likewise
from memory_system.workspace import Workspace  # noqa: E402 - likewise

FIRST = date(2026, 1, 1)
LONG_AGO = f"{FIRST - timedelta(days=30)}T03:00:00Z"  # when the facts were written down: in a month that is over
COLOURS = ("red", "green", "blue", "grey", "amber", "violet", "white", "black")
THINGS = ("kettle", "boat", "lamp", "chair", "cello", "kayak", "bridge", "garden", "engine", "letter")
IMPORTANT = ("I'm allergic to peanuts.", "我对芒果过敏。", "My name is Ana.")


def old_facts(count: int) -> Iterator[Change]:
    """A memory of long ago: facts of their own, each with its words."""
    stamp = f"{FIRST}T03:00:00Z"
    for number in range(count):
        colour, thing = COLOURS[number % 8], THINGS[number // 8 % 10]
        content = f"User saw {thing} number {number}, the {colour} one, in street {number % 997}"
        words = Evidence(ref=f"capture:{number}", quote=content, said_at=stamp, role="user", trust="user")
        fact = Fact(
            id=memory_id(Fact, FIRST, f"old:{number}@0-1", content), content=content, importance=0.5, score=0.9,
            entities=("User", f"street {number % 997}"), created=stamp, source=words.ref, said_at=stamp, lang="en",
            evidence=(words,), last_confirmed=stamp, scored_at=stamp, updated=stamp, method="capture",
        )  # fmt: skip
        yield Change(fact.id, "new", None, None, "active", to_line(fact))


def talk(root: Path, day: date, count: int) -> None:
    said = []
    for number in range(count):
        role = "user" if number % 2 == 0 else "assistant"
        words = f"I repaired the {COLOURS[number % 8]} {THINGS[number % 10]} {day:%j}{number} with my sister."
        words = words if number % 6 else f"我今天给第{day:%j}{number}号花园浇了水。"
        said.append((f"{day}T{6 + number % 12:02}:{number % 60:02}:00Z", role, words if role == "user" else "Good!"))
    if day == FIRST:
        said += [(f"{day}T20:00:00Z", "user", words) for words in IMPORTANT]
    say(root, f"d{day}", *sorted(said))


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def run(root: Path, now: str, *command: str) -> tuple[float, int]:
    """Run a command as a user does: CPU seconds and the most memory it took, in MB; an error where it fails."""
    words = [sys.executable, "-m", "memory_system", "--workspace", str(root), "--now", now, *command]
    process = subprocess.Popen(words, cwd=PROJECT, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (command, process.returncode)
    return used.ru_utime + used.ru_stime, used.ru_maxrss // (1024 if sys.platform == "linux" else 1 << 20)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--nights", type=int, default=365)
    options.add_argument("--facts", type=int, default=100_000)
    options.add_argument("--messages", type=int, default=200)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="torture-year-") as temporary:
        root = make(Path(temporary))
        with Workspace.open(root, now=at(LONG_AGO), write=True) as ws:
            ws.store.apply(Entry(LONG_AGO, "a memory of long ago"), old_facts(given.facts))
        used: list[tuple[float, int]] = []
        for night in range(given.nights):
            day = FIRST + timedelta(days=night)
            talk(root, day, given.messages)
            used.append(run(root, f"{day + timedelta(days=1)}T03:30:00Z", "consolidate"))
            if night % 30 == 29 or night == given.nights - 1:
                tell(root, night + 1, used, f"{day + timedelta(days=1)}T04:00:00Z")
                used.clear()


def tell(root: Path, nights: int, used: list[tuple[float, int]], now: str) -> None:
    """What the nights since it was told last have cost, and how the workspace is; an error where it is not as it must
    be. The first night of all makes the index and the catalogue."""
    run(root, now, "validate")
    with Workspace.open(root, now=at(now)) as ws:
        active = {record.content for pool, record in ws.store.records() if pool == "active"}
    truth = size_of(root / "memory/layer2/active") + size_of(root / "memory/layer2/archive")
    ratio = size_of(root / "memory") / truth
    first = ""
    if nights == len(used) > 1:
        first = f"the first night {used[0][0]:.2f} s CPU and {used.pop(0)[1]} MB; "
    seconds, sizes = sorted(each for each, _ in used), [each for _, each in used]
    print(
        f"{nights} nights: {first}half within {seconds[len(seconds) // 2]:.2f} s CPU, worst {seconds[-1]:.2f} s, "
        f"at most {max(sizes)} MB; {len(active)} active, disk {ratio:.1f} times the truth, valid", flush=True,
    )  # fmt: skip
    assert any("peanuts" in each for each in active), "something important is gone"
    assert any("芒果" in each for each in active), "something important is gone"


if __name__ == "__main__":
    main()
