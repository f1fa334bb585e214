"""What names no time and leans on the moment of speaking all the same: said on Tuesday, 3 February 2026."""

from __future__ import annotations

from pathlib import Path

import pytest
from spoken import told
from workspaces import consolidate, contents, make, say

AS_OF = ("as of", "截至")
SINCE = ("since", "自20")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I finally finished my thesis!", "User finally finished their thesis (as of 3 February 2026)"),
        (
            "I just launched a newsletter for my bakery. Taking risks is scary.",
            "User just launched a newsletter for their bakery (as of 3 February 2026). Taking risks is scary",
        ),
        (
            "I just got back from the vet and my dog is fine",
            "User just got back from the vet (as of 3 February 2026) and their dog is fine",
        ),
        ("我终于考过了驾照！", "用户终于考过了驾照（截至2026年2月3日）"),
        ("我刚学会了包粽子，味道还行。", "用户刚学会了包粽子（截至2026年2月3日），味道还行"),
    ],
)
def test_what_has_just_happened_is_told_with_the_day(text: str, content: str) -> None:
    assert told(text) == [content]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I'm at work currently", "User is at work currently (as of 3 February 2026)"),
        (
            "I've been reading a lot about kilns lately, they are tricky.",
            "User has been reading a lot about kilns lately, they are tricky (as of 3 February 2026)",
        ),
        ("我这阵子一直在学做木勺，进步很慢。", "用户这阵子一直在学做木勺（截至2026年2月3日），进步很慢"),
    ],
)
def test_what_is_so_lately_is_told_with_the_day(text: str, content: str) -> None:
    assert told(text) == [content]


@pytest.mark.parametrize(
    "text",
    [
        "If I'm free these days I carve spoons",
        "要是这段时间有空我就去学游泳",
        "I would read more if I were at home currently",
    ],
)
def test_what_is_only_supposed_is_not(text: str) -> None:
    assert not any(sign in each for each in told(text) for sign in AS_OF)


@pytest.mark.parametrize(
    "text",
    [
        "It's just a small lamp that I found in Ghent", "I just wanted to say that the soup with leeks was nice",
        "When we just started in Ghent the shop had one shelf", "Did I tell you that I just bought a kayak in Ghent?",
        "We had just painted the fence of the garden green", "I just bought a kayak in Ghent yesterday",
        "我刚好路过老磨坊买了三个面包", "我们刚开始的时候店里只有一个架子", "我昨天刚买了一条皮划艇",
        "我刚毕业的时候在旧书店打工", "我妹妹刚才在阳台上浇花呢",
    ],
)  # fmt: skip
def test_what_happened_otherwise_is_not(text: str) -> None:
    assert not any(sign in each for each in told(text) for sign in AS_OF)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("I've had the two goats for 3 years now and they keep me busy.", "for 3 years now (since 2023) and"),
        ("Seven years now, and I still love the smell of clay.", "Seven years now (since 2019), and"),
        ("She has been a good neighbour of ours for about two years.", "for about two years (since 2024)"),
        ("We have shared the workshop in Ghent for ten months.", "for ten months (since April 2025)"),
        ("The bridge has been closed for a month now.", "for a month now (since January 2026)"),
        ("I've been playing chess for a month now, it's fun.", "User plays chess (since January 2026)"),
        ("I have lived in Porto for 4 years.", "User lives in Porto (since 2022)"),
        ("我学大提琴已经三年了，进步很慢。", "已经三年了（自2023年起）"),
        ("我学大提琴已经十二年了，进步很慢。", "已经十二年了（自2014年起）"),
        ("我在云帆科技工作了8个月了", "用户在云帆科技工作（自2025年6月起）"),
        ("我们合用这间画室十个月了。", "十个月了（自2025年4月起）"),
    ],
)
def test_what_has_lasted_is_told_with_its_beginning(text: str, since: str) -> None:
    (content,) = told(text)
    assert since in content


@pytest.mark.parametrize(
    "text",
    [
        "We shared a workshop in Ghent for three years.", "I've wanted a boat for years now.",
        "She has to rest for a month to heal.", "My nephew is seven years old now.",
        "It took us two years of work to mend the barn.",
        "We have a guarantee of three years on the stove in the barn.",
        "我们合用过三年画室。", "再过两年了，那座桥才能修好。", "我侄子快七年级了。", "这炉子有三年的保修期。",
        "我们合用这间画室两三年了。",
    ],
)  # fmt: skip
def test_what_is_over_or_has_another_measure_is_not(text: str) -> None:
    assert not any(sign in each for each in told(text) for sign in SINCE)


def test_what_has_lasted_dates_nothing_beside_it() -> None:
    (english, _) = told("I've worked at Corvex for ten months and I live in Porto.")
    assert english == "User lives in Porto"
    assert "用户住在绍兴" in told("我住在绍兴，在云帆科技工作了8个月了。")


@pytest.mark.parametrize("text", ["I just sold another of my paintings in Ghent.", "我刚卖掉了一幅自己的画。"])
def test_two_days_are_two_occasions(text: str, tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", text), ("2026-03-02T09:05:00Z", "user", text))
    say(tmp_path, "b", ("2026-03-05T09:00:00Z", "user", text))
    consolidate(tmp_path, "2026-03-06T12:00:00Z")
    days = {"2026-03-02", "2026-03-05"}
    stamps = (
        {"as of 2 March 2026", "as of 5 March 2026"} if text.isascii() else {"截至2026年3月2日", "截至2026年3月5日"}
    )
    found = contents(tmp_path)
    assert len(found) == len(days)
    assert all(any(stamp in each for each in found) for stamp in stamps)
