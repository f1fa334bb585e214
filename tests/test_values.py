"""What of the words behind a rule is the value, in both languages: no time of what is told, and no half of a verb."""

from __future__ import annotations

import pytest

from memory_system import text
from memory_system.understand.claims import claims_of
from memory_system.understand.subjects import Heard


def values(said: str, attribute: str) -> list[str]:
    """The values of the attribute that are read in a sentence; of `dose`, of any medicine."""
    found = claims_of(said, text.language(said), Heard())
    return [each.value for each in found if each.attribute.partition(".")[0] == attribute]


@pytest.mark.parametrize(
    ("said", "attribute", "value"),
    [
        ("My GP upped my levothyroxine to 100 micrograms today", "dose", "100 micrograms"),
        ("They raised my sertraline to 100 mg last week.", "dose", "100 mg"),
        ("My doctor cut my prednisone from 20 mg to 10 mg on 3 March", "dose", "10 mg"),
        ("I take sertraline 50 mg a day since March", "dose", "50 mg a day"),
        ("I take dienogest 2 mg every evening", "dose", "2 mg every evening"),
        ("I left Harlow Freight in May 2025", "works_at", "Harlow Freight"),
        ("我喜欢划船昨天", "likes", "划船"),
        ("my birthday is the 9th of March", "birthday", "9th of March"),
        ("I love Christmas", "likes", "Christmas"),
        (
            "from now on answer me in German, starting today",
            "instruction",
            "from now on answer me in German, starting today",
        ),
        ("I don't eat meat anymore, decided this week", "diet", "don't eat meat"),
        ("I stopped eating gluten last month", "diet", "stopped eating gluten"),
        ("My sister doesn't eat fish", "diet", "doesn't eat fish"),
        ("这周开始我不吃肉了", "diet", "不吃肉"),
        ("我妈不吃海鲜了", "diet", "不吃海鲜"),
    ],
)
def test_a_value_is_what_it_is_without_the_time_of_its_telling(said: str, attribute: str, value: str) -> None:
    assert values(said, attribute) == [value]


@pytest.mark.parametrize(
    ("said", "attribute"),
    [
        ("They raised my rent to 1000 last week", "dose"),
        ("My doctor might cut my prednisone to 10 mg", "dose"),
        ("i quit the piano", "works_at"),
        ("I've packed in the allotment", "works_at"),
        ("I left Anna's at ten", "works_at"),
        ("I don't eat meat on Fridays", "diet"),
        ("I don't eat enough meat", "diet"),
        ("I might stop eating meat", "diet"),
        ("don't eat the fish!", "diet"),
        ("我可能不吃肉了", "diet"),
    ],
)
def test_what_is_no_value_fills_nothing(said: str, attribute: str) -> None:
    assert values(said, attribute) == []
