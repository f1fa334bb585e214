"""Notes as search sees them: which files they are, and how their Markdown is cut into passages with line numbers.

A passage never crosses a heading, holds about `PASSAGE_TOKENS`, and knows the headings above it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memory_system.files import is_regular
from memory_system.layout import Layout
from memory_system.secrets import redact
from memory_system.text import estimate_tokens, sentences
from memory_system.tombstones import Tombstones

PASSAGE_TOKENS = 400
LINE_CHARACTERS = 1_000  # a longer line is cut: about PASSAGE_TOKENS of Latin text, somewhat more of Chinese
SEARCHED_PEOPLES_FILES = ("MEMORY.md", "USER.md")
# Below memory/: what this program or OpenClaw's dreaming derived; it would outrank its own sources.
DERIVED_FOLDERS = frozenset({"layer1", "layer2", "state", "dreaming"})

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")


def note_files(layout: Layout) -> list[Path]:
    """The notes on disk, in order: MEMORY.md, USER.md and the Markdown under memory/ that people or agents wrote."""
    found = [layout.root / name for name in SEARCHED_PEOPLES_FILES]
    for folder, folders, names in os.walk(layout.memory):
        if Path(folder) == layout.memory:
            folders[:] = [name for name in folders if name not in DERIVED_FOLDERS]
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(folder, name) for name in names if name.endswith(".md") and not name.startswith(".")]
    return sorted(path for path in found if is_regular(path))


def read_note(path: Path) -> str:
    """The text of a note; bytes that are not UTF-8 are shown as such. Empty when it has just been removed."""
    try:
        return path.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return ""


def searchable(name: str, text: str, forgotten: Tombstones | None = None) -> str:
    """What search may know of the note of that name: its text without secrets, and without what is forgotten of it."""
    clean = redact(text)[0]
    return forgotten.without(name, "", "", clean) if forgotten else clean


def pieces(text: str, tokens: int) -> Iterator[str]:
    """The text of a long message in passages of about so many tokens: whole paragraphs where they are short enough,
    else whole sentences, else what fits."""
    taken: list[str] = []
    cost = 0
    for piece in _fragments(text, tokens):
        price = estimate_tokens(piece)
        if taken and cost + price > tokens:
            yield "\n".join(taken)
            taken, cost = [], 0
        taken.append(piece)
        cost += price
    if taken:
        yield "\n".join(taken)


def _fragments(text: str, tokens: int) -> Iterator[str]:
    for line in text.split("\n"):
        if not line.strip():
            continue
        if estimate_tokens(line) <= tokens:
            yield line.strip()
            continue
        for start, end in sentences(line):
            for at in range(start, end, LINE_CHARACTERS):
                yield line[at : min(end, at + LINE_CHARACTERS)]


@dataclass(slots=True)
class Passage:
    """Lines `start` to `end` of a note (1-based, inclusive), or a part of one long line; `headings` are those above."""

    start: int
    end: int
    text: str
    headings: tuple[str, ...]


def passages(text: str) -> Iterator[Passage]:
    """The passages of a note, in order; blank lines around them are left out."""
    cut = _Cut()
    for number, line in enumerate(text.split("\n"), 1):
        yield from cut.add(number, line.rstrip("\r"))
    yield from cut.flush()


@dataclass(slots=True)
class _Cut:
    """The passage that is growing, and the headings in force."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    lines: list[tuple[int, str]] = field(default_factory=list)
    tokens: int = 0
    fence: str = ""
    only_headings: bool = True

    def add(self, number: int, line: str) -> Iterator[Passage]:
        heading = None if self._in_fence(line) else _HEADING.match(line)
        cost = estimate_tokens(line)
        if self.lines and ((heading and not self.only_headings) or self.tokens + cost > PASSAGE_TOKENS):
            yield from self.flush()
        if heading:
            level = len(heading[1])
            self.headings = [*(above for above in self.headings if above[0] < level), (level, heading[2])]
        elif line.strip():
            self.only_headings = False
        if len(line) > LINE_CHARACTERS:
            yield from self._pieces(number, line)
        else:
            self.lines.append((number, line))
            self.tokens += cost

    def _in_fence(self, line: str) -> bool:
        mark = _FENCE.match(line)
        if mark and self.fence in ("", mark[1]):
            self.fence = "" if self.fence else mark[1]
            return True
        return bool(self.fence)

    def _pieces(self, number: int, line: str) -> Iterator[Passage]:
        yield from self.flush()
        for at in range(0, len(line), LINE_CHARACTERS):
            yield Passage(number, number, line[at : at + LINE_CHARACTERS], self._titles())

    def flush(self) -> Iterator[Passage]:
        kept = [number for number, line in self.lines if line.strip()]
        if kept:
            text = "\n".join(line for number, line in self.lines if kept[0] <= number <= kept[-1])
            yield Passage(kept[0], kept[-1], text, self._titles())
        self.lines, self.tokens, self.only_headings = [], 0, True

    def _titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.headings)
