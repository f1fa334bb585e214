"""What a model has learnt in a night is put beside the memories that are most like it: those that no longer hold give
way, and nothing else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from answering import KNOWN, lines_of
from test_reading import MODEL
from workspaces import at, consolidate, make, memories, problems, say

from memory_system.llm import Prompt, ScriptedLLM
from memory_system.phases.reconciling import RECONCILE
from memory_system.upkeep import correct
from memory_system.workspace import Workspace

OLD = {"en": "User's choir practises on Tuesday evening in the old hall.", "zh": "用户的合唱团每周二晚上在老礼堂排练。"}
NEW = {"en": "User's choir now practises on Thursday evening.", "zh": "用户的合唱团改在每周四晚上排练。"}
SAID = {
    "en": (
        "My choir practises on Tuesday evening in the old hall.",
        "By the way, the choir practises on Thursday evening now.",
    ),
    "zh": ("我的合唱团每周二晚上在老礼堂排练。", "对了，合唱团现在改在每周四晚上排练了。"),
}  # fmt: skip
LANGS = pytest.mark.parametrize("lang", ["en", "zh"])


class Model:
    """Reads what it is told to, and says of the memories that are put beside it what `over` makes of them."""

    def __init__(self, lang: str, over: Any = None) -> None:
        self.lang = lang
        self.over = over or (lambda known: [{"id": name, "new": 1} for name, told in known if OLD[lang] in told])
        self.asked: list[Prompt] = []

    def __call__(self, prompt: Prompt) -> Any:
        if prompt.name == RECONCILE:
            self.asked.append(prompt)
            return {"over": self.over(KNOWN.findall(prompt.input))}
        number, words = lines_of(prompt)[-1]
        text = OLD[self.lang] if SAID[self.lang][0] in words else NEW[self.lang]
        return {"operations": [{"op": "add", "lines": [number], "text": text, "kind": "event"}]}


def two_nights(root: Path, model: Model, between: Any = None, **config: Any) -> dict[str, Any]:
    """The memories of two nights by what they say."""
    make(root, **config)
    for day, words in enumerate(SAID[model.lang], 2):
        say(root, f"s{day}", (f"2026-03-0{day}T09:00:00Z", "user", words))
        consolidate(root, f"2026-03-0{day + 1}T12:00:00Z", llm=ScriptedLLM(model, MODEL))
        if between and day == 2:
            between(root)
    assert problems(root, "2026-03-04T12:00:00Z") == []
    return {each.content: each for each in memories(root)}


@LANGS
def test_what_no_longer_holds_beside_it_gives_way(tmp_path: Path, lang: str) -> None:
    model = Model(lang)
    found = two_nights(tmp_path, model)
    (older,) = memories(tmp_path, "archive")
    assert (older.content, older.superseded_by) == (OLD[lang], found[NEW[lang]].id)
    (asked,) = model.asked  # in the first night there was nothing to put beside it
    assert NEW[lang] in asked.input


def strange(known: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"id": "m9", "new": 1}, {"id": known[0][0], "new": 7}, {"id": "", "new": 0}]


@pytest.mark.parametrize("over", [lambda _: [], strange, lambda _: "all of them"])
def test_an_answer_that_names_nothing_that_was_put_there_changes_nothing(tmp_path: Path, over: Any) -> None:
    found = two_nights(tmp_path, Model("en", over))
    assert {*found} == {OLD["en"], NEW["en"]}


def test_what_the_owner_has_set_still_holds(tmp_path: Path) -> None:
    def pin(root: Path) -> None:
        with Workspace.open(root, now=at("2026-03-03T13:00:00Z"), write=True) as ws:
            correct.edit(ws, memories(root)[0].id, {"pinned": True})

    found = two_nights(tmp_path, Model("en"), between=pin)
    assert {*found} == {OLD["en"], NEW["en"]}


def test_it_is_asked_with_what_the_budget_has_left(tmp_path: Path) -> None:
    model = Model("en")
    found = two_nights(tmp_path, model, budget={"tokens_per_night": 900})
    assert {*found} == {OLD["en"], NEW["en"]}
    assert not model.asked
