"""Measure merging and superseding on pairs of things said on two days (tests/pairs_gold.toml).

    python scripts/gold_pairs.py [--pairs FILE] [--alike THRESHOLD …] [--wrong]

prints precision and recall of merging and superseding by language, for each threshold of likeness.

Each pair is two sessions and two nights of one person: phases 1 to 4b over memories that are kept in the process. What
is asked is what a user would see: `same` is one memory with both as sources, `different` two, `contradicting` is never
one memory, `updated` leaves the newer and retires the older.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import compress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memory_system.config import Config, Thresholds
from memory_system.phases import Night, beliefs, extract, facts, screen, segment
from memory_system.records import Fact
from memory_system.store.draft import Draft
from memory_system.store.store import Memories
from memory_system.turns import Message

GOLD = Path(__file__).resolve().parent.parent / "tests/pairs_gold.toml"
DAYS = ("2026-03-02", "2026-03-05")
SUPERSEDED = {"superseded", "denied"}
REPLACED = ("updated", "contradicting")  # where the newer may take the older's place


class Nothing:
    """No memories yet."""

    def get(self, *_: object) -> None: ...
    def line_of(self, *_: object) -> None: ...
    def pool_of(self, *_: object) -> None: ...
    def find(self, *_: object) -> list[str]:
        return []

    active = leaving_before = find

    def find_alike(self, *_: object) -> dict[Any, Any]:
        return {}

    def knows(self, *_: object) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one pair: whether both were remembered at all, one memory stands on both, the older was retired
    for the newer, the newer stands in a memory of its own."""

    heard: bool
    merged: bool
    superseded: bool
    apart: bool


def outcome_of(first: str, second: str, config: Config) -> tuple[Outcome, list[tuple[str, Fact]]]:
    """The outcome of saying the one and, three days later, the other; and the memories with their pools."""
    memories: Memories = Nothing()
    for words, day in zip((first, second), DAYS, strict=True):
        memories = after(memories, words, day, config)
    drafts = []
    while isinstance(memories, Draft):
        drafts.append(memories)
        memories = memories.base
    ids = dict.fromkeys(each for draft in reversed(drafts) for each in draft.changed)
    found = ((str(drafts[0].pool_of(each)), drafts[0].get(each)) for each in ids)
    kept = [(pool, record) for pool, record in found if record is not None]
    return judged(kept), kept


def after(memories: Memories, words: str, day: str, config: Config) -> Memories:
    """The memories after a night in which these words were heard."""
    night = Night(datetime.fromisoformat(f"{day}T20:00:00").replace(tzinfo=UTC), config)
    message = Message(f"s{day}", "1", "user", "", f"{day}T10:00:00Z", words)
    tally: Counter[str] = Counter()
    turns = screen.run(lambda marks: compress(segment.run([message], night, Counter()), marks), night, tally)
    claims = list(extract.run(turns, night, tally, facts.known_names(memories)))
    stated = facts.run((each for each in claims if each.confidence >= 1), (), memories, night, tally)
    return beliefs.run((each for each in claims if each.confidence < 1), stated, stated, night, tally)


def judged(kept: list[tuple[str, Fact]]) -> Outcome:
    older, newer = (f"s{day}" for day in DAYS)
    cited = [(pool, record, {each.ref.partition(":")[0] for each in record.evidence}) for pool, record in kept]
    merged = any({older, newer} <= refs for pool, _, refs in cited if pool == "active")
    retired = [record for pool, record, refs in cited if pool == "archive" and older in refs]
    return Outcome(
        heard=all(any(session in refs for _, _, refs in cited) for session in (older, newer)),
        merged=merged,
        superseded=any(record.retired in SUPERSEDED for record in retired),
        apart=any(pool == "active" and refs == {newer} for pool, _, refs in cited),
    )


