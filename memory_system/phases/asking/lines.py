"""Questions about numbered lines: talk is quoted as data, as many lines as the budget holds, and an answer that was cut
off is asked for once more in halves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from memory_system.llm import AskError, Prompt
from memory_system.llm.asking import Asker
from memory_system.llm.prompts import Template, template
from memory_system.llm.wire import overhead
from memory_system.text import estimate_tokens

Answer = TypeVar("Answer", bound=BaseModel)
Row = dict[str, Any]  # what using a late answer to a line needs

MOST_LINES = 60  # in one question
_LONGEST = 400  # characters of a line
_FRAME = "<lines>\n{}\n</lines>"
_SLACK = 1.3  # an answer may be this much longer than expected
_LEAST_ANSWER = 24  # tokens


def quoted(words: str, longest: int = _LONGEST) -> str:
    """Words of a conversation as part of a line: on one line, and unable to close the frame around it."""
    line = " ".join(words.split()).replace("<", "‹").replace(">", "›")
    return line if len(line) <= longest else line[: longest - 1] + "…"


@dataclass(frozen=True, slots=True)
class Form(Generic[Answer]):
    """A question to be asked about lines: its file, the form of its answer, and the tokens that the answer takes for a
    line."""

    template: Template
    schema: type[Answer]
    expected: Callable[[str], int]

    def fitting(self, asker: Asker, lines: Sequence[str], room: int) -> int:
        """How many of the lines, in order, a question of so many tokens holds; the others are left to the rules."""
        left = room - overhead(self.template.text, self.schema) - estimate_tokens(_FRAME) - _LEAST_ANSWER
        count = 0
        for line in lines[:MOST_LINES]:
            left -= estimate_tokens(f"{count + 1}. {line}\n") + int(_SLACK * self.expected(line)) + 1
            if left < 0:
                break
            count += 1
        asker.left_to_rules += len(lines) - count
        return count

    def ask(self, asker: Asker, lines: Sequence[str], rows: Sequence[Row] = ()) -> list[tuple[range, Answer]]:
        """The answers about the lines, each with the places of the lines that it is about: one, none where there are no
        lines or it failed, or up to two where it was cut off and its halves were not. `rows` are what using a late
        answer will need, one for each line."""
        if not lines:
            return []
        places = range(len(lines))
        try:
            return [(places, asker.ask(self._about(lines), self.schema, rows))]
        except AskError as error:
            if error.kind != "truncated" or len(lines) < 2:
                return []
        half = len(lines) // 2
        found = []
        for part in (slice(0, half), slice(half, None)):
            with suppress(AskError):
                found.append((places[part], asker.ask(self._about(lines[part]), self.schema, rows[part])))
        return found

    def _about(self, lines: Sequence[str]) -> Prompt:
        numbered = "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
        most = int(_SLACK * sum(map(self.expected, lines))) + _LEAST_ANSWER
        return self.template.about(_FRAME.format(numbered), most)


def meant(numbers: Iterable[int], places: Sequence[int]) -> list[int]:
    """The places of the lines that an answer about these places means by its numbers, in order, each once."""
    return sorted({places[number - 1] for number in numbers if 0 < number <= len(places)})


def form(name: str, languages: Iterable[str], schema: type[Answer], expected: Callable[[str], int]) -> Form[Answer]:
    """The question of that name in the language of most lines."""
    found = list(languages)
    lang = "zh" if 2 * found.count("zh") > len(found) else "en"
    return Form(template(name, lang), schema, expected)
