"""What lacks what was just named is told with the sentence that names it; what only reacts goes."""

from __future__ import annotations

import pytest
from memory_system.phases.understanding.before import said_before
from spoken import claims, pieces, said, talk, told


def beside(first: str, second: str) -> str:
    return said_before(first + second, len(first), second, "zh")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("我儿子小宝今年上三年级。", "我想让他明白科学就在身边。"),
        ("昨天把阳台的旧水管拆了下来。", "这个活比想象的累多了。"),
        ("周日按计划带学生去海蚀洞写生。", "装备我都检查好了，就等那天了。"),
    ],
)
def test_what_lacks_what_was_just_named_is_told_with_it(first: str, second: str) -> None:
    assert beside(first, second) == first


def test_of_a_long_sentence_the_first_clause_that_says_something_is_told() -> None:
    long = (
        "我新买的那顶双人帐篷真的很结实，收起来只有水壶那么大，搭起来也用不了五分钟，连不会露营的人都能一个人把它搭好。"
    )
    assert beside(long, "下一夜的雨也不漏水。") == "我新买的那顶双人帐篷真的很结实"
    opening = "在时间那么紧的情况下，我还是把阳台的旧水管全都拆了下来，顺便把墙面也重新刷了一遍，又换了一扇更大的窗户。"
    assert beside(opening, "装备我都检查好了。") == "在时间那么紧的情况下，我还是把阳台的旧水管全都拆了下来"


@pytest.mark.parametrize(
    ("before", "second", "meant"),
    [
        (
            "说说这款海豚牌洗碗机，真心不错！用起来特别安静，洗得也干净。",
            "就是容量有点大。",
            "说说这款海豚牌洗碗机，真心不错！",
        ),
        ("我想给书房添一盏落地灯。最好是那种能调亮度的。", "晚上还得看很久呢。", "我想给书房添一盏落地灯。"),
        ("我们在院子里学做风筝。孩子问了几次‘竹子怎么变成小鸟？", "慢慢来，不着急的。", "我们在院子里学做风筝。"),
        (
            "我给舅舅约了周六的听力检测。约是约好了。流程不太清楚。一般怎么做？时间长吗？",
            "我怕他嫌麻烦。",
            "我给舅舅约了周六的听力检测。",
        ),
    ],
)
def test_a_sentence_that_only_goes_on_or_is_cut_names_nothing(before: str, second: str, meant: str) -> None:
    assert beside(before, second) == meant


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("目前没有，我想先好好修这辆自行车。", "用户想先好好修这辆自行车"),
        ("我记得要带上季度报表。", "用户记得要带上季度报表"),
    ],
)
def test_it_begins_where_it_says_something_and_has_only_the_day_that_was_said(words: str, content: str) -> None:
    assert told(words) == [content]


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("录入了我的基本数据（身高171cm，体重72.1kg）。", "72.1kg"),
        ("我特别喜欢琢磨瓶子的“料”和“色”。", "琢磨瓶子的“料”和“色”"),
        ("我喜欢“海豚”牌的帐篷。", "“海豚”牌的帐篷"),
        ("[笔记] 停掉的消费：1. 每周电影票购买 2. 外卖订单", "每周电影票购买"),
    ],
)
def test_no_mark_is_left_of_a_pair_and_no_number_of_the_next_item(words: str, value: str) -> None:
    found = claims([said(words)])
    assert value in [each.value for each in found]
    assert not any(each.content.endswith((" 2", "kg）")) and "（" not in each.content for each in found)


@pytest.mark.parametrize("words", ["如果领导批准的话。", "虽然有点贵。", "热敷我记下了。", "节点设置这个思路对！"])
def test_half_a_sentence_and_what_only_heeds_are_not_kept(words: str) -> None:
    assert told(words) == []


