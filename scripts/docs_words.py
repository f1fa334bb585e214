"""How the generated parts of the documentation are said: in English, or in Chinese by `docs_zh.toml`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Protocol

FILE = Path(__file__).with_name("docs_zh.toml")
KNOWN: dict[str, str] = tomllib.loads(FILE.read_text("utf-8"))
SAID: set[str] = set()  # in Chinese


class Say(Protocol):
    def __call__(self, text: str, in_chinese: str | None = None, /) -> str:
        """The English text in the language of the page; `in_chinese` where its Chinese stands beside it already."""


def english(text: str, _in_chinese: str | None = None, /) -> str:
    return text


def chinese(text: str, in_chinese: str | None = None, /) -> str:
    if in_chinese is not None:
        return in_chinese
    text = re.sub(r"\s+", " ", text)
    SAID.add(text)
    return KNOWN.get(text, text)


def wrong() -> list[str]:
    """What was said and has no Chinese, and what has and was not said, once all pages are made."""
    missing = (f"{FILE.name} has no Chinese for: {each}" for each in sorted(SAID - KNOWN.keys()))
    left_over = (f"{FILE.name} holds what no page says any more: {each}" for each in sorted(KNOWN.keys() - SAID))
    return [*missing, *left_over]
