"""Daily notes, `memory/YYYY-MM-DD[-slug].md`: every paragraph and every bullet is an entry, said at the time its
heading tells (`## [14:30:15] preference`, `## 10:30 AM - Title`, `## 下午 2:15 部署`), else at noon."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time

from memory_system import clock
from memory_system.privacy.trust import signs
from memory_system.readers.formats import Entry, Header, Origin, Row

NAME = "notes"

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?=\S)")
_RULE = re.compile(r"\s*([-*_])(?:\s*\1){2,}\s*")
_COMMENT = re.compile(r"<!--.*?-->")
_TIME = re.compile(
    r"\[?(凌晨|早上|上午|中午|下午|傍晚|晚上)?\s*(\d{1,2})(?:[:：](\d{2})(?:[:：](\d{2}))?|[点點时](?:(\d{1,2})分?)?)"
    r"\s*([ap]\.?m\b)?",
    re.IGNORECASE,
)
# How a line of a note says what it is: W (of the world), B (what happened), O (an opinion, and how sure of it one is).
_KIND = re.compile(r"(?:[WB]|(?P<opinion>O)(?:\(c=(?P<sure>0?\.\d+|1(?:\.0+)?)\))?)(?:\s+@[^\s:：]+)?\s*[:：]\s*(?=\S)")
_AFTERNOON = ("中午", "下午", "傍晚", "晚上")
_NOON = time(12)


def sniff(head: Sequence[Row]) -> bool:
    return bool(head) and all(isinstance(row, str) for row in head)


def header(head: Sequence[Row], origin: Origin) -> Header:  # noqa: ARG001 - a reader's form
    """A note that a program made by copying a conversation is no source: the conversation itself is."""
    copied = any(isinstance(row, str) and row.startswith("- **Session Key**:") for row in head)
    return Header(reason="copy" if copied else "")


def parse(lines: Iterable[tuple[int, Row]], origin: Origin) -> Iterator[Entry]:
    """Each blank line, heading, rule or bullet ends a paragraph; a fenced block is one paragraph, and no memory. What
    stands above a signature is an agent's, whatever headings and fences it has."""
    level, said = 0, _at(_NOON, origin)
    entries: list[Entry] = []
    held: list[tuple[int, str]] = []
    fenced = False
    for number, row in lines:
        if signed := signs(str(row)):
            entries += _entry(held, said)
            for entry in entries:
                entry.role = "agent" if entry.line >= number - signed else entry.role
            held, fenced = [], False
            continue
        line = _COMMENT.sub("", str(row)).rstrip()
        fence = line.lstrip().startswith("```")
        if not fenced and (fence or _parts(line)):
            entries += _entry(held, said)
            held = []
            if heading := _HEADING.match(line):
                level, said = _section(heading, level, said, origin)
        if fenced or not _is_blank(line):
            held.append((number, line))
        if fenced and fence:
            entries += _entry(held, said)
            held = []
        fenced = fenced != fence
    yield from (*entries, *_entry(held, said))


def _parts(line: str) -> bool:
    return _is_blank(line) or _BULLET.match(line) is not None or _KIND.match(line) is not None


def words_from(text: str) -> int:
    """Where the words of a note's entry begin: behind what says of which kind it is."""
    found = _KIND.match(text)
    return found.end() if found else 0


def sureness(text: str, unsaid: float) -> float | None:
    """How sure an entry is that gives an opinion, `unsaid` where it does not tell; None for any other entry."""
    found = _KIND.match(text)
    return float(found["sure"] or unsaid) if found and found["opinion"] else None


def _is_blank(line: str) -> bool:
    """Whether the line carries no words of its own: nothing, a heading, a rule."""
    return not line.strip() or _HEADING.match(line) is not None or _RULE.fullmatch(line) is not None


def _entry(held: Sequence[tuple[int, str]], said: str) -> Iterator[Entry]:
    if held:
        text = "\n".join(line.strip() for _, line in held)
        reason = "code" if text.startswith("```") else ""
        bullet = _BULLET.match(text)
        yield Entry(held[-1][0], f"L{held[0][0]}", "note", said, text[bullet.end() if bullet else 0 :], reason=reason)


def _section(heading: re.Match[str], level: int, said: str, origin: Origin) -> tuple[int, str]:
    """Level and time of what stands under the heading: a heading below another keeps its time."""
    depth = len(heading[1])
    told = _told(heading[2])
    if told is None:
        return (level, said) if level and depth > level else (0, _at(_NOON, origin))
    return depth, _at(told, origin)


def _told(title: str) -> time | None:
    """The time of day that a heading begins with."""
    found = _TIME.match(title)
    if found is None:
        return None
    half, hour, minute, second, spoken, english = found.groups()
    hours = int(hour)
    if half == "中午" and hours > 3:
        pass  # 中午十一点半 is before noon
    elif (half in _AFTERNOON or (english or "").lower().startswith("p")) and hours < 12:
        hours += 12
    elif (half == "凌晨" or (english or "").lower().startswith("a")) and hours == 12:
        hours = 0
    try:
        return time(hours, int(minute or spoken or 0), int(second or 0))
    except ValueError:
        return None


def _at(moment: time, origin: Origin) -> str:
    return clock.stamp(datetime.combine(origin.day, moment, origin.zone)) if origin.day else ""
