"""How much of the gold cases the rules get right, by language and by half.

    scripts/gold dates [--show]

dates   time expressions: tests/dates_gold.toml (seen: by the authors of the rules) and tests/dates_gold_blind.toml
        (blind: written without sight of them). right: all expressions of a sentence exactly; wrong: an interval was
        asserted that nobody said; missed: anything else, mostly silence. --show prints every sentence not right.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests")]

from dates_cases import HALVES, VERDICTS, Case, cases  # noqa: E402 - after the path is known

from memory_system import dates  # noqa: E402 - likewise


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("dates",))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    print("| language | half | cases |", " | ".join(VERDICTS), "|")
    for lang in ("en", "zh"):
        for half in HALVES:
            report(lang, half, [case for case in cases(half) if case.lang == lang], show=options.show)


def report(lang: str, half: str, group: list[Case], *, show: bool) -> None:
    """One row of the table, and with `show` the sentences below it."""
    found = [(case, dates.find(case.text, case.anchor)) for case in group]
    verdicts = [case.judge(whens) for case, whens in found]
    shares = (f"{Counter(verdicts)[verdict] / len(group):.3f}" for verdict in VERDICTS)
    print("|", " | ".join((lang, half, str(len(group)), *shares)), "|")
    for (case, whens), verdict in zip(found, verdicts, strict=True):
        if show and verdict != "right":
            told = [f"{when.text} = {when.granularity} {when.start:%Y-%m-%dT%H:%M}" for when in whens]
            wanted = [f"{words} = {sense}" for words, sense in case.expected]
            print(f"  {verdict} {case.anchor:%a %Y-%m-%d} {case.text!r}\n    wanted {wanted}\n    found  {told}")


if __name__ == "__main__":
    main()
