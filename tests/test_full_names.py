"""Somebody is called by all of their name: Robert Hale, not Hale, and not "Yesterday Robert" either."""

from __future__ import annotations

import pytest
from spoken import claims, said


def slots_of(text: str) -> set[tuple[str, str, str]]:
    return {(each.subject, each.attribute, each.value) for each in claims([said(text)]) if each.attribute}


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("Robert Hale lives in York.", ("Robert Hale", "lives_in", "York")),
        ("Robert Hale is allergic to wasps.", ("Robert Hale", "allergy", "wasps")),
        ("My friend Robert Hale is allergic to wasps.", ("Robert Hale", "allergy", "wasps")),
        ("Dr. Rita Holm works at Fernway.", ("Rita Holm", "works_at", "Fernway")),
        ("My boss Mary-Ann O'Neil works at Fernway.", ("Mary-Ann O'Neil", "works_at", "Fernway")),
        ("Ana María works at Fernway.", ("Ana María", "works_at", "Fernway")),
        ("Yesterday Robert moved to Oslo.", ("Robert", "lives_in", "Oslo")),
        ("Unfortunately Robert moved to Oslo.", ("Robert", "lives_in", "Oslo")),
        ("After Robert moved to Oslo, we met less.", ("Robert", "lives_in", "Oslo")),
        ("On Monday Tom moved to Oslo.", ("Tom", "lives_in", "Oslo")),
        ("My Mum Anna lives in York.", ("Anna", "lives_in", "York")),
    ],
)
def test_a_subject_has_all_of_its_name(text: str, slot: tuple[str, str, str]) -> None:
    found = slots_of(text)
    assert slot in found
    assert {each[0] for each in found} <= {slot[0], "user"}


def test_who_is_near_is_known_by_all_of_their_name() -> None:
    assert ("user", "friend", "Robert Hale") in slots_of("My friend Robert Hale lives in York.")
    assert ("user", "sibling", "Clara and Ben") in slots_of("My sisters Clara and Ben live in York.")


def test_nothing_is_said_twice_of_one_with_a_surname() -> None:
    assert [each.content for each in claims([said("Robert Hale lives in York.")])] == ["Robert Hale lives in York"]


@pytest.mark.parametrize(
    ("words", "who"),
    [
        ("April Jones lives in Ghent.", "April Jones"),
        ("My neighbour Will Smith lives in Ghent.", "Will Smith"),
        ("June Carter moved to Oslo last week.", "June Carter"),
        ("May Brown works at Acme.", "May Brown"),
        ("my friend May moved to Oslo.", "May"),
        ("In April Jones moved to Ghent.", "Jones"),
        ("Last April Tom moved to Ghent.", "Tom"),
    ],
)
def test_a_first_name_may_be_a_month_or_a_modal_word(words: str, who: str) -> None:
    assert {each.subject for each in claims([said(words)]) if each.attribute in ("lives_in", "works_at")} == {who}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("我同事小周推荐的那家店很好吃。", "用户的同事小周推荐的那家店很好吃"),
        ("我朋友阿明介绍的医生不错，很耐心。", "用户的朋友阿明介绍的医生不错，很耐心"),
        ("我邻居老王送的茶叶很香，是龙井。", "用户的邻居老王送的茶叶很香，是龙井"),
    ],
)
def test_whom_a_relative_clause_names_is_named(words: str, told: str) -> None:
    assert told in {each.content for each in claims([said(words)])}
