"""What is played: measured on moments and on plain talk of which nothing was learned."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from workspaces import consolidate, make, memories, say

from memory_system.understand.played import is_played

CORPUS = Path(__file__).parent.parent / "corpus"


def rows_of(name: str) -> Iterator[dict[str, object]]:
    return map(orjson.loads, (CORPUS / name).read_bytes().splitlines())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_most_of_what_is_played_is_heard_and_little_that_only_sounds_like_it(lang: str) -> None:
    heard = [(is_played(str(each["s"])), each["plays"]) for each in rows_of(f"plays.{lang}.blind.jsonl")]
    played, meant = ([is_heard for is_heard, plays in heard if plays is truth] for truth in (True, False))
    assert sum(played) >= 0.6 * len(played)
    assert sum(meant) <= 0.25 * len(meant)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_plain_talk_is_not_taken_for_played(lang: str) -> None:
    said = [message for each in rows_of(f"{lang}.blind.jsonl") for message in each["messages"]]  # type: ignore[attr-defined]
    labelled = [(each["text"], each.get("labels", ())) for each in said]
    told = [
        text
        for text, labels in labelled
        if any(each.get("claims") for each in labels) and all(each["stance"] != "unreal" for each in labels)
    ]
    assert sum(map(is_played, told)) <= 0.02 * len(told)


@pytest.mark.parametrize("words", ["Je suis le capitaine Reyes, et voici mon perroquet.", "", "42"])
def test_where_nothing_was_learned_nothing_is_played(words: str) -> None:
    assert not is_played(words)


@pytest.mark.parametrize(
    "words",
    [
        "Arr, I'm captain Reyes, 58, twenty years on tall ships, one wooden leg and a parrot that swears at the moon.",
        "本座乃青云门掌门林清玄，今年三百零七岁，住在云雾山顶，尔等凡人速速退下！",
    ],
)
def test_what_is_played_fills_no_slot(tmp_path: Path, words: str) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(tmp_path, "2026-03-03T04:00:00Z")
    assert not [each.slot for each in memories(tmp_path) if each.attribute]
