"""How the generated parts of the documentation are said: in English, or in Chinese by `docs_zh.toml`."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Protocol

FILE = Path(__file__).with_name("docs_zh.toml")
KNOWN: dict[str, str] = tomllib.loads(FILE.read_text("utf-8"))
SAID: set[str] = set()


class Say(Protocol):
    def __call__(self, text: str, in_chinese: str | None = None, /) -> str:
        """The English text in the language of the page; `in_chinese` where its Chinese stands beside it already."""


def english(text: str, _in_chinese: str | None = None, /) -> str:
    return text


def chinese(text: str, in_chinese: str | None = None, /) -> str:
    if in_chinese is not None:
        return in_chinese
    if text not in KNOWN:
        sys.exit(f"{FILE.name} has no Chinese for: {text}")
    SAID.add(text)
    return KNOWN[text]


def unsaid() -> list[str]:
    """What has a translation and was not asked for."""
    return sorted(KNOWN.keys() - SAID)
