"""config.json as a value, the schedule it gives, and how memories fade under it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspaces import at

from memory_system import clock
from memory_system.clock import Schedule
from memory_system.config import Config, parse_config
from memory_system.errors import ConfigError
from memory_system.records import Belief, Fact, Summary
from memory_system.store import retention


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"decay_rate": {}}, "did you mean decay_rates"),
        ({"thresholds": {"archve": 0.1}}, "did you mean archive"),
        ({"sources": [{"paht": "x"}]}, "did you mean path"),
        ({"policy": {"masked": "phone"}}, r'policy.masked: it must be a list, like \["phone"\]'),
        ({"sources": {"path": "x"}}, "sources: it must be a list$"),
        ({"thresholds": {"archive": 7}}, "thresholds.archive"),
        ({"thresholds": 5}, r'config.json: thresholds: it must be an object, like \{"archive": 0.05\}$'),
        ({"thresholds": None}, "thresholds: it must be an object"),
        ({"search": {"english": 4}}, r'search.english: it must be an object, like \{"length": 0.4\}'),
        ({"sources": ["talks"]}, r'sources.0: it must be an object, like \{"path": '),
        ({"thresholds.archive": 0.1}, r'write it inside thresholds: \{"thresholds": \{"archive": 0.1\}\}'),
        ({"search.english.pieces": 0}, r'\{"search": \{"english": \{"pieces": 0\}\}\}'),
        ({"llm": {"prices": [{"modl": "x"}]}}, "llm.prices.0.model: it is missing.*did you mean model"),
        ({"history_days": "x"}, "history_days: it must be a valid integer"),
        ({"timezone": "Mars/Olympus"}, "time zone"),
        ({"consolidation": {"schedule": "never"}}, "five fields"),
        ({"consolidation": {"schedule": "0 0 31 2 *"}}, "never comes true"),
        ({"consolidation": {"schedule": "R 3 * * *"}}, "five fields"),
        ({"consolidation": {"schedule": "0 0 3 * * *"}}, "five fields"),
        ({"screen": {"max_tokens": "much"}}, "screen.max_tokens"),
    ],
)
def test_what_must_not_be_in_it(row: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_config(row, "config.json")


def test_the_seeds_own_config_is_understood() -> None:
    row = {
        "version": "1.0",
        "decay_rates": {"fact": 0.008, "belief": 0.07, "summary": 0.025},
        "thresholds": {"archive": 0.05, "summary_trigger": 3},
        "token_budget": {
            "layer1_total": 2000, "layer1_top1": 0.4, "layer1_top2": 0.25, "layer1_top3": 0.15, "layer1_rest": 0.2,
        },
        "consolidation": {"schedule": "0 3 * * *", "fallback_hours": 48, "model": "default"},
        "importance_rules": {
            "identity_health_safety": 1.0, "preference_relation_status": 0.8, "general_fact": 0.5, "temporary": 0.2,
        },
    }  # fmt: skip
    assert parse_config(row, "config.json") == Config()


LISBON = ZoneInfo("Europe/Lisbon")
NEW_YORK = ZoneInfo("America/New_York")


def test_a_night_handles_what_was_said_before_it() -> None:
    schedule = Schedule("0 3 * * *", ZoneInfo("Asia/Shanghai"))
    assert schedule.after(at("2026-03-02T18:59:59Z")) == at("2026-03-02T19:00:00Z")
    assert schedule.after(at("2026-03-02T19:00:00Z")) == at("2026-03-03T19:00:00Z")
    assert schedule.last(at("2026-03-02T19:00:00Z")) == at("2026-03-02T19:00:00Z")
    assert schedule.last(at("2026-03-02T18:59:59Z")) == at("2026-03-01T19:00:00Z")


def test_the_hour_that_comes_twice_gives_one_night() -> None:
    schedule = Schedule("30 1 * * *", NEW_YORK)  # on 1 November 2026 it is 01:30 twice
    first = schedule.after(at("2026-11-01T04:00:00Z"))
    assert first == at("2026-11-01T05:30:00Z")
    assert schedule.after(first) == at("2026-11-02T06:30:00Z")


def test_the_hour_that_is_skipped_still_has_its_night() -> None:
    schedule = Schedule("30 2 * * *", NEW_YORK)  # on 8 March 2026 there is no 02:30
    night = schedule.after(at("2026-03-08T05:00:00Z"))
    assert clock.local_date(night, NEW_YORK).isoformat() == "2026-03-08"


@pytest.mark.parametrize("zone", ["Asia/Beirut", "Africa/Cairo", "America/Santiago", "Europe/Lisbon", "Pacific/Apia"])
@pytest.mark.parametrize("cron", ["30 23 * * *", "30 0 * * *", "0 3 * * *", "@daily"])
def test_nights_go_on_one_a_local_date_through_every_clock_change(zone: str, cron: str) -> None:
    schedule = Schedule(cron, ZoneInfo(zone))
    night = schedule.after(at("2026-01-01T00:00:00Z"))
    dates = []
    for _ in range(400):
        following = schedule.after(night)
        assert following > night
        dates.append(clock.local_date(night, ZoneInfo(zone)))
        night = following
    assert dates == [dates[0] + timedelta(days=number) for number in range(400)]


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "Europe/Lisbon", "America/New_York", "Australia/Lord_Howe"])
@pytest.mark.parametrize("hit", ["0 3", "30 2", "5 0", "59 23"])
def test_every_day_is_the_same_as_all_seven_days_of_the_week(zone: str, hit: str) -> None:
    plain, spelled = (Schedule(f"{hit} * * {days}", ZoneInfo(zone)) for days in ("*", "0-6"))
    days = [date(2026, 1, 1) + timedelta(days=number) for number in range(365)]
    assert [plain.on(day) for day in days] == [spelled.on(day) for day in days]


def test_only_the_first_hit_of_a_day_counts() -> None:
    schedule = Schedule("0 */6 * * *", LISBON)
    assert schedule.after(at("2026-07-01T23:30:00Z")) == at("2026-07-02T23:00:00Z")


def test_weekly_nights() -> None:
    schedule = Schedule("0 3 * * 1", LISBON)
    assert schedule.after(at("2026-03-03T00:00:00Z")) == at("2026-03-09T03:00:00Z")


def test_a_night_that_comes_every_fourth_year_was_there_as_well() -> None:
    schedule = Schedule("0 3 29 2 *", LISBON)
    assert schedule.last(at("2027-12-01T00:00:00Z")) == at("2024-02-29T03:00:00Z")
    assert schedule.after(at("2027-12-01T00:00:00Z")) == at("2028-02-29T03:00:00Z")


@given(
    st.datetimes(
        min_value=at("2020-01-01T00:00:00Z").replace(tzinfo=None),
        max_value=at("2035-01-01T00:00:00Z").replace(tzinfo=None),
    )
)
def test_the_night_after_is_always_later_and_the_last_never(moment: Any) -> None:
    schedule = Schedule("30 2 * * *", NEW_YORK)
    moment = moment.replace(tzinfo=clock.UTC)
    after, last = schedule.after(moment), schedule.last(moment)
    assert last is not None
    assert last <= moment < after
    assert after - last <= timedelta(days=2)


CONFIG = Config()
START = at("2026-01-01T03:00:00Z")


def fact(kind: type[Fact] = Fact, **values: Any) -> Fact:
    row = {"id": f"{kind.PREFIX}_20260101_0123456789", "content": "x", "importance": 0.5, "score": 0.5}
    return kind.model_validate({**row, "scored_at": clock.stamp(START), **values})


@pytest.mark.parametrize(
    ("kind", "importance", "half_life"),
    [(Fact, 1.0, 174), (Fact, 0.5, 116), (Fact, 0.0, 87), (Belief, 0.0, 10), (Summary, 0.0, 28)],
)
def test_half_lives_are_the_seeds(kind: type[Fact], importance: float, half_life: int) -> None:
    record = fact(kind, importance=importance, score=1.0)
    assert retention.effective(record, START + timedelta(days=half_life), CONFIG) == pytest.approx(0.5, abs=0.01)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 5000), st.integers(0, 5000))
def test_scores_never_rise_by_themselves(importance: float, score: float, one: int, other: int) -> None:
    record = fact(importance=importance, score=score)
    sooner, later = sorted((one, other))
    first = retention.effective(record, START + timedelta(days=sooner), CONFIG)
    assert retention.effective(record, START + timedelta(days=later), CONFIG) <= first <= score


def test_a_clock_that_went_back_changes_no_score() -> None:
    assert retention.effective(fact(), START - timedelta(days=400), CONFIG) == 0.5


@pytest.mark.parametrize(
    "values", [{"category": "health"}, {"category": "identity"}, {"category": "safety"}, {"pinned": True}]
)
def test_what_matters_has_a_floor(values: dict[str, Any]) -> None:
    record = fact(**values)
    assert retention.effective(record, START + timedelta(days=9999), CONFIG) == CONFIG.thresholds.floor
    assert retention.leaves_at(record.model_dump(), CONFIG) == ""


@given(st.floats(0.06, 1), st.floats(0, 1))
def test_it_leaves_when_the_score_crosses_the_threshold(score: float, importance: float) -> None:
    record = fact(score=score, importance=importance)
    leaves = clock.read_stamp(retention.leaves_at(record.model_dump(), CONFIG))
    assert retention.effective(record, leaves, CONFIG) < CONFIG.thresholds.archive
    assert retention.effective(record, leaves - timedelta(minutes=1), CONFIG) >= CONFIG.thresholds.archive


def test_what_expires_leaves_then() -> None:
    assert retention.leaves_at(fact(expires="2026-01-05T00:00:00Z").model_dump(), CONFIG) == "2026-01-05T00:00:00Z"
