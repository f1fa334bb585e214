"""A model on this machine: a server that speaks Anthropic's streaming protocol and answers as a function says."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import local_server
from local_server import Reply

BREAKS_OFF = 3  # events after which a dropped answer breaks off
Block = dict[str, Any]
Request = dict[str, Any]


@dataclass(frozen=True)
class Failure:
    """An answer that is none: a status and what the server says. Status 0 drops the connection in the midst of one."""

    status: int
    said: str = "no"
    headers: dict[str, str] = field(default_factory=dict)


Brain = Callable[[Request], "str | list[Block] | Failure"]


def call(name: str, **arguments: Any) -> list[Block]:
    """An answer that calls a tool."""
    return [{"type": "tool_use", "id": f"toolu_{time.monotonic_ns()}", "name": name, "input": arguments}]


def last(request: Request) -> str:
    """What was said last: a question, or the result of a call."""
    block = request["messages"][-1]["content"][-1]
    return str(block.get("text") or block.get("content"))


def system(request: Request) -> str:
    return "\n".join(each["text"] for each in request["system"])


def tokens(request: Request) -> int:
    """What the request costs: one token for four characters."""
    return len(json.dumps(request, ensure_ascii=False)) // 4


@contextmanager
def loopback(brain: Brain, pause: float = 0.0) -> Iterator[tuple[str, list[Request]]]:
    """The address of a running server, and the requests it has seen; `pause` seconds between pieces of an answer."""
    seen: list[Request] = []

    def reply(request: local_server.Request) -> Reply:
        seen.append(request.body)
        answer = brain(request.body)
        if isinstance(answer, Failure) and answer.status:
            error = {"type": "error", "error": {"type": "api_error", "message": answer.said}}
            return Reply(answer.status, json.dumps(error).encode(), answer.headers)
        lines = _lines(answer, tokens(request.body))
        whole = islice(lines, BREAKS_OFF) if isinstance(answer, Failure) else lines
        return Reply(body=whole, kind="text/event-stream", pause=pause)

    with local_server.serving(reply) as address:
        yield address, seen


def _lines(answer: str | list[Block] | Failure, cost: int) -> Iterator[bytes]:
    for event in _events(answer, cost):
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _events(answer: str | list[Block] | Failure, cost: int) -> Iterator[dict[str, Any]]:
    said = "an answer that breaks off" if isinstance(answer, Failure) else answer
    blocks = [{"type": "text", "text": said}] if isinstance(said, str) else said
    usage = {"input_tokens": cost, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "loopback", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    yield {"type": "message_start", "message": message}
    size = 0
    for number, block in enumerate(blocks):
        called = block["type"] == "tool_use"
        empty = {**block, "input": {}} if called else {"type": "text", "text": ""}
        yield {"type": "content_block_start", "index": number, "content_block": empty}
        whole = json.dumps(block["input"], ensure_ascii=False) if called else block["text"]
        size += len(whole)
        for at in range(0, len(whole), 12):
            piece = whole[at : at + 12]
            delta = (
                {"type": "input_json_delta", "partial_json": piece} if called else {"type": "text_delta", "text": piece}
            )
            yield {"type": "content_block_delta", "index": number, "delta": delta}
        yield {"type": "content_block_stop", "index": number}
    stop = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    counted = {"output_tokens": size // 4 + 1}
    yield {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": counted}
    yield {"type": "message_stop"}
