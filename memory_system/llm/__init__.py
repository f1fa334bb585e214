"""The port to a language model: one question, one answer in a schema. Phases take it as an option and work without.

`claude` is the one adapter, `scripted` the fake that ships with the package; `asking` is what phases are given: it
keeps every answer before it is used, spends within a budget and writes the ledger.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Protocol, TypeVar

from pydantic import BaseModel

from memory_system.errors import LLMError

WHERE = "language model"  # the place of its problems in a report
Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A question. `constant` is the same for every question of its name, `input` is what this one is about, `most` is
    how many tokens the answer may have, `digest` names the file, its version and its hash."""

    name: str
    constant: str
    input: str
    most: int
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking has cost so far: requests; tokens sent, received, read from the cache, written to it; seconds."""

    calls: int = 0
    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        return self.input + self.output + self.cached + self.written

    def plus(self, other: Usage) -> Usage:
        return self._each(other, 1)

    def minus(self, other: Usage) -> Usage:
        return self._each(other, -1)

    def _each(self, other: Usage, sign: int) -> Usage:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Usage(*(round(mine + sign * its, 3) for mine, its in pairs))


class AskError(LLMError):
    """A question got no answer. `kind` says why in one word, `retryable` whether the same question may get one another
    time."""

    def __init__(self, kind: str, what: str = "", *, retryable: bool = False) -> None:
        super().__init__(what or f"the language model gave no answer: {kind}")
        self.kind = kind
        self.retryable = retryable


class LLM(Protocol):
    """Anything that can answer. `model` names it, `spent` counts all that was asked of it."""

    model: str
    spent: Usage

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        """The answer, valid in the schema; AskError when there is none."""
        ...
