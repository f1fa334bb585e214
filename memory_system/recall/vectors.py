"""Vectors, and the port to a model that makes them: texts in, vectors out. Without one words alone answer.

`none` is the default; `http` is any endpoint that speaks OpenAI's /v1/embeddings (OpenAI, Ollama, Voyage, vLLM, …);
`model2vec` and `fastembed` run here (`pip install memory-system[embed]`).

`vectors.sqlite`, beside the index, has a vector for each text of it, found by the text's hash, so that no text is ever
embedded twice by one model. All of it can be deleted. What left the index leaves here as well, with the next `sync`.

How far the vectors may be trusted is measured once for a model and each language, on sentences that say the same in
other words (`rules/meanings.toml`): a model that knows the language finds them; one that does not is not asked.
"""

from __future__ import annotations

import hashlib
import os
import time
from array import array
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing, suppress
from functools import cache, lru_cache
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import orjson

from memory_system.config import EmbedderConfig
from memory_system.disk import Files
from memory_system.errors import EmbedderError, LockedError
from memory_system.llm import trusted
from memory_system.privacy import secrets
from memory_system.recall.names import of_oneself
from memory_system.recall.schema import first_of, last_of
from memory_system.recall.search_index import Index
from memory_system.recall.units import gathered
from memory_system.rules import table
from memory_system.store.database import Database, StaleIndexError, batches
from memory_system.text import estimate_tokens

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

VERSION = "1"
AT_ONCE = 512  # texts between two commits: what was embedded is kept when the next request fails
LANGUAGES = ("en", "zh")
GUESSING, KNOWING = 0.75, 0.95  # chance that what says the same is nearer than something else: no trust, full trust

SCHEMA = """
PRAGMA secure_delete=ON;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE vector (digest BLOB PRIMARY KEY, data BLOB);
CREATE TABLE place (number INTEGER PRIMARY KEY, digest BLOB);
"""
_MISSING = """
SELECT min(number) FROM place WHERE digest NOT IN (SELECT digest FROM vector) GROUP BY digest ORDER BY min(number)
"""
_LACKING = "SELECT count(*) FROM place WHERE digest NOT IN (SELECT digest FROM vector)"
_MATRIX = "SELECT number, data FROM place JOIN vector USING (digest) ORDER BY number"

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


# The file


def numpy() -> Any:
    """numpy; EmbedderError where it is not installed."""
    try:
        import numpy as np
    except ImportError:
        raise EmbedderError("searching vectors needs numpy", "pip install 'memory-system[vector]'") from None
    return np


def sync(path: Path, files: Files, index: Index, embedder: Embedder, *, asking: bool = True) -> None:
    """Bring the file up to the index. What is gone from it is dropped, whatever happens; then every text that has no
    vector gets one, unless nobody is to be asked for it. EmbedderError where that stopped; what was done till then is
    kept, and the reason with it until it is mended."""
    with closing(_opened(path, files, embedder.model)) as database:
        with database.transaction():
            _place(database, index)
        if asking:
            _ask(database, index, embedder)


def _ask(database: Database, index: Index, embedder: Embedder) -> None:
    """Have the embedder give what is missing."""
    try:
        _embed(database, index, [number for (number,) in database.rows(_MISSING)], embedder)
        if f"knows {LANGUAGES[0]}" not in _meta(database):
            known = {f"knows {lang}": f"{_knowing(table('meanings', lang), embedder):.3f}" for lang in LANGUAGES}
            with database.transaction():
                _put_meta(database, known)
    except EmbedderError as error:
        _put_meta(database, {"failed": str(error), "hint": error.hint})
        raise
    database.rows("DELETE FROM meta WHERE key IN ('failed', 'hint')")


def failure(path: Path) -> tuple[str, str, int] | None:
    """Why the embedder gave not all that it was last asked for, what can be done, and how many texts lack a vector."""
    with suppress(StaleIndexError, LockedError), closing(Database(path)) as database:
        meta, [(missing,)] = _meta(database), database.rows(_LACKING)
        return (meta["failed"], meta["hint"], missing) if "failed" in meta else None
    return None


def _opened(path: Path, files: Files, model: str) -> Database:
    """The file for writing; a new one where there is none, it is damaged, or of another model."""
    wanted = f"{VERSION} {model}"
    with suppress(StaleIndexError):
        database = Database(path)
        with suppress(StaleIndexError):
            if _meta(database).get("model") == wanted:
                database.rows("PRAGMA secure_delete=ON")
                return database
        database.close()
    files.replace(path, b"", durable=False)  # made here, for its rights
    database = Database(path)
    database.script(SCHEMA)
    _put_meta(database, {"model": wanted})
    return database


def _meta(database: Database) -> dict[str, str]:
    return dict(database.rows("SELECT key, value FROM meta"))


def _put_meta(database: Database, values: dict[str, str]) -> None:
    database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())


def _place(database: Database, index: Index) -> None:
    database.rows("DELETE FROM place")
    database.run("INSERT INTO place VALUES (?, ?)", ((number, _digest(text)) for number, text in index.texts()))
    database.rows("DELETE FROM vector WHERE digest NOT IN (SELECT digest FROM place)")
    _put_meta(database, {"index": index.fingerprint, "speakers": orjson.dumps(index.speakers()).decode()})


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).digest()


