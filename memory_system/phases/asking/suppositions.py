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
from memory_system.phases.asking import lines
from memory_system.records import Belief, Fact
from memory_system.store import Memories

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
    shown = pairs[: _form(pairs).fitting(asker, [each.line for each in pairs], asker.room(NAME))]
    asker.expect(NAME, [{"belief": each.belief.id, "fact": each.fact.id} for each in shown])
    return _answered(asker, shown, late=False)


def late(asker: Asker, memories: Memories) -> list[Judged]:
    """What a batch has answered about pairs of an earlier night: only of questions whose memories all say what they
    said."""
    found: list[Judged] = []
    for rows in asker.answered_late(NAME):
        both = [(memories.get(row["belief"]), memories.get(row["fact"])) for row in rows]
        pairs = [Pair(belief, fact) for belief, fact in both if isinstance(belief, Belief) and fact]
        found += _answered(asker, pairs, late=True)
    return found


def _answered(asker: Asker, pairs: Sequence[Pair], *, late: bool) -> list[Judged]:
    found: dict[int, Literal["confirm", "deny"]] = {}
    for start, answer in _form(pairs).ask(asker, [each.line for each in pairs], late=late):
        for number in set(answer.confirm) ^ set(answer.deny):
            if 0 < number <= len(pairs) - start:
                found[start + number - 1] = "confirm" if number in answer.confirm else "deny"
    return [(pairs[number], found[number]) for number in sorted(found)]


def _form(pairs: Sequence[Pair]) -> lines.Form[Verdicts]:
    return lines.form(NAME, (each.belief.lang for each in pairs), Verdicts, _expected)


def _expected(line: str) -> int:
    return _FORM if line else 0
