"""Dates that only the words around them make clear: said twice, beside a named month, in a plan, or out of habit."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from spoken import told

from memory_system import dates

WEDNESDAY = datetime(2026, 3, 18, 13, 10, tzinfo=ZoneInfo("Asia/Shanghai"))


def days(text: str) -> list[str]:
    return [f"{each.start:%m-%d}" for each in dates.find(text, WEDNESDAY)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ok tuesday 31st, same café", ["03-31"]),
        ("so it's sunday the 29th now, not saturday", ["03-29"]),
        ("the eye test is Thu 26th at the clinic", ["03-26"]),
        ("we met on Friday 6th", ["03-06"]),
        ("tuesday 31st march suits me", ["03-31"]),
        ("dinner next Thursday, 26 March", ["03-26"]),
        ("dinner next Thursday, 2 April", ["04-02"]),
        ("下周四，3月26号去看牙", ["03-26"]),
        ("4月2号（下周四）去看牙", ["04-02"]),
    ],
)
def test_a_day_that_is_said_twice_is_one(text: str, expected: list[str]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize("text", ["every tuesday 31st floor party", "Friday the 13th is on TV", "next Friday, 2 April"])
def test_what_is_no_such_day_is_left_alone(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("还是上周一样的时间", "week"), ("我上周一直在搬东西", "week"), ("我们下周一起吃个饭吧", "week"),
        ("这周一定要寄出去", "week"), ("我上周一交的稿", "day"), ("下周一起床就去跑步", "day"),
        ("下周一早上去看牙", "part"),
    ],
)  # fmt: skip
def test_a_week_is_not_cut_into_the_word_behind_it(text: str, shape: str) -> None:
    assert [each.granularity for each in dates.find(text, WEDNESDAY)] == [shape]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so friday 5pm, revised plans. remind me tomorrow", ["03-20", "03-19"]),
        ("the poster is due, printed copies to Ana on monday", ["03-23"]),
        ("on monday I printed the poster", ["03-16"]),
        ("训练改周一了", ["03-23"]),
        ("彩排reschedule到周二了", ["03-24"]),
        ("聚餐挪到周日了", ["03-22"]),
        ("牙医约到周五了", ["03-20"]),
        ("会原定周四的，现在改成周五了", ["03-20"]),
        ("我周一去了医院", ["03-16"]),
        ("我表妹6月高考，家里都安静了", ["06-01"]),
        ("她今年大四，7月毕业", ["01-01", "07-01"]),
        ("She finishes school this year, exams in June", ["01-01", "06-01"]),
    ],
)
def test_a_plan_lies_ahead(text: str, expected: list[str]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The job starts on 1 June and they agreed I start on the 22nd", ["06-01", "06-22"]),
        ("We fly on 28 May and come back on the 3rd", ["05-28", "06-03"]),
        ("It opens on 3 May. I saw the hall on the 12th", ["05-03", "03-12"]),
        ("展览6月1号开始，我们22号去", ["06-01", "06-22"]),
        ("I'll pay on the 25th", ["03-25"]),
    ],
)
def test_a_bare_day_is_of_the_month_that_was_named(text: str, expected: list[str]) -> None:
    assert days(text) == expected


def test_the_month_may_stand_in_the_piece_before() -> None:
    [content] = told("The course starts on 1 June, but we fly on the 20th with the whole family.")
    assert "20 June 2026" in content


@pytest.mark.parametrize(
    "text",
    [
        "他周末还在酒吧唱歌",
        "我爸周末都去钓鱼",
        "我周二一直上夜班",
        "我对周一过敏",
        "她周日总是去游泳",
        "我们周五照常训练",
        "他周六基本都在店里",
        "周末最适合爬山",
        "She still sings in the pub on weekends",
        "我更喜欢早上开会",
        "我不喜欢晚上跟人聊天",
        "她特别爱周六去图书馆",
        "我喜欢周五开会",
        "I prefer to have meetings on Friday",
        "We really like to meet friends on Sunday",
        "Ana loves painting on Sunday",
    ],
)
def test_a_habit_and_a_house_have_no_date(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("周五总算考完了", ["03-13"]),
        ("周日总共去了三家店", ["03-15"]),
        ("周六照样去了", ["03-14"]),
        ("周六基本搞定了搬家", ["03-14"]),
        ("合适的话周六去爬山", ["03-21"]),
        ("周六比较适合爬山", ["03-21"]),
        ("周六常州见", ["03-21"]),
        ("on Friday the exam was over at last", ["03-13"]),
        ("我喜欢这家，周六我们去吃", ["03-21"]),
        ("周五买了条裙子，很喜欢", ["03-13"]),
        ("I'd like to meet on Saturday", ["03-21"]),
        ("I love seeing what you made on Friday", ["03-13"]),
    ],
)
def test_one_day_is_no_habit(text: str, expected: list[str]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("阿楠说怀孕了！！！三个月了，她是我高中同桌", False),
        ("Ines is pregnant!!! Three months now, she was my flatmate in Ulm", True),
        ("我学琴三个月了，进步很慢", True),
        ("Three months now, and I still miss the old flat by the sea", True),
    ],
)
def test_how_long_is_only_dated_beside_what_has_lasted(text: str, dated: bool) -> None:
    assert any("since" in each or "自20" in each for each in told(text)) == dated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("房租合同6月30号到期", ["06-30"]),
        ("我女儿九月读高一", ["09-01"]),
        ("驾照一月过期了", ["01-01"]),
        ("十月前跑完全马", []),
        ("三个月前搬来的", ["12-01"]),
        ("Our Thursday call is moved to 4 pm", ["03-19", "03-19"]),
        ("our Monday call has been cancelled", ["03-23"]),
    ],
)
def test_what_runs_out_begins_or_is_put_off_lies_ahead(text: str, expected: list[str]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm in Rome from Wednesday to Friday next week", ["03-25", "03-27"]),
        ("I was ill from Monday to Thursday last week", ["03-09", "03-12"]),
        ("I'm in Rome from Thursday to next Tuesday", ["03-19", "03-24"]),
        ("我下周三到周五在罗马", ["03-25", "03-27"]),
    ],
)
def test_the_first_day_of_a_range_is_of_the_week_that_is_named_behind_it(text: str, expected: list[str]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("I'm in Rome from Wednesday to Friday next week", "2026-03-25T00:00", "2026-03-28T00:00"),
        ("我下周三到周五在罗马出差", "2026-03-25T00:00", "2026-03-28T00:00"),
        ("I met Jo on Monday, and on Friday we go to Rome", "2026-03-16T00:00", "2026-03-17T00:00"),
    ],
)
def test_what_goes_on_for_days_ends_with_the_last(text: str, start: str, end: str) -> None:
    event = dates.event_in(text, dates.find(text, WEDNESDAY), "zh" if "我" in text else "en")
    assert event is not None
    assert (event.start, event.end) == (start, end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I start on 4 may", ["05-04"]),
        ("my flight is on 31 march", ["03-31"]),
        ("the report is due 7 apr", ["04-07"]),
        ("the exam was on feb 26th", ["02-26"]),
        ("the rent is due on april 1", ["04-01"]),
        ("a table for 4 may be too small", []),
        ("you may 7 times", []),
        ("the deadline is the 25th not the 27th", ["03-25"]),
        ("the viewing is now the 21st", ["03-21"]),
        ("he is the 3rd of five", []),
    ],
)
def test_a_month_in_small_letters_and_a_bare_day_of_something_arranged(text: str, expected: list[str]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("看牙改到下周五了，周四医生不在", ["03-27"]),
        ("寿宴改到四月十九号了，因为十八号厨子没空", ["04-19"]),
        ("The dentist moved to 27 March because on Thursday she is out", ["03-27"]),
        ("羽毛球以后改成周三和周六", []),
        ("From now on choir is on Wednesday", []),
        ("羽毛球改到周五了", ["03-20"]),
    ],
)
def test_beside_a_new_day_another_is_not_guessed_and_a_habit_has_none(text: str, expected: list[str]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize("text", ["我妈说五一以后住过来", "我妈说五一以后搬过来"])
def test_who_comes_over_has_not_been_there(text: str) -> None:
    assert [f"{each.start:%Y-%m-%d}" for each in dates.find(text, WEDNESDAY)] == ["2026-05-01"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我10月3号去大理", ["2026-10-03"]),
        ("10月3号和朋友去大理，住三晚", ["2026-10-03"]),
        ("我们9月20日搬家", ["2026-09-20"]),
        ("10月3号去大理，玩了三天", ["2025-10-03"]),
        ("10月3号去大理的时候下雨", []),
        ("10月3号的票很贵", []),
    ],
)
def test_who_sets_out_on_a_day_far_off_sets_out_on_the_next(text: str, expected: list[str]) -> None:
    assert [f"{each.start:%Y-%m-%d}" for each in dates.find(text, WEDNESDAY)] == expected


def test_beside_another_time_a_day_far_off_may_be_of_then() -> None:
    assert [f"{each.start:%Y-%m}" for each in dates.find("去年国庆我很开心，10月3号去大理，风景很美", WEDNESDAY)] == [
        "2025-10"
    ]


def test_what_somebody_feels_since_they_finished_is_past() -> None:
    assert days("我16号打完壁球后腰有点酸") == ["03-16"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The meeting was moved from Monday to Friday.", ["03-23", "03-27"]),
        ("The meeting was moved from Friday to Monday.", ["03-20", "03-23"]),
        ("The meeting was moved from Wednesday to Friday.", ["03-18", "03-20"]),
        ("Monday's meeting was moved to Friday.", ["03-23", "03-27"]),
        ("We pushed the call from next Tuesday to Monday.", ["03-24", "03-30"]),
        ("The meeting was brought forward from Friday to Monday.", ["03-27", "03-23"]),
        ("The meeting was moved from Monday 2 pm to Friday 3 pm.", ["03-23", "03-27"]),
        ("会议从周一改到周五了。", ["03-23", "03-27"]),
        ("會議從週一改到週五了。", ["03-23", "03-27"]),
        ("周一的会推迟到周五了。", ["03-23", "03-27"]),
        ("会议从周五挪到周一了。", ["03-20", "03-23"]),
        ("会议从周五提前到周一了。", ["03-27", "03-23"]),
        ("Our weekly meeting was moved from Monday to Friday.", []),
        ("每周的例会从周一改到周五了。", []),
    ],
)
def test_of_two_weekdays_the_new_one_comes_after_the_old_one(text: str, expected: list[str]) -> None:
    assert days(text) == expected


NINE, TEN_AT_NIGHT = (datetime(2026, 3, 18, hour, tzinfo=ZoneInfo("Asia/Shanghai")) for hour in (9, 22))


@pytest.mark.parametrize(
    ("at", "text", "expected"),
    [
        (NINE, "下午去医院复查", ["03-18"]),
        (NINE, "我出门了，晚上回来", ["03-18"]),
        (TEN_AT_NIGHT, "下午看了一套房", ["03-18"]),
        (NINE, "昨天加了班，晚上打算早点睡", ["03-17", "03-18"]),
    ],
)
def test_a_bare_part_of_the_day_is_of_the_day_named_last_or_of_today(
    at: datetime, text: str, expected: list[str]
) -> None:
    assert [f"{each.start:%m-%d}" for each in dates.find(text, at)] == expected


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (NINE, "早上要吃降压药"),
        (NINE, "每天下午去跑步"),
        (NINE, "第二天早上去爬山"),
        (NINE, "周末早上去跑步"),
        (TEN_AT_NIGHT, "晚上不喝咖啡了"),
        (TEN_AT_NIGHT, "从早上忙到晚上了"),
        (TEN_AT_NIGHT, "下午去医院复查"),
        (NINE, "下午看了一套房"),
        (TEN_AT_NIGHT, "这家下午茶的蛋糕卖完了"),
        (NINE, "晚上好，我来了"),
    ],
)
def test_a_part_of_any_day_or_of_another_is_left_alone(at: datetime, text: str) -> None:
    assert not [each for each in dates.find(text, at) if each.granularity == "part"]


def test_a_part_of_the_day_is_written_with_its_day_once() -> None:
    assert dates.resolve("明天上午开会，下午去医院", NINE, "zh")[0] == "2026年3月19日上午开会，下午去医院"
    assert dates.resolve("昨天上午开了会，下午又去了工地", NINE, "zh")[0] == "2026年3月17日上午开了会，下午又去了工地"
    assert dates.resolve("晚上我看了部电影", TEN_AT_NIGHT, "zh", "昨天在家休息。")[0] == "2026年3月17日晚上我看了部电影"
    assert told("[日程 2026-02-05 21:00:00] 搬花：晚上去何叔家帮忙") == [
        "用户的日程（2026-02-05 21:00:00）：搬花：晚上去何叔家帮忙"
    ]


@pytest.mark.parametrize("text", ["我在6号观景台等着", "走到5号驿站", "用2号货梯搬"])
def test_the_number_of_a_place_is_no_day(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my landlord finally answered, rent goes up to 1,450 from May", ["2026-05"]),
        ("The fee rises to 30 euros from September", ["2026-09"]),
        ("our office is on Dock Road from April", ["2026-04"]),
        ("He told me the shop reopens in June", ["2026-06"]),
        ("My rent went up to 1,300 in January", ["2026-01"]),
        ("我报名了十月的半马！！", ["2026-10"]),
        ("我抢到了六月的演唱会门票", ["2026-06"]),
        ("我参加了十月的半马", ["2025-10"]),
    ],
)
def test_what_changes_from_a_month_on_and_what_one_has_put_ones_name_down_for_lie_ahead(
    text: str, expected: list[str]
) -> None:
    assert [f"{each.start:%Y-%m}" for each in dates.find(text, WEDNESDAY)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dentist appt thurs 3pm", ["03-19"]),
        ("see u on sat", ["03-21"]),
        ("i start on mon", ["03-23"]),
        ("got a new job, start mon", ["03-23"]),
        ("we r moving to bristol in aug", ["08-01"]),
        ("flying to lisbon on the 28th w/ sam", ["03-28"]),
        ("moving to bristol in August", ["08-01"]),
        ("he sat on the sun deck", []),
        ("they wed in a barn", []),
    ],
)
def test_short_names_in_small_letters(text: str, expected: list[str]) -> None:
    assert [f"{each.start:%m-%d}" for each in dates.find(text, WEDNESDAY)] == expected


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("The plumber is coming Friday.", "The plumber is coming on 20 March 2026."),
        ("We fly on the coming Friday.", "We fly on 20 March 2026."),
        ("Let us row on next Monday.", "Let us row on 23 March 2026."),
        ("The coming Monday is a holiday.", "23 March 2026 is a holiday."),
        ("We decided on a small party on 12 December.", "We decided on a small party on 12 December 2026."),
    ],
)
def test_a_day_is_written_with_one_preposition_and_takes_no_verb_with_it(text: str, written: str) -> None:
    assert dates.resolve(text, WEDNESDAY, "en")[0] == written
