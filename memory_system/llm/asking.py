"""What phases are given to ask with: answers that were recorded come from the journal, others from the model, within
the budget; every answer is written down before it is used, every cost in the ledger, every failure among the problems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import orjson
from pydantic import BaseModel, ValidationError

from memory_system.config import Config, Question
from memory_system.llm import LLM, WHERE, Answer, AskError, Prompt, Usage
from memory_system.llm.answers import COSTS, Answers
from memory_system.llm.batches import Queued
from memory_system.llm.claude import request_of
from memory_system.llm.ledger import Ledger, usage_row
from memory_system.llm.wire import cost_of, key_of
from memory_system.records import Problem

QUEUED = "queued"
LATE = ("extract", "conflict", "beliefs")  # questions whose answers can still be used a night later
QUESTIONS: tuple[str, ...] = get_args(Question)  # in the order in which a night asks them
_FINAL = {"unauthorised", "payment", "forbidden", "not_found", "deadline"}  # the next question would fare no better


@dataclass
class Asker:
    """Asks on behalf of one run. `model` is None where only recorded answers count, those of the run `replayed` where
    that is named. `now` is the run's clock as a stamp."""

    config: Config
    answers: Answers
    ledger: Ledger
    now: str
    model: LLM | None = None
    replayed: str = ""
    run: str = ""
    night: str = ""
    used: Usage = field(default_factory=Usage)
    problems: list[Problem] = field(default_factory=list)
    queue: list[Queued] | None = None  # questions that wait for a batch, where they are not asked at once
    contexts: list[dict[str, Any]] = field(default_factory=list)  # what using their answers will need
    left_to_rules: int = 0  # lines for which no question had room
    late: list[dict[str, Any]] = field(default_factory=list)  # of questions that a batch has answered
    _taken: Counter[str] = field(default_factory=Counter)
    _queued: float = 0.0  # US dollars that what waits for a batch may cost
    _closed: AskError | None = None

    def begin(self, run: str, night: str) -> None:
        """From here on questions belong to that night of that run."""
        self.run, self.night = run, night
        self._taken.clear()

    def wants(self, question: str) -> bool:
        """Whether questions of that name may be asked."""
        return question in self.config.llm.questions and (self.queue is None or question in LATE)

    def room(self, question: str) -> int:
        """Tokens that questions of that name may still take this night, answers included. It depends on nothing but
        the answers of this run's earlier questions, so that a run that goes on asks the same."""
        earlier = QUESTIONS[: QUESTIONS.index(question)]
        taken = self.answers.tokens(self.replayed or self.run, self.night, earlier) + self._taken[question]
        return max(0, self.config.budget.tokens_per_night - taken)

    def ask(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        """The answer, valid in the schema; AskError when there is none, which is among the problems by then."""
        key = key_of(prompt, schema, self._model_name)
        try:
            row = self.answers.find(key, self.replayed or self.run)
            if row is not None and (not self.replayed or row["run"] == self.replayed):
                return self._recorded(key, row, prompt, schema)
            if self.model is None:
                raise AskError("no_answer", "there is no recorded answer")
            self._watch_budget(self.model.model, prompt, schema)
            if self.queue is not None:
                self._put_off(key, prompt, schema, self.model.model)
            return self._answered(self.model, key, prompt, schema)
        except AskError as error:
            self._note(prompt, error)
            raise

    def expect(self, question: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Keep what using a late answer to the next question of that name will need."""
        rows = list(rows)
        if self.queue is not None and rows:
            self.contexts.append({"name": question, "rows": rows})

    def answered_late(self, question: str) -> list[list[dict[str, Any]]]:
        """What was kept for each question of that name that a batch has answered."""
        return [each["rows"] for each in self.late if each["name"] == question]

    def _put_off(self, key: str, prompt: Prompt, schema: type[BaseModel], model: str) -> None:
        if self.queue is not None and all(each.key != key for each in self.queue):
            params = request_of(model, prompt, schema)
            self.queue.append(Queued(key, prompt.name, prompt.digest, self.night, params))
        self._taken[prompt.name] += cost_of(prompt, schema) + prompt.most
        raise AskError(QUEUED, "it waits for a batch", retryable=True)

    def _recorded(self, key: str, row: dict[str, Any], prompt: Prompt, schema: type[Answer]) -> Answer:
        """What the journal holds; an answer that another run got is this run's, too."""
        self._taken[prompt.name] += int(row.get("tokens", 0))
        if self.run and row["run"] != (self.replayed or self.run):
            mine = {"at": self.now, "run": self.run, "night": self.night, COSTS: None}
            self.answers.keep(key, {**row, **mine})
        if "answer" not in row:
            kind, what = str(row.get("failed")), str(row.get("what", ""))
            raise AskError(kind, what, retryable=bool(row.get("retryable")))
        return _as_asked(row["answer"], schema)

    def recall(self, prompt: Prompt, schema: type[Answer]) -> Answer:
        """The answer that was recorded for an earlier night; AskError when there is none. Costs nothing."""
        row = self.answers.find(key_of(prompt, schema, self._model_name), "")
        if row is None or "answer" not in row:
            raise AskError("no_answer", "there is no recorded answer")
        return _as_asked(row["answer"], schema)

    @property
    def _model_name(self) -> str:
        return self.model.model if self.model is not None else self.config.model

    def _watch_budget(self, model: str, prompt: Prompt, schema: type[BaseModel]) -> None:
        """AskError where the question, with the longest answer to it, goes beyond what may be spent."""
        if self._closed is not None:
            raise self._closed
        expected = Usage(input=cost_of(prompt, schema), output=prompt.most)
        if expected.tokens > self.ledger.tokens_left(self.night):
            raise AskError("budget", "the tokens of the night (budget.tokens_per_night) are used up")
        cost = self.ledger.cost(expected, model, batch=self.queue is not None)
        if cost is None:
            raise AskError("budget", f"llm.prices names no price for {model}")
        if self._queued + cost > self.ledger.dollars_left(self.now):
            raise AskError("budget", "the dollars of the month (budget.usd_per_month) are used up")
        self._queued += cost if self.queue is not None else 0.0

    def _answered(self, model: LLM, key: str, prompt: Prompt, schema: type[Answer]) -> Answer:
        """Ask the model; answer or failure are on the disk before anybody sees them."""
        before = model.spent
        try:
            answer = model.ask(prompt, schema)
        except AskError as error:
            failed = {"failed": error.kind, "what": str(error), "retryable": error.retryable}
            self._keep(key, prompt, model, before, failed)
            raise
        self._keep(key, prompt, model, before, {"answer": answer.model_dump(mode="json")})
        return answer

    def _keep(self, key: str, prompt: Prompt, model: LLM, before: Usage, outcome: dict[str, Any]) -> None:
        usage = model.spent.minus(before)
        self.used = self.used.plus(usage)
        self._taken[prompt.name] += usage.tokens
        where = {"at": self.now, "run": self.run, "night": self.night}
        asked = {"name": prompt.name, "prompt": prompt.digest, "model": model.model, "tokens": usage.tokens}
        told = {"phase": prompt.name, "model": model.model, "outcome": outcome.get("failed", "answered")}
        costs = {"usd": self.ledger.cost(usage, model.model), "seconds": usage.seconds, "key": key}
        line = {**where, **told, **usage_row(usage), **costs}
        self.answers.keep(key, {**where, **asked, **outcome, COSTS: line})
        self.ledger.add(line)

    def _note(self, prompt: Prompt, error: AskError) -> None:
        """Tell of the failure once, and stop asking where the next question would fare no better."""
        if error.kind == QUEUED:
            return
        problem = Problem(WHERE, f"{prompt.name}: {error}; the rules' own result stands", _hint(error))
        if problem not in self.problems:
            self.problems.append(problem)
        if error.kind in _FINAL:
            self._closed = error


def _as_asked(found: Any, schema: type[Answer]) -> Answer:
    """A recorded answer as a value; AskError where the file holds something else."""
    try:
        return schema.model_validate_json(orjson.dumps(found))
    except ValidationError:
        raise AskError("bad_output", "the recorded answer is not what was asked for") from None


def _hint(error: AskError) -> str:
    if error.kind == "budget":
        return "config.json sets budget and prices; memory stats shows what was spent"
    if error.kind in ("unauthorised", "forbidden"):
        return "set ANTHROPIC_API_KEY, or llm.mode to off in config.json"
    return ""
