"""What asking would cost, counted instead of asked."""

from __future__ import annotations

from memory_system.llm import Answer, AskError, Prompt, Usage
from memory_system.llm.wire import cost_of

KIND = "estimate"
_ANSWERED = 0.35  # of the longest answer that a question allows is what one usually takes


class Estimator:
    """Takes the place of a model: counts each question with a usual answer, and answers none."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.spent = Usage()

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        answer = int(_ANSWERED * prompt.most)
        self.spent = self.spent.plus(Usage(calls=1, input=cost_of(prompt, schema), output=answer))
        raise AskError(KIND, "only counted")
