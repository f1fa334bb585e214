"""The dot within a name ends nothing: St. Louis is no St, and Booking.com no Booking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import claims, said

from memory_system.text import with_inner_dots, without_inner_dots


@pytest.mark.parametrize(
    ("words", "slot", "content"),
    [
        ("I moved to St. Louis.", ("lives_in", "St. Louis"), "User moved to St. Louis"),
        ("I work at Booking.com.", ("works_at", "Booking.com"), "User works at Booking.com"),
        ("My wife is a nurse at St. Mary's.", ("works_at", "St. Mary's"), "User's wife works at St. Mary's"),
        ("I was born in St. Petersburg.", ("birthplace", "St. Petersburg"), "User was born in St. Petersburg"),
        ("我在Booking.com上班。", ("works_at", "Booking.com"), "用户在Booking.com工作"),
    ],
)
def test_a_slot_holds_all_of_the_name(words: str, slot: tuple[str, str], content: str) -> None:
    found = claims([said(words)])
    assert (*slot, content) in {(each.attribute, each.value, each.content) for each in found}
    assert {each.value for each in found if each.attribute == slot[0]} == {slot[1]}


def test_what_goes_on_behind_such_a_name_is_told_of_the_same_one() -> None:
    assert claims([said("We went to St. Ives and I swim there every day.")])[0].content == (
        "User and others went to St. Ives and User swims there every day"
    )


@pytest.mark.parametrize("words", ["I grew up on Elm St. Our house was blue.", "Write to anna@St. and to me.", "A. B."])
def test_other_dots_stay(words: str) -> None:
    assert without_inner_dots(words) == words


@given(st.lists(st.sampled_from(["St.", "Louis", "Elm", "Booking.com", "in", "I", "me@Fern.com", "3.5", "end."])))
def test_the_dots_come_back_and_nothing_moves(pieces: list[str]) -> None:
    words = " ".join(pieces)
    assert with_inner_dots(without_inner_dots(words)) == words
    assert len(without_inner_dots(words)) == len(words)
