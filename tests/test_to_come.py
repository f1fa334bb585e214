"""What will be so from a day on that is still ahead is told with that day, and fills no slot of what is so today."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import claims, said, talk
from workspaces import consolidate, contents, make, say

from memory_system import clock, finder
from memory_system.workspace import Workspace


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("我下个月搬去上海。", "用户2026年3月搬去上海"),
        ("我五月搬去上海。", "用户2026年5月搬去上海"),
        ("我妹妹下周搬到苏州。", "那一周搬到苏州"),
        ("下个月我住在泉州。", "2026年3月用户住在泉州"),
        ("I live in Leeds from May.", "User lives in Leeds from May 2026"),
        ("From 1 April I work at Fernway.", "From 1 April 2026 User works at Fernway"),
    ],
)
def test_what_is_still_ahead_is_told_with_its_day(words: str, told: str) -> None:
    found = claims([said(words)])
    assert [each.attribute for each in found] == [""]
    assert told in found[0].content


@pytest.mark.parametrize(
    ("words", "attribute", "value"),
    [
        ("我去年五月搬去上海。", "lives_in", "上海"),
        ("我今天搬到了苏州。", "lives_in", "苏州"),
        ("我搬到苏州了，下周三去看牙。", "lives_in", "苏州"),
        ("我住在上海，五月去北京。", "lives_in", "上海"),
        ("I moved to Leeds last May.", "lives_in", "Leeds"),
        ("I live in Leeds and in May I fly to Rome.", "lives_in", "Leeds"),
        ("I live in Leeds, from May on I travel.", "lives_in", "Leeds"),
    ],
)
def test_what_is_so_today_fills_its_slot(words: str, attribute: str, value: str) -> None:
    assert (attribute, value) in [(each.attribute, each.value) for each in claims([said(words)])]


def test_where_somebody_lives_until_they_move_stays(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-09T10:00:00Z", "user", "我住在杭州。"))
    say(tmp_path, "b", ("2026-03-11T10:00:00Z", "user", "我下个月搬去上海。"))
    consolidate(tmp_path, "2026-03-12T03:10:00Z")
    assert contents(tmp_path) >= {"用户住在杭州", "用户2026年4月搬去上海"}
    assert not contents(tmp_path, "archive")


@pytest.mark.parametrize(
    ("words", "attribute", "start"),
    [
        ("My mum lives in Leeds, I'm flying to York next month.", "lives_in", None),
        ("我妹妹在海港银行工作，我周五飞罗马。", "works_at", None),
        ("I've lived in Leeds since 2019, and on Friday I fly to York.", "lives_in", "2019-01-01T00:00"),
        ("My sister moved to Leeds in January, and I fly there next month.", "lives_in", "2026-01-01T00:00"),
    ],
)
def test_when_something_else_happens_is_no_time_of_a_state(words: str, attribute: str, start: str | None) -> None:
    (found,) = [each for each in claims([said(words)]) if each.attribute == attribute]
    assert (found.event_time and found.event_time.start) == start


@pytest.mark.parametrize(
    ("words", "question", "told"),
    [
        (
            "I have a dentist appointment on Friday at 3pm.",
            "When was my dentist appointment?",
            "- (over) 2026-03-04 User has a dentist appointment at 3 pm on 6 March 2026",
        ),
        (
            "我周五下午三点要去医院看牙。",
            "我什么时候去看的牙？",
            "- （已过）2026-03-04 用户2026年3月6日下午三点要去医院看牙",
        ),
    ],
)
def test_a_plan_whose_time_is_over_is_still_found_and_told_as_over(
    tmp_path: Path, words: str, question: str, told: str
) -> None:
    root = make(tmp_path)
    say(root, "s", ("2026-03-04T09:00:00Z", "user", words))
    consolidate(root, "2026-03-05T03:00:00Z")
    consolidate(root, "2026-04-05T03:00:00Z", force=True)
    with Workspace.open(root, now=clock.read_stamp("2026-04-05T09:00:00Z")) as ws:
        assert [(pool, record.retired) for pool, record in ws.store.records()] == [("archive", "expired")]
        [best, *_] = finder.search(ws, question, scope="memories")["results"]
        assert best["source"] == "archive"
        assert told in finder.context(ws, question)["text"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Remember to buy milk.", "User wants to remember to buy milk"),
        (
            "Please don't forget to water the plants every Sunday.",
            "User wants to remember to water the plants every Sunday",
        ),
        ("记得明天带护照。", "用户要记得2026年2月4日带护照"),
        ("别忘了下周一之前交报告", "用户要记得2026年2月9日（周一）之前交报告"),
        ("别忘了给绿萝浇水。", "用户要记得给绿萝浇水"),
        ("记得每天晚上八点吃药", "用户要记得每天晚上八点吃药"),
        ("我六月前得换护照。", "用户2026年6月前得换护照"),
    ],
)
def test_what_is_not_to_be_forgotten_is_to_be_done(words: str, told: str) -> None:
    [found] = claims([said(words)])
    assert (found.attribute, found.content) == ("todo", told)


@pytest.mark.parametrize(
    "words",
    [
        "Remember to answer in French.",
        "Remember me to your mother.",
        "Write me a poem. Don't forget to mention the sea.",
        "我记得那天带了伞。",
        "记得小时候去外婆家洗澡。",
        "帮我写首诗，记得带上大海。",
        "我五天前要求退款。",
    ],
)
def test_to_remember_something_else_is_nothing_to_be_done(words: str) -> None:
    assert "todo" not in {each.attribute for each in claims([said(words)])}


@pytest.mark.parametrize(
    ("words", "runs_out"),
    [
        ("Remember to buy milk.", True),
        ("Don't forget to water the plants every Sunday.", False),
        ("记得每天吃药", False),
    ],
)
def test_what_is_to_be_done_again_and_again_does_not_run_out(words: str, runs_out: bool) -> None:
    [found] = claims([said(words)])
    assert bool(found.expires) == runs_out


def test_a_reminder_tells_its_time_once() -> None:
    [found] = claims([said("提醒我周四给银行打电话。")])
    assert found.content == "用户希望被提醒2026年2月5日（周四）给银行打电话"


@pytest.mark.parametrize("drawn", ["🎉", "💙", "🇧🇷", "☀️"])
def test_what_is_to_be_done_is_told_without_emoji(drawn: str) -> None:
    found = claims([said(f"Remind me to call Anna {drawn}"), said(f"提醒我给安娜打电话{drawn}", entry="2")])
    assert [each.value for each in found] == ["call Anna", "给安娜打电话"]


def test_a_friend_is_not_the_one_who_remembers() -> None:
    messages = talk(("assistant", "I packed the stove.", "Bo"), ("user", "Remember to bring your tent!", "Ana"))
    assert "todo" not in {each.attribute for each in claims(messages)}


def test_a_season_has_one_preposition() -> None:
    [found] = claims([said("I'm thinking about moving to Harrogate in the summer.")])
    assert found.content == "User is thinking about moving to Harrogate in summer 2026"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Don't let me forget my swimming lesson.", "User wants to be reminded of their swimming lesson"),
        ("别让我忘了给绿萝浇花。", "用户希望被提醒给绿萝浇花"),
    ],
)
def test_what_one_is_not_to_be_let_forget_is_a_reminder(words: str, told: str) -> None:
    [found] = claims([said(words)])
    assert (found.attribute, found.content) == ("reminder", told)


@pytest.mark.parametrize(
    ("words", "told", "begins"),
    [
        (
            "The eye test was moved from Friday to Monday.",
            "User says the eye test was moved from 6 February 2026 to 9 February 2026",
            "2026-02-09",
        ),
        (
            "The exam got pushed from the 20th to the 27th.",
            "User says the exam got pushed from 20 February 2026 to 27 February 2026",
            "2026-02-27",
        ),
        ("体检从周五改到下周一了。", "用户说体检从2026年2月6日（周五）改到2026年2月9日（周一）了", "2026-02-09"),
        ("会议从2月20号推迟到27号。", "用户会议从2026年2月20日推迟到2026年2月27日", "2026-02-27"),
    ],
)
def test_what_was_put_to_another_time_lies_ahead_and_is_no_range(words: str, told: str, begins: str) -> None:
    (claim,) = claims([said(words)])
    assert claim.content == told
    assert claim.event_time is not None
    assert (claim.event_time.start[:10], claim.event_time.granularity) == (begins, "day")


def test_a_noun_in_ed_is_no_past_form() -> None:
    (claim,) = claims([said("We want to build a shed in the autumn.")])
    assert claim.content == "User and others want to build a shed in autumn 2026"
