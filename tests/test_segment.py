"""Phase 1: where messages are cut, and what each piece is."""

from __future__ import annotations

import re
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_system.phases.understanding.essays import PASSAGE, passages_of, width
from spoken import kinds, pieces, said, segmented, talk

from memory_system import text
from memory_system.phases.segment import LONG

WORDS = st.sampled_from(
    (
        "I", "we", "my", "sister", "likes", "tea,", "but", "also", "The rent is 400 euros.", "Really?", "Yes!",
        "```x```",
        "我", "住在", "成都，", "但是", "我妹妹", "喜欢", "茶。", "你呢？", "好的！", "“说”", "| a |", "\n",
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Leeds. My sister moved to Oslo.", ["I live in Leeds.", "My sister moved to Oslo."]),
        ("I love strong tea, but my sister hates it", ["I love strong tea,", "but my sister hates it"]),
        ("The move went well - also, I found a job", ["The move went well -", "also, I found a job"]),
        ("I was ill all week, yesterday I went out", ["I was ill all week,", "yesterday I went out"]),
        ("I fly to Rome in May, can you find a hotel", ["I fly to Rome in May,", "can you find a hotel"]),
        (
            "I dread the interview on Friday - how can I calm down?",
            ["I dread the interview on Friday -", "how can I calm down?"],
        ),
        ("If I take the night bus, when do I arrive?", ["If I take the night bus, when do I arrive?"]),
        ("今天我买了一本讲候鸟的书，你听说过吗？", ["今天我买了一本讲候鸟的书，", "你听说过吗？"]),
        ("我住在成都。我妹妹住在大理。", ["我住在成都。", "我妹妹住在大理。"]),
        ("我喜欢喝浓茶，但是我妹妹不喜欢", ["我喜欢喝浓茶，", "但是我妹妹不喜欢"]),
        ("搬家很顺利，对了，我还换了工作", ["搬家很顺利，", "对了，我还换了工作"]),
        ("我这周一直在生病，昨天我终于出门了", ["我这周一直在生病，", "昨天我终于出门了"]),
        ("我五月去西安，帮我找家酒店", ["我五月去西安，", "帮我找家酒店"]),
        (
            "I bought a tent, compared to the old one, what do I check?",
            ["I bought a tent,", "compared to the old one, what do I check?"],
        ),
        ("我想学修自行车，在时间很少的情况下，怎么入门？", ["我想学修自行车，", "在时间很少的情况下，怎么入门？"]),
        ("我在考虑把阳台收拾一下，你觉得怎么样？", ["我在考虑把阳台收拾一下，", "你觉得怎么样？"]),
        ("蛋糕已经订好了，还有我明天要交报告", ["蛋糕已经订好了，", "还有我明天要交报告"]),
        ("我等了两小时，我妈妈才到", ["我等了两小时，", "我妈妈才到"]),
    ],
)
def test_thoughts_are_cut_apart(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Last night was amazing! We lit a fire on the beach. My aunt moved to Oslo.",
            ["Last night was amazing! We lit a fire on the beach.", "My aunt moved to Oslo."],
        ),
        ("Something odd happened last Friday. I met my twin in the lift.", None),
        (
            "昨晚真是太棒了！我们在沙滩上生了火。我姑姑搬去了大理。",
            ["昨晚真是太棒了！我们在沙滩上生了火。", "我姑姑搬去了大理。"],
        ),
        ("上周五公司里出了件怪事！我的电脑被人换成了旧的。", None),
    ],
)
def test_what_only_announces_is_told_with_what_it_announces(text: str, expected: list[str] | None) -> None:
    assert pieces(text) == (expected or [text])


@pytest.mark.parametrize(
    "text",
    [
        "I painted the fence last week. It took two days.",
        "I met Tom. He is a nurse.",
        "我上周刷了墙。它花了两天。",
        "不是红色而是蓝色",
        "上周六下午，我妹妹搬去了大理",
        "去年在泉州出差的时候，我爸爸丢了护照",
        "昨天在公司楼下，我妹妹等了我很久",
        "湖边看到了白鹭，还有一只小鸭子",
        "要买面粉、黄油，还有我妈爱吃的枣泥",
        "您说的那种折叠锁，跟老式的链锁相比，有什么要注意的？",
        "那关于周末露营，在做饭这些事上，要准备什么？",
        "tired but happy after the long walk",
    ],
)
def test_what_belongs_together_stays_together(text: str) -> None:
    assert pieces(text) == [text]


