"""How far a transcript was read, and what reading it gave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from memory_system.records import Problem
from memory_system.turns import Message

ABANDONED, ECHO, KEPT = "abandoned", "echo", "kept"  # marks; any other mark is the stamp a message was given
OPTIONAL = ("base", "key", "chat", "reason", "marks")  # left out of a row where they are empty
FORGOTTEN = "forgotten"  # why nothing is left of a message


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far one session was read. `path` is the file's name in the workspace, `lines` how many of its lines are used
    up and `digest` what they were; `entry` and `last` are the id and the stamp of the last message, `waiting` is the
    stamp of the oldest one that is unread (empty: none).

    The rest is what reading decided and the lines alone will not tell again: `base` the time of messages that have
    none, `key` what its host calls the conversation and `chat` which kind of shared chat it is (empty: none), `reason`
    why the whole session is no source, and `marks` (by line) of messages that were kept or abandoned
    while another branch was active, that echoed files as they were then, or that were given another time."""

    path: str = ""
    size: int = 0
    mtime_ns: int = 0
    lines: int = 0
    digest: str = ""
    entry: str = ""
    last: str = ""
    waiting: str = ""
    base: str = ""
    key: str = ""
    chat: str = ""
    reason: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)

    def to_row(self) -> dict[str, Any]:
        row = {each.name: getattr(self, each.name) for each in fields(self)}
        return {key: value for key, value in row.items() if value or key not in OPTIONAL}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Cursor:
        """The cursor of a row; keys it does not know are left out."""
        return cls(**{each.name: row[each.name] for each in fields(cls) if each.name in row})


@dataclass(slots=True)
class Backlog:
    """What is unread: the sorted stamps of messages by session (sessions without any are left out); and files of which
    nothing can be read."""

    waiting: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class Batch:
    """What one reading gave. `read` is `len(messages)` and the sum of `filtered` together; `again` says that the
    transcript was read from its beginning once more, because it has changed."""

    messages: list[Message] = field(default_factory=list)
    read: int = 0
    filtered: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    cursor: Cursor = field(default_factory=Cursor)
    again: bool = False
