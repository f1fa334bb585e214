"""Whom "he" and "she" mean: somebody whom the talk has just named, or nobody, and never the speaker."""

from __future__ import annotations

import pytest
from spoken import claims, said, talk


@pytest.mark.parametrize(
    ("turns", "subject", "told"),
    [
        (
            [("user", "My brother Tom is visiting next week."), ("user", "He's allergic to cats.")],
            "Tom",
            "Tom is allergic to cats",
        ),
        (
            [("user", "My boss Rita is leaving in May."), ("assistant", "I see."), ("user", "she's diabetic")],
            "Rita",
            "Rita is diabetic",
        ),
        (
            [("assistant", "How is your sister doing?"), ("user", "She's allergic to kiwi.")],
            "User's sister",
            "User's sister is allergic to kiwi",
        ),
    ],
)
def test_who_was_named_in_the_message_before_is_meant(turns: list[tuple[str, str]], subject: str, told: str) -> None:
    assert (subject, told) in {(each.subject, each.content) for each in claims(talk(*turns))}


@pytest.mark.parametrize(
    "turns",
    [
        [("user", "he's allergic to cats")],
        [("user", "My sister met Tom in Oslo last week."), ("user", "He is allergic to wine")],
        [("user", "My sister Ruth is visiting next week."), ("user", "He is allergic to wine")],
        [("user", "他对猫过敏")],
    ],
)
def test_who_may_be_anybody_is_not_the_speaker(turns: list[tuple[str, str]]) -> None:
    found = claims(talk(*turns))
    assert found
    assert not [each for each in found if each.subject == "user" and each.category == "health"]


def test_a_man_is_no_parents_and_no_sister() -> None:
    found = claims([said("My parents live in York. He is a baker.")])
    assert [(each.attribute, each.value) for each in found if each.attribute] == [("lives_in", "York")]


def test_what_somebody_cannot_eat_has_not_the_date_of_the_visit() -> None:
    found = claims([said("My brother is visiting next week. He's a vegetarian and he's allergic to cats.")])
    assert {each.event_time for each in found if each.attribute in ("diet", "allergy")} == {None}
    assert [each for each in found if each.event_time and "visiting" in each.content]


def test_a_state_has_not_the_time_of_what_somebody_does_besides() -> None:
    found = claims([said("My sister works at Fernway and I fly to Rome on Friday")])
    assert [each.event_time for each in found if each.attribute == "works_at"] == [None]
    assert [each for each in found if each.event_time and "Rome" in each.content]
