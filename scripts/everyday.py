"""Write memory_system/rules/everyday.toml: the terms that everybody uses, whatever they speak of, counted in corpus/.

    scripts/everyday.py

A term is everyday where one in eight of the people of the corpus uses it. From the same corpus come the same bytes.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

SHARE = 1 / 8  # of the people
WIDTH = 110  # columns of a line, about
HEAD = "# What everybody speaks of, which tells no matter from another: terms. Written by scripts/everyday.py.\n"


def main() -> None:
    from memory_system.understand.matters import terms_of

    parts = [HEAD]
    for lang in ("en", "zh"):
        people: dict[str, set[str]] = defaultdict(set)
        rows = [json.loads(line) for line in (PROJECT / f"corpus/{lang}.jsonl").read_text("utf-8").splitlines()]
        for row in rows:
            for label in (label for message in row["messages"] for label in message.get("labels", ())):
                for term in terms_of(label["s"]):
                    people[term].add(row["person"])
        least = SHARE * len({row["person"] for row in rows})
        words = sorted(term for term, who in people.items() if len(who) >= least)
        parts.append(f'\n[{lang}]\neveryday = """\n{wrapped(words)}\n"""\n')
        print(f"{lang}: {len(words)} terms of {len(people)}")
    (PROJECT / "memory_system/rules/everyday.toml").write_text("".join(parts), "utf-8")


def wrapped(words: list[str]) -> str:
    """The words in lines."""
    lines, last = [], ""
    for word in words:
        if len(last) + len(word) > WIDTH:
            lines.append(last)
            last = ""
        last = f"{last} {word}".strip()
    return "\n".join([*lines, last])


if __name__ == "__main__":
    main()
