"""An embedding endpoint for tests: a loopback server that speaks OpenAI's /v1/embeddings, with vectors that a function
of the text decides."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import sin
from typing import Any

import local_server
from local_server import Reply, Request, reply_of

from memory_system.rules import table

DIMENSIONS = 509
Vectors = Callable[[str], list[float]]


def guessing(text: str) -> list[float]:
    """Knows nothing: another vector for each text."""
    seed = zlib.crc32(text.encode())
    return [sin(seed * (place + 1) * 0.7919) for place in range(DIMENSIONS)]


def knowing(*meanings: str, languages: Iterable[str] = ("en", "zh")) -> Vectors:
    """Knows which words mean the same: each of `meanings` is words with blanks between; other words mean themselves. Of
    the `languages` it knows what the sentences mean by which knowing a language is measured."""
    sense = {word: words.split()[0] for words in meanings for word in words.split()}
    same = {other: one for lang in languages for one, other in table("meanings", lang)}

    def vector(text: str) -> list[float]:
        found = [0.0] * DIMENSIONS
        for word in words_of(same.get(text, text), sense):
            found[zlib.crc32(sense.get(word, word).encode()) % DIMENSIONS] += 1.0
        return found

    return vector


def words_of(text: str, known: dict[str, str]) -> Iterator[str]:
    """Latin words in lower case; of Chinese the known words, else single characters."""
    for run in text.lower().replace("?", " ").replace(".", " ").replace("？", " ").replace("。", " ").split():
        if run.isascii():
            yield run
            continue
        at = 0
        while at < len(run):
            word = next((each for each in known if run.startswith(each, at)), run[at])
            yield word
            at += len(word)


class Endpoint:
    """What the server has been asked, and how it behaves."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.failures: list[int] = []  # statuses of the next answers
        self.broken: Any = None  # what is answered instead
        self.url = ""

    def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
        self.requests.append(body)
        if self.failures:
            return self.failures.pop(0), {"error": {"message": "busy"}}
        if self.broken is not None:
            return 200, self.broken
        rows = [
            {"object": "embedding", "index": place, "embedding": self.vectors(text)}
            for place, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return 200, {"object": "list", "data": rows[::-1], "model": body["model"], "usage": usage}


@contextmanager
def serving(vectors: Vectors) -> Iterator[Endpoint]:
    """The endpoint, running."""
    endpoint = Endpoint(vectors)

    def answer(request: Request) -> Reply:
        endpoint.keys.append(request.headers.get("authorization", ""))
        status, row = endpoint.answer(request.body) if request.path == "/v1/embeddings" else (404, {})
        return reply_of(row, status)

    with local_server.serving(answer) as address:
        endpoint.url = f"{address}/v1"
        yield endpoint
