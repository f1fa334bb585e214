"""What memories call a user and an assistant of whom no name is known."""

from __future__ import annotations

from functools import cache

from memory_system.rules import table

USER_NAME = {"zh": "用户", "en": "User"}


def assistant_name(lang: str) -> str:
    return str(table(lang, "words")["assistant"])


@cache
def stock_names() -> frozenset[str]:
    """Both, in every language."""
    return frozenset((*USER_NAME.values(), *map(assistant_name, USER_NAME)))
