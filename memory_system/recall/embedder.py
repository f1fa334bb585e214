"""The port to an embedding model: texts in, vectors out. Without one everything works, by words alone.

`none` is the default; `http` is any endpoint that speaks OpenAI's /v1/embeddings (OpenAI, Ollama, Voyage, vLLM, …);
`model2vec` and `fastembed` run here (`pip install memory-system[embed]`).
"""

from __future__ import annotations

import os
import time
from array import array
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from math import isfinite
from typing import Any, Protocol, TypeAlias

from memory_system.config import EmbedderConfig
from memory_system.errors import EmbedderError
from memory_system.llm import trusted
from memory_system.privacy import secrets
from memory_system.recall.units import gathered
from memory_system.text import estimate_tokens

Vector: TypeAlias = "array[float]"  # of "f", float32

BATCH_TOKENS = 8_000  # of texts sent at once
TEXT_CHARACTERS = 8_000  # of one text that are sent: models read no further
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})  # statuses after which it is tried again
PAUSE_SECONDS = 0.5  # before the second try; twice as long before each further one


class Embedder(Protocol):
    """Anything that turns texts into vectors."""

    @property
    def model(self) -> str:
        """What the vectors depend on beside the texts: vectors of different models are never compared."""
        ...

    def embed(self, texts: Sequence[str], *, patient: bool = True) -> list[Vector]:
        """A vector for each text, all of one length, or EmbedderError; not `patient` where somebody waits."""
        ...


@cache
def embedder_of(config: EmbedderConfig) -> Embedder | None:
    """The embedder that the configuration names; None for `none`. Nothing is loaded and nobody asked yet."""
    if config.kind == "none":
        return None
    return HttpEmbedder(config) if config.kind == "http" else LocalEmbedder(config)


class HttpEmbedder:
    """An endpoint that speaks OpenAI's protocol. What is sent holds no secrets, and never nothing, which it refuses."""

    def __init__(self, config: EmbedderConfig, pause: Callable[[float], None] = time.sleep) -> None:
        self._config = config
        self._pause = pause

    @property
    def model(self) -> str:
        return f"http {self._config.base_url} {self._config.model}"

    def embed(self, texts: Sequence[str], *, patient: bool = True) -> list[Vector]:
        import httpx2

        config = self._config
        seconds, tries = (config.timeout, config.tries) if patient else (config.query_timeout, 1)
        key = os.environ.get(config.key_variable, "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        found: list[Vector] = []
        with httpx2.Client(timeout=seconds, headers=headers, verify=trusted()) as client:
            for batch in gathered(texts, estimate_tokens, BATCH_TOKENS, config.batch_size):
                plain = [text[:TEXT_CHARACTERS].encode(errors="replace").decode() for text in batch]
                answer = self._asked(client, [secrets.redact(text)[0] or " " for text in plain], tries)
                found += _vectors(answer, len(batch))
        return found

    def _asked(self, client: Any, texts: list[str], tries: int) -> Any:
        """The endpoint's answer, after so many tries."""
        import httpx2

        url = f"{self._config.base_url.rstrip('/')}/embeddings"
        body = {"model": self._config.model, "input": texts, "encoding_format": "float"}
        said = ""
        for turn in range(tries):
            if turn:
                self._pause(PAUSE_SECONDS * 2 ** (turn - 1))
            try:
                answer = client.post(url, json=body)
                if answer.is_success:
                    return answer.json()
                said = f"it answered {answer.status_code}"
                if answer.status_code not in AGAIN:
                    break
            except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
                said = f"{type(error).__name__}: {error}"
        raise EmbedderError(f"the embedding endpoint {url} gives no vectors: {said}")


def _vectors(answer: Any, count: int) -> list[Vector]:
    """The vectors of an answer in the order of the texts; EmbedderError for what is no such answer."""
    try:
        rows = sorted(answer["data"], key=lambda row: int(row["index"]))
        found = [array("f", row["embedding"]) for row in rows]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise EmbedderError(f"the embedding endpoint answers with something else: {error!r}") from error
    if len(found) != count or len({len(each) for each in found}) > 1 or not all(found):
        raise EmbedderError(f"the embedding endpoint answers {len(found)} vectors to {count} texts")
    if not all(isfinite(sum(each)) for each in found):  # it would be kept, and its text never asked for again
        raise EmbedderError("the embedding endpoint answers vectors that hold no numbers")
    return found


class LocalEmbedder:
    """A model that runs here: model2vec (static vectors) or fastembed (ONNX). `model` is a name or a folder."""

    def __init__(self, config: EmbedderConfig) -> None:
        self._config = config
        self._loaded: Any = None

    @property
    def model(self) -> str:
        return f"{self._config.kind} {self._config.model}"

    def embed(self, texts: Sequence[str], *, patient: bool = True) -> list[Vector]:
        del patient
        self._loaded = self._loaded or self._load()
        given, model = [text[:TEXT_CHARACTERS] or " " for text in texts], self._loaded
        is_static = self._config.kind == "model2vec"
        try:
            rows = model.encode(given) if is_static else model.embed(given, batch_size=self._config.batch_size)
            return [array("f", map(float, row)) for row in rows]
        except (ValueError, RuntimeError) as error:
            raise EmbedderError(f"{self.model} gives no vectors: {error}") from error

    def _load(self) -> Any:
        kind, name = self._config.kind, self._config.model
        try:
            module = import_module(kind)
        except ImportError:
            raise EmbedderError(f"{kind} is not installed", "pip install 'memory-system[embed]'") from None
        try:
            return module.StaticModel.from_pretrained(name) if kind == "model2vec" else module.TextEmbedding(name)
        except Exception as error:  # both raise whatever their downloads raise
            raise EmbedderError(f"{kind} cannot load {name!r}: {error}") from error