def test_an_outing_that_is_named_is_what_is_spoken_of() -> None:
    first = "我觉得这次海边露营让我学到了很多。"
    assert beside(first, "也让我更喜欢早起了。") == first


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("今天天气真好。", "我在泉州的海蚀洞大学教地质学，一周三节课，还带两个研究生做野外测绘的项目。"),
        ("昨天把阳台的旧水管拆了下来。", "我妹妹在学陶艺。"),
        ("昨天把阳台的旧水管拆了下来。", "《边城》我读完了。"),
        ("这个办法真好！", "装备我都检查好了。"),
        ("周日去海蚀洞写生。", "他说那边风大。"),
    ],
)
def test_what_stands_alone_or_has_nothing_before_it_is_told_alone(first: str, second: str) -> None:
    assert beside(first, second) == ""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My son Otis is eight.", "I want him to like maths before the summer."),
        ("I'm fitting new hinges to the greenhouse.", "I had to order them from Leeds."),
        ("My printer drops jobs at night.", "I've tried cleaning those jobs up, but it still fails."),
        ("I'm having trouble with the dishwasher valve.", "I've tried replacing the valve twice."),
        ("I'm planning a quilt show in Bath.", "Any advice on the show is welcome."),
        ("I passed the exam in boat building.", "How can I use this new skill at work?"),
        ("My stock report takes nine seconds.", "How can I improve this query?"),
    ],
)
def test_english_is_told_with_what_a_pronoun_or_a_noun_said_again_means(first: str, second: str) -> None:
    assert said_before(f"{first} {second}", len(first) + 1, second, "en") == first


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My son Otis is eight.", "I bought a kayak and put it on the roof."),
        ("I love it there.", "I want him to like maths before the summer."),
        ("Thanks a lot!", "I had to order them from Leeds."),
        ("The kettle is new.", "I want him to like maths before the summer."),
        ("I spend the weekend in Bath.", "The weekend was cold."),
        ("logger.addHandler(queue_handler)", "Please look at the handler again."),
        ("I'm planning a quilt show in Bath.", "I ran into this super nice couple."),
        ("My report takes nine seconds.", "I wrote a query, and this query is slow."),
    ],
)
def test_english_that_lacks_nothing_or_finds_nothing_is_told_alone(first: str, second: str) -> None:
    assert said_before(f"{first} {second}", len(first) + 1, second, "en") == ""


def test_of_a_long_sentence_the_first_clause_is_told_beside() -> None:
    first = (
        "I'm having trouble with the valve of our old dishwasher, which leaks whenever the rinse begins, and the water "
        "runs down to the neighbours."
    )
    second = "I've tried replacing the valve twice."
    expected = "I'm having trouble with the valve of our old dishwasher"
    assert said_before(f"{first} {second}", len(first) + 1, second, "en") == expected


@pytest.mark.parametrize(
    ("first", "code", "second", "lang"),
    [
        ("I'm speeding up the stock report.", "Here's my code:", "How can I improve this code?", "en"),
        ("我在给库存报表提速。", "代码如下：", "它现在要跑九秒。", "zh"),
    ],
)
def test_what_is_said_before_code_is_told_beside_what_is_said_behind_it(
    first: str, code: str, second: str, lang: str
) -> None:
    listing = "\n```python\n" + "rows = [row.total for row in table.select(day=today)]\n" * 12 + "```\n"
    before = first + " " + code + listing + "But I'm not sure if this is the right way. " * (lang == "en")
    assert said_before(before + second, len(before), second, lang) == first


def test_what_hangs_is_told_together_with_the_sentence_that_names_it() -> None:
    first = "The museum of bridges in Porto is a place that I have wanted to see since I was a student of engineering."
    second = "I've heard so much about its models, its library and the tours along the river that leave on Sundays."
    found = told(f"{first} {second}")
    assert any("museum of bridges" in each and "its models" in each and "(on:" not in each for each in found)


def test_the_sentence_before_stands_in_brackets() -> None:
    found = told("我儿子小宝今年上三年级，很爱问问题。我想让他明白科学就在身边，不一定需要很复杂的工具。")
    assert any("科学就在身边" in each and "小宝" in each for each in found)


def test_a_question_is_told_with_it_too() -> None:
    found = told("我们打算在阳台装一个雨水收集桶。我们把它挂在东边的栏杆上会不会影响邻居晾衣服？")
    assert any("它挂在" in each and "雨水收集桶" in each for each in found)


@pytest.mark.parametrize(
    "words",
    [
        "这两个动作都很实用，我先试试看效果怎么样。",
        "太详细了，特别是焯水这一步之前完全没想到。",
        "听你这么一说，我心里就有底了，知道该怎么做了。",
        "分析得很清楚，这样思路一下子清晰多了。",
    ],
)
def test_what_only_reacts_to_an_answer_is_ranked_last(words: str) -> None:
    fact = "我上周在海港旁边租了一间画室，准备教小朋友画版画，每周六上午有课。"
    messages = talk(
        ("user", fact + "招生该怎么做？"),
        ("assistant", "可以先在社区里发传单，再请家长带孩子来试听，最后建一个群。"),
        ("user", words),
        *[("user", f"我在画室里放了{number}张木桌子，颜色各不相同，是我自己刷的。") for number in "二三四五六七八九"],
    )
    assert not any(words[:6] in each.quote for each in claims(messages))


