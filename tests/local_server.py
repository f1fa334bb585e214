"""A server on this machine, for clients that speak HTTP: what it replies to a request, a function says."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DROP = 0  # as status: the connection is closed without a word


@dataclass
class Reply:
    """One reply: HTTP status, body (or its pieces, with `pause` seconds between them), headers, seconds before it, type
    of its content."""

    status: int = 200
    body: bytes | Iterable[bytes] = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    kind: str = "application/json"
    pause: float = 0.0


@dataclass(frozen=True)
class Request:
    """What was received: method, path, headers in lower case, the JSON in its body."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any


def reply_of(value: Any, status: int = 200) -> Reply:
    """A value as JSON."""
    return Reply(status, json.dumps(value).encode())


@contextmanager
def serving(answer: Callable[[Request], Reply]) -> Iterator[str]:
    """The address of a server that runs until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or the body waits until its headers are acknowledged: 40 ms a reply

        def do_POST(self) -> None:
            self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

        def do_GET(self) -> None:
            self._answer(None)

        def _answer(self, body: Any) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = answer(Request(self.command, self.path, headers, body))
            time.sleep(reply.delay)
            if reply.status == DROP:
                self.close_connection = True
                return
            with suppress(OSError):  # who asked did not wait
                self._send(reply)

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            pieces = [reply.body] if isinstance(reply.body, bytes) else reply.body
            length = {"content-length": str(len(reply.body))} if isinstance(reply.body, bytes) else {}
            for name, value in {"content-type": reply.kind, **length, **reply.headers}.items():
                self.send_header(name, value)
            if not length or "content-length" in reply.headers:  # the end of the connection is that of the body
                self.close_connection = True
                self.send_header("connection", "close")
            self.end_headers()
            for piece in pieces:
                time.sleep(reply.pause)
                self.wfile.write(piece)
                self.wfile.flush()

        def log_message(self, *_: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
