"""What a night leaves out only because its share is used up waits for a week: a later night that does not use up its
own takes the best of it. So the share holds over the nights together, and a long day loses nothing to the short ones
after it. Only places are remembered, and no words: those are read again from the transcript. Questions that name
something wait longer, only to be counted (`understanding/wondering.py`): they take no room, and no night takes them up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property

from memory_system import clock
from memory_system.phases import Night, segment
from memory_system.phases.judge import NEVER
from memory_system.phases.understanding.wondering import Wondered, wondered
from memory_system.records import session_of
from memory_system.turns import Message, Segment, Turn

MOST = 100  # stretches of one night that wait: no later night has room for more
_WAITS = timedelta(days=7)
_COUNTS = timedelta(days=30)  # within which a question counts with those of other days
_BEFORE = 3  # messages before one that may say what it speaks of


@dataclass(frozen=True, slots=True)
class Left:
    """A stretch of a message: what it would have cost in tokens, and the score it had; NEVER for a question that only
    counts."""

    ref: str
    start: int
    end: int
    cost: int
    score: float

    @property
    def only_counts(self) -> bool:
        return self.score <= NEVER

    def to_row(self) -> str:
        return f"{self.ref}@{self.start}-{self.end} {self.cost} {self.score:.2f}"

    @classmethod
    def from_row(cls, row: str) -> Left:
        place, cost, score = row.rsplit(" ", 2)
        ref, _, span = place.rpartition("@")
        start, _, end = span.partition("-")
        return cls(ref, int(start), int(end), int(cost), float(score))


class LeftOver:
    """What earlier nights have left (`rows`, by the night's stamp), and what becomes of it in this one. `reread` gives
    the messages of a session as they were read; `topics` are what the night's questions name, those that are kept
    among them."""

    def __init__(self, rows: Mapping[str, list[str]], night: Night, reread: Callable[[str], Iterable[Message]]) -> None:
        self._rows, self._night, self._reread = rows, night, reread
        self._gone: set[str] = set()
        self._new: list[str] = []
        self._counted: list[Wondered] = []
        self._questions = 0
        self.topics: set[str] = set()
        self._sessions: dict[str, tuple[list[Message], dict[str, int]]] = {}

    @cached_property
    def waiting(self) -> list[Left]:
        """What still waits to be taken up, best first; of equals the one that has waited longer."""
        return sorted((each for each in self._rows_waiting() if not each.only_counts), key=lambda each: -each.score)

    def _rows_waiting(self) -> Iterator[Left]:
        return (Left.from_row(row) for stamp in sorted(self._rows) for row in self._still(stamp))

    def _still(self, stamp: str) -> Iterator[str]:
        """The rows of a night that still wait."""
        for row in self._rows[stamp]:
            waits = _COUNTS if Left.from_row(row).only_counts else _WAITS
            if stamp >= clock.stamp(self._night.at - waits):
                yield row

    def turn(self, left: Left) -> Turn | None:
        """Its message with the segments of the stretch, which waits no longer; None where nothing is left of it."""
        self._gone.add(left.to_row())
        messages, places = self._session(session_of(left.ref))
        if (at := places.get(left.ref)) is None:
            return None
        *_, turn = segment.run(messages[max(0, at - _BEFORE) : at + 1], self._night, Counter())
        segments = [each for each in turn.segments if left.start <= each.start and each.end <= left.end]
        return replace(turn, segments=segments) if segments else None

    def voices(self, session: str) -> Iterator[Turn]:
        """One empty turn for each person who is named in the session: they tell who "you" is."""
        first = {each.speaker: each for each in reversed(self._session(session)[0]) if each.speaker}
        yield from map(Turn, first.values())

    def leave(self, left: Left) -> None:
        """Let a stretch of this night wait."""
        self._new.append(left.to_row())

    def count(self, turn: Turn, asked: Segment) -> None:
        """Let a question of this night that is not kept wait, to be counted; on one day once for what it names."""
        found = wondered(turn.message, turn.text_of(asked))
        known = {(each.name, self._day(each)) for each in self._counted}
        if all((each.name, self._day(each)) in known for each in found) or self._questions >= MOST:
            return
        self._questions += 1
        self._counted += found
        self._new.append(Left(turn.message.ref, asked.start, asked.end, 0, NEVER).to_row())

    def _day(self, asked: Wondered) -> date:
        return clock.local_date(clock.read_stamp(asked.said_at), self._night.zone)

    def counted(self) -> Iterator[Wondered]:
        """The questions that are not kept: those of this night, and those before it that name what this one's do."""
        yield from self._counted
        for left in self._rows_waiting() if self.topics else ():
            messages, places = self._session(session_of(left.ref)) if left.only_counts else ([], {})
            if (at := places.get(left.ref)) is not None:
                found = wondered(messages[at], messages[at].text[left.start : left.end])
                yield from (each for each in found if each.name in self.topics)

    def moved(self) -> Iterator[dict[str, object]]:
        """What waits from now on, by night, as far as it is another than before; None for nothing more."""
        for stamp, rows in self._rows.items():
            stays = [row for row in self._still(stamp) if row not in self._gone]
            if stays != rows:
                yield {"night": stamp, "rows": stays or None}
        if self._new:
            yield {"night": self._night.stamp, "rows": self._new}

    def _session(self, session: str) -> tuple[list[Message], dict[str, int]]:
        """The messages of the session, and where each stands among them."""
        if session not in self._sessions:
            messages = list(self._reread(session))
            self._sessions[session] = messages, {each.ref: at for at, each in enumerate(messages)}
        return self._sessions[session]
