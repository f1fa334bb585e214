"""Write memory_system/rules/everyday.toml: the terms that many people use, whatever they speak of, counted in corpus/.

    scripts/everyday.py

A term is everyday where one in eight of the people of the corpus uses it, common where one in sixteen does. From the
same corpus come the same bytes.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

SHARES = {"everyday": 1 / 8, "common": 1 / 16}  # of the people
WIDTH = 110  # columns of a line, about
HEAD = "# Terms that many people use, whatever they speak of: they tell little. Written by scripts/everyday.py.\n"


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
        parts.append(f"\n[{lang}]\n")
        count, most = len({row["person"] for row in rows}), math.inf
        for name, share in SHARES.items():
            words = sorted(term for term, who in people.items() if share * count <= len(who) < most)
            most = share * count
            parts.append(f'{name} = """\n{wrapped(words)}\n"""\n')
            print(f"{lang} {name}: {len(words)} terms of {len(people)}")
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
