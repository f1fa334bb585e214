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
        (("I pick up sertraline at Boots on 20 March", "My new dose is 100 mg sertraline"), "Boots"),
        (("We're renting a van in July", "We're not moving to Hull after all"), "van"),
        (("I'm gluten-free", "I eat meat again since the weekend"), "gluten"),
        (("4月18号是我妈六十大寿，摆六桌", "老爸寿宴改到四月十九号了"), "妈六十大寿"),
        (("我妈每天吃别嘌醇", "医生把别嘌醇停了，改苯溴马隆"), "妈每天吃别嘌醇"),
        (("I'm allergic to peanuts", "I was wrong, I'm allergic to kiwi"), "peanuts"),
        (("I have physio every Tuesday at 9", "Physio moved to Thursday this week"), "every Tuesday"),
        (("我每周二四打羽毛球", "这周羽毛球改到周五"), "每周二四"),
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
        (("6月5号小林办婚礼", "更正一下：婚礼是6月19号"), "6月5日", "2026年6月19日小林办婚礼"),
        (("下周三体检", "体检是周四，不是周三"), "3月18日", "3月12日"),
        (("my grant deadline is 27 March", "i told you wrong, the grant deadline is 25 March"), "27 March", "25 March"),
        (("My eye test is on Thursday at 9", "The eye test is on Friday, not Thursday"), "at 9", "13 March"),
        (("I'm on 50mg of sertraline", "My new dose of sertraline is 100 mg"), "50mg", "100 mg"),
        (("im on 50mg of sertraline since january", "My new dose is 100 mg sertraline"), "50mg", "100 mg"),
        (("I take prednisolone 20mg", "I'm down to 10mg of prednisolone now"), "20mg", "10mg"),
        (("我尿酸五百二，医生开了非布司他一天一片", "医生把非布司他停了，改苯溴马隆"), "一天一片", "苯溴马隆"),
        (("I take febuxostat", "The doctor took me off febuxostat and put me on colchicine"), "takes", "colchicine"),
        (("Pickle has a vet appointment on Thursday 9:15", "cancel the vet thing, Pickle is fine"), "9:15", "cancel"),
        (("下周四上午十点带芋圆去儿童医院看牙", "所以看牙先取消"), "儿童医院", "取消"),
        (("4月1号入职味源", "味源那边说入职推迟到四月十五号"), "4月1日", "4月15日"),
        (("4月18号是我爸六十大寿，摆六桌", "老爸寿宴改到四月十九号了"), "六桌", "4月19日"),
        (("每周二四晚上我要去练羽毛球", "羽毛球以后改成周三和周六"), "每周二四", "周三和周六"),
        (("I have physio every Tuesday at 9", "Physio moved to Thursdays"), "every Tuesday", "Thursdays"),
        (("我每天吃别嘌醇", "医生把别嘌醇加到两片了"), "吃别嘌醇", "两片"),
        (("choir is every second Thursday at Nell's", "Nell moved choir to Wednesdays"), "Thursday", "Wednesdays"),
        (("keep your answers short", "scrap what i said about short answers"), "keep", "Scrap"),
        (
            ("we're moving to Leeds in July", "change of plan, we're not moving to leeds after all"),
            "July",
            "not moving",
        ),
        (("I'm vegetarian", "I eat meat again since the weekend"), "vegetarian", "eats meat"),
        (("My son Kit is 7", "Sorry, I told you wrong, Kit is 8, not 7"), "is 7", "is 8"),
    ],
)
def test_what_is_said_of_the_same_matter_ends_the_old(
    tmp_path: Path, days: tuple[str, ...], gone: str, now: str
) -> None:
    active, archived = nights(tmp_path, *days)
    assert [gone in each for each in archived] == [True]
    assert any(now in each for each in active)
