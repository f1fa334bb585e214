"""A conversation with its owner: each message durable before the model hears it, each answer before the next question.
The system prompt is made anew for each turn.

Room is made before the context fills, by the numbers of seed 001: of 200,000 tokens 176,000 call for a flush, and more
than 180,000 for a compaction. In the transcript everything stays where it was. Old tool results are shortened when the
model's cache of the conversation has expired anyway, because to change what is cached costs more than it saves. The
flush is a silent turn (seed 004) in which the model writes what should last to today's note: all else is read-only,
whatever it tries. Compaction makes a summary of what lies far back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.agent import session
from memory_system.agent.model import ContextFullError, Model, Reply, Show, Silent, messages_of, run_turn
from memory_system.agent.prompt import RULE, compose, language
from memory_system.agent.session import Row, Session, blocks_of, in_context, message_of, text_of, user_message
from memory_system.agent.tools import FLUSH_TOOLS, Toolbox
from memory_system.config import ChatConfig
from memory_system.errors import LLMError
from memory_system.llm import Phrases, phrases
from memory_system.llm.ledger import Ledger
from memory_system.recall.units import gathered
from memory_system.text import estimate_tokens
from memory_system.workspace import Workspace

TOOL_TOKENS = 1_200  # about what the descriptions of the tools take
WHOLE = ("end_turn", "stop_sequence")  # how an answer ends that was not cut off
SOFT_SHARE = 0.3  # of the window, from which long results are trimmed
HARD_SHARE = 0.5  # from which the oldest are cleared
LONG = 4_000  # characters
HEAD = TAIL = 1_500
KEPT_ANSWERS = 3  # results since the third last answer stay as they are
CLEARED = "[Old tool result content cleared]"
LONGEST_TOLD = 4_000  # characters of one message, as it is shown to be summed up
NO_REPLY = "NO_REPLY"
NOTE = "memory/YYYY-MM-DD.md"  # as prompts call today's note
SAFETY = (  # the rule, and by what it is known in a prompt of the owner's
    ("Store durable memories only in memory/YYYY-MM-DD.md", "only in memory/yyyy-mm-dd.md"),
    ("APPEND new content only and do not overwrite existing entries", "append new content only"),
    ("Treat MEMORY.md, SOUL.md, TOOLS.md, AGENTS.md as read-only during this flush", "read-only during this flush"),
)


class Chat:
    """One chat in a workspace. `now` gives the moment of each step; `session` is gone on with, or a new one begun."""

    def __init__(
        self, root: Path, now: Callable[[], datetime], model: Model, show: Show, session: Session | None = None
    ) -> None:
        self.root = root
        self.now = now
        self.model = model
        self.show = show
        self.tools = Toolbox(root, now)
        with self._open() as ws:
            self.session = session or Session.begin(ws.layout, ws.now.astimezone(ws.config.zone), ws.files)
        self._instead: dict[str, str] = {}  # results as they were pruned, by the id of their call
        self._asked: datetime | None = None  # when the model was asked last

    def _open(self) -> Workspace:
        return Workspace.open(self.root, now=self.now())

    @property
    def rows(self) -> list[Row]:
        """What the model sees of the session."""
        return in_context(self.session.rows)

    def turn(self, said: str) -> None:
        """Ask, and show the answer. LLMError when there is none: the question stays in the session."""
        with self._open() as ws:
            words, system = phrases(language(ws)), compose(ws).text
            self.session.message(user_message(said), ws.now)
            self._make_room(ws, system)
        try:
            replies = self._answer(system, words)
        except ContextFullError:
            if not self.compact(keep=0):
                raise
            replies = self._answer(system, words)
        self._count(replies, contextTokens=sum(replies[-1].tokens))
        if replies[-1].stop not in WHOLE:
            self.show.notice(words["ended"].format(stop=replies[-1].stop))

    def _answer(self, system: str, words: Phrases) -> list[Reply]:
        heard = _Heard(self.show)

        def asked() -> list[Row]:
            return messages_of(self.rows, words["summary_title"], self._instead)

        def record(message: Mapping[str, Any]) -> None:
            self.session.message(message, self.now())
            heard.end()

        self._asked = self.now()
        try:
            with self._booked("chat"):
                return run_turn(self.model, system, asked, record, self.tools, heard)
        except KeyboardInterrupt:
            if heard.said:
                cut = {"role": "assistant", "content": [{"type": "text", "text": heard.said}], "stopReason": "aborted"}
                self.session.message(cut, self.now())
            raise

    @contextmanager
    def _booked(self, phase: str) -> Iterator[None]:
        """What the model takes meanwhile stands in the ledger, whatever comes of it."""
        before, outcome = self.model.spent, "failed"
        try:
            yield
            outcome = "answered"
        finally:
            used = self.model.spent.minus(before)
            if used.calls:
                with self._open() as ws:
                    ledger = Ledger(ws.layout.ledger, ws.files, ws.config)
                    ledger.add_talk(phase, self.model.name, used, outcome, clock.stamp(ws.now))

    def _count(self, replies: list[Reply], **changed: Any) -> None:
        """Keep what the replies cost, and what has changed."""
        spent = (sum(each.tokens[0] for each in replies), sum(each.tokens[1] for each in replies))
        with self._open() as ws:
            session.update_entry(ws, self.session.id, ws.now, tokens=spent, **changed)

    # Making room

    def _make_room(self, ws: Workspace, system: str) -> None:
        """Prune, flush and compact as far as the context calls for it. The flush knows nothing of the question that
        waits; a compaction that fails is left to the next turn, or to a context that is full."""
        config = ws.config.chat
        if self._asked is None or ws.now - self._asked >= timedelta(minutes=config.cache_ttl_minutes):
            self._instead |= prune(self.rows, context_tokens(self.rows, 0), config.context_window)
        tokens = self.tokens(system)
        if config.flush and flush_due(tokens, config):
            self.flush(self.rows[:-1])
        if compaction_due(tokens, config):
            with suppress(LLMError):
                self.compact()

    def tokens(self, system: str) -> int:
        """How much of the context is taken."""
        return context_tokens(self.rows, estimate_tokens(system) + TOOL_TOKENS)

    def flush(self, rows: Sequence[Row] | None = None, *, forced: bool = False) -> bool:
        """The silent turn over the rows (all in context unless given), once for each compaction; whether it was run. A
        model that fails leaves it for later, unless it was asked for (`forced`): then LLMError."""
        rows = self.rows if rows is None else rows
        with self._open() as ws:
            entry = session.entry_of(ws, self.session.id)
            done = entry["memoryFlushCompactionCount"] == entry["compactionCount"] and not forced
            if done or not rows:
                return False
            try:
                with self._booked("flush"):
                    replies = flush(self.model, rows, ws)
            except LLMError:
                if forced:
                    raise
                return False
            mark = self.session.append({"type": "custom", "customType": "memory-flush", "data": {}}, ws.now)
        flushed = {"memoryFlushAt": mark["timestamp"], "memoryFlushCompactionCount": entry["compactionCount"]}
        self._count(replies, **flushed)
        return True

    def compact(self, *, keep: int | None = None) -> bool:
        """Compact now; whether there was anything to sum up. LLMError when the model fails."""
        with self._open() as ws:
            config, entry = ws.config.chat, session.entry_of(ws, self.session.id)
            words, tokens = phrases(language(ws)), self.tokens(compose(ws).text)
        with self._booked("compact"):
            made = compact(self.model, self.rows, config, words, tokens, keep=keep)
        if not made:
            return False
        self.session.append(made, self.now())
        self._count([], compactionCount=entry["compactionCount"] + 1, contextTokens=made["tokensAfter"])
        self.show.notice(words["compacted"].format(before=made["tokensBefore"], after=made["tokensAfter"]))
        return True

    def reset(self) -> str:
        """Leave a summary note of the session and begin a new one; the note's name, empty when nothing was said."""
        with self._open() as ws:
            path = session.write_summary(ws, self.session.rows, self.session.id)
            self.session = Session.begin(ws.layout, ws.now.astimezone(ws.config.zone), ws.files)
        self._instead = {}
        return path