def _embed(database: Database, index: Index, missing: Iterable[int], embedder: Embedder) -> None:
    for numbers in batches(missing, AT_ONCE):
        texts = [unit.text for unit in index.units(numbers).values()]
        vectors = zip(texts, _unit_length(embedder.embed(texts)), strict=True)
        rows = [(_digest(text), vector.tobytes()) for text, vector in vectors]
        with database.transaction():
            database.run("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)


def _unit_length(vectors: Iterable[Vector]) -> Floats:
    np = numpy()
    matrix = np.asarray([*vectors], dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    found: Floats = np.nan_to_num(matrix / np.where(lengths > 0, lengths, 1))
    return found


def _knowing(pairs: Collection[tuple[str, str]], embedder: Embedder) -> float:
    """From 0 (the model guesses) to 1, by how often what says the same in other words is nearer than what does not."""
    np = numpy()
    ones, others = (_unit_length(embedder.embed(each)) for each in zip(*pairs, strict=True))
    likeness = ones @ others.T
    own = np.diag(likeness)[:, None]
    apart = ~np.eye(len(pairs), dtype=bool)
    chance = float((((own > likeness) + 0.5 * (own == likeness)) * apart).sum() / apart.sum())
    return min(1.0, max(0.0, (chance - GUESSING) / (KNOWING - GUESSING)))


class Matrix(NamedTuple):
    """The vectors of all units that have one, by their numbers, ascending; `missing` have none; `trust` by language;
    `speakers` are those with a name; `failed` is why the embedder gave not all."""

    numbers: NDArray[np.int64]
    rows: Floats
    missing: int
    trust: dict[str, float]
    speakers: tuple[str, ...]
    failed: str

    def near(self, query: str, embedder: Embedder, weight: float, *, alone: bool = False) -> Near:
        """How near the texts are to a question, messages as `of_oneself`; EmbedderError where that is not known."""
        texts = list(dict.fromkeys((query, of_oneself(query, self.speakers))))
        asked = embedder.embed(texts, patient=False)
        return Near(self, asked[0], asked[-1], weight, alone=alone)


def load(path: Path, index: Index, model: str) -> Matrix:
    """The vectors for the index as it is, kept while the file stays as it is; StaleIndexError where there are none."""
    try:
        seen = path.stat()
    except FileNotFoundError:
        raise StaleIndexError("there are no vectors yet") from None
    meta, matrix = _loaded(path, seen.st_ino, seen.st_mtime_ns, seen.st_size)
    if meta.get("model") != f"{VERSION} {model}" or meta.get("index") != index.fingerprint:
        raise StaleIndexError("the vectors are of another index or model")
    return matrix


@lru_cache(maxsize=2)
def _loaded(path: Path, *_: int) -> tuple[dict[str, str], Matrix]:
    np = numpy()
    with closing(Database(path)) as database:
        meta, rows = _meta(database), database.rows(_MATRIX)
        [(placed,)] = database.rows("SELECT count(*) FROM place")
    numbers = np.fromiter((number for number, _ in rows), dtype=np.int64, count=len(rows))
    try:
        vectors = np.frombuffer(b"".join(data for _, data in rows), dtype=np.float32)
        vectors = vectors.reshape(len(rows), -1 if rows else 0)
    except ValueError:
        raise StaleIndexError("the vectors are of different lengths") from None
    trust = {lang: float(meta.get(f"knows {lang}", 0)) for lang in LANGUAGES}
    speakers = tuple(orjson.loads(meta.get("speakers", "[]")))
    return meta, Matrix(numbers, vectors, placed - len(rows), trust, speakers, meta.get("failed", ""))


def _standard(values: Floats) -> Floats:
    """In standard deviations from their mean."""
    found: Floats = (values - values.mean()) / (values.std() or 1.0)
    return found


class Near:
    """How near each unit's text is to a question, by its meaning: messages to the question as who says them would
    ask it (`said`), all else to it (`asked`). `weight` is what the nearest gets; `alone`: nothing else counts."""

    def __init__(self, matrix: Matrix, asked: Vector, said: Vector, weight: float, *, alone: bool = False) -> None:
        if matrix.rows.size and len(asked) != matrix.rows.shape[1]:
            raise EmbedderError("the question's vector has another length than those of the texts")
        np = numpy()
        kinds = np.split(matrix.rows, [np.searchsorted(matrix.numbers, last_of("session") + 1)])
        cosines = [rows @ of for rows, of in zip(kinds, _unit_length([said, asked]), strict=True) if rows.size]
        self._numbers = matrix.numbers
        self._values = np.concatenate(cosines or [matrix.rows.sum(axis=1)])
        self._standard = np.concatenate([*map(_standard, cosines)] or [self._values])
        self.weight = weight
        self.alone = alone

    def first(self, scopes: Iterable[str], count: int) -> list[int]:
        """The numbers of the units of the scopes that are nearest, best first."""
        np = numpy()
        inside = np.zeros(len(self._numbers), dtype=bool)
        for scope in scopes:
            start, end = np.searchsorted(self._numbers, [first_of(scope), last_of(scope) + 1])
            inside[start:end] = True
        places = np.flatnonzero(inside)
        if len(places) > count:
            places = places[np.argpartition(-self._values[places], count)[:count]]
        numbers: list[int] = self._numbers[places[np.lexsort((self._numbers[places], -self._values[places]))]].tolist()
        return numbers[:count]

    def outstanding(self, numbers: Iterable[int]) -> dict[int, float]:
        """By how many standard deviations those that have a vector are nearer than others of their sort."""
        np = numpy()
        wanted = np.asarray(sorted(numbers), dtype=np.int64)
        places = np.searchsorted(self._numbers, wanted)
        there = places < len(self._numbers)
        there[there] = self._numbers[places[there]] == wanted[there]
        values = self._standard[places[there]]
        return dict(zip(wanted[there].tolist(), values.tolist(), strict=True))

    def best(self) -> float:
        """The greatest of all cosines, from 0 to 1."""
        return min(1.0, max(0.0, float(self._values.max()))) if len(self._values) else 0.0
