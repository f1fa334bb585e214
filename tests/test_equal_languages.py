"""What one language knows the other knows as well: the same told in English and in Chinese fills the same slots, is
withheld, ranks last or is taken back alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, kept, said, talk
from test_same_matter import nights
from workspaces import consolidate, contents, make, say

from memory_system import clock, finder
from memory_system.text import paused
from memory_system.workspace import Workspace


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("My aunt is the principal of the Norrby school.", "position", "principal of the Norrby school"),
        ("我姑姑是桥头小学的校长。", "position", "桥头小学的校长"),
        ("My husband and I are getting divorced.", "plan", "divorced"),
        ("我和老公要离婚了。", "plan", "离婚"),
        ("What I'm really allergic to is walnuts.", "allergy", "walnuts"),
        ("我真正过敏的是核桃。", "allergy", "核桃"),
        ("My GP put me on warfarin.", "medication", "warfarin"),
        ("医生给我开了华法林。", "medication", "华法林"),
        ("My niece is deaf in one ear.", "condition", "deaf in one ear"),
        ("我侄女左耳失聪。", "condition", "左耳失聪"),
        ("I graduated from Lund University.", "education", "Lund University"),
        ("我毕业于兰州大学。", "education", "兰州大学"),
        ("I want to be a pilot.", "goal", "be a pilot"),
        ("我长大想当飞行员。", "goal", "飞行员"),
        ("Spiders scare me.", "fear", "Spiders"),
        ("蜘蛛让我很害怕。", "fear", "蜘蛛"),
        ("I've gone off hotpot.", "dislikes", "hotpot"),
        ("我吃腻了火锅。", "dislikes", "火锅"),
        ("My emergency contact is my aunt Vera.", "emergency_contact", "aunt Vera"),
        ("我的紧急联系人是我姑姑。", "emergency_contact", "我姑姑"),
    ],
)
def test_the_same_fills_the_same_slot(words: str, attribute: str, value: str) -> None:
    assert (attribute, value) in [(each.attribute, each.value) for each in claims([said(words)])]


@pytest.mark.parametrize(
    "words", ["Help me plan a birthday party for my daughter.", "帮我给女儿策划一个生日会。", "帮我给外婆策划一个寿宴"]
)
def test_a_request_that_tells_what_somebody_is_about_is_kept(words: str) -> None:
    assert claims(talk(("user", words), ("assistant", "OK.")))


@pytest.mark.parametrize("words", ["Help me write a letter.", "帮我写一封信。", "帮我看一下这个。"])
def test_a_request_that_tells_nothing_is_not(words: str) -> None:
    assert claims(talk(("user", words), ("assistant", "OK."))) == []


@pytest.mark.parametrize(
    "words",
    [
        "Can you not save this? I had a row with my neighbour.",
        "能不能别记这个？我跟邻居吵架了。",
        "Don't keep this in your memory. I had a row with my neighbour.",
        "不要把这些写进记忆里。我跟邻居吵架了。",
    ],
)
def test_what_is_not_to_be_kept_is_not(words: str) -> None:
    assert claims([said(words)]) == []


@pytest.mark.parametrize(
    "words",
    [
        "If you need anything, let me know.",
        "如果你有什么需要，随时告诉我。",
        "I'll keep at it and stay positive.",
        "我一定会坚持下去，不放弃。",
    ],
)
def test_offers_and_resolves_leave_room_for_others(words: str) -> None:
    others = ("I moved the boat to Lund.", "The oven broke on Friday.", "我把船搬到了兰州。", "烤箱周五坏了。")
    assert words not in kept(talk(("user", words), *(("user", each) for each in others)))


@pytest.mark.parametrize(
    ("words", "news"),
    [("别往外说，我下个月要离职了。", "离职"), ("Don't tell anyone, I'm quitting next month.", "quitting")],
)
def test_what_is_told_in_confidence_is_no_mere_request(words: str, news: str) -> None:
    assert any(news in each.content for each in claims([said(words)]))


@pytest.mark.parametrize(
    ("days", "gone"),
    [
        (("My husband and I are getting divorced.", "We made up, we're not divorcing after all."), "are getting"),
        (("我跟老公要离婚了。", "我们和好了，不离婚了。"), "要离婚"),
        (("I broke up with Marta.", "Marta and I talked. We got back together."), "no longer together"),
        (("我跟小渔分手了。", "我们和好了。"), "分开"),
    ],
)
def test_who_made_up_is_together_again(tmp_path: Path, days: tuple[str, ...], gone: str) -> None:
    active, archived = nights(tmp_path, *days)
    assert not any(gone in each for each in active)
    assert any(gone in each for each in archived)


@pytest.mark.parametrize(
    "words",
    ["我的紧急联系人是我姐姐，电话13800001111。", "My emergency contact is my sister Ruth, phone 555 010 2233."],
)
def test_a_number_beside_another_is_nobodys_own(words: str) -> None:
    assert "phone" not in [each.attribute for each in claims([said(words)])]


def test_to_be_about_to_divorce_is_not_to_be_parted() -> None:
    assert [each.attribute for each in claims([said("我跟老公要离婚了。")])] == ["plan"]


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("我手机号换了 新的是13912345678", "phone", "13912345678"),
        ("其实我是在萧山住 在滨江上班", "lives_in", "萧山"),
        ("医生说我其实不是青霉素过敏 是头孢过敏", "allergy", "头孢"),
        ("我公公查出来肺结节 要复查", "condition", "肺结节"),
        ("更正 我是A型RH阴性", "blood_type", "A型"),
    ],
)
def test_a_blank_is_a_comma_in_chinese(words: str, attribute: str, value: str) -> None:
    found = claims([said(words)])
    assert (attribute, value) in [(each.attribute, each.value) for each in found if each.polarity]
    assert "relative" not in [each.attribute for each in found]


def test_a_blank_beside_another_script_is_no_comma() -> None:
    for words in (
        "我用 Python 写 3 个脚本",
        "我住在 上海浦东",
        "我对 青霉素 过敏",
        "我的座右铭是 知足常乐",
        "我 住在 苏州",
        "我住在  上海浦东",
        "我住在🎉🎉上海浦东",
        "真的好累🎉🎉的明天",
    ):
        assert paused(words) == words
    assert paused("今天真的好累🎉🎉明天去跑步") == "今天真的好累， 明天去跑步"
    assert paused("今天真的好累❤️明天去跑步") == "今天真的好累， 明天去跑步"
    assert paused("石膏拆了 胳膊细了🎉明天去跑步") == "石膏拆了，胳膊细了，明天去跑步"


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("小雨感冒了周六不去爬山了", "2026年2月7日"),
        ("姐夫手术做完了 挺顺利的 周五出院", "2026年2月6日"),
        ("车停在C区17号", "C区17号"),
    ],
)
def test_what_is_to_come_beside_what_has_come_lies_ahead(words: str, day: str) -> None:
    assert any(day in each.content for each in claims([said(words)]))


def test_who_left_out_a_subject_is_no_daughter() -> None:
    assert "用户是个女儿" not in " ".join(each.content for each in claims([said("是个女儿！名字想好了叫安安")]))


@pytest.mark.parametrize(
    ("words", "gone", "value"),
    [
        ("The doctor says it's not penicillin I'm allergic to, it's cephalosporin.", "penicillin", "cephalosporin"),
        ("医生说我不是青霉素过敏，是头孢过敏。", "青霉素", "头孢"),
    ],
)
def test_another_allergy_clears_the_one_it_is_not(words: str, gone: str, value: str) -> None:
    found = [(each.value, each.polarity) for each in claims([said(words)]) if each.attribute == "allergy"]
    assert {(gone, False), (value, True)} <= {*found}


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("My daughter Maya starts school this year, her birthday is May 12.", "May 12"),
        ("I got my daughter's birthday wrong, it's May 21.", "May 21"),
        ("我女儿今年上小学，生日是五月十二。", "五月十二"),
        ("我女儿的生日我记错了，是五月二十一。", "五月二十一"),
    ],
)
def test_whose_birthday_it_is(words: str, value: str) -> None:
    [birthday] = [each for each in claims([said(words)]) if each.attribute == "birthday"]
    assert birthday.value == value
    assert birthday.subject != "user"


@pytest.mark.parametrize(
    ("words", "ahead"),
    [
        ("His surgery went well, he's out Friday.", "6 February 2026"),
        ("It's confirmed, the office moves to Bristol in July.", "July 2026"),
        ("高铁票买好了 3月20号去上海", "2026年3月20日"),
    ],
)
def test_what_is_settled_lies_ahead(words: str, ahead: str) -> None:
    assert any(ahead in each.content for each in claims([said(words)]))


@pytest.mark.parametrize(
    ("days", "gone"),
    [
        (("I take melatonin at ten every night.", "Stopped the melatonin, no need for it."), "takes melatonin"),
        (("我每天晚上十点吃褪黑素。", "褪黑素不吃了 医生说没必要"), "十点吃褪黑素"),
        (("Mum's visiting next Wednesday for two weeks.", "Mum isn't coming, her back hurts."), "visiting"),
        (("下周三我妈来住两周。", "我妈不来了 她腰疼"), "住两周"),
        (("我女儿朵朵今年上小学 生日是五月十二", "朵朵生日我记错了是五月二十一"), "五月十二"),
        (("My son Olle is 5, his birthday is May 12.", "I got Olle's birthday wrong, it's May 21."), "May 12"),
    ],
)
def test_what_is_over_ends_the_old(tmp_path: Path, days: tuple[str, ...], gone: str) -> None:
    active, archived = nights(tmp_path, *days)
    assert not any(gone in each for each in active)
    assert any(gone in each for each in archived)


@pytest.mark.parametrize(
    ("words", "medicine"),
    [
        ("The doctors put dad on aspirin, he is home.", "aspirin"),
        ("他回家了，医生给他开了阿司匹林。", "阿司匹林"),
    ],
)
def test_what_a_doctor_gives_another_is_not_lost(words: str, medicine: str) -> None:
    assert any(medicine in each.content for each in claims([said(words)]))


@pytest.mark.parametrize("words", ["Oops, I meant July 5.", "Decided: Lisbon, in September."])
def test_what_is_put_right_or_settled_is_not_over(words: str) -> None:
    assert "2025" not in " ".join(each.content for each in claims([said(words)]))


@pytest.mark.parametrize(
    ("words", "begins", "ends"),
    [
        ("今天小赵请假了。", "用户说2026年", "小赵请假了"),
        ("昨天老婆做了红烧肉。", "用户说2026年", "老婆做了红烧肉"),
        ("周五他去了兰州。", "用户说2026年", "他去了兰州"),
        ("今天小睡了一会儿。", "用户2026年", "小睡了一会儿"),
    ],
)
def test_who_comes_behind_the_day_is_the_subject(words: str, begins: str, ends: str) -> None:
    [claim] = claims([said(words)])
    assert claim.content.startswith(begins)
    assert claim.content.endswith(ends)


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        ("My son Leo loves his teacher, her birthday is May 3.", "Leo"),
        ("我女儿朵朵在学校认识了小雨，她生日是五月十二。", "女儿"),
    ],
)
def test_a_birthday_of_another_is_not_the_childs(words: str, wrong: str) -> None:
    assert not any(wrong in each.content for each in claims([said(words)]) if each.attribute == "birthday")


def test_what_somebody_has_become_is_no_day() -> None:
    assert "2026" not in " ".join(each.content for each in claims([said("跟着李师傅学，我才有了今天。")]))


@pytest.mark.parametrize("words", ["I'm allergic to Mondays haha.", "我对上班过敏。"])
def test_nobody_is_allergic_to_work(words: str) -> None:
    assert "allergy" not in {each.attribute for each in claims([said(words)])}


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("我住在上海。", "不对，张强没有房子。", "用户住在上海"),
        ("I live in Leeds.", "No wait, Tom has no house.", "User lives in Leeds"),
    ],
)
def test_what_is_said_of_another_matter_puts_nothing_right(before: str, after: str, kept: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", before), ("2026-03-02T09:01:00Z", "user", after))
    consolidate(root, "2026-03-03T03:00:00Z")
    assert kept in contents(root)


@pytest.mark.parametrize(
    ("words", "question", "told"),
    [
        ("I take sertraline every morning.", "Which medicines do I take?", "sertraline"),
        ("我每天早上吃二甲双胍。", "我现在吃什么药？", "二甲双胍"),
    ],
)
def test_what_one_takes_is_given_when_it_is_asked_for(words: str, question: str, told: str, tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-02T09:00:00Z", "user", words))
    consolidate(root, "2026-03-03T03:00:00Z")
    with Workspace.open(root, now=clock.read_stamp("2026-03-04T09:00:00Z")) as ws:
        assert told in finder.context(ws, question)["text"]
