"""The owner's word: edits by command and with an editor, merges told apart again, and what nights make of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from workspaces import Crash, at, consolidate, contents, layers, make, memories, problems, say

from memory_system.disk import Disk
from memory_system.errors import ChangedSinceError, DamagedError, MissingLinesError, NotFoundError, UsageError
from memory_system.upkeep import correct, edit, explain, stats, undo
from memory_system.workspace import Workspace

NOW = "2026-03-05T12:00:00Z"
NEXT = "2026-03-08T12:00:00Z"
FACTS = "memory/layer2/active/facts.jsonl"
ARCHIVE = "memory/layer2/archive/facts.jsonl"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I live in Porto. I'm allergic to peanuts. 我喜欢划船。"))
    consolidate(tmp_path, "2026-03-04T12:00:00Z")
    return tmp_path


def one(root: Path, words: str, pool: str = "active") -> Any:
    (found,) = [each for each in memories(root, pool) if words in each.content]
    return found


def correct_it(root: Path, words: str, now: str = NOW, **values: Any) -> Any:
    memory_id = one(root, words).id
    with Workspace.open(root, now=at(now), write=True) as ws:
        return correct.edit(ws, memory_id, values)


def rewrite(root: Path, name: str, change: Callable[[list[dict[str, Any]]], Any]) -> None:
    """Change the records in a file as a person does with an editor."""
    path = root / name
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    rows = change(rows) or rows
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def write(root: Path, now: str = NEXT, **options: bool) -> Any:
    """Any command that writes; what it took over."""
    with Workspace.open(root, now=at(now), write=True, **options) as ws:
        return ws.taken_over


# ---- edit ----------------------------------------------------------------------------------------------------------


def test_a_new_value_takes_its_place_in_the_words(root: Path) -> None:
    correct_it(root, "Porto", value="Braga")
    edited = one(root, "Braga")
    assert (edited.content, edited.value, edited.version) == ("User lives in Braga", "Braga", 2)
    assert edited.edited == ("content", "value")
    assert edited.evidence[-1].quote == "User lives in Braga"
    assert problems(root, NEXT) == []
    assert "Braga" in (root / "memory/layer1/snapshot.md").read_text()


def thrice_the_dog(root: Path) -> None:
    """Three memories give the slot of the pet the same value."""
    say(root, "b", ("2026-03-04T13:00:00Z", "user", "My dog is called Rufus."))
    consolidate(root, "2026-03-05T04:00:00Z")

    def doubled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        [dog] = [row for row in rows if row.get("value") == "Rufus"]
        told = "User walks the dog Rufus at six"
        unclear = "Rufus is User's dog, a dog called Rufus"
        return [*rows, {**dog, "id": "f_20260305_000000000a", "content": told}, {
            **dog, "id": "f_20260305_000000000b", "content": unclear}]  # fmt: skip

    rewrite(root, FACTS, doubled)
    write(root, "2026-03-05T11:00:00Z")


def test_two_edits_of_one_second_stand_on_words_of_their_own(root: Path) -> None:
    thrice_the_dog(root)
    correct_it(root, "pet called Rufus", value="Rupert")
    refs = [each.evidence[-1].ref for each in memories(root) if "Rupert" in each.content]
    assert len(refs) == len(set(refs)) > 1


def test_a_name_takes_no_article_with_it(root: Path) -> None:
    assert correct_it(root, "Porto", value="a windmill").content == "User lives in a windmill"
    assert correct_it(root, "windmill", value="Braga").content == "User lives in Braga"


@pytest.mark.parametrize(
    ("said", "words", "content", "day"),
    [
        ("I have a dentist appointment on 10 March.", "dentist", "The dentist appointment is on 12 March 2026", 12),
        ("我3月10日下午三点要去看牙医。", "牙医", "2026年3月12日下午三点要去看牙医", 12),
        ("I have a dentist appointment on 10 March.", "dentist", "The dentist expects me on 10 March 2026", 10),
    ],
)
def test_new_words_name_another_day(said: str, words: str, content: str, day: int, tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", said))
    consolidate(tmp_path, NOW)
    assert correct_it(tmp_path, words, content=content).event_time.start.startswith(f"2026-03-{day}T")


def test_a_new_value_takes_its_place_in_every_memory_of_the_slot(root: Path) -> None:
    thrice_the_dog(root)
    correct_it(root, "pet called Rufus", value="Rupert")
    assert {each for each in contents(root) if "Rupert" in each} == {
        "User has a pet called Rupert",
        "User walks the dog Rupert at six",
    }
    assert one(root, "a dog called Rufus", "archive").superseded_by == one(root, "pet called Rupert").id
    assert one(root, "a dog called Rufus", "archive").valid_to == NOW
    assert problems(root, NEXT) == []


def test_a_value_that_is_only_taken_off_leaves_the_other_memories_of_the_slot(root: Path) -> None:
    thrice_the_dog(root)
    correct_it(root, "pet called Rufus", value="", content="User has a dog")
    assert {each for each in contents(root) if "dog" in each} == {
        "User has a dog",
        "User walks the dog Rufus at six",
        "Rufus is User's dog, a dog called Rufus",
    }


def test_why_tells_what_was_set_by_hand(root: Path) -> None:
    memory_id = correct_it(root, "划船", content="用户喜欢在河上划船", importance=0.9).id
    with Workspace.open(root, now=at(NOW)) as ws:
        row = explain.why(ws, memory_id)
    assert row["edited"] == ["content", "importance"]
    assert row["changes"][-1]["fields"]["content"] == ["用户喜欢划船", "用户喜欢在河上划船"]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("Porto", {}),
        ("Porto", {"content": ""}),
        ("Porto", {"content": "User lives elsewhere"}),
        ("Porto", {"importance": 1.5}),
        ("Porto", {"category": "statuss"}),
        ("划船", {"category": "爱好"}),
        ("Porto", {"confidence": 0.4, "importance": 2.0}),
    ],
)
def test_what_makes_no_sense_changes_nothing(root: Path, words: str, values: dict[str, Any]) -> None:
    before = layers(root)
    with pytest.raises(UsageError):
        correct_it(root, words, **values)
    assert layers(root) == before


def test_an_edit_of_what_has_changed_since_is_refused(root: Path) -> None:
    memory_id = correct_it(root, "Porto", importance=0.6).id
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        with pytest.raises(ChangedSinceError):
            correct.edit(ws, memory_id, {"importance": 0.1}, if_version=1)
        assert correct.edit(ws, memory_id, {"importance": 0.1}, if_version=2).importance == 0.1


def test_secrets_are_masked_in_corrections_too(root: Path) -> None:
    secret = "ghp_" + "aB3dE6gH9k" * 4
    correct_it(root, "划船", content=f"用户喜欢划船，口令是 {secret}")
    assert not [each for each in root.rglob("*") if each.is_file() and secret.encode() in each.read_bytes()]


@pytest.mark.parametrize(
    ("said", "new"),
    [
        ("I moved to Ghent.", "Ghent"),
        ("我搬到根特了。", "根特"),
        ("Actually, I live in Ghent, not Porto.", "Ghent"),
    ],
)
def test_what_is_said_later_stands_beside_the_owners_word(root: Path, said: str, new: str) -> None:
    correct_it(root, "Porto", value="Braga")
    say(root, "b", ("2026-03-06T09:00:00Z", "user", said))
    consolidate(root, NEXT)
    assert "User lives in Braga" in contents(root)
    assert any(new in each for each in contents(root))
    with Workspace.open(root, now=at(NEXT)) as ws:
        assert any("cannot be true together" in each["what"] for each in stats.status(ws)["problems"])
    assert problems(root, NEXT) == []


def test_what_had_been_said_before_the_owners_word_is_history(root: Path) -> None:
    say(root, "b", ("2026-03-04T15:00:00Z", "user", "I moved to Ghent."))
    correct_it(root, "Porto", value="Braga")  # on the fifth, before a night has read of Ghent
    consolidate(root, NEXT)
    assert "User lives in Braga" in contents(root)
    assert not any("Ghent" in each for each in contents(root))
    assert any("Ghent" in each for each in contents(root, "archive"))


def test_a_confirmation_adds_its_words_and_changes_nothing_that_was_set(root: Path) -> None:
    correct_it(root, "peanuts", importance=0.6)
    correct_it(root, "划船", content="用户喜欢划船")
    say(root, "b", ("2026-03-06T09:00:00Z", "user", "Also, I'm allergic to peanuts! 我很喜欢在周末的早上划船。"))
    consolidate(root, NEXT)
    peanuts = one(root, "peanuts")
    assert peanuts.importance == 0.6
    assert [each.ref for each in peanuts.evidence] == ["a:e1", "b:e1"]


def test_a_memory_whose_importance_was_set_gives_way_like_any_other(root: Path) -> None:
    correct_it(root, "Porto", importance=0.6)
    say(root, "b", ("2026-03-06T09:00:00Z", "user", "I moved to Ghent."))
    consolidate(root, NEXT)
    assert not any("Porto" in each for each in contents(root))


def test_a_summary_that_the_owner_has_written_is_not_rewritten(root: Path) -> None:
    say(root, "b", ("2026-03-04T15:00:00Z", "user", "I like chess. I like tulips. I like rye bread."))
    consolidate(root, NOW)
    summary = next(each for each in memories(root) if each.id.startswith("s_"))
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        correct.edit(ws, summary.id, {"content": "User likes quiet things"})
    say(root, "c", ("2026-03-06T09:00:00Z", "user", "I like jazz. I don't like chess anymore."))
    consolidate(root, NEXT)
    assert one(root, "quiet things").id == summary.id


def test_what_is_put_away_tells_what_it_had_replaced(root: Path) -> None:
    say(root, "b", ("2026-03-05T09:00:00Z", "user", "I moved to Ghent."))
    consolidate(root, "2026-03-06T12:00:00Z")
    with Workspace.open(root, now=at(NEXT), write=True) as ws:
        put_away = correct.archive(ws, one(root, "Ghent").id)
        [porto] = correct.replaced_by(ws, put_away)
        assert porto.content == "User lives in Porto"
        correct.restore(ws, porto.id)
        assert correct.replaced_by(ws, put_away) == []


def test_an_edit_can_be_undone(root: Path) -> None:
    before = layers(root)
    correct_it(root, "Porto", value="Braga")
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        undo.rollback(ws, "#2")
    assert layers(root) == before


# ---- split ---------------------------------------------------------------------------------------------------------


def split(root: Path, words: str) -> Any:
    memory_id = one(root, words).id
    with Workspace.open(root, now=at(NEXT), write=True) as ws:
        return correct.split(ws, memory_id)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("We rehearse the musical in the old chapel.", "we rehearse the musical in the old chapel!", "chapel"),
        ("我把旧书架送给了楼下的学校。", "我把旧书架送给了楼下的学校！", "书架"),
    ],
)
def test_two_matters_that_were_merged_are_told_apart_again(root: Path, first: str, second: str, words: str) -> None:
    say(root, "b", ("2026-03-04T15:00:00Z", "user", first))
    consolidate(root, NOW)
    before = one(root, words)
    say(root, "c", ("2026-03-06T09:00:00Z", "user", second))
    consolidate(root, NEXT)
    if len([each for each in contents(root) if words in each]) > 1:
        pytest.fail("the two were not merged: the example is no example")
    kept, apart = split(root, words)
    assert (kept.id, kept.content) == (before.id, before.content)
    assert [each.ref for each in apart.evidence][:1] == ["c:e1"]
    assert {each.id for each in memories(root) if words in each.content} == {kept.id, apart.id}
    assert problems(root, NEXT) == []


def test_a_capture_that_was_merged_comes_back_under_its_own_id(root: Path) -> None:
    with Workspace.open(root, now=at(NOW)) as ws:
        captured = edit.capture(ws, "User lives in Porto")
    consolidate(root, NEXT)
    assert one(root, "Porto").id != captured.id
    kept, apart = split(root, "Porto")
    assert apart.id == captured.id
    assert {each.id for each in memories(root) if "Porto" in each.content} == {kept.id, captured.id}


def test_what_was_never_merged_cannot_be_split(root: Path) -> None:
    with pytest.raises(NotFoundError):
        split(root, "Porto")


# ---- with an editor ------------------------------------------------------------------------------------------------


def test_a_line_that_was_changed_is_the_owners_word(root: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row.get("value") == "Porto":
                row |= {"content": "User lives in Braga", "value": "Braga"}

    rewrite(root, FACTS, change)
    assert any("edited by hand" in each for each in problems(root, NEXT))
    taken = write(root)
    assert taken.reason == "edited by hand"
    assert one(root, "Braga").edited == ("content", "value")
    say(root, "b", ("2026-03-09T09:00:00Z", "user", "I moved to Ghent."))
    consolidate(root, "2026-03-10T12:00:00Z")
    assert "User lives in Braga" in contents(root)
    assert problems(root, "2026-03-10T13:00:00Z") == []


def test_what_only_the_program_knows_stays_when_an_editor_loses_it(root: Path) -> None:
    before = one(root, "Porto")
    rewrite(
        root, FACTS, lambda rows: [{key: row[key] for key in row if key not in ("created", "said_at")} for row in rows]
    )
    consolidate(root, NEXT)
    after = one(root, "Porto")
    assert (after.created, after.said_at) == (before.created, before.said_at)
    assert problems(root, NEXT) == []


def test_a_night_takes_over_what_an_editor_did_and_derives_from_it(root: Path) -> None:
    rewrite(root, FACTS, lambda rows: [row for row in rows if row.get("value") != "Porto"])
    consolidate(root, NEXT)
    assert "User lives in Porto" in contents(root, "archive")
    assert "Porto" not in (root / "memory/layer1/snapshot.md").read_text()
    assert problems(root, NEXT) == []


def test_a_line_that_was_written_is_a_memory(root: Path) -> None:
    new = {"id": "f_20260305_001", "content": "用户会拉大提琴", "importance": 0.7, "score": 0.7}
    rewrite(root, FACTS, lambda rows: [new, *rows])  # not where its id belongs, and without most keys
    write(root)
    assert one(root, "大提琴").method == "hand"
    with Workspace.open(root, now=at(NEXT), write=True) as ws:
        correct.archive(ws, "f_20260305_001")
    assert problems(root, NEXT) == []


def test_a_line_that_was_moved_to_the_other_file_moves(root: Path) -> None:
    rows = [json.loads(line) for line in (root / FACTS).read_bytes().splitlines()]
    moved = next(row for row in rows if row.get("value") == "Porto")
    rewrite(root, FACTS, lambda rows: [row for row in rows if row["id"] != moved["id"]])
    (root / ARCHIVE).write_text(json.dumps(moved) + "\n")
    write(root)
    assert one(root, "Porto", "archive").retired == "by hand"
    (root / FACTS).write_bytes((root / FACTS).read_bytes() + (root / ARCHIVE).read_bytes())
    (root / ARCHIVE).write_text("\n")
    write(root)
    assert one(root, "Porto").retired is None


def test_a_line_taken_out_of_the_archive_is_gone_and_can_be_brought_back(root: Path) -> None:
    say(root, "b", ("2026-03-04T15:00:00Z", "user", "I moved to Ghent."))
    consolidate(root, NOW)
    (root / ARCHIVE).write_text("")
    taken = write(root)
    assert contents(root, "archive") == set()
    with Workspace.open(root, now=at(NEXT), write=True) as ws:
        correct.catch_up(ws)
    assert problems(root, NEXT) == []  # although what took its place still names it
    with Workspace.open(root, now=at(NEXT), write=True) as ws:
        undo.rollback(ws, f"#{taken.seq}")
    assert contents(root, "archive") == {"User lives in Porto"}


def test_another_form_of_the_same_line_is_no_edit(root: Path) -> None:
    rewrite(root, FACTS, lambda rows: [dict(reversed(row.items())) for row in rows])
    assert write(root) is None
    assert problems(root, NEXT) == []


def test_a_file_that_is_gone_is_rather_lost_than_removed(root: Path) -> None:
    kept = (root / FACTS).read_bytes()
    (root / FACTS).unlink()
    for _ in range(2):
        with pytest.raises(MissingLinesError):
            write(root)
    (root / FACTS).write_bytes(kept)
    assert write(root) is None
    (root / FACTS).unlink()
    write(root, allow_losses=True)
    assert contents(root) == set()
    assert len(contents(root, "archive")) == 3


def test_a_line_that_is_none_stops_every_writer_and_nothing_is_written(root: Path) -> None:
    (root / FACTS).write_bytes((root / FACTS).read_bytes()[:-9])
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file() and path.name != "lock"}
    with pytest.raises(DamagedError):
        consolidate(root, NEXT)
    assert {path: path.read_bytes() for path in before} == before


class _DiskThatActs(Disk):
    """A disk on which something else happens right before a file with that ending takes its place."""

    def __init__(self, name: str, act: Callable[[], object]) -> None:
        self.name = name
        self.act = act

    def replace(self, source: Path, target: Path) -> None:
        if target.as_posix().endswith(self.name):
            self.act()
        super().replace(source, target)


def stop() -> None:
    raise Crash


def test_a_night_that_stopped_after_its_commit_does_not_hide_an_edit(root: Path) -> None:
    say(root, "b", ("2026-03-06T09:00:00Z", "user", "I like rowing. 我养了一只猫，叫年糕。"))
    with pytest.raises(Crash):
        consolidate(root, "2026-03-07T12:00:00Z", disk=_DiskThatActs("keywords.json", stop))
    rewrite(root, FACTS, lambda rows: [row for row in rows if row.get("value") != "Porto"])
    consolidate(root, NEXT)
    assert any("年糕" in each for each in contents(root))
    assert problems(root, NEXT) == []


def test_an_edit_between_a_commit_that_stopped_and_its_end_is_noticed(root: Path) -> None:
    """What the interrupted commit had yet to write was taken for all that had changed, and the edit stayed unknown to
    the journal for ever."""
    say(root, "b", ("2026-03-06T09:00:00Z", "user", "我养了一只猫，叫年糕。"))
    with pytest.raises(Crash):
        consolidate(root, NEXT, disk=_DiskThatActs("active/facts.jsonl", stop))
    rewrite(root, FACTS, lambda rows: [{**row, "pinned": True} for row in rows])
    consolidate(root, NEXT)
    assert one(root, "Porto").edited == ("pinned",)
    assert one(root, "年糕").edited == ()
    assert problems(root, NEXT) == []


def test_an_edit_made_while_a_night_runs_stops_it_and_stands(root: Path) -> None:
    """The night had read the memories before, wrote its own over the edit, and nobody ever knew of it."""
    say(root, "b", ("2026-03-06T09:00:00Z", "user", "I moved to Ghent."))

    def pin() -> None:
        rewrite(root, FACTS, lambda rows: [{**row, "importance": 0.3} for row in rows])

    with pytest.raises(ChangedSinceError):
        consolidate(root, NEXT, disk=_DiskThatActs("decay.jsonl", pin))
    assert one(root, "Porto").importance == 0.3
    consolidate(root, NEXT)
    assert one(root, "Porto", "archive").edited == ("importance",)
    assert one(root, "Ghent").edited == ()
    assert problems(root, NEXT) == []


@pytest.mark.parametrize(
    ("old", "new", "slot"),
    [
        ("User lives in Porto", "User lives in Braga", ("lives_in", "Braga")),
        ("User lives in Porto", "User lives in Porto, by the river", ("lives_in", "Porto")),
        ("User lives in Porto", "User has left town", ("", "")),
        ("User lives in Porto", "User lives in Braga, and works there", ("", "")),
        ("用户喜欢划船", "用户喜欢钓鱼", ("likes", "钓鱼")),
        ("用户喜欢划船", "用户再也不想下水", ("", "")),
    ],
)
def test_the_value_follows_words_that_were_changed_with_an_editor(
    root: Path, old: str, new: str, slot: tuple[str, str]
) -> None:
    def reworded(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["content"] = new if row["content"] == old else row["content"]

    rewrite(root, FACTS, reworded)
    consolidate(root, NEXT)
    assert (one(root, new).attribute, one(root, new).value) == slot
    assert problems(root, NEXT) == []
