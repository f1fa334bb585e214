"""Numbers that the seeds name, where `memory_search` really runs them in its modes tfidf and hybrid, in English and
Chinese. Those of the prompt, the flush and compaction, pruning, the archive and the watcher stand in test_prompt.py,
test_agent.py, test_sessions.py and test_watch.py; where we differ stands in docs/agent.md."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from endpoint import Endpoint, knowing, serving
from workspaces import at, consolidate, make, memories

from memory_system import finder
from memory_system.agent.prompt import compose
from memory_system.agent.tools import Toolbox
from memory_system.nights import derive
from memory_system.recall.units import passages
from memory_system.records import Belief
from memory_system.text import estimate_tokens
from memory_system.workspace import Workspace

NOON = "2026-03-02T12:00:00Z"
LONG = {
    "en": " ".join(f"On day {n} the crew repaired the lighthouse lamp." for n in range(400)),
    "zh": "".join(f"第{n}天，大家修好了灯塔的灯。" for n in range(400)),
}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving(knowing("couch sofa", "番茄 西红柿")) as running:
        yield running


@pytest.fixture
def root(tmp_path: Path, endpoint: Endpoint) -> Path:
    """A workspace with an embedder, so that hybrid searches both ways."""
    return make(tmp_path / "w", embedder={"kind": "http", "base_url": endpoint.url, "model": "test"})


@pytest.fixture
def box(root: Path) -> Toolbox:
    for lang, text in LONG.items():
        lines = text.replace(". ", ".\n").replace("。", "。\n")
        (root / f"memory/lighthouse-{lang}.md").write_text(lines, encoding="utf-8")
    return Toolbox(root, lambda: at(NOON))


def hybrid(root: Path, query: str) -> list[dict[str, Any]]:
    """What `memory search --mode hybrid --explain` finds, after a night has indexed the notes and their vectors."""
    with Workspace.open(root, now=at(NOON), write=True) as ws:
        derive.rebuild(ws)
    with Workspace.open(root, now=at(NOON)) as ws:
        found = finder.search(ws, query, mode="hybrid", explain=True)
    assert "warning" not in found
    rows: list[dict[str, Any]] = found["results"]
    return rows


# ---- seeds 000, 001 and 004: results and chunks --------------------------------------------------------------------


@pytest.mark.parametrize("query", ["lighthouse lamp", "灯塔的灯"])
@pytest.mark.parametrize("mode", ["hybrid", "auto"])
def test_snippets_have_at_most_700_characters_as_in_seed_001(box: Toolbox, query: str, mode: str) -> None:
    (box.root / "memory/one.md").write_text(f"{LONG['en'][:900]} {LONG['zh'][:90]}", encoding="utf-8")
    results = box.call("memory_search", {"query": query, "top_k": 50, "mode": mode})["results"]
    assert max(len(each["snippet"]) for each in results) == 700


def test_seed_000_weighs_a_word_by_its_share_of_a_section_and_the_sections_that_have_it(root: Path) -> None:
    """Worked out by hand: idf is ln(sections / those that have it), a score the cosine; 300 characters are shown."""
    (root / "MEMORY.md").write_text(
        f"# Tea\ngreen tea\n# Boat\nred boat {'x' * 300}\n# 茶\n我喜欢喝茶", encoding="utf-8"
    )
    box = Toolbox(root, lambda: at(NOON))
    found = box.call("memory_search", {"query": "tea", "mode": "tfidf"})
    # "tea" is 2 of 3 tokens, "green" 1, both with idf ln 3: cosine = 2/√5
    assert [(each["path"], each["startLine"], each["endLine"], each["score"]) for each in found["results"]] == [
        ("MEMORY.md", 1, 2, round(2 / math.sqrt(5), 4))
    ]
    (boat,) = box.call("memory_search", {"query": "boat", "mode": "tfidf"})["results"]
    assert len(boat["snippet"]) == 300
    assert box.call("memory_search", {"query": "喝茶", "mode": "tfidf"})["results"] == []  # a clause is one word to it
    assert len(box.call("memory_search", {"query": "我喜欢喝茶", "mode": "tfidf"})["results"]) == 1


@pytest.mark.parametrize("lang", LONG)
def test_notes_are_cut_at_about_400_tokens_with_80_of_overlap_as_in_seed_001(lang: str) -> None:
    lines = LONG[lang].replace(". ", ".\n").replace("。", "。\n")
    found = list(passages(lines))
    assert len(found) > 5
    assert all(300 < estimate_tokens(each.text) <= 401 for each in found[:-1])
    said = lines.split("\n")
    common = [said[later.start - 1 : each.end] for each, later in pairwise(found)]
    assert all(40 < estimate_tokens("\n".join(each)) <= 80 for each in common)


def test_five_results_unless_more_are_wanted_as_in_seed_000(box: Toolbox) -> None:
    assert len(box.call("memory_search", {"query": "lighthouse lamp"})["results"]) == 5
    assert len(box.call("memory_search", {"query": "lighthouse lamp", "top_k": 7})["results"]) == 7


def test_a_search_result_has_the_fields_of_seed_004(box: Toolbox) -> None:
    result = box.call("memory_search", {"query": "lighthouse lamp"})["results"][0]
    assert {"path", "startLine", "endLine", "score", "snippet"} <= set(result)
    read = box.call("memory_get", {"path": result["path"], "from": result["startLine"], "lines": 1})
    assert read["text"] == result["snippet"].split("\n")[0]


# ---- seeds 001 and 004: fading, normalising, diversity --------------------------------------------------------------


@pytest.mark.parametrize(("said", "query"), [("The couch is by the window.", "couch"), ("番茄放在窗台上。", "番茄")])
def test_being_fresh_halves_every_30_days_as_in_seeds_001_and_004(root: Path, said: str, query: str) -> None:
    """Of what is fresh 7 days leave 85 %, 30 days 50 %, 90 days 12.5 %; evergreen files do not fade. What fades is a
    tenth of the score, so that a note is found however old it is."""
    today = at(NOON).date()
    left = {0: 1.0, 7: 0.85, 30: 0.5, 90: 0.125, 2000: 0.0}
    for days, sign in zip(left, "茶书琴棋画", strict=True):  # not word for word the same
        (root / f"memory/{today - timedelta(days=days)}.md").write_text(f"{said}{sign}\n", encoding="utf-8")
    (root / "memory/rooms.md").write_text(f"{said}花\n", encoding="utf-8")
    rows = {each["path"]: each for each in hybrid(root, query)}
    assert "age" not in rows["memory/rooms.md"]["explain"]
    for days, share in left.items():
        part = rows[f"memory/{today - timedelta(days=days)}.md"]["explain"]["age"]
        assert (part - 0.9) / 0.1 == pytest.approx(share, abs=0.005)


def test_bm25_becomes_a_number_below_1_as_in_seed_004(root: Path) -> None:
    """relevance / (1 + relevance), of a BM25 that is worked out here by hand."""
    texts = ["The ferry leaves at seven.", "We painted the fence.", "Nora bakes bread.", "猫在窗台上睡觉。"]
    for number, text in enumerate(texts):
        (root / f"memory/n{number}.md").write_text(text, encoding="utf-8")
    (row,) = (each for each in hybrid(root, "ferry") if "ferry" in each["text"])
    idf = math.log(1 + (4 - 1 + 0.5) / (1 + 0.5))
    bm25 = idf / (1 + 1.2 * (1 - 0.4) + 1.2 * 0.4 * len(texts[0]) / 120)
    assert row["textScore"] == pytest.approx(bm25 / (1 + bm25), abs=0.0001)


def test_what_says_nearly_the_same_makes_way_by_mmr_with_the_lambda_of_seed_001(root: Path) -> None:
    """λ 0.7: 0.7 × relevance − 0.3 × likeness to the likest before it; likeness counts from a half of the words on, so
    that 8 of 10 different words in common are one of 0.6."""
    same = "kite over the lake in early spring"
    for name, text in {"a": f"{same} alpha beta", "b": f"{same} alpha gamma", "c": "the kite is torn"}.items():
        (root / f"memory/{name}.md").write_text(text, encoding="utf-8")
    rows = {each["path"].removeprefix("memory/")[0]: each for each in hybrid(root, "kite over the lake")}
    assert list(rows) == ["a", "b", "c"]
    shown = {name: each["score"] / rows["a"]["score"] for name, each in rows.items()}
    parts = rows["b"]["explain"]
    relevance = shown["b"] / parts["alike"]
    assert parts["alike"] == pytest.approx((0.7 * relevance - 0.3 * 0.6) / (0.7 * relevance), abs=0.001)
    assert (rows["a"]["explain"]["alike"], rows["c"]["explain"]["alike"]) == (1.0, 1.0)


# ---- seed 001: W, B and O ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "stated", "supposed"),
    [
        (
            ["W: The build server runs in Oslo.", "- B: Deployed the gateway without problems.",
             "O: User thinks that tea beats coffee.", "- O(c=0.9) @Nora: Nora cares more for speed than for looks."],
            ["The build server runs in Oslo", "Deployed the gateway without problems"],
            {"tea beats coffee": 0.6, "speed than for looks": 0.9},
        ),
        (
            ["W：我的公司在上海。", "- B：我昨天去了西湖。", "O：我觉得咖啡比茶好喝。", "- O(c=0.9)：我觉得这书难读。"],
            ["公司在上海", "去了西湖"],
            {"咖啡比茶好喝": 0.6, "这书难读": 0.9},
        ),
    ],
)  # fmt: skip
def test_world_facts_and_experiences_are_facts_and_opinions_beliefs_as_in_seed_001(
    lines: list[str], stated: list[str], supposed: dict[str, float], tmp_path: Path
) -> None:
    root = make(tmp_path / "w")
    (root / "memory/2026-03-01.md").write_text("# 2026-03-01\n\n## 10:30 AM - Diary\n" + "\n".join(lines), "utf-8")
    with Workspace.open(root, now=at(NOON)) as ws:
        prompt = compose(ws).text
    assert "W (a fact about the world), B (what happened), O (an opinion)" in prompt or "W（世界事实）" in prompt
    consolidate(root, NOON)
    found = memories(root)
    beliefs = {each.content: each.confidence for each in found if isinstance(each, Belief)}
    facts = [each.content for each in found if not isinstance(each, Belief)]
    assert all(any(words in each for each in facts) for words in stated)
    for words, confidence in supposed.items():
        assert [each for content, each in beliefs.items() if words in content] == [confidence]
