"""The dump of the index: what memories are listed under."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path

import pytest
from workspaces import consolidate, make, problems, say

from memory_system.config import Config, parse_config
from memory_system.recall.search_index import Index
from memory_system.recall.views import FILES
from memory_system.records import Fact, Pool, memory_id, to_line

CONFIG = Config()
WORDS = ("kettle", "猫", "Ana", "Ben", "lamp-7", "Porto", "用户")

Put = tuple[Pool | None, Fact]  # None takes it out


def fact(content: str, number: int = 0, **more: object) -> Fact:
    fields: dict[str, object] = {"importance": 0.5, "score": 0.5, "said_at": "2026-02-03T10:00:00Z"}
    key = memory_id(Fact, date(2026, 2, 4), f"s:{number}", "")
    return Fact.model_validate({"id": key, "content": content, **fields, **more})


def change(index: Index, puts: Iterable[Put]) -> None:
    for pool, each in puts:
        if pool is None:
            index.drop_memories([each.id])
        else:
            index.put_memories([(pool, to_line(each))])


def test_the_dump() -> None:
    zone = parse_config({"timezone": "Asia/Shanghai"}, "config.json")
    tea = fact("Ana likes green tea", 1, entities=("Ana",), value="green tea", said_at="2026-02-03T17:00:00Z")
    trip = fact("Ana和Ben去北京", 2, entities=("Ana", "Ben"), said_at="2026-02-03T15:00:00Z")
    with Index.in_memory(zone) as index:
        once = fact("Ana once", 3, entities=("Ana",))
        index.put_memories([("active", to_line(tea)), ("active", to_line(trip)), ("archive", to_line(once))])
        both = sorted([tea.id, trip.id])
        dumped = index.dump()
        assert dumped["keywords.json"] == {
            "Ana": both, "Ben": [trip.id], "ana": both, "ben": [trip.id], "green": [tea.id], "green tea": [tea.id],
            "likes": [tea.id], "tea": [tea.id],
        }  # fmt: skip
        assert dumped["timeline.json"] == {"2026-02-03": [trip.id], "2026-02-04": [tea.id]}
        assert dumped["relations.json"] == {
            "Ana": {"memories": both, "related": {"Ben": 1}},
            "Ben": {"memories": [trip.id], "related": {"Ana": 1}},
        }


def test_a_word_that_very_many_memories_share_is_no_keyword() -> None:
    many = [fact(f"User mends kettle k{number}", number, entities=["Elena"]) for number in range(250)]
    with Index.in_memory(CONFIG) as index:
        index.put_memories(("active", to_line(each)) for each in [*many, fact("User keeps a sextant", 999)])
        found = index.dump()["keywords.json"]
    assert "kettle" not in found
    assert found["sextant"] == [fact("User keeps a sextant", 999).id]
    assert len(found["Elena"]) == 250  # who is meant is no word among others
    assert len(found["k7"]) == 1


@pytest.fixture
def crowd() -> Iterator[Index]:
    """260 memories that share a word; most of them share a name as well."""
    with Index.in_memory(CONFIG) as index:
        many = [
            fact(f"User mends kettle k{number}", number, entities=("Elena",) * (number > 4)) for number in range(260)
        ]
        index.put_memories(("active", to_line(each)) for each in many)
        yield index


@pytest.mark.parametrize(
    "puts",
    [
        [(None, fact("", number)) for number in range(60)],  # 200 are left: no more than may be
        [("active", fact("User mends things", 0, value="kettle"))],  # what is somebody's value is no word among others
        [("active", fact("User mends things", 0, entities=("kettle",)))],
    ],
)
def test_a_word_that_too_many_shared_may_be_listed_again(crowd: Index, puts: list[Put]) -> None:
    assert "kettle" not in crowd.dump()["keywords.json"]
    change(crowd, puts)
    assert "kettle" in crowd.dump()["keywords.json"]


@pytest.mark.parametrize("name", FILES)
def test_a_dump_that_was_touched_is_made_anew_by_the_next_night(tmp_path: Path, name: str) -> None:
    root = make(tmp_path)
    for day, text in ((1, "I like rowing."), (2, "我养了一只猫，叫年糕。"), (3, "I work at Acme.")):
        say(root, f"s{day}", (f"2026-03-0{day}T09:00:00Z", "user", text))
        now = f"2026-03-0{day + 1}T12:00:00Z"
        consolidate(root, now)
        assert problems(root, now) == []
        if day == 2:
            (root / "memory/layer2/index" / name).write_bytes(b"{}\n")
