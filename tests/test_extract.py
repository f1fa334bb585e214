"""Phase 3: what kept segments mean, as claims about the right one, told in the third person."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import claim_of, claims, said, talk, told

from memory_system import rules
from memory_system.turns import Message

EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.id}-{number}")
    for lang in ("en", "zh")
    for rule in rules.load(lang, examples=True)["claim"].rules
    for number, example in enumerate(rule.yes)
]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_every_claim_rule_gives_what_its_examples_say(rule: rules.Rule, example: dict[str, Any]) -> None:
    found = [each for each in claims([said(example["text"])]) if each.method == f"rule:{rule.id}"]
    assert [(each.value, each.content) for each in found] == [(example["value"], example["content"])]


def slots(messages: list[Message]) -> set[tuple[str, str, str]]:
    return {(each.subject, each.attribute, each.value) for each in claims(messages) if each.attribute}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went to Paris with Tom", ["User went to Paris with Tom"]),
        ("The old bridge was closed for two whole years", ["User says the old bridge was closed for two whole years"]),
        ("My sister plays in a band in Cork", ["User's sister plays in a band in Cork"]),
        ("我和小林去了敦煌", ["用户和小林去了敦煌"]),
        ("那座老桥一直关着维修", ["用户说那座老桥一直关着维修"]),
        ("我妹妹在一个乐队里打鼓", ["用户的妹妹在一个乐队里打鼓"]),
    ],
)
def test_any_other_statement_is_told_in_the_third_person(text: str, expected: list[str]) -> None:
    assert told(text) == expected


def test_a_name_keeps_its_number() -> None:
    named = slots(talk(("user", "My friend Max2 lives in Leeds."), ("user", "My friend Max3 lives in York.")))
    assert {("Max2", "lives_in", "Leeds"), ("Max3", "lives_in", "York")} <= named
    assert {("user", "friend", "Max2"), ("user", "friend", "Max3")} <= named


def test_a_named_speaker_is_called_by_name() -> None:
    english, chinese = (
        claim_of("I went to Paris with Tom", speaker="Nora"),
        claim_of("我和小林去了敦煌", speaker="周岚"),
    )
    assert (english.content, english.subject) == ("Nora went to Paris with Tom", "Nora")
    assert (chinese.content, chinese.subject) == ("周岚和小林去了敦煌", "周岚")


def test_a_person_in_the_assistants_place_speaks_for_themselves() -> None:
    english = claims(
        talk(
            ("user", "I grow roses and beans in my garden.", "Ana"),
            ("assistant", "I live in Leeds and I love your garden.", "Tom"),
        )
    )
    chinese = claims(
        talk(("user", "我在花园里种了玫瑰和豆角。", "周岚"), ("assistant", "我住在苏州，我很想看你的花园。", "林溪"))
    )
    assert {each.subject for each in english} == {"Ana", "Tom"}
    assert "Tom lives in Leeds" in [each.content for each in english]
    assert any("Ana's garden" in each.content for each in english)
    assert {each.subject for each in chinese} == {"周岚", "林溪"}
    assert "林溪住在苏州" in [each.content for each in chinese]
    assert any("周岚的花园" in each.content for each in chinese)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Iris is my sister. She lives in Oslo and she is allergic to nuts.",
            {("Iris", "relation", "sister"), ("Iris", "lives_in", "Oslo"), ("Iris", "allergy", "nuts")},
        ),
        ("My brother Tom works at Fernway.", {("user", "sibling", "Tom"), ("Tom", "works_at", "Fernway")}),
        ("李雷是我的表弟，身高169cm", {("李雷", "relation", "表弟"), ("李雷", "height", "169cm")}),
        ("我表弟在浙江宁波工作呢。", {("用户的表弟", "works_in", "浙江宁波")}),
        ("金融科技论坛的地点是北京", {("金融科技论坛", "place", "北京")}),
        (
            "我叫周岚，住在成都，对花生过敏",
            {("user", "name", "周岚"), ("user", "lives_in", "成都"), ("user", "allergy", "花生")},
        ),
    ],
)
def test_whom_a_slot_is_about(text: str, expected: set[tuple[str, str, str]]) -> None:
    assert slots([said(text)]) == expected


def test_a_name_that_was_introduced_is_known_afterwards() -> None:
    chinese = slots(talk(("user", "我有个朋友叫知夏。"), ("user", "知夏住在青岛。"), ("user", "知夏对海鲜过敏。")))
    english = claims(
        talk(
            ("user", "I'm working on a project called driftwood."), ("user", "driftwood is written in Rust these days.")
        )
    )
    assert chinese == {("user", "friend", "知夏"), ("知夏", "lives_in", "青岛"), ("知夏", "allergy", "海鲜")}
    assert [each.subject for each in english] == ["user", "driftwood"]
    assert english[1].content == "Driftwood is written in Rust these days (as of 3 February 2026)"


def test_names_of_earlier_nights_are_known_too() -> None:
    from spoken import night, screened

    from memory_system.phases import extract

    turns = screened([said("知夏搬到了烟台。")])
    (claim,) = extract.run(turns, night(), Counter(), known=["知夏"])
    assert (claim.subject, claim.attribute, claim.value) == ("知夏", "lives_in", "烟台")


@pytest.mark.parametrize(
    ("text", "confidence", "words"),
    [
        ("I might be allergic to shellfish", 0.6, "might"), ("I'll probably move to Leeds", 0.7, "probably"),
        ("I'm not sure if I like my new job", 0.4, "not sure"), ("I heard that Tom moved to Oslo", 0.6, "heard"),
        ("我可能对虾过敏", 0.6, "可能"), ("我估计下个月要搬家", 0.7, "估计"),
        ("我不太确定要不要换工作", 0.4, "不太确定"), ("听说小林搬到了大理", 0.6, "听说"),
    ],
)  # fmt: skip
def test_what_is_hedged_or_heard_is_less_sure_and_says_so(text: str, confidence: float, words: str) -> None:
    claim = claim_of(text)
    assert claim.confidence == confidence
    assert claim.basis
    assert words in claim.content


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("If I were rich I'd live in Rome", "hypothetical"), ("I wish I had a dog and a garden", "hypothetical"),
        ("I live in a lighthouse, just kidding", "joke"), ("I own ten castles. Just kidding!", "joke"),
        ("要是我有一只狗就好了", "hypothetical"), ("假如我住在海边，我天天游泳", "hypothetical"),
        ("我住在灯塔里，开玩笑的", "joke"), ("我有十座城堡。逗你的！", "joke"),
    ],
)  # fmt: skip
def test_what_is_not_meant_gives_nothing(text: str, reason: str) -> None:
    tally: Counter[str] = Counter()
    assert claims([said(text)], tally) == []
    assert tally[f"kept.without_claim.{reason}"] == 1


@pytest.mark.parametrize(
    ("text", "reason", "content"),
    [
        ("Our new stove is quick and clean. I wish I had bought it before.", "hypothetical",
         "User's new stove is quick and clean"),
        ("星云相机的外形挺好看的，拍夜景也清楚。就是电池如果能再耐用一点就好了。", "hypothetical",
         "用户说星云相机的外形挺好看的，拍夜景也清楚"),
    ],
)  # fmt: skip
def test_a_wish_that_follows_takes_nothing_from_what_was_meant(text: str, reason: str, content: str) -> None:
    tally: Counter[str] = Counter()
    assert [each.content for each in claims([said(text)], tally)] == [content]
    assert tally[f"kept.without_claim.{reason}"] == tally["kept.with_claim"] == 1


@pytest.mark.parametrize(
    "text",
    [
        'The waiter said "I never eat meat" and brought the steak',
        "Where should I live in Leeds?", "Can you say: I'm a nurse?",
        "服务员说“我从不吃肉”，然后端来了牛排", "我在苏州住哪里好？", "能不能说：我是护士？",
    ],
)  # fmt: skip
def test_questions_and_other_peoples_words_fill_no_slot_of_the_user(text: str) -> None:
    assert not {each for each in slots([said(text)]) if each[0] == "user"}


def test_what_an_assistant_says_of_the_user_is_no_fact() -> None:
    english = claims(talk(("user", "I'm back from work."), ("assistant", "You told me you live in Leeds.")))
    chinese = claims(talk(("user", "我下班回到家了。"), ("assistant", "你之前说过你住在成都。")))
    for claim in (english[-1], chinese[-1]):
        assert claim.role == "assistant"
        assert claim.confidence < 0.5
        assert not claim.attribute
        assert claim.subject == "assistant"


def test_promises_and_recommendations_of_the_assistant() -> None:
    english = claims(talk(("user", "Any good book?"), ("assistant", "I'd recommend The Blue Fox.")))
    chinese = claims(talk(("user", "有什么书推荐吗？"), ("assistant", "我推荐你读《边城》。")))
    assert [each.content for each in english] == ["The assistant would recommend The Blue Fox"]
    assert [each.content for each in chinese] == ["助手推荐用户读《边城》"]
    assert "边城" in chinese[0].entities


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("I moved to Porto", "lives_in", "Porto"), ("Actually, my birthday is 4 May", "birthday", "4 May"),
        ("No wait, I said it wrong: my birthday is 4 May", "birthday", "4 May"),
        ("I no longer like coffee", "dislikes", "coffee"),
        ("我搬到苏州了", "lives_in", "苏州"), ("不对，我的生日是五月四号", "birthday", "五月四号"),
        ("更正一下，之前说错了，我的生日是五月四号", "birthday", "五月四号"), ("我不再喜欢咖啡了", "dislikes", "咖啡"),
    ],
)  # fmt: skip
def test_corrections_and_changes_give_the_new_value(text: str, attribute: str, value: str) -> None:
    claim = claim_of(text)
    assert (claim.attribute, claim.value, claim.correction) == (attribute, value, True)


@pytest.mark.parametrize(("text", "value"), [("I'm not allergic to cats", "cats"), ("我对猫毛不过敏", "猫毛")])
def test_a_denial_keeps_its_slot(text: str, value: str) -> None:
    claim = claim_of(text)
    assert (claim.attribute, claim.value, claim.polarity) == ("allergy", value, False)


@pytest.mark.parametrize(
    ("text", "content", "start"),
    [
        ("I met Tom yesterday in Oslo", "User met Tom on 2 February 2026 in Oslo", "2026-02-02"),
        (
            "I have a dentist appointment tomorrow at 3 pm",
            "User has a dentist appointment at 3 pm on 4 February 2026",
            "2026-02-04",
        ),
        ("我昨天在大理见了小林", "用户2026年2月2日在大理见了小林", "2026-02-02"),
        ("明天下午三点我要去看牙", "2026年2月4日下午3点用户要去看牙", "2026-02-04"),
    ],
)
def test_dates_are_written_out(text: str, content: str, start: str) -> None:
    claim = claim_of(text)
    assert claim.content == content
    assert claim.event_time is not None
    assert claim.event_time.start.startswith(start)


@pytest.mark.parametrize("text", ["I have a dentist appointment tomorrow at 3 pm", "明天下午三点我要去看牙"])
def test_a_schedule_runs_out_a_day_after_it(text: str) -> None:
    claim = claim_of(text)
    assert (claim.category, claim.expires) == ("schedule", "2026-02-05T16:00:00Z")
    assert claim_of(text, expiry={"schedule": 3}).expires == "2026-02-07T16:00:00Z"


@pytest.mark.parametrize("text", ["I'm planning to learn the cello", "我打算学大提琴"])
def test_a_plan_without_a_time_does_not_run_out(text: str) -> None:
    claim = claim_of(text)
    assert (claim.attribute, claim.modality, claim.expires) == ("plan", "planned", None)


@pytest.mark.parametrize(
    ("asked", "answer", "expected"),
    [
        ("So where do you live?", "In Porto", ("lives_in", "Porto", "User lives in Porto")),
        ("How old are you?", "34", ("age", "34", "User is 34 years old")),
        ("那你住哪儿?", "杭州", ("lives_in", "杭州", "用户住在杭州")),
        ("你叫什么名字？", "周岚", ("name", "周岚", "用户的名字是周岚")),
    ],
)
def test_a_bare_answer_means_what_was_asked(asked: str, answer: str, expected: tuple[str, str, str]) -> None:
    (claim,) = claims(talk(("assistant", asked), ("user", answer)))
    assert (claim.attribute, claim.value, claim.content) == expected


def test_marks_of_notes() -> None:
    stated = claim_of("W: The build server runs Rust 1.84", "note")
    opinion = claim_of("O(c=0.8): Nora cares more for speed than for looks", "note")
    chinese = claim_of("O: 周岚更看重流畅，不太在意动画 (c=0.7)", "note")
    assert (stated.content, stated.confidence) == ("The build server runs Rust 1.84", 1.0)
    assert (opinion.content, opinion.confidence) == ("Nora cares more for speed than for looks", 0.8)
    assert (chinese.content, chinese.confidence) == ("周岚更看重流畅，不太在意动画", 0.7)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("My sister Ruth is pregnant.", {"User's sister Ruth is pregnant"}),
        ("My daughter Nell sings.", {"User's daughter Nell sings"}),
        (
            "My sister Ruth is pregnant, due in August!",
            {"User's sister is called Ruth", "User's sister Ruth is pregnant, due in August 2026"},
        ),
        (
            "My grandfather Emil died in 2019.",
            {"User's grandfather is called Emil", "User's grandfather Emil died in 2019"},
        ),
        ("My sister's name is Ruth.", {"User's sister is called Ruth"}),
        ("My sister Ruth is a nurse.", {"User's sister is called Ruth", "Ruth is a nurse"}),
        ("我爷爷张德山去年去世了。", {"用户的爷爷叫张德山", "用户的爷爷张德山2025年去世了"}),
        (
            "我妹妹知夏在成都读书，周五要来。",
            {"用户的妹妹叫知夏", "用户的妹妹知夏在成都读书，2026年2月6日（周五）要来"},
        ),
        ("我妹妹叫小雯。", {"用户的妹妹叫小雯"}),
    ],
)
def test_who_is_named_in_passing_is_told_with_what_they_do(words: str, told: set[str]) -> None:
    assert {each.content for each in claims([said(words)])} == told


def test_labels_in_brackets_say_who_speaks() -> None:
    english = claim_of("[SMS from Dana] I moved to Leeds last year with my dog")
    chinese = claim_of("[短信·接收·周女士] 我上周搬到了苏州，一切都好")
    calendar = claim_of("[Calendar 2026-05-04 10:00] Swimming lesson for the twins")
    assert "Dana" in {english.subject, english.content.split()[0]}
    assert english.subject == "Dana"
    assert chinese.subject == "周女士"
    assert calendar.content == "User's calendar (2026-05-04 10:00): Swimming lesson for the twins"
    assert calendar.event_time is not None
    assert calendar.expires is None  # what was done that day is not over with it


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Look!\n[shared image: a red bike on a pier]", "User shared an image: a red bike on a pier"),
        ("看！\n[图片：码头上一辆红色自行车]", "用户分享了图片：码头上一辆红色自行车"),
    ],
)
def test_a_described_picture(text: str, content: str) -> None:
    assert told(text) == [content]


def test_a_claim_stands_on_its_words() -> None:
    message = said("Hi Ada! I live in Porto now. 顺便说一下", entry="7")
    (claim,) = claims([message])
    assert claim.quote == message.text[slice(*claim.span)] == "I live in Porto now."
    assert (claim.ref, claim.said_at, claim.role, claim.lang) == ("s:7", message.said_at, "user", "en")
    assert claim.method == "rule:en.status.lives_in"


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        (
            "I saw Hamlet with Tom Berg in New York on Monday, wow",
            {"User", "Tom Berg", "New York"},
            {"Monday", "Wow", "I"},
        ),
        ("我和张伟去了绿湖公园，还读了《边城》", {"用户", "张伟", "绿湖公园", "边城"}, {"周一", "今天"}),
    ],
)
def test_entities_are_names(text: str, present: set[str], absent: set[str]) -> None:
    names = {name for each in claims([said(text)]) for name in each.entities}
    assert present <= names
    assert not absent & names


PIECES = st.sampled_from(
    (
        "I live in Leeds", "my sister Iris is allergic to nuts", "if I were rich",
        "just kidding", "she likes tea", "Tom is my friend",
        "I might move to Oslo tomorrow", "where do you live?", "[SMS from Dana]",
        "remember that I hate calls", "\"I said so\"", "O(c=0.8):",
        "我住在成都", "我妹妹对花生过敏", "要是我有钱就好了", "逗你的",
        "她喜欢喝茶", "李雷是我的表弟", "我可能明天搬家", "你住哪儿？",
        "【笔记】", "记住我不吃香菜", "“我说过”", "，", ". ", "\n", "！", "😀", "'", "I'd",
    )
)  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from(("user", "assistant", "note")), st.lists(PIECES, max_size=8).map("".join)), max_size=6
    )
)
def test_the_sums_close_whatever_is_said(messages: list[tuple[str, str]]) -> None:
    tally: Counter[str] = Counter()
    found = claims(talk(*messages), tally)
    without = sum(count for name, count in tally.items() if name.startswith("kept.without_claim."))
    assert tally["segments.kept"] == tally["kept.with_claim"] + without
    assert tally["claims"] == len(found)
    for claim in found:
        assert claim.content
        assert 0 <= claim.importance <= 1
        assert 0 < claim.confidence <= 1
        assert claim.quote in messages[int(claim.ref.partition(":")[2]) - 1][1]


@given(st.text(max_size=120))
def test_no_text_breaks_it(text: str) -> None:
    claims([said(text), said(text, "assistant", entry="2"), said(text, "note", entry="3")])


def test_each_sentence_is_told_in_its_own_language() -> None:
    texts = ("My name is Ana. 我对虾过敏。 I live in Porto.", "我叫安娜，住在波尔图。 I'm allergic to shrimps.")
    found = [claim for text in texts for claim in claims([said(text)])]
    assert {(claim.attribute, claim.value, claim.lang) for claim in found} >= {
        ("name", "Ana", "en"), ("allergy", "虾", "zh"), ("lives_in", "Porto", "en"), ("allergy", "shrimps", "en"),
    }  # fmt: skip
    assert {claim.content for claim in found} >= {"用户对虾过敏", "User is allergic to shrimps"}


@pytest.mark.parametrize(
    "text",
    ["My recital is planned for May 2026. I mostly play in the mornings.", "演出定在2026年5月。我一般早上练琴。"],
)
def test_what_is_to_come_is_told_apart_from_what_lasts(text: str) -> None:
    assert len(told(text)) == 2


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The harbour froze over last winter. People skated to the island.", ["froze", "island"]),
        ("去年冬天港口结了冰。大家滑冰去了岛上。", ["结了冰", "岛上"]),
    ],
)
def test_short_neighbours_are_told_together(text: str, parts: list[str]) -> None:
    (content,) = told(text)
    assert all(part in content for part in parts)


@pytest.mark.parametrize(
    ("text", "certain", "guessed"),
    [
        ("The old mill on the river burnt down. Maybe the baker buys the site.", "burnt down", "baker"),
        ("河边的老磨坊烧掉了。也许面包师傅会买那块地。", "烧掉", "面包师傅"),
    ],
)
def test_a_guess_beside_it_makes_nothing_less_certain(text: str, certain: str, guessed: str) -> None:
    known, guess = claims([said(text)])
    assert (certain in known.content, guessed in known.content, known.confidence) == (True, False, 1)
    assert guessed in guess.content
    assert guess.confidence < 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("The baker bought the old mill. It might become a museum.", ["bought", "might become a museum"]),
        ("面包师傅买下了老磨坊。它可能会变成博物馆。", ["买下", "可能会变成博物馆"]),
        ("I baked a lemon cake on Sunday, maybe you would like a piece.", ["lemon cake", "maybe"]),
        ("我星期天烤了一个柠檬蛋糕，你可能也想尝一小块。", ["柠檬蛋糕", "可能"]),
        ("My sister is allergic to nickel, so who knows whether she can wear it.", ["nickel", "who knows"]),
    ],
)
def test_what_is_guessed_beside_what_is_certain_is_told_as_a_guess(text: str, parts: list[str]) -> None:
    (claim,) = claims([said(text)])
    assert all(part in claim.content for part in parts)
    assert claim.confidence == 1


@pytest.mark.parametrize(
    "text",
    [
        "When the harbour freezes over, maybe we can skate to the island.",
        "If she calls me back, I might go to Leeds with her.",
        "She moved to the island last winter, I guess.",
        "Maybe I left it on the ferry, I was so tired.",
        "等港口结了冰，我们也许可以滑冰去岛上。",
        "她去年冬天搬到岛上去了，好像是吧。",
        "可能我把它忘在船上了，我太累了。",
    ],
)
def test_what_a_guess_depends_on_and_what_it_is_about_are_no_more_certain(text: str) -> None:
    assert claim_of(text).confidence < 1


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I´m allergic to nickel", "User is allergic to nickel"),
        ("We`ve already painted the old boat", "User and others have already painted the old boat"),
        ("I call `run` and `test`s twice a day", "User calls `run` and `test`s twice a day"),
    ],
)
def test_what_is_typed_for_an_apostrophe_is_one(text: str, content: str) -> None:
    assert content in told(text)


@pytest.mark.parametrize(
    "text",
    ["We painted the kitchen green. I'm going to the dentist tomorrow.", "我们把厨房刷绿了。我打算明天去看牙医。"],
)
def test_what_is_told_beside_an_appointment_does_not_run_out_with_it(text: str) -> None:
    painted, appointment = claims([said(text)])
    assert painted.expires is None
    assert appointment.expires


@pytest.mark.parametrize(
    ("text", "apart"), [("I live in Leeds. People skate to the island.", 2), ("我住在成都。大家滑冰去了岛上。", 2)]
)
def test_what_fills_a_slot_is_told_by_itself(text: str, apart: int) -> None:
    assert len(told(text)) == apart


def test_what_an_assistant_says_is_what_it_said() -> None:
    claim = next(
        each
        for each in claims(
            talk(
                ("user", "What should I read on the train?"), ("assistant", "Maybe try The Blue Fox; I'd recommend it.")
            )
        )
        if each.role == "assistant"
    )
    assert claim.subject == "assistant"
    assert claim.confidence == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("我表弟的身高只有153厘米。", "153厘米"),
        ("我表弟的身高才153厘米", "153厘米"),
        ("我表弟的身高是153厘米。", "153厘米"),
    ],
)
def test_a_number_is_the_same_whatever_one_thinks_of_it(text: str, value: str) -> None:
    assert ("用户的表弟", "height", value) in slots([said(text)])


def test_a_plan_told_beside_what_is_over_does_not_run_out() -> None:
    past, ahead = "I was fired yesterday, so I'm going to open a bakery.", "I'm going to open a bakery tomorrow."
    assert [each.expires for each in claims([said(past)])] == [None]
    [plan] = claims([said(ahead)])
    assert plan.expires


@pytest.mark.parametrize("text", ["My name is not Bob.", "我的名字不是小王。", "我不叫小王。"])
def test_a_name_that_is_denied_is_no_name(text: str) -> None:
    assert not [each for each in claims([said(text)]) if each.attribute == "name"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (
            "I adopted a parrot in Lyon last spring. I named it Coco after my aunt.",
            "User adopted a parrot in Lyon in spring 2025. User named it Coco after User's aunt",
        ),
        (
            "I went hiking in the Harz with Tom and my cousin. It was so foggy that we lost the path twice.",
            "User went hiking in the Harz with Tom and User's cousin. It was so foggy that User and others lost the"
            " path twice",
        ),
        (  # who somebody is does not begin another thought
            "I'm thinking of asking Amir, a friend from the boat club, to read my letter before March 20.",
            "User is thinking of asking Amir, a friend from the boat club, to read User's letter before 20 March 2026",
        ),
        (
            "我上周在苏州买了一把旧吉他。那把琴的声音特别好，我很喜欢它。",
            "用户2026年2月3日的前一周在苏州买了一把旧吉他。那把琴的声音特别好，用户很喜欢它",
        ),
    ],
)
def test_a_sentence_that_leans_on_another_is_told_with_it(text: str, whole: str) -> None:
    assert whole in told(text)


def test_nobody_is_called_after_themselves() -> None:
    """A name of whoever has that name says nothing."""
    names = [each for each in claims([said("沈清如是我的母亲，其姓名是沈清如。")]) if each.attribute == "name"]
    assert not names


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Please answer in French.", ["User wants the assistant to answer in French"]),
        ("请用法语回答。", ["用户要求助手用法语回答"]),
        ("I like hiking and hate bitter melon.", ["User likes hiking", "User dislikes bitter melon"]),
        ("我喜欢爬山和喝普洱茶，最讨厌苦瓜", ["用户喜欢爬山和喝普洱茶", "用户讨厌苦瓜"]),
        ("我抽烟。", ["用户抽烟"]),
        ("妈妈昨天去了医院复查。", ["用户的妈妈2026年2月2日去了医院复查"]),
        ("妈妈是世界上最好的人。", ["用户说妈妈是世界上最好的人"]),
        ("Mum is afraid of lifts.", ["User's mum is afraid of lifts"]),
        ("I think the museum in Basel is wonderful.", ["User thinks the museum in Basel is wonderful"]),
        ("我的上司老家在江苏南通。", ["用户的上司来自江苏南通"]),
        ("我儿子学校开了陶艺班，他很喜欢。", ["用户的儿子学校开了陶艺班，他很喜欢"]),
        ("我下个月想去挪威徒步。", ["用户2026年3月想去挪威徒步"]),
        ("I'm using Blender 4.1.2.", ["User uses Blender 4.1.2"]),
        (
            "Now I live off something I'm passionate about - I'm carving spoons.",
            ["Now User lives off something they are passionate about - they are carving spoons"],
        ),
        (
            "I just opened a shop for old maps - cool, huh?",
            ["User just opened a shop for old maps (as of 3 February 2026) - cool, huh"],
        ),
        (
            "Wow, was I surprised by the snow in Oslo, and I sort of miss it.",
            ["Was User surprised by the snow in Oslo, and User sort of misses it"],
        ),
    ],
)
def test_what_is_told_in_short_is_told_right(text: str, contents: list[str]) -> None:
    assert told(text) == contents


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("I think the museum in Basel is wonderful.", True),
        ("I think he works at the museum in Basel.", False),
        ("I think the museum in Basel opens at 9.", False),
        ("我觉得巴塞尔的博物馆特别好看。", True),
        ("我觉得他在巴塞尔的博物馆工作。", False),
        ("我猜巴塞尔的博物馆今天不开门。", False),
    ],
)
def test_an_opinion_is_stated_and_a_guess_is_not(text: str, sure: bool) -> None:
    assert (claim_of(text).confidence == 1.0) is sure


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("我不是对虾过敏，是对螃蟹过敏。", [("虾", False), ("螃蟹", True)]),
        ("我没有对虾过敏。", [("虾", False)]),
        ("I said I was allergic to latex, but it's actually nickel.", []),
        ("我之前说我对花生过敏，其实是对榛子。", []),
    ],
)
def test_an_allergy_that_is_denied_or_was_a_mistake_is_none(text: str, slots: list[tuple[str, bool]]) -> None:
    found = claims([said(text)])
    assert [(each.value, each.polarity) for each in found if each.attribute == "allergy"] == slots
    assert found
