"""Places that have a name in each language are one place: in profiles, and as the value of a slot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from workspaces import consolidate, make, memories, say

from memory_system.phases.entities import INDEX
from memory_system.phases.matching import are_one, names_of
from memory_system.rules import table


def profiles(root: Path) -> dict[str, Any]:
    folder = next(root.rglob(INDEX)).parent
    index = orjson.loads((folder / INDEX).read_bytes())
    return {name: orjson.loads((folder / f"{row['id']}.json").read_bytes()) for name, row in index.items()}


def test_names_of_a_place() -> None:
    assert names_of("北京") == ("北京", "Beijing", "Peking")
    assert names_of("Atlantis") == ("Atlantis",)
    assert are_one("Beijing", "北京")
    assert not are_one("Beijing", "南京")
    assert not are_one("Atlantis", "Atlantis")  # the table knows no such place


@pytest.mark.parametrize("name", ["turkey", "Florence", "cologne"])
def test_what_is_as_often_a_word_or_a_person_is_no_place(name: str) -> None:
    assert names_of(name) == (name,)


def test_no_name_stands_for_two_places() -> None:
    names = [name.casefold() for row in table("gazetteer", "same") for name in row]
    assert len(names) == len(set(names))


def test_one_place_in_two_languages(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s1", ("2026-03-02T09:00:00Z", "user", "I live in Beijing. My sister Mia lives in Shanghai."))
    say(tmp_path, "s2", ("2026-03-03T09:00:00Z", "user", "我住在北京。我妈妈住在上海。"))
    consolidate(tmp_path, "2026-03-04T09:00:00Z")
    (home,) = [each for each in memories(tmp_path) if each.slot == ("user", "lives_in")]
    assert (home.value, len(home.evidence), home.history) == ("Beijing", 2, ())
    found = profiles(tmp_path)
    assert found["Shanghai"]["aliases"] == ["上海"]
    assert found["上海"]["aliases"] == ["Shanghai"]
    assert found["上海"]["memories"] == found["Shanghai"]["memories"]
    assert len(found["上海"]["memories"]) > 1


def test_a_place_said_in_one_language_has_one_profile(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s1", ("2026-03-02T09:00:00Z", "user", "我妈妈住在上海。"))
    consolidate(tmp_path, "2026-03-04T09:00:00Z")
    assert "Shanghai" not in profiles(tmp_path)


def test_moving_to_another_city_is_still_a_change(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "s1", ("2026-03-02T09:00:00Z", "user", "I live in Beijing."))
    say(tmp_path, "s2", ("2026-03-03T09:00:00Z", "user", "我现在住在南京。"))
    consolidate(tmp_path, "2026-03-04T09:00:00Z")
    (home,) = [each for each in memories(tmp_path) if each.slot == ("user", "lives_in")]
    assert (home.value, [past.value for past in home.history]) == ("南京", ["Beijing"])
