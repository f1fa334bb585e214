"""Summaries as a person would write them: nothing twice, nothing that no fact says, the newest first."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspaces import lived, memories

from memory_system.attributes import topics_of
from memory_system.phases.summaries import compose
from memory_system.records import Fact, Summary, memory_id


def fact(content: str, day: int = 1, *, lang: str = "en", category: str = "preference", **fields: object) -> Fact:
    made = memory_id(Fact, date(2026, 3, 1), f"s:{day}", content)
    name = "用户" if lang == "zh" else "User"
    own = {"entities": (name,), "said_at": f"2026-03-{day:02}T09:00:00Z", "score": 0.5, "importance": 0.5}
    return Fact.model_validate({"id": made, "content": content, "lang": lang, "category": category, **own, **fields})


def likes(thing: str, day: int) -> Fact:
    return fact(f"User likes {thing}", day, attribute="likes", value=thing)


def zh_likes(thing: str, day: int) -> Fact:
    return fact(f"用户喜欢{thing}", day, lang="zh", attribute="likes", value=thing)


def one_of(thing: str, day: int) -> Fact:
    return fact(f"One of User's favorite books is {thing}", day, attribute="likes", value=thing)


def zh_one_of(thing: str, day: int) -> Fact:
    return fact(f"用户最喜欢的书之一是{thing}", day, lang="zh", attribute="likes", value=thing)


CASES = [
    ([one_of("Dune", 1)], "One of User's favorite books is Dune."),
    ([one_of("Dune", 1), one_of("Emma", 2)], "User's favorite books include Emma and Dune."),
    ([zh_one_of("沙丘", 1)], "用户最喜欢的书之一是沙丘。"),
    ([zh_one_of("沙丘", 1), zh_one_of("爱玛", 2), zh_likes("茶", 3)], "用户喜欢茶；最喜欢的书包括爱玛和沙丘。"),
    ([likes("tea", 1), likes("rowing", 3), likes("jazz", 2)], "User likes rowing, jazz and tea."),
    ([zh_likes("喝茶", 1), zh_likes("划船", 3), zh_likes("爵士乐", 2)], "用户喜欢划船、爵士乐和喝茶。"),
    ([fact("User runs a bakery", 1), fact("User bakes at night", 2)], "User bakes at night; runs a bakery."),
    ([fact("用户开面包店", 1, lang="zh"), fact("用户夜里烤面包", 2, lang="zh")], "用户夜里烤面包；开面包店。"),
    ([fact("User runs a bakery", 1), fact("User's oven is new", 2)], "User runs a bakery. User's oven is new."),
    ([fact("用户开店", 1, lang="zh"), fact("用户的店很新", 2, lang="zh")], "用户开店。用户的店很新。"),
    ([fact("User runs a bakery", 1), fact("User runs a bakery in Ghent", 2)], "User runs a bakery in Ghent."),
    ([fact("User swims", 1), zh_likes("喝茶", 2), zh_likes("划船", 3)], "用户喜欢划船和喝茶。 User swims."),
]


@pytest.mark.parametrize(("facts", "told"), CASES, ids=[told for _, told in CASES])
def test_facts_become_one_text(facts: list[Fact], told: str) -> None:
    assert compose(facts) == told


def test_people_are_not_listed_like_things() -> None:
    friends = [
        fact(f"User's friend is called {name}", day, category="relation", attribute="friend", value=name)
        for day, name in enumerate(("Ada", "Ben"), 1)
    ]
    assert compose(friends) == "User's friend is called Ben. User's friend is called Ada."


def test_the_subject_of_another_clause_is_never_dropped() -> None:
    told = compose([fact("Ada paints", 1), fact("Ada's dog swims", 2), fact("Ada sails", 3)], "Ada")
    assert told == "Ada sails; paints. Ada's dog swims."


@given(st.lists(st.sampled_from(["tea", "rowing", "jazz", "Ghent", "old maps"]), min_size=1, max_size=6))
def test_no_word_is_invented_and_no_value_lost(things: list[str]) -> None:
    facts = [likes(thing, day) for day, thing in enumerate(things, 1)]
    told = compose(facts)
    said = set(re.findall(r"\w+", " ".join(each.content for each in facts)))
    assert set(re.findall(r"\w+", told)) - said <= {"and"}
    assert all(thing in told for thing in things)


@pytest.mark.parametrize("name", ["User", "用户", "the assistant", "助手"])
def test_a_stock_name_is_no_topic(name: str) -> None:
    row = fact("Ada met them", subject="Ada", entities=("Ada", name)).model_dump()
    assert list(topics_of(row)) == ["Ada/about"]


def test_no_two_topics_get_the_same_summary(tmp_path: Path) -> None:
    said = (
        "I work as a paralegal at Hobbs & Lane but I'm applying to law school.",
        "I live in Leeds.",
    )
    told = [each.content for each in memories(lived(tmp_path, said)) if isinstance(each, Summary)]
    assert len(told) == len(set(told)) == 1
