"""Models that are none: one answers from a script, for tests, demonstrations and measuring what answers are worth; one
only counts what asking would cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import orjson

from memory_system.llm import Answer, AskError, Prompt, Usage
from memory_system.llm.prompts import cost_of, read
from memory_system.text import estimate_tokens

Script = Callable[[Prompt], Any]  # the answer as text or as what its JSON holds; AskError may be raised
KIND = "estimate"
_ANSWERED = 0.35  # of the longest answer that a question allows is what one usually takes


class ScriptedLLM:
    """Answers with what the script gives for a prompt, or with one of a list after the other. `asked` are the prompts
    so far."""

    def __init__(self, script: Script | Iterable[Any], model: str = "scripted") -> None:
        self.model = model
        self.spent = Usage()
        self.asked: list[Prompt] = []
        self._script = script if callable(script) else _in_turn(script)

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        self.asked.append(prompt)
        self.spent = self.spent.plus(Usage(calls=1, input=cost_of(prompt, schema)))
        answer = self._script(prompt)
        text = answer if isinstance(answer, str) else orjson.dumps(answer).decode()
        self.spent = self.spent.plus(Usage(output=estimate_tokens(text)))
        if estimate_tokens(text) > prompt.most:
            raise AskError("truncated", "the answer was cut off")
        return read(text, schema)


def _in_turn(answers: Iterable[Any]) -> Script:
    waiting = iter(answers)

    def script(prompt: Prompt) -> Any:
        for answer in waiting:
            return answer
        raise AskError("no_answer", f"the script has no answer left for {prompt.name}")

    return script


class Estimator:
    """Takes the place of a model: counts each question with a usual answer, and answers none."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.spent = Usage()

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        answer = int(_ANSWERED * prompt.most)
        self.spent = self.spent.plus(Usage(calls=1, input=cost_of(prompt, schema), output=answer))
        raise AskError(KIND, "only counted")
