"""A language model on loopback that answers every chat with the same words and keeps what it was asked.

    python scripts/openclaw/model.py PORT FOLDER

It speaks the OpenAI chat completions protocol, streaming or not. Each request becomes FOLDER/NNN.json.
"""

from __future__ import annotations

import itertools
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ANSWER = "I see."


class Model(BaseHTTPRequestHandler):
    """One request and its answer."""

    folder = Path()
    numbers = itertools.count(1)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        (self.folder / f"{next(self.numbers):03}.json").write_text(json.dumps(asked, ensure_ascii=False))
        if asked.get("stream"):
            self._send("text/event-stream", _stream())
        else:
            message = {"role": "assistant", "content": ANSWER}
            self._send("application/json", json.dumps(_chunk({"message": message}, "stop")).encode())

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"object": "list", "data": [{"id": "echo"}]}).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Say nothing: what was asked lies in the folder."""


def _stream() -> bytes:
    parts = [_chunk({"delta": {"role": "assistant", "content": ANSWER}}), _chunk({"delta": {}}, "stop")]
    return b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in parts) + b"data: [DONE]\n\n"


def _chunk(choice: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}
    return {"id": "c", "model": "echo", "choices": [{"index": 0, "finish_reason": finish, **choice}], "usage": usage}


def main() -> None:
    Model.folder = Path(sys.argv[2])
    Model.folder.mkdir(parents=True, exist_ok=True)
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()


if __name__ == "__main__":
    main()
