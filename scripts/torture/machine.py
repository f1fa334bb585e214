"""A state machine against a simple model, for as long as one likes: tests/test_machine.py with more steps. Every
failure comes as the shortest story that shows it; the seed makes a run happen again.

    scripts/torture/machine.py [--steps 10000] [--seed 1]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tests"), str(Path(__file__).resolve().parents[2])]

from test_machine import Memory  # noqa: E402 - after the path to it is known

LENGTH = 50  # steps of one story


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--steps", type=int, default=10_000)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    number = given.seed
    while Memory.steps < given.steps:
        run_state_machine_as_test(
            seed(number)(Memory),
            settings=settings(
                max_examples=5, stateful_step_count=LENGTH, deadline=None, database=None, print_blob=True,
                phases=(Phase.generate, Phase.shrink), suppress_health_check=list(HealthCheck),
            ),
        )  # fmt: skip
        print(f"seed {number}: {Memory.steps} steps so far", flush=True)
        number += 1


if __name__ == "__main__":
    main()
