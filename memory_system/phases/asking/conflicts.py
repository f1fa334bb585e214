"""The question of phase 4a: whether what was said later means that an older fact no longer holds. Only pairs that the
rules call a possible conflict are asked about: two values of a slot that holds one, and words that say that something
has changed where the rules do not see what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.phases.asking import lines
from memory_system.records import Fact
from memory_system.store import Memories

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
    shown = doubts[: _form(doubts).fitting(asker, [each.line for each in doubts], asker.room(NAME))]
    asker.expect(NAME, [{"old": each.old.id, "new": each.new.id} for each in shown])
    return _answered(asker, shown, late=False)


def late(asker: Asker, memories: Memories) -> list[Doubt]:
    """The pairs of an earlier night whose older fact no longer holds, as a batch has answered: only of questions whose
    facts all say what they said."""
    found: list[Doubt] = []
    for rows in asker.answered_late(NAME):
        pairs = [(memories.get(row["old"]), memories.get(row["new"])) for row in rows]
        found += _answered(asker, [Doubt(old, new) for old, new in pairs if old and new], late=True)
    return found


def _answered(asker: Asker, doubts: Sequence[Doubt], *, late: bool) -> list[Doubt]:
    found: set[int] = set()
    for start, answer in _form(doubts).ask(asker, [each.line for each in doubts], late=late):
        found |= {start + number - 1 for number in answer.over if 0 < number <= len(doubts) - start}
    return [doubts[number] for number in sorted(found)]


def _form(doubts: Sequence[Doubt]) -> lines.Form[Over]:
    return lines.form(NAME, (each.new.lang for each in doubts), Over, _expected)


def _expected(line: str) -> int:
    return _FORM if line else 0
