"""The number of a unit says where it stands: its scope, its session, its place there. What stands side by side has
numbers side by side, so that neighbours are found without reading anything. Messages have the smallest numbers: the
index keeps one for each word of each of them, and a small one takes less room."""

from __future__ import annotations

from collections.abc import Collection

SCOPES = {"session": 0, "note": 1, "memory": 2, "over": 3, "archive": 4}  # memories have the largest
MEMORIES = ("memory", "over", "archive")  # what stands, plans whose time is over, and what else is archived
NAMES = {number: name for name, number in SCOPES.items()}
SCOPE_BITS = 46  # number = scope << 46 | place; a scope is a range of numbers, which FTS5 can skip to
SESSION_BITS = 20  # the place of a message = session << 20 | place in it
OVERLAY = 1 << 60  # set in the number of what is newer than the index
PARTS_FROM = 1 << (SESSION_BITS - 1)  # parts of long messages are counted from here, turns from 1


def first_of(scope: str) -> int:
    return SCOPES[scope] << SCOPE_BITS


def last_of(scope: str) -> int:
    return first_of(scope) + (1 << SCOPE_BITS) - 1


def range_of(scopes: Collection[str]) -> tuple[int, int]:
    """The first and the last number of scopes that stand side by side."""
    return min(map(first_of, scopes)), max(map(last_of, scopes))


def scope_of(number: int) -> str:
    return NAMES[(number & ~OVERLAY) >> SCOPE_BITS]


def session_of(number: int) -> int:
    """The number of the session; of what is no message, none that a session has."""
    return number >> SESSION_BITS


def is_part(number: int) -> bool:
    """Whether it is a passage of a long message."""
    return bool(number & PARTS_FROM) and number >> SCOPE_BITS == SCOPES["session"]