def test_a_remark_of_oneself_after_an_answer_is_kept() -> None:
    messages = talk(("assistant", "可以先泡脚再拉伸。"), ("user", "我的膝盖以前受过伤，蹲下去会疼。"))
    assert [each.content for each in claims(messages)] == ["用户的膝盖以前受过伤，蹲下去会疼"]


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("[短信·发送·王秀兰] 妈，我到家了，带了点粥。", "用户到家了，带了点粥"),
        ("刚跟爸妈视频完，他们都让我好好玩。", "用户刚跟爸妈视频完"),
        ("别叫我老师。", "用户要求助手别叫用户老师"),
        ("有时候巷子两边都是墙，我们根本转不开身。", "有时候巷子两边都是墙"),
        ("我们体验店也了解过换电模式，感觉挺新颖。", "用户的体验店也了解过换电模式"),
    ],
)
def test_who_does_it_is_told_in_the_right_place(words: str, content: str) -> None:
    assert [each for each in told(words) if each.startswith(content)]


def test_a_courtesy_beside_a_name_is_not_told() -> None:
    assert told("你好，我叫张小满，很高兴认识你。") == ["用户的名字是张小满"]


def test_what_is_professional_is_nobodys_major() -> None:
    assert not any(each.attribute for each in claims([said("明白了，专业验配是第一步，别的以后再说。")]))


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("我叔叔他在广州上班。", ("works_in", "广州")),
        ("我同事他们公司叫云帆科技有限公司。", ("works_at", "云帆科技有限公司")),
        ("我上司他是个快递员。", ("occupation", "快递员")),
        ("我的上司是消防队的队长。", ("position", "消防队的队长")),
    ],
)
def test_who_is_named_and_taken_up_at_once_is_one(words: str, slot: tuple[str, str]) -> None:
    assert [(each.attribute, each.value) for each in claims([said(words)])] == [slot]


def test_what_comes_from_several_sides_is_no_hometown() -> None:
    assert not any(each.attribute for each in claims([said("最近压力很大，主要来自几个方面：一是要考试了。")]))


def test_what_one_does_each_week_is_why_nothing_else_is_to_be_put_there() -> None:
    expected = ["用户要求助手每周二下午别给用户排事，因为用户打羽毛球"]
    assert told("我每周二下午打羽毛球，别给我排事。") == expected


@pytest.mark.parametrize(
    ("before", "words"),
    [("3月5日我给爸妈买了平板。", "他们很喜欢。"), ("《三体》我昨天终于读完了。", "它的结尾让我哭了。")],
)
def test_a_chinese_sentence_may_begin_with_a_date_or_a_title(before: str, words: str) -> None:
    assert said_before(before + words, len(before), words, "zh") == before


@pytest.mark.parametrize(
    "text",
    [
        "My uncle fetched me from the harbour at noon. Otherwise I would have walked home in the hail.",
        "The cold kept me up for most of the night. Therefore I skip the choir and drink sage tea.",
        "My aunt gave me two old clocks for the kitchen. The other one shows the harbour of Bergen in winter.",
    ],
)
def test_what_a_connective_joins_to_the_sentence_before_is_told_with_it(text: str) -> None:
    first = text.partition(". ")[0].replace("My ", "").replace("me ", "")
    assert any(each.count(". ") and first.split()[0] in each for each in told(text))


def test_of_a_long_english_sentence_without_a_short_clause_a_longer_one_is_told() -> None:
    first = (
        "I recently visited the natural hot springs below the old lighthouse (Blue Basin, Crab Pool), and it was one of"
        " the most restful trips of the whole year. "
    )
    second = "I was working up there and slept well."
    named = "I recently visited the natural hot springs below the old lighthouse"
    assert said_before(first + second, len(first), second, "en") == named


def test_a_clause_that_only_opens_the_next_is_not_told_beside() -> None:
    opening = "Speaking of old harbours in the north, I sailed to the pier at Bergen with my uncle and his crew. "
    assert (
        said_before(opening + "It rained.", len(opening), "It rained.", "en") != "Speaking of old harbours in the north"
    )


def test_what_only_goes_on_with_a_clause_is_not_cut_from_it() -> None:
    text = (
        "I want to end my letter to the harbour office with a strong wish about the old crane and its keeper,"
        " like inviting the whole crew to a talk between the first and the third tide of the spring week,"
        " and I'm not sure whether naming the tides is too strict for them."
    )
    assert not any(each.startswith("like ") for each in pieces(text))


def test_who_stays_in_bed_lives_elsewhere() -> None:
    assert not any(each.attribute for each in claims([said("I'm staying in bed and drinking tea.")]))


def test_what_follows_a_short_answer_with_a_name_is_not_told_beside_ones_own_words_before_it() -> None:
    before = ("user", "can you find me a good ramen place near the office? nothing with pork, I don't eat pork")
    answer = ("assistant", "Kaze on Mill Street has a good vegetable ramen.")
    told = [each.content for each in claims(talk(before, answer, ("user", "went there last month, too salty.")))]
    assert "User went there in January 2026, too salty" in told
