"""What somebody asks about on several days, and what is no habit."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspaces import at, consolidate, make, memories, problems, say

from memory_system import forgetting
from memory_system.forgetting import Selection
from memory_system.records import Belief, Fact
from memory_system.workspace import Workspace

NOW = "2026-04-20T12:00:00Z"


def interests(root: Path) -> set[str]:
    return {each.value for each in memories(root) if each.attribute == "interest"}


def asked(root: Path, *said: tuple[str, str]) -> None:
    for number, (when, words) in enumerate(said):
        say(root, f"s{number}", (when, "user", words))
    consolidate(root, NOW)


def test_who_is_asked_is_not_what_is_asked_about(tmp_path: Path) -> None:
    make(tmp_path)
    asked(
        tmp_path,
        ("2026-04-05T09:00:00Z", "Could you help me repair my old bicycle in Oslo before the summer?"),
        ("2026-04-07T09:00:00Z", "Could you help me bake my rye bread with sesame seeds?"),
        ("2026-04-09T09:00:00Z", "Can you check my insurance letter from last week for errors?"),
        ("2026-04-11T09:00:00Z", "Can you plan my trip to Porto in the summer next year?"),
    )
    assert sum("asks the assistant" in each.content for each in memories(tmp_path)) >= 3
    assert interests(tmp_path) == set()


QUESTIONS = (
    "How do I freeze the first layers in PyTorch for my thesis model?",
    "Why does PyTorch run out of memory on my old laptop every night?",
    "How can I save the weights of my model in PyTorch every hour?",
)


def test_days_are_those_where_the_owner_lives(tmp_path: Path) -> None:
    """In Shanghai the first two are one morning; at Greenwich all are days of their own."""
    times = ("2026-04-05T23:30:00Z", "2026-04-06T00:30:00Z", "2026-04-07T02:00:00Z")
    for zone, found in (("Asia/Shanghai", set()), ("UTC", {"PyTorch"})):
        root = make(tmp_path / zone.replace("/", "-"), zone=zone)
        asked(root, *zip(times, QUESTIONS, strict=True))
        assert {each.quote for memory in memories(root) for each in memory.evidence} == set(QUESTIONS)
        assert interests(root) == found


SHORT = {
    "en": (
        "How do I install PyTorch?",
        "Which version of PyTorch should I use?",
        "How do I save a model in PyTorch?",
        "Does PyTorch run on a Mac?",
        "Why is PyTorch so slow?",
    ),
    "zh": (
        "PyTorch怎么安装？",
        "PyTorch用哪个版本好？",
        "PyTorch怎么保存模型？",
        "Mac能跑PyTorch吗？",
        "PyTorch为什么这么慢？",
    ),
}


def on_days(questions: tuple[str, ...], days: tuple[int, ...]) -> list[tuple[str, str]]:
    return [(f"2026-04-{day:02}T09:00:00Z", words) for day, words in zip(days, questions, strict=True)]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_short_questions_count_though_none_is_remembered(tmp_path: Path, lang: str) -> None:
    """Night by night: nothing comes of two days, a belief of three, and of five it is certain."""
    make(tmp_path)
    for number, day in enumerate((3, 5, 8, 12, 17)):
        say(tmp_path, f"s{number}", (f"2026-04-{day:02}T09:00:00Z", "user", SHORT[lang][number]))
        report = consolidate(tmp_path, f"2026-04-{day + 1:02}T12:00:00Z").to_row()
        assert report["accounting"]["balanced"]
        assert report["accounting"]["segments"]["dropped"]["question"] == 1
        found = {type(each): each for each in memories(tmp_path)}
        assert list(found) == ([], [], [Belief], [Belief], [Fact])[number]
        assert all((each.attribute, each.value) == ("interest", "PyTorch") for each in found.values())
    said = {each.quote for memory in memories(tmp_path) for each in memory.evidence}
    assert said == set(SHORT[lang])
    assert problems(tmp_path, "2026-04-18T12:00:00Z") == []


def test_short_and_long_questions_count_together(tmp_path: Path) -> None:
    make(tmp_path)
    questions = QUESTIONS[0], SHORT["en"][0], QUESTIONS[1]
    asked(tmp_path, *on_days(questions, (3, 5, 8)))
    assert interests(tmp_path) == {"PyTorch"}


@pytest.mark.parametrize(
    "questions",
    [
        ("What's the weather in Oslo?", "Will it rain in Oslo?", "Is it cold in Oslo?"),
        ("Where is Fernway?", "When does Fernway open?", "Who runs Fernway?"),
        ("Lidl几点开门？", "Lidl在哪？", "Lidl什么时候关门？"),
    ],
)
def test_what_is_asked_in_passing_is_no_interest(tmp_path: Path, questions: tuple[str, ...]) -> None:
    make(tmp_path)
    asked(tmp_path, *on_days(questions, (3, 5, 8)))
    assert interests(tmp_path) == set()


def test_whom_one_knows_is_no_interest(tmp_path: Path) -> None:
    make(tmp_path)
    questions = "My sister is called Nora.", "Does Nora like tea?", "What should I give Nora?", "Can Nora come?"
    asked(tmp_path, *on_days(questions, (3, 5, 8, 10)))
    assert interests(tmp_path) == set()


def test_a_question_of_long_ago_counts_no_more(tmp_path: Path) -> None:
    make(tmp_path)
    dates = ("2026-02-20", "2026-04-05", "2026-04-08")
    said = zip((f"{each}T09:00:00Z" for each in dates), SHORT["en"][:3], strict=True)
    asked(tmp_path, *said)
    assert interests(tmp_path) == set()


def test_only_the_owner_s_questions_count(tmp_path: Path) -> None:
    make(tmp_path)
    for number, (when, words) in enumerate(on_days(SHORT["en"][:3], (3, 5, 8))):
        say(tmp_path, f"s{number}", (when, "user", words), participants={"user": "Anna", "assistant": "Ben"})
    consolidate(tmp_path, NOW)
    assert memories(tmp_path) == []


def test_what_was_forgotten_counts_no_more(tmp_path: Path) -> None:
    make(tmp_path)
    asked(tmp_path, *on_days(SHORT["en"][:3], (3, 5, 8)))
    assert interests(tmp_path) == {"PyTorch"}
    with Workspace.open(tmp_path, now=at(NOW), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, Selection(entity="PyTorch")))
    say(tmp_path, "late", ("2026-04-21T09:00:00Z", "user", SHORT["en"][3]))
    consolidate(tmp_path, "2026-04-22T12:00:00Z")
    assert interests(tmp_path) == set()
    assert b"PyTorch" not in (tmp_path / "memory/state/consolidation.json").read_bytes()


@pytest.mark.parametrize(
    ("questions", "found"),
    [
        (("飞书怎么建群？", "飞书怎么导出文档？", "飞书机器人怎么配置？"), {"飞书"}),
        (("怎么用剪映加字幕？", "剪映怎么导出？", "请问剪映可以配音吗？"), {"剪映"}),
        (("尤克里里怎么调音？", "尤克里里和弦怎么按？", "尤克里里为什么老跑音？"), {"尤克里里"}),
        (("飞书机器人怎么配置？", "飞书机器人能发图吗？", "飞书机器人为什么不回复？"), {"飞书机器人"}),
    ],
)
def test_a_topic_in_chinese_characters_is_what_the_questions_begin_with(
    tmp_path: Path, questions: tuple[str, ...], found: set[str]
) -> None:
    make(tmp_path)
    asked(tmp_path, *on_days(questions, (3, 5, 8)))
    assert interests(tmp_path) == found


@pytest.mark.parametrize(
    "questions",
    [
        ("今天怎么安排？", "今天吃什么？", "今天能洗车吗？"),
        ("手机怎么截图？", "手机怎么投屏？", "手机为什么发烫？"),
        ("孩子怎么教？", "孩子为什么哭？", "孩子能吃辣吗？"),
        ("晚饭怎么做？", "晚饭吃什么？", "晚饭可以不吃吗？"),
        ("红烧肉怎么做？", "红烧鱼怎么做？", "红烧排骨怎么做？"),
        ("感冒怎么办？", "感冒能运动吗？", "感冒为什么老不好？"),
        ("飞书怎么建群？", "剪映怎么导出？", "钉钉怎么打卡？"),
        ("青禾超市几点关门？", "青禾超市在哪？", "青禾超市什么时候开门？"),
    ],
)
def test_common_words_and_what_only_sounds_alike_are_no_topic(tmp_path: Path, questions: tuple[str, ...]) -> None:
    make(tmp_path)
    asked(tmp_path, *on_days(questions, (3, 5, 8)))
    assert interests(tmp_path) == set()


def test_one_topic_twice_on_one_day_is_one_day(tmp_path: Path) -> None:
    make(tmp_path)
    asked(tmp_path, *on_days(("飞书怎么建群？", "飞书怎么导出文档？", "飞书能录屏吗？"), (3, 3, 8)))
    assert interests(tmp_path) == set()
