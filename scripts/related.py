"""Write memory_system/recall/related.<lang>.txt: the words by which people ask for others, as corpus/ labels them.

    scripts/related.py

A row of corpus/related.<lang>.jsonl has a word and those by which one asks for it; a line written here has a word that
asks, in its plainest form, and all that it asks for. From the same corpus come the same bytes.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))


def main() -> None:
    for lang in ("en", "zh"):
        path = PROJECT / f"memory_system/recall/related.{lang}.txt"
        path.write_text(written(lang), "utf-8")
        print(f"{path}: {path.stat().st_size} bytes")


def written(lang: str) -> str:
    """The words that ask, and what they ask for, as the file has them."""
    from memory_system.recall.kinds import plainest

    asks_for: dict[str, dict[str, None]] = defaultdict(dict)
    for line in (PROJECT / f"corpus/related.{lang}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for asking in {*map(plainest, row["asked"])} - {plainest(row["word"]), ""}:
            asks_for[asking][row["word"]] = None
    return "".join(f"{word}\t{'|'.join(asks_for[word])}\n" for word in sorted(asks_for))


if __name__ == "__main__":
    main()
