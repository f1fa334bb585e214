"""The journal, the store and the inbox: all or nothing, in order, and nothing lost."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspaces import Crash, CrashingDisk, at, make

from memory_system.disk import Disk, Files
from memory_system.errors import DamagedError, LockedError
from memory_system.records import Evidence, Fact, from_line, memory_id, to_line
from memory_system.store.draft import Draft, changes_of
from memory_system.store.journal import Change, Entry, Journal
from memory_system.store.keys import content_key, slot_key, value_key
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

NOW = at("2026-03-02T03:00:00Z")


def fact(content: str, **values: object) -> Fact:
    given_id = memory_id(Fact, NOW.date(), content, content)
    row = {"id": given_id, "content": content, "importance": 0.5, "score": 0.5, "created": "2026-03-02T03:00:00Z"}
    return Fact.model_validate(row | values)


def put(ws: Workspace, *records: Fact, pool: str = "active") -> None:
    draft = Draft(ws.store)
    for record in records:
        draft.put(pool, record, "new")  # type: ignore[arg-type]  # a plain str in tests
    ws.store.apply(Entry("2026-03-02T03:00:00Z", "test"), changes_of(ws.store, [draft]))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "w")


def test_records_keep_keys_they_do_not_know(root: Path) -> None:
    with Workspace.open(root, now=NOW, write=True) as ws:
        put(ws, fact("User rows", mood="calm"))
    with Workspace.open(root, now=NOW, write=True) as ws:
        put(ws, fact("User reads"))
        lines = (root / "memory/layer2/active/facts.jsonl").read_bytes()
    assert b'"mood":"calm"' in lines
    assert lines.count(b"\n") == 2


def test_lines_are_sorted_by_id_and_empty_fields_left_out(root: Path) -> None:
    with Workspace.open(root, now=NOW, write=True) as ws:
        put(ws, *(fact(f"User counts to {number}") for number in range(50)))
        put(ws, *(fact(f"User counts to {number}") for number in range(50, 80)))
        lines = [line for _, line in ws.store.lines("active", Fact)]
    ids = [from_line(line).id for line in lines]
    assert ids == sorted(ids)
    assert len(set(ids)) == 80
    assert b"null" not in lines[0]
    assert b"[]" not in lines[0]


def test_a_memory_is_found_by_slot_value_and_content(root: Path) -> None:
    known = fact("User lives in Porto", subject="user", attribute="lives_in", value="Porto")
    with Workspace.open(root, now=NOW, write=True) as ws:
        put(ws, known)
        draft = Draft(ws.store)
        for key in (
            slot_key("user", "lives_in"),
            value_key("user", "lives_in", "ＰＯＲＴＯ"),
            content_key("user LIVES in porto!"),
        ):
            assert ws.store.find(key) == [known.id]
            assert draft.find(key) == [known.id]
        draft.put("archive", known, "decayed")
        assert draft.find(slot_key("user", "lives_in")) == []
        assert ws.store.find(slot_key("user", "lives_in")) == [known.id]


@pytest.mark.parametrize("stop", range(1, 30))
def test_a_commit_is_all_or_nothing_wherever_it_stops(root: Path, stop: int) -> None:
    with Workspace.open(root, now=NOW, write=True) as ws:
        put(ws, fact("User rows"))
    disk = CrashingDisk()
    with Workspace.open(root, now=NOW, write=True, disk=disk) as ws:
        disk.done.clear()
        disk.stop = stop
        with suppress(Crash):
            put(ws, fact("User reads"), fact("User runs"))
    with Workspace.open(root, now=NOW, write=True) as ws:
        contents = {record.content for _, record in ws.store.records()}
        assert contents in ({"User rows"}, {"User rows", "User reads", "User runs"})
        put(ws, fact("User rests"))
        assert "User rests" in {record.content for _, record in ws.store.records()}
        assert [group.verifies() and group.done for group in ws.journal.entries()]


@pytest.mark.parametrize("stop", range(1, 25))
def test_a_reader_beside_a_commit_that_is_half_way_sees_every_memory_once(root: Path, stop: int) -> None:
    """A memory on its way to the archive stood in both files, and whoever read them then was told of damage."""
    going, coming = fact("User rows"), fact("User reads")
    with Workspace.open(root, now=NOW, write=True) as ws:
        put(ws, going)
        put(ws, coming, pool="archive")
    disk = CrashingDisk(torn=False)
    with Workspace.open(root, now=NOW, write=True, disk=disk) as ws:
        back = [Change(each.id, "moved", ws.store.pool_of(each.id), to_line(each), pool, to_line(each))
                for each, pool in ((going, "archive"), (coming, "active"))]  # fmt: skip
        disk.done.clear()
        disk.stop = stop
        with suppress(Crash):
            ws.store.apply(Entry("2026-03-02T03:00:00Z", "test"), back)
    with Workspace.open(root, now=NOW) as reader:
        pools = {record.content: pool for pool, record in reader.store.records()}
    assert pools in (
        {"User rows": "active", "User reads": "archive"},
        {"User rows": "archive", "User reads": "active"},
    )


def test_who_reads_while_others_commit_reads_again(root: Path) -> None:
    with Workspace.open(root, now=NOW, write=True) as ws:
        put(ws, fact("User rows"))
        with Workspace.open(root, now=NOW) as reader:
            read = []

            def look(_: list[Change]) -> int:
                read.append([line for _, line in reader.store.lines("active", Fact)])
                if len(read) == 1:
                    put(ws, fact("User reads"))
                return len(read[-1])

            assert reader.store.steadily(look) == 2
            assert [len(each) for each in read] == [1, 2]


def test_the_journal_chains_its_entries(tmp_path: Path) -> None:
    journal = Journal(tmp_path, Files())
    for number in range(3):
        entry = journal.begin(Entry(f"2026-0{number + 1}-02T03:00:00Z", "test"), [Change(f"f_{number}", "new")])
        journal.done(entry)
    groups = list(journal.entries())
    assert [group.entry.seq for group in groups] == [1, 2, 3]
    assert [group.prev for group in groups[1:]] == [group.hash for group in groups[:-1]]
    assert len(journal.months()) == 3
    assert journal.head().hash == groups[-1].hash


def test_a_clock_that_went_back_keeps_the_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path, Files())
    for time in ("2026-05-02T03:00:00Z", "2020-01-01T00:00:00Z"):
        journal.done(journal.begin(Entry(time, "test"), []))
    assert [group.entry.seq for group in journal.entries()] == [1, 2]


def test_a_changed_line_of_the_journal_is_noticed(tmp_path: Path) -> None:
    journal = Journal(tmp_path, Files())
    line = to_line(fact("User rows"))
    journal.done(
        journal.begin(Entry("2026-03-02T03:00:00Z", "test"), [Change("f_1", "new", None, None, "active", line)])
    )
    path = journal.months()[0]
    path.write_bytes(path.read_bytes().replace(b"rows", b"robs"))
    with pytest.raises(DamagedError):
        list(journal.entries())


def test_damaged_truth_stops_the_writer(root: Path) -> None:
    (root / "memory/layer2/active/facts.jsonl").write_bytes(b'{"id":"f_2026')
    with pytest.raises(DamagedError, match=r"facts\.jsonl:1"):
        Workspace.open(root, now=NOW, write=True)


def test_one_writer(root: Path) -> None:
    with Workspace.open(root, now=NOW, write=True):
        with pytest.raises(LockedError):
            Workspace.open(root, now=NOW, write=True)
        with Workspace.open(root, now=NOW) as reader:
            assert list(reader.store.records()) == []
    Workspace.open(root, now=NOW, write=True).close()


@pytest.mark.parametrize("more", [b'{"a":1}\n', [b'{"a"', b":1}\n"]])
def test_nothing_is_glued_to_a_torn_line(more: bytes | list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'{"torn')
    Files().append(path, more)
    assert path.read_bytes() == b'{"torn\n{"a":1}\n'


def test_a_torn_capture_is_kept_aside_and_harms_no_other(root: Path) -> None:
    inbox = root / "memory/state/inbox.jsonl"
    with Workspace.open(root, now=NOW) as ws:
        ws.inbox.add(fact("User rows"))
        inbox.write_bytes(inbox.read_bytes() + b'{"id":"f_20')
        ws.inbox.add(fact("User reads"))
        assert [record.content for record in ws.inbox.pending()] in (
            ["User rows", "User reads"],
            ["User reads", "User rows"],
        )
        assert len(ws.inbox.problems()) == 1
        ws.inbox.drop([fact("User rows").id])
        assert [record.content for record in ws.inbox.pending()] == ["User reads"]
    assert inbox.with_name("inbox.jsonl.torn").read_bytes() == b'{"id":"f_20\n'


class _CaptureWhileDropping(Disk):
    """A capture by another program, at the moment when the inbox is renamed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.descriptor = -1

    def replace(self, source: Path, target: Path) -> None:
        super().replace(source, target)
        if target.name == "inbox.moved.jsonl":
            with Workspace.open(self.root, now=NOW) as other:
                other.inbox.add(fact("User rests"))


