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
from memory_system.llm import LLM, WHERE, AskError
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
        self._ws = ws
        self._pending: Pending | None = None  # whose answers are there

    @property
    def waiting_since(self) -> str:
        return self._pending.at if self._pending else ""

    @cached_property
    def _outbox(self) -> Outbox:
        from memory_system.llm.batches import Outbox

        return Outbox(self._ws.layout.batch, self._ws.layout.queue, self._ws.files)

    def take_in(self, model: LLM, now: str, *, batch: bool) -> None:
        """Collect what a batch has answered. In the mode of batches questions wait for the next one."""
        if self.asker is None:
            return
        queue = self._outbox.queue
        if batch:
            self.asker.queue = queue
        pending = self._outbox.read()
        if pending is None:
            return
        sent = {each.key: each for each in pending.requests}
        queue.drop(sent.keys())
        with self._troubled("the next run looks for it again"):
            if self._outbox.collect(pending, model, self.asker.answers, self.asker.ledger, now):
                self._pending = pending
        if self._pending is None:
            queue.underway = sent

    @contextmanager
    def _troubled(self, hint: str) -> Iterator[None]:
        """What goes wrong with a batch is a problem, and stops nothing."""
        try:
            yield
        except AskError as error:
            self.problems.append(Problem(WHERE, f"the batch: {error}", hint))

    def begin(self, run: str, night: str) -> None:
        """A night begins, or goes on. What a batch has answered belongs to the first night that begins after it was
        collected, and to no other, however often that one is stopped."""
        if self.asker is None:
            return
        self.asker.run, self.asker.night = run, night
        pending, state = self._pending, self._ws.checkpoint.state
        if pending is None:
            return
        if pending.night and pending.night <= state.last_night and pending.night != night:
            self._clear()  # stopped after the commit
            return
        goes_on = state.current_phase is not None and state.night == night
        if pending.night != night and not goes_on:
            pending.night = night
            self._outbox.write(pending)
        self.asker.late = pending.requests if pending.night == night else []

    def used(self) -> None:
        """The night has used what there was for it."""
        if self.asker is not None and self._pending and self._pending.night == self.asker.night:
            self._clear()

    def _clear(self) -> None:
        self._pending = None
        if self.asker is not None:
            self.asker.late = []
        self._outbox.clear()

    def send_off(self, model: LLM, now: str) -> None:
        """Send what waits for a batch, unless one is on its way or waits for a night."""
        with self._troubled("the next run sends it again"):
            self._outbox.send(now, model)


@contextmanager
def asking(ws: Workspace, model: LLM | None, mode: str, replay: str) -> Iterator[Questions]:
    """The asking of a run in that mode, with that model instead of the mode's own where one is given; what waits for a
    batch is sent at the end. UsageError where the run to be replayed has asked nothing."""
    if mode == "off" and model is None and not replay:
        yield Questions(ws, None, [])
        return
    from memory_system.llm.claude import NO_KEY, opened

    now = clock.stamp(ws.now)
    with opened(ws.config, "off" if model or replay else mode) as found:
        chosen = model or found
        problems = [NO_KEY] if mode != "off" and not (chosen or replay) else []
        questions = Questions(ws, _asker(ws, chosen, replay), problems)
        if chosen is not None:
            questions.take_in(chosen, now, batch=mode == "batch")
        yield questions
        if chosen is not None:
            questions.send_off(chosen, now)


def asked_by(asker: Asker | None) -> dict[str, Any]:
    """What a run has asked, and what a batch has brought it: calls, tokens sent and received, US dollars (None without
    a price), the lines that a model has read, and those that were left to the rules."""
    if asker is None:
        return {"calls": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0, "read": 0, "left_to_rules": 0}
    from memory_system.llm.ledger import summed

    return {**summed(asker.ledger.added), "read": asker.read, "left_to_rules": asker.left_to_rules}


def _asker(ws: Workspace, model: LLM | None, replay: str) -> Asker | None:
    """What the phases ask with; None where nobody is to be asked."""
    if model is None and not replay:
        return None
    from memory_system.llm.asking import Asker
    from memory_system.llm.ledger import Answers, Ledger

    answers = Answers(ws.layout.answers, ws.files)
    if replay and replay not in answers.runs():
        known = ", ".join(answers.runs()[-5:])
        raise UsageError(f"no run {replay} has asked anything", f"the last that have: {known or 'none'}")
    ledger = Ledger(ws.layout.ledger, ws.files, ws.config)
    if model is not None:
        ledger.catch_up(answers.costs())
        answers.drop_old()
    return Asker(answers, ledger, clock.stamp(ws.now), model, replay)
