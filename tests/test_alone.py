"""What stands alone: measured on remarks of which nothing was learned."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from memory_system.phases.shortlist import CLEAR_FROM, LASTING_FROM
from memory_system.understand.alone import alone_of

CORPUS = Path(__file__).parent.parent / "corpus"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_may_stand_in_the_snapshot_is_understood_alone(lang: str) -> None:
    remarks = [orjson.loads(line) for line in (CORPUS / f"alone.{lang}.blind.jsonl").read_bytes().splitlines()]
    heard = [(alone_of(each["s"], lang), each["alone"]) for each in remarks]
    for is_taken, true in (
        (lambda alone: alone.clear >= CLEAR_FROM, {"lasts", "passes"}),
        (lambda alone: alone.lasts >= LASTING_FROM, {"lasts"}),
    ):
        _check([(is_taken(alone), label in true) for alone, label in heard])


def _check(rows: list[tuple[bool, bool]]) -> None:
    right = sum(taken and is_so for taken, is_so in rows)
    assert right >= 0.9 * sum(taken for taken, _ in rows)
    assert right >= 0.25 * sum(is_so for _, is_so in rows)


@pytest.mark.parametrize(
    "words", ["Meine Schwester Ana wohnt seit vier Jahren in Lissabon und ist Lehrerin.", "", "42"]
)
def test_what_was_not_taught_is_told_by_its_form(words: str) -> None:
    assert (alone_of(words, "en").clear > 0) == (len(words.split()) > 9)


def test_traditional_characters_are_read_as_simplified_ones() -> None:
    assert alone_of("我對花生過敏", "zh") == alone_of("我对花生过敏", "zh")
