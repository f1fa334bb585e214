"""The question of phase 4b: whether a fact of the night confirms or denies a belief that shares a name or its words
with it. What a model says of a belief moves its confidence, but never as far as a person's word does: it makes no fact
and archives nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.llm.prompts import template
from memory_system.phases.asking import lines
from memory_system.records import Belief, Fact

NAME = "beliefs"
_FORM = 3  # tokens of a number


class Verdicts(BaseModel):
    confirm: list[int]
    deny: list[int]


@dataclass(frozen=True, slots=True)
class Pair:
    """A belief, and a fact that may bear on it."""

    belief: Belief
    fact: Fact

    @property
    def line(self) -> str:
        return f"{lines.quoted(self.belief.content)} | {lines.quoted(self.fact.content)}"


Judged = tuple[Pair, Literal["confirm", "deny"]]


def judged(asker: Asker, pairs: Sequence[Pair]) -> list[Judged]:
    """The pairs in which the fact confirms or denies the belief, in their order; one that is said to do both does
    neither."""
    told = [each.line for each in pairs]
    form = template(NAME, lines.language_of(each.belief.lang for each in pairs))
    count = lines.fitting(told, _expected, asker.room(NAME), lines.fixed_cost(form, Verdicts))
    found: dict[int, Literal["confirm", "deny"]] = {}
    for start, answer in lines.ask(asker, form, Verdicts, told[:count], _expected) if count else ():
        for number in set(answer.confirm) ^ set(answer.deny):
            if 0 < number <= count - start:
                found[start + number - 1] = "confirm" if number in answer.confirm else "deny"
    return [(pairs[number], found[number]) for number in sorted(found)]


def _expected(line: str) -> int:
    return _FORM if line else 0
