"""Since when and until when a value was so: what was said counts before the day on which it was told."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from workspaces import consolidate, make, memories, say

from memory_system.phases.entities import entity_id_of

NOW = "2026-03-05T12:00:00Z"


def told(root: Path, first: str, second: str) -> None:
    make(root, zone="UTC")
    say(root, "a", ("2026-01-10T09:00:00Z", "user", first))
    say(root, "b", ("2026-03-03T09:00:00Z", "user", second))
    consolidate(root, NOW)


@pytest.mark.parametrize(
    ("first", "second", "began"),
    [
        ("I live in Beijing.", "I moved to Shanghai in February 2026.", "2026-02"),
        ("I live in Beijing.", "I moved to Shanghai on 14 February 2026.", "2026-02-14"),
        ("我住在北京。", "我2026年2月搬到了上海。", "2026-02"),
        ("我住在北京。", "我上个月搬到了上海。", "2026-02"),
    ],
)
def test_a_move_ends_the_old_home_when_it_was(tmp_path: Path, first: str, second: str, began: str) -> None:
    told(tmp_path, first, second)
    (new,) = [each for each in memories(tmp_path) if each.attribute == "lives_in"]
    (old,) = [each for each in memories(tmp_path, "archive") if each.attribute == "lives_in"]
    assert (new.valid_from, old.valid_to, new.history[-1].until) == (began, began, began)
    profile = tmp_path / "memory/layer2/entities" / f"{entity_id_of('user')}.json"
    past, present = orjson.loads(profile.read_bytes())["slots"]["lives_in"]
    assert (past["until"], present["since"]) == (began, began)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I live in Beijing.", "I live in Shanghai now."),  # no time is said
        ("I live in Beijing.", "I moved to Shanghai in 2019."),  # before the other was said to be so
        ("我住在北京。", "我现在住在上海。"),
    ],
)
def test_else_until_it_was_told(tmp_path: Path, first: str, second: str) -> None:
    told(tmp_path, first, second)
    (old,) = [each for each in memories(tmp_path, "archive") if each.attribute == "lives_in"]
    assert old.valid_to == "2026-03-03T09:00:00Z"


@pytest.mark.parametrize(
    ("words", "slot", "began"),
    [
        ("I have worked at Brightwater since 2016.", ("works_at", "Brightwater"), "2016"),
        ("我从2016年起在银杏科技上班。", ("works_at", "银杏科技"), "2016"),
        ("我2020年起住在成都。", ("lives_in", "成都"), "2020"),
    ],
)
def test_what_has_lasted_since_then_is_so(tmp_path: Path, words: str, slot: tuple[str, str], began: str) -> None:
    make(tmp_path, zone="UTC")
    say(tmp_path, "a", ("2026-03-03T09:00:00Z", "user", words))
    consolidate(tmp_path, NOW)
    found = memories(tmp_path)
    assert [(each.attribute, each.value, each.valid_from) for each in found if each.attribute] == [(*slot, began)]
    assert any(began in each.content for each in found)
