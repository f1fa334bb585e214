"""Words with their dates in brackets: gold cases by calendar, and what always holds."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from dates_cases import cases, marked_cases

from memory_system import dates

MARKED = marked_cases()
PATTERN = re.compile(r" ?\[[\d/ :-]+\]")


@pytest.mark.parametrize(
    ("lang", "anchor", "words", "expected"), MARKED, ids=[f"{each[1]:%m-%d} {each[2]}" for each in MARKED]
)
def test_dates_stand_in_brackets_behind_their_words(lang: str, anchor: datetime, words: str, expected: str) -> None:
    found = dates.marked(words, anchor, lang)
    assert found.text == expected
    assert found.whens == dates.find(words, anchor)
    assert dates.marked(expected, anchor, lang).text == expected  # once is enough


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_marked_cases_are_many(lang: str) -> None:
    assert sum(each[0] == lang for each in MARKED) >= 60


def test_no_word_is_changed() -> None:
    for case in (*cases("seen"), *cases("blind")):
        found = dates.marked(case.text, case.anchor, case.lang)
        assert "".join(PATTERN.sub("", found.text).split()) == "".join(case.text.split())
        places = [place for place, _ in found.marks]
        assert places == sorted(set(places))
