"""What every transcript format is turned into: entries, one for each line (or paragraph) that matters, and what a file
says of itself at its head. A format module speaks in these words and knows nothing of cursors, filters or files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any, Protocol

from memory_system import clock

Row = dict[str, Any] | str  # a line of JSON, or a line of a Markdown file
FOLLOWS = ""  # the parent of an entry that simply comes after the one before it
CONTROL = ""  # the role of a record that is no message
EARLIEST = datetime(1980, 1, 1, tzinfo=UTC)  # what says it is older was written without a clock
LONGEST_ID = 128
SHARED = ("group", "channel")  # kinds of chats that others see, and why they are no source
LONGEST_NAME = 64
LONGEST_ROLE = 40  # by which it is counted
_COMMON = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", re.ASCII).fullmatch  # needs no printing


class UnreadableError(OSError):
    """A transcript of which nothing can be read now, and what to do about it."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.hint = hint


@dataclass(slots=True)
class Entry:
    """One message or control record. `line` is the last line it covers, `time` a stamp or empty when the line has none
    that can be used. `parent` is the id it answers, FOLLOWS, or None for a new root. `reason` says why its form alone
    makes it no message (tool text, a sub-agent's, …), `flaw` what is wrong with it. With `moves` the entry is no part
    of the conversation: it makes `parent` the tip of the active branch."""

    line: int
    id: str
    role: str
    time: str
    text: str = ""
    parent: str | None = FOLLOWS
    reason: str = ""
    flaw: str = ""
    moves: bool = False

    @property
    def name(self) -> str:
        """By which a ref knows it: its id, or its line where it has none."""
        return self.id or str(self.line)


@dataclass(slots=True)
class Header:
    """What a file says of itself: its session's id (empty: the file's name decides), when it began (a stamp or empty),
    who speaks in which role, the key of its conversation, and why all of it is no source (empty: it is one). `roles`
    are those that its writers call otherwise; empty for a host that has roles of its own."""

    session: str = ""
    time: str = ""
    participants: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    reason: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Held:
    """A session that a database holds: its id, the key of its conversation, why all of it is no source (empty: it is
    one), whether the host was told to forget it, and which archive of it this is (empty: the session itself)."""

    session: str
    key: str = ""
    reason: str = ""
    forgotten: bool = False
    archive: str = ""


@dataclass(slots=True, frozen=True)
class Origin:
    """What a format may know of the file beside its lines: its stem, the day in its name, the workspace's zone. Of
    lines that a database holds also their session, when each was written (epoch milliseconds), and which of them are
    on the active branch, in order (None: the lines must tell)."""

    stem: str
    day: date | None
    zone: tzinfo
    held: Held | None = None
    written: Sequence[int] = ()
    active: Sequence[int] | None = None


class Reader(Protocol):
    """One transcript format: a module with these names."""

    NAME: str

    def sniff(self, head: Sequence[Row]) -> bool:
        """Whether a file that begins with these lines is of this format."""
        ...

    def header(self, head: Sequence[Row], origin: Origin) -> Header: ...

    def parse(self, lines: Iterable[tuple[int, Row]], origin: Origin) -> Iterator[Entry]:
        """The entries of numbered lines, in their order."""
        ...


def stamp_of(value: object) -> str:
    """The stamp of a time as transcripts write it (ISO text, epoch seconds or milliseconds); empty when it is none."""
    moment = clock.parse_instant(value)
    if moment is None or moment < EARLIEST:
        return ""
    if isinstance(value, str) and _COMMON(value):
        return value[:19] + "Z"
    return clock.stamp(moment)


def id_of(value: object) -> str:
    """The id as text; empty when it is none that a ref could hold."""
    return value if isinstance(value, str) and len(value) <= LONGEST_ID and value.isprintable() else ""


def name_of(value: object) -> str:
    """A participant's name; empty when it is none that a line could hold."""
    return value.strip() if isinstance(value, str) and len(value) <= LONGEST_NAME and value.isprintable() else ""


def text_of(content: object) -> str | None:
    """The text of a message's content: a string, or the text blocks of a list, one below the other. Other blocks
    (thinking, tool calls, images, whatever comes next) are no text. None when it is neither string nor list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [
        block["text"]
        for block in content
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    return "\n".join(texts)


def message(line: int, row: Mapping[str, Any], body: Mapping[str, Any], *times: object) -> Entry:
    """The entry of a message whose role and content stand in `body`; the first of `times` that is one counts."""
    text, named = text_of(body.get("content")), body.get("role")
    role = named[:LONGEST_ROLE] if isinstance(named, str) and named.isprintable() else ""
    time = next(filter(None, map(stamp_of, times)), "")
    entry = Entry(line, id_of(row.get("id")), role or "unknown", time, text or "")
    if not role:
        entry.flaw = "the message names no role"
    elif text is None and body.get("content") is not None:
        entry.flaw = "its content is neither text nor a list of blocks"
    return entry
