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
        (
            "Leo and I are taking a break. Don't bring it up.",
            'Leo and User are taking a break (in confidence: "Don\'t bring it up")',
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


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        (
            "My brother Owen will propose to Petra! But it's a secret, don't breathe a word to mum.",
            "secret",
        ),
        ("My friend Petra is three months pregnant. She hasn't told anyone, so don't tell a soul.", "told anyone"),
        ("我表姐方小满下个月要离婚，她谁都没告诉，你别说漏嘴。", "没告诉"),
    ],
)
def test_every_memory_of_a_secret_has_the_wish(words: str, wish: str) -> None:
    found = claims([said(words)])
    assert found
    assert all(wish in each.content for each in found)


@pytest.mark.parametrize(
    ("told", "answer", "wish", "kept"),
    [
        (
            "My friend is expecting a baby in May.",
            "Lovely!",
            "She told me not to tell anyone yet.",
            "not to tell",
        ),
        (
            "My brother Owen is looking for a job in Bergen.",
            "I see.",
            "Don't breathe a word to his boss, obviously.",
            "breathe a word",
        ),
        ("林悦刚跟我说她怀孕了，三个月了。", "恭喜！", "她让我先别告诉别人，你别说出去啊。", "别说出去"),
        ("我闺蜜得了乳腺癌，下周一手术。", "希望顺利。", "她谁都没告诉，你可千万别说漏嘴。", "别说漏嘴"),
    ],
)
def test_a_wish_that_is_a_message_of_its_own_is_about_what_was_said_before(
    told: str, answer: str, wish: str, kept: str
) -> None:
    found = [each for each in claims(talk(("user", told), ("assistant", answer), ("user", wish))) if each.ref == "s:1"]
    assert found
    assert all(kept in each.content for each in found)


@pytest.mark.parametrize(
    ("words", "mark"),
    [
        (("My sister is pregnant.", "I work at Fernway.", "Don't tell anyone yet."), "Don't tell anyone"),
        (("我妹妹怀孕了。", "我在云帆公司上班。", "先别告诉任何人。"), "别告诉"),
    ],
)
def test_a_wish_of_its_own_is_about_all_that_was_just_said(words: tuple[str, ...], mark: str) -> None:
    found = claims(talk(*(("user", each) for each in words)))
    assert any("pregnant" in each.content or "怀孕" in each.content for each in found)
    assert all(mark in each.content for each in found if "pregnant" in each.content or "怀孕" in each.content)


@pytest.mark.parametrize(
    ("told", "marked"), [("My sister is pregnant.", True), ("My neighbour plays the drums at night.", False)]
)
def test_keeping_quiet_is_about_a_secret(told: str, marked: bool) -> None:
    found = [each for each in claims(talk(("user", told), ("user", "Keep it quiet please."))) if each.ref == "s:1"]
    assert found
    assert any("confidence" in each.content for each in found) == marked


@pytest.mark.parametrize(
    ("told", "later"),
    [
        ("I bought a new kettle yesterday.", "We're moving to Oslo in May, but don't tell my boss."),
        ("我昨天买了一个新水壶。", "我打算五月辞职，别告诉我老板。"),
        ("I bought a new kettle yesterday.", "Don't tell me you like tea."),
        ("我昨天买了一个新水壶。", "别告诉我结局。"),
    ],
)
def test_a_wish_with_its_own_secret_is_about_nothing_before(told: str, later: str) -> None:
    found = [each for each in claims(talk(("user", told), ("assistant", "OK"), ("user", later))) if each.ref == "s:1"]
    assert found
    assert not [each for each in found if "confidence" in each.content or "保密" in each.content]


def test_a_secret_is_no_standing_instruction() -> None:
    found = claims([said("He's a recovering alcoholic, I'm keeping an eye on him. Never tell anyone that.")])
    assert not [each for each in found if each.attribute == "instruction"]
    assert any("Never tell anyone" in each.content for each in found)
