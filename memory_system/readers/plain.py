"""The plainest transcript: one `{timestamp, role, content}` a line, no header. The file's name is the session, the
line's number the entry. Many programs write it, each with its own words for the two who speak."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memory_system.readers.formats import Entry, Header, Origin, Row, message

NAME = "plain"
ROLES = {  # in small letters
    **dict.fromkeys(("user", "human", "用户", "人类"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "model", "gpt", "助手", "机器人"), "assistant"),
}


def sniff(head: Sequence[Row]) -> bool:
    return any(isinstance(row, dict) and "role" in row and "content" in row and "type" not in row for row in head)


def header(head: Sequence[Row], origin: Origin) -> Header:  # noqa: ARG001 - a reader's form
    return Header(roles=ROLES)


def parse(lines: Iterable[tuple[int, Row]], origin: Origin) -> Iterator[Entry]:  # noqa: ARG001 - a reader's form
    for number, row in lines:
        if isinstance(row, dict):
            entry = message(number, row, row, row.get("timestamp"))
            entry.id = str(number)
            yield entry
