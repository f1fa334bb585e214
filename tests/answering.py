"""A model that behaves, for the loopback server and the scripted one: a test says once what a sentence is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memory_system.llm import Prompt

LINE = re.compile(r"^(\d+) \d\d:\d\d (.*)$", re.MULTILINE)
KNOWN = re.compile(r"^(m\d+) \| (.*)$", re.MULTILINE)


def input_of(request: Mapping[str, Any] | Prompt) -> str:
    """What a question is about, as the server or the scripted model receives it."""
    return request.input if isinstance(request, Prompt) else str(request["messages"][0]["content"])


def lines_of(request: Mapping[str, Any] | Prompt) -> list[tuple[int, str]]:
    return [(int(number), words) for number, words in LINE.findall(input_of(request))]


def known_to(request: Mapping[str, Any] | Prompt) -> dict[str, str]:
    """The memories that it is told, by their text."""
    return {told: name for name, told in KNOWN.findall(input_of(request))}


def telling(meanings: Mapping[str, Mapping[str, Any]]) -> Any:
    """A script that gives the operations of a table for the lines with these words; `of` is a piece of the memory that
    one changes."""

    def script(request: Mapping[str, Any] | Prompt) -> Any:
        found = lines_of(request)
        return {
            "operations": [
                _operation(row, number, known_to(request))
                for words, row in meanings.items()
                for number, line in found
                if words in line
            ]
        }

    return script


def _operation(row: Mapping[str, Any], number: int, known: Mapping[str, str]) -> dict[str, Any]:
    named = next((name for told, name in known.items() if row.get("of", "\0") in told), "")
    rest = {key: value for key, value in row.items() if key != "of"}
    return {"op": "add", "lines": [number], "id": named, **rest}
