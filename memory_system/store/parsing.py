"""What stands on a line of the truth: checked, or parsed whole. DamagedError says where it is no memory."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson
from pydantic import ValidationError

from memory_system import clock
from memory_system.errors import DamagedError
from memory_system.records import Fact, Row, from_line, kind_of

_TEXTS = ("subject", "attribute", "value", "category", "said_at", "created", "scored_at", "expires")


def row_on(line: bytes, memory_id: str) -> Row:
    """The row on the line of a memory, not parsed further."""
    try:
        row: dict[str, Any] = orjson.loads(line)
    except ValueError as error:
        raise DamagedError(f"{memory_id} is not a memory as it stands: {error}") from None
    return row


def parsed(line: bytes, memory_id: str) -> Fact:
    """The memory on its line."""
    try:
        return from_line(line)
    except (ValueError, ValidationError) as error:
        raise DamagedError(f"{memory_id} is not a memory as it stands: {_short(error)}") from None


def checked(line: bytes, kind: type[Fact], where: str) -> dict[str, Any]:
    """The row on a line of the truth; the fields that everything relies on are checked, the rest when it is parsed."""
    try:
        row: dict[str, Any] = orjson.loads(line)
        if kind_of(row["id"]) is not kind or not isinstance(row["score"] + row["importance"], int | float):
            raise ValueError("it does not belong into this file")
        if not isinstance(row["content"], str) or not all(isinstance(row.get(name, ""), str) for name in _TEXTS):
            raise ValueError("a field that must be text is none")
        if not all(isinstance(each, str) for each in row.get("entities", ())):
            raise ValueError("its entities are no texts")
        if not all(isinstance(each.get("quote", ""), str) for each in row.get("evidence", ())):
            raise ValueError("its evidence is no list of quotes")
        if not (_is_stamp(row.get("scored_at", "")) and _is_stamp(row.get("expires", ""))):
            raise ValueError("a time is no instant")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedError(f"{where}: not a memory of this file: {error!r}") from None
    return row


@lru_cache(maxsize=4096)  # most memories of a night share theirs
def _is_stamp(value: str) -> bool:
    return not value or clock.parse_instant(value) is not None


def parse_problem(line: bytes) -> str:
    """Why a line is not a memory; empty when it is one."""
    try:
        from_line(line)
    except (ValueError, ValidationError) as error:
        return _short(error)
    return ""


def _short(error: Exception) -> str:
    return "; ".join(line.strip() for line in str(error).split("\n")[:3])
