"""How much of the gold cases the rules get right, by language and by half.

    scripts/gold dates [--show]
    scripts/gold beliefs [--show]

dates   time expressions: tests/dates_gold.toml (seen: by the authors of the rules) and tests/dates_gold_blind.toml
        (blind: written without sight of them). right: all expressions of a sentence exactly; wrong: an interval was
        asserted that nobody said; missed: anything else, mostly silence. --show prints every sentence not right.
beliefs what the confidence of beliefs is worth: the Brier score (mean of (confidence - outcome) squared; a coin has
        0.25, less is better) over the golden stories, tests/stories. A belief came true when it was promoted later in
        its story, and not when it was denied; one that stays open says nothing. --show prints each.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from dates_cases import HALVES, VERDICTS, Case, cases
from test_stories import STORIES, tell
from workspaces import consolidate, make, memories

from memory_system import dates


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("dates", "beliefs"))
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.what == "beliefs":
        print_beliefs(show=options.show)
        return
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


# ---- beliefs ----


Held = tuple[str, str, float, bool]  # story, content, confidence after a night, whether it came true


def print_beliefs(*, show: bool) -> None:
    held = [each for path in STORIES for each in beliefs_of(path)]
    brier = sum((confidence - came_true) ** 2 for *_, confidence, came_true in held) / len(held)
    print(f"{len(held)} confidences of beliefs that were decided later, Brier score {brier:.3f}")
    for story, content, confidence, came_true in held if show else ():
        print(f"{story}: {confidence:.2f} {'came true' if came_true else 'denied'}: {content}")


def beliefs_of(path: Path) -> list[Held]:
    """The beliefs of a story as they stood after each of its nights, those that the story decides."""
    story = tomllib.loads(path.read_text("utf-8"))
    stood: list[tuple[str, str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make(root, zone=story["timezone"])
        tell(root, story)
        for expect in story["expect"]:
            consolidate(root, expect["until"])
            found = [each for each in memories(root) if each.id.startswith("b_")]
            stood += [(each.id, each.content, each.confidence) for each in found]
        fates = {each.id: each.retired == "promoted" for each in memories(root, "archive") if each.id.startswith("b_")}
    return [(path.stem, content, sure, fates[each]) for each, content, sure in stood if each in fates]


if __name__ == "__main__":
    main()
