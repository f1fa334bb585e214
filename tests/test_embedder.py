"""Vectors: where they come from, what they find, and that they never make an answer worse than words alone."""

from __future__ import annotations

import json
import sqlite3
import sys
from array import array
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from commands import memory
from endpoint import Endpoint, guessing, knowing, serving
from workspaces import at, consolidate, make, say

from memory_system import finder
from memory_system.config import EmbedderConfig
from memory_system.errors import EmbedderError
from memory_system.nights import derive
from memory_system.phases.index import open_index
from memory_system.recall.search import Scope
from memory_system.recall.units import gathered
from memory_system.recall.vectors import BATCH_TOKENS, HttpEmbedder, embedder_of
from memory_system.text import estimate_tokens
from memory_system.upkeep import stats
from memory_system.workspace import Workspace

NOON = "2026-03-03T12:00:00Z"
SAID = (
    "We bought a sofa for the living room.",
    "The doctor told me to rest for a week.",
    "My bicycle has a flat tyre again.",
    "The lease of the flat ends in June.",
    "I baked bread with rye flour.",
    "Nora paints boats in the harbour.",
    "周末我们去爬山了。",
    "我的车坏了，要送去修。",
    "晚饭吃了西红柿炒蛋。",
    "小林在学弹钢琴。",
    "房东说下个月涨房租。",
    "妹妹养了一只狗。",
)
# words that no thesaurus has: only the endpoint knows what they mean
MEANINGS = ("zofka sofa", "medikus doctor", "朗火果 西红柿", "汽车 车", "bike bicycle")
VECTORS = "memory/layer2/index/vectors.sqlite"


@pytest.fixture
def knows() -> Iterator[Endpoint]:
    with serving(knowing(*MEANINGS)) as endpoint:
        yield endpoint


def workspace(root: Path, endpoint: Endpoint, **more: Any) -> Path:
    embedder = {"kind": "http", "base_url": endpoint.url, "model": "test", "query_timeout": 2, "tries": 1, **more}
    make(root, language="en", embedder=embedder)
    for number, text in enumerate(SAID):  # sessions of their own: no answer is found by its neighbours
        say(root, f"s{number}", ("2026-03-02T09:00:00Z", "user", text))
    consolidate(root, NOON)
    return root


def search(root: Path, query: str, *, scope: Scope = "sessions", **more: Any) -> dict[str, Any]:
    with Workspace.open(root, now=at(NOON)) as ws:
        return finder.search(ws, query, scope=scope, **more)


def texts(found: dict[str, Any]) -> list[str]:
    return [row["text"] for row in found["results"]]


# What is found


