"""The gold cases of time expressions: how their files read, and how what was found is judged by them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from memory_system.dates import When

HALVES = {"seen": "dates_gold.toml", "blind": "dates_gold_blind.toml"}  # by the authors of the rules, and without them
VERDICTS = ("right", "wrong", "missed")
PARTS = {"morning": (6, 6), "afternoon": (12, 6), "evening": (18, 6), "night": (18, 12)}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_HAN = re.compile("[\u4e00-\u9fff]")
_ADDED = re.compile(
    r" ?\[\d{4}[\d/ :-]*\]| ?\[\d+ \w+ \d{4}\]| ?\[\d{4}年[\d月日]*\]| \(said [\w ]+\)$|（[\d年月日]+说）$"
)

Meaning = tuple[datetime, datetime, str]  # [start, end) in naive local time, granularity


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, when it was said, and every time expression in it: its words and the notation of its meaning."""

    anchor: datetime
    text: str
    expected: tuple[tuple[str, str], ...]

    @property
    def lang(self) -> str:
        return "zh" if _HAN.search(self.text) else "en"

    def judge(self, found: Iterable[When]) -> str:
        """right: exactly these expressions; wrong: an interval that nobody said; missed: anything else."""
        wanted = [(words, *meaning(sense)) for words, sense in self.expected]
        told = [(when.text, when.start, when.end, when.granularity) for when in found]
        if told == wanted:
            return "right"
        return "missed" if {each[1:] for each in told} <= {each[1:] for each in wanted} else "wrong"


def cases(half: str) -> list[Case]:
    """All cases of that half (a name in HALVES)."""
    blocks = tomllib.loads((Path(__file__).parent / HALVES[half]).read_text("utf-8"))["said"]
    return [
        Case(
            datetime.fromisoformat(block["at"]).replace(tzinfo=ZoneInfo(block["zone"])),
            text,
            tuple((words, sense) for words, _, sense in (each.partition(" = ") for each in expected)),
        )
        for block in blocks
        for text, *expected in block["cases"]
    ]


def kinds(half: str) -> list[tuple[str, Case, str]]:
    """Of what kind each of these cases is, the case, and the meaning of the event where it tells one; the half that
    the rules were `first` measured by, or the `cases` they were made for."""
    blocks = tomllib.loads((Path(__file__).parent / "dates_kinds.toml").read_text("utf-8"))["said"]
    found = []
    for block in blocks:
        anchor = datetime.fromisoformat(block["at"]).replace(tzinfo=ZoneInfo(block["zone"]))
        for text, *expected in block[half]:
            pairs = [(words, sense) for words, _, sense in (each.partition(" = ") for each in expected)]
            event = next((sense for words, sense in pairs if words == "event"), "")
            told = tuple(pair for pair in pairs if pair[0] != "event")
            found.append((block["kind"], Case(anchor, text, told), event))
    return found


def undated(text: str) -> str:
    """What was really said, of a text as search shows it: without the dates that the program adds."""
    return _ADDED.sub("", text)


def marked_cases() -> list[tuple[str, datetime, str, str]]:
    """Language, when it was said, the words, and the same with their dates in brackets."""
    blocks = tomllib.loads((Path(__file__).parent / "dates_marked.toml").read_text("utf-8"))["said"]
    return [
        (block["lang"], datetime.fromisoformat(block["at"]).replace(tzinfo=ZoneInfo(block["zone"])), row[0], row[-1])
        for block in blocks
        for row in block["cases"]
    ]


def meaning(text: str) -> Meaning:
    """The interval that the notation of the gold files names."""
    if text[0] in "WE":
        return days(date.fromisoformat(text[1:]), 7 if text[0] == "W" else 2, "week" if text[0] == "W" else "weekend")
    head, _, tail = text.partition(" ")
    if tail in PARTS:
        hour, hours = PARTS[tail]
        start = midnight(date.fromisoformat(head)) + timedelta(hours=hour)
        return start, start + timedelta(hours=hours), "part"
    if tail in SEASONS:
        return months(date(int(head), SEASONS[tail], 1), 3, "season")
    if tail.startswith("Q"):
        return months(date(int(head), int(tail[1]) * 3 - 2, 1), 3, "quarter")
    if tail:
        return third(date.fromisoformat(head + "-01"), {"early": 0, "mid": 10, "late": 20}[tail])
    return plain(text)


def plain(text: str) -> Meaning:
    """What is written in figures alone: from the minute to the decade."""
    if "T" in text:
        exact = "minute" if ":" in text else "hour"
        start = datetime.fromisoformat(text if ":" in text else text + ":00")
        return start, start + timedelta(**{exact + "s": 1}), exact
    if text.endswith("s"):
        return months(date(int(text[:-1]), 1, 1), 120, "decade")
    if len(text) == 4:
        return months(date(int(text), 1, 1), 12, "year")
    if len(text) == 7:
        return months(date.fromisoformat(text + "-01"), 1, "month")
    return days(date.fromisoformat(text), 1, "day")


def third(first: date, days_on: int) -> Meaning:
    start = first + timedelta(days=days_on)
    end = months_on(first, 1) if days_on == 20 else start + timedelta(days=10)
    return midnight(start), midnight(end), "third"


def days(first: date, number: int, granularity: str) -> Meaning:
    return midnight(first), midnight(first + timedelta(days=number)), granularity


def months(first: date, number: int, granularity: str) -> Meaning:
    return midnight(first), midnight(months_on(first, number)), granularity


def months_on(first: date, months: int) -> date:
    number = first.year * 12 + first.month - 1 + months
    return date(number // 12, number % 12 + 1, 1)


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)  # noqa: DTZ001  naive local time is the contract
