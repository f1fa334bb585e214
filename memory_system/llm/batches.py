"""Questions that wait, for half the price: `state/queue.jsonl`, one a line, each written down as it is put off. One
Message Batch at a time is made of them and written down in `state/batch.json` before it is sent, so that one that was
sent and not recorded is found again in the list of batches and never sent twice."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ValidationError

from memory_system.disk import Files
from memory_system.errors import DamagedError
from memory_system.llm import LLM, AskError, Usage
from memory_system.llm.claude import Claude, checked, text_of, usage_of
from memory_system.llm.ledger import Answers, Asked, Ledger, Lines, Row, book

_LISTED = 50  # batches looked through for one that was sent and not recorded


class Queued(BaseModel, frozen=True):
    """A question that waits: the name of its answer, what is asked, by which prompt, for which night of which run, the
    body of its request, what it takes at most, and what using its answer will need."""

    key: str
    name: str
    prompt: str
    run: str
    night: str
    params: dict[str, Any]
    tokens: int
    usd: float
    rows: list[dict[str, Any]] = []


class Queue(Lines):
    """The questions of one workspace that wait, and those that are `underway` already, by name."""

    def __init__(self, path: Path, files: Files) -> None:
        super().__init__(path, files)
        self.underway: dict[str, Queued] = {}

    def is_ours(self, row: Row) -> bool:
        return bool(Queued.model_validate(row))

    @property
    def waiting(self) -> list[Queued]:
        """In the order in which they were put off."""
        return list(map(Queued.model_validate, self.rows))

    def knows(self, key: str) -> bool:
        """Whether the question of that name is to be answered by a batch."""
        return key in self.underway or any(row["key"] == key for row in self.rows)

    def clear(self) -> None:
        self.files.remove(self.path)
        self.rows = []

    def drop(self, keys: Collection[str]) -> None:
        """Take out what a batch has already: a crash came between its writing and the clearing."""
        kept = [row for row in self.rows if row["key"] not in keys]
        if len(kept) < len(self.rows):
            self.replace(kept)

    def tokens(self, night: str) -> int:
        """Tokens that the questions take at most for that night."""
        return sum(each.tokens for each in self._unpaid if each.night == night)

    @property
    def usd(self) -> float:
        """US dollars that all of them cost at most."""
        return sum(each.usd for each in self._unpaid)

    @property
    def _unpaid(self) -> list[Queued]:
        return [*self.waiting, *self.underway.values()]


class Pending(BaseModel):
    """The batch on its way. `state` is sending until the server has said the batch's id, sent until the answers are
    there, then collected; `night` is the one that uses them, once one has begun to."""

    state: Literal["sending", "sent", "collected"]
    at: str
    requests: list[Queued]
    id: str = ""
    night: str = ""


class Outbox:
    """The batch of one workspace, if there is one, and the `queue` of the next. Only Anthropic's models take any."""

    def __init__(self, path: Path, queue: Path, files: Files) -> None:
        self.path = path
        self.queue = Queue(queue, files)
        self.files = files

    def read(self) -> Pending | None:
        """DamagedError when the file is none of ours."""
        row = self.files.read_object(self.path)
        if not row:
            return None
        try:
            return Pending.model_validate(row)
        except ValidationError as error:
            raise DamagedError(f"{self.path} is no batch", "remove it: what it asks goes by rules") from error

    def write(self, pending: Pending) -> None:
        self.files.replace(self.path, orjson.dumps(pending.model_dump()))

    def clear(self) -> None:
        self.files.remove(self.path)

    def send(self, now: str, model: LLM) -> None:
        """Make a batch of what waits, unless there is one: write it down, send it, and write down its id. AskError
        where it could not be sent; then the next run looks for it first."""
        if not isinstance(model, Claude) or self.read() is not None or not self.queue.waiting:
            return
        pending = Pending(state="sending", at=now, requests=self.queue.waiting)
        self.write(pending)
        self.queue.clear()  # from here on the batch has them
        self._send(pending, model)

    def _send(self, pending: Pending, model: Claude) -> None:
        requests: Any = [{"custom_id": each.key, "params": each.params} for each in pending.requests]
        batch = model.patiently(
            lambda timeout: model.client.messages.batches.create(requests=requests, timeout=timeout)
        )
        if not isinstance(getattr(batch, "id", None), str):
            raise AskError("bad_envelope", "the server's reply is no batch", retryable=True)
        self._found(pending, batch.id)

    def _found(self, pending: Pending, name: str) -> None:
        pending.state, pending.id = "sent", name
        self.write(pending)

    def collect(self, pending: Pending, model: LLM, answers: Answers, ledger: Ledger, now: str) -> bool:
        """Take in the answers of a batch that has ended; whether it has. What expired, failed or is gone is written
        down as failed. AskError where the server could not be asked."""
        if not isinstance(model, Claude):
            return False
        if pending.state == "sending":
            self._find_again(pending, model)
        if pending.state == "sent":
            results = _results(pending, model)
            if results is None:
                return False
            for asked in pending.requests:
                if not answers.has(asked.key, asked.run):  # else a run that was stopped here has kept it
                    _keep(asked, results.get(asked.key), answers, ledger, now)
            pending.state = "collected"
            self.write(pending)
        return pending.state == "collected"

    def _find_again(self, pending: Pending, model: Claude) -> None:
        """The batch may have been sent although its id was not recorded: it is the one of the same questions. That
        shows when it has ended; while one of as many questions has not, it is waited for. One that was never sent is
        sent now."""
        wanted = {each.key for each in pending.requests}

        def listed(timeout: float) -> list[Any]:
            found: list[Any] = model.client.messages.batches.list(limit=_LISTED, timeout=timeout).data
            return [each for each in found if sum(each.request_counts.to_dict().values()) == len(wanted)]

        alike = model.patiently(listed)
        for batch in alike:
            if batch.processing_status == "ended" and _results_of(batch, model).keys() == wanted:
                self._found(pending, batch.id)
                return
        if all(each.processing_status == "ended" for each in alike):
            self._send(pending, model)


