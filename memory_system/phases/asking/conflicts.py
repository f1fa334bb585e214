"""The question of phase 4a: whether what was said later means that an older fact no longer holds. Only pairs that the
rules call a possible conflict are asked about: two values of a slot that holds one, and words that say that something
has changed where the rules do not see what.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.phases.asking import lines
from memory_system.records import Fact
from memory_system.store.store import Memories

NAME = "conflict"
_FORM = 3  # tokens of a number


class Over(BaseModel):
    over: list[int]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A new fact, and an older one that may be over with it."""

    old: Fact
    new: Fact

    @property
    def line(self) -> str:
        quote = self.new.evidence[0].quote if self.new.evidence else self.new.content
        return f"{lines.quoted(self.old.content)} | {lines.quoted(quote)}"


def over(asker: Asker, doubts: Sequence[Doubt]) -> list[Doubt]:
    """Those of the pairs whose older fact no longer holds, in their order; none where there is no answer."""
    told = [each.line for each in doubts]
    form = lines.form(NAME, (each.new.lang for each in doubts), Over, _expected)
    count = form.fitting(asker, told, asker.room(NAME))
    rows = [{"old": each.old.id, "new": each.new.id, "line": each.line} for each in doubts[:count]]
    answers = form.ask(asker, told[:count], rows)
    return [doubts[place] for places, answer in answers for place in lines.meant(answer.over, places)]


def late(asker: Asker, memories: Memories) -> Iterator[Doubt]:
    """The pairs of an earlier night whose older fact no longer holds, as a batch has answered: those that still say
    what was asked about."""
    for rows, answer, _ in asker.answered(NAME, Over):
        for place in lines.meant(answer.over, range(len(rows))):
            old, new = memories.get(rows[place]["old"]), memories.get(rows[place]["new"])
            if old and new and Doubt(old, new).line == rows[place]["line"]:
                yield Doubt(old, new)


def _expected(line: str) -> int:
    return _FORM if line else 0
