"""Who is asked whether something is still so, and denies it, has said what is so no more, and mostly what is so now."""

from __future__ import annotations

from pathlib import Path

import pytest
from memory_system.phases.understanding.still import statements_by
from workspaces import consolidate, contents, make, say

from memory_system.rules import Rule


def answered(root: Path, known: str, asked: str, answer: str) -> set[str]:
    """What stands after the user had said one thing, and weeks later answered a question of the assistant's."""
    say(root, "before", ("2026-01-05T09:00:00Z", "user", known))
    consolidate(root, "2026-01-06T03:00:00Z")
    say(
        root,
        "after",
        ("2026-02-10T09:00:00Z", "assistant", asked),
        ("2026-02-10T09:01:00Z", "user", answer),
    )
    consolidate(root, "2026-02-11T03:00:00Z")
    return contents(root)


@pytest.mark.parametrize(
    ("known", "asked", "answer", "old", "new"),
    [
        ("My favourite colour is teal.", "Is teal still your favourite colour?", "No, navy now.", "teal", "navy"),
        ("My favourite food is ramen.", "Is your favourite food still ramen?", "Nope, it's pho.", "ramen", "pho"),
        ("I live in Leeds.", "Do you still live in Leeds?", "No, York now.", "Leeds", "lives in York"),
        ("I live in Leeds.", "Still in Leeds?", "not any more, i'm in York now", "Leeds", "lives in York"),
        ("I work at Acme.", "Are you still working at Acme?", "No, Globex since May.", "Acme", "works at Globex"),
        ("My dentist is Ana.", "Is Ana still your dentist?", "No, Ben is now.", "called Ana", "called Ben"),
        ("我最喜欢的颜色是青色。", "你最喜欢的颜色还是青色吗？", "不是了，现在是藏蓝色。", "青色", "藏蓝色"),
        ("我最喜欢的颜色是青色。", "青色还是你最喜欢的颜色吗？", "不是，早就换成藏蓝色了。", "青色", "藏蓝色"),
        ("我住在苏州。", "你还住在苏州吗？", "不住了，搬到杭州了。", "苏州", "杭州"),
        ("我住在苏州。", "你还在苏州吗？", "不在了，现在在杭州。", "苏州", "住在杭州"),
        ("我在银杏上班。", "你还在银杏上班吗？", "没有，换到蓝海了。", "银杏", "在蓝海工作"),
        ("我是护士。", "你还是护士吗？", "不是了，现在是老师。", "护士", "用户是老师"),
    ],
)
def test_a_new_value_takes_the_place_of_the_one_that_was_asked_about(
    known: str, asked: str, answer: str, old: str, new: str, tmp_path: Path
) -> None:
    stands = answered(make(tmp_path), known, asked, answer)
    assert any(new in each for each in stands)
    assert not [each for each in stands if old in each and "no longer" not in each]
    assert any(old in each for each in contents(tmp_path, "archive"))


@pytest.mark.parametrize(
    ("known", "asked", "answer", "over"),
    [
        ("I work at Acme.", "Still at Acme?", "No, I left.", "User no longer works at Acme"),
        ("I'm a nurse.", "Are you still a nurse?", "No, not any more.", "User no longer works as a nurse"),
        ("I play chess.", "Do you still play chess?", "No, I gave it up.", "User no longer plays chess"),
        ("I love jazz.", "Do you still love jazz?", "No, I got tired of it.", "User no longer likes jazz"),
        ("我在星河公司上班。", "还在星河公司吗？", "不在了，我离职了。", "用户不再在星河公司上班"),
        ("我每天跑步。", "你还每天跑步吗？", "不跑了。", "用户不再每天跑步"),
        ("我喜欢爵士乐。", "你还喜欢爵士乐吗？", "不喜欢了。", "用户不再喜欢爵士乐"),
        ("我住在苏州。", "你还住苏州吗？", "没有，去年就搬走了。", "用户不再住苏州"),
    ],
)
def test_what_is_denied_without_a_new_value_is_over(
    known: str, asked: str, answer: str, over: str, tmp_path: Path
) -> None:
    assert answered(make(tmp_path), known, asked, answer) == {over}
    assert contents(tmp_path, "archive")


@pytest.mark.parametrize(
    ("known", "asked", "answer"),
    [
        ("I live in Leeds.", "Do you still live in Leeds?", "Yes, still there."),
        ("I live in Leeds.", "Do you live far out?", "No, York is near."),
        ("I live in Leeds.", "Do you still live in Leeds?", "No idea why you ask, I told you so."),
        ("我住在苏州。", "你还住在苏州吗？", "还住着呢，没搬。"),
        ("我在银杏上班。", "你还在银杏上班吗？", "不忙的时候还在。"),
        ("我喜欢爵士乐。", "你还喜欢爵士乐吗？", "不知道，最近没听。"),
        ("我喜欢爵士乐。", "你还喜欢爵士乐吗？", "不好意思刚看到，喜欢。"),
        ("我每天跑步。", "你还每天跑步吗？", "不仅跑，还游泳。"),
        ("I run every morning.", "Do you still run every morning?", "No, not on Sundays."),
        ("I play tennis.", "Do you still play tennis?", "No, I mean yes, every Sunday."),
        ("我喜欢爵士乐。", "你妹妹还喜欢爵士乐吗？", "不喜欢了。"),
    ],
)
def test_what_is_not_denied_stays(known: str, asked: str, answer: str, tmp_path: Path) -> None:
    answered(make(tmp_path), known, asked, answer)
    assert not contents(tmp_path, "archive")


@pytest.mark.parametrize(
    ("lang", "asked", "statements"),
    [
        (
            "en",
            "Are you still at Brightwater in Hull?",
            [("I'm at Brightwater in Hull", "I've left Brightwater in Hull")],
        ),
        ("en", "Are you still at Brightwater?", []),
        ("en", "Are you at Brightwater?", []),
        ("zh", "你还在苏州银杏吗？", [("我在苏州的银杏", "我离开了苏州的银杏")]),
        ("zh", "你还在银杏吗？", []),
    ],
)
def test_a_question_without_what_the_sentences_name_says_nothing(
    lang: str, asked: str, statements: list[tuple[str, str]]
) -> None:
    rows = {
        "en": {
            "statement": "I'm at {where} in {town}",
            "ended": "I've left {where} in {town}",
            "pattern": r"\byou still at (?P<where>\w+)(?: in (?P<town>\w+))?",
        },
        "zh": {
            "statement": "我在{town}的{where}",
            "ended": "我离开了{town}的{where}",
            "pattern": "你还在(?P<town>苏州)?(?P<where>[^苏吗]+)吗",
        },
    }
    rule = Rule.from_row({"id": "still.there", "why": "a part may be left out", **rows[lang]})
    assert list(statements_by(rule, asked, lang)) == statements
