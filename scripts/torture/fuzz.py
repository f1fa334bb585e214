"""Broken files for as long as one likes, and input that is meant to break a reader, each with what it cost.

scripts/torture/fuzz.py wounds [--minutes 60] [--seed 1]
scripts/torture/fuzz.py monsters [--scale 1.0]
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests"), str(PROJECT)]

import test_hostile as story  # noqa: E402 - after the path to it is known
from workspaces import make, say  # noqa: E402 - likewise

MB = 1 << 20
LONGEST = 1800  # seconds that a night may take of what has no end
MEASURED = """
import resource, sys
from memory_system.cli import main
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""
LINE = b'{"type":"message","id":"e%d","timestamp":"2026-03-02T09:00:00Z","message":{"role":"user","content":"%s"}}\n'


def wounds(place: Path, minutes: float, seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311 - luck, no secret
    sound, count = story.begin(place / "sound"), 0
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        name = dice.choice(story.FILES)
        inflicted = [
            (dice.random(), dice.choice((0, 0, 1, 7, 400)), dice.choice((*story.PIECES, dice.randbytes(9))))
            for _ in range(dice.randrange(1, 5))
        ]
        try:
            story.survive(sound, place / "w", name, inflicted)
        except BaseException:
            print(f"seed {seed}, number {count}: {name} {inflicted}", flush=True)
            raise
        count += 1
        if not count % 100:
            print(f"{count} wounded files, no fault", flush=True)
    print(f"{count} wounded files in {minutes} minutes, no fault")


def monsters(scale: float) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Names of hostile transcripts, and their bytes in pieces."""
    big = int(100 * MB * scale)
    yield "a line of 100 MB", iter((b'{"type":"message","message":{"content":"', *[b"a" * MB] * (big // MB), b'"}}\n'))
    yield "100 MB without a newline", iter([b"x" * MB] * (big // MB))
    yield "ten million tiny lines", iter([b"{}\n" * 10_000] * int(1000 * scale))
    yield "ten million empty lines", iter([b"\n" * 10_000] * int(1000 * scale))
    yield "a bomb of depth a million", iter((b'{"a":' * int(1_000_000 * scale), b"\n"))
    yield "zeros", iter([b"\0" * MB] * (big // MB))
    yield "messages of one megabyte", iter(LINE % (number, b"ab " * (MB // 3)) for number in range(int(60 * scale)))
    yield "one word, a million times", iter((LINE % (1, b"I like tea " * int(90_000 * scale)),))
    yield "a million brackets in words", iter((LINE % (1, b"(" * int(1_000_000 * scale)),))
    yield "digits and dashes", iter((LINE % (1, b"2026-" * int(200_000 * scale)),))


def run_monsters(place: Path, scale: float) -> None:
    for number, (name, pieces) in enumerate(monsters(scale)):
        root = make(place / str(number))
        say(root, "a", ("2026-03-02T09:00:00Z", "user", "I like rowing. 我对花生过敏。"))
        with (root / "sessions/monster.jsonl").open("wb") as file:
            file.writelines(pieces)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [
            sys.executable,
            "-c",
            MEASURED,
            "--workspace",
            str(root),
            "--now",
            "2026-03-05T12:00:00Z",
            "consolidate",
        ]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=LONGEST)
        seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        kept = (root / "memory/layer2/active/facts.jsonl").read_text("utf-8") if done.returncode == 0 else ""
        rest = "rowing" in kept and "花生" in kept
        size = int(done.stderr.split()[-1]) / 1024
        print(
            f"{name}: exit {done.returncode}, {seconds:.1f} s CPU, {size:.0f} MB, the rest is there: {rest}", flush=True
        )


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("how", choices=("wounds", "monsters"))
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--scale", type=float, default=1.0, help="of the hostile input")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="torture-fuzz-") as temporary:
        if given.how == "wounds":
            wounds(Path(temporary), given.minutes, given.seed)
        else:
            run_monsters(Path(temporary), given.scale)


if __name__ == "__main__":
    main()
