"""What phases are given to ask with: answers that were recorded come from the journal, others from the model, within
the budget; every answer is written down before it is used, every cost in the ledger, every failure among the problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson
from pydantic import BaseModel, ValidationError

from memory_system.llm import LLM, WHERE, Answer, AskError, Prompt, Usage, cost_of, key_of, whole_of
from memory_system.llm.batches import Queue, Queued
from memory_system.llm.claude import request_of
from memory_system.llm.ledger import COSTS, Answers, Asked, Ledger, book
from memory_system.records import Problem

QUEUED = "queued"
Rows = Iterable[dict[str, Any]]
_FINAL = {"unauthorised", "payment", "forbidden", "not_found", "deadline"}  # the next question would fare no better


@dataclass
class Asker:
    """Asks on behalf of a `night` of one `run`. `model` is None where only recorded answers count, those of the run
    `replayed` where that is named. `now` is the run's clock as a stamp."""

    answers: Answers
    ledger: Ledger
    now: str
    model: LLM | None = None
    replayed: str = ""
    run: str = ""
    night: str = ""
    used: Usage = field(default_factory=Usage)
    problems: list[Problem] = field(default_factory=list)
    queue: Queue | None = None  # of what waits for a batch, where questions are not asked at once
    left_to_rules: int = 0  # lines of the owner's that no model has read
    read: int = 0  # and those that one has
    late: list[Queued] = field(default_factory=list)  # questions that a batch has answered, for this night to use
    _closed: AskError | None = None

    def ask(self, prompt: Prompt, schema: type[Answer], rows: Rows = ()) -> Answer:
        """The answer, valid in the schema; AskError when there is none, which is among the problems by then. `rows` are
        what using a late answer will need: they are kept where it waits."""
        key = key_of(prompt, schema, self._model_name)
        try:
            row = self.answers.find(key, self.replayed or self.run)
            if row is not None and (not self.replayed or row["run"] == self.replayed):
                return self._recorded(key, row, schema)
            if self.model is None:
                raise AskError("no_answer", "there is no recorded answer")
            if self.queue is not None:
                self._put_off(self.queue, key, prompt, schema, rows)
            self._watch_budget(prompt, schema)
            return self._answered(self.model, key, prompt, schema)
        except AskError as error:
            self._note(prompt.name, error, whole_of(error.said, schema))
            raise

    def answered(self, schema: type[Answer]) -> Iterator[tuple[Queued, Answer]]:
        """The questions that a batch has answered, each with its answer; a failure is among the problems by then."""
        for each in self.late:
            row = self.answers.find(each.key, each.run) or {"failed": "gone", "what": "the batch's answer is gone"}
            try:
                yield each, _answer_of(row, schema)
            except AskError as error:
                whole = whole_of(error.said, schema)
                self._note(each.name, error, whole)
                if whole is not None:
                    yield each, whole

    def _put_off(self, queue: Queue, key: str, prompt: Prompt, schema: type[BaseModel], rows: Rows) -> None:
        """Let the question wait for a batch; never returns."""
        if not queue.knows(key):
            cost = self._watch_budget(prompt, schema)
            body = request_of(self._model_name, prompt, schema)
            tokens = cost_of(prompt, schema) + prompt.most
            asked = Queued(
                key=key, name=prompt.name, prompt=prompt.digest, run=self.run, night=self.night, params=body,
                tokens=tokens, usd=cost, rows=list(rows),
            )  # fmt: skip
            queue.append(asked.model_dump())
        raise AskError(QUEUED, "it waits for a batch", retryable=True)

    def _recorded(self, key: str, row: dict[str, Any], schema: type[Answer]) -> Answer:
        """What the journal holds; an answer that another run got is this run's, too."""
        if self.run and row["run"] != (self.replayed or self.run):
            mine = {"at": self.now, "run": self.run, "night": self.night, COSTS: None}
            self.answers.keep(key, {**row, **mine})
        return _answer_of(row, schema)

    @property
    def _model_name(self) -> str:
        return self.model.model if self.model is not None else self.ledger.config.model

    def _watch_budget(self, prompt: Prompt, schema: type[BaseModel]) -> float:
        """The US dollars that the question costs at most; AskError where it, with the longest answer to it, goes beyond
        what may be spent."""
        if self._closed is not None:
            raise self._closed
        expected = Usage(input=cost_of(prompt, schema), output=prompt.most)
        waiting = self.queue.tokens(self.night) if self.queue is not None else 0
        if expected.tokens + waiting > self.ledger.tokens_left(self.night):
            raise AskError("budget", "the tokens of the night (budget.tokens_per_night) are used up")
        cost = self.ledger.cost(expected, self._model_name, batch=self.queue is not None)
        if cost is None:
            raise AskError("budget", f"llm.prices names no price for {self._model_name}")
        if cost + (self.queue.usd if self.queue is not None else 0.0) > self.ledger.dollars_left(self.now):
            raise AskError("budget", "the dollars of the month (budget.usd_per_month) are used up")
        return cost

    def _answered(self, model: LLM, key: str, prompt: Prompt, schema: type[Answer]) -> Answer:
        """Ask the model; answer or failure are on the disk before anybody sees them."""
        before = model.spent
        try:
            answer = model.ask(prompt, schema)
        except AskError as error:
            self._keep(key, prompt, model, before, error.to_row())
            raise
        self._keep(key, prompt, model, before, {"answer": answer.model_dump(mode="json")})
        return answer

    def _keep(self, key: str, prompt: Prompt, model: LLM, before: Usage, outcome: dict[str, Any]) -> None:
        usage = model.spent.minus(before)
        self.used = self.used.plus(usage)
        asked = Asked(key, prompt.name, prompt.digest, model.model, self.now, self.run, self.night)
        book(asked, outcome, usage, self.answers, self.ledger)

    def _note(self, question: str, error: AskError, whole: BaseModel | None) -> None:
        """Tell of the failure once, and of what is whole of the answer all the same; and stop asking where the next
        question would fare no better."""
        if error.kind == QUEUED:
            return
        stands = "the rules' own result stands" if whole is None else "what is whole of it counts"
        problem = Problem(WHERE, f"{question}: {error}; {stands}", _hint(error))
        if problem not in self.problems:
            self.problems.append(problem)
        if error.kind in _FINAL:
            self._closed = error


def _answer_of(row: dict[str, Any], schema: type[Answer]) -> Answer:
    """A recorded answer as a value; AskError where it is a failure, or not what was asked for."""
    if "answer" not in row:
        raise AskError(str(row.get("failed")), str(row.get("what", "")), said=str(row.get("said", "")))
    try:
        return schema.model_validate_json(orjson.dumps(row["answer"]))
    except ValidationError:
        raise AskError("bad_output", "the recorded answer is not what was asked for") from None


def _hint(error: AskError) -> str:
    if error.kind == "budget":
        return "config.json sets budget and prices; memory stats shows what was spent"
    if error.kind in ("unauthorised", "forbidden"):
        return "set ANTHROPIC_API_KEY, or llm.mode to off in config.json"
    return ""
