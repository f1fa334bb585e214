"""What answers are worth: a model that knows what will be asked makes more of it survive, and one that lies makes
neither less of it survive nor anything enter. The same is measured on whole conversations by scripts/asking.py."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from answering import EMPTY, claim
from workspaces import consolidate, contents, make, memories, say

from memory_system.llm import Prompt
from memory_system.llm.scripted import ScriptedLLM

NOW = "2026-03-04T12:00:00Z"
LINES = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
THINGS = {  # more than a small night keeps whatever the share
    "en": ("kettle", "ladder", "saddle", "violin", "mirror", "basket", "anchor", "trumpet", "lantern", "barrel"),
    "zh": (
        "水壶", "梯子", "马鞍", "提琴", "镜子", "篮子", "船锚", "小号", "灯笼", "木桶", "摇篮", "地毯", "风车", "石磨",
        "铜锣", "竹筐", "皮箱", "油灯", "秤砣", "屏风", "算盘", "砚台", "风箱", "马车", "渔网", "木梳",
    ),
}  # fmt: skip
FOUND = {
    "en": "My cousin found an old {} in the cellar of the house by the river and gave it a new coat.",
    "zh": "我表弟在河边老房子的地窖里找到一件旧{}，又给它刷了一层新漆。",
}
SOLD = {
    "en": "They sold it to a theatre in Ghent for ninety euros.",
    "zh": "它卖给了苏州的一家剧院，卖了九百块钱。",
}
LIE = "Zanzibarian"


def knowing(prompt: Prompt) -> Any:
    """Everything is asked about some day."""
    if prompt.name != "screen":
        return EMPTY[prompt.name]
    return {"keep": [{"n": int(n), "category": "event", "importance": 0.6} for n, _ in LINES.findall(prompt.input)]}


def lying(prompt: Prompt) -> Any:
    """Invents, contradicts itself, declares all over."""
    found = [(int(n), words) for n, words in LINES.findall(prompt.input)]
    numbers = [n for n, _ in found]
    lies = [claim(n, words, f"User is {LIE}") for n, words in found]
    return {
        "screen": {"keep": []},
        "extract": {"claims": lies + [claim(n, f"{words} {LIE}", LIE, about=LIE) for n, words in found]},
        "conflict": {"over": numbers},
        "beliefs": {"confirm": numbers, "deny": numbers},
        "summaries": {"topics": [{"n": n, "text": LIE} for n in numbers]},
        "polish": {"lines": [{"n": n, "text": LIE} for n in numbers]},
    }[prompt.name]


def remembered(root: Path, lang: str, script: Any) -> set[str]:
    """What of the things that are asked about is in the memories after the night."""
    questions = ["screen", "extract", "conflict", "beliefs", "summaries", "polish"]
    make(root, llm={"questions": questions, "mode": "auto"}, budget={"tokens_per_night": 1800})
    for number, text in enumerate((*map(FOUND[lang].format, THINGS[lang]), SOLD[lang])):
        say(root, "a", (f"2026-03-02T09:{number:02}:00Z", "user", text))
    model = ScriptedLLM(script, model="claude-haiku-5-5") if script else None
    report = consolidate(root, NOW, llm=model, mode="off")
    assert report.to_row()["accounting"]["balanced"]
    facts = " ".join(each.content for each in memories(root) if each.id.startswith("f_"))
    return {thing for thing in THINGS[lang] if thing in facts}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_model_that_knows_makes_more_survive(lang: str, tmp_path: Path) -> None:
    rules = remembered(tmp_path / "rules", lang, None)
    assert rules
    assert remembered(tmp_path / "knowing", lang, knowing) > rules


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_model_that_lies_changes_nothing(lang: str, tmp_path: Path) -> None:
    rules = remembered(tmp_path / "rules", lang, None)
    assert remembered(tmp_path / "lying", lang, lying) == rules
    assert contents(tmp_path / "lying") == contents(tmp_path / "rules")
    assert LIE not in (tmp_path / "lying/memory/layer1/snapshot.md").read_text()