@pytest.mark.parametrize(("text", "expected"), [("Rex. I have a dog.", 1), ("豆包。我养了一只猫。", 1)])
def test_what_is_short_joins_its_neighbour(text: str, expected: int) -> None:
    assert len(pieces(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I planned the whole route by hand, I packed tents and stoves for six people, I checked the weather of "
        "every valley, "
        "I called the huts along the way, and I still forgot the map on the kitchen table at home",
        "我亲手规划了整条路线，我给六个人准备了帐篷和炉子，我查了每个山谷的天气，我给沿途的小屋都打了电话，我还把备用电池和雨衣都装进了包里，"
        "我反复确认了集合的时间和地点，我还提醒大家带上水壶和药品，可我最后还是把地图忘在了家里厨房的桌子上",
    ],
)
def test_what_is_long_is_cut_at_commas(text: str) -> None:
    found = pieces(text)
    assert len(found) > 1
    assert all(width(each) <= LONG for each in found)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I live in Leeds.", "statement"), ("Where do you live?", "question"), ("what are you up to", "question"),
        ("Remember that I hate calls", "instruction"), ("Thanks a lot!", "chat"), ("Haha, wow!", "chat"),
        ("我住在成都。", "statement"), ("你住在哪里", "question"), ("你喜欢喝茶吗", "question"),
        ("记住我不吃香菜", "instruction"), ("谢谢你！", "chat"), ("哈哈哈，好的", "chat"),
    ],
)  # fmt: skip
def test_kinds(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "My loop never ends:\n```\nwhile True:\n    work()\n```",
        "我的循环停不下来：\n```\nwhile True:\n    work()\n```",
    ],
)
def test_code_is_one_piece_of_chat(text: str) -> None:
    assert kinds(text) == ["chat", "chat"]
    assert pieces(text)[1].startswith("```")


@pytest.mark.parametrize(
    "text", ["Here is a plan:\n- Pack\n- Book\n- Leave\n- Return", "计划如下：\n- 收拾\n- 订票\n- 出发\n- 回来"]
)
def test_an_assistants_list_is_one_piece(text: str) -> None:
    assert kinds(text, "assistant") == ["statement"]


@pytest.mark.parametrize(
    "line", ["- Water the **roses** twice a week in summer.\n", "- 夏天每周给玫瑰浇两次水，冬天少浇一些。\n"]
)
def test_an_assistants_long_answer_is_cut_into_passages(line: str) -> None:
    found = pieces(line * 60, "assistant")
    assert 2 < len(found) < 30
    assert all(width(each) <= PASSAGE for each in found)


@pytest.mark.parametrize("text", ['Translate: "I am Tom. I live in Leeds."', "翻译：“我叫高远。我住在港口。”"])
def test_a_quotation_is_not_cut(text: str) -> None:
    assert pieces(text) == [text]


def test_asked_is_the_others_last_question() -> None:
    english = segmented(talk(("assistant", "Nice. Where do you live?"), ("user", "Porto"), ("user", "since May")))
    chinese = segmented(talk(("assistant", "不错。你住哪儿？"), ("user", "杭州"), ("user", "五月搬来的")))
    assert [turn.asked for turn in english] == ["", "Where do you live?", ""]
    assert [turn.asked for turn in chinese] == ["", "你住哪儿？", ""]


def test_a_question_of_another_session_is_not_answered() -> None:
    before = said("Where do you live?", "assistant", session="one")
    assert segmented([before, said("Porto", session="two")])[1].asked == ""


@given(
    st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=200), st.sampled_from(("user", "assistant", "note"))
)
def test_spans_are_in_order_and_lose_no_word(text: str, role: str) -> None:
    tally: Counter[str] = Counter()
    (turn,) = segmented([said(text, role)], tally)
    assert tally["segments"] == len(turn.segments)
    assert all(turn.text_of(each).strip() for each in turn.segments)
    edges = [0, *(edge for each in turn.segments for edge in (each.start, each.end)), len(text)]
    assert edges == sorted(edges)
    between = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    assert not "".join(between).strip()


def test_a_long_answer_on_one_line_takes_time_in_proportion() -> None:
    """Each sentence looked for the beginning of its line, however far back that was."""

    def seconds(sentences: int) -> float:
        body = "The kettle hums on. " * sentences
        started = time.process_time()
        assert list(passages_of(body, 0, len(body)))[-1][1] == len(body.rstrip())
        return time.process_time() - started

    assert seconds(40_000) < 30 * min(seconds(5_000) for _ in range(3))  # eight times as long


def test_runs_of_han_kana_and_hangul_are_made_of_just_those_signs() -> None:
    """The pattern is written by what it is not: both must name the same signs."""
    one = re.compile(f"[{text.CJK}]")
    other = [sign for sign in map(chr, range(0x110000)) if bool(one.match(sign)) != bool(text.CJK_RUN.match(sign))]
    assert other == []


def test_a_factorial_ends_no_sentence() -> None:
    body = "I won't use 4! since that counts all of them, and 4! = 24. My son is 5! He loves numbers."
    assert [body[start:end] for start, end in text.sentences(body)] == [
        "I won't use 4! since that counts all of them, and 4! = 24.",
        "My son is 5!",
        "He loves numbers.",
    ]
