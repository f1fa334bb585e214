"""The peers of `scripts/bench --peers`: search engines for Python that install from PyPI and run without a network or a
model, over the same entries and questions as `bench_search.py`.

    .venv/bin/python scripts/bench_peers.py NAME ENTRIES

Runs under the Python of a virtual environment that has the peer, and prints JSON: CPU seconds of indexing, and CPU and
wall milliseconds of each question. A peer finds ten entries by BM25 over whole words, and nothing more: no neighbours,
dates, folding, no words inside a Chinese clause, no source to cite. So the figures say what the words alone cost.

Left out, since they cannot run without a model or a service: txtai, mem0, memsearch and Chroma (embeddings), OpenClaw
(a program of its own).
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Protocol

from bench_search import Talk, questions

TEN = 10
PACKAGES = {
    "sqlite-fts5": (),
    "tantivy": ("tantivy",),
    "bm25s": ("bm25s",),
    "rank-bm25": ("rank-bm25",),
    "whoosh": ("whoosh-reloaded",),
    "lancedb": ("lancedb", "pyarrow"),
}


class Peer(Protocol):
    """One engine, with an index in a new folder."""

    def add(self, texts: list[str]) -> None:
        """Index all the texts."""
        ...

    def ask(self, words: list[str]) -> object:
        """The ten best for a question, given by its words."""
        ...


class Fts5:
    """SQLite's FTS5 with its own ranking, as most memories use it."""

    def __init__(self, folder: str) -> None:
        self._database = sqlite3.connect(f"{folder}/fts5.sqlite")
        self._database.execute("CREATE VIRTUAL TABLE entry USING fts5 (text, tokenize='porter unicode61')")

    def add(self, texts: list[str]) -> None:
        with self._database:
            self._database.executemany("INSERT INTO entry VALUES (?)", ((text,) for text in texts))

    def ask(self, words: list[str]) -> object:
        query = " OR ".join(f'"{word}"' for word in words)
        sql = "SELECT rowid, text FROM entry WHERE entry MATCH ? ORDER BY rank LIMIT ?"
        return self._database.execute(sql, (query, TEN)).fetchall()


class Tantivy:
    def __init__(self, folder: str) -> None:
        self._module = import_module("tantivy")
        schema = self._module.SchemaBuilder().add_text_field("text", stored=True, tokenizer_name="en_stem").build()
        self._index = self._module.Index(schema, path=folder)

    def add(self, texts: list[str]) -> None:
        writer = self._index.writer(heap_size=100_000_000, num_threads=1)
        for text in texts:
            writer.add_document(self._module.Document(text=text))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def ask(self, words: list[str]) -> object:
        query = self._index.parse_query(" ".join(words), ["text"])
        return [self._searcher.doc(place)["text"] for _, place in self._searcher.search(query, TEN).hits]


class Bm25s:
    def __init__(self, _folder: str) -> None:
        self._module = import_module("bm25s")

    def add(self, texts: list[str]) -> None:
        self._texts = texts
        self._ranker = self._module.BM25()
        self._ranker.index(self._module.tokenize(texts, show_progress=False), show_progress=False)

    def ask(self, words: list[str]) -> object:
        asked = self._module.tokenize([" ".join(words)], show_progress=False)
        places, _ = self._ranker.retrieve(asked, k=TEN, show_progress=False)
        return [self._texts[place] for place in places[0]]


class RankBm25:
    def __init__(self, _folder: str) -> None:
        self._module = import_module("rank_bm25")

    def add(self, texts: list[str]) -> None:
        self._texts = texts
        self._ranker = self._module.BM25Okapi([text.split() for text in texts])

    def ask(self, words: list[str]) -> object:
        return self._ranker.get_top_n(words, self._texts, n=TEN)


class Whoosh:
    def __init__(self, folder: str) -> None:
        fields, index = import_module("whoosh.fields"), import_module("whoosh.index")
        analysis = import_module("whoosh.analysis")
        schema = fields.Schema(text=fields.TEXT(analyzer=analysis.StemmingAnalyzer(), stored=True))
        self._index = index.create_in(folder, schema)
        self._parser = import_module("whoosh.qparser")

    def add(self, texts: list[str]) -> None:
        writer = self._index.writer(limitmb=128)
        for text in texts:
            writer.add_document(text=text)
        writer.commit()
        self._searcher = self._index.searcher()
        self._query = self._parser.QueryParser("text", self._index.schema, group=self._parser.OrGroup)

    def ask(self, words: list[str]) -> object:
        return [hit["text"] for hit in self._searcher.search(self._query.parse(" ".join(words)), limit=TEN)]


class LanceDb:
    def __init__(self, folder: str) -> None:
        self._database: Any = import_module("lancedb").connect(folder)

    def add(self, texts: list[str]) -> None:
        self._table = self._database.create_table("entry", [{"text": text} for text in texts])
        self._table.create_fts_index("text")

    def ask(self, words: list[str]) -> object:
        return self._table.search(" ".join(words), query_type="fts").limit(TEN).to_list()


PEERS: dict[str, type[Peer]] = dict(zip(PACKAGES, (Fts5, Tantivy, Bm25s, RankBm25, Whoosh, LanceDb), strict=True))
_ASKING = {"What", "did", "we", "say", "about"}


def words_of(question: str) -> list[str]:
    """The words of a question that do not merely ask: peers are spared what their stop words may not know."""
    return [word for word in question.rstrip("?？").split() if word not in _ASKING]


def measured(peer: Peer, texts: list[str], asked: Iterable[str]) -> dict[str, Any]:
    clocked = time.process_time()
    peer.add(texts)
    spent = time.process_time() - clocked
    walls, cpus = [], []
    for question in asked:
        words = words_of(question)
        wall, cpu = time.perf_counter(), time.process_time()
        peer.ask(words)
        walls.append(1_000 * (time.perf_counter() - wall))
        cpus.append(1_000 * (time.process_time() - cpu))
    return {"build": spent, "wall": sorted(walls), "cpu": sorted(cpus)}


def main() -> None:
    name, count = sys.argv[1], int(sys.argv[2])
    talk = Talk()
    texts = [talk.text(number) for number in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measured(PEERS[name](folder), texts, questions(count))))


if __name__ == "__main__":
    main()
