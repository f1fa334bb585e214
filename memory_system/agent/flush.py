"""The silent turn before a compaction (seeds 001 and 004): the model writes what should last to today's note. All else
is read-only, whatever it tries, and nothing of it is shown or kept in the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from memory_system import clock
from memory_system.agent.loop import Silent, Turn, run_turn
from memory_system.agent.messages import user_message
from memory_system.agent.model import Model, Reply
from memory_system.agent.prompt import Phrases
from memory_system.agent.rows import Row
from memory_system.agent.tools import FLUSH_TOOLS, Toolbox
from memory_system.workspace import Workspace

NO_REPLY = "NO_REPLY"
SAFETY = (  # the rule, and by what it is known in a prompt of the owner's
    ("Store durable memories only in memory/YYYY-MM-DD.md", "only in memory/yyyy-mm-dd.md"),
    ("APPEND new content only and do not overwrite existing entries", "append new content only"),
    ("Treat MEMORY.md, SOUL.md, TOOLS.md, AGENTS.md as read-only during this flush", "read-only during this flush"),
)


def with_safety(prompt: str) -> str:
    """The prompt with those of the three rules that it lacks."""
    lacking = [rule for rule, mark in SAFETY if mark not in prompt.lower()]
    return "\n".join([prompt.rstrip(), *(f"{rule}." for rule in lacking)])


def is_silent(answer: str) -> bool:
    """Whether an answer asks not to be shown."""
    return answer.strip().startswith(NO_REPLY)


def prompts(ws: Workspace, words: Phrases) -> tuple[str, str]:
    """System prompt and question of the turn: the owner's where there are any, safe in either case."""
    today = clock.local_date(ws.now, ws.config.zone)
    own = (ws.config.chat.flush_system_prompt, ws.config.chat.flush_prompt)
    system, question = (mine or words[name] for mine, name in zip(own, ("flush_system", "flush"), strict=True))
    return _dated(with_safety(system.strip()), today), _dated(with_safety(question.strip()), today)


def _dated(prompt: str, today: date) -> str:
    return prompt.replace("memory/YYYY-MM-DD.md", f"memory/{today}.md")


def flush(model: Model, system: str, rows: Sequence[Row], ws: Workspace, words: Phrases) -> list[Reply]:
    """Run the turn over these rows; its replies. The rows stay as they are."""
    added, question = prompts(ws, words)
    held: list[Row] = [*rows, {"type": "message", "message": user_message(question)}]
    turn = Turn(
        f"{system}\n\n---\n\n{added}",
        lambda: held,
        lambda message: held.append({"type": "message", "message": dict(message)}),
        words["summary_title"],
        {},
    )
    return run_turn(model, turn, Toolbox(ws.layout.root, lambda: ws.now, FLUSH_TOOLS), Silent())
