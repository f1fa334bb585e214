"""The times that a question may mean: whoever asks for May seldom says of which year."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory_system import dates

NOW = datetime(2025, 12, 31, 12, tzinfo=UTC)


def times(question: str) -> list[str]:
    """First and last day of each."""
    found = dates.meant(question, NOW)
    return [f"{start:%Y-%m-%d} {end - timedelta(days=1):%Y-%m-%d}" for start, end in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who was there in mid March?", ["2025-03-11 2025-03-20"]),  # it is told as past
        ("3月中旬去了哪里？", ["2025-03-11 2025-03-20"]),
        ("Trips in early April?", ["2025-04-01 2025-04-10", "2026-04-01 2026-04-10"]),
        ("4月份的事", ["2025-04-01 2025-04-30", "2026-04-01 2026-04-30"]),
        ("what's on January 9?", ["2025-01-09 2025-01-09", "2026-01-09 2026-01-09"]),
        ("1月9日的会", ["2025-01-09 2025-01-09", "2026-01-09 2026-01-09"]),
        ("What will I do on January 9?", ["2026-01-09 2026-01-09"]),
        ("2024年4月的安排", ["2024-04-01 2024-04-30"]),
        ("anything in April 2024?", ["2024-04-01 2024-04-30"]),
        ("Did we meet yesterday?", ["2025-12-30 2025-12-30"]),
        ("昨天见面了吗", ["2025-12-30 2025-12-30"]),
        ("What may it be?", []),
        ("我的车", []),
    ],
)
def test_a_date_without_a_year_is_the_last_and_the_next(question: str, expected: list[str]) -> None:
    assert times(question) == expected


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("Where did we stay from May 3 to 7?", "2025-05-03 2025-05-07"),
        ("Where did we stay between May 3 and May 7?", "2025-05-03 2025-05-07"),
        ("What did we do from March to May?", "2025-03-01 2025-05-31"),
        ("5月3日至7日期间去了哪里？", "2025-05-03 2025-05-07"),
        ("5月3号到7号去了哪里？", "2025-05-03 2025-05-07"),
        ("5月3日和5月7日之间去了哪里？", "2025-05-03 2025-05-07"),
        ("三月到五月去了哪里？", "2025-03-01 2025-05-31"),
        ("上周一到周三去了哪里？", "2025-12-22 2025-12-24"),
    ],
)
def test_from_one_date_to_another_is_one_time(question: str, days: str) -> None:
    assert times(question) == [days]
