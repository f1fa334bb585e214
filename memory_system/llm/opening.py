"""Whether and whom to ask: by the configuration, the option of the command, and the key there is. A key in the
environment alone never sends anything anywhere; with `off` it is not even looked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import BaseModel

from memory_system.config import Config
from memory_system.llm import LLM, WHERE, AskError, Prompt, Usage
from memory_system.records import Problem

KEY = "ANTHROPIC_API_KEY"
ADDRESS = "ANTHROPIC_BASE_URL"
VENDOR = "https://api.anthropic.com"
NAMELESS = "none"  # the key for a server on this machine, which asks for none
NO_KEY = Problem(WHERE, f"there is no {KEY}: this run goes by rules alone", "set it, or llm.mode to off in config.json")
QUESTION = Prompt("check", "You are asked whether you can be reached. Answer with ok: true.", "Can you read this?", 40)


@contextmanager
def opened(config: Config, mode: str) -> Iterator[LLM | None]:
    """The model to ask in that mode; None where nobody is to be asked, or there is no key."""
    key = key_for(config) if mode != "off" else ""
    if not key:
        yield None
        return
    from memory_system.llm.claude import Claude

    model = Claude(config.model, config.llm, key, address_of(config))
    try:
        yield model
    finally:
        model.close()


def key_for(config: Config) -> str:
    """The key that the address is to be given; empty where one is needed and there is none."""
    key = os.environ.get(KEY, "").strip()
    return key or (NAMELESS if is_here(address_of(config)) else "")


def address_of(config: Config) -> str:
    """Where questions are sent: the configured address, else the environment's, else the vendor's."""
    return config.llm.base_url or os.environ.get(ADDRESS, "").strip() or VENDOR


def is_here(address: str) -> bool:
    """Whether the address is on this machine."""
    host = urlsplit(address).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


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


def check(config: Config) -> tuple[Found, Usage]:
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
