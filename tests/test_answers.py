"""What an answer means by its question: slots that must not be lost, and words without a subject."""

from __future__ import annotations

import pytest
from spoken import claims, screened, talk, told

from memory_system.turns import Claim


def answered(asked: str, reply: str) -> list[Claim]:
    return claims(talk(("assistant", asked), ("user", reply)))


@pytest.mark.parametrize(
    ("asked", "reply", "subject", "attribute", "value", "content"),
    [
        ("你对什么过敏吗？", "青霉素，小时候打过针。", "user", "allergy", "青霉素", "用户对青霉素过敏（小时候打过针）"),
        ("您有食物过敏史吗？", "有的，花生和虾。", "user", "allergy", "花生和虾", "用户对花生和虾过敏"),
        ("你妈妈对什么药过敏？", "头孢。", "用户的妈妈", "allergy", "头孢", "用户的妈妈对头孢过敏"),
        ("你父亲吃什么药？", "他汀，每晚一片。", "用户的爸爸", "medication", "他汀", "用户的父亲吃他汀（每晚一片）"),
        ("Are you allergic to anything?", "Nuts, since school.", "user", "allergy", "nuts",
         "User is allergic to nuts (since school)"),
        ("What is your son allergic to?", "Figs.", "User's son", "allergy", "figs", "User's son is allergic to figs"),
        ("Which meds are you on?", "Statins, daily.", "user", "medication", "statins", "User takes statins (daily)"),
    ],
)  # fmt: skip
def test_health_that_was_asked_for_fills_its_slot(
    asked: str, reply: str, subject: str, attribute: str, value: str, content: str
) -> None:
    (claim,) = answered(asked, reply)
    assert (claim.subject, claim.attribute, claim.value) == (subject, attribute, value)
    assert (claim.category, claim.content) == ("health", content)


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("你对什么过敏吗？", "没有，什么都能吃。"),
        ("你有过敏的东西吗？", "好像没有吧。"),
        ("你现在吃什么药？", "不吃药。"),
        ("Do you have any allergies?", "No, none that I know of."),
        ("What medication are you on?", "Nothing at the moment."),
        ("Are you allergic to anything?", "I don't think so."),
        ("你对花生过敏吗？", "芒果倒是不敢吃。"),
    ],
)
def test_no_allergy_is_no_value(asked: str, reply: str) -> None:
    assert not [each for each in answered(asked, reply) if each.attribute in ("allergy", "medication")]


def test_an_allergy_asked_for_is_kept_whatever_the_share() -> None:
    asked = [("assistant", "你对什么过敏吗？"), ("user", "头孢。")]
    tales = [("user", f"第{number}天我在湖边的码头修了三条木船，还画了一张图。") for number in range(20)]
    turns = screened(talk(*tales, *asked), screen={"keep_share": 0.1})
    assert "头孢。" in [turn.text_of(each) for turn in turns for each in turn.segments]


@pytest.mark.parametrize(
    ("asked", "reply", "content"),
    [
        ("你平时几点睡觉？", "一般十二点多。", "用户说一般十二点多（被问：用户平时几点睡觉）"),
        ("你中午一般吃什么？", "面条，偶尔盖饭。", "用户说面条，偶尔盖饭（被问：用户中午一般吃什么）"),
        ("Who is your oldest neighbour?", "Ana Quill.", "User says Ana Quill (asked: who is User's oldest neighbour)"),
    ],
)  # fmt: skip
def test_an_answer_without_a_subject_is_told_with_its_question(asked: str, reply: str, content: str) -> None:
    assert [each.content for each in answered(asked, reply)] == [content]


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("需要我帮你列个清单吗？", "周五要去体检。"),
        ("Do you want me to make a list?", "On Friday my aunt lands in Cork."),
        ("你最近怎么样？", "数学考了九十分。"),
        ("你最喜欢哪个海边的景点？", "我一般都喜欢人少的海边景点。"),
    ],
)
def test_an_offer_is_no_question_that_is_answered(asked: str, reply: str) -> None:
    assert not any("问：" in each.content or "asked" in each.content for each in answered(asked, reply))


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("我以为我对螨虫过敏，查了半天原来是猫毛。", "猫毛"),
        ("I thought I was allergic to dust mites, turns out it's cat hair.", "cat hair"),
    ],
)
def test_what_was_taken_for_an_allergy_is_none(words: str, value: str) -> None:
    (claim,) = claims(talk(("user", words)))
    assert (claim.attribute, claim.value, claim.confidence) == ("allergy", value, 1.0)


@pytest.mark.parametrize("words", ["公司里都在传我要结婚了。", "People are saying I'm getting married."])
def test_what_is_rumoured_fills_no_slot(words: str) -> None:
    (claim,) = claims(talk(("user", words)))
    assert (claim.attribute, claim.modality) == ("", "reported")


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("不对，我说错了，婚礼在人民路的饭店。", "用户说婚礼在人民路的饭店"),
        ("No wait, I got that wrong, the shop is in Mill Lane.", "User says the shop is in Mill Lane"),
        ("医生说不是癌，是良性的，虚惊一场。", "医生说不是癌，是良性的，虚惊一场"),
        ("近来我感觉到我的身体有些疲倦。", "近来用户感觉到自己的身体有些疲倦"),
    ],
)
def test_what_is_said_is_told_without_what_leads_to_it(words: str, content: str) -> None:
    assert told(words) == [content]


