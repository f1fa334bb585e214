"""Words with their dates in brackets: gold cases by calendar, and what always holds."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

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


@pytest.mark.parametrize(
    ("lang", "words", "around", "expected"),
    [
        ("en", "I go on the 26th", "", "I go on the 26th [2026-04-26]"),
        ("en", "I go on the 26th", "They want me back in six weeks", "I go on the 26th"),
        ("zh", "26号上午去", "", "26号上午[2026-04-26]去"),
        ("zh", "26号上午去", "六個月以後複查", "26号上午去"),
        ("zh", "5月26号上午去", "六個月以後複查", "5月26号上午[2026-05-26]去"),
    ],
)
def test_weeks_that_were_counted_around_leave_the_month_of_a_day_open(
    lang: str, words: str, around: str, expected: str
) -> None:
    said_at = datetime(2026, 4, 14, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
    assert dates.marked(words, said_at, lang, around).text == expected
