"""Words with their dates in brackets: gold cases by calendar, and what always holds."""

from __future__ import annotations

import re

import pytest
from dates_cases import cases, marked_cases

from memory_system import dates

MARKED = marked_cases()
PATTERN = re.compile(r" ?\[[\d/ :-]+\]")


def test_dates_stand_in_brackets_behind_their_words() -> None:
    found = [(dates.marked(words, anchor, lang), expected) for lang, anchor, words, expected in MARKED]
    assert [(each.text, expected) for each, expected in found if each.text != expected] == []
    assert [each.whens for each, _ in found] == [dates.find(words, anchor) for _, anchor, words, _ in MARKED]
    again = [dates.marked(expected, anchor, lang).text for lang, anchor, _, expected in MARKED]
    assert again == [expected for _, expected in found]  # once is enough


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_marked_cases_are_many(lang: str) -> None:
    assert sum(each[0] == lang for each in MARKED) >= 60


def test_no_word_is_changed() -> None:
    for case in (*cases("seen"), *cases("blind")):
        found = dates.marked(case.text, case.anchor, case.lang)
        assert "".join(PATTERN.sub("", found.text).split()) == "".join(case.text.split())
        places = [place for place, _ in found.marks]
        assert places == sorted(set(places))