def test_an_example_stays_with_what_is_asked_about_it() -> None:
    words = "我想要个全面的记录。特别是刚开始戴的时候，怎么让他慢慢习惯？"
    assert not any("特别是" in each for each in told(words) if "问" not in each)


def test_an_entry_is_told_with_what_its_title_is_about() -> None:
    body = "周末读书有收获。具体可借鉴会员制和茶点搭配，下周找团队商量。来源：日历。"
    words = f"[笔记] 深入研究：宋代茶馆对社区店的启示：{body}"
    found = told(words)
    assert found
    assert all("深入研究：宋代茶馆对社区店的启示：" in each for each in found)
    assert not any("来源" in each for each in found)


@pytest.mark.parametrize(
    ("plan", "change"),
    [
        ("我们周六有同学聚会。", "聚会取消了。"),
        ("我爸五月来泉州住半个月。", "我爸来不了了。"),
        ("My dad is visiting in May.", "My dad can't make it."),
    ],
)
def test_what_is_called_off_is_kept_however_little_it_says(plan: str, change: str) -> None:
    turns = screened(talk(("user", plan), ("user", change)))
    assert [turn.text_of(each) for turn in turns for each in turn.segments] == [plan, change]


def test_the_day_to_which_something_was_put_last_time_is_not_guessed() -> None:
    assert told("上次看牙改到十九号了，结果还是没去成。") == ["用户说上次看牙改到十九号了，结果还是没去成"]


@pytest.mark.parametrize("words", ["别叫我宝宝，叫我名字就行。", "以后叫我名字就好。"])
def test_by_ones_name_is_no_nickname(words: str) -> None:
    assert not [each for each in claims(talk(("user", words))) if each.attribute == "nickname"]


@pytest.mark.parametrize("words", ["I was allergic to milk as a kid.", "My son was allergic to eggs as a baby."])
def test_an_allergy_of_childhood_fills_no_slot_of_today(words: str) -> None:
    (claim,) = claims(talk(("user", words)))
    assert (claim.category, claim.attribute) == ("health", "")


@pytest.mark.parametrize("words", ["我月经推迟了十天。", "我妈做了心脏支架。", "My period is ten days late."])
def test_what_is_told_of_the_body_is_health(words: str) -> None:
    assert [each.category for each in claims(talk(("user", words)))] == ["health"]


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What's your name?", "Not telling."),
        ("Where do you live?", "With my parents."),
        ("How old are you?", "I'd rather not say."),
        ("你叫什么名字？", "不告诉你。"),
        ("你住在哪里？", "跟我爸妈一起。"),
        ("你今年多大了？", "保密。"),
    ],
)
def test_who_gives_no_answer_fills_no_slot(asked: str, answer: str) -> None:
    assert {each.attribute for each in claims(talk(("assistant", asked), ("user", answer)))} <= {""}


@pytest.mark.parametrize(
    ("asked", "answer", "slot", "told"),
    [
        ("What's your favourite colour?", "Teal.", ("favorite.color", "Teal"), "User's favorite colour is Teal"),
        ("Favourite colour?", "Definitely teal!", ("favorite.color", "teal"), "User's favorite colour is teal"),
        (
            "Which season do you like best?",
            "Autumn.",
            ("favorite.season", "Autumn"),
            "User's favorite season is Autumn",
        ),
        (
            "Who is your favourite writer?",
            "Ana Quill.",
            ("favorite.writer", "Ana Quill"),
            "favorite writer is Ana Quill",
        ),
        ("What's your mum's favorite flower?", "Peonies.", ("favorite.flower", "Peonies"), "mum's favorite flower"),
        ("你最喜欢什么颜色？", "墨绿。", ("favorite.颜色", "墨绿"), "用户最喜欢的颜色是墨绿"),
        ("最喜欢的颜色？", "墨绿", ("favorite.颜色", "墨绿"), "用户最喜欢的颜色是墨绿"),
        ("你最喜欢吃什么？", "火锅。", ("favorite.吃的", "火锅"), "用户最喜欢吃的是火锅"),
        ("你妈妈最喜欢的花是什么？", "牡丹。", ("favorite.花", "牡丹"), "妈妈最喜欢的花是牡丹"),
    ],
)
def test_what_somebody_likes_best_is_a_preference(asked: str, answer: str, slot: tuple[str, str], told: str) -> None:
    [claim] = claims(talk(("assistant", asked), ("user", answer)))
    assert (claim.attribute, claim.value, claim.category) == (*slot, "preference")
    assert told in claim.content


@pytest.mark.parametrize(
    ("asked", "answer", "told"),
    [
        ("What's your favourite colour, Rhea?", "Teal.", "Rhea's favorite colour is Teal"),
        ("你最喜欢什么颜色？", "墨绿。", "Rhea最喜欢的颜色是墨绿"),
    ],
)
def test_so_it_is_where_another_person_asks(asked: str, answer: str, told: str) -> None:
    [claim] = claims(talk(("assistant", asked, "Tilde"), ("user", answer, "Rhea")))
    assert claim.content == told


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("What's your favourite colour?", "Hard to say."),
        ("What's your favourite part of the story?", "The ending."),
        ("Is teal your favourite colour?", "Not really, no."),
        ("你最喜欢什么颜色？", "都喜欢。"),
        ("我最喜欢什么颜色？", "墨绿。"),
        ("你最喜欢的部分是什么？", "结尾。"),
    ],
)
def test_what_names_no_favourite_fills_no_slot(asked: str, answer: str) -> None:
    found = claims(talk(("assistant", asked), ("user", answer)))
    assert not any(each.attribute.startswith("favorite") for each in found)
