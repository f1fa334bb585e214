"""A model on this machine: a server that speaks Anthropic's streaming protocol and answers as a function says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

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

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            seen.append(request)
            answer = brain(request)
            if isinstance(answer, Failure) and answer.status:
                self._fail(answer)
                return
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for number, event in enumerate(_events(answer, tokens(request))):
                if isinstance(answer, Failure) and number == 3:
                    return
                time.sleep(pause)
                try:
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
                    self.wfile.flush()
                except OSError:
                    return  # the client has gone

        def _fail(self, failure: Failure) -> None:
            body = json.dumps({"type": "error", "error": {"type": "api_error", "message": failure.said}}).encode()
            self.send_response(failure.status)
            for name, value in {**failure.headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()


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
