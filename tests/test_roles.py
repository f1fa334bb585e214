"""What is said in a role is not meant; whoever leaves the role is heard again."""

from __future__ import annotations

import pytest
from spoken import kept, talk

PLAYED = [
    (
        ("user", "Let's practise: you be the landlord and I'll be the tenant."),
        ("assistant", "Good evening. What can I do for you?"),
        ("user", "I've lived in Leeds for thirty years and I'm allergic to latex."),
        "I had my real interview today and I got the job at Globex.",
    ),
    (
        ("user", "陪我练一下，你演房东，我来演租客。"),
        ("assistant", "你好，有什么事？"),
        ("user", "我在杭州住了三十年，对乳胶过敏。"),
        "今天面试过了，我下周一去腾讯上班。",
    ),
    (
        ("user", "Ask me something hard."),
        ("assistant", "(as the captain) Good morning, who are you?"),
        ("user", "I've sailed for thirty years and I'm allergic to latex."),
        "I had my real interview today and I got the job at Globex.",
    ),
    (
        ("user", "考考我。"),
        ("assistant", "你演一位老船长，我来问：您跑了多少年？"),
        ("user", "我跑了三十年船，对乳胶过敏。"),
        "今天面试过了，我下周一去腾讯上班。",
    ),
]


@pytest.mark.parametrize(("first", "second", "played", "earnest"), PLAYED)
def test_a_role_ends_with_what_is_surely_meant(
    first: tuple[str, str], second: tuple[str, str], played: tuple[str, str], earnest: str
) -> None:
    still = ("user", "And what if I say no?")
    found = "\n".join(kept(talk(first, second, played, still, ("user", earnest))))
    assert played[1] not in found
    assert {"latex", "乳胶"}.isdisjoint(found.replace(",", " ").split()) and "过敏" not in found
    assert "Globex" in found or "腾讯" in found


@pytest.mark.parametrize("words", ["you are right and I am tired", "(as I said) fine", "我演奏大提琴"])
def test_no_role_is_given_out_by_words_that_sound_like_it(words: str) -> None:
    assert any("latex" in each for each in kept(talk(("user", words), ("user", "I'm allergic to latex."))))
