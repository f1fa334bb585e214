"""Merging: what says the same, and what never merges whatever the words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspaces import consolidate, contents, layers, make, say

from memory_system.config import Thresholds
from memory_system.phases import matching
from memory_system.phases.matching import in_order, says_more
from memory_system.records import EventTime, Fact
from memory_system.store.gist import gist_of, stem
from memory_system.store.keys import Likeness, keys_of


def says_the_same(one: Fact, other: Fact) -> bool:
    """At the threshold of the program."""
    return matching.says_the_same(one, other, Thresholds().alike)


def fact(content: str, **fields: Any) -> Fact:
    return Fact(
        id="f_20260302_0000000001", content=content, importance=0.5, score=0.5, **{"said_at": at_day(2), **fields}
    )


def at_day(day: int) -> str:
    return f"2026-03-{day:02}T10:00:00Z"


ENGLISH = ["User", "waters", "roses", "behind", "house", "sister", "gate", "paints", "boats", "slowly"]
CHINESE = ["浇花", "种树", "门口", "院子", "修船", "画画", "喝茶", "散步"]
PLAIN = st.lists(st.sampled_from(ENGLISH), min_size=3, max_size=7, unique=True).map(" ".join) | st.lists(
    st.sampled_from(CHINESE), min_size=2, max_size=5, unique=True
).map(lambda words: "用户" + "".join(words))


@given(PLAIN)
def test_a_sentence_says_the_same_as_itself(sentence: str) -> None:
    assert says_the_same(fact(sentence, said_at=at_day(5)), fact(sentence))


@given(PLAIN, st.sampled_from(["not", "never", "3", "forty-2", "will", "may", "before", "没", "不", "想", "12", "了"]))
def test_no_word_that_decides_is_ever_added_or_taken_away(sentence: str, sign: str) -> None:
    more = f"{sentence} {sign}" if sentence.isascii() else f"{sentence[:2]}{sign}{sentence[2:]}"
    for least in (0.0, 0.5, 0.9):
        assert not matching.says_the_same(fact(sentence), fact(more), least)
        assert not matching.says_the_same(fact(more), fact(sentence), least)


@given(PLAIN, st.integers(1, 400), st.integers(1, 400))
def test_other_numbers_are_other_memories(sentence: str, one: int, other: int) -> None:
    same = says_the_same(fact(f"{sentence} {one}"), fact(f"{sentence} {other}"))
    assert same == (one == other)


@given(PLAIN, st.integers(1, 28), st.integers(1, 28))
def test_another_occasion_is_another_memory(sentence: str, one: int, other: int) -> None:
    def when(day: int) -> EventTime:
        return EventTime(start=f"2026-03-{day:02}", end=f"2026-03-{day + 1:02}", granularity="day", text="then")

    same = says_the_same(fact(sentence, event_time=when(one)), fact(sentence, event_time=when(other)))
    assert same == (one == other)
    assert not says_the_same(fact(sentence, event_time=when(one)), fact(sentence))


@given(PLAIN)
def test_another_subject_or_polarity_is_another_memory(sentence: str) -> None:
    assert not says_the_same(fact(sentence, subject="User's mother"), fact(sentence, subject="User's father"))
    assert not says_the_same(fact(sentence, polarity=False), fact(sentence))


@given(PLAIN, PLAIN)
def test_likeness_goes_both_ways(one: str, other: str) -> None:
    assert says_the_same(fact(one), fact(other)) == says_the_same(fact(other), fact(one))


@given(st.text(max_size=60))
def test_every_text_has_a_gist(text: str) -> None:
    gist = gist_of(text)
    assert set(gist.signs) <= set(gist.words)
    assert gist_of(text.upper() if text.isascii() else text).bag == gist.bag


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("User has 4 hens", "User has four hens", True),
        ("User walks to work each day", "Each day User walks to work", True),
        ("User doesn't eat beef", "User does not eat beef", True),
        ("User doesn't eat beef", "User does n't eat beef", True),
        ("Rita owes User 20 euros", "User owes Rita 20 euros", False),
        ("User flew from Riga to Turku", "User flew from Turku to Riga", False),
        ("用户养了四只母鸡", "用户养了4只母鸡", True),
        ("用户每天走路上班", "每天用户走路上班", True),
        ("用户非常喜欢下雪天", "用户很喜欢下雪天", True),
        ("小瑞欠用户20块", "用户欠小瑞20块", False),
        ("用户从里加飞到图尔库", "用户从图尔库飞到里加", False),
        ("用户在织围巾", "用户想织围巾", False),
    ],
)
def test_what_says_the_same(one: str, other: str, same: bool) -> None:
    entities = ("User", "Rita", "Riga", "Turku") if one.isascii() else ("用户", "小瑞", "里加", "图尔库")
    assert says_the_same(fact(one, entities=entities), fact(other, entities=entities)) is same


@pytest.mark.parametrize(
    ("attribute", "one", "other", "same"),
    [
        ("height", "164厘米", "164cm", True), ("height", "164 cm", "164 centimetres", True),
        ("height", "164厘米", "165cm", False), ("height", "164厘米", "164公斤", False),
        ("height", "164", "164cm", False),
        ("works_at", "龙泉警署", "丽水龙泉警署", True), ("works_at", "龙泉警署", "龙泉医院", False),
        ("works_at", "Fernway", "Fernway, Leeds", True), ("works_at", "Fernway", "Fernhill", False),
        ("device", "华为P60", "P60", True), ("device", "Nokia 3310", "3310", True), ("device", "华为P60", "P70", False),
    ],
)  # fmt: skip
def test_a_value_told_more_exactly_or_in_another_unit_is_the_same(
    attribute: str, one: str, other: str, *, same: bool
) -> None:
    first, second = (fact(f"User {attribute} {value}", attribute=attribute, value=value) for value in (one, other))
    assert says_the_same(first, second) is same
    assert says_the_same(second, first) is same


def test_a_deed_without_a_date_told_again_much_later_is_another() -> None:
    soon, late = at_day(5), "2026-06-05T10:00:00Z"
    first, again = "User repaired the garden gate", "User really repaired the garden gate"
    assert says_the_same(fact(again, said_at=soon), fact(first))
    assert not says_the_same(fact(again, said_at=late), fact(first))
    assert not says_the_same(fact(again, said_at=soon), fact(first, said_at=""))  # a line that its owner wrote


def test_the_threshold_is_the_one_that_is_set() -> None:
    short, long = fact("User sings"), fact("User sings loudly upstairs")
    assert not says_the_same(long, short)
    assert matching.says_the_same(long, short, 0.1)


def test_more_words_are_allowed_only_up_to_the_threshold() -> None:
    short = gist_of("User keeps the old wooden boat behind the house of the miller")
    long = gist_of("User keeps the old wooden boat behind the house of the miller there")
    assert says_more(short, long, 0.9)
    assert not says_more(short, long, 0.99)
    assert not says_more(short, gist_of("User keeps the old wooden cart behind the house of the miller"), 0.5)


@given(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=8, unique=True), st.data())
def test_one_piece_may_stand_elsewhere(words: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(words) - 1))
    moved = [*words[cut:], *words[:cut]]
    assert in_order(words, moved, [])
    assert not in_order(words, moved, [(words[0],), (words[-1],)])


def test_the_stem_drops_endings_and_keeps_the_past() -> None:
    assert stem("hikes") == stem("hiking") == stem("hike")
    assert stem("favourite") == stem("favorite")
    assert stem("painted") != stem("paint")
    assert stem("dances") == stem("dancing") == stem("dance")


@pytest.mark.parametrize(("one", "other"), [("plane", "plan"), ("notes", "not"), ("wine", "winning"), ("hope", "hop")])
def test_a_stem_makes_no_two_words_one(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("User won third prize", "User won 3 prizes"), ("用户第三次去北京", "用户三次去北京")],
)
def test_an_ordinal_is_no_number(one: str, other: str) -> None:
    assert gist_of(one).signs != gist_of(other).signs


TURNS = ("silver lantern", "crooked mast", "wooden crate", "green bollard", "rusty anchor")
FERRY = (
    "My ferry stops beside the yellow kiosk.",
    *(f"Correction: my ferry stops beside the {each}." for each in TURNS),
    "I sketched the purple fountain with charcoal yesterday.",
    "My cousin repaired the purple fountain for the village.",
    "The village council admires the purple fountain.",
    "Correction: my ferry stops beside the purple fountain.",
)


def test_what_is_taken_back_does_not_depend_on_how_many_nights_one_run_had(tmp_path: Path) -> None:
    caught_up, one_by_one = make(tmp_path / "a"), make(tmp_path / "b")
    for day, words in enumerate(FERRY, 1):
        for root in (caught_up, one_by_one):
            say(root, f"s{day:02}", (f"2026-03-{day:02}T09:00:00Z", "user", words))
        consolidate(one_by_one, f"2026-03-{day + 1:02}T12:00:00Z")
    consolidate(caught_up, f"2026-03-{len(FERRY) + 1:02}T12:00:00Z")
    assert contents(caught_up) == contents(one_by_one)
    assert layers(caught_up) == layers(one_by_one)


SAID = ("User rows on the lake", "User rows on the lake every Monday", "用户每天在湖边散步", "用户在湖边散步")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from((None, *SAID)), st.booleans()), max_size=12))
def test_what_is_alike_depends_on_what_the_memories_say_now(steps: list[tuple[str, str | None, bool]]) -> None:
    """Notes, drops and questions in any order leave what an index made of the same memories finds."""
    keys = [key for said in SAID for key in (*keys_of(said), *gist_of(said).words)]
    kept, rows = Likeness(), {}
    for name, said, is_asked in steps:
        memory_id = f"f_20260301_{name}"
        if said is None:
            rows.pop(memory_id, None)
            kept.drop(memory_id)
        else:
            rows[memory_id] = {"id": memory_id, "content": said}
            kept.note(rows[memory_id])
        if is_asked:
            kept.find(keys)
    assert kept.find(keys) == Likeness(rows.values()).find(keys)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Her birthday is June 9", "Her birthday is the 9th of June", True),
        ("The fair is on May 3rd", "The fair is on 3 May", True),
        ("There are tomatoes she grows on the roof", "She grows tomatoes on the roof", True),
        ("She won the 3rd prize", "She won 3 prizes", False),
        ("他的论文写的是珊瑚", "他的论文是关于珊瑚的", True),
        ("他写的是珊瑚", "他画的是珊瑚", False),
    ],
)
def test_days_and_turns_of_phrase_that_say_the_same(one: str, other: str, same: bool) -> None:
    assert (gist_of(one).bag == gist_of(other).bag) is same
