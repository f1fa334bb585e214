"""The part `find` of scripts/bench: search over many entries, each figure in a process of its own.

    .venv/bin/python scripts/bench_search.py build|warm ROOT COUNT

Entries are invented messages of about nineteen words, three quarters English and a quarter Chinese, whose words are as
unequally common as those of a language (Zipf); questions ask with five of an entry's words.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

WORDS = 30_000
SESSION = 30  # messages
QUESTIONS = 200
WARMING = ("When did we warm up?", "我们什么时候热身的？")  # what a kind of question needs is read with the first
START = datetime(2024, 1, 1, 8, tzinfo=UTC)
ONSETS = "b|c|ch|d|f|fl|g|gr|h|j|k|l|m|n|p|pl|qu|r|s|sh|st|t|tr|v|w|z"
VOWELS = "a|e|i|o|u|ai|ea|oo"
CODAS = "n|r|s|t|l|m|nd|st|ck|rd"


class Talk:
    """Messages without end, the same every time."""

    def __init__(self) -> None:
        self._dice = random.Random(7)  # noqa: S311 - the same talk every time
        syllables = [onset + vowel for onset in ONSETS.split("|") for vowel in VOWELS.split("|")]
        words = [one + other + coda for one in syllables for other in syllables for coda in CODAS.split("|")]
        self._english = self._dice.sample(words, WORDS)
        signs = [chr(0x4E00 + place) for place in self._dice.sample(range(8_000), 2_000)]
        self._chinese = [self._dice.choice(signs) + self._dice.choice(signs) for _ in range(WORDS)]
        self._weights = list(accumulate(1 / (rank + 20) for rank in range(WORDS)))

    def words(self, count: int, *, chinese: bool) -> list[str]:
        words = self._chinese if chinese else self._english
        return self._dice.choices(words, cum_weights=self._weights, k=count)

    def text(self, number: int) -> str:
        chinese = number % 4 == 3
        words = self.words(14 if chinese else 19, chinese=chinese)
        return ("" if chinese else " ").join(words)


def build(root: Path, count: int) -> None:
    """An index of so many messages in a new workspace; prints what it took."""
    from memory_system import clock
    from memory_system.config import Config
    from memory_system.disk import Files
    from memory_system.layout import Layout
    from memory_system.recall.search_index import Index
    from memory_system.turns import Message
    from memory_system.upkeep import edit

    edit.init(root, "UTC")
    layout, talk = Layout(root.absolute()), Talk()
    size, spent = 0, 0.0
    with Index.rebuilding(layout.search_index, Config(), Files()) as index:
        for first in range(0, count, SESSION):
            session = f"s{first // SESSION:06}"
            begun = START + timedelta(hours=first // SESSION)
            stamps = [clock.stamp(begun + timedelta(minutes=place)) for place in range(SESSION)]
            said = [
                Message(session, f"m{place}", "user", "", stamps[place], talk.text(first + place))
                for place in range(min(SESSION, count - first))
            ]
            _write(layout.sessions / f"{session}.jsonl", said)
            size += sum(len(message.text.encode()) for message in said)
            clocked = time.process_time()
            index.put_messages(f"sessions/{session}.jsonl", said)
            spent += time.process_time() - clocked
        clocked = time.process_time()
    spent += time.process_time() - clocked
    on_disk = (layout.search_index).stat().st_size
    print(json.dumps({"entries": count, "cpu": spent, "text": size, "disk": on_disk}))


def _write(path: Path, said: list[Any]) -> None:
    lines = [{"type": "message", "id": each.entry, "text": each.text} for each in said]
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


def questions(count: int) -> Iterator[str]:
    """Questions about the first entries: words of one, with words that only ask."""
    dice, talk = random.Random(3), Talk()  # noqa: S311 - the same questions every time
    for number in range(min(QUESTIONS, count)):
        text = talk.text(number)
        if number % 4 == 3:
            yield f"{text[4:10]}是什么时候的事？"  # three words of two signs
        else:
            yield f"What did we say about {' '.join(dice.sample(text.split(), 5))}?"


def warm(root: Path, count: int) -> None:
    """Whole answers in one process; prints milliseconds of wall and CPU."""
    from memory_system import finder
    from memory_system.workspace import Workspace

    walls, cpus = [], []
    with Workspace.open(root, now=START + timedelta(days=4_000)) as ws:
        for question in WARMING:
            finder.search(ws, question)
        for question in questions(count):
            wall, cpu = time.perf_counter(), time.process_time()
            finder.search(ws, question)
            walls.append(1_000 * (time.perf_counter() - wall))
            cpus.append(1_000 * (time.process_time() - cpu))
    print(json.dumps({"wall": sorted(walls), "cpu": sorted(cpus)}))


def main() -> None:
    what, root, *more = sys.argv[1:]
    {"build": build, "warm": warm}[what](Path(root), int(more[0]))


if __name__ == "__main__":
    main()
