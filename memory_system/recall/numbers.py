"""The number of a unit says where it stands: its scope, its session, its place there. What stands side by side has
numbers side by side, so that neighbours are found without reading anything."""

from __future__ import annotations

SCOPES = {"session": 1, "note": 2, "memory": 3, "archive": 4}
NAMES = {number: name for name, number in SCOPES.items()}
SCOPE_BITS = 56  # number = scope << 56 | place; a scope is a range of numbers, which FTS5 can skip to
SESSION_BITS = 20  # the place of a message = session << 20 | place in it
OVERLAY = 1 << 60  # set in the number of what is newer than the index
PARTS_FROM = 1 << (SESSION_BITS - 1)  # parts of long messages are counted from here, turns from 1


def first_of(scope: str) -> int:
    return SCOPES[scope] << SCOPE_BITS


def last_of(scope: str) -> int:
    return first_of(scope) + (1 << SCOPE_BITS) - 1


def scope_of(number: int) -> str:
    return NAMES[(number & ~OVERLAY) >> SCOPE_BITS]


def session_of(number: int) -> int:
    """What the units of one session have in common, and no others."""
    return number >> SESSION_BITS


def is_part(number: int) -> bool:
    """Whether it is a passage of a long message."""
    return bool(number & PARTS_FROM) and number >> SCOPE_BITS == SCOPES["session"]
