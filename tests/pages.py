"""The pages of the documentation as tests read them: their text, code blocks, links and anchors."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).parent.parent
READMES = [PROJECT / "README.md", PROJECT / "README.zh.md"]
DOCS = sorted((PROJECT / "docs").rglob("*.md"))
SKILL = PROJECT / "SKILL.md"
PAGES = {path.relative_to(PROJECT).as_posix(): path.read_text("utf-8") for path in (*READMES, *DOCS, SKILL)}

BLOCK = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text: str) -> list[str]:
    """The names of the headings, as GitHub makes them, in their order."""
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", text), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings]


def uncommented(block: str) -> list[str]:
    """The lines of a block without the remarks that stand far to the right of them."""
    return [re.split(r"\s{4,}", line.strip())[0] for line in block.split("\n")]
