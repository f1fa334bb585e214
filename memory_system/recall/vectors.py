"""`vectors.sqlite`, beside the index: a vector for each text of it, found by the text's hash, so that no text is ever
embedded twice by one model. All of it can be deleted. What left the index leaves here as well, with the next `sync`.

How far the vectors may be trusted is measured on the texts themselves, for each language: a model that knows what it
reads puts half of a text nearer to the whole than to other texts; one that does not is not asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memory_system.embedder import Embedder, Vector
from memory_system.errors import EmbedderError
from memory_system.files import Files
from memory_system.recall.database import Database, StaleIndexError
from memory_system.recall.index import Index
from memory_system.recall.numbers import first_of, last_of
from memory_system.text import language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

VERSION = "1"
AT_ONCE = 512  # texts between two commits: what was embedded is kept when the next request fails
SAMPLE = 60  # texts of a language that trust is measured on
FEWEST = 4  # below which nothing can be said
GUESSING, KNOWING = 0.75, 0.95  # chance that half a text is nearer to it than to another: no trust, full trust

SCHEMA = """
PRAGMA secure_delete=ON;
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE vector (digest BLOB PRIMARY KEY, data BLOB);
CREATE TABLE place (number INTEGER PRIMARY KEY, digest BLOB);
"""
_MISSING = """
SELECT min(number) FROM place WHERE digest NOT IN (SELECT digest FROM vector) GROUP BY digest ORDER BY min(number)
"""
_MATRIX = "SELECT number, data FROM place JOIN vector USING (digest) ORDER BY number"


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
    kept."""
    database = _opened(path, files, embedder.model)
    try:
        with database.transaction():
            _place(database, index)
        missing = [number for (number,) in database.rows(_MISSING)] if asking else []
        _embed(database, index, missing, embedder)
        if missing:
            with database.transaction():
                _put_meta(database, _measured(database, index, embedder))
    finally:
        database.close()


def _opened(path: Path, files: Files, model: str) -> Database:
    """The file for writing; a new one where there is none, it is damaged, or of another model."""
    wanted = f"{VERSION} {model}"
    try:
        database = Database(path)
        try:
            if _meta(database).get("model") == wanted:
                database.rows("PRAGMA secure_delete=ON")
                return database
        except StaleIndexError:
            pass
        database.close()
    except StaleIndexError:
        pass
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
    _put_meta(database, {"index": index.fingerprint})


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).digest()


def _embed(database: Database, index: Index, missing: Iterable[int], embedder: Embedder) -> None:
    remaining = iter(missing)
    while numbers := list(islice(remaining, AT_ONCE)):
        texts = [unit.text for unit in index.units(numbers).values()]
        rows = [
            (_digest(text), vector.tobytes())
            for text, vector in zip(texts, _unit_length(embedder.embed(texts)), strict=True)
        ]
        with database.transaction():
            database.run("INSERT OR REPLACE INTO vector VALUES (?, ?)", rows)


