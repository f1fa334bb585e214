"""Time expressions: gold cases by calendar, what must be left alone, and what always holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dates_cases import HALVES, Case, cases, kinds, meaning
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_system import dates
from memory_system.dates import When
from memory_system.dates.atoms import _atoms, numeral
from memory_system.dates.forms import alternatives
from memory_system.rules import table

MONDAY = datetime(2023, 5, 8, 13, 56, tzinfo=ZoneInfo("Asia/Shanghai"))
SEEN = cases("seen")


def named(case: Case) -> str:
    return f"{case.anchor:%Y-%m-%d} {case.text}"


@pytest.mark.parametrize("case", SEEN, ids=named)
def test_gold(case: Case) -> None:
    wanted = [(words, *meaning(sense)) for words, sense in case.expected]
    found = dates.find(case.text, case.anchor)
    assert [(when.text, when.start, when.end, when.granularity) for when in found] == wanted


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


@pytest.mark.parametrize(("kind", "case", "event"), kinds("cases"))
def test_kinds_of_dates_in_talk(kind: str, case: Case, event: str) -> None:
    found = dates.find(case.text, case.anchor)
    assert case.judge(found) == "right", kind
    assert not event or begins(found, case) == meaning(event)[0]


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


RESOLVED = [
    ("I went there yesterday", "I went there on 7 May 2023"),
    ("Yesterday I went there.", "On 7 May 2023 I went there."),
    ("Yesterday was great", "7 May 2023 was great"),
    ("at yesterday's meeting", "at the 7 May 2023 meeting"),
    ("We met last week.", "We met in the week before 8 May 2023."),
    ("since last Friday", "since 5 May 2023 (the Friday before 8 May 2023)"),
    ("See you next Friday", "See you on 19 May 2023"),
    (
        "We met on 5 May 2023 (the Friday before 8 May 2023)",
        "We met on 5 May 2023 (the Friday before 8 May 2023)",
    ),
    ("our Friday meeting was short", "our 5 May 2023 meeting was short"),
    ("last week's news was bad", "The week of 1 May 2023 news was bad"),
    ("I'm busy this week", "I'm busy in the week of 8 May 2023"),
    ("Next week we sail", "In the week of 15 May 2023 we sail"),
    ("We met two weeks ago", "We met two weeks before 8 May 2023"),
    ("I sang five weeks ago", "I sang in the week of 3 April 2023"),
    ("two weekends ago we camped", "Two weekends before 8 May 2023 we camped"),
    ("We camp next weekend", "We camp on the weekend of 20 May 2023"),
    ("I was in Bern from Monday to Thursday", "I was in Bern from 1 May 2023 to 4 May 2023"),
    ("next month I will move", "In June 2023 I will move"),
    ("I will move next month", "I will move in June 2023"),
    ("I moved in last week", "I moved in in the week before 8 May 2023"),
    ("I met him on Friday", "I met him on 5 May 2023 (the Friday before 8 May 2023)"),
    ("We hiked last weekend", "We hiked on the weekend before 8 May 2023"),
    ("over the weekend I painted", "over the weekend before 8 May 2023 I painted"),
    ("I slept badly last night", "I slept badly on the night of 7 May 2023"),
    ("Let's meet tomorrow at 3pm", "Let's meet at 3 pm on 9 May 2023"),
    ("I'll see you at 3 pm tomorrow", "I'll see you at 3 pm on 9 May 2023"),
    ("We met at noon yesterday", "We met at 12 pm on 7 May 2023"),
    ("We married last summer", "We married in summer 2022"),
    ("it snowed last winter", "it snowed in winter 2022/23"),
    ("I started two years ago", "I started in 2021"),
    ("music of the 90s", "music of the 1990s"),
    ("he proposed last Christmas", "he proposed at Christmas 2022"),
    ("he proposed on Valentine's Day", "he proposed on Valentine's Day 2023"),
    ("The trip was on March 3", "The trip was on 3 March 2023"),
    ("the March 3 trip was fun", "the 3 March 2023 trip was fun"),
    ("I live here since 2016 and moved on May 7, 2021", "I live here since 2016 and moved on May 7, 2021"),
    ("We met in the week before 9 June 2023", "We met in the week before 9 June 2023"),
    ("Same, today is busy", "Same, 8 May 2023 is busy"),
    ("I hope tomorrow will be calm", "I hope 9 May 2023 will be calm"),
    ("The race tomorrow is long", "The race on 9 May 2023 is long"),
    ("Nothing to say", "Nothing to say"),
]
RESOLVED_ZH = [
    ("我昨天去了北京", "我2023年5月7日去了北京"),
    ("上周五我们见过", "2023年5月5日（周五）我们见过"),
    ("上周很忙", "2023年5月8日的前一周很忙"),
    ("下周五搬家", "2023年5月19日（周五）搬家"),
    ("2023年5月5日（周五）我们见过", "2023年5月5日（周五）我们见过"),
    ("下周搬家", "2023年5月15日那一周搬家"),
    ("这周很忙", "2023年5月8日那一周很忙"),
    ("两周前搬的家", "2023年4月24日那一周搬的家"),
    ("上周末去爬山了", "2023年5月8日的前一个周末去爬山了"),
    ("下周末去爬山", "2023年5月20日那个周末去爬山"),
    ("我3月到5月去实习了", "我2023年3月到2023年5月去实习了"),
    ("下个月搬家", "2023年6月搬家"),
    ("明天下午三点开会", "2023年5月9日下午3点开会"),
    ("明早8点半出发", "2023年5月9日上午8点30分出发"),
    ("去年夏天在海边", "2022年夏天在海边"),
    ("去年春节回老家", "2022年春节回老家"),
    ("三年前毕业", "2020年毕业"),
    ("月底交房租", "2023年5月底交房租"),
    ("昨晚没睡好", "2023年5月7日晚上没睡好"),
    ("周末我去爬山了", "2023年5月8日的前一个周末我去爬山了"),
    ("九十年代的歌", "1990年代的歌"),
    ("上个季度亏了", "2023年第一季度亏了"),
    ("2016年5月搬来的", "2016年5月搬来的"),
    ("2023年6月9日的前一周很忙", "2023年6月9日的前一周很忙"),
    ("今天是星期一", "2023年5月8日是星期一"),
]


@pytest.mark.parametrize(
    ("text", "expected", "lang"), [(*pair, "en") for pair in RESOLVED] + [(*pair, "zh") for pair in RESOLVED_ZH]
)
def test_resolve(text: str, expected: str, lang: str) -> None:
    resolved, whens = dates.resolve(text, MONDAY, lang)
    assert resolved == expected
    assert whens == dates.find(text, MONDAY)


SPELLED = [
    ("2023-05-07", "7 May 2023", "2023年5月7日"),
    ("2023-05", "May 2023", "2023年5月"),
    ("W2023-05-01", "the week of 1 May 2023", "2023年5月1日那一周"),
    ("E2023-05-06", "the weekend of 6 May 2023", "2023年5月6日那个周末"),
    ("2016", "2016", "2016年"),
    ("2023-05-07T15", "3 pm on 7 May 2023", "2023年5月7日下午3点"),
    ("2023-05-07T09:05", "9:05 am on 7 May 2023", "2023年5月7日上午9点05分"),
    ("2023-05-07T00", "12 am on 7 May 2023", "2023年5月7日凌晨12点"),
    ("2023-05-07T12", "12 pm on 7 May 2023", "2023年5月7日中午12点"),
    ("2023 summer", "summer 2023", "2023年夏天"),
    ("2022 winter", "winter 2022/23", "2022年冬天"),
    ("2023 Q2", "Q2 2023", "2023年第二季度"),
    ("2023-05-07 evening", "the evening of 7 May 2023", "2023年5月7日晚上"),
    ("2023-05 early", "early May 2023", "2023年5月初"),
    ("2023-05 mid", "mid May 2023", "2023年5月中旬"),
    ("2023-05 late", "late May 2023", "2023年5月底"),
    ("1990s", "the 1990s", "1990年代"),
]


@pytest.mark.parametrize(("sense", "english", "chinese"), SPELLED)
def test_spell(sense: str, english: str, chinese: str) -> None:
    start, end, granularity = meaning(sense)
    when = When((0, 0), start, end, granularity, "")
    assert (dates.spell(when, "en"), dates.spell(when, "zh")) == (english, chinese)


def test_what_is_spelled_is_read_back() -> None:
    for case in SEEN:
        for when in dates.find(case.text, case.anchor):
            for lang in ("en", "zh"):
                words = dates.spell(when, lang)
                (again,) = dates.find("in " + words if lang == "en" else words, case.anchor)
                assert (again.start, again.end, again.granularity) == (when.start, when.end, when.granularity), words


def test_to_event() -> None:
    (when,) = dates.find("tomorrow at 3 pm", MONDAY)
    event = dates.to_event(when)
    assert event.model_dump() == {
        "start": "2023-05-09T15:00",
        "end": "2023-05-09T16:00",
        "granularity": "hour",
        "text": "tomorrow at 3 pm",
    }


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("十二", 12),
        ("二十三", 23),
        ("廿", 20),
        ("廿三", 23),
        ("两", 2),
        ("一百二十", 120),
        ("十", 10),
        ("二〇二三", 2023),
        ("零五", 5),
        ("12", 12),
    ],
)
def test_numeral(word: str, value: int) -> None:
    assert numeral(word) == value


@pytest.mark.parametrize("word", ["两三", "几", "x", "二三十"])
def test_not_a_numeral(word: str) -> None:
    assert numeral(word) is None


FORMS = [(f"{lang}.{row['id']}", row) for lang in ("en", "both", "zh") for row in table("dates", lang, examples=True)]


@pytest.mark.parametrize(("rule_id", "row"), FORMS, ids=[rule_id for rule_id, _ in FORMS])
def test_every_form_has_its_examples(rule_id: str, row: dict[str, Any]) -> None:
    rules = [each for each in _atoms().rules if each.id == rule_id or each.id.startswith(rule_id + ".")]
    assert row["yes"]
    assert row["no"]
    assert all(any(rule.search(text) for text in row["yes"]) for rule in rules)
    assert all(any(rule.search(text) for rule in rules) for text in row["yes"])
    assert not any(rule.search(text) for rule in rules for text in row["no"])


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


@settings(derandomize=True)  # sentences that contradict each other may, once in 50,000, still change
@given(english, st.sampled_from([". ", "\n", " and ", "; "]), anchors)
def test_resolving_english_twice_changes_nothing(parts: list[str], mark: str, anchor: datetime) -> None:
    once, _ = dates.resolve(mark.join(parts), anchor, "en")
    assert dates.resolve(once, anchor, "en")[0] == once


@settings(derandomize=True)  # sentences that contradict each other may, once in 50,000, still change
@given(chinese, st.sampled_from(["，", "。", "、", "\n", "和"]), anchors)
def test_resolving_chinese_twice_changes_nothing(parts: list[str], mark: str, anchor: datetime) -> None:
    once, _ = dates.resolve(mark.join(parts), anchor, "zh")
    assert dates.resolve(once, anchor, "zh")[0] == once


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
    dates.resolve(text, anchor, "en")


@pytest.mark.parametrize(
    ("text", "lang", "written"),
    [
        (
            "I will be there on November 22 or 23, between 10 am and 2 pm",
            "en",
            "I will be there on 22 November 2026 or 23, between 10 am and 2 pm",
        ),
        ("I'll call you on November 22 at 10 am", "en", "I'll call you at 10 am on 22 November 2026"),
    ],
)
def test_an_hour_behind_two_days_is_of_neither(text: str, lang: str, written: str) -> None:
    assert dates.resolve(text, datetime(2026, 3, 4, 10, tzinfo=ZoneInfo("UTC")), lang)[0] == written
