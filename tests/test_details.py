"""What is said beside a slot stays with it, and what somebody says is no hearsay for a "she said" in it."""

from __future__ import annotations

import pytest
from spoken import claims, said, told


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I take lisinopril 10mg, used to be 20", "User takes lisinopril 10mg"),
        ("I'm on metformin 500 mg twice a day", "User takes metformin 500 mg twice a day"),
        ("I take metformin every morning", "User takes metformin every morning"),
        ("我吃二甲双胍500毫克，一天两次", "用户吃二甲双胍500毫克，一天两次"),
        ("I take 50 mg of sertraline every morning", "User takes 50 mg of sertraline every morning"),
        ("我每天吃降压药", "用户每天吃降压药"),
        ("每天睡前我吃半片阿司匹林", "每天睡前用户吃半片阿司匹林"),
        ("我吃优甲乐，每天早上空腹1片", "用户吃优甲乐，每天早上空腹1片"),
    ],
)
def test_a_dose_stays_with_its_medicine(text: str, content: str) -> None:
    [claim] = claims([said(text)])
    assert (claim.attribute, claim.content) == ("medication", content)
    assert not any(sign.isdigit() for sign in claim.value)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I have diabetes, and I take metformin every morning.", "take metformin every morning"),
        ("我有糖尿病，每天早上吃二甲双胍。", "用户每天早上吃二甲双胍"),
        ("我爸有高血压和痛风，早饭后吃一片氨氯地平。", "用户的爸早饭后吃一片氨氯地平"),
    ],
)
def test_when_a_medicine_is_taken_stays_beside_an_illness(text: str, content: str) -> None:
    assert any(content in each.content for each in claims([said(text)]) if each.category == "health")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("My brother is called Olle and he is a baker in Voss.", "Olle is a baker in Voss"),
        ("My aunt is a nurse, she is off today", "User's aunt is a nurse"),
        ("我弟弟叫阿海，他在泉州做面包师", "阿海在泉州做面包师"),
    ],
)
def test_a_place_stays_with_its_work(text: str, content: str) -> None:
    assert content in [each.content for each in claims([said(text)]) if each.attribute == "occupation"]


@pytest.mark.parametrize(
    "text", ["Interview on Friday, I'm going to be sick", "I'm going to die of shame at the party"]
)
def test_how_somebody_feels_is_no_plan(text: str) -> None:
    found = claims([said(text)])
    assert found
    assert "plan" not in {each.attribute for each in found}


@pytest.mark.parametrize(
    "text",
    [
        "So I'm moving my entry to the short race, she said fine", "I told Tom I'd quit the choir and he said ok",
        "My doctor said my ferritin is low and put me on iron tablets", "我报名了十公里，教练说没问题",
        "我跟老板说了我四月离职，他说行", "医生说我血脂偏高，给我开了药",
    ],
)  # fmt: skip
def test_what_is_agreed_or_found_by_a_doctor_is_stated(text: str) -> None:
    assert {each.confidence for each in claims([said(text)])} == {1.0}


@pytest.mark.parametrize(
    "text",
    ["She said the old train to Ghent is late", "他说他要搬家了，搬到泉州去", "他说好像要下雨，让我带伞"],
)
def test_hearsay_stays_hearsay(text: str) -> None:
    assert {each.confidence for each in claims([said(text)])} == {0.6}


def test_a_clause_stays_with_the_plan_it_tells_of() -> None:
    text = "我决定去萤火虫小组了，跟老钱说了，4月1号开始，门锁的事交接给同事蒋楠"
    assert told(text) == ["用户决定去萤火虫小组了，跟老钱说了，2026年4月1日开始，门锁的事交接给同事蒋楠"]
