"""The form of a model's answer: operations on the memory, each with the lines that it rests on."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

USUAL = 60  # tokens of an answer beside what it tells of the lines
SHARE = 0.9  # tokens of it for one of the lines: what is reckoned with
MOST = 3  # the same, and so many times the usual, where there is room

Kind = Literal["profile", "health", "relation", "preference", "instruction", "plan", "event", "project"]


class Operation(BaseModel):
    op: Literal["add", "update", "end"]
    lines: list[int]
    id: str = ""  # of the memory that is updated or ended
    about: str = ""  # user, or a name; whom a slot is of
    slot: str = ""
    value: str = ""
    text: str = ""
    when: str = ""  # start, or start/end: local ISO dates or times
    until: str = ""
    maybe: bool = False
    kind: Kind = "event"


class Operations(BaseModel):
    operations: list[Operation]


def reckoned(lines: int) -> int:
    """The tokens that lines of so many take with an answer."""
    return int((1 + SHARE) * lines)


def most(lines: int, spare: int) -> int:
    """The most tokens that an answer about lines of so many tokens may take, with so many to spare."""
    return min(USUAL + int(SHARE * lines) + spare, MOST * (USUAL + lines))


def told(operation: Operation) -> str:
    """All that an operation says, for looking at its words."""
    return " ".join(filter(None, (operation.text, operation.value)))
