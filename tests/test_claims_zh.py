"""Chinese claims: what talk fills which slot, and what must never fill one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_system import attributes, rules
from memory_system.records import USER
from memory_system.rules import with_parts
from memory_system.understand.claims import claims_of, content_of
from memory_system.understand.language import claim_rules
from memory_system.understand.subjects import Heard

# What is said, and the slots that it fills: subject, attribute, value; "不" where it is denied.
SAID: list[tuple[str, list[tuple[str, ...]]]] = [
    ("你好，我是周岚。", [(USER, "name", "周岚")]),
    ("我姓纪，叫纪怀民，今年七十二", [(USER, "name", "纪怀民")]),
    ("以后叫我阿宁就行", [(USER, "nickname", "阿宁")]),
    ("别再叫我小宁了，叫我阿宁", [(USER, "nickname", "小宁", "不"), (USER, "nickname", "阿宁")]),
    ("我姐叫纪晴，大我六岁", [(USER, "sibling", "纪晴")]),
    ("我老婆小我三岁", []),
    ("我老婆生日是3月5号", [("老婆", "birthday", "3月5号")]),
    ("六月六号我生日", [(USER, "birthday", "六月六号")]),
    ("小渔是我女朋友", [(USER, "partner", "小渔")]),
    ("老公金哲宇，女儿金艺娜", [(USER, "partner", "金哲宇"), (USER, "child", "金艺娜")]),
    ("儿子纪东在苏州，女儿纪晴在墨尔本。", [(USER, "child", "纪东"), (USER, "child", "纪晴")]),
    ("我和小满分手了", [(USER, "partner", "小满", "不")]),
    ("我家有只橘猫叫年糕", [(USER, "pet", "年糕")]),
    ("我12月要搬去漳州了", [(USER, "moves_to", "漳州")]),
    ("我媽是屏東人", [("妈", "hometown", "屏東")]),
    ("我和父母住在涧西区", [(USER, "lives_in", "涧西区")]),
    ("我在云帆科技上班", [(USER, "works_at", "云帆科技")]),
    ("我从纺织厂辞职了", [(USER, "works_at", "纺织厂", "不")]),
    ("我跑出租的，二十三年了", [(USER, "occupation", "跑出租")]),
    ("我妹妹在浙大读研二", [("妹妹", "studies_at", "浙大")]),
    ("我读会计专业", [(USER, "major", "会计")]),
    ("我对尘螨过敏", [(USER, "allergy", "尘螨")]),
    ("我女儿荞麦过敏", [("女儿", "allergy", "荞麦")]),
    ("我对虾不过敏", [(USER, "allergy", "虾", "不")]),
    ("我去年得了带状疱疹", [(USER, "condition", "带状疱疹")]),
    ("我妈糖尿病", [("妈", "condition", "糖尿病")]),
    ("我吃缬沙坦80毫克", [(USER, "medication", "缬沙坦"), (USER, "dose.缬沙坦", "80毫克")]),
    ("舍曲林停了", []),
    ("我把舍曲林停了", [(USER, "medication", "舍曲林", "不")]),
    (
        "我达格列净停了，换成了西格列汀。",
        [(USER, "medication", "达格列净", "不"), (USER, "medication", "西格列汀")],
    ),
    ("我头孢过敏 不能用头孢", [(USER, "allergy", "头孢")]),
    ("我不爱参加团建。", [(USER, "dislikes", "参加团建")]),
    ("我的紧急联系人是王芳", [(USER, "emergency_contact", "王芳")]),
    ("我就爱那个仙草", [(USER, "likes", "仙草")]),
    ("以后回答别用表情", [(USER, "instruction", "以后回答别用表情")]),
]

ANSWERED = [
    ("对什么过敏？", "磺胺", (USER, "allergy", "磺胺")),
    ("在吃什么药？", "氨氯地平", (USER, "medication", "氨氯地平")),
]

# Where it is not certain, not the owner's, not meant, or no value of its kind, nothing is filled.
SILENT = [
    "用户对青霉素过敏",
    "我可能对花生过敏",
    "如果我对花生过敏就麻烦了",
    "医生说我有糖尿病",
    "他妈有糖尿病",
    "有个病人对青霉素过敏",
    "她在云帆科技上班",
    "你对花生过敏吗？",
    "我没有高血压",
    "我在考虑换工作",
    "我叫了个外卖",
    "我住院了",
    "我是独生子女",
    "报名要带学位证",
    "上周六去复查了",
    "我老婆周末回来",
    "儿子高兴得跳起来",
    "支架没有的",
    "小魚做到月底，考上空服員了",
    "我听说他是护士",
    "预防糖尿病要少吃糖",
    "我以前在海信做采购",
    "我邻居小鱼去了郑大",
]

OWNERS = [said for said, filled in SAID if all(slot[0] == USER for slot in filled) and "。" not in said]


def slots(said: str, **heard: Any) -> list[tuple[str, ...]]:
    """The slots that the sentence fills, as the table writes them."""
    found = claims_of(said, "zh", Heard(**heard))
    return [(each.subject, each.attribute, each.value, *(() if each.polarity else ("不",))) for each in found]


def test_what_is_said_fills_its_slots() -> None:
    assert [(said, slots(said)) for said, _ in SAID] == SAID


@pytest.mark.parametrize(("asked", "said", "filled"), ANSWERED)
def test_an_answer_fills_what_was_asked(asked: str, said: str, filled: tuple[str, ...]) -> None:
    assert filled in slots(said, asked=asked)
    assert filled not in slots(said)


def test_what_is_not_certain_fills_nothing() -> None:
    assert [said for said in SILENT if slots(said)] == []


def test_an_answer_about_somebody_else_is_theirs() -> None:
    assert slots("有，糖尿病", asked="您老伴有什么慢性病吗？") == [("老伴", "condition", "糖尿病")]


def test_she_is_the_one_who_was_spoken_of() -> None:
    assert slots("她对海鲜过敏", before="我女朋友小鹿要来。") == [("小鹿", "allergy", "海鲜")]
    assert slots("她对海鲜过敏", before="我妈和我姐要来。") == []


def test_a_slip_is_put_right() -> None:
    assert slots("不对，是腰果", before="我对花生过敏。") == [(USER, "allergy", "腰果")]


def test_among_friends_what_has_no_subject_may_be_about_another() -> None:
    assert slots("糖尿病，天天吃二甲双胍", speaker="晓雯") == []


@pytest.mark.parametrize("wrap", ["她发来一句：“{}”", "如果{}", "他说{}", "可能{}", "假装{}", "{}吗？"])
@given(said=st.sampled_from(OWNERS))
def test_what_is_quoted_supposed_or_asked_is_not_the_owners(wrap: str, said: str) -> None:
    assert [slot for slot in slots(wrap.format(said)) if slot[0] == USER] == []


@given(said=st.lists(st.sampled_from([said for said, _ in SAID] + SILENT), min_size=1, max_size=3).map("，".join))
def test_a_value_stands_in_its_sentence(said: str) -> None:
    for each in claims_of(said, "zh", Heard()):
        assert said[slice(*each.value_span)] == each.value
        assert content_of(each, "zh")


def test_a_rule_is_short_and_fills_what_can_be_told() -> None:
    parts = rules.table("claims.zh", "parts")
    assert len(parts) <= 15
    assert [rule.id for rule in claim_rules("zh") if len(with_parts(rule.pattern, parts)) > 300] == []
    told = [attributes.about(rule.attribute) for rule in claim_rules("zh") if not rule.attribute.startswith("@")]
    assert [row for row in told if not all(row["template"]["zh"])] == []
