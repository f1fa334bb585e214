"""Numbers that the seeds name, where the agent's tools really run them (those of the prompt, the flush and the archive
stand in test_prompt.py, test_agent.py and test_sessions.py)."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from workspaces import at, make

from memory_system.recall.passages import passages
from memory_system.text import estimate_tokens
from memory_system.tools import Toolbox

LONG = {
    "en": " ".join(f"On day {n} the crew repaired the lighthouse lamp." for n in range(400)),
    "zh": "".join(f"第{n}天，大家修好了灯塔的灯。" for n in range(400)),
}


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    root = make(tmp_path / "w")
    for lang, text in LONG.items():
        lines = text.replace(". ", ".\n").replace("。", "。\n")
        (root / f"memory/lighthouse-{lang}.md").write_text(lines, encoding="utf-8")
    return Toolbox(root, lambda: at("2026-03-02T09:00:00Z"))


@pytest.mark.parametrize("query", ["lighthouse lamp", "灯塔的灯"])
def test_snippets_have_at_most_700_characters_as_in_seed_001(box: Toolbox, query: str) -> None:
    results = box.call("memory_search", {"query": query, "top_k": 50})["results"]
    assert results
    assert all(len(each["snippet"]) <= 700 for each in results)


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
