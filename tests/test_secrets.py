"""Secrets: what is taken out, what stays, and that nothing is taken out twice."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_system import rules
from memory_system.privacy.secrets import redact

EXAMPLES = [
    (rule.data["kind"], example)
    for rule in rules.load("secrets", examples=True)["secret"].rules
    for example in rule.data["yes"]
]
KEY = "sk-ant-api03-" + "aB3dE6gH9k" * 4


def test_each_kind_is_replaced_and_counted() -> None:
    found = [(kind, *redact(text)) for kind, text in EXAMPLES]
    assert [each for each in found if f"[secret:{each[0]}]" not in each[1] or each[2] != {each[0]: 1}] == []


def test_text_without_secrets_is_returned_as_it_is() -> None:
    text = "I moved to Porto; 我住在上海，电话 138 0013 8000。"
    cleaned, found = redact(text)
    assert cleaned is text
    assert found == {}


def test_what_stands_around_a_secret_stays() -> None:
    assert redact(f"我的密钥是{KEY}，请记住我喜欢茶")[0] == "我的密钥是[secret:anthropic-key]，请记住我喜欢茶"
    assert redact("db is postgres://ana:hunter2@db.example.com/shop")[0] == (
        "db is postgres://ana:[secret:url-password]@db.example.com/shop"
    )


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the netflix password is Pickle-Runs-2019! in case", "the netflix password is [secret:password] in case"),
        ("my password is Finch-44?! and hers is old", "my password is [secret:password] and hers is old"),
        ('the password is "Pickle-2019!" for now', 'the password is "[secret:password]" for now'),
        ("my password is Finch-4471#! I live in Leeds", "my password is [secret:password]! I live in Leeds"),
        ("my password is Finch-4471. I live in Leeds", "my password is [secret:password]. I live in Leeds"),
        ("网飞的密码：Pickle-Runs-2019?，以防万一", "网飞的密码：[secret:password]，以防万一"),
        ("密码设成了Tulip-99~。我住在杭州", "密码设成了[secret:password]。我住在杭州"),
        ("我的密码是Tulip-99/，我住在杭州", "我的密码是[secret:password]，我住在杭州"),
    ],
)
def test_the_signs_at_its_end_are_a_part_of_a_password(text: str, left: str) -> None:
    assert redact(text)[0] == left
    assert redact(left)[0] == left


def test_several_secrets_are_all_taken_out() -> None:
    cleaned, found = redact(f"{KEY} and {KEY} and AKIAIOSFODNN7EXAMPLE")
    assert cleaned == "[secret:anthropic-key] and [secret:anthropic-key] and [secret:aws-key]"
    assert found == {"anthropic-key": 2, "aws-key": 1}


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111111",
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "卡号４１１１ １１１１ １１１１ １１１１",
        "4111 1111\n1111 1111",
        "my card is 378282246310005.",
        "银联卡6222021234567890128，有效期 12/27",
        "4111 1111 1111 1111 12/27",
    ],
)
def test_card_numbers_are_taken_out(text: str) -> None:
    cleaned, found = redact(text)
    assert found == {"card": 1}
    assert "1111" not in cleaned
    assert "[secret:card]" in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",  # the checksum is wrong
        "1790319602900",  # milliseconds
        "+4915123456788",  # a telephone
        "0.4111111111111111",  # a decimal
        "id41111111111111110",  # part of a word
        "5000\n4000\n3000\n2000\n1000",  # a column of figures
        "20261121062400123",  # a time
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert redact(text) == (text, {})


def test_a_private_key_that_breaks_off_is_taken_out_to_its_end() -> None:
    cleaned, _ = redact("here:\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQE")
    assert cleaned == "here:\n[secret:private-key]"


def test_a_secret_in_the_place_of_a_password_is_taken_out_once() -> None:
    once, _ = redact(f"https://x:{KEY}@git.example.com")
    assert KEY not in once
    assert redact(once)[0] == once


def test_long_hostile_text_is_searched_to_its_end() -> None:
    noise = random.Random(7)
    alphabet = "AKIAghp_sk-ant:/@.eyJSG0123456789 \n-xoxbglpat中文"
    text = "".join(noise.choice(alphabet) for _ in range(150_000)) + f" {KEY}"
    assert KEY not in redact(text)[0]


@pytest.mark.parametrize(
    "text",
    ["the alarm code is one of four", "my pin is two years old, five of us have one", "the lock was on the door again"],
)
def test_words_after_a_code_that_are_no_digits_stay(text: str) -> None:
    assert redact(text) == (text, {})


def test_a_key_is_known_by_its_beginning_where_it_is_long_enough() -> None:
    for kind, (least, *beginnings) in rules.table("secrets", "prefixes").items():
        for begun in beginnings:
            key = f"{begun}{'aB3dE6gH9k' * 6}"
            assert redact(f"KEY={key}, 密钥{key}。") == (f"KEY=[secret:{kind}], 密钥[secret:{kind}]。", {kind: 2}), (
                begun
            )
            assert redact(f"the {begun}{'x' * (least - 1)} prefix")[1] == {}, begun


NEIGHBOURS = ["我 ", "hello ", "\n", "[secret:card]", "4111", "sk-", "@"]
pieces = st.sampled_from([example for _, example in EXAMPLES] + NEIGHBOURS)


@settings(max_examples=200)
@given(st.lists(st.one_of(pieces, st.text(max_size=12)), max_size=8).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    once, _ = redact(text)
    assert redact(once) == (once, {})
