"""Phase 2: what is kept, what is dropped and why, and how important it is."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import compress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spoken import claims, kept, night, said, screened, talk

from memory_system.phases import screen, segment
from memory_system.store.keys import quote_key

TALK = st.lists(
    st.tuples(
        st.sampled_from(("user", "assistant", "note")),
        st.sampled_from(
            (
                "Hi!", "Thanks a lot!", "I moved to Leeds in May.", "Where do you live?", "I'm allergic to nuts.",
                "It was fine.", "Remember that I hate calls.", "I'll remind you.", "```\nx = 1\n```", "…",
                "你好！", "谢谢！", "我五月搬到了苏州。", "你住哪儿？",
                "我对花生过敏。", "还行吧。", "记住我不吃香菜。", "我会提醒你的。",
            )
        ),
    ),
    max_size=20,
)  # fmt: skip


def tokens(text: str) -> int:
    """Latin words, Han characters and marks."""
    return len(re.findall(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]", text))


def importance(text: str, role: str = "user") -> float:
    (turn,) = screened([said(text, role)])
    return max(each.importance for each in turn.segments)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm allergic to peanuts", 1.0), ("My name is Nora Quill", 1.0), ("I prefer window seats", 0.8),
        ("I just quit my job", 0.8), ("I went to Bergen yesterday with Tom", 0.5),
        ("I have a meeting this afternoon, I'm off to it now", 0.2),
        ("我对花生过敏", 1.0), ("我叫周岚", 1.0), ("我更喜欢靠窗的座位", 0.8),
        ("我换工作了", 0.8), ("我昨天和小林去了北京", 0.5), ("今天下午开会，我要准备三份材料", 0.2),
    ],
)  # fmt: skip
def test_importance_by_nature(text: str, expected: float) -> None:
    assert importance(text) == expected


@pytest.mark.parametrize(
    ("plain", "marked", "change"),
    [
        ("The rent of my flat is 400 euros", "Remember that the rent of my flat is 400 euros", 0.5),
        ("The rent of my flat is 400 euros", "It is important: the rent of my flat is 400 euros", 0.3),
        ("The rent of my flat is 400 euros", "By the way, the rent of my flat is 400 euros", -0.2),
        ("我家的房租一共是四百块", "记住我家的房租一共是四百块", 0.5),
        ("我家的房租一共是四百块", "重要的是我家的房租一共是四百块", 0.3),
        ("我家的房租一共是四百块", "顺便说一下，我家的房租一共是四百块", -0.2),
    ],
)
def test_what_the_speaker_says_about_it_counts(plain: str, marked: str, change: float) -> None:
    assert importance(marked) == pytest.approx(importance(plain) + change)


@pytest.mark.parametrize("text", ["The rent of my flat is 400 euros", "我家的房租一共是四百块"])
def test_what_is_repeated_matters_more(text: str) -> None:
    first, second = screened([said(text, entry="1"), said(text, entry="2")])
    assert {each.importance for turn in (first, second) for each in turn.segments} == {0.7}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Hi there!", "greeting"), ("Thanks a lot!", "thanks"),
        ("Wow, that's cool!", "reaction"), ("Let me know!", "chatter"),
        ("What is the capital of Chad?", "question"), ("Please fix this function", "request"), ("It was.", "trivial"),
        ("早上好！", "greeting"), ("谢谢你！", "thanks"), ("哇，太棒了！", "reaction"), ("让我想想", "chatter"),
        ("乍得的首都是哪里？", "question"), ("帮我写一封信", "request"), ("是蓝的。", "trivial"),
    ],
)  # fmt: skip
def test_why_it_is_dropped(text: str, reason: str) -> None:
    tally: Counter[str] = Counter()
    assert screened([said(text)], tally) == []
    assert tally[f"segments.dropped.{reason}"] == tally["segments"] == 1


@pytest.mark.parametrize(
    "text",
    [
        "Remember that my locker is number 14", "From now on, answer in French", "I'm allergic to cats",
        "记住我的柜子是14号", "以后都用法语回答", "我对猫毛过敏",
    ],
)  # fmt: skip
def test_what_must_be_kept_is_kept_whatever_the_share(text: str) -> None:
    filler = [said(f"We walked {number} miles along the river on Sunday", entry=f"f{number}") for number in range(200)]
    assert text in kept([*filler, said(text, entry="last")], screen={"keep_share": 0.01})


@pytest.mark.parametrize("template", ["I walked {} miles along the river.", "我沿着河边走了{}里路。"])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_the_share_bounds_what_is_stored(template: str, share: float) -> None:
    messages = [said(template.format(number), entry=str(number)) for number in range(300)]
    stored = sum(tokens(each.content) for each in claims(messages, screen={"keep_share": share}))
    assert 0.8 * share < stored / sum(tokens(each.text) for each in messages) <= share


def test_a_repeat_takes_no_room() -> None:
    for texts in (
        ["I walked to the old mill.", "We rented a red canoe."],
        ["我走到了老磨坊。", "我们租了一条红色的小船。"],
    ):
        messages = [said(texts[number > 0], entry=str(number)) for number in range(100)]
        assert len(kept(messages, screen={"keep_share": 0.05})) == 100


@pytest.mark.parametrize("times", [1, 2, 5])
def test_saying_it_again_is_no_way_round_the_share(times: int) -> None:
    strong = [
        said(f"I painted {number} doors in Ghent with Ada on Sunday.", entry=f"f{number}") for number in range(100)
    ]
    weak = "The path behind that place goes on and on in the same manner past walls and gates and further walls."
    repeats = [said(weak, entry=f"r{number}") for number in range(times)]
    assert weak not in kept([*strong, *repeats], screen={"keep_share": 0.1})


@pytest.mark.parametrize(
    ("template", "reaction", "answer"),
    [
        ("We painted door {} of the old house in green.", "Wow, that's so cool!", "We had rain all day in the valley."),
        ("我们把老房子的第{}扇门刷成了绿色。", "哇，太棒了！", "山谷里整天都在下雨。"),
    ],
)
def test_what_another_reacts_to_was_news(template: str, reaction: str, answer: str) -> None:
    talked = [
        message
        for number in range(10, 50)
        for message in (
            said(template.format(number), entry=f"a{number}", speaker="Ida"),
            said(reaction if number % 5 == 0 else answer, "assistant", entry=f"b{number}", speaker="Ole"),
        )
    ]
    held = kept(talked, screen={"keep_share": 0.15})
    assert {template.format(number) for number in range(10, 50, 5)} <= set(held)
    alone = [replace(each, speaker="Ida", role="user") for each in talked]  # whoever reacts to oneself has told no news
    assert sum(template.format(number) in kept(alone, screen={"keep_share": 0.15}) for number in range(10, 50, 5)) < 8


def test_what_is_stored_already_takes_no_room() -> None:
    texts = [f"We painted {number} doors of the old house in green and white." for number in range(40)]
    messages = [said(each, entry=str(number)) for number, each in enumerate(texts)]
    stored = {quote_key("user", each) for each in texts[:20]}
    taken = screen.run(
        lambda marks: compress(segment.run(messages, night(), Counter()), marks),
        night(screen={"keep_share": 0.3}),
        Counter(),
        known=stored.__contains__,
    )
    assert len({turn.message.entry for turn in taken} & set(map(str, range(20)))) == 20


def test_a_handful_of_statements_is_not_rationed() -> None:
    texts = [
        "I went to Bergen last summer.",
        "My sister plays the cello.",
        "我去年夏天去了敦煌。",
        "我妹妹会拉大提琴。",
    ]
    assert kept([said(each, entry=str(number)) for number, each in enumerate(texts)]) == texts


def test_what_an_assistant_says_is_seldom_kept() -> None:
    english = talk(
        ("user", "What should I read?"), ("assistant", "I'd recommend The Blue Fox."),
        ("user", "My flight is on Friday at nine."),
        ("assistant", "I'll remind you on Thursday to check in. You are a nurse from Leeds."),
        ("user", "Thanks."), ("assistant", "I'll remind you on Thursday."),
    )  # fmt: skip
    chinese = talk(
        ("user", "有什么书推荐吗？"), ("assistant", "我推荐你读《边城》。"),
        ("user", "我周五九点的飞机。"), ("assistant", "我会在周四提醒你值机。你是成都的护士。"),
        ("user", "谢谢。"), ("assistant", "我会在周四提醒你的。"),
    )  # fmt: skip
    assert kept(english) == [
        "I'd recommend The Blue Fox.",
        "My flight is on Friday at nine.",
        "I'll remind you on Thursday to check in.",
    ]
    assert kept(chinese) == ["我推荐你读《边城》。", "我周五九点的飞机。", "我会在周四提醒你值机。"]


@pytest.mark.parametrize(
    "text",
    [
        "How can I deploy my weather app with version 2.3.1 of the library?",
        "Please review the cover letter for my application at Harbour Films",
        "我的天气应用用的是 Flask 2.3.1，怎么部署到我租的服务器上？",
    ],
)
def test_a_question_that_tells_something_of_the_speaker_is_kept(text: str) -> None:
    assert kept([said(text)])


@pytest.mark.parametrize(
    ("asked", "topic", "rest"),
    [
        ("How do I prune my old apple tree?", "Prune the apple tree in late winter.", "Cut branch {} back to a bud."),
        ("怎么给我的老苹果树剪枝？", "苹果树要在冬末剪枝。", "把第{}根枝条剪到芽的上方。"),
    ],
)
def test_of_a_long_answer_only_a_short_part_is_kept(asked: str, topic: str, rest: str) -> None:
    answer = " ".join([topic, *(rest.format(number) for number in range(150))])
    assert len(answer) > 1500
    taken = [each for each in kept(talk(("user", asked), ("assistant", answer))) if each != asked]
    assert "".join(taken).startswith(topic)
    assert tokens("".join(taken)) < 0.5 * tokens(answer)


def test_a_person_in_the_assistants_place_counts_as_a_person() -> None:
    messages = talk(("user", "Hi Tom!", "Ana"), ("assistant", "Hi! I moved to Leeds in May.", "Tom"))
    assert kept(messages) == ["I moved to Leeds in May."]


@pytest.mark.parametrize("text", ["Decided to build the shed in brick", "决定用砖来盖棚子"])
def test_notes_are_kept(text: str) -> None:
    assert kept([said(text, "note")]) == [text]


@given(TALK)
def test_the_sums_close(messages: list[tuple[str, str]]) -> None:
    tally: Counter[str] = Counter()
    turns = screened(talk(*messages), tally)
    dropped = sum(count for name, count in tally.items() if name.startswith("segments.dropped."))
    assert tally["segments"] == tally["segments.kept"] + dropped
    assert tally["segments.kept"] == sum(len(turn.segments) for turn in turns)
    assert all(0 <= each.importance <= 1 for turn in turns for each in turn.segments)


def test_what_leans_on_the_sentence_before_is_kept_with_it() -> None:
    """ "It broke down twice" says nothing to one who does not know what did."""
    filler = [
        "My uncle repairs clocks in a cellar in Ghent.",
        "Tuesdays are for the choir.",
        "叔叔在根特的地下室里修钟表。",
    ]
    trains = {
        "And it broke down twice near Kaunas on 3 May.": "The night train was full.",
        "我觉得它五月三日在考纳斯附近坏了两次。": "夜车上人很多。",
    }
    spoken = filler * 9 + [before + " " * before.isascii() + after for after, before in trains.items()]
    lines = [said(text, entry=str(number)) for number, text in enumerate(spoken)]
    held = [kept(lines, screen={"keep_share": share}) for share in (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)]
    for after, before in trains.items():
        assert any(after in each for each in held)
        assert all(before in each for each in held if after in each)


@pytest.mark.parametrize(
    ("empty", "telling"),
    [
        ("I won't quit!", "I won't quit the choir!"),
        ("I'll do that soon.", "I'll do 40 of them soon."),
        ("我也是这么觉得的。", "我也觉得这座桥太窄。"),
    ],
)
def test_what_only_the_two_understand_is_nothing_to_remember(empty: str, telling: str) -> None:
    assert kept([said(empty)]) == []
    assert kept([said(telling)]) == [telling]


def test_how_somebody_is_today_is_nothing_to_remember() -> None:
    assert kept(talk(("user", "How are you?", "Ana"), ("assistant", "I'm doing great!", "Ben"))) == []


def test_a_share_of_one_keeps_all_that_is_no_noise() -> None:
    short = ["I can't stand coriander.", "I sold my boat.", "我讨厌香菜。", "我卖掉了船。"]
    lines = [said(f"{text[:-1]} {number}{text[-1]}", entry=str(number)) for number, text in enumerate(short * 20)]
    assert len(kept(lines, screen={"keep_share": 1.0})) == len(lines)


@pytest.mark.parametrize(
    "words",
    [
        "I'll keep plugging away and stay optimistic.",
        "If you have any wishes for the menu, let me know, and I can suggest a soup.",
        "Talk again tomorrow!",
        "Will do! Chat soon and take care!",
        "Appreciate the advice!",
    ],
)
def test_what_only_resolves_offers_or_takes_leave_is_not_kept(words: str) -> None:
    assert kept([said(words)]) == []
    assert kept([said("I'll keep working on my old boat in Bergen.")])


@pytest.mark.parametrize("words", ["My password is [secret:password].", "我的密码是 [secret:password]。"])
def test_what_tells_nothing_but_a_secret_takes_no_room(words: str) -> None:
    assert kept([said(words), said("My sister Mira rows.", entry="2")], screen={"keep_share": 1}) == [
        "My sister Mira rows."
    ]