def _unit_length(vectors: Iterable[Vector]) -> Floats:
    np = numpy()
    matrix = np.asarray([*vectors], dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    found: Floats = np.nan_to_num(matrix / np.where(lengths > 0, lengths, 1))
    return found


def _measured(database: Database, index: Index, embedder: Embedder) -> dict[str, str]:
    """How far the vectors may be trusted, by language."""
    samples: dict[str, dict[int, str]] = {"en": {}, "zh": {}}
    for (number,) in database.rows(
        "SELECT min(number) FROM place GROUP BY digest ORDER BY digest LIMIT ?", (20 * SAMPLE,)
    ):
        for unit in index.units([number]).values():
            sample = samples[language(unit.text)]
            if len(unit.text) > 1 and len(sample) < SAMPLE:
                sample[number] = unit.text
    return {f"trust {lang}": f"{_trust(sample.values(), embedder):.3f}" for lang, sample in samples.items()}


def _trust(texts: Collection[str], embedder: Embedder) -> float:
    """From 0 (the model guesses) to 1, by how often half of a text is nearer to the whole than to another text."""
    np = numpy()
    if len(texts) < FEWEST:
        return 0.0
    halves = [text[: (len(text) + 1) // 2] for text in texts]
    wholes, halved = (_unit_length(embedder.embed(each)) for each in ([*texts], halves))
    likeness = halved @ wholes.T
    own = np.diag(likeness)[:, None]
    others = ~np.eye(len(texts), dtype=bool)
    chance = float((((own > likeness) + 0.5 * (own == likeness)) * others).sum() / others.sum())
    return min(1.0, max(0.0, (chance - GUESSING) / (KNOWING - GUESSING)))


class Matrix(NamedTuple):
    """The vectors of all units that have one, by their numbers, ascending; `missing` have none; `trust` by language."""

    numbers: NDArray[np.int64]
    rows: Floats
    missing: int
    trust: dict[str, float]


def load(path: Path, index: Index, model: str) -> Matrix:
    """The vectors for the index as it is; StaleIndexError where there are none, or of another index or model. Kept in
    memory while the file stays as it is."""
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
    database = Database(path)
    try:
        meta, rows = _meta(database), database.rows(_MATRIX)
        [(placed,)] = database.rows("SELECT count(*) FROM place")
    finally:
        database.close()
    numbers = np.fromiter((number for number, _ in rows), dtype=np.int64, count=len(rows))
    try:
        vectors = np.frombuffer(b"".join(data for _, data in rows), dtype=np.float32)
        vectors = vectors.reshape(len(rows), -1 if rows else 0)
    except ValueError:
        raise StaleIndexError("the vectors are of different lengths") from None
    trust = {lang: float(meta.get(f"trust {lang}", 0)) for lang in ("en", "zh")}
    return meta, Matrix(numbers, vectors, placed - len(rows), trust)


class Near:
    """How near each unit's text is to a question, by its meaning. `weight` is what the nearest one gets for it; `alone`
    where nothing else counts."""

    def __init__(self, matrix: Matrix, asked: Vector, weight: float, *, alone: bool = False) -> None:
        if matrix.rows.size and len(asked) != matrix.rows.shape[1]:
            raise EmbedderError("the question's vector has another length than those of the texts")
        self._numbers = matrix.numbers
        self._values = matrix.rows @ _unit_length([asked])[0] if matrix.rows.size else matrix.rows.sum(axis=1)
        self.weight = weight
        self.alone = alone

    def first(self, scopes: Iterable[str], count: int) -> list[int]:
        """The numbers of the units of the scopes that are nearest, best first."""
        return [int(number) for number in islice(self._ordered(scopes, count), count)]

    def _ordered(self, scopes: Iterable[str], count: int) -> Iterator[Any]:
        np = numpy()
        inside = np.zeros(len(self._numbers), dtype=bool)
        for scope in scopes:
            start, end = np.searchsorted(self._numbers, [first_of(scope), last_of(scope) + 1])
            inside[start:end] = True
        places = np.flatnonzero(inside)
        if len(places) > count:
            places = places[np.argpartition(-self._values[places], count)[:count]]
        yield from self._numbers[places[np.lexsort((self._numbers[places], -self._values[places]))]]

    def of(self, numbers: Iterable[int]) -> dict[int, float]:
        """The cosines of those of the units that have a vector."""
        np = numpy()
        wanted = np.asarray(sorted(numbers), dtype=np.int64)
        places = np.searchsorted(self._numbers, wanted)
        there = places < len(self._numbers)
        there[there] = self._numbers[places[there]] == wanted[there]
        values = self._values[places[there]]
        return dict(zip(wanted[there].tolist(), values.tolist(), strict=True))

    def best(self) -> float:
        """The greatest of all cosines, from 0 to 1."""
        return min(1.0, max(0.0, float(self._values.max()))) if len(self._values) else 0.0

    def spread(self) -> tuple[float, float]:
        """Mean and standard deviation of all cosines."""
        return (float(self._values.mean()), float(self._values.std())) if len(self._values) else (0.0, 0.0)
