"""The port to a language model: one question, one answer in a schema. The phases take it as an option and work
without."""

from __future__ import annotations

from typing import Protocol, TypeVar

from pydantic import BaseModel

Answer = TypeVar("Answer", bound=BaseModel)


class LLM(Protocol):
    """Anything that can answer."""

    def ask(self, prompt: str, schema: type[Answer]) -> Answer:
        """The answer to the prompt, valid in the schema; LLMError when there is none."""
        ...
