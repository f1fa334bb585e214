"""Power loss: everything a story of two nights does to the disk is recorded, and replayed with the power going after
every step, and in random orders in which any part of what was not flushed is lost. After reopening nothing that was
acknowledged may be missing, and going on must end in the same bytes.

    scripts/torture/power.py [--orders 1000] [--seeds 1 2] [--no-prefixes]
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tests"), str(Path(__file__).resolve().parents[2])]

import test_faults as story  # noqa: E402 - after the path to it is known


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--orders", type=int, default=1000, help="random orders for each seed")
    options.add_argument("--seeds", type=int, nargs="*", default=[1, 2])
    options.add_argument("--prefixes", action=argparse.BooleanOptionalAction, default=True, help="every prefix, too")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="torture-power-") as temporary:
        place = Path(temporary)
        start, expected = story.whole(place)
        root = place / "recorded"
        disk = story.recorded(start, root)
        print(f"{len(disk.steps)} steps, {len(disk.marks)} promises", flush=True)
        prefixes = range(1, len(disk.steps) + 1) if given.prefixes else ()
        for cut in prefixes:
            story.check_after(start, root, place / "p", disk, cut, None, expected)
        print(f"{len(prefixes)} prefixes: nothing lost, same bytes", flush=True)
        for seed in given.seeds:
            began = time.process_time()
            chance = random.Random(seed)  # noqa: S311 - luck, no secret
            for number, (cut, luck) in enumerate(story.cuts(disk, chance, given.orders), 1):
                story.check_after(start, root, place / "r", disk, cut, luck, expected)
                if not number % 100:
                    print(f"seed {seed}: {number} orders so far", flush=True)
            seconds = time.process_time() - began
            print(f"seed {seed}: {given.orders} orders: nothing lost, same bytes ({seconds:.0f} s CPU)", flush=True)


if __name__ == "__main__":
    main()
