"""A question as those whom it names would ask it of themselves."""

from __future__ import annotations

import pytest

from memory_system.recall.names import of_oneself


@pytest.mark.parametrize(
    ("question", "speakers", "turned"),
    [
        ("When did Nora Lind move?", ["Nora Lind", "Tom"], "When did I move?"),
        ("What does Nora's dog eat?", ["Nora Lind", "Tom"], "What does my dog eat?"),
        ("What is James' dog called?", ["James"], "What is my dog called?"),
        ("When did Nora meet Tom?", ["Nora", "Tom"], "When did I meet I?"),
        ("What is 小林 allergic to?", ["小林"], "What is I allergic to?"),
        ("小林对什么过敏", ["小林", "王芳"], "我对什么过敏"),
        ("Nora的生日是几号", ["Nora"], "我的生日是几号"),
        ("When did Ida move?", ["Nora", "Tom"], "When did Ida move?"),
        ("When will it be ready?", ["Will", "Tom"], "When will it be ready?"),
        ("Where did they meet？", [], "Where did they meet？"),
        ("Did Tomas call?", ["Tom"], "Did Tomas call?"),
    ],
)
def test_who_is_named_and_speaks_asks_of_themselves(question: str, speakers: list[str], turned: str) -> None:
    assert of_oneself(question, speakers) == turned
