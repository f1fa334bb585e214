"""The teaching algorithm, as a baseline that one can run: TF-IDF and cosine similarity over the sections of MEMORY.md
and of the notes right under memory/. Its tokens are runs of Latin letters and digits or of Chinese characters, so that
a Chinese clause is one word; its figures beside ours show what that costs."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from memory_system.layout import Layout
from memory_system.recall.units import read_note

LEAST = 0.01  # what is less alike is no result
SNIPPET_CHARACTERS = 300

_TOKENS = re.compile(r"[a-z0-9\u4e00-\u9fff]{2,}")

Chunk = tuple[str, int, int, str]  # name, first line, last line, text


def search(layout: Layout, query: str, limit: int) -> dict[str, Any]:
    """The answer in the form of `memory search --json`; scores are cosines."""
    paths = (layout.root / "MEMORY.md", *sorted(layout.memory.glob("*.md")))
    notes = [path for path in paths if path.is_file() and not path.is_symlink()]
    chunks = [chunk for path in notes for chunk in _sections(layout.name(path), read_note(path))]
    tokens = [_TOKENS.findall(text.lower()) for *_, text in chunks]
    holders = Counter(token for each in tokens for token in set(each))
    idf = {token: math.log(len(chunks) / count) for token, count in holders.items()}
    asked = _weighed(_TOKENS.findall(query.lower()), idf)
    scored = [(_cosine(asked, _weighed(each, idf)), chunk) for each, chunk in zip(tokens, chunks, strict=True)]
    found = [(round(score, 4), chunk) for score, chunk in scored if score > LEAST]
    found.sort(key=lambda pair: -pair[0])
    return {"results": [_row(score, *chunk) for score, chunk in found[:limit]], "total_found": len(found)}


def _sections(name: str, text: str) -> Iterator[Chunk]:
    """The note cut before each line that begins with `#`."""
    lines, start = text.split("\n"), 0
    for end in (*(number for number, line in enumerate(lines) if number and line.startswith("#")), len(lines)):
        if section := "\n".join(lines[start:end]).strip():
            yield name, start + 1, end, section
        start = end


def _weighed(tokens: list[str], idf: dict[str, float]) -> dict[str, float]:
    return {token: count / len(tokens) * idf.get(token, 0.0) for token, count in Counter(tokens).items()}


def _cosine(one: dict[str, float], other: dict[str, float]) -> float:
    dot = sum(one[token] * other[token] for token in one.keys() & other.keys())
    lengths = math.sqrt(sum(value * value for value in one.values()) * sum(value * value for value in other.values()))
    return dot / lengths if lengths else 0.0


def _row(score: float, name: str, start: int, end: int, text: str) -> dict[str, Any]:
    return {
        "id": f"{name}#L{start}", "type": "note", "path": name, "startLine": start, "endLine": end,
        "score": score, "source": "note", "refs": [], "text": text, "snippet": text[:SNIPPET_CHARACTERS],
        "citation": f"{name}#L{start}" + (f"-L{end}" if end > start else ""), "said_at": "",
    }  # fmt: skip