class _Heard(Silent):
    """Passes an answer on as it comes, unless it asks not to be shown; knows what was said of the present one."""

    def __init__(self, show: Show) -> None:
        self._show = show
        self._shown, self.said = False, ""

    def text(self, piece: str) -> None:
        self.said += piece
        begun = self.said.lstrip()
        if self._shown:
            self._show.text(piece)
        elif not NO_REPLY.startswith(begun[: len(NO_REPLY)]):
            self._shown = True
            self._show.text(self.said)

    def end(self) -> None:
        """The answer is complete, and stored."""
        if not self._shown and self.said and not is_silent(self.said):
            self._show.text(self.said)  # it only began like one
        self.said, self._shown = "", False

    def call(self, name: str, arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        self._show.call(name, arguments, answer)


# ---- room in the context -------------------------------------------------------------------------------------------


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
            if total <= keep or not place:
                place = number
            if total > keep:
                break
    return place


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
    for part in gathered(old, row_tokens, config.context_window // 2):  # so that each can be summed up
        before = [{"type": "compaction", "summary": summary}] if summary else []
        question = words["compact"].strip().format(told=told([*before, *part]))
        system, asked = words["compact_system"].strip(), [user_message(question)]
        summary = model.reply(system, asked, [], Silent().text).text.strip() or summary
    kept = sum(map(row_tokens, rows[place:])) + row_tokens({"type": "compaction", "summary": summary})
    return {
        "type": "compaction", "summary": summary, "firstKeptEntryId": rows[place]["id"], "tokensBefore": tokens,
        "tokensAfter": kept,
    }  # fmt: skip


def told(rows: Iterable[Row]) -> str:
    """The rows as a text to be summed up: who said what, and which tools were used; each shortened in the middle."""
    lines = []
    for row in rows:
        message = message_of(row)
        said = str(row.get("summary", "")) if row.get("type") == "compaction" else text_of(message)
        called = (each for each in blocks_of(message) if each.get("type") == "toolCall")
        calls = [f"[{each.get('name')} {orjson.dumps(each.get('arguments')).decode()}]" for each in called]
        said = " ".join([said.strip(), *calls]).strip()
        if said:
            half = LONGEST_TOLD // 2
            shown = said if len(said) <= LONGEST_TOLD else f"{said[:half]} … {said[-half:]}"
            lines.append(f"{message.get('role') or 'summary'}: {shown}")
    return "\n\n".join(lines)


def with_safety(prompt: str) -> str:
    """The prompt with those of the three rules that it lacks."""
    lacking = [rule for rule, mark in SAFETY if mark not in prompt.lower()]
    return "\n".join([prompt.rstrip(), *(f"{rule}." for rule in lacking)])


def is_silent(answer: str) -> bool:
    """Whether an answer asks not to be shown."""
    return answer.strip().startswith(NO_REPLY)


def prompts(ws: Workspace, words: Phrases) -> tuple[str, str]:
    """System prompt and question of the turn: the owner's where there are any, safe in either case."""
    today, chat = clock.local_date(ws.now, ws.config.zone), ws.config.chat
    own = (chat.flush_system_prompt or words["flush_system"], chat.flush_prompt or words["flush"])
    system, question = (with_safety(each.strip()).replace(NOTE, f"memory/{today}.md") for each in own)
    return system, question


def flush(model: Model, rows: Sequence[Row], ws: Workspace) -> list[Reply]:
    """Run the turn over these rows; its replies. The rows stay as they are."""
    words = phrases(language(ws))
    added, question = prompts(ws, words)
    held: list[Row] = [*rows, {"type": "message", "message": user_message(question)}]
    system, tools = compose(ws).text + RULE + added, Toolbox(ws.layout.root, lambda: ws.now, FLUSH_TOOLS)

    def record(message: Mapping[str, Any]) -> None:
        held.append({"type": "message", "message": dict(message)})

    return run_turn(model, system, lambda: messages_of(held, words["summary_title"]), record, tools, Silent())
