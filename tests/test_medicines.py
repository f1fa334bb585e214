"""Medicines that were begun, given up or taken in the place of another, as people say it in haste."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, said, talk
from workspaces import afterwards


def takes(*messages: tuple[str, str]) -> list[tuple[str, bool]]:
    """The medicines that the last message fills slots with, and whether they are taken."""
    found = claims(talk(*messages))
    last = max(each.said_at for each in found) if found else ""
    return [(each.value, each.polarity) for each in found if each.attribute == "medication" and each.said_at == last]


@pytest.mark.parametrize(
    ("words", "slots"),
    [
        ("im off metformin now, switched to ozempic", [("metformin", False), ("ozempic", True)]),
        ("on ozempic now", [("ozempic", True)]),
        ("just started wegovy, feeling sick", [("wegovy", True)]),
        ("no more metformin, they put me on jardiance", [("metformin", False), ("jardiance", True)]),
        ("not on sertraline any more", [("sertraline", False)]),
        ("my mum's off metformin now", [("metformin", False)]),
        ("医生让我每天早上吃一片氨氯地平", [("氨氯地平", True)]),
        ("二甲双胍停了，换成了达格列净", [("二甲双胍", False), ("达格列净", True)]),
        ("医生让我停了华法林", [("华法林", False)]),
        ("现在开始打司美格鲁肽了", [("司美格鲁肽", True)]),
    ],
)
def test_a_medicine_is_taken_up_or_given_up(words: str, slots: list[tuple[str, bool]]) -> None:
    assert takes(("user", words)) == slots


@pytest.mark.parametrize(
    "words",
    [
        "i'm off to the shops now",
        "I stopped taking metformin for two days before the scan",
        "My doctor wants to put me on statins",
        "医生让我别吃布洛芬",
        "医生建议我吃阿司匹林",
        "我想停二甲双胍",
    ],
)
def test_what_is_not_taken_or_given_up_fills_no_slot(words: str) -> None:
    assert takes(("user", words)) == []


def test_who_leaves_the_subject_out_may_speak_of_whoever_was_asked_about() -> None:
    assert takes(("assistant", "Is your mum still on metformin?"), ("user", "stopped metformin, on ozempic now")) == []
    assert takes(("assistant", "Are you still on metformin?"), ("user", "stopped metformin")) == [("metformin", False)]


@pytest.mark.parametrize(
    ("first", "then", "gone", "now"),
    [
        (
            "I take metformin.",
            "im off metformin now, switched to ozempic",
            "User takes metformin",
            "User takes ozempic",
        ),
        ("我每天吃二甲双胍。", "二甲双胍停了，换成了达格列净", "吃二甲双胍", "用户用达格列净"),
    ],
)
def test_what_was_given_up_is_history(tmp_path: Path, first: str, then: str, gone: str, now: str) -> None:
    found = afterwards(tmp_path, first, then)
    assert now in found
    assert not [each for each in found if gone in each]


def test_the_medicine_of_another_goes_on(tmp_path: Path) -> None:
    assert "User takes metformin" in afterwards(tmp_path, "I take metformin.", "My mum's off metformin now.")
    assert claims([said("My mum's off metformin now.")])[0].subject == "User's mother"
