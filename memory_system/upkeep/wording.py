"""What is told of problems, in the language of the workspace: `prompts/agent.toml` has the words of the program beside
those of another language. What stands there in braces is whatever stands in its place; words that it lacks stay."""

from __future__ import annotations

import re
from functools import cache

from memory_system.llm import phrases
from memory_system.records import Problem


def worded(problem: Problem, lang: str) -> Problem:
    """The problem in that language."""
    return Problem(*(_worded(text, lang) for text in (problem.where, problem.what, problem.hint)))


def _worded(text: str, lang: str) -> str:
    for pattern, told in _table(lang):
        if found := pattern.fullmatch(text):
            return told.format(**found.groupdict())
    return text


@cache
def _table(lang: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    table = phrases(lang).get("problems", {})
    return tuple(
        (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", re.escape(key)), re.DOTALL), told)
        for key, told in table.items()
    )
