"""Notes as search sees them: which files they are, and how their Markdown is cut into passages with line numbers.

A passage never crosses a heading, holds about `PASSAGE_TOKENS`, and knows the headings above it. What is cut in two
for its length overlaps: a thought that lies across the cut is whole in one of them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memory_system.disk import is_regular
from memory_system.layout import Layout
from memory_system.privacy.secrets import redact, redaction
from memory_system.privacy.tombstones import Tombstones
from memory_system.privacy.trust import without_signatures
from memory_system.text import estimate_tokens, sentences

PASSAGE_TOKENS = 400
OVERLAP_TOKENS = 80
SENTENCE_CHARACTERS = 1_000  # of a message: a longer sentence is cut
SEARCHED_PEOPLES_FILES = ("MEMORY.md", "USER.md")
# Below memory/: what this program or OpenClaw's dreaming derived; it would outrank its own sources.
DERIVED_FOLDERS = frozenset({"layer1", "layer2", "layer3", "state", "dreaming"})

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")


def note_files(layout: Layout) -> list[Path]:
    """The notes on disk, in order: MEMORY.md, USER.md, and what is not derived below memory/ and knowledge/."""
    found = [layout.root / name for name in SEARCHED_PEOPLES_FILES]
    found += _markdown(layout.memory, DERIVED_FOLDERS)
    if not layout.knowledge.is_symlink():
        found += _markdown(layout.knowledge)
    return sorted(path for path in found if is_regular(path))


def note_digest(text: str) -> str:
    """What tells two versions of a note apart."""
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def _markdown(top: Path, without: Collection[str] = ()) -> Iterator[Path]:
    """The Markdown files below the folder but for those in the folders `without` right below it; nothing hidden."""
    above = str(top)
    for folder, folders, names in os.walk(above):
        left_out = without if folder == above else ()
        folders[:] = [name for name in folders if name not in left_out and not name.startswith(".")]
        yield from (Path(folder, name) for name in names if name.endswith(".md") and not name.startswith("."))


def read_note(path: Path) -> str:
    """The text of a note; bytes that are not UTF-8 are shown as such. Empty when it has just been removed."""
    try:
        return path.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return ""


def searchable(name: str, text: str, forgotten: Tombstones | None = None) -> str:
    """The note's text without secrets, and without what is forgotten of it."""
    plain = without_signatures(text)
    return forgotten.without(name, "", "", redaction(plain)) if forgotten else redact(plain)[0]


def pieces(text: str, tokens: int) -> Iterator[str]:
    """A long text in passages of about so many tokens: whole paragraphs, else sentences, else what fits."""
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
    for line in filter(str.strip, text.split("\n")):
        if estimate_tokens(line) <= tokens:
            yield line.strip()
        else:
            for start, end in sentences(line):
                yield from (
                    line[at : min(end, at + SENTENCE_CHARACTERS)] for at in range(start, end, SENTENCE_CHARACTERS)
                )


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
    """The passage that is growing, and the headings in force; its first `repeated` lines end the passage before."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    lines: list[tuple[int, str]] = field(default_factory=list)
    repeated: int = 0
    tokens: int = 0
    fence: str = ""
    only_headings: bool = True

    def add(self, number: int, line: str) -> Iterator[Passage]:
        heading = None if self._in_fence(line) else _HEADING.match(line)
        cost = estimate_tokens(line)
        if heading:
            if not self.only_headings:
                yield from self.flush()
            level = len(heading[1])
            self.headings = [*(above for above in self.headings if above[0] < level), (level, heading[2])]
        elif line.strip():
            self.only_headings = False
        if cost > PASSAGE_TOKENS:
            yield from self._pieces(number, line, cost)
            return
        if self.lines and self.tokens + cost > PASSAGE_TOKENS:
            yield from self._go_on()
        self.lines.append((number, line))
        self.tokens += cost

    def _in_fence(self, line: str) -> bool:
        mark = _FENCE.match(line)
        if mark and self.fence in ("", mark[1]):
            self.fence = "" if self.fence else mark[1]
            return True
        return bool(self.fence)

    def _pieces(self, number: int, line: str, cost: int) -> Iterator[Passage]:
        """A line that is too long for one passage, in several."""
        yield from self.flush()
        size, overlap = (len(line) * tokens // cost for tokens in (PASSAGE_TOKENS, OVERLAP_TOKENS))
        for at in range(0, len(line) - overlap, size - overlap):
            yield Passage(number, number, line[at : at + size], self._titles())

    def _go_on(self) -> Iterator[Passage]:
        """The passage as far as it has come; its last lines begin the next one."""
        tail: list[tuple[int, str]] = []
        tokens = 0
        for number, line in reversed(self.lines):
            tokens += estimate_tokens(line)
            if tokens > OVERLAP_TOKENS:
                break
            tail.insert(0, (number, line))
        yield from self.flush()
        self.lines, self.repeated, self.only_headings = tail, len(tail), False
        self.tokens = sum(estimate_tokens(line) for _, line in tail)

    def flush(self) -> Iterator[Passage]:
        kept = [number for number, line in self.lines if line.strip()]
        if any(line.strip() for _, line in self.lines[self.repeated :]):
            text = "\n".join(line for number, line in self.lines if kept[0] <= number <= kept[-1])
            yield Passage(kept[0], kept[-1], text, self._titles())
        self.lines, self.repeated, self.tokens, self.only_headings = [], 0, 0, True

    def _titles(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.headings)
