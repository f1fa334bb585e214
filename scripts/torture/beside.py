"""Two at once: writers capture, note and search beside a program that consolidates again and again and is killed while
it holds the lock. Nothing acknowledged may be missing, and nothing be there twice. Says how long the writers took, with
a consolidation beside them and without, and for how long at a time the index kept readers out: captures and notes take
no lock, so that this is all that anybody can be kept waiting by another (but for the processor).

    scripts/torture/beside.py [--writers 8] [--rounds 100]
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from multiprocessing.synchronize import Event
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests"), str(PROJECT)]

from workspaces import at, consolidate, make, say  # noqa: E402 - after the path to it is known

from memory_system import finder  # noqa: E402 - likewise
from memory_system.errors import LockedError  # noqa: E402 - likewise
from memory_system.upkeep import check, edit  # noqa: E402 - likewise
from memory_system.workspace import Workspace  # noqa: E402 - likewise

NOW = "2026-03-05T12:00:00Z"


def write(root: Path, name: int, rounds: int, waited: multiprocessing.Queue[list[float]]) -> None:
    times = []
    for number in range(rounds):
        with Workspace.open(root, now=at("2026-03-04T10:00:00Z")) as ws:
            for act in (
                lambda ws=ws, n=number: edit.capture(ws, f"User owns boat {name} of shape {n}", key=f"{name}-{n}"),
                lambda ws=ws, n=number: edit.note(ws, f"boat {name} shape {n}"),
                lambda ws=ws: finder.search(ws, "boat", limit=3),
            ):
                began = time.monotonic()
                act()
                times.append(time.monotonic() - began)
    waited.put(times)


def consolidate_on(root: Path) -> None:
    number = 0
    while True:
        number += 1
        say(root, f"s{os.getpid()}-{number}", ("2026-03-04T09:00:00Z", "user", f"I planted {number + 1} trees."))
        try:
            consolidate(root, NOW, force=True)
        except LockedError:
            time.sleep(0.05)


def watch(root: Path, done: Event, kept_out: multiprocessing.Queue[float]) -> None:
    """Ask the index again and again, without patience: the longest time through which it answered nobody."""
    longest = busy_since = 0.0
    path = root / "memory/layer2/index/search.sqlite"
    while not done.is_set():
        now = time.monotonic()
        try:
            connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", timeout=0, uri=True)
            with closing(connection):
                connection.execute("SELECT count(*) FROM meta").fetchone()
            longest, busy_since = max(longest, now - busy_since if busy_since else 0.0), 0.0
        except sqlite3.OperationalError as error:
            busy_since = (busy_since or now) if "locked" in str(error) else 0.0
        time.sleep(0.001)
    kept_out.put(longest)


def beside(root: Path, writers: int, rounds: int, *, nights: bool) -> list[float]:
    """Let them all run; how long each act of the writers took."""
    waited: multiprocessing.Queue[list[float]] = multiprocessing.Queue()
    kept_out: multiprocessing.Queue[float] = multiprocessing.Queue()
    done = multiprocessing.Event()
    watching = multiprocessing.Process(target=watch, args=(root, done, kept_out))
    watching.start()
    working = [multiprocessing.Process(target=write, args=(root, name, rounds, waited)) for name in range(writers)]
    for each in working:
        each.start()
    dice, kills, times = random.Random(1), 0, []  # noqa: S311 - luck, no secret
    while any(each.is_alive() for each in working) or not waited.empty():
        while not waited.empty():
            times += waited.get()
        if nights:
            holder = multiprocessing.Process(target=consolidate_on, args=(root,))
            holder.start()
            time.sleep(dice.uniform(0.5, 2.0))
            os.kill(holder.pid or 0, signal.SIGKILL)
            holder.join()
            kills += 1
        else:
            time.sleep(0.2)
    done.set()
    longest = kept_out.get()
    watching.join()
    print(f"{'beside' if nights else 'without'} consolidations ({kills} of them killed): {told(times)}; the index kept "
          f"readers out for {1000 * longest:.0f} ms at most", flush=True)  # fmt: skip
    return times


def told(times: list[float]) -> str:
    times.sort()
    at_share = {name: times[min(len(times) - 1, int(share * len(times)))] for name, share in
                (("half", 0.5), ("99 %", 0.99), ("all", 1.0))}  # fmt: skip
    return f"{len(times)} acts, " + ", ".join(f"{name} within {1000 * each:.0f} ms" for name, each in at_share.items())


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--writers", type=int, default=8)
    options.add_argument("--rounds", type=int, default=100)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="torture-beside-") as temporary:
        for nights in (False, True):
            root = make(Path(temporary) / str(nights))
            beside(root, given.writers, given.rounds, nights=nights)
            consolidate(root, "2026-03-06T12:00:00Z", force=True)
            with Workspace.open(root, now=at("2026-03-06T13:00:00Z")) as ws:
                said = {each.quote for _, record in ws.store.records() for each in record.evidence}
                problems = check.validate(ws)
            wanted = {
                f"User owns boat {name} of shape {n}" for name in range(given.writers) for n in range(given.rounds)
            }
            note = (root / "memory/2026-03-04.md").read_text("utf-8")
            twice = [
                each for each in wanted if note.count(each.replace("User owns ", "").replace(" of", "") + "\n") != 1
            ]
            print(
                f"  {len(wanted - said)} lost, {len(twice)} notes missing or doubled, {len(problems)} problems",
                flush=True,
            )
            assert wanted <= said
            assert not twice
            assert not problems, problems[:3]


if __name__ == "__main__":
    main()