def test_a_capture_while_others_are_dropped_is_not_lost(root: Path) -> None:
    with Workspace.open(root, now=NOW, disk=_CaptureWhileDropping(root)) as ws:
        ws.inbox.add(fact("User rows"))
        ws.inbox.add(fact("User reads"))
        ws.inbox.drop([fact("User rows").id])
        assert {record.content for record in ws.inbox.pending()} == {"User reads", "User rests"}


def test_a_capture_that_came_while_a_dropping_was_stopped_can_be_dropped_too(root: Path) -> None:
    """What lay in the moved inbox was sifted, and the captures beside it stayed although they were in the store."""
    rows, reads = fact("User rows"), fact("User reads")
    with Workspace.open(root, now=NOW) as ws:
        ws.inbox.add(rows)
        ws.layout.inbox.rename(ws.inbox.moved)
        ws.inbox.add(reads)
        assert {record.content for record in ws.inbox.pending()} == {"User rows", "User reads"}
        ws.inbox.drop([rows.id, reads.id])
        assert ws.inbox.pending() == []


TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)


@settings(max_examples=60)
@given(TEXT, st.lists(TEXT, max_size=3), st.floats(0, 1), st.booleans())
def test_a_record_survives_its_line(content: str, names: list[str], score: float, polarity: bool) -> None:
    record = fact(content, entities=names, score=score, polarity=polarity, evidence=[{"ref": "a:b", "quote": content}])
    assert from_line(to_line(record)) == record
    assert to_line(record).count(b"\n") == 1


