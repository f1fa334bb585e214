"""What a question asks for of the user, whoever puts it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime

import pytest

from memory_system.config import Config
from memory_system.recall.asked import asked_of_user
from memory_system.recall.search_index import Index
from memory_system.records import Evidence, Fact, memory_id, to_line

NOW = datetime(2026, 3, 1, 3, tzinfo=UTC)


@pytest.fixture(scope="module")
def index() -> Iterator[Index]:
    """Of somebody who is called Petra, 丽莎."""
    with Index.in_memory(Config()) as index:
        for name in ("Petra", "丽莎"):
            key = memory_id(Fact, date(2026, 2, 4), name, name)
            said = {"said_at": "2026-02-03T10:00:00Z", "evidence": [Evidence(ref="s1:e1", quote=name)]}
            slot = {"attribute": "name", "value": name, "importance": 0.5, "score": 0.5}
            row = Fact.model_validate({"id": key, "content": f"User's name is {name}", **said, **slot})
            index.put_memories([("active", to_line(row))])
        yield index


@pytest.mark.parametrize(
    ("questions", "kind"),
    [
        (
            ("Where do I live?", "Where does the user live now?", "Where does she live?", "Where does Petra live?"),
            "home",
        ),
        (("我住在哪里？", "用户住在哪里？", "她住在哪里？", "丽莎住在哪里？"), "home"),
        (("What pills am I on?", "Which tablets does he take?", "What are Petra's meds?"), "medicines"),
        (("我在吃什么药？", "他在吃什么药？", "用户每天吃哪些药"), "medicines"),
        (("When is my birthday?", "What is the user's birthday?", "How old is she?"), "birth"),
        (("我的生日是哪天", "他多大了"), "birth"),
        (("Who is my wife?", "Who is his wife?"), "partner"),
        (("What should I call her?", "我该怎么叫她？", "How do I address him?"), "name"),
    ],
)
def test_an_agent_asks_of_the_user_as_the_user_does(index: Index, questions: tuple[str, ...], kind: str) -> None:
    for question in questions:
        assert kind in asked_of_user(question, index.at(NOW)).kinds, question


@pytest.mark.parametrize(
    "question",
    [
        "Where does Leo live?", "What does Nora take when she is ill?", "How does one log in?",
        "用户名在哪里改", "小林住在哪里？",
        "The sky is blue", "",
    ],
)  # fmt: skip
def test_of_others_and_of_nothing_it_asks_nothing_of_the_user(index: Index, question: str) -> None:
    assert asked_of_user(question, index.at(NOW)).kinds == ()


@pytest.mark.parametrize("question", ["Where does my brother live?", "What is my sister allergic to?", "我哥住在哪里"])
def test_whose_it_is_is_not_what_is_asked(index: Index, question: str) -> None:
    assert "family" not in asked_of_user(question, index.at(NOW)).kinds
