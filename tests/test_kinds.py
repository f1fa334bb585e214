"""The words by which people ask for others: as they were labelled, so they are shipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_system.recall import kinds
from memory_system.text import fold

CORPUS = Path(__file__).parent.parent / "corpus"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_labelled_word_is_asked_for_by_its_words(lang: str) -> None:
    """`scripts/related.py` was run after the last of them was labelled."""
    rows = [json.loads(line) for line in (CORPUS / f"related.{lang}.jsonl").read_text("utf-8").splitlines()]
    assert len({row["word"] for row in rows}) == len(rows) > 6_000
    shipped = (Path(kinds.__file__).parent / f"related.{lang}.txt").read_text("utf-8").splitlines()
    asked_for = {asking: set(words.split("|")) for asking, words in (line.split("\t") for line in shipped)}
    labelled = {(kinds.plainest(asking), row["word"]) for row in rows for asking in row["asked"]}
    labelled = {(asking, word) for asking, word in labelled if asking not in ("", kinds.plainest(word))}
    assert labelled == {(asking, word) for asking, words in asked_for.items() for word in words}


@pytest.mark.parametrize(
    ("question", "asking"),
    [
        ("Which flowers should I avoid?", "en:flowers"),
        ("Who looks after the dog?", "en:looks after"),
        ("爸的降糖药一天吃几回", "zh:降糖药"),
        ("which 药 does she take", "zh:药"),
    ],
)
def test_words_that_ask_are_known_in_every_form_and_the_longest_at_each_place(question: str, asking: str) -> None:
    found = kinds.asked_by_words(fold(question))
    assert asking in found
    assert len(found) <= kinds.MOST_ASKING


def test_every_word_that_is_asked_for_is_looked_up() -> None:
    """Also the last ones of the longest lines."""
    looked_up = kinds.match("en:medicine") + kinds.match("zh:药")
    assert all(f'"{each}"' in looked_up for each in ("amoxicillin", "warfarin", "霉素"))


def test_what_a_longer_word_asks_is_not_asked_by_its_part() -> None:
    found = kinds.asked_by_words("爸的降糖药和她的降糖药")
    assert found == ("zh:爸", "zh:降糖药")
