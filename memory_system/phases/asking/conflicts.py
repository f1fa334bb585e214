"""The question of phase 4a: whether what was said later means that an older fact no longer holds. Only pairs that the
rules call a possible conflict are asked about: two values of a slot that holds one, and words that say that something
has changed where the rules do not see what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.llm.prompts import template
from memory_system.phases.asking import lines
from memory_system.records import Fact

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
    form = template(NAME, lines.language_of(each.new.lang for each in doubts))
    count = lines.fitting(told, _expected, asker.room(NAME), lines.fixed_cost(form, Over))
    found: set[int] = set()
    for start, answer in lines.ask(asker, form, Over, told[:count], _expected) if count else ():
        found |= {start + number - 1 for number in answer.over if 0 < number <= count - start}
    return [doubts[number] for number in sorted(found)]


def _expected(line: str) -> int:
    return _FORM if line else 0