def test_ids_have_the_seeds_form_and_a_fixed_origin() -> None:
    one = memory_id(Fact, NOW.date(), "a:1@0-4", "User rows")
    assert one == memory_id(Fact, NOW.date(), "a:1@0-4", "User rows")
    assert one != memory_id(Fact, NOW.date(), "a:2@0-4", "User rows")
    assert one[:11] == "f_20260302_"
    assert len(one) == 21
    assert from_line(b'{"id":"f_20260204_001","content":"x","importance":1,"score":1}').id == "f_20260204_001"


def test_evidence_keeps_its_words(root: Path) -> None:
    quoted = fact("User rows", evidence=[Evidence(ref="s:1", quote="I row")])
    with Workspace.open(root, now=NOW, write=True) as ws:
        put(ws, quoted)
        stored = ws.store.get(quoted.id)
        assert stored is not None
        assert stored.evidence[0].quote == "I row"


def test_a_capture_is_one_write_and_one_fsync(root: Path) -> None:
    disk = CrashingDisk()
    with Workspace.open(root, now=NOW, disk=disk) as ws:
        edit.capture(ws, "User keeps bees")
        edit.capture(ws, "User keeps geese")
    first, second = ["open inbox.jsonl", "sync state", "write", "fsync"], ["open inbox.jsonl", "write", "fsync"]
    noted = ["open access.jsonl", "write"]  # that it was done is noted without an fsync
    assert disk.done == [*first, *noted, *second, *noted]
