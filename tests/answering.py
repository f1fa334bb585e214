"""A model that behaves, for the loopback server: it answers each question from a table of what lines mean, so that a
test says once what a sentence is worth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LINE = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


def question_of(request: Mapping[str, Any]) -> str:
    """The name of the question, by the form of its answer."""
    properties = request["output_config"]["format"]["schema"]["properties"]
    names = {
        ("claims",): "extract", ("keep",): "screen", ("over",): "conflict",
        ("confirm", "deny"): "beliefs", ("topics",): "summaries", ("lines",): "polish",
    }  # fmt: skip
    return names[tuple(sorted(properties))]


def lines_of(request: Mapping[str, Any]) -> list[tuple[int, str]]:
    return [(int(number), words) for number, words in LINE.findall(request["messages"][0]["content"])]


EMPTY: dict[str, dict[str, list[Any]]] = {
    "extract": {"claims": []}, "screen": {"keep": []}, "conflict": {"over": []},
    "beliefs": {"confirm": [], "deny": []}, "summaries": {"topics": []}, "polish": {"lines": []},
}  # fmt: skip


def claim(n: int, quote: str, text: str, **others: Any) -> dict[str, Any]:
    """A claim about the user as the model gives it."""
    rest = {"about": "user", "attribute": "", "value": "", "sure": True}
    return {"n": n, "quote": quote, "text": text, **rest, **others}


def telling(meanings: Mapping[str, str]) -> Any:
    """A script that tells what the quotes of a table mean, keeps every segment it is asked about, and has nothing to
    say to other questions."""

    def script(request: dict[str, Any]) -> Any:
        name, found = question_of(request), lines_of(request)
        if name == "extract":
            said = [claim(n, quote, text) for n, line in found for quote, text in meanings.items() if quote in line]
            return {"claims": said}
        if name == "screen":
            return {"keep": [{"n": n, "category": "event", "importance": 0.7} for n, _ in found]}
        return EMPTY[name]

    return script
