"""Draw facts at random from consolidated conversations, each with the talk it comes from, for a reader to judge.

    .venv/bin/python scripts/sampling.py --set DIR [--set DIR …] [--count 50] [--seed 1] [--around 6]

Sets are those of scripts/eval. Every conversation is consolidated as there; the same number of facts is drawn from each
set, by a fixed seed. One JSON object a line: id, set, conversation, content, said_at, event, quote, and `talk`, the
messages around the quote. A reader decides of each: true, self-contained, rightly attributed, rightly dated.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parent))

from evaluation import consolidated


def main() -> None:
    options = parse()
    for folder in options.set:
        conversations = sorted((folder / "transcripts").iterdir())
        with ProcessPoolExecutor(options.jobs) as pool:
            facts = [fact for found in pool.map(facts_of, conversations) for fact in found]
        dice = random.Random(options.seed)  # noqa: S311 - the same draw every time
        for fact in dice.sample(facts, min(len(facts), options.count // len(options.set))):
            talk = list(around(folder / "transcripts" / fact["conversation"], fact["ref"], options.around))
            sys.stdout.buffer.write(orjson.dumps({"set": folder.name, **fact, "talk": talk}) + b"\n")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, action="append", required=True)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--around", type=int, default=6, help="messages before the quote that are shown")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def facts_of(folder: Path) -> list[dict[str, Any]]:
    """The active facts of a conversation, by id."""
    with consolidated(folder) as ws:
        return [
            {
                "conversation": folder.name,
                "id": record.id,
                "content": record.content,
                "said_at": record.said_at,
                "event": record.event_time.model_dump() if record.event_time else None,
                "ref": record.evidence[0].ref,
                "quote": record.evidence[0].quote,
            }
            for pool, record in ws.store.records()
            if pool == "active" and record.id.startswith("f_")
        ]


def around(folder: Path, ref: str, before: int) -> Iterator[str]:
    """The messages of the session up to the one that is cited, and the one after it."""
    session, _, entry = ref.partition(":")
    rows = [orjson.loads(line) for line in (folder / f"{session}.jsonl").open("rb")]
    said = [row for row in rows if row["type"] == "message"]
    place = next(number for number, row in enumerate(said) if row["id"] == entry)
    for row in said[max(0, place - before) : place + 2]:
        text = " ".join(each.get("text", "") for each in row["message"]["content"])
        yield f"{row['timestamp']} {row['message']['role']}: {text[:600]}"


if __name__ == "__main__":
    main()
