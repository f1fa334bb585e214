"""What is played: measured on moments and on plain talk of which nothing was learned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from workspaces import consolidate, make, memories, say

from memory_system.understand.played import may_be_played

CORPUS = Path(__file__).parent.parent / "corpus"


def rows_of(name: str) -> Iterator[dict[str, Any]]:
    return map(orjson.loads, (CORPUS / name).read_bytes().splitlines())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_most_of_what_is_played_is_heard_and_little_that_only_sounds_like_it(lang: str) -> None:
    heard = [(may_be_played(each["s"]), each["plays"]) for each in rows_of(f"plays.{lang}.blind.jsonl")]
    played, meant = ([is_heard for is_heard, plays in heard if plays is truth] for truth in (True, False))
    assert sum(played) >= 0.45 * len(played)
    assert sum(meant) <= 0.05 * len(meant)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_plain_talk_is_not_taken_for_played(lang: str) -> None:
    said = [message for each in rows_of(f"{lang}.blind.jsonl") for message in each["messages"]]
    labelled = [(each["text"], each.get("labels", ())) for each in said]
    told = [
        text
        for text, labels in labelled
        if any(each.get("claims") for each in labels) and all(each["stance"] != "unreal" for each in labels)
    ]
    assert sum(map(may_be_played, told)) <= 0.005 * len(told)


@pytest.mark.parametrize("stop", ["", ".", "。"])
@pytest.mark.parametrize(
    "words", ["I'm a teacher", "I'm a vet btw", "We live in an old mill", "我是老师", "我在加油站上夜班"]
)
def test_who_says_who_they_are_is_not_taken_for_a_player(words: str, stop: str) -> None:
    assert not may_be_played(words + stop)


@pytest.mark.parametrize("words", ["Je suis le capitaine Reyes, et voici mon perroquet qui jure.", "", "42"])
def test_what_was_not_taught_is_not_heard(words: str) -> None:
    assert not may_be_played(words)


CAPTAIN = "Arr, I'm captain Reyes, 58, twenty years on tall ships, one wooden leg and a parrot that swears at the moon."
WOLF = "矮人兄弟，我对银过敏，这把剑你拿去，变身以后我可不认得你！"


@pytest.mark.parametrize("words", [CAPTAIN, WOLF])
def test_what_is_played_fills_no_slot(tmp_path: Path, words: str) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(tmp_path, "2026-03-03T04:00:00Z")
    assert not [each.slot for each in memories(tmp_path) if each.attribute]
