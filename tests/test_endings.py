"""What is said to be so no more ends the slot that held it, however fully that was told, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import lived, memories


def standing(root: Path, attribute: str) -> list[tuple[str, bool]]:
    """The values of the attribute that stand, and whether they are affirmed."""
    return [(each.value, each.polarity) for each in memories(root) if each.attribute == attribute]


@pytest.mark.parametrize(
    ("attribute", "before", "after", "value"),
    [
        ("works_at", "I work at St Mary's rehab clinic in Leeds.", "I left St Mary's last week.", "St Mary's"),
        ("works_at", "I work at Harlow Freight Logistics.", "I left Harlow Freight yesterday.", "Harlow Freight"),
        ("works_at", "I work for Nordic Foods in Oslo.", "I no longer work at Nordic Foods.", "Nordic Foods"),
        ("works_at", "我在圣玛丽医院上班。", "我从圣玛丽离职了。", "圣玛丽"),
        ("works_at", "我在云帆科技公司上班。", "我上周从云帆科技辞职了。", "云帆科技"),
        ("allergy", "I'm allergic to shrimp.", "I'm not allergic to shrimp anymore.", "shrimp"),
        ("allergy", "I have a peanut allergy.", "I'm no longer allergic to peanut.", "peanut"),
        ("allergy", "我对花生过敏。", "我现在对花生不过敏了。", "花生"),
        ("allergy", "我对虾过敏。", "查过了，我对虾不过敏。", "虾"),
        ("allergy", "我对青霉素过敏。", "我对青霉素不再过敏了，医生测过了。", "青霉素"),
        ("allergy", "我对花生过敏。", "我对花生已经不过敏了。", "花生"),
    ],
)
def test_what_has_ended_stands_no_more(attribute: str, before: str, after: str, value: str, tmp_path: Path) -> None:
    assert standing(lived(tmp_path, [before, after]), attribute) == [(value, False)]


@pytest.mark.parametrize(
    ("attribute", "before", "after", "value"),
    [
        ("works_at", "I work at Oxford Dental.", "I left Ford in May.", "Oxford Dental"),
        ("works_at", "I work at Harlow Freight.", "I might quit Harlow Freight.", "Harlow Freight"),
        ("works_at", "I work at Harlow Freight.", "I quit Facebook and coffee.", "Harlow Freight"),
        ("works_at", "我在云帆科技上班。", "我想从云帆科技离职。", "云帆科技"),
        ("allergy", "I'm allergic to shrimp.", "Maybe I'm no longer allergic to shrimp.", "shrimp"),
        ("allergy", "I'm allergic to shrimp.", "If I'm not allergic to shrimp anymore, I'll try it.", "shrimp"),
        ("allergy", "I'm allergic to shrimp.", "I don't think I'm allergic to shrimp anymore.", "shrimp"),
        ("allergy", "I'm allergic to shrimp.", "My sister is not allergic to shrimp anymore.", "shrimp"),
        ("allergy", "我对花生过敏。", "我可能对花生不过敏了。", "花生"),
        ("allergy", "我对花生过敏。", "我对花生不过敏了吗？", "花生"),
        ("allergy", "我对花生过敏。", "我对牛奶不过敏了。", "花生"),
    ],
)
def test_what_is_unsure_or_another_ends_nothing(
    attribute: str, before: str, after: str, value: str, tmp_path: Path
) -> None:
    assert (value, True) in standing(lived(tmp_path, [before, after]), attribute)


@pytest.mark.parametrize(
    "said",
    [
        ["I'm allergic to shrimp.", "I'm not allergic to shrimp anymore.", "I'm allergic to shrimp again."],
        ["我对虾过敏。", "我对虾不过敏了。", "我又对虾过敏了。"],
    ],
)
def test_what_has_come_back_stands_again(said: list[str], tmp_path: Path) -> None:
    assert [affirmed for _, affirmed in standing(lived(tmp_path, said), "allergy")] == [True]
