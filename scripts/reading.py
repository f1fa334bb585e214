"""How the checks of a model's answers do on answers that are known to be true or false.

    scripts/reading [--json] [--list]

corpus/readings.*.jsonl hold six written lives as a model was asked about them, night by night: the talk, the lines that
were sent, what was known, and operations. Those that hold are the answers of somebody who read each question in the
model's place; those that do not were made from them on purpose by somebody else, in eleven ways. --list names those
that are refused although they hold, and those that pass although they do not.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import orjson

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT)]

from memory_system.clock import read_stamp  # noqa: E402 - after the path to it is known
from memory_system.config import Config  # noqa: E402 - likewise
from memory_system.phases import Night, by_model, screen, segment, shown, support  # noqa: E402 - likewise
from memory_system.phases.basis import Basis, Operation  # noqa: E402 - likewise
from memory_system.phases.shown import Known  # noqa: E402 - likewise
from memory_system.privacy.trust import Guard  # noqa: E402 - likewise
from memory_system.records import EventTime, Evidence, Fact  # noqa: E402 - likewise
from memory_system.turns import Message  # noqa: E402 - likewise

CORPUS = PROJECT / "corpus"
Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    for lang in ("en", "zh"):
        rows = list(judged(lang))
        print(orjson.dumps(shares(rows)).decode() if options.json else f"{lang} {shares(rows)}")
        for each, reason in rows if options.list else ():
            if each["holds"] == bool(reason):
                print(" ", reason or "passes", each["op"], each.get("why", ""))


def shares(rows: list[tuple[Row, str]]) -> Row:
    """Of the operations that hold the share that is refused, of the others the share that passes, by kind as well."""
    true = [bool(reason) for each, reason in rows if each["holds"]]
    false = [not reason for each, reason in rows if not each["holds"]]
    kinds = Counter(each["why"] for each, reason in rows if not each["holds"] and not reason)
    return {
        "true": len(true),
        "refused": round(sum(true) / len(true), 4),
        "false": len(false),
        "passed": round(sum(false) / len(false), 4),
        "passed by kind": dict(sorted(kinds.items())),
    }


def judged(lang: str) -> Iterator[tuple[Row, str]]:
    """Every operation, and why the checks refuse it; empty where they do not."""
    for row in map(orjson.loads, (CORPUS / f"readings.{lang}.jsonl").read_bytes().splitlines()):
        lines, known = _lines(row), Known({name: _fact(name, each) for name, each in row["known"].items()})
        for each in row["operations"]:
            basis = Basis(Operation(**each["op"]), lines, known, frozenset(row["near"]), UTC)
            reasons = [by_model.fault(kept) for kept in support.as_kept(basis)]
            yield each, next(filter(None, reasons), "") if each["holds"] else min(reasons)


def _lines(row: Row) -> list[shown.Line]:
    """The lines that were sent, as the program reads them today."""
    turns = [turn for said in row["talk"] for turn in segment.run(_messages(said), _night(said), Counter())]
    heard = list(screen.in_order(turns, Config(), Guard()))
    withheld = [shown.Line(turn.message, judged) for turn, judged in heard if judged]  # which are sent no more
    lines = [*shown.lines_of(heard), *withheld]
    return [_line(each["ref"], each["span"], lines) for each in row["lines"]]


def _line(ref: str, span: tuple[int, int], lines: Iterable[shown.Line]) -> shown.Line:
    """A line as it was sent, of the segments that the program makes of it today."""
    start, end = span
    parts = [each for each in lines if each.message.ref == ref and each.span[0] < end and start < each.span[1]]
    parts = parts[:-1] or parts
    judged = [one for each in parts for one in each.judged if one.segment.start < end and start < one.segment.end]
    return shown.Line(parts[0].message, judged, parts[0].before)


def _messages(said: Row) -> Iterator[Message]:
    for number, (role, at, words) in enumerate(said["messages"], 1):
        yield Message(said["session"], str(number), role, "", at, words)


def _night(said: Row) -> Night:
    return Night(read_stamp(said["messages"][-1][1]), Config())


def _fact(name: str, row: Row) -> Fact:
    event = EventTime(**row["event_time"]) if "event_time" in row else None
    base = {"id": f"f_20260406_{name:a>10}", "importance": 0.5, "score": 0.5, "said_at": "2026-04-05T09:00:00Z"}
    evidence = (Evidence(ref="known:1", quote=row["content"], said_at=base["said_at"]),)
    return Fact(**{**base, **row, "event_time": event, "evidence": evidence})


if __name__ == "__main__":
    main()
