"""Whom a run asks: the model its mode opens, the answers that a batch has brought since the last run, and the batch
that this run leaves behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memory_system import clock
from memory_system.errors import UsageError
from memory_system.llm import LLM, WHERE, AskError, Usage
from memory_system.records import Problem
from memory_system.workspace import Workspace

if TYPE_CHECKING:  # a run that asks nobody does without
    from memory_system.llm.asking import Asker
    from memory_system.llm.batches import Outbox, Pending


class Questions:
    """The asking of one run. `asker` is None where nobody is asked; `waiting_since` is when the batch was sent whose
    answers no night has used yet, else empty."""

    def __init__(self, ws: Workspace, asker: Asker | None, problems: list[Problem]) -> None:
        self.asker = asker
        self.problems = problems
        self.waiting_since = ""
        self._ws = ws

    @cached_property
    def _outbox(self) -> Outbox:
        from memory_system.llm.batches import Outbox

        return Outbox(self._ws.layout.batch, self._ws.files)

    def take_in(self, model: LLM, now: str, *, batch: bool) -> None:
        """Collect what a batch has answered. In the mode of batches questions wait for the next one, and while one is
        on its way none are asked."""
        asker = self.asker
        if asker is None:
            return
        pending = self._outbox.read()
        if batch:
            asker.queue = []
        if pending is not None and self._collected(pending, model, asker, now):
            asker.late, self.waiting_since = pending.contexts, pending.at
        elif pending is not None and batch:
            self.asker = None

    def _collected(self, pending: Pending, model: LLM, asker: Asker, now: str) -> bool:
        from memory_system.llm.batches import collect
        from memory_system.llm.claude import Claude

        if not isinstance(model, Claude):
            return False
        try:
            return collect(pending, self._outbox, model, asker.answers, asker.ledger, now)
        except AskError as error:
            self.problems.append(Problem(WHERE, f"the batch: {error}", "the next run looks for it again"))
            return False

    def used(self) -> None:
        """A night has used what there was."""
        if self.asker is not None and self.waiting_since:
            self.asker.late, self.waiting_since = [], ""
            self._outbox.clear()

    def send_off(self, model: LLM | None, run: str, now: str) -> None:
        """Send what waits for a batch."""
        if self.asker is None or not self.asker.queue:
            return
        from memory_system.llm.batches import Pending, send
        from memory_system.llm.claude import Claude

        if not isinstance(model, Claude):
            return
        pending = Pending("sending", now, run, self.asker.queue, self.asker.contexts)
        try:
            send(pending, self._outbox, model)
        except AskError as error:
            self.problems.append(Problem(WHERE, f"the batch: {error}", "the next run sends it again"))


@contextmanager
def asking(ws: Workspace, model: LLM | None, mode: str, replay: str) -> Iterator[Questions]:
    """The asking of a run in that mode, with that model instead of the mode's own where one is given; what waits for a
    batch is sent at the end. UsageError where the run to be replayed has asked nothing."""
    if mode == "off" and model is None and not replay:
        yield Questions(ws, None, [])
        return
    from memory_system.llm.opening import NO_KEY, opened

    now = clock.stamp(ws.now)
    with opened(ws.config, "off" if model or replay else mode) as found:
        chosen = model or found
        problems = [NO_KEY] if mode != "off" and not (chosen or replay) else []
        questions = Questions(ws, _asker(ws, chosen, replay), problems)
        if chosen is not None:
            questions.take_in(chosen, now, batch=mode == "batch")
        yield questions
        questions.send_off(chosen, questions.asker.run if questions.asker else "", now)


def asked_by(asker: Asker | None) -> dict[str, Any]:
    """What a run has asked: calls, tokens sent and received, US dollars (None without a price), and the lines that
    were left to the rules because no question had room for them."""
    used = asker.used if asker else Usage()
    return {
        "calls": used.calls,
        "input_tokens": used.tokens - used.output,
        "output_tokens": used.output,
        "usd": asker.ledger.cost(used, asker.config.model) if asker and used.calls else 0.0,
        "left_to_rules": asker.left_to_rules if asker else 0,
    }


def _asker(ws: Workspace, model: LLM | None, replay: str) -> Asker | None:
    """What the phases ask with; None where nobody is to be asked."""
    if model is None and not replay:
        return None
    from memory_system.llm.answers import Answers
    from memory_system.llm.asking import Asker
    from memory_system.llm.ledger import Ledger

    answers = Answers(ws.layout.answers, ws.files)
    if replay and replay not in answers.runs():
        known = ", ".join(answers.runs()[-5:])
        raise UsageError(f"no run {replay} has asked anything", f"the last that have: {known or 'none'}")
    ledger = Ledger(ws.layout.ledger, ws.files, ws.config)
    if model is not None:
        ledger.catch_up(answers.costs())
    return Asker(ws.config, answers, ledger, clock.stamp(ws.now), model, replay)
