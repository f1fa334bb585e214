"""That a number or an address has changed is no number and no address; what the new one is said to be is."""

from __future__ import annotations

import pytest
from spoken import claims, said


def slots(words: str) -> list[tuple[str, str]]:
    return [(each.attribute, each.value) for each in claims([said(words)]) if each.attribute]


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("我手机号换了，新的是 13900007777，旧的不用了", ("phone", "13900007777")),
        ("我地址变了，新的是绍兴市桂花路8号", ("address", "绍兴市桂花路8号")),
        ("我邮箱改了，现在是lan@fern.example", ("email", "lan@fern.example")),
        ("我电话换成13900007777了", ("phone", "13900007777")),
        ("我手机号换了，以后用139 0000 7777", ("phone", "139 0000 7777")),
        ("I changed my number, it's 555 010 4477 now", ("phone", "555 010 4477")),
        ("I changed my number to 555 010 4477", ("phone", "555 010 4477")),
        ("I changed my phone, the new number is 555 010 4477", ("phone", "555 010 4477")),
        ("My number has changed, the new one is 555 010 7788", ("phone", "555 010 7788")),
        ("My email changed, it's now nora@fern.example", ("email", "nora@fern.example")),
    ],
)
def test_the_new_one_is_what_it_is_said_to_be(words: str, slot: tuple[str, str]) -> None:
    assert slots(words) == [slot]


@pytest.mark.parametrize(
    "words",
    [
        "我手机号换了", "我微信丢了", "我电话停机了", "我公司搬了，离家更近", "我工作换了，很累",
        "我手机号换了，以后有事打我老公电话", "我邮箱换了，以后有事发短信", "我地址变了，以后快递寄到公司楼下",
        "My number has changed", "My email address has changed again",
        "I changed my phone yesterday, the bill was 1200 000 00", "I changed my phone and paid 1200 000 00",
    ],
)  # fmt: skip
def test_a_change_is_no_value(words: str) -> None:
    assert slots(words) == []
