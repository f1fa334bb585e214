"""What is told in confidence keeps the wish that it stays so."""

from __future__ import annotations

import pytest
from spoken import claims, said, talk


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("My sister is pregnant but don't tell mum.", "User's sister is pregnant but do not tell mum"),
        (
            "Keep it to yourself, but we're moving to Canada.",
            'User and others are moving to Canada (in confidence: "Keep it to yourself")',
        ),
        (
            "Between you and me, Tom is getting divorced.",
            'User says Tom is getting divorced (in confidence: "Between you and me")',
        ),
        (
            "I'm planning to quit my job in May, but my boss doesn't know yet.",
            'User is planning to quit their job in May 2026 (in confidence: "my boss doesn\'t know yet")',
        ),
        ("我姐怀孕了，先别告诉我妈。", "用户的姐怀孕了，先别告诉用户的妈"),
        ("我得了甲状腺结节，别跟我老婆说。", "用户有甲状腺结节（保密：“别跟我老婆说”）"),
        ("悄悄跟你说，小王要离婚了。", "用户说悄悄跟助手说，小王要离婚了"),
    ],
)
def test_the_wish_is_told_with_it(words: str, told: str) -> None:
    assert told in {each.content for each in claims([said(words)])}


@pytest.mark.parametrize(
    ("words", "fact", "wish"),
    [
        ("We're moving to Canada in the summer. But don't tell my brother yet.", "Canada", "don't tell my brother yet"),
        ("Keep this between us. I've applied for a job at Corvex.", "Corvex", "Keep this between us"),
        ("我已经拿到远帆物流的录用通知了，下个月就要跳槽。先替我保密。", "远帆", "保密"),
        ("我们下个月要搬去昆明住。这件事千万别告诉我爸妈。", "昆明", "千万别告诉"),
        ("We're moving to Canada in the summer. Keep it confidential.", "Canada", "Keep it confidential"),
        ("We're moving to Canada in the summer. Not a word to my boss.", "Canada", "Not a word to my boss"),
        ("We're moving to Canada in the summer. It's all hush-hush, keep it under wraps.", "Canada", "under wraps"),
        ("We're moving to Canada in the summer. My boss mustn't hear about it.", "Canada", "hear about it"),
        ("我们下个月要搬去昆明住。不要跟我妈说。", "昆明", "不要跟我妈说"),
        ("我们下个月要搬去昆明住。不能让老板知道。", "昆明", "不能让老板知道"),
        ("我们下个月要搬去昆明住。这事只跟你说。", "昆明", "只跟"),
    ],
)
def test_a_wish_in_the_next_sentence_goes_with_what_it_is_about(words: str, fact: str, wish: str) -> None:
    found = [each for each in claims([said(words)]) if fact in each.content]
    assert found
    assert all(wish in each.content or wish.replace("don't", "do not") in each.content for each in found)


@pytest.mark.parametrize(
    "words",
    [
        "Don't tell me you forgot the milk. I live in York with my cat.",
        "I don't tell stories to children, I paint with them.",
        "My boss doesn't know Italian, but I speak it well.",
        "I sat between my brother and Tom at the wedding.",
        "我还不知道去哪儿旅行，我住在合肥。",
        "他悄悄走了，我在图书馆等了一个小时。",
        "My father can't hear well. He lives in Leeds with two cats.",
        "My brother moves to Rome in May. Tom doesn't know yet whether he likes it.",
        "我下周可能要搬去上海住。具体哪天我还不知道。",
        "我最近在追一部悬疑剧。别告诉我结局。",
        "我在学英语。别跟我说中文。",
    ],
)
def test_what_only_sounds_like_it_is_told_plainly(words: str) -> None:
    assert not [each for each in claims([said(words)]) if "confidence" in each.content or "保密" in each.content]


def test_an_earlier_fact_is_no_secret() -> None:
    """The wish is about its own sentence where that says something, and about nothing in other messages."""
    found = claims(
        talk(
            ("user", "I work at Fernway as an accountant. We plan to move to Oslo, but my boss doesn't know yet."),
            ("assistant", "Noted."),
            ("user", "I have a dentist appointment on Friday at nine."),
        )
    )
    confided = {each.content for each in found if "confidence" in each.content}
    assert confided
    assert all("Oslo" in each for each in confided)
