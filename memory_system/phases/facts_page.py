"""`layer1/facts.md`, where the configuration wants it: every active fact and belief that still stands as a line of
Markdown, for a host whose own search reads Markdown and nothing else. It is derived, and has no date in its name: such
files do not fade."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from itertools import chain

from memory_system import clock
from memory_system.privacy import trust
from memory_system.privacy.masks import masked
from memory_system.privacy.secrets import redact
from memory_system.records import Belief, Fact, Row, told
from memory_system.workspace import Workspace

WORDS = {
    "en": ("# What is remembered", "not sure"),
    "zh": ("# 记住的事", "不确定"),
}


def write(ws: Workspace) -> list[str]:
    """Write the page where it changes, or remove it where it is not wanted; the names of the files written."""
    path = ws.layout.facts_page
    if ws.config.facts_page:
        return [path.name] if ws.files.replace_if_changed(path, text_of(ws).encode()) else []
    if path.exists():
        ws.files.remove(path)
    return []


def text_of(ws: Workspace) -> str:
    """The page: one line for each memory that is not outdated, what was said last at the end."""
    title, unsure = WORDS[ws.language]
    rows = chain(ws.store.rows("active", Fact), ws.store.rows("active", Belief))
    standing = (row for row in rows if not row.get("outdated_by"))
    said = sorted(standing, key=lambda row: (row.get("said_at", ""), row["id"]))
    text = "\n".join([title, "", *_lines(said, unsure, ws.zone), ""])
    return masked(redact(text)[0], ws.masked)


def _lines(rows: list[Row], unsure: str, zone: tzinfo) -> Iterator[str]:
    for row in rows:
        words = trust.shown(" ".join(told(row).split()))
        day = clock.day_of(row.get("said_at", ""), zone)
        yield " ".join(filter(None, ("-", day, words, f"({unsure})" if "confidence" in row else "")))
