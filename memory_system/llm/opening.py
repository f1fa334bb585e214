"""Whether and whom to ask: by the configuration, the option of the command, and the key there is. A key in the
environment alone never sends anything anywhere; with `off` it is not even looked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from memory_system.config import Config
from memory_system.llm import LLM, WHERE
from memory_system.records import Problem

KEY = "ANTHROPIC_API_KEY"
NO_KEY = Problem(WHERE, f"there is no {KEY}: this run goes by rules alone", "set it, or llm.mode to off in config.json")


@contextmanager
def opened(config: Config, mode: str) -> Iterator[LLM | None]:
    """The model to ask in that mode; None where nobody is to be asked, or there is no key."""
    key = os.environ.get(KEY, "").strip() if mode != "off" else ""
    if not key:
        yield None
        return
    from memory_system.llm.claude import Claude

    model = Claude(config.model, config.llm, key)
    try:
        yield model
    finally:
        model.close()
