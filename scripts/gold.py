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
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from dates_cases import HALVES, VERDICTS, Case, cases

from memory_system import dates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("dates",))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    print(table())
    if options.show:
        print(*map(told, judged()), sep="\n")


def table() -> str:
    """The shares by language and half, as a table of Markdown."""
    rows = [("language", "half", "cases", *VERDICTS), ("---",) * (3 + len(VERDICTS))]
    verdicts = Counter((case.lang, half, verdict) for half, case, _, verdict in judged(all_of_them=True))
    for lang in ("en", "zh"):
        for half in HALVES:
            counts = [verdicts[lang, half, verdict] for verdict in VERDICTS]
            rows.append((lang, half, str(sum(counts)), *(f"{count / sum(counts):.3f}" for count in counts)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


Judged = tuple[str, Case, list[dates.When], str]  # half, sentence, what was found, verdict


def judged(*, all_of_them: bool = False) -> Iterator[Judged]:
    """Every sentence that was not understood, or all of them."""
    for half in HALVES:
        for case in cases(half):
            whens = dates.find(case.text, case.anchor)
            if all_of_them or case.judge(whens) != "right":
                yield half, case, whens, case.judge(whens)


def told(row: Judged) -> str:
    half, case, whens, verdict = row
    found = [f"{when.text} = {when.granularity} {when.start:%Y-%m-%dT%H:%M}" for when in whens]
    wanted = [f"{words} = {sense}" for words, sense in case.expected]
    return f"{half} {verdict}: {case.anchor:%a %Y-%m-%d %H:%M} {case.text!r}\n  wanted {wanted}\n  found  {found}"


if __name__ == "__main__":
    main()
