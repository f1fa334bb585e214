"""Which projects and other things in hand a message names: what is known of them is worth giving, as of people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memory_system.recall import terms
from memory_system.records import STOCK_NAMES, Row
from memory_system.rules import load
from memory_system.text import is_cjk, nfkc


def things_in(message: str, rows: Iterable[Row]) -> list[str]:
    """The names in the message of what is in hand, as far as memories (`rows`) tell that it is."""
    text = nfkc(message)
    known = {name for row in rows for name in _in_hand(row)}
    return [name for name in sorted(known) if _stands_in(text, name)]


def tells_of(things: Iterable[str], text: str) -> bool:
    """Whether the text has one of the names, in whatever case."""
    return any(terms.names(text, name) for name in things)


def _in_hand(row: Row) -> Iterator[str]:
    """What the memory calls a project, and has for a name."""
    if row.get("attribute") == "project" and row.get("value"):
        yield row["value"]
    for found in load("cues")["in_hand"].found(row["content"]):
        yield from (name for name in found.given().values() if terms.has_content(name) and name not in STOCK_NAMES)


def _stands_in(text: str, name: str) -> bool:
    """Whether the text has the name: with its capitals, which tell it from a common word, unless nothing in the text
    has one."""
    return (is_cjk(name) or name in text or text == text.lower()) and terms.names(text, name)
