"""`memory llm check`: what works at the model's address, found out with one tiny question."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from memory_system.config import Config
from memory_system.llm import AskError, Prompt, Usage
from memory_system.llm.opening import KEY, address_of, key_for

QUESTION = Prompt("check", "You are asked whether you can be reached. Answer with ok: true.", "Can you read this?", 40)


class Reached(BaseModel):
    ok: bool


@dataclass(slots=True)
class Found:
    """What works; `problem` is why there was no answer, `structured` whether the server knows the answer's form."""

    address: str
    model: str
    mode: str
    answers: bool = False
    structured: bool = False
    batch: bool = False
    priced: bool = False
    problem: str = ""


def checked(config: Config) -> tuple[Found, Usage]:
    """Ask, and say what works and what it took."""
    from memory_system.llm.claude import Claude

    found = Found(address_of(config), config.model, config.llm.mode)
    found.priced = any(each.model == config.model for each in config.llm.prices)
    if not (key := key_for(config)):
        found.problem = f"there is no {KEY}"
        return found, Usage()
    model = Claude(config.model, config.llm, key, found.address)
    try:
        model.ask(QUESTION, Reached)
        found.answers, found.structured = True, model.has_forms
        found.batch = bool(
            model.patiently(lambda timeout: model.client.messages.batches.list(limit=1, timeout=timeout))
        )
    except AskError as error:
        found.problem = "" if found.answers else str(error)
    finally:
        model.close()
    return found, model.spent
