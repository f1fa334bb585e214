"""How full a model's context is, when that calls for something, and where a conversation may be cut. Numbers are those
of seed 001: of 200,000 tokens 176,000 call for a flush, and more than 180,000 for a compaction."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from memory_system.agent.rows import Row, blocks_of, message_of
from memory_system.config import ChatConfig
from memory_system.text import estimate_tokens


def flush_due(tokens: int, config: ChatConfig) -> bool:
    return tokens >= config.context_window - config.reserve_tokens - config.soft_threshold_tokens


def compaction_due(tokens: int, config: ChatConfig) -> bool:
    return tokens > config.context_window - config.reserve_tokens


def row_tokens(row: Row) -> int:
    """About what the row costs in a context."""
    if row.get("type") == "compaction":
        return estimate_tokens(str(row.get("summary", "")))
    blocks = blocks_of(message_of(row))
    said = (each.get("text") or each.get("arguments") or "" for each in blocks if each.get("type") != "thinking")
    return sum(estimate_tokens(each if isinstance(each, str) else orjson.dumps(each).decode()) for each in said)


def context_tokens(rows: Sequence[Row], around: int) -> int:
    """How much of the context these rows take, with `around` tokens of system prompt and tools: what the model counted
    at its last answer, and an estimate of what came since. What it counted before the summary no longer holds."""
    since = 0
    summed_up = rows[0].get("timestamp", "") if rows and rows[0].get("type") == "compaction" else None
    for row in reversed(rows):
        usage = message_of(row).get("usage")
        holds = summed_up is None or str(row.get("timestamp", "")) > str(summed_up)
        if holds and isinstance(usage, dict) and usage.get("totalTokens"):
            return int(usage["totalTokens"]) + since
        since += row_tokens(row)
    return since + around


def first_kept(rows: Sequence[Row], keep: int) -> int:
    """The number of the first row that stays word for word: a question of the user from which on at most `keep` tokens
    are taken, or the last question, whatever it and its answer take. 0 when nothing may go."""
    place = total = 0
    for number in range(len(rows) - 1, -1, -1):
        total += row_tokens(rows[number])
        if message_of(rows[number]).get("role") == "user":
            if total > keep and place:
                break
            place = number
            if total > keep:
                break
    return place
