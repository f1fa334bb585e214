"""What turns out not to be so leaves with the words that say so: a diagnosis, a medicine, a way of eating, who was to
come, when something is, how old somebody is."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import consolidate, contents, make, say


def told(root: Path, *nights: str) -> set[str]:
    """What stands after nights in each of which one message was said, the first on 2 March 2026."""
    for day, words in enumerate(nights, 2):
        say(root, f"s{day}", (f"2026-03-0{day}T09:00:00Z", "user", words))
        consolidate(root, f"2026-03-0{day + 1}T03:00:00Z")
    return contents(root)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("My doctor says I have gout.", "I was wrong, it's not gout, it was only a sprain.", "has gout"),
        ("My son has asthma.", "It isn't asthma after all, he's fine.", "has asthma"),
        ("医生说我贫血，要多休息。", "我搞错了，医生说不是贫血，是甲状腺功能减退。", "有贫血"),
        ("我爸有痛风。", "原来不是痛风，是扭伤。", "有痛风"),
        ("Her mother is vegan, so I'm learning to cook.", "She's not vegan, she's only off dairy.", "vegan, so"),
        ("她妈吃素，我得学做素菜。", "她妈不是吃素，是初一十五吃素。", "她妈吃素"),
    ],
)
def test_what_is_denied_stands_no_more(before: str, after: str, gone: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    assert any(gone in each for each in told(root, before))
    say(root, "later", ("2026-03-05T09:00:00Z", "user", after))
    consolidate(root, "2026-03-06T03:00:00Z")
    assert not [each for each in contents(root) if gone in each]
    assert any(gone in each for each in contents(root, "archive"))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I love carrot cake.", "This is not carrot cake, it's a loaf of bread."),
        ("My brother has asthma.", "It's not easy, but I finished the report."),
        ("我喜欢吃月饼。", "这不是月饼，是酥饼。"),
        ("我妹妹有哮喘。", "不是我不想去，是太远了。"),
        ("Ruth and I are going to a concert on 18 March.", "Ruth isn't coming to lunch, she has a cold."),
        ("小芸4月3日过生日。", "小芸不来吃饭了，她在加班。"),
        ("Rusty and Momo are 12 and 7 years old.", "I told you the flat was on floor 12, it's 13 actually."),
    ],
)
def test_what_only_sounds_like_it_takes_nothing_back(before: str, after: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    first = told(root, before)
    assert first
    assert first <= told(root, before, after)


@pytest.mark.parametrize(
    ("before", "after", "gone", "value"),
    [
        ("I take ramipril.", "My doctor switched me from ramipril to losartan.", "takes ramipril", "losartan"),
        ("My mum takes warfarin.", "They've changed my mum's warfarin to apixaban.", "takes warfarin", "apixaban"),
        ("我每天吃硝苯地平。", "医生把硝苯地平换成厄贝沙坦了。", "服用硝苯地平", "厄贝沙坦"),
        ("我妈每天吃氨氯地平。", "我妈的药从氨氯地平换成缬沙坦了。", "服用氨氯地平", "缬沙坦"),
    ],
)
def test_a_medicine_gives_way_to_the_one_it_was_exchanged_for(
    before: str, after: str, gone: str, value: str, tmp_path: Path
) -> None:
    left = told(make(tmp_path), before, after)
    assert not [each for each in left if gone in each]
    assert any(value in each for each in left)


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("Ruth is coming to stay with us on 18 March.", "Ruth isn't coming after all.", "coming to stay"),
        ("阿梅的表妹小芸3月16日来试工。", "小芸不来了，她找到别的工作了。", "来试工"),
        ("新品发布会是3月20日。", "新品发布会推迟了，改到3月27日。", "3月20日"),
        ("The garden party is on 20 March.", "The garden party got pushed back, it's now 27 March.", "20 March"),
    ],
)
def test_a_plan_goes_with_who_stays_away_and_with_its_date(before: str, after: str, gone: str, tmp_path: Path) -> None:
    assert not [each for each in told(make(tmp_path), before, after) if gone in each]


@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        (
            "The dog is called Rusty, he's a 7 year old collie.",
            "I told you Rusty was 7, he's 8 actually.",
            "he is a 8 year old collie",
        ),
        ("我家狗叫豆宝，今年7岁，特别黏人。", "我之前说豆宝7岁，其实它8岁了。", "8岁"),
    ],
)
def test_a_number_that_was_told_wrongly_is_put_right(before: str, after: str, now: str, tmp_path: Path) -> None:
    left = told(make(tmp_path), before, after)
    assert any(now in each for each in left)
    assert not [each for each in left if "7" in each]


@pytest.mark.parametrize(
    ("words", "told_of"),
    [("医生说不是贫血，是甲状腺功能减退。", "用户有甲状腺功能减退"), ("医生说我贫血。", "用户有贫血")],
)
def test_a_doctors_word_is_about_the_patient(words: str, told_of: str, tmp_path: Path) -> None:
    assert told_of in told(make(tmp_path), words)
