"""Errors of the disk: ENOSPC, EIO, EDQUOT and EROFS at every operation of a story of two nights. The command must end
with exit code 4, the old state must stand, nothing may lie about, and going on must end in the same bytes.

    scripts/torture/errors.py [--codes ENOSPC EIO EDQUOT EROFS] [--every 1]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tests"), str(Path(__file__).resolve().parents[2])]

import test_faults as story  # noqa: E402 - after the path to it is known
from faults import CODES, FailingDisk  # noqa: E402 - likewise


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--codes", nargs="*", default=list(CODES), choices=list(CODES))
    options.add_argument("--every", type=int, default=1, help="of so many operations one fails")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="torture-errors-") as temporary:
        place = Path(temporary)
        start, expected = story.whole(place)
        counting = FailingDisk()
        story.act(Path(shutil.copytree(start, place / "count")), counting)
        print(f"operations: {dict(Counter(counting.done))}", flush=True)
        for name in given.codes:
            points = range(1, len(counting.done) + 1, given.every)
            for fail in points:
                story.break_at(start, place / "w", fail, CODES[name], expected)
            print(f"{name}: {len(points)} points: exit code 4, old state, no leftovers, same bytes", flush=True)


if __name__ == "__main__":
    main()
