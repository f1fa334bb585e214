"""The dump of the index: what memories are listed under, and that following changes ends where making it anew does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspaces import consolidate, make, problems, say

from memory_system.config import Config, parse_config
from memory_system.recall.search_index import Index
from memory_system.recall.views import FILES, Dump, digest, followed
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


def follow(there: Dump | None, index: Index, puts: Sequence[Put]) -> Dump | None:
    """The dump after these changes, as a night makes it."""
    ids = [each.id for _, each in puts]
    before = list(index.listing.labels(ids))
    change(index, puts)
    return followed(there, before, ids, index.listing)


def test_the_dump() -> None:
    zone = parse_config({"timezone": "Asia/Shanghai"}, "config.json")
    tea = fact("Ana likes green tea", 1, entities=("Ana",), value="green tea", said_at="2026-02-03T17:00:00Z")
    trip = fact("Ana和Ben去北京", 2, entities=("Ana", "Ben"), said_at="2026-02-03T15:00:00Z")
    with Index.in_memory(zone) as index:
        once = fact("Ana once", 3, entities=("Ana",))
        index.put_memories([("active", to_line(tea)), ("active", to_line(trip)), ("archive", to_line(once))])
        both = sorted([tea.id, trip.id])
        dumped = index.listing.all()
        assert dumped.keywords == {
            "Ana": both, "Ben": [trip.id], "ana": both, "ben": [trip.id], "green": [tea.id], "green tea": [tea.id],
            "likes": [tea.id], "tea": [tea.id],
        }  # fmt: skip
        assert dumped.timeline == {"2026-02-03": [trip.id], "2026-02-04": [tea.id]}
        assert dumped.relations == {
            "Ana": {"memories": both, "related": {"Ben": 1}},
            "Ben": {"memories": [trip.id], "related": {"Ana": 1}},
        }


def test_a_word_that_very_many_memories_share_is_no_keyword() -> None:
    many = [fact(f"User mends kettle k{number}", number, entities=["Elena"]) for number in range(250)]
    with Index.in_memory(CONFIG) as index:
        index.put_memories(("active", to_line(each)) for each in [*many, fact("User keeps a sextant", 999)])
        found = index.listing.all().keywords
    assert "kettle" not in found
    assert found["sextant"] == [fact("User keeps a sextant", 999).id]
    assert len(found["Elena"]) == 250  # who is meant is no word among others
    assert len(found["k7"]) == 1


FACTS = st.builds(
    lambda number, words, names, value, day: fact(
        " ".join(words), number, entities=tuple(names), value=value, said_at=f"2026-02-0{day}T10:00:00Z"
    ),
    st.integers(0, 6),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3),
    st.lists(st.sampled_from(WORDS), max_size=3, unique=True),
    st.sampled_from(["", *WORDS]),
    st.integers(1, 3),
)
NIGHTS = st.lists(st.lists(st.tuples(st.sampled_from(["active", "active", "archive", None]), FACTS), max_size=4))


@given(NIGHTS)
def test_a_dump_that_follows_is_the_dump_made_anew(nights: list[list[Put]]) -> None:
    with Index.in_memory(CONFIG) as index:
        dump: Dump | None = Dump()
        for puts in nights:
            dump = follow(dump, index, puts)
            assert dump
            assert dump.files() == index.listing.all().files()


@pytest.fixture
def crowd() -> Iterator[Index]:
    """260 memories that share a word; most of them share a name as well."""
    with Index.in_memory(CONFIG) as index:
        many = [
            fact(f"User mends kettle k{number}", number, entities=("Elena",) * (number > 4)) for number in range(260)
        ]
        index.put_memories(("active", to_line(each)) for each in many)
        yield index


def test_a_word_that_becomes_too_common_is_left_out_from_then_on(crowd: Index) -> None:
    there = crowd.listing.all()
    assert there.crowded == {"kettle": 260, "mends": 260, "user": 260}
    sextants: list[Put] = [("active", fact("a sextant", number)) for number in range(300, 501)]
    after = follow(there, crowd, sextants)
    assert after
    assert after.crowded["sextant"] == 201
    assert after.files() == crowd.listing.all().files()


@pytest.mark.parametrize(
    "puts",
    [
        [(None, fact("", number)) for number in range(60)],  # 200 are left: no more than may be
        [("active", fact("User mends things", 0, value="kettle"))],  # what is somebody's value is no word among others
        [("active", fact("User mends things", 0, entities=("kettle",)))],
    ],
)
def test_a_word_that_may_be_listed_again_takes_all_memories(crowd: Index, puts: list[Put]) -> None:
    assert follow(crowd.listing.all(), crowd, puts) is None
    assert "kettle" in crowd.listing.all().keywords


def test_a_name_that_nobody_has_any_more_is_a_word_among_others(crowd: Index) -> None:
    change(crowd, [("active", fact("kettle", 300, entities=("kettle",)))])
    there = crowd.listing.all()
    assert len(there.keywords["kettle"]) == 261
    after = follow(there, crowd, [("active", fact("kettle", 300))])
    assert after
    assert after.crowded["kettle"] == 261
    assert after.files() == crowd.listing.all().files()


def test_only_what_was_written_is_followed() -> None:
    dump = Dump()
    with Index.in_memory(CONFIG) as index:
        change(index, [("active", fact("a lamp", entities=("Ana",)))])
        dump = index.listing.all()
    files = dump.files()
    mark = {"digest": digest(files), "crowded": {}}
    assert Dump.read(files, mark) == dump
    assert Dump.read([b"{}\n", *files[1:]], mark) is None
    assert Dump.read(files, {}) is None


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