def test_what_means_the_same_is_found_without_a_word_of_it(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    for query, answer in (("zofka", SAID[0]), ("Who is the medikus?", SAID[1]), ("朗火果", SAID[8])):
        assert answer not in texts(search(root, query, mode="keyword"))
        for mode in ("auto", "hybrid", "vector"):
            found = search(root, query, mode=mode, explain=True)
            assert texts(found)[0] == answer
            assert "warning" not in found
            assert found["results"][0]["explain"]["meaning"] > 0
        assert 0 < search(root, query, mode="vector")["results"][0]["score"] <= 1


QUERIES = (
    "sofa",
    "flat tyre",
    "the lease of the flat",
    "Nora boats",
    "bread with flour",
    "爬山",
    "钢琴",
    "房东涨房租",
    "狗",
)


def test_vectors_that_mean_nothing_change_nothing(tmp_path: Path) -> None:
    with serving(guessing) as endpoint:
        root = workspace(tmp_path, endpoint)
        for query in QUERIES:
            assert search(root, query)["results"] == search(root, query, mode="keyword")["results"]


def test_vectors_that_know_lose_nothing_that_words_find(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    for query in QUERIES:
        assert texts(search(root, query))[0] == texts(search(root, query, mode="keyword"))[0]


def test_filters_and_scopes_hold_for_vectors(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    with Workspace.open(root, now=at(NOON)) as ws:
        assert {row["type"] for row in finder.search(ws, "zofka", scope="memories")["results"]} == {"fact"}
        assert finder.search(ws, "zofka", scope="notes")["results"] == []
        assert finder.search(ws, "zofka", entity="Nora", mode="vector", scope="sessions")["total_found"] <= 1


def test_context_asks_for_meaning_as_well(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    knows.requests.clear()
    with Workspace.open(root, now=at(NOON)) as ws:
        found = finder.context(ws, "The medikus told me to rest")
    assert [body["input"] for body in knows.requests] == [["The medikus told me to rest"]]
    assert "rest for a week" in found["text"]
    assert "warning" not in found


def test_an_endpoint_that_was_never_there(tmp_path: Path) -> None:
    with serving(guessing) as endpoint:
        gone = endpoint
    root = workspace(tmp_path, gone)
    assert "answered by words alone" in search(root, "sofa", mode="vector")["warning"]
    with serving(knowing(*MEANINGS)) as endpoint:
        (root / "memory/config.json").write_text(
            (root / "memory/config.json").read_text().replace(gone.url, endpoint.url)
        )
        with Workspace.open(root, now=at(NOON), write=True) as ws:
            derive.rebuild(ws)
        assert texts(search(root, "zofka"))[0] == SAID[0]


def test_messages_are_asked_as_their_speaker_would_ask(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    people = {"participants": {"user": "Nora", "assistant": "小林"}}
    said = (("user", "I saw the medikus."), ("assistant", "Nora, Nora, the bus."), ("user", "我买了汽车。"))
    for number, (role, text) in enumerate(said):
        say(root, f"n{number}", ("2026-03-03T13:00:00Z", role, text), **people)
    consolidate(root, "2026-03-04T12:00:00Z")
    knows.requests.clear()
    assert texts(search(root, "Did Nora see the doctor?", mode="vector"))[0] == said[0][1]
    assert texts(search(root, "小林买了车吗", mode="vector"))[0] == said[2][1]
    search(root, "Who saw the doctor?")
    assert [body["input"] for body in knows.requests] == [
        ["Did Nora see the doctor?", "Did I see the doctor?"],
        ["小林买了车吗", "我买了车吗"],
        ["Who saw the doctor?"],
    ]


def test_of_a_long_text_that_means_the_same_it_counts_less(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    long, short = " ".join(["medikus"] * 90), "medikus"
    for number, text in enumerate((long, short)):
        say(root, f"said{number}", (f"2026-03-03T13:0{number}:00Z", "user", text))
    consolidate(root, "2026-03-04T12:00:00Z")
    parts = {row["text"]: row["explain"] for row in search(root, "doctor?", mode="auto", explain=True)["results"]}
    assert 0 < parts[long]["meaning"] < parts[short]["meaning"]


def test_what_a_turn_means_counts_in_part_for_the_turns_beside_it(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    turns = ("The zofka is old.", "Forty euros.", "沙发旁边是朗火果。", "三块钱。")
    for number, text in enumerate(turns):
        say(root, "pairs", (f"2026-03-03T13:0{number}:00Z", "user", text))
    consolidate(root, "2026-03-04T12:00:00Z")
    for query, answer in (("sofa?", turns[1]), ("西红柿?", turns[3])):
        rows = {row["text"]: row for row in search(root, query, explain=True)["results"]}
        assert rows[answer]["explain"]["words"] == 0
        assert rows[answer]["explain"]["neighbours"] > 0


def test_a_language_that_the_model_does_not_know_is_asked_by_words_alone(tmp_path: Path) -> None:
    with serving(knowing(*MEANINGS, languages=["en"])) as endpoint:
        root = workspace(tmp_path, endpoint)
        endpoint.requests.clear()
        for query in ("朗火果", "爬山", "房东涨房租"):
            assert search(root, query)["results"] == search(root, query, mode="keyword")["results"]
        assert not endpoint.requests
        assert texts(search(root, "zofka"))[0] == SAID[0]


# What is embedded, and when


def test_no_text_is_embedded_twice_and_what_is_gone_is_dropped(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)

    def sent() -> list[str]:
        return [text for body in knows.requests for text in body["input"] if text in SAID]

    once = sent()
    assert {*SAID} <= {*once}
    knows.requests.clear()
    say(root, "new", ("2026-03-03T13:00:00Z", "user", "The ferry leaves at seven."))
    consolidate(root, "2026-03-04T12:00:00Z")
    fresh = next(body["input"] for body in knows.requests)
    assert "The ferry leaves at seven." in fresh
    assert not {*SAID} & {*fresh}
    rows = vectors_of(root)
    note = root / "memory/ferry.md"
    for text in ("The ferry is painted green.", ""):
        note.write_text(text)
        with Workspace.open(root, now=at("2026-03-04T13:00:00Z"), write=True) as ws:
            derive.rebuild(ws)
        assert vectors_of(root) == rows + bool(text)


def vectors_of(root: Path) -> int:
    with closing(sqlite3.connect(root / VECTORS)) as database:
        return int(database.execute("SELECT count(*) FROM vector").fetchone()[0])


def test_another_model_is_another_set_of_vectors(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    path = root / "memory/config.json"
    config = json.loads(path.read_text())
    config["embedder"]["model"] = "other"
    path.write_text(json.dumps(config))
    found = search(root, "zofka", mode="hybrid")
    assert "another index or model" in found["warning"]
    config["embedder"] = {"kind": "none"}
    path.write_text(json.dumps(config))
    assert "no embedder is configured" in search(root, "sofa", mode="vector")["warning"]
    assert texts(search(root, "sofa", mode="vector"))[0] == SAID[0]
    assert "warning" not in search(root, "sofa")
    say(root, "new", ("2026-03-03T13:00:00Z", "user", "The ferry leaves at seven."))
    consolidate(root, "2026-03-04T12:00:00Z")
    assert not (root / VECTORS).exists()


def test_the_file_is_private_and_may_be_damaged(tmp_path: Path, knows: Endpoint) -> None:
    root = workspace(tmp_path, knows)
    path = root / VECTORS
    assert path.stat().st_mode & 0o077 == 0
    path.write_bytes(b"no database")
    found = search(root, "sofa")
    assert texts(found)[0] == SAID[0]
    assert "answered by words alone" in found["warning"]
    say(root, "new", ("2026-03-03T13:00:00Z", "user", "The ferry leaves at seven."))
    consolidate(root, "2026-03-04T12:00:00Z")
    assert texts(search(root, "zofka"))[0] == SAID[0]


# An endpoint that is down


def test_without_the_endpoint_words_answer_and_it_is_said(tmp_path: Path) -> None:
    with serving(knowing(*MEANINGS)) as endpoint:
        root = workspace(tmp_path, endpoint)
    found = search(root, "sofa")
    assert texts(found) == texts(search(root, "sofa", mode="keyword"))
    assert "gives no vectors" in found["warning"]
    done = memory("--workspace", root, "search", "sofa")
    assert "sofa" in done.stdout
    assert "answered by words alone" in done.stderr
    say(root, "new", ("2026-03-03T13:00:00Z", "user", "The ferry leaves at seven."))
    assert consolidate(root, "2026-03-04T12:00:00Z").to_row()["status"] == "done"  # a night does not hang on vectors
    assert texts(search(root, "ferry"))[0] == "The ferry leaves at seven."


@pytest.mark.parametrize("query", ["the lease of the flat", "房东涨房租"])
@pytest.mark.parametrize("failing", ["closed", "refusing", "babbling"])
def test_an_endpoint_that_fails_by_night_is_told(tmp_path: Path, failing: str, query: str) -> None:
    with serving(knowing(*MEANINGS)) as endpoint:
        if failing == "refusing":
            endpoint.failures = [401] * 9
        elif failing == "babbling":
            endpoint.broken = {"data": "none"}
        else:
            endpoint = _closed()
        root = workspace(tmp_path, endpoint)
        reason = {"closed": "ConnectError", "refusing": "it answered 401", "babbling": "something else"}[failing]
        said = problems(root)
        assert [(each["where"], reason in each["what"], bool(each["hint"])) for each in said] == [
            ("embedder", True, True)
        ]
        assert said[0]["what"].startswith(f"{count_texts(root)} texts have no vector yet: ")
        for mode in ("auto", "hybrid"):
            assert reason in search(root, query, mode=mode)["warning"]


def test_a_night_tells_of_the_endpoint_once_and_no_more_when_it_is_back(tmp_path: Path) -> None:
    with serving(knowing(*MEANINGS)) as endpoint:
        root = workspace(tmp_path, endpoint)
        assert problems(root) == []
        endpoint.failures = [500] * 9
        say(root, "new", ("2026-03-03T13:00:00Z", "user", "The ferry leaves at seven. 渡船七点开。"))
        told = consolidate(root, "2026-03-04T12:00:00Z").to_row()["problems"]
        assert told == problems(root)
        assert [each["where"] for each in told] == ["embedder"]
        assert "it answered 500" in told[0]["what"]
        endpoint.failures = []
        say(root, "newer", ("2026-03-04T13:00:00Z", "user", "The tide turns at nine. 九点退潮。"))
        assert consolidate(root, "2026-03-05T12:00:00Z").to_row()["problems"] == []
        assert problems(root) == []
        assert "warning" not in search(root, "渡船")


def _closed() -> Endpoint:
    """One that was there, and is no more."""
    with serving(guessing) as endpoint:
        return endpoint


def problems(root: Path) -> list[dict[str, str]]:
    """What `status` tells of the embedder."""
    with Workspace.open(root, now=at(NOON)) as ws:
        return [each for each in stats.status(ws)["problems"] if each["where"] == "embedder"]


def count_texts(root: Path) -> int:
    """All that the index holds."""
    with Workspace.open(root, now=at(NOON)) as ws, open_index(ws) as index:
        return len(list(index.texts()))


# The protocol


def embedder(endpoint: Endpoint, pauses: list[float] | None = None, **more: Any) -> HttpEmbedder:
    config = EmbedderConfig(kind="http", base_url=endpoint.url, model="m", **more)
    return HttpEmbedder(config, pause=(pauses if pauses is not None else []).append)


def test_vectors_come_in_the_order_of_the_texts_whatever_the_answers_order(knows: Endpoint) -> None:
    said = ["one", "two", "three", "", "\ud800"]
    found = embedder(knows, batch_size=2).embed(said)
    assert found == [array("f", knows.vectors(text or " ")) for text in ("one", "two", "three", " ", "?")]
    assert [len(body["input"]) for body in knows.requests] == [2, 2, 1]
    assert {body["model"] for body in knows.requests} == {"m"}


def test_the_key_comes_from_the_environment_and_secrets_do_not_leave(
    knows: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_KEY", "k-1")
    embedder(knows, key_variable="TEST_KEY").embed(["the token is ghp_" + "a1B2" * 9])
    assert knows.keys == ["Bearer k-1"]
    assert "ghp_" not in json.dumps(knows.requests)


def test_a_busy_endpoint_is_asked_again_a_few_times_and_never_while_somebody_waits(knows: Endpoint) -> None:
    pauses: list[float] = []
    knows.failures = [503, 429]
    assert len(embedder(knows, pauses).embed(["a"])) == 1
    assert pauses == [0.5, 1.0]
    knows.failures = [503]
    with pytest.raises(EmbedderError, match="503"):
        embedder(knows, pauses).embed(["a"], patient=False)
    knows.failures = [401, 503]
    with pytest.raises(EmbedderError, match="401"):
        embedder(knows, pauses).embed(["a"])
    assert len(pauses) == 2


@pytest.mark.parametrize(
    "broken",
    [
        {}, [], {"data": []}, {"data": [{"index": 0, "embedding": "x"}]}, {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [0.5, 1e39]}]},  # more than a float32 holds
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_an_error(knows: Endpoint, broken: Any) -> None:
    knows.broken = broken
    with pytest.raises(EmbedderError):
        embedder(knows).embed(["a"])


def test_batches_hold_so_many_tokens_at_most() -> None:
    sizes = [len(batch) for batch in gathered(["word " * 2_000] * 7 + ["short"] * 3, estimate_tokens, BATCH_TOKENS, 5)]
    assert sum(sizes) == 10
    assert max(sizes[:3]) <= 2
    assert list(gathered([], estimate_tokens, BATCH_TOKENS, 5)) == []


@pytest.mark.parametrize("kind", ["model2vec", "fastembed"])
def test_a_missing_package_is_named(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, kind, None)
    local = embedder_of(EmbedderConfig(kind=kind, model="some/model"))
    assert local is not None
    with pytest.raises(EmbedderError, match=f"{kind} is not installed"):
        local.embed(["a"])


def test_without_numpy_words_answer(tmp_path: Path, knows: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    root = workspace(tmp_path, knows)
    monkeypatch.setitem(sys.modules, "numpy", None)
    found = search(root, "sofa")
    assert "needs numpy" in found["warning"]
    assert texts(found)[0] == SAID[0]


# The teaching algorithm


def test_the_teaching_algorithm_by_hand(tmp_path: Path) -> None:
    root = make(tmp_path)
    (root / "MEMORY.md").write_text("# Tea\ngreen tea\n# Coffee\nblack coffee\nblack")
    (root / "memory/2026-03-02.md").write_text("rain\n\n我喜欢喝茶，下雨天")
    found = search(root, "black rain", mode="tfidf")
    # three sections; black and rain stand in one each, idf ln 3; coffee, black, coffee, black -> tf 1/2 each
    assert [(row["path"], row["startLine"], row["endLine"]) for row in found["results"]] == [
        ("MEMORY.md", 3, 5), ("memory/2026-03-02.md", 1, 3)
    ]  # fmt: skip
    # black: cos = 1/sqrt2 * 1/sqrt2; rain: one of three words (a clause is one word), 1/sqrt2 * 1/sqrt3
    assert [row["score"] for row in found["results"]] == [0.5, 0.4082]
    assert search(root, "喝茶", mode="tfidf")["results"] == []  # its known weakness
    assert search(root, "我喜欢喝茶", mode="tfidf", limit=1)["total_found"] == 1
    assert search(root, "", mode="tfidf", scope="all") == {"results": [], "total_found": 0}


@pytest.mark.parametrize("query", ["green tea", "我喜欢喝茶"])
def test_the_teaching_algorithm_says_that_it_knows_no_other_option(tmp_path: Path, query: str) -> None:
    root = make(tmp_path)
    (root / "MEMORY.md").write_text("# Tea\ngreen tea\n# 茶\n我喜欢喝茶")
    taught = partial(search, root, query, mode="tfidf")
    assert "warning" not in taught(scope="all")
    assert "warning" not in taught(scope="notes", kind="note", limit=3)
    assert "no other option" in taught(scope="memories")["warning"]
    options: list[dict[str, Any]] = [
        {"kind": "belief"}, {"archived": True}, {"since": date(2027, 1, 1)}, {"until": date(2020, 1, 1)},
        {"entity": "Ann"}, {"explain": True},
    ]  # fmt: skip
    for option in options:
        assert "no other option" in taught(scope="all", **option)["warning"], option
