"""Memories found by their keys: in memory and from the disk alike."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspaces import at, consolidate, contents, make, problems, say

from memory_system import forgetting
from memory_system.config import Config
from memory_system.disk import Files
from memory_system.forgetting.planning import Selection
from memory_system.records import Fact, Pool, Row, to_line
from memory_system.store import lookup, store
from memory_system.store.database import Database
from memory_system.store.gist import gist_of
from memory_system.store.journal import Change, Entry
from memory_system.store.keys import entity_key, keys_of, keys_of_row
from memory_system.store.lookup import Lookup
from memory_system.upkeep import correct
from memory_system.workspace import Workspace

CONFIG = Config()
RULES = "these"
STAMP = "2026-01-01T03:00:00Z"

WORDS = ("Ana", "rows", "never", "in", "Porto", "3", "boats", "小明", "住在", "杭州", "不", "爬山")
memories = st.builds(
    lambda number, words, subject, attribute, importance: Fact(
        id=f"f_20260101_{number:010}", content=" ".join(words), subject=subject, attribute=attribute,
        value=words[-1] if attribute else "", entities=(words[0],), importance=importance, score=importance,
        created=STAMP, scored_at=STAMP, said_at=STAMP, source="a:1", category="general",
    ),
    st.integers(0, 30), st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.sampled_from(("user", "Ana")),
    st.sampled_from(("", "lives_in", "likes")), st.sampled_from((0.2, 0.9)),
)  # fmt: skip
commits = st.lists(
    st.dictionaries(st.integers(0, 30), st.tuples(st.sampled_from(("active", "archive", None)), memories), max_size=8),
    max_size=4,
)


class Truth:
    """Memories, and both ways of looking them up."""

    def __init__(self, folder: Path, first: list[Fact]) -> None:
        self.held: dict[str, tuple[Pool, Fact]] = {each.id: ("active", each) for each in first}
        self.path = folder / "keys.sqlite"
        self.loaded = lookup.Loaded(self.rows, CONFIG)
        lookup.make_catalogue(self.path, (RULES, "0"), self.rows(), CONFIG, Files())
        self.catalogue = self.opened("0")

    def rows(self) -> Iterator[Row]:
        for pool, each in self.held.values():
            if pool == "active":
                yield orjson.loads(to_line(each))

    def opened(self, head: str) -> lookup.Catalogue:
        found = lookup.catalogue_in(self.path, (RULES, head), CONFIG, lambda key: self.held[key][1].content)
        assert found is not None
        return found

    def commit(self, wanted: dict[int, tuple[Pool | None, Fact]], head: str) -> None:
        changes = [self._change(pool, each.model_copy(update={"id": f"f_20260101_{number:010}"}))
                   for number, (pool, each) in sorted(wanted.items())]  # fmt: skip
        self.loaded.move(changes, head)
        self.catalogue.move(changes, head)

    def _change(self, pool: Pool | None, record: Fact) -> Change:
        before = self.held.pop(record.id, None)
        was = (before[0], to_line(before[1])) if before else (None, None)
        if pool is None:
            return Change(record.id, "test", *was)
        self.held[record.id] = pool, record
        return Change(record.id, "test", *was, pool, to_line(record))

    def answers(self, found: Lookup) -> list[Any]:
        """What it finds by every key of every memory there is, or has been."""
        rows = [orjson.loads(to_line(each)) for _, each in self.held.values()]
        exact = {key for row in rows for key in keys_of_row(row)}
        alike = [
            key for row in rows
            for key in (*keys_of(row["content"], row.get("attribute", ""), row.get("value", "")),
                        *gist_of(row["content"]).words)
        ]  # fmt: skip
        by_likeness = found.find_alike(dict.fromkeys(alike), lambda gist: "never" not in gist.words)
        return [
            {key: found.find(key) for key in exact},
            {key: sorted(ids) for key, ids in by_likeness.items()},
            found.leaving_before("2026-06-01T00:00:00Z"),
            found.next_leaving(),
        ]


@settings(max_examples=50)
@given(st.lists(memories, max_size=20, unique_by=lambda each: each.id), commits)
def test_what_is_found_in_memory_is_found_on_the_disk(first: list[Fact], later: list[dict[int, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        truth = Truth(Path(folder), first)
        with closing(truth.catalogue):
            for number, commit in enumerate(later, 1):
                truth.commit(commit, str(number))
                assert truth.answers(truth.catalogue) == truth.answers(truth.loaded)
                assert truth.answers(truth.loaded) == truth.answers(lookup.Loaded(truth.rows, CONFIG))


@settings(max_examples=50)
@given(st.lists(memories, max_size=20, unique_by=lambda each: each.id), commits)
def test_a_catalogue_that_was_moved_along_is_the_one_that_is_made_anew(
    first: list[Fact], later: list[dict[int, Any]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        truth = Truth(Path(folder), first)
        for number, commit in enumerate(later, 1):
            truth.commit(commit, str(number))
        truth.catalogue.close()
        moved = content(truth.path)
        lookup.make_catalogue(truth.path, (RULES, "x"), truth.rows(), CONFIG, Files())
        assert moved == content(truth.path)


def content(path: Path) -> list[tuple[str, str]]:
    with closing(Database(path)) as database:
        return list(lookup.content(database))


@pytest.mark.parametrize("stands_for", [("others", "0"), (RULES, "1")])
def test_a_catalogue_by_other_rules_or_of_another_commit_is_of_no_use(
    tmp_path: Path, stands_for: tuple[str, str]
) -> None:
    Truth(tmp_path, []).catalogue.close()
    assert lookup.catalogue_in(tmp_path / "keys.sqlite", stands_for, CONFIG, gist_of) is None


def test_no_word_of_a_memory_is_in_a_catalogue(tmp_path: Path) -> None:
    record = Fact(id="f_20260101_0000000001", content="User keeps bees near Coimbra, 养蜜蜂", importance=0.5, score=0.5,
                  entities=("Coimbra",), created=STAMP, source="a:1")  # fmt: skip
    Truth(tmp_path, [record]).catalogue.close()
    held = (tmp_path / "keys.sqlite").read_bytes()
    assert record.id.encode() in held
    assert not [word for word in ("bees", "Coimbra", "coimbra", "蜜") if word.encode() in held]


# ---- a store of very many ----


def old_facts(count: int) -> Iterator[Change]:
    for number in range(count):
        content = f"User saw kettle {number} in street {number % 97}"
        record = Fact(id=f"f_20260101_{number:010}", content=content, importance=0.5, score=0.5, entities=("User",),
                      created=STAMP, scored_at=STAMP, said_at=STAMP, source=f"old:{number}", lang="en")  # fmt: skip
        yield Change(record.id, "new", None, None, "active", to_line(record))


def remembering(root: Path, count: int) -> Path:
    """A workspace with that many old facts, after a night with what people say."""
    make(root)
    with Workspace.open(root, now=at(STAMP), write=True) as ws:
        ws.store.apply(Entry(STAMP, "long ago"), old_facts(count))
    said = ("I live in Porto.", "Also, I'm allergic to peanuts.", "我对芒果过敏。", "I saw kettle 7 in street 7.")
    say(root, "a", *((f"2026-01-02T09:00:0{number}Z", "user", words) for number, words in enumerate(said)))
    consolidate(root, "2026-01-03T03:10:00Z")
    return root


VERY_MANY = 600  # here: the catalogue is of the same kind, and sooner made


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "VERY_MANY", VERY_MANY)
        yield remembering(tmp_path_factory.mktemp("large"), VERY_MANY)


@pytest.fixture
def many(large: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(large, tmp_path / "many"))


def keys(root: Path) -> Path:
    return root / "memory/layer2/index/keys.sqlite"


def next_night(root: Path) -> set[str]:
    """What is remembered of the second day."""
    said = ("I moved to Lisbon.", "我对芒果过敏。", "Also, I'm allergic to peanuts.", "My sister Mia rows.")
    say(root, "b", *((f"2026-01-03T09:00:0{number}Z", "user", words) for number, words in enumerate(said)))
    consolidate(root, "2026-01-04T03:10:00Z")
    return {each for each in contents(root) if "kettle" not in each}


def test_a_night_over_very_many_remembers_what_a_night_over_few_does(many: Path, tmp_path: Path) -> None:
    few = remembering(tmp_path / "few", 50)
    assert not keys(few).exists()
    assert keys(many).exists()
    remembered = next_night(many)
    assert "User lives in Lisbon" in remembered
    assert remembered == next_night(few)
    assert problems(many, "2026-01-04T04:00:00Z") == []


@pytest.mark.parametrize("damage", [
    lambda path: path.write_bytes(b"no database" * 500), lambda path: path.unlink(),
])  # fmt: skip
def test_a_catalogue_that_is_damaged_or_gone_is_made_anew(many: Path, damage: Any) -> None:
    damage(keys(many))
    assert "User lives in Lisbon" in next_night(many)
    assert problems(many, "2026-01-04T04:00:00Z") == []


def test_a_catalogue_follows_what_is_changed_by_hand(many: Path) -> None:
    made = keys(many).stat().st_ino
    with Workspace.open(many, now=at("2026-01-03T09:00:00Z"), write=True) as ws:
        home = next(each for _, each in ws.store.records() if each.attribute == "lives_in")
        correct.edit(ws, home.id, {"value": "Braga"})
    assert problems(many, "2026-01-03T10:00:00Z") == []
    next_night(many)
    assert keys(many).stat().st_ino == made  # it was not made anew
    assert problems(many, "2026-01-04T04:00:00Z") == []


def test_validate_names_a_catalogue_that_does_not_hold_what_the_truth_says(many: Path) -> None:
    with closing(Database(keys(many))) as database:
        database.rows("DELETE FROM memory WHERE id = 'f_20260101_0000000007'")
    assert ["keys.sqlite" in each for each in problems(many, "2026-01-03T10:00:00Z")] == [True]


@pytest.mark.parametrize("page", range(2, 12))
def test_a_night_over_a_catalogue_that_is_damaged_within_reads_the_memories(many: Path, page: int) -> None:
    with keys(many).open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\xff" * 4096)
    assert "User lives in Lisbon" in next_night(many)
    assert [each for each in problems(many, "2026-01-04T04:00:00Z") if "keys.sqlite" not in each] == []


def test_what_is_forgotten_is_found_by_no_key(many: Path) -> None:
    next_night(many)
    with Workspace.open(many, now=at("2026-01-04T05:00:00Z"), write=True) as ws:
        ws.store.prepare()
        forgetting.forget(ws, forgetting.plan_of(ws, Selection(session="b")))
        assert ws.store.find(entity_key("Mia")) == []
        say(many, "c", ("2026-01-04T09:00:00Z", "user", "I have a cello."))
    assert problems(many, "2026-01-04T06:00:00Z") == []
    consolidate(many, "2026-01-05T03:10:00Z")
    assert problems(many, "2026-01-05T04:00:00Z") == []
    assert "Mia" not in "".join(contents(many))


def test_a_commit_stands_without_its_catalogue(many: Path) -> None:
    with Workspace.open(many, now=at("2026-01-03T09:00:00Z"), write=True) as ws:
        ws.store.prepare()
        keys(many).unlink()  # under an open connection: SQLite refuses to write to it
        home = next(each for _, each in ws.store.records() if each.attribute == "lives_in")
        correct.edit(ws, home.id, {"value": "Braga"})
    assert "User lives in Braga" in contents(many)
    assert problems(many, "2026-01-03T10:00:00Z") == []


def test_keys_that_very_many_share_find_none_and_those_that_many_share_find_the_newest(tmp_path: Path) -> None:
    many = [
        Fact(id=f"f_20260101_{number:010}", content=f"Ana rows boat {number}" + " daily" * (number < 40),
             importance=0.5, score=0.5, entities=("Ana",), created=STAMP, source="a:1")
        for number in range(150)
    ]  # fmt: skip
    truth = Truth(tmp_path, many)
    words = ["boat", gist_of("daily").words[0]]
    with closing(truth.catalogue):
        found = [each.find_alike(words, lambda _: True) for each in (truth.loaded, truth.catalogue)]
    assert found == [{words[1]: [f"f_20260101_{number:010}" for number in range(8, 40)]}] * 2
