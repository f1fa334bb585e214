"""Whether and whom to ask: by the configuration, the option of the command, and the key there is. A key in the
environment alone never sends anything anywhere; with `off` it is not even looked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from memory_system.config import Config
from memory_system.llm import LLM, WHERE
from memory_system.records import Problem

KEY = "ANTHROPIC_API_KEY"
ADDRESS = "ANTHROPIC_BASE_URL"
VENDOR = "https://api.anthropic.com"
NAMELESS = "none"  # the key for a server on this machine, which asks for none
NO_KEY = Problem(WHERE, f"there is no {KEY}: this run goes by rules alone", "set it, or llm.mode to off in config.json")


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
