"""Questions that wait, for half the price: one Message Batch at a time, written down in `state/batch.json` before it is
sent, so that one that was sent and not recorded is found again in the list of batches and never sent twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from memory_system.files import Files
from memory_system.llm import AskError, Usage
from memory_system.llm.answers import COSTS, Answers
from memory_system.llm.claude import Claude, RefusalError, checked, text_of, usage_of
from memory_system.llm.ledger import Ledger, usage_row

_LISTED = 50  # batches looked through for one that was sent and not recorded


@dataclass(slots=True)
class Queued:
    """A question that waits: the name of its answer, where it belongs, and the body of its request."""

    key: str
    name: str
    prompt: str
    night: str
    params: dict[str, Any]


@dataclass(slots=True)
class Pending:
    """The batch on its way. `contexts` are what the phases need to use the answers; `state` is sending until the server
    has said the batch's id, sent until the answers are there, collected until a night has used them."""

    state: Literal["sending", "sent", "collected"]
    at: str
    run: str
    requests: list[Queued]
    contexts: list[dict[str, Any]] = field(default_factory=list)
    id: str = ""


class Outbox:
    """The batch of one workspace, if there is one."""

    def __init__(self, path: Path, files: Files) -> None:
        self.path = path
        self.files = files

    def read(self) -> Pending | None:
        row = self.files.read_object(self.path)
        if not row:
            return None
        return Pending(**{**row, "requests": [Queued(**each) for each in row["requests"]]})

    def write(self, pending: Pending) -> None:
        self.files.replace(self.path, orjson.dumps(asdict(pending)))

    def clear(self) -> None:
        self.files.remove(self.path)


def send(pending: Pending, outbox: Outbox, model: Claude) -> None:
    """Write the batch down, send it, and write down its id. AskError where it could not be sent; then the next run
    looks for it first."""
    outbox.write(pending)
    requests: Any = [{"custom_id": each.key, "params": each.params} for each in pending.requests]
    batch = model.patiently(lambda timeout: model.client.messages.batches.create(requests=requests, timeout=timeout))
    if not isinstance(getattr(batch, "id", None), str):
        raise AskError("bad_envelope", "the server's reply is no batch", retryable=True)
    pending.state, pending.id = "sent", batch.id
    outbox.write(pending)


def collect(pending: Pending, outbox: Outbox, model: Claude, answers: Answers, ledger: Ledger, now: str) -> bool:
    """Take in the answers of a batch that has ended; whether it has. What expired or failed is written down as failed.
    AskError where the server could not be asked."""
    if pending.state == "sending":
        _find_again(pending, outbox, model)
    if pending.state == "sent":
        batch = model.patiently(lambda timeout: model.client.messages.batches.retrieve(pending.id, timeout=timeout))
        if getattr(batch, "processing_status", "") != "ended":
            return False
        for key, result in _results(pending, model):
            if not answers.has(key, pending.run):  # else a run that was stopped here has kept it
                _keep(key, result, pending, answers, ledger, now)
        pending.state = "collected"
        outbox.write(pending)
    return True


def _results(pending: Pending, model: Claude) -> list[tuple[str, Any]]:
    """The results of the batch by the names of their questions, in the order of the questions: they come in none."""
    found = {
        each.custom_id: each.result
        for each in model.patiently(
            lambda timeout: list(model.client.messages.batches.results(pending.id, timeout=timeout))
        )
    }
    return [(each.key, found.get(each.key)) for each in pending.requests]


def _find_again(pending: Pending, outbox: Outbox, model: Claude) -> None:
    """The batch may have been sent although its id was not recorded: it is one of as many questions as ours, and when
    it has ended, of the same questions. One that was never sent is sent now."""
    wanted = {each.key for each in pending.requests}
    listed = model.patiently(lambda timeout: model.client.messages.batches.list(limit=_LISTED, timeout=timeout))
    for batch in listed.data:
        if sum(batch.request_counts.to_dict().values()) != len(wanted):
            continue
        if batch.processing_status != "ended" or _names(batch.id, model) == wanted:
            pending.state, pending.id = "sent", batch.id
            return
    send(pending, outbox, model)


def _names(batch_id: str, model: Claude) -> set[str]:
    rows: Iterable[Any] = model.patiently(
        lambda timeout: list(model.client.messages.batches.results(batch_id, timeout=timeout))
    )
    return {each.custom_id for each in rows}


def _keep(key: str, result: Any, pending: Pending, answers: Answers, ledger: Ledger, now: str) -> None:
    """One result as an answer or a failure, with what it cost."""
    asked = next(each for each in pending.requests if each.key == key)
    model = str(asked.params["model"])
    message = getattr(result, "message", None)
    usage = usage_of(message).plus(Usage(calls=1))
    outcome = _outcome(result, message)
    where = {"at": now, "run": pending.run, "night": asked.night}
    told = {"name": asked.name, "prompt": asked.prompt, "model": model, "tokens": usage.tokens}
    costs = {"usd": ledger.cost(usage, model, batch=True), "seconds": 0.0, "key": key}
    phase = {"phase": asked.name, "model": model, "outcome": outcome.get("failed", "answered")}
    line = {**where, **phase, **usage_row(usage), **costs}
    answers.keep(key, {**where, **told, **outcome, COSTS: line})
    ledger.add(line)


def _outcome(result: Any, message: Any) -> dict[str, Any]:
    kind = getattr(result, "type", "missing")
    if kind != "succeeded":
        return {"failed": kind, "what": f"the batch gave no answer: {kind}", "retryable": True}
    try:
        return {"answer": orjson.loads(text_of(checked(message)))}
    except (AskError, RefusalError) as error:
        return {"failed": getattr(error, "kind", "bad_envelope"), "what": str(error), "retryable": False}
    except orjson.JSONDecodeError:
        return {"failed": "bad_output", "what": "the answer is not what was asked for", "retryable": False}
