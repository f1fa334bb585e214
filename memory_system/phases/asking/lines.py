"""Questions about numbered lines: talk is quoted as data, as many lines as the budget holds, and an answer that was cut
off is asked for once more in halves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from memory_system.llm import AskError, Prompt
from memory_system.llm.asking import Asker
from memory_system.llm.prompts import Template
from memory_system.llm.wire import overhead
from memory_system.text import estimate_tokens

Answer = TypeVar("Answer", bound=BaseModel)

MOST_LINES = 60  # in one question
_LONGEST = 400  # characters of a line
_FRAME = "<lines>\n{}\n</lines>"
_SLACK = 1.3  # an answer may be this much longer than expected
_LEAST_ANSWER = 24  # tokens


def quoted(words: str, longest: int = _LONGEST) -> str:
    """Words of a conversation as part of a line: on one line, and unable to close the frame around it."""
    line = " ".join(words.split()).replace("<", "‹").replace(">", "›")
    return line if len(line) <= longest else line[: longest - 1] + "…"


def fitting(lines: Sequence[str], expected: Callable[[str], int], room: int, fixed: int) -> int:
    """How many of the lines, in order, a question holds whose answer takes so many tokens a line."""
    left = room - fixed - estimate_tokens(_FRAME) - _LEAST_ANSWER
    for number, line in enumerate(lines[:MOST_LINES]):
        left -= estimate_tokens(f"{number + 1}. {line}\n") + int(_SLACK * expected(line)) + 1
        if left < 0:
            return number
    return min(len(lines), MOST_LINES)


def fixed_cost(template: Template, schema: type[BaseModel]) -> int:
    """Tokens that a question takes whatever it is about."""
    return overhead(template.text, schema)


def ask(
    asker: Asker,
    template: Template,
    schema: type[Answer],
    lines: Sequence[str],
    expected: Callable[[str], int],
    *,
    late: bool = False,
) -> list[tuple[int, Answer]]:
    """The answers to a question about the lines, each with the place of its first line: one, none where it failed, or
    up to two where it was cut off and its halves were not. Lines count from 1 in each. With `late`
    only what is recorded counts."""
    put = asker.recall if late else asker.ask
    try:
        return [(0, put(_question(template, lines, expected), schema))]
    except AskError as error:
        if error.kind != "truncated" or len(lines) < 2:
            return []
    half = len(lines) // 2
    found = []
    for start, part in ((0, lines[:half]), (half, lines[half:])):
        try:
            found.append((start, put(_question(template, part, expected), schema)))
        except AskError:
            continue
    return found


def _question(template: Template, lines: Sequence[str], expected: Callable[[str], int]) -> Prompt:
    numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    most = int(_SLACK * sum(map(expected, lines))) + _LEAST_ANSWER
    return template.about(_FRAME.format(numbered), most)


def language_of(languages: Iterable[str]) -> str:
    """The language to ask in: that of most lines."""
    found = list(languages)
    return "zh" if 2 * found.count("zh") > len(found) else "en"
