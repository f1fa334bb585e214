"""A conversation with its owner: each message durable before the model hears it, each answer before the next question.
The system prompt is made anew for each turn; room is made before the context fills."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memory_system import clock
from memory_system.agent import session, window
from memory_system.agent.model import ContextFullError, Model, Reply, Show, messages_of, run_turn
from memory_system.agent.prompt import compose, language
from memory_system.agent.session import Row, Session, in_context, user_message
from memory_system.agent.tools import Toolbox
from memory_system.agent.window import NO_REPLY, compact, flush, is_silent, prune
from memory_system.errors import LLMError
from memory_system.llm import Phrases, phrases
from memory_system.llm.ledger import Ledger
from memory_system.text import estimate_tokens
from memory_system.workspace import Workspace

TOOL_TOKENS = 1_200  # about what the descriptions of the tools take
WHOLE = ("end_turn", "stop_sequence")  # how an answer ends that was not cut off


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
            self._make_room(ws, words, system)
        try:
            with self._booked("chat"):
                replies = self._answer(system, words)
        except ContextFullError:
            if not self._compact(words, system, keep=0):
                raise
            with self._booked("chat"):
                replies = self._answer(system, words)
        self._count(replies)
        if replies[-1].stop not in WHOLE:
            self.show.notice(words["ended"].format(stop=replies[-1].stop))

    def _answer(self, system: str, words: Phrases) -> list[Reply]:
        heard = _Heard(self.show)
        self._asked = self.now()
        try:
            return run_turn(
                self.model,
                system,
                lambda: messages_of(self.rows, words["summary_title"], self._instead),
                lambda message: self._record(message, heard),
                self.tools,
                heard,
            )
        except KeyboardInterrupt:
            if heard.said:
                cut = {"role": "assistant", "content": [{"type": "text", "text": heard.said}], "stopReason": "aborted"}
                self.session.message(cut, self.now())
            raise

    def _record(self, message: Mapping[str, Any], heard: _Heard) -> None:
        self.session.message(message, self.now())
        heard.end()

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
        """Keep what the replies cost, and how full the context is."""
        spent = (sum(each.tokens[0] for each in replies), sum(each.tokens[1] for each in replies))
        with self._open() as ws:
            if replies and "contextTokens" not in changed:
                changed["contextTokens"] = sum(replies[-1].tokens)
            session.update_entry(ws, self.session.id, ws.now, tokens=spent, **changed)

    # Making room

    def _make_room(self, ws: Workspace, words: Phrases, system: str) -> None:
        """Prune, flush and compact as far as the context calls for it. The flush knows nothing of the question that
        waits; a compaction that fails is left to the next turn, or to a context that is full."""
        config = ws.config.chat
        self._prune(ws)
        tokens = self.tokens(system)
        if config.flush and window.flush_due(tokens, config):
            self.flush(self.rows[:-1])
        if window.compaction_due(tokens, config):
            with suppress(LLMError):
                self._compact(words, system)

    def _prune(self, ws: Workspace) -> None:
        ttl = timedelta(minutes=ws.config.chat.cache_ttl_minutes)
        if self._asked is None or ws.now - self._asked >= ttl:
            rows = self.rows
            tokens = window.context_tokens(rows, 0)
            self._instead |= prune(rows, tokens, ws.config.chat.context_window)

    def tokens(self, system: str) -> int:
        """How much of the context is taken."""
        return window.context_tokens(self.rows, estimate_tokens(system) + TOOL_TOKENS)

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
                    replies = flush(self.model, compose(ws).text, rows, ws, phrases(language(ws)))
            except LLMError:
                if forced:
                    raise
                return False
            self.session.append({"type": "custom", "customType": "memory-flush", "data": {}}, ws.now)
            mark = {"memoryFlushAt": self.session.rows[-1]["timestamp"]}
        self._count(
            replies, **mark, memoryFlushCompactionCount=entry["compactionCount"], contextTokens=entry["contextTokens"]
        )
        return True

    def compact(self, *, keep: int | None = None) -> bool:
        """Compact now; whether there was anything to sum up."""
        with self._open() as ws:
            words, system = phrases(language(ws)), compose(ws).text
        return self._compact(words, system, keep=keep)

    def _compact(self, words: Phrases, system: str, *, keep: int | None = None) -> bool:
        with self._open() as ws:
            config, entry = ws.config.chat, session.entry_of(ws, self.session.id)
        with self._booked("compact"):
            made = compact(self.model, self.rows, config, words, self.tokens(system), keep=keep)
        if not made:
            return False
        self.session.append(made, self.now())
        self._count([], compactionCount=entry["compactionCount"] + 1, contextTokens=made["tokensAfter"])
        self.show.notice(words["compacted"].format(before=made["tokensBefore"], after=made["tokensAfter"]))
        return True

    def reset(self) -> str:
        """Leave a summary note of the session and begin a new one; the note's name, empty when nothing was said."""
        with self._open() as ws:
            key = session.key_of(self.session.id)
            path = session.write_summary(ws, self.session.rows, key=key, session_id=self.session.id)
            self.session = Session.begin(ws.layout, ws.now.astimezone(ws.config.zone), ws.files)
        self._instead = {}
        return path


class _Heard(Show):
    """Passes an answer on as it comes, unless it asks not to be shown; knows what was said of the present one."""

    def __init__(self, show: Show) -> None:
        self._show = show
        self._shown = False
        self.said = ""

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

    def notice(self, said: str) -> None:
        self._show.notice(said)
