"""The question of phase 4b: whether a fact of the night confirms or denies a belief that shares a name or its words
with it. What a model says of a belief moves its confidence, but never as far as a person's word does: it makes no fact
and archives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

from memory_system.llm.asking import Asker
from memory_system.phases.asking import lines
from memory_system.records import Belief, Fact
from memory_system.store.store import Memories

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


Verdict = Literal["confirm", "deny"]
Judged = tuple[Pair, Verdict]


def judged(asker: Asker, pairs: Sequence[Pair]) -> list[Judged]:
    """The pairs in which the fact confirms or denies the belief, in their order; one that is said to do both does
    neither."""
    told = [each.line for each in pairs]
    form = lines.form(NAME, (each.belief.lang for each in pairs), Verdicts, _expected)
    count = form.fitting(asker, told, asker.room(NAME))
    rows = [{"belief": each.belief.id, "fact": each.fact.id, "line": each.line} for each in pairs[:count]]
    answers = form.ask(asker, told[:count], rows)
    return [(pairs[place], verdict) for places, answer in answers for place, verdict in _verdicts(answer, places)]


def late(asker: Asker, memories: Memories) -> Iterator[Judged]:
    """What a batch has answered about pairs of an earlier night: those that still say what was asked about."""
    for rows, answer, _ in asker.answered(NAME, Verdicts):
        for place, verdict in _verdicts(answer, range(len(rows))):
            belief, fact = memories.get(rows[place]["belief"]), memories.get(rows[place]["fact"])
            if isinstance(belief, Belief) and fact and Pair(belief, fact).line == rows[place]["line"]:
                yield Pair(belief, fact), verdict


def _verdicts(answer: Verdicts, places: range) -> Iterator[tuple[int, Verdict]]:
    """What the answer says of these places."""
    confirmed, denied = (set(lines.meant(numbers, places)) for numbers in (answer.confirm, answer.deny))
    for place in sorted(confirmed ^ denied):
        yield place, "confirm" if place in confirmed else "deny"


def _expected(line: str) -> int:
    return _FORM if line else 0
