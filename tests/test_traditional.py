"""Traditional characters are read as simplified ones and told as they were written."""

from __future__ import annotations

import pytest
from spoken import AT, claims, said, screened

from memory_system import dates
from memory_system.recall.terms import asked, prepared
from memory_system.store.gist import gist_of
from memory_system.text import simplified
from memory_system.understand.withheld import withheld


def test_every_character_stands_for_one() -> None:
    written = "對過敏說們這個兩嗎麼裡媽醫藥歲點號請幫記嚴頭髮發"
    assert simplified(written) == "对过敏说们这个两吗么里妈医药岁点号请帮记严头发发"


@pytest.mark.parametrize("words", ["他是著名的皇后", "于是我走了", "ich weiß", "", "我对花生过敏"])
def test_what_is_no_traditional_chinese_stays(words: str) -> None:
    assert simplified(words) == words


def test_what_both_have_is_read_by_the_rest() -> None:
    assert simplified("我後來對著他說") == "我后来对着他说"


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("我對蝦過敏。", "allergy", "蝦"),
        ("我媽媽對頭孢過敏。", "allergy", "頭孢"),
        ("我現在住在臺南。", "lives_in", "臺南"),
        ("我有貧血。", "condition", "貧血"),
    ],
)
def test_slots_are_filled_with_what_was_written(words: str, attribute: str, value: str) -> None:
    found = [each for each in claims([said(words)]) if each.attribute]
    assert [(each.attribute, each.value, each.quote) for each in found] == [(attribute, value, words)]


def test_both_ways_of_writing_say_the_same() -> None:
    plain, written = "我妈妈每天早上吃一片阿司匹林。", "我媽媽每天早上吃一片阿司匹林。"
    (one, *_), (other, *_) = claims([said(plain)]), claims([said(written)])
    assert one.subject == other.subject
    assert gist_of(one.content) == gist_of(other.content)


def test_quotes_stay_as_they_were_written() -> None:
    words = "我昨天剪了頭髮，還給他發了照片。"
    assert [each.quote for each in claims([said(words)])] == [words]


def test_what_is_not_to_be_kept_is_not_kept() -> None:
    assert withheld(said("這個別記：我欠了錢。"))
    assert not screened([said("這個別記：我欠了錢。")])


def test_questions_and_dates_are_seen() -> None:
    assert [each for each in claims([said("你覺得我該不該換工作")]) if each.attribute] == []
    (found,) = dates.find("下週三開會", AT)
    assert (found.start.month, found.start.day) == (2, 11)


def test_what_comes_after_needs_no_other_traditional_character() -> None:
    for words in ("三天後我去北京。", "我後天去上海看牙。"):
        simple = dates.marked(words.replace("後", "后"), AT, "zh")
        assert dates.marked(words, AT, "zh").marks == simple.marks != []


def test_either_finds_the_other() -> None:
    assert asked("過敏") == asked("过敏")
    assert prepared("我對蝦過敏") == prepared("我对虾过敏")
