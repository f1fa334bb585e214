"""Prompts are files: `prompts/<question>.<language>.md`, a first line `version: N`, then the constant part of the
question. Their hash is kept on every record that an answer made.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memory_system.llm import Prompt

FOLDER = Path(__file__).parent.with_name("prompts")


@dataclass(frozen=True, slots=True)
class Template:
    """The constant part of a question in one language; `digest` is like `extract.en@1:9f86d081`."""

    name: str
    text: str
    digest: str

    @property
    def method(self) -> str:
        """What a record names as its method when an answer made it."""
        return f"llm:{self.digest}"

    def about(self, what: str, most: int) -> Prompt:
        """The question about that, to be answered in at most so many tokens."""
        return Prompt(self.name, self.text, what, most, self.digest)


@cache
def template(name: str, lang: str) -> Template:
    """The question of that name for talk in that language (en or zh)."""
    data = (FOLDER / f"{name}.{lang}.md").read_bytes()
    head, _, body = data.decode().partition("\n")
    version = head.removeprefix("version:").strip()
    digest = hashlib.blake2b(data, digest_size=4).hexdigest()
    return Template(name, body.strip(), f"{name}.{lang}@{version}:{digest}")
