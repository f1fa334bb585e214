"""What was told wrongly once: what is over as lasting, a list cut at its number, a date with somebody for a subject."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from spoken import claims, pieces, said, talk, told

from memory_system import dates


@pytest.mark.parametrize(
    "words",
    [
        "I lived in Oslo for three years.",
        "I grew up with them when I lived in Houston.",
        "我在苏州住了五年。",
        "我在海港银行工作过三年。",
        "我在海港银行工作了三年。",
    ],
)
def test_where_somebody_lived_or_worked_is_no_present_slot(words: str) -> None:
    assert not any(each.attribute for each in claims([said(words)]))


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("I've lived in Oslo for three years.", "Oslo"),
        ("My sister has lived in Hull since May.", "Hull"),
        ("我住在苏州五年了。", "苏州"),
        ("我在苏州住了快五年了。", "苏州"),
        ("我在海港银行工作三年了。", "海港银行"),
    ],
)
def test_where_somebody_has_lived_until_now_is_one(words: str, value: str) -> None:
    assert [each.value for each in claims([said(words)]) if each.attribute] == [value]


@pytest.mark.parametrize(
    ("words", "instructions"),
    [
        (["Please use bullet points."], 1),
        (["Summarize this article on bees. Please use bullet points."], 0),
        (["请用要点回答。"], 1),
        (["帮我总结这篇讲蜜蜂的文章。请用要点回答。"], 0),
    ],
)
def test_how_to_answer_is_kept_where_it_is_all_that_is_said(words: list[str], instructions: int) -> None:
    found = claims(talk(*(("user", each) for each in words)))
    assert len([each for each in found if each.attribute == "instruction"]) == instructions


@pytest.mark.parametrize(
    "words", ["In my story I'm a sailor? No, I'm really a nurse.", "我在小说里是海员？不，我真的是护士。"]
)
def test_what_somebody_really_is_ends_a_story(words: str) -> None:
    assert [each.value for each in claims([said(words)]) if each.attribute == "occupation"] in (["nurse"], ["护士"])


@pytest.mark.parametrize(
    ("at", "words", "resolved"),
    [
        (datetime(2026, 4, 7, tzinfo=UTC), "The review is on Monday the 13th.", "The review is on 13 April 2026."),
        (datetime(2026, 4, 7, tzinfo=UTC), "See you Monday 13th!", "See you on 13 April 2026!"),
        (datetime(2026, 4, 7, tzinfo=UTC), "The review is on Monday the 12th.", "The review is on Monday the 12th."),
        (datetime(2026, 2, 10, tzinfo=UTC), "We watched Friday the 13th.", "We watched Friday the 13th."),
    ],
)
def test_a_weekday_and_its_day_are_one_date(at: datetime, words: str, resolved: str) -> None:
    assert dates.resolve(words, at, "en")[0] == resolved


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("I brought honey for both you and Jo.", "User brought honey for both the assistant and Jo"),
        ("今天是星期二，有些累。", "用户说2026年2月3日是星期二，有些累"),
        ("后天的聚会我带蛋糕去。", "2026年2月5日的聚会用户带蛋糕去"),
        ("前天刚把阳台刷了一遍漆。", "用户2026年2月1日刚把阳台刷了一遍漆"),
        ("湖边风景很好，周末来这儿画画太合适了。", "周末来这儿画画太合适了"),
        ("你是不知道，我把风筝放出去的时候，孩子们都跳起来了。", "用户把风筝放出去的时候，孩子们都跳起来了"),
    ],
)
def test_subjects_and_dates_are_those_of_the_sentence(words: str, content: str) -> None:
    assert content in " ".join(told(words))
    assert "助手是不知道" not in " ".join(told(words))


@pytest.mark.parametrize(
    "words",
    [
        "商量好了三件事：1. 每天一起散步半小时，互相提醒；2. 下个月之前把两份保险问清楚；3. 周末不再加班。",
        "We agreed on three things: 1. a walk of half an hour every day; 2. both insurances before the end of spring.",
    ],
)
def test_the_number_of_an_item_ends_no_sentence(words: str) -> None:
    assert not any(each.rstrip().endswith(("1.", "2.", "3.")) for each in pieces(words))


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("I moved to Lyon in May, and besides the rent, can you help me plan the rest?", 2),
        ("最近手头又攒了点钱，除了继续存定期，还有别的推荐吗？", 2),
    ],
)
def test_a_clause_that_only_opens_a_question_stays_with_it(words: str, parts: int) -> None:
    found = pieces(words)

    assert len(found) == parts
    assert found[-1].startswith(("and besides", "除了"))


@pytest.mark.parametrize("words", ["Yes, I'd love to!", "I have.", "I want to.", "Yeah, I will."])
def test_half_a_sentence_is_not_told(words: str) -> None:
    assert told(words, speaker="Ben") == []


def test_a_cheer_for_a_friend_is_no_instruction() -> None:
    cheer = talk(("assistant", "I lost the match.", "Ann"), ("user", "Never give up!", "Ben"))
    assert not any(each.attribute for each in claims(cheer))


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("I could help you with the fence in the garden.", "Ben could help Ann with the fence in the garden"),
        ("Swimming in the sea gives you a clear head.", "Ben says swimming in the sea gives one a clear head"),
    ],
)
def test_you_is_the_other_where_the_speaker_does_it(words: str, content: str) -> None:
    spoken = talk(("assistant", "I mended the old shed.", "Ann"), ("user", words, "Ben"))
    assert [each.content for each in claims(spoken) if each.role == "user"] == [content]


def test_who_says_their_name_is_not_told_twice() -> None:
    assert told("我叫张伟，平时在海边修旧木船。", speaker="张伟") == ["张伟平时在海边修旧木船"]
    assert not told("我叫张伟，很高兴认识你。", speaker="张伟")


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("Since we last spoke, I painted the fence.", "Since Ben and Ann last spoke, Ben painted the fence"),
        ("Going for a walk at the lake is so refreshing.", "Ben says going for a walk at the lake is so refreshing"),
        ("Trying to learn the cello is not easy.", "Ben says trying to learn the cello is not easy"),
        (
            "Allowing myself to feel grief, anger, and fear has been a part of it.",
            "Ben says allowing themselves to feel grief, anger, and fear has been a part of it",
        ),
        ("Once the test is done ill let you know.", "Once the test is done Ben will let Ann know"),
        ("I'm in awe of your courage as a trans woman.", "Ben is in awe of Ann's courage as a trans woman"),
        ("When i mend the fence it would lean to one side", "When Ben mends the fence it would lean to one side"),
        ("Mended the shed 💪 I painted the fence too.", "Ben mended the shed. Ben painted the fence too"),
        ("I was ill all week and stayed in bed.", "Ben was ill all week and stayed in bed"),
        ("My son was ill see the note.", "Ben's son was ill see the note"),
        ("We spoke with our lawyer in York.", "Ben and others spoke with their lawyer in York"),
        ("trying to find a flat in Leeds", "Ben is trying to find a flat in Leeds"),
    ],
)
def test_who_does_what_between_two(words: str, content: str) -> None:
    spoken = talk(("assistant", "I mended the old shed.", "Ann"), ("user", words, "Ben"))
    assert [each.content for each in claims(spoken) if each.role == "user"] == [content]


def test_kin_without_an_owner_is_the_speakers() -> None:
    assert told("下属的老家是天津。") == ["用户的下属的老家是天津"]


@pytest.mark.parametrize(
    "words",
    [
        "Hey Jo, something awesome happened since we talked.",
        "Been a busy week since we talked.",
        "最近我有一件开心的事。",
        "好的涛哥，一路平安。",
    ],
)
def test_what_only_announces_or_takes_leave_is_not_told(words: str) -> None:
    assert told(words, screen={"keep_share": 1}) == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("My exam results come on Friday, how do I stay calm?", "I understand how hard the wait for the results is."),
        ("物业费要涨，我该怎么办？", "我完全理解您的顾虑，这笔支出会给家里的预算带来压力。"),
    ],
)
def test_an_assistant_that_feels_with_somebody_tells_nothing(asked: str, answer: str) -> None:
    found = claims(talk(("user", asked), ("assistant", answer)), screen={"keep_share": 1})
    assert not [each for each in found if each.role == "assistant"]


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        (["My mum lives in Leeds.", "My mother lives in York.", "My mom lives in Hull."], "User's mother"),
        (["My grandpa lives in Leeds.", "My granddad lives in York."], "User's grandfather"),
        (["我妈住在泸州。", "我妈妈住在宜宾。", "我母亲住在乐山。"], "用户的妈妈"),
        (["我外公住在泸州。", "我姥爷住在宜宾。"], "用户的外公"),
    ],
)
def test_one_person_called_in_several_ways_is_one_subject(words: list[str], subject: str) -> None:
    found = [each for each in claims([said(each) for each in words]) if each.attribute == "lives_in"]
    assert [(each.subject, subject in each.entities) for each in found] == [(subject, True)] * len(words)


@pytest.mark.parametrize(
    ("words", "slots"),
    [
        ("I don't eat meat on weekdays.", []),
        ("I'm 20 kg overweight.", []),
        ("My doctor suspects I have gout.", [("condition", "gout", "hedged")]),
        ("I'm allergic to figs and my sister is vegan.", [("allergy", "figs", "stated"), ("diet", "vegan", "stated")]),
        ("My cousin Luis thought I was allergic to dogs, but I'm not.", []),
        ("我表弟以为我对狗过敏，其实没有。", []),
        ("I'm half Danish.", []),
        ("我是半个泸州人。", []),
        ("我孩子他爸在外地。", []),
        ("I'm diabetic.", [("condition", "diabetic", "stated")]),
        ("我是色弱，红绿看不清。", [("condition", "色弱", "stated")]),
        ("我在用软件学法语。", [("skill", "法语", "stated")]),
        ("我是左撇子。", []),
        ("我是金牛座。", []),
        ("我妈说我对头孢过敏。", [("allergy", "头孢", "reported")]),
        ("医生怀疑我有痛风。", [("condition", "痛风", "hedged")]),
        ("我电脑是Framework 13。", [("device.电脑", "Framework 13", "stated")]),
        ("I dislike orange 🍊 😒", [("dislikes", "orange", "stated")]),
        ("我超喜欢草莓🍓", [("likes", "草莓", "stated")]),
        ("I like primary colours I think", [("likes", "primary colours", "stated")]),
        ("我最喜欢原色我觉得", [("likes", "原色", "stated")]),
        ("I know which ones I like more than others.", []),
        ("I can't build well but my aim is okay.", []),
        ("Dogs love long walks.", []),
        ("Bet Max loves long walks.", [("likes", "long walks", "hedged")]),
        ("We love her courage as a trans woman.", []),
        ("One of my favorite books is Emma.", [("likes", "Emma", "stated")]),
        ("Another of my favorite books is Dune.", [("likes", "Dune", "stated")]),
        ("Turns out I am allergic to eggs after all.", [("allergy", "eggs", "stated")]),
        ("Finally moved to Lisbon last weekend.", [("lives_in", "Lisbon", "stated")]),
        ("我弟弟现在在自学钢琴。", []),
        ("我最喜欢的书之一是《沙丘》。", [("likes", "沙丘", "stated")]),
    ],
)
def test_a_slot_holds_what_was_said_and_no_more(words: str, slots: list[tuple[str, str, str]]) -> None:
    found = [(each.attribute, each.value, each.modality) for each in claims([said(words)]) if each.attribute]
    assert found == slots


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("My doctor told me I have gout.", "User's doctor told User they have gout"),
        ("我发小大明住在多哈。", "用户发小大明住在多哈"),
        ("I dislike orange 🍊 😒", "User dislikes orange"),
        ("My favorite colors are teal and mint.", "User's favorite colors are teal and mint"),
        ("My favorite series is The Bridge.", "User's favorite series is The Bridge"),
        ("I'm off to bed, how about you", "User is off to bed"),
        ("我超喜欢草莓🍓", "用户喜欢草莓"),
    ],
)
def test_a_sentence_is_told_with_one_name_and_whole(words: str, content: str) -> None:
    assert [each.content for each in claims([said(words)])] == [content]


@pytest.mark.parametrize("words", ["I'm a night owl", "I'm trying to cut down on sugar", "I was adopted"])
def test_what_somebody_is_counts_in_few_words(words: str) -> None:
    assert len(told(words)) == 1


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("Can you remember that I take my coffee black?", "User takes their coffee black"),
        ("could you note down that my son plays the oboe", "User's son plays the oboe"),
        ("能记一下我女儿不能吃鸡蛋吗", "用户的女儿不能吃鸡蛋"),
        ("你能帮我记住我不喝酒吗？", "用户不喝酒"),
    ],
)
def test_a_question_whether_it_can_be_remembered_is_a_wish_to_remember(words: str, content: str) -> None:
    assert told(words) == [content]


@pytest.mark.parametrize(
    ("asked", "answer", "slot"),
    [
        ("Where do you live?", "in Ghent, near the station", ("lives_in", "Ghent")),
        ("What do you do for a living?", "Nurse, mostly night shifts", ("occupation", "Nurse")),
        ("你住哪儿？", "泸州，江边上", ("lives_in", "泸州")),
        ("你做什么工作？", "护士，一般上夜班", ("occupation", "护士")),
    ],
)
def test_an_answer_fills_its_slot_with_what_comes_first(asked: str, answer: str, slot: tuple[str, str]) -> None:
    found = claims(talk(("assistant", asked), ("user", answer)))
    assert [(each.attribute, each.value) for each in found] == [slot]


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("我三月二号做胃镜，前一天晚上八点以后不能吃东西。", "用户2026年3月2日做胃镜，前一天晚上八点以后不能吃东西"),
        ("我十号到泉州，第二天早上九点开会。", "用户2026年2月10日到泉州，第二天早上九点开会"),
        (
            "I'm having a scope on April 2, nothing to eat after 8 pm the day before.",
            "User is having a scope on 2 April 2026, nothing to eat after 8 pm the day before",
        ),
    ],
)
def test_an_hour_of_the_day_before_is_none_of_the_day(words: str, content: str) -> None:
    assert told(words) == [content]


def test_who_has_long_moved_lives_there() -> None:
    (claim,) = claims([said("我早就搬到泉州了。")])
    assert (claim.attribute, claim.value) == ("lives_in", "泉州")


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("我喜欢晴朗、温暖的天气。", "用户喜欢晴朗、温暖的天气"),
        ("我喜欢苹果、梨和桃子。", "用户喜欢苹果、梨和桃子"),
        ("5我爸爸在泉州修船，修了三十年。", "用户的爸爸在泉州修船，修了三十年"),
    ],
)
def test_lists_are_whole_and_stray_numbers_are_not_told(words: str, content: str) -> None:
    assert content in told(words)


def test_what_helps_is_no_request() -> None:
    assert pieces("穿上合适的衣服出门见人，能够让我更加自信和舒适一些。") == [
        "穿上合适的衣服出门见人，能够让我更加自信和舒适一些。"
    ]


def test_a_thing_that_is_named_needs_no_topic() -> None:
    own = ("user", "我将要参加的茶艺分享会，它的规模是二百人。")
    told_of = [each.content for each in claims(talk(own, ("user", "这春水堂白瓷盖碗我用下来真不错，手感特别好。")))]
    assert "这春水堂白瓷盖碗用户用下来真不错，手感特别好" in told_of


@pytest.mark.parametrize(
    "words", ["父母终于就院子的事说好了。", "房东突然要涨租。", "我奶奶用起来很顺手。", "我爸准备去钓鱼。"]
)
def test_an_adverb_or_a_verb_behind_kin_is_no_name(words: str) -> None:
    assert not any("叫" in each for each in told(words))


@pytest.mark.parametrize(
    ("words", "content"),
    [
        ("[短信·发送·林峰] 收到。周四下午见面谈。", ["用户2026年2月5日下午见面谈"]),
        ("[短信·接收·林峰] （林峰） 好的。我下周搬到大理住。", ["林峰2026年2月9日那一周搬到大理住"]),
        ("[短信·接收·物业] 何先生，您好。您申请的车位已经批准了。", ["物业说用户申请的车位已经批准了"]),
        (
            "[SMS from Dana] Thanks! I'm moving to Oslo next week.",
            ["Dana is moving to Oslo in the week of 9 February 2026"],
        ),
    ],
)
def test_labels_and_greetings_of_messages_are_not_told(words: str, content: list[str]) -> None:
    assert told(words) == content


@pytest.mark.parametrize(
    ("words", "content"),
    [
        (
            "[笔记] 今日小结：陪爸散步半小时，走得很慢。"
            + "他今天精神不错，路上遇到了两位老邻居，聊起了以前工厂里的事情，笑了好几回。" * 3,
            "用户记录：2026年2月3日小结：",
        ),
        ("[笔记] 年末计划：学会修自行车。", "用户记录：年末计划："),
        (
            "[Note] Review of yesterday: the boiler was checked twice and the valve is new. We painted the whole fence "
            "behind the shed, which took the morning. The neighbours liked the colour and asked where we bought it.",
            "User noted: Review of 2 February 2026: ",
        ),
    ],
)
def test_the_title_of_a_note_has_its_date_written_out(words: str, content: str) -> None:
    assert told(words)
    assert all(each.startswith(content) for each in told(words))


@pytest.mark.parametrize(
    ("words", "slots"),
    [
        (
            "我姐姐现在在橡木学校当老师。",
            {("用户的姐姐", "works_at", "橡木学校"), ("用户的姐姐", "occupation", "老师")},
        ),
        (
            "我弟弟现在在体育学院当教练。",
            {("用户的弟弟", "works_at", "体育学院"), ("用户的弟弟", "occupation", "教练")},
        ),
        ("我妹妹也在舞蹈学院学芭蕾。", {("用户的妹妹", "studies_at", "舞蹈学院")}),
        ("我现在在海纳数据做数据分析师。", {("user", "works_at", "海纳数据"), ("user", "occupation", "数据分析师")}),
        ("我在上海当老师。", {("user", "occupation", "老师")}),
        (
            "I'm now a data analyst at Harbor Insights.",
            {("user", "works_at", "Harbor Insights"), ("user", "occupation", "data analyst")},
        ),
    ],
)
def test_where_somebody_works_or_studies_and_as_what(words: str, slots: set[tuple[str, str, str]]) -> None:
    assert {(each.subject, each.attribute, each.value) for each in claims([said(words)]) if each.attribute} == slots


@pytest.mark.parametrize(
    ("words", "slot"),
    [
        ("I'm Petra, 41, based in Bergen.", ("lives_in", "Bergen")),
        ("I'm a nurse, living in Cork.", ("lives_in", "Cork")),
        ("my wife's Danish", ("nationality", "Danish")),
    ],
)
def test_who_introduces_somebody_says_where_they_are_from(words: str, slot: tuple[str, str]) -> None:
    assert slot in {(each.attribute, each.value) for each in claims([said(words)])}


def test_whose_a_piece_is_makes_nobody_of_a_nation() -> None:
    assert not any(each.attribute for each in claims([said("We rehearse Dvorak's American.")]))


def test_for_whom_somebody_drives_is_kept() -> None:
    assert "User drives a lorry for DHL, nights mostly" in told("I drive a lorry for DHL, nights mostly.")


@pytest.mark.parametrize(
    "words", ["My medical is on the 28th, remind me to bring my glasses.", "我28号体检，提醒我带眼镜。"]
)
def test_a_reminder_is_for_the_day_that_is_named_right_before_it(words: str) -> None:
    reminder = next(each for each in claims([said(words)]) if each.attribute == "reminder")
    assert reminder.event_time and reminder.event_time.start.startswith("2026-02-28")
    assert reminder.expires and reminder.expires > "2026-02-28"
