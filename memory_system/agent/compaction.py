"""Compaction (seed 001): what lies far back in a conversation becomes a summary, the latest stays word for word. The
summary is one record of the transcript, in which everything else stays where it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from memory_system.agent.loop import Silent
from memory_system.agent.messages import told
from memory_system.agent.model import Model
from memory_system.agent.prompt import Phrases
from memory_system.agent.rows import Row
from memory_system.agent.window import first_kept, row_tokens
from memory_system.config import ChatConfig

LONGEST = 4_000  # characters of one message, as it is shown to be summed up


def compact(
    model: Model, rows: Sequence[Row], config: ChatConfig, words: Phrases, tokens: int, *, keep: int | None = None
) -> dict[str, Any]:
    """The record that stands for the rows before those that are kept; {} when there are none. `rows` are in context and
    take `tokens` of it; `keep` (the config's unless given) is how many tokens of the latest stay."""
    place = first_kept(rows, config.keep_recent_tokens if keep is None else keep)
    old = [row for row in rows[:place] if row_tokens(row)]
    if not any(row.get("type") == "message" for row in old):
        return {}
    summary = ""
    for part in _parts(old, config):
        before = [{"type": "compaction", "summary": summary}] if summary else []
        question = words["compact"].strip().format(told=told([*before, *part], LONGEST))
        asked = {"role": "user", "content": [{"type": "text", "text": question}]}
        summary = model.reply(words["compact_system"].strip(), [asked], [], Silent().text).text.strip() or summary
    kept = sum(map(row_tokens, rows[place:])) + row_tokens({"type": "compaction", "summary": summary})
    return {
        "type": "compaction", "summary": summary, "firstKeptEntryId": rows[place]["id"], "tokensBefore": tokens,
        "tokensAfter": kept,
    }  # fmt: skip


def _parts(rows: Sequence[Row], config: ChatConfig) -> Iterator[list[Row]]:
    """The rows in parts of at most half the window, so that each can be summed up."""
    part: list[Row] = []
    total = 0
    for row in rows:
        cost = row_tokens(row)
        if part and total + cost > config.context_window // 2:
            yield part
            part, total = [], 0
        part.append(row)
        total += cost
    yield part