def _results(pending: Pending, model: Claude) -> dict[str, Any] | None:
    """The results of the batch by the names of their questions; none when the server no longer has them, None while it
    is on its way."""
    try:
        batch = model.patiently(lambda timeout: model.client.messages.batches.retrieve(pending.id, timeout=timeout))
    except AskError as error:
        if error.kind != "not_found":
            raise
        return {}
    if getattr(batch, "processing_status", "") != "ended":
        return None
    return _results_of(batch, model)


def _results_of(batch: Any, model: Claude) -> dict[str, Any]:
    """What a batch that has ended has given, by name; nothing where it is too old to be had."""
    if not getattr(batch, "results_url", None):
        return {}

    def read(timeout: float) -> dict[str, Any]:
        rows = model.client.messages.batches.results(batch.id, timeout=timeout)
        return {each.custom_id: each.result for each in rows}

    found: dict[str, Any] = model.patiently(read)
    return found


def _keep(asked: Queued, result: Any, answers: Answers, ledger: Ledger, now: str) -> None:
    """One result as an answer or a failure, with what it cost."""
    model = str(asked.params["model"])
    message = getattr(result, "message", None)
    usage = usage_of(message).plus(Usage(calls=1))
    question = Asked(asked.key, asked.name, asked.prompt, model, now, asked.run, asked.night)
    book(question, _outcome(result, message), usage, answers, ledger, batch=True)


def _outcome(result: Any, message: Any) -> dict[str, Any]:
    kind = getattr(result, "type", "gone")
    if kind != "succeeded":
        return {"failed": kind, "what": f"the batch gave no answer: {kind}", "retryable": True}
    try:
        return {"answer": orjson.loads(text_of(checked(message)))}
    except AskError as error:
        return {**error.to_row(), "retryable": False}
    except orjson.JSONDecodeError:
        return {"failed": "bad_output", "what": "the answer is not what was asked for", "retryable": False}
