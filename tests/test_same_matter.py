"""A correction ends a memory only where it is certain to speak of the same matter; else both stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import consolidate, contents, make, say


def nights(root: Path, *days: str) -> tuple[set[str], set[str]]:
    """What is active and what is archived after each of the sayings had its day and its night."""
    make(root, screen={"keep_share": 1})
    for number, words in enumerate(days):
        say(root, f"s{number}", (f"2026-03-{9 + 2 * number:02}T10:00:00Z", "user", words))
        consolidate(root, f"2026-03-{10 + 2 * number:02}T03:10:00Z")
    return contents(root), contents(root, "archive")


@pytest.mark.parametrize(
    ("days", "kept"),
    [
        (("下周四上午十点带芋圆去儿童医院看牙", "更正一下，芋圆是五岁，她生日是2月20号"), "看牙"),
        (("下周四带小满去看牙", "说错了，小满是五岁不是四岁"), "看牙"),
        (("周六去小满家吃饭", "更正一下，小满是五岁"), "吃饭"),
        (("周五和小林吃饭", "更正一下，小林是周岁三十"), "吃饭"),
        (("周六去看房子", "更正一下，房子是2010年的"), "看房子"),
        (("周末陪阿梅去体检", "阿梅改到五号床了"), "陪阿梅"),
        (("周五和小林吃饭", "说错了，小林在上海"), "吃饭"),
        (("下周二部门会议", "下周三项目会议", "会议改到下周五了"), "项目会议"),
        (("我对花生过敏", "查出来我对芒果过敏"), "花生"),
        (("我对花生过敏", "才发现我对芒果过敏"), "花生"),
        (("我养了一只猫叫米洛", "更正一下，我的狗叫雷克斯"), "米洛"),
        (("I'm allergic to peanuts", "It turns out I'm allergic to kiwi"), "peanuts"),
        (("I'm allergic to peanuts", "I've just found out I'm allergic to kiwi"), "peanuts"),
        (("I have a cat called Milo", "Correction: my dog is called Rex"), "Milo"),
        (("Dentist for Kit on 20 March", "Correction: Kit is 8"), "Dentist"),
        (
            ("My team meeting is on 20 March", "My board meeting is on 24 March", "The meeting moved to 27 March"),
            "board",
        ),
        (
            ("My team meeting is on 20 March", "My board meeting is on 24 March", "The meeting moved to 27 March"),
            "team",
        ),
        (("my recital is on 3 June", "My recital is the 5th, not the 4th"), "3 June"),
    ],
)
def test_what_may_be_another_matter_stays(tmp_path: Path, days: tuple[str, ...], kept: str) -> None:
    active, archived = nights(tmp_path, *days)
    assert any(kept in each for each in active)
    assert not archived


@pytest.mark.parametrize(
    ("days", "gone", "now"),
    [
        (("小满四岁", "下周四带小满去看牙", "说错了，小满是五岁不是四岁"), "小满四岁", "小满五岁"),
        (("我女儿芋圆四岁", "更正一下，芋圆是五岁"), "芋圆四岁", "芋圆五岁"),
        (("6月5号小林办婚礼", "更正一下：婚礼是6月19号"), "6月5日", "婚礼是6月19"),
        (("下周三体检", "体检是周四，不是周三"), "3月18日", "3月12日"),
        (("my grant deadline is 27 March", "i told you wrong, the grant deadline is 25 March"), "27 March", "25 March"),
        (("My eye test is on Thursday at 9", "The eye test is on Friday, not Thursday"), "at 9", "13 March"),
        (("My son Kit is 7", "Sorry, I told you wrong, Kit is 8, not 7"), "is 7", "is 8"),
    ],
)
def test_what_is_said_of_the_same_matter_ends_the_old(
    tmp_path: Path, days: tuple[str, ...], gone: str, now: str
) -> None:
    active, archived = nights(tmp_path, *days)
    assert [gone in each for each in archived] == [True]
    assert any(now in each for each in active)
