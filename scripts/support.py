"""Names, numbers and dates in memories that none of their sources supports. There should be none.

    .venv/bin/python scripts/support.py --set DIR [--set DIR …] [--keep SHARE] [--jobs N] [--show]
    .venv/bin/python scripts/support.py --workspace DIR [--show]

Sources of a memory are the messages that it cites, the question that such a message answers or the statement that it
leans on (told as "on:"), who takes part, and the dates that those words mean on the day they were said. A summary
stands on its memories' sources. --set consolidates the conversations of a set as scripts/eval does; --workspace looks
at what is there. Exit status 1 if anything is found.
"""

from __future__ import annotations

import argparse
import calendar
import re
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from evaluation import consolidated
from memory_system.phrasing.naming import named

from memory_system import clock, dates
from memory_system.dates.atoms import numeral
from memory_system.readers.cursors import Cursor
from memory_system.records import STOCK_NAMES, Fact
from memory_system.rules import table
from memory_system.turns import Message
from memory_system.workspace import Workspace

_NUMBER = re.compile(r"\d+")
_YEARS = re.compile(r"[\w-]+(?= years?\b)|[\d零〇一二两三四五六七八九十百]+(?=年)", re.IGNORECASE)
_TOPIC = ("(on: ", "（谈到：")
_REACH = 3  # messages back within which a statement stands that is leaned on
_HAN_NUMBER = re.compile("[零〇一二两三四五六七八九十百廿]+")
_MONTHS, _DAYS = calendar.month_name, calendar.day_name
_STOCK = frozenset(word.lower() for name in STOCK_NAMES for word in (name, *name.split()))
_ENGLISH = {word: number for number, word in enumerate(str(table("alike", "en")["numbers"]).split())}


@dataclass(frozen=True, slots=True)
class Source:
    """What the messages behind a memory say: their words in small letters, and the numbers that may stand for them."""

    words: str
    numbers: frozenset[int]
    dates: frozenset[str]


def main() -> int:
    options = parse()
    found = [row for rows in looked_through(options) for row in rows]
    checked = sum(count for _, count, _ in found)
    missing = [(record_id, content, word) for record_id, _, lost in found for content, word in lost]
    print(f"{len(found)} memories, {checked} names and numbers, {len(missing)} that no source supports")
    for record_id, content, word in missing if options.show else ():
        print(f"{record_id}  {word!r}  {content}")
    return 1 if missing else 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, action="append", default=[])
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--keep", type=float, help="screen.keep_share instead of the default")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true")
    return parser.parse_args()


Messages = dict[str, tuple[Message, tuple[Message, ...], str]]
Row = tuple[str, int, list[tuple[str, str]]]  # id, names and numbers in it, (content, one that is not supported)


def looked_through(options: argparse.Namespace) -> Iterator[list[Row]]:
    if options.workspace:
        with Workspace.open(options.workspace, now=datetime.now(UTC)) as ws:
            yield list(rows_of(ws))
    folders = [each for folder in options.set for each in sorted((folder / "transcripts").iterdir())]
    with ProcessPoolExecutor(options.jobs) as pool:
        yield from pool.map(partial(of_conversation, keep=options.keep), folders)


def of_conversation(folder: Path, keep: float | None = None) -> list[Row]:
    with consolidated(folder, keep) as ws:
        return list(rows_of(ws))


def rows_of(ws: Workspace) -> Iterator[Row]:
    """Every active memory of the workspace."""
    messages = messages_of(ws)
    active = {record.id: record for pool, record in ws.store.records() if pool == "active"}
    for record in active.values():
        stood_on = [active[each] for each in getattr(record, "source_facts", ()) if each in active] or [record]
        cited = {each.ref for fact in stood_on for each in fact.evidence}
        leans = any(sign in record.content for sign in _TOPIC)
        source = source_of(cited, messages, ws, _REACH if leans else 1)
        words = [*said_names(record), *_NUMBER.findall(record.content)]
        yield record.id, len(words), [(record.content, word) for word in words if not is_supported(word, source)]


def messages_of(ws: Workspace) -> Messages:
    """By ref every message that is read, with those right before it in its session, the nearest first, and the names of
    all who speak there."""
    found: Messages = {}
    for session, row in ws.checkpoint.state.cursors.items():
        said = list(ws.library.reread(session, Cursor.from_row(row)))
        names = " ".join({message.speaker for message in said})
        for place, message in enumerate(said):
            found[message.ref] = message, tuple(reversed(said[max(0, place - _REACH) : place])), names
    return found


def source_of(refs: Iterable[str], messages: Messages, ws: Workspace, reach: int) -> Source:
    """What the cited messages support, each with so many before it."""
    words, numbers, written = [], set[int](), set[str]()
    for ref in refs:
        if ref not in messages:  # a note's, or set by hand: nothing to compare with
            continue
        message, before, names = messages[ref]
        words.append(names)
        anchor = clock.read_stamp(message.said_at).astimezone(ws.config.zone)
        for each in (message, *before[:reach]):
            words.append(each.text)
            numbers |= numbers_in(each.text) | {anchor.year - count for count in years_in(each.text)}
            for moment in (anchor, *moments(each.text, anchor)):
                numbers |= {moment.year, moment.month, moment.day, moment.hour, moment.hour % 12 or 12, moment.minute}
                numbers |= {moment.year // 10 * 10}
                written |= {_MONTHS[moment.month], _DAYS[moment.weekday()]}
    return Source(" ".join(words).casefold(), frozenset(numbers), frozenset(written))


def moments(text: str, anchor: datetime) -> Iterator[datetime]:
    """The moments that the dates in a text begin and end with."""
    for when in dates.find(text, anchor):
        yield from (when.start, when.end, when.end - timedelta(minutes=1))


def numbers_in(text: str) -> set[int]:
    """The numbers of a text, written as figures or as words."""
    found = {int(each) for each in _NUMBER.findall(text)}
    found |= {number for each in _HAN_NUMBER.findall(text) if (number := numeral(each)) is not None}
    return found | {_ENGLISH[each] for each in re.findall(r"[a-z]+", text.lower()) if each in _ENGLISH}


def years_in(text: str) -> set[int]:
    """For how many years something has lasted that the text speaks of: the year it began follows from them."""
    return {count for each in _YEARS.findall(text) for count in numbers_in(each)}


def said_names(record: Fact) -> list[str]:
    """The names in a memory, word by word, but for what it calls a user and an assistant without a name."""
    found = named(record.content, "zh" if record.lang == "zh" else "en", record.entities)
    split = [word for name in found for word in (name.split() if name.isascii() else name.split("的"))]
    return [each for each in split if each.lower() not in _STOCK and not each.isdigit()]


def is_supported(word: str, source: Source) -> bool:
    if word.isdigit():
        return int(word) in source.numbers or word in source.words
    return word in source.dates or word.casefold().removesuffix("'s") in source.words.replace("’", "'")


if __name__ == "__main__":
    sys.exit(main())
