"""Pruning: old tool results are shortened in what the model sees, never in the transcript. It is done when the model's
cache of the conversation has expired anyway, because to change what is cached costs more than it saves."""

from __future__ import annotations

from collections.abc import Sequence

from memory_system.agent.rows import Row, message_of, text_of
from memory_system.text import estimate_tokens

SOFT_SHARE = 0.3  # of the window, from which long results are trimmed
HARD_SHARE = 0.5  # from which the oldest are cleared
LONG = 4_000  # characters
HEAD = TAIL = 1_500
KEPT_ANSWERS = 3  # results since the third last answer stay as they are
CLEARED = "[Old tool result content cleared]"


def prune(rows: Sequence[Row], tokens: int, window: int) -> dict[str, str]:
    """Shorter texts for results, by the id of their call; none where the context has room."""
    instead: dict[str, str] = {}
    old = _old_results(rows)
    if tokens >= SOFT_SHARE * window:
        for call, said in old.items():
            if len(said) > LONG:
                instead[call] = trimmed(said)
                tokens -= estimate_tokens(said) - estimate_tokens(instead[call])
    for call, said in old.items():
        if tokens < HARD_SHARE * window:
            break
        tokens -= estimate_tokens(instead.get(call, said)) - estimate_tokens(CLEARED)
        instead[call] = CLEARED
    return instead


def trimmed(said: str) -> str:
    """Head and tail of a long result."""
    cut = len(said) - HEAD - TAIL
    return f"{said[:HEAD]}\n…\n{said[-TAIL:]}\n[{cut} characters in the middle are left out]"


def _old_results(rows: Sequence[Row]) -> dict[str, str]:
    """The results before the last answers, oldest first, by the id of their call."""
    answers = [n for n, row in enumerate(rows) if message_of(row).get("role") == "assistant"]
    end = answers[-KEPT_ANSWERS] if len(answers) >= KEPT_ANSWERS else 0
    messages = (message_of(row) for row in rows[:end])
    return {str(each.get("toolCallId")): text_of(each) for each in messages if each.get("role") == "toolResult"}