@dataclass(slots=True)
class Figures:
    """Counts of one language by relation (`same near`, `same far`): what was merged and superseded, rightly or not,
    and what there was to find."""

    pairs: Counter[str] = field(default_factory=Counter)
    heard: Counter[str] = field(default_factory=Counter)
    merged: Counter[str] = field(default_factory=Counter)
    superseded: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)

    def add(self, pair: Mapping[str, Any], outcome: Outcome) -> None:
        name = f"{pair['relation']} {pair['degree']}" if "degree" in pair else str(pair["relation"])
        self.pairs[name] += 1
        self.heard[name] += outcome.heard
        self.merged[name] += outcome.merged
        self.superseded[name] += outcome.superseded
        self.right[name] += is_right(pair["relation"], outcome)

    @property
    def merge(self) -> tuple[float, float]:
        """Precision and recall of merging."""
        return share(_same(self.merged), self.merged.total()), share(_same(self.merged), _same(self.pairs))

    @property
    def supersede(self) -> tuple[float, float]:
        """Precision and recall of superseding; what contradicts may be superseded, and need not."""
        good = sum(self.superseded[each] for each in REPLACED)
        return share(good, self.superseded.total()), share(self.right["updated"], self.pairs["updated"])


def _same(counts: Counter[str]) -> int:
    return sum(count for name, count in counts.items() if name.startswith("same"))


def share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def is_right(relation: str, outcome: Outcome) -> bool:
    """Whether the memories are as the relation wants them."""
    if relation == "same":
        return outcome.merged and not outcome.apart and not outcome.superseded
    if relation == "updated":
        return outcome.superseded and outcome.apart and not outcome.merged
    if relation == "different":
        return outcome.heard and not outcome.merged and not outcome.superseded
    return outcome.heard and not outcome.merged


def measured(
    pairs: Iterable[Mapping[str, Any]], least: float = Thresholds().alike
) -> tuple[dict[str, Figures], list[str]]:
    """The figures by language, and what was wrong, told; `least` is the threshold of likeness."""
    config = Config(thresholds=Thresholds(alike=least))
    figures = {lang: Figures() for lang in ("en", "zh")}
    wrong: list[str] = []
    for pair in pairs:
        outcome, kept = outcome_of(pair["first"], pair["second"], config)
        figures[pair["lang"]].add(pair, outcome)
        if not is_right(pair["relation"], outcome):
            wrong.append(_told(pair, outcome, kept))
    return figures, wrong


def _told(pair: Mapping[str, Any], outcome: Outcome, kept: list[tuple[str, Fact]]) -> str:
    marks = "".join(
        sign
        for sign, holds in zip("hmsa", (outcome.heard, outcome.merged, outcome.superseded, outcome.apart), strict=True)
        if holds
    )
    rows = [
        f"      {pool[:3]} {record.id[:1]} {record.subject}/{record.attribute or '-'}={record.value!r}"
        f"{'' if record.polarity else ' NOT'} | {record.content} | {len(record.evidence)} {record.retired or ''}"
        for pool, record in kept
    ]
    return "\n".join(
        [f"{pair['relation']} {pair.get('degree', '')} [{marks}] {pair['first']} | {pair['second']}", *rows]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, default=GOLD)
    parser.add_argument("--alike", type=float, nargs="+", default=[0.8, 0.85, 0.9, 0.95], metavar="THRESHOLD")
    parser.add_argument("--wrong", action="store_true", help="tell every pair that is not as it should be")
    options = parser.parse_args()
    pairs = tomllib.loads(options.pairs.read_text("utf-8"))["pair"]
    for least in options.alike:
        print(f"likeness {least}{' (the program)' if least == Thresholds().alike else ''}")
        report(measured(pairs, least)[0])
    if options.wrong:
        print("\n".join(measured(pairs)[1]))


def report(figures: Mapping[str, Figures]) -> None:
    for lang, each in figures.items():
        merge, supersede = (f"{precision:.3f} {recall:.3f}" for precision, recall in (each.merge, each.supersede))
        print(f"  {lang}  merge {merge}   supersede {supersede}   (precision, recall)")
        for name, count in each.pairs.items():
            told = f"heard {each.heard[name]:2}  merged {each.merged[name]:2}  superseded {each.superseded[name]:2}"
            print(f"     {name:14} {each.right[name]:2} of {count:2} right  {told}")


if __name__ == "__main__":
    main()
