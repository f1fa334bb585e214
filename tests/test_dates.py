"""Time expressions: gold cases by calendar, what must be left alone, and what always holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import pytest
from dates_cases import HALVES, Case, cases, kinds, meaning
from hypothesis import given
from hypothesis import strategies as st

from memory_system import dates
from memory_system.dates import When
from memory_system.dates.atoms import _atoms, alternatives, numeral
from memory_system.rules import table
from memory_system.text import spliced

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=ZoneInfo("Asia/Shanghai"))
SEEN = cases("seen")


def test_gold() -> None:
    found = [(case, dates.find(case.text, case.anchor)) for case in SEEN]
    assert [(case, whens) for case, whens in found if case.judge(whens) != "right"] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_gold_cases_are_many(lang: str) -> None:
    seen, blind = ([case for case in cases(half) if case.lang == lang] for half in HALVES)
    assert len(seen) >= 150
    assert len(blind) >= 150
    assert sum(not case.expected for case in (*seen, *blind)) >= 40


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_sentences_written_without_sight_of_the_rules(lang: str) -> None:
    blind = [case for case in cases("blind") if case.lang == lang]
    verdicts = Counter(case.judge(dates.find(case.text, case.anchor)) for case in blind)
    assert verdicts["right"] >= 0.92 * len(blind)
    assert verdicts["wrong"] <= 0.02 * len(blind)


def test_kinds_of_dates_in_talk() -> None:
    found = [(kind, case, event, dates.find(case.text, case.anchor)) for kind, case, event in kinds("cases")]
    assert [(kind, case, whens) for kind, case, _, whens in found if case.judge(whens) != "right"] == []
    assert [
        (kind, case, whens) for kind, case, event, whens in found if event and begins(whens, case) != meaning(event)[0]
    ] == []


def begins(found: list[When], case: Case) -> datetime | None:
    """When what is told happens, in a memory of it."""
    event = dates.event_in(case.text, found, case.lang)
    return datetime.fromisoformat(event.start) if event else None


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_kinds_of_dates_in_talk_that_no_rule_was_made_for(lang: str) -> None:
    first = [
        (case, event, dates.find(case.text, case.anchor)) for _, case, event in kinds("first") if case.lang == lang
    ]
    verdicts = Counter(case.judge(found) for case, _, found in first)
    assert verdicts["right"] >= 0.9 * len(first)
    assert verdicts["wrong"] <= 0.03 * len(first)
    assert all(begins(found, case) == meaning(event)[0] for case, event, found in first if event)


@pytest.mark.parametrize(
    ("granularity", "english", "chinese"), [("day", "7 May 2023", "2023年5月7日"), ("month", "May 2023", "2023年5月")]
)
def test_what_is_spelled_is_read_back(granularity: Literal["day", "month"], english: str, chinese: str) -> None:
    day = date(2023, 5, 7)
    for lang, words in (("en", english), ("zh", chinese)):
        assert dates.spell(day, granularity, lang) == words
        (again,) = dates.find("in " + words if lang == "en" else words, MONDAY)
        assert (again.start.year, again.start.month, again.granularity) == (2023, 5, granularity)


def test_to_event() -> None:
    (when,) = dates.find("tomorrow at 3 pm", MONDAY)
    event = dates.to_event(when)
    assert event.model_dump() == {
        "start": "2023-05-09T15:00",
        "end": "2023-05-09T16:00",
        "granularity": "hour",
        "text": "tomorrow at 3 pm",
    }


def test_what_one_has_done_for_one_is_not_past() -> None:
    text = "I'm seeing the dentist on Thursday and getting the car serviced on Friday."
    found = dates.find(text, datetime.fromisoformat("2026-03-02T09:00"))
    assert [each.start.date().isoformat() for each in found] == ["2026-03-05", "2026-03-06"]


@pytest.mark.parametrize("text", ["我税前年薪六十二万。", "税后年终奖"])
def test_pay_before_tax_is_of_no_year(text: str) -> None:
    assert list(dates.find(text, datetime.fromisoformat("2026-03-02T09:00"))) == []


def test_numeral() -> None:
    values: dict[str, int | None] = {
        "十二": 12,
        "二十三": 23,
        "廿": 20,
        "廿三": 23,
        "两": 2,
        "一百二十": 120,
        "十": 10,
        "二〇二三": 2023,
    }
    values |= {"零五": 5, "12": 12} | dict.fromkeys(["两三", "几", "x", "二三十"])
    assert {word: numeral(word) for word in values} == values


def test_every_form_has_its_examples() -> None:
    forms = [
        (f"{lang}.{row['id']}", row) for lang in ("en", "both", "zh") for row in table("dates", lang, examples=True)
    ]
    assert [rule_id for rule_id, row in forms if not keeps_its_word(rule_id, row)] == []


def keeps_its_word(rule_id: str, row: dict[str, Any]) -> bool:
    """Whether each pattern of the form and each of its `yes` find one another, and no pattern one of its `no`."""
    rules = [each for each in _atoms().rules if each.id == rule_id or each.id.startswith(rule_id + ".")]
    found = [[bool(rule.search(text)) for text in row["yes"]] for rule in rules]
    each_is_found = all(map(any, found)) and all(map(any, zip(*found, strict=True)))
    return (
        bool(found and row["yes"] and row["no"])
        and each_is_found
        and not any(rule.search(text) for rule in rules for text in row["no"])
    )


def written(value: Any) -> Iterator[str]:
    """Every pattern and every word in a table, names of festivals left out."""
    if isinstance(value, str):
        yield value.replace("{festival}", "").replace("{festival_zh}", "")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from written(each)


def test_no_pattern_is_wider_than_can_be_read() -> None:
    keys = ("form", "guard", "cue", "governor", "followed", "range", "refused", "en", "both", "zh")
    patterns = [each for key in keys for each in written(table("dates", key))]
    assert [each for each in patterns if len(alternatives(each)[0]) > 300] == []


# ---- what always holds ----

TEXTS = [case.text for case in SEEN]
english = st.lists(st.sampled_from([text for text in TEXTS if text.isascii()]), min_size=1, max_size=3)
chinese = st.lists(st.sampled_from([text for text in TEXTS if not text.isascii()]), min_size=1, max_size=3)
texts = st.sampled_from(TEXTS)
anchors = st.datetimes(
    datetime(2016, 1, 1),  # noqa: DTZ001 - the strategy wants its bounds without a zone
    datetime(2034, 12, 31),  # noqa: DTZ001 - likewise
    timezones=st.sampled_from([ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")]),
)
marks = st.sampled_from([" ", ", ", ". ", "。", "，", "\n", " and ", "的", "-", "到"])


@given(st.lists(texts, min_size=1, max_size=3), marks, anchors)
def test_spans_are_ordered_and_true(parts: list[str], mark: str, anchor: datetime) -> None:
    text = mark.join(parts)
    end = 0
    for when in dates.find(text, anchor):
        assert when.start < when.end
        assert when.text == text[slice(*when.span)]
        assert when.span[0] >= end
        end = when.span[1]


@given(st.one_of(english, chinese), marks, anchors)
def test_marking_changes_no_word(parts: list[str], mark: str, anchor: datetime) -> None:
    text = mark.join(parts)
    marked = dates.marked(text, anchor, "en" if text.isascii() else "zh")
    assert marked.whens == dates.find(text, anchor)
    assert marked.text == spliced(text, marked.marks)
    assert [place for place, _ in marked.marks] == sorted({place for place, _ in marked.marks})
    for place, figures in marked.marks:
        assert any(when.span[1] <= place <= when.span[1] + len("'s") for when in marked.whens), figures


@given(
    texts,
    anchors,
    st.sampled_from(
        [("I like tea. ", ". The cat sleeps."), ("猫很可爱。", "。茶很香。"), ("A plain line\n", "\nAnother line")]
    ),
)
def test_other_sentences_do_not_matter(text: str, anchor: datetime, around: tuple[str, str]) -> None:
    before, after = around
    alone = [(when.start, when.end, when.text) for when in dates.find(text, anchor)]
    inside = [(when.start, when.end, when.text) for when in dates.find(before + text + after, anchor)]
    assert inside == alone


@given(st.text(max_size=200), anchors)
def test_any_text_is_survived(text: str, anchor: datetime) -> None:
    dates.marked(text, anchor, "en")


def test_an_hour_behind_two_days_is_of_neither() -> None:
    anchor = datetime(2026, 3, 4, 10, tzinfo=ZoneInfo("UTC"))
    two, one = "I will be there on November 22 or 23, between 10 am and 2 pm", "I'll call you on November 22 at 10 am"
    assert [(when.text, when.granularity) for when in dates.find(two, anchor)] == [("November 22", "day")]
    assert [(when.text, when.granularity) for when in dates.find(one, anchor)] == [("November 22 at 10 am", "hour")]
