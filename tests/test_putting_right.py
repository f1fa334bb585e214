"""What people put right, move, call off or take back of what they said: which memories give way, and which stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, said, talk
from workspaces import afterwards, consolidate, make, memories, say

# ---- in the same breath, and with the next


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("I live in York, no wait, Leeds.", "lives_in", "Leeds"),
        ("I work at Fernway, I mean Fernbank.", "works_at", "Fernbank"),
        ("My birthday is 3 May, sorry, 4 May.", "birthday", "4 May"),
        ("I'm allergic to kiwi, but it's actually mango.", "allergy", "mango"),
        ("我住在杭州，不对，是苏州。", "lives_in", "苏州"),
        ("我对虾过敏，啊不是，是螃蟹。", "allergy", "螃蟹"),
    ],
)
def test_a_slip_is_put_right_within_the_sentence(words: str, attribute: str, value: str) -> None:
    assert [each.value for each in claims([said(words)]) if each.attribute == attribute] == [value]


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("I love hiking, I mean who doesn't.", "likes", "hiking"),
        ("I live in Leeds, no pets.", "lives_in", "Leeds"),
        ("I'm allergic to nuts, sorry for the late warning.", "allergy", "nuts"),
        ("我喜欢喝茶，不是咖啡。", "likes", "喝茶"),
        ("我对花生过敏，其实是轻微的。", "allergy", "花生"),
    ],
)
def test_what_only_sounds_like_it_changes_nothing(words: str, attribute: str, value: str) -> None:
    assert [each.value for each in claims([said(words)]) if each.attribute == attribute] == [value]


@pytest.mark.parametrize(
    ("first", "then", "value"),
    [
        ("I live in Hull.", "No wait, Halifax.", "Halifax"),
        ("I'm 34 years old.", "Actually no, 35.", "35"),
        ("I'm 34 years old.", "Actually no, I don't think that matters.", ""),
        ("I live in Hull.", "Actually no, 35.", ""),  # a number is no town
        ("我住在厦门。", "不对，是泉州。", "泉州"),
        ("我住在厦门。", "不对，我还没吃饭。", ""),
    ],
)
def test_the_next_breath_puts_right_what_it_can(first: str, then: str, value: str) -> None:
    found = claims(talk(("user", first), ("assistant", "Noted."), ("user", then)))
    assert [each.value for each in found if each.attribute][1:] == ([value] if value else [])
    assert all(each.correction for each in found if each.attribute and each.value == value)


@pytest.mark.parametrize(
    ("first", "then"), [("My sister lives in Hull.", "No wait, Halifax."), ("我住在厦门。", "不对，是泉州。")]
)
def test_a_breath_on_another_day_puts_nothing_right(first: str, then: str) -> None:
    found = claims([said(first), said(then, entry="2", at="2026-02-04T10:30:00Z")])
    assert [each.attribute for each in found if each.attribute][1:] == []


# ---- on another day


@pytest.mark.parametrize(
    ("first", "then", "gone"),
    [
        (
            "The budget meeting is on 20 March at 2pm.",
            "They've brought the budget meeting forward to 18 March.",
            "20 March",
        ),
        ("We're flying to Oslo on 5 April.", "Oslo's cancelled, my dad is ill.", "5 April"),
        ("I'm reading Middlemarch at the moment.", "Finished Middlemarch! What a book.", "moment"),
        ("My boss is called Renata.", "Renata has left, my new boss is Ivo.", "called Renata"),
        ("I take metformin.", "I came off metformin last week.", "takes metformin"),
        ("I take 50 mg of sertraline.", "I take 100 mg of sertraline.", "50 mg"),
        ("我每天吃二甲双胍500毫克。", "我每天吃二甲双胍1000毫克。", "500毫克"),
        ("I drive a Volvo V60.", "Sold the Volvo, I cycle everywhere now.", "drives"),
        ("Callum is a paramedic.", "Callum is not a paramedic any more.", "Callum is a paramedic"),
        ("I live in York.", "In the end I moved to Leeds.", "lives in York"),
        ("I live in York.", "I ended up moving to Leeds.", "lives in York"),
        ("小林是护士。", "小林不当护士了。", "小林是护士"),
        ("我住在南京。", "最后还是搬到苏州了。", "住在南京"),
        ("I'm allergic to latex.", "I said I was allergic to latex, but it's actually nickel.", "latex"),
        ("My eye test is on Thursday at 9.", "My optician cancelled my eye test.", "at 9"),
        ("我每天吃二甲双胍。", "上周我停了二甲双胍。", "吃二甲双胍"),
        ("我开的是一辆沃尔沃。", "沃尔沃卖了，现在天天骑车。", "开沃尔沃"),
        ("我们5月2号去三亚。", "三亚不去了，孩子出水痘了。", "5月2"),
        ("我最近在读《边城》。", "《边城》读完了，写得真好。", "最近在读"),
        ("我领导叫周敏。", "周敏调走了，新领导是何涛。", "领导叫周敏"),
        ("我手机号是13900001111。", "我换号了，新手机号是13900002222。", "1111"),
        ("Always use bullet points in your answers.", "No more bullet points.", "always use"),
        ("Don't use emojis.", "You may use emojis again.", "doesn't want"),
        ("Please always answer with a joke.", "Don't answer with a joke any more.", "to always"),
        ("以后回答都用表情符号。", "别再用表情符号了。", "回答都用"),
        ("回答里不要用表情。", "可以用表情了。", "不要用"),
        ("回答里不要用表情。", "表情也可以发。", "不要用"),
        ("I have a dentist appointment on Friday.", "看牙改到下周二了。", "dentist"),
        ("周五看牙医。", "The dentist moved to next Tuesday.", "看牙"),
        ("下周二剪头发。", "The haircut has been cancelled.", "剪头发"),
        ("My job interview is on Friday at Corvex.", "面试改到下周一了。", "Corvex"),
        ("We're getting married on 20 June in Porto.", "The wedding has been moved to 27 June.", "20 June"),
        ("我们6月20号在大理结婚。", "婚礼改到6月27号了。", "6月20"),
        ("We have dinner with the Hales on Friday.", "Friday's dinner is cancelled.", "the Hales"),
        ("饭局定在周五晚上。", "周五的饭局取消了。", "定在"),
        ("We use Postgres 14 at work.", "We upgraded to Postgres 16.", "Postgres 14"),
        ("我们公司用的是MySQL 5.7。", "数据库升级到MySQL 8了。", "5.7"),
    ],
)
def test_the_old_gives_way_to_what_names_it(tmp_path: Path, first: str, then: str, gone: str) -> None:
    assert not [each for each in afterwards(tmp_path, first, then) if gone in each]


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("I'm having lunch with Ana on 12 March.", "The meeting with Ana was moved to 20 March.", "12 March"),
        ("I work as a teacher.", "I'm not a nurse any more.", "works as a teacher"),
        ("我是老师。", "我已经不当护士了。", "用户是老师"),
        ("I take 50 mg of sertraline in the morning.", "I take 100 mg of sertraline at night.", "50 mg"),
        ("I love Oslo.", "Our flight to Oslo got cancelled.", "likes Oslo"),
        ("We visited Crete on 3 February.", "Crete is cancelled, we have no time.", "3 February"),
        ("My friend Marco lives in Lisbon.", "The concert was pushed to 9 May.", "Lisbon"),
        ("My brother works at Fernway.", "I quit my job yesterday.", "Fernway"),
        ("I study law at Leiden.", "My sister graduated!", "Leiden"),
        ("I take metformin.", "My sister came off metformin last week.", "metformin"),
        ("I drive a Volvo V60.", "My neighbour Ana sold the Volvo she had.", "drives a Volvo"),
        ("I drive a Volvo V60.", "He finally sold the Volvo.", "drives a Volvo"),
        ("I take 20 mg of lisinopril.", "They upped his lisinopril to 40 mg.", "20 mg"),
        ("我每天吃二甲双胍。", "我妈上周停了二甲双胍。", "用户每天吃二甲双胍"),
        ("我开的是一辆沃尔沃。", "他把沃尔沃卖了。", "开沃尔沃"),
        ("Always answer in metric units.", "You don't need to remind me about the plants anymore.", "metric"),
        ("我喜欢桂林。", "去桂林的航班取消了。", "喜欢桂林"),
        ("我3月12号和小林吃饭。", "和小周的会改到20号了。", "3月12"),
        ("我弟弟在华远公司做会计。", "我昨天辞职了。", "华远"),
        ("以后都用公制单位回答。", "浇花的事不用再提醒我了。", "公制"),
        ("Always use bullet points in your answers.", "No more coffee for me, I sleep badly.", "bullet points"),
        ("以后回答都用表情符号。", "别再用公制单位了。", "表情符号"),
        ("下周二剪头发。", "The concert has been cancelled.", "剪头发"),
        ("We're getting married on 20 June.", "My cousin's wedding has been moved to 27 June.", "20 June"),
        ("We have dinner with the Hales on Saturday.", "Friday's dinner is cancelled.", "the Hales"),
        ("饭局定在周六晚上。", "周五的饭局取消了。", "定在"),
        ("We use Postgres 14 at work.", "My brother upgraded to Python 3.12.", "Postgres 14"),
        ("I have a dentist appointment on Friday.", "面试改到下周二了。", "dentist"),
        ("I love my dentist.", "看牙改到下周二了。", "dentist"),
    ],
)
def test_what_is_not_named_stays(tmp_path: Path, first: str, then: str, kept: str) -> None:
    found = afterwards(tmp_path, first, then)
    assert [each for each in found if kept in each], found


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Please stop using bullet points.", "User wants the assistant to stop using bullet points"),
        ("No more bullet points, please.", "User wants no more bullet points from the assistant"),
        ("不用再先给结论了，按正常顺序讲就行。", "用户说不用再先给结论了，按正常顺序讲就行"),
        ("不用上班了，放假三天。", "用户不用上班了，放假三天"),
    ],
)
def test_a_wish_taken_back_is_told_as_one(words: str, told: str) -> None:
    assert [each.content for each in claims([said(words)])] == [told]


# ---- names put right, and deaths


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        ("I have a daughter called Posy.", "Her name is Poppy, not Posy.", {"User has a daughter called Poppy"}),
        ("My dog is called Rufus.", "The dog's name is Rupert, not Rufus.", {"User's dog is called Rupert"}),
        ("我家的猫叫豆包。", "它叫豆宝，不叫豆包。", {"用户的猫叫豆宝"}),
        ("我妹妹叫小雯。", "我妹妹叫小文，不是小雯。", {"用户的妹妹叫小文"}),
        (
            "My sister's baby was born yesterday, her name is Posy.",
            "Her name is Poppy, not Posy.",
            {"User's sister's baby was born on 1 March 2026, her name is Poppy"},
        ),
        ("My dog is called Rufus.", "Her name is Poppy, not Posy.", {"User's dog is called Rufus"}),
    ],
)
def test_a_name_put_right_is_right_in_what_was_told(tmp_path: Path, first: str, then: str, told: set[str]) -> None:
    assert told <= (found := afterwards(tmp_path, first, then))
    assert {each for each in found if "not" not in each and "不" not in each} == told


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        ("My dog Rex is 14.", "Rex died yesterday.", "User's dog Rex died on 3 March 2026"),
        (
            "I have a cat called Luna.",
            "We had to put Luna to sleep.",
            "User and others had to put User's cat Luna to sleep",
        ),
        ("My cat Luna sleeps on the stove.", "Luna died yesterday.", "User's cat Luna died on 3 March 2026"),
        ("I have a cat called Luna.", "My cat died yesterday.", "User's cat Luna died on 3 March 2026"),
        ("我家狗叫大黄。", "大黄昨晚走了。", "用户的狗大黄2026年3月3日晚上走了"),
        ("我养了一只猫叫花花。", "花花昨天去世了。", "用户的猫花花2026年3月3日去世了"),
    ],
)
def test_a_pet_that_died_is_told_as_having_died(tmp_path: Path, first: str, then: str, told: str) -> None:
    assert afterwards(tmp_path, first, then) == {told}
    [memory] = [each for each in memories(tmp_path) if each.content == told]
    assert memory.attribute == ""
    assert memory.history[0].content


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("My dog is called Rex.", "My phone died yesterday.", "User's dog is called Rex"),
        ("My dog is called Rex.", "Max died yesterday.", "User's dog is called Rex"),
        ("I have a cat called Luna.", "My dog died yesterday.", "User has a cat called Luna"),
        ("我家狗叫大黄。", "大黄走了两公里。", "用户的狗叫大黄"),
        ("我家狗叫大黄。", "花花昨天去世了。", "用户的狗叫大黄"),
    ],
)
def test_the_others_live(tmp_path: Path, first: str, then: str, kept: str) -> None:
    assert kept in afterwards(tmp_path, first, then)


# ---- beliefs, reminders


def test_the_same_day_where_the_owner_lives_is_one_source(tmp_path: Path) -> None:
    """Before and after midnight UTC it is one evening in New York: who says it twice then is no surer."""
    make(tmp_path, zone="America/New_York")
    say(tmp_path, "a", ("2026-03-02T23:30:00Z", "user", "I might be lactose intolerant."))
    say(tmp_path, "b", ("2026-03-03T01:30:00Z", "user", "I might be lactose intolerant."))
    consolidate(tmp_path, "2026-03-04T12:00:00Z")
    [belief] = [each for each in memories(tmp_path) if each.id.startswith("b_")]
    assert belief.confidence == pytest.approx(0.6)
    assert len(belief.evidence) == 2


@pytest.mark.parametrize(
    ("words", "expires"),
    [
        ("Remind me to water the plants every evening.", False),
        ("Remind me to water the plants.", True),
        ("每天晚上提醒我浇花。", False),
        ("提醒我浇花。", True),
    ],
)
def test_a_reminder_that_comes_again_is_not_over(words: str, *, expires: bool) -> None:
    [reminder] = [each for each in claims([said(words)]) if each.attribute == "reminder"]
    assert bool(reminder.expires) is expires


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("周日提醒我给奶奶打电话。", "用户希望2026年2月8日被提醒给奶奶打电话"),
        ("能不能明天九点半提醒我倒垃圾？", "用户希望2026年2月4日九点半被提醒倒垃圾"),
        (
            "Can you remind me tomorrow at 9:30 to call Bea?",
            "User wants to be reminded on 4 February 2026 at 9:30 to call Bea",
        ),
        ("Remind me on Sunday at 3 pm to row.", "User wants to be reminded at 3 pm on 8 February 2026 to row"),
    ],
)
def test_a_reminder_tells_when(words: str, told: str) -> None:
    [reminder] = [each for each in claims([said(words)]) if each.attribute == "reminder"]
    assert reminder.content == told


def test_a_plan_put_to_another_day_is_told_with_it(tmp_path: Path) -> None:
    root = make(tmp_path)
    say(root, "s1", ("2026-03-01T09:00:00Z", "user", "我们打算今年国庆结婚。"))
    say(root, "s2", ("2026-03-10T09:00:00Z", "user", "跟你说下，婚礼改到10月3号了。"))
    consolidate(root, "2026-03-11T12:00:00Z")
    [plan] = [each for each in memories(root) if each.attribute == "plan"]
    assert plan.value == plan.content == "用户说婚礼改到2026年10月3日了"


@pytest.mark.parametrize(
    ("first", "then", "stays"),
    [
        ("I was born in Porto.", "The meeting is elsewhere, it's Lisbon, not Porto.", "User was born in Porto"),
        ("My sister is called Berta.", "Yesterday I called Anna, not Berta.", "User's sister is called Berta"),
        ("My nephew Tom is 12 years old.", "Tom didn't make it to the party yesterday.", "Tom is 12 years old"),
        ("My nephew Tom is 12 years old.", "Tom didn't make it.", "Tom is 12 years old"),
        ("My nephew Tom is 12 years old.", "Tom passed on my message to the coach.", "Tom is 12 years old"),
        ("My daughter Mia is 3 years old.", "I spent an hour putting Mia to sleep.", "Mia is 3 years old"),
        ("小明今年5岁了。", "小明昨天走了，我有点舍不得。", "小明5岁"),
    ],
)
def test_what_only_sounds_like_a_wrong_name_or_a_death_takes_nothing(
    tmp_path: Path, first: str, then: str, stays: str
) -> None:
    assert any(stays in each for each in afterwards(tmp_path, first, then))


def test_no_more_of_what_is_no_wish_takes_no_wish_back(tmp_path: Path) -> None:
    found = afterwards(tmp_path, "Please answer in French.", "No more French fries for me, says my doctor.")
    assert any("answer in French" in each for each in found)


def test_only_the_whole_name_is_put_right(tmp_path: Path) -> None:
    found = afterwards(tmp_path, "My dog Al loves the Alpine meadow.", "My dog is called Sal, not Al.")
    assert not any("Salpine" in each for each in found)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("My dog is called Rex.", "The vet tried everything, but Rex didn't make it."),
        ("My dog is called Rex.", "Yesterday was hard for us, Rex was put to sleep in my arms."),
        ("我养了一只狗叫大黄。", "大黄昨晚走了。"),
    ],
)
def test_of_a_pet_it_is_a_death(tmp_path: Path, first: str, then: str) -> None:
    before = afterwards(tmp_path / "alive", first, "Thanks!")
    assert before
    assert not before & afterwards(tmp_path / "dead", first, then)
