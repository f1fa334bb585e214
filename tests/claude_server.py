"""A server on this machine that speaks the Messages API, for the real SDK to talk to: it answers as a script tells it,
counts the tokens of what it is sent and what it answers, and remembers every request.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import local_server
from local_server import DROP, Reply, Request, reply_of

from memory_system.text import estimate_tokens

__all__ = ["DROP", "Reply", "Server", "error", "serving"]

Script = Callable[[dict[str, Any]], Any]  # a request's body -> a Reply, text, or what the answer's JSON holds


@dataclass
class Server:
    """`requests` are the bodies that were received, `input` and `output` the tokens that went and came."""

    script: Script
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    input: int = 0
    output: int = 0
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    ended: bool = True  # whether batches are done as soon as they are asked for
    away: bool = False  # whether batches are refused
    gone: bool = False  # whether batches are no longer known
    aged: bool = False  # whether their results are no longer kept
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def inputs(self) -> list[str]:
        """What each question was about."""
        return [request["messages"][0]["content"] for request in self.requests]

    def reply(self, body: dict[str, Any]) -> Reply:
        with self._lock:
            self.requests.append(body)
            found = self.script(body)
        return found if isinstance(found, Reply) else reply_of(self.message(body, found))

    def message(self, body: dict[str, Any], answer: Any, stop: str = "end_turn") -> dict[str, Any]:
        """A message of the model, with what it cost; cut off where it is longer than asked for."""
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        sent = [part["text"] for part in body["system"]] + [part["content"] for part in body["messages"]]
        form = body.get("output_config", {"format": {"schema": ""}})["format"]["schema"]
        schema = json.dumps(form, separators=(",", ":")) if form else ""
        usage = {"input_tokens": sum(map(estimate_tokens, (*sent, schema))), "output_tokens": estimate_tokens(text)}
        if usage["output_tokens"] > body["max_tokens"]:
            text, stop = text[: 2 * body["max_tokens"]], "max_tokens"
            usage["output_tokens"] = body["max_tokens"]
        self.input += usage["input_tokens"]
        self.output += usage["output_tokens"]
        content = [{"type": "text", "text": text}] if text else []
        return {
            "id": f"msg_{len(self.requests)}", "type": "message", "role": "assistant", "model": body["model"],
            "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage,
        }  # fmt: skip


def error(status: int, kind: str = "api_error", **headers: str) -> Reply:
    body = {"type": "error", "error": {"type": kind, "message": "as scripted"}}
    return Reply(status, json.dumps(body).encode(), {name.replace("_", "-"): value for name, value in headers.items()})


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """A server that runs until the block ends."""
    server = Server(script)

    def answer(request: Request) -> Reply:
        if request.method == "GET":
            return BATCHES.get(server, request.path)
        server.headers.append(dict(request.headers))
        return server.reply(request.body) if request.path == "/v1/messages" else BATCHES.post(server, request.body)

    with local_server.serving(answer) as server.url:
        yield server


class BATCHES:
    """The Message Batches part of the API."""

    @staticmethod
    def post(server: Server, body: dict[str, Any]) -> Reply:
        if server.away:
            return error(503, retry_after="0")
        number = f"msgbatch_{len(server.batches) + 1}"
        server.batches[number] = body
        return reply_of(BATCHES.row(server, number))

    @staticmethod
    def row(server: Server, number: str) -> dict[str, Any]:
        ended, many = server.ended, len(server.batches[number]["requests"])
        counts = {"processing": 0 if ended else many, "succeeded": many if ended else 0}
        counts |= {"errored": 0, "canceled": 0, "expired": 0}
        moment = "2026-03-03T03:00:00Z"
        return {
            "id": number, "type": "message_batch", "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts, "ended_at": moment if ended else None, "created_at": moment,
            "expires_at": "2026-03-04T03:00:00Z", "archived_at": None, "cancel_initiated_at": None,
            "results_url": f"{server.url}/v1/messages/batches/{number}/results" if ended and not server.aged else None,
        }  # fmt: skip

    @staticmethod
    def get(server: Server, path: str) -> Reply:
        rest = path.partition("?")[0].removeprefix("/v1/messages/batches").strip("/")
        if not rest:
            rows = [BATCHES.row(server, number) for number in reversed(server.batches)]
            page = {"data": rows, "has_more": False, "first_id": None, "last_id": None}
            return reply_of(page)
        number, _, results = rest.partition("/")
        if number not in server.batches or server.gone:
            return error(404, "not_found_error")
        if not results:
            return reply_of(BATCHES.row(server, number))
        lines = [BATCHES.result(server, request) for request in reversed(server.batches[number]["requests"])]
        return Reply(body=b"".join(lines), kind="application/x-jsonl")

    @staticmethod
    def result(server: Server, request: dict[str, Any]) -> bytes:
        """One line of the results, which come in no order."""
        body = request["params"]
        server.requests.append(body)
        answer = server.script(body)
        if isinstance(answer, Reply):
            result: dict[str, Any] = {"type": "expired"}
        else:
            result = {"type": "succeeded", "message": server.message(body, answer)}
        return json.dumps({"custom_id": request["custom_id"], "result": result}).encode() + b"\n"
