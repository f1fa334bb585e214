"""Disks that fail and disks that forget: an error leaves the old state and nothing lying about, a power loss leaves
what was acknowledged. The long runs are programs in scripts/torture."""

from __future__ import annotations

import errno
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from faults import CODES, FailingDisk, RecordingDisk, after_power_loss
from workspaces import at, consolidate, layers, make, problems, say

from memory_system.disk import Disk
from memory_system.errors import MemorySystemError
from memory_system.nights import derive
from memory_system.upkeep import edit
from memory_system.workspace import Workspace

END = "2026-03-05T12:00:00Z"
NOTE = "the kettle is red"
DERIVED = ("memory/layer2/index/", "memory/layer2/entities/")  # what is not flushed
Told = Callable[[str], None]


def begin(root: Path) -> Path:
    make(root)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "I live in Porto. I'm allergic to peanuts. 我喜欢划船。"))
    say(root, "b", ("2026-03-03T09:00:00Z", "user", "I moved to Lisbon. I like chess. I like tulips. I like tea."))
    return root


def act(root: Path, disk: Disk | None = None, told: Told = lambda _: None) -> None:
    """Two nights, each after a capture, and a note after them; `told` hears what was acknowledged. Doing it again goes
    on where it was stopped."""
    for moment, words in (("2026-03-02T10:00:00Z", "User keeps bees"), ("2026-03-03T10:00:00Z", "用户在三号车位停车")):
        with Workspace.open(root, now=at(moment), disk=disk) as ws:
            edit.capture(ws, words, key=words)
        told(words)
        consolidate(root, f"2026-03-0{int(moment[9]) + 1}T12:00:00Z", disk=disk)
    day = root / "memory/2026-03-05.md"
    if not (day.exists() and day.read_bytes().endswith(f"\n{NOTE}\n".encode())):
        day.unlink(missing_ok=True)  # half a note: its owner mends it
        with Workspace.open(root, now=at(END), disk=disk) as ws:
            edit.note(ws, NOTE)
    told(NOTE)


def whole(tmp_path: Path) -> tuple[Path, dict[str, bytes]]:
    """The beginning of the story, and what it ends in."""
    start = begin(tmp_path / "start")
    done = Path(shutil.copytree(start, tmp_path / "whole"))
    act(done)
    return start, rebuilt(done)


def rebuilt(root: Path) -> dict[str, bytes]:
    """Layers 1 and 2 after what is derived was made anew: it is not flushed, and after a power loss it may be torn."""
    with Workspace.open(root, now=at(END), write=True) as ws:
        derive.rebuild(ws)
    return layers(root)


def leftovers(root: Path) -> list[str]:
    return [path.name for path in (root / "memory").rglob(".*")]


# ---- errors of the disk --------------------------------------------------------------------------------------------


def test_an_error_at_any_operation_leaves_the_old_state_and_nothing_lying_about(tmp_path: Path) -> None:
    start, expected = whole(tmp_path)
    counting = FailingDisk()
    act(Path(shutil.copytree(start, tmp_path / "count")), counting)
    names = list(CODES)
    for fail in range(1, len(counting.done) + 1, 97):
        break_at(start, tmp_path / str(fail), fail, CODES[names[fail % 4]], expected)


def break_at(start: Path, root: Path, fail: int, code: int, expected: dict[str, bytes]) -> None:
    """Let operation number `fail` go wrong, and look at what is left."""
    shutil.copytree(start, root)
    disk = FailingDisk(fail=fail, code=code)
    try:
        act(root, disk)
    except MemorySystemError as error:
        assert error.exit_code == 4, f"{fail}: {error!r}"
    assert leftovers(root) == [], f"{fail}: {disk.broken}"
    with Workspace.open(root, now=at(END), write=True):
        pass  # what was begun is finished, or it never happened
    assert not [each for each in problems(root, END) if "journal" in each or "layer2/a" in each], (
        f"{fail}: {disk.broken}"
    )
    act(root)
    assert rebuilt(root) == expected, f"{fail}: {disk.broken}"
    shutil.rmtree(root)


@pytest.mark.parametrize("kind", ["write", "fsync"])
def test_a_note_or_capture_that_failed_leaves_no_file_behind(tmp_path: Path, kind: str) -> None:
    """On a full disk an empty file stood there, which the next note took for begun."""
    root = make(tmp_path)
    before = sorted(root.rglob("*"))
    for act_, words in ((edit.note, NOTE), (edit.note, "水壶是红的"), (edit.capture, NOTE)):
        counting = FailingDisk()
        copy = Path(shutil.copytree(root, tmp_path.parent / f"{tmp_path.name}-{kind}"))
        with Workspace.open(copy, now=at(END), disk=counting) as ws:
            act_(ws, words)
        shutil.rmtree(copy)
        disk = FailingDisk(fail=counting.done.index(kind) + 1)
        with Workspace.open(root, now=at(END), disk=disk) as ws, pytest.raises(MemorySystemError):
            act_(ws, words)
        assert sorted(root.rglob("*")) == before


def test_a_failed_note_keeps_what_somebody_else_has_added(tmp_path: Path) -> None:
    root = make(tmp_path)
    day = root / "memory/2026-03-05.md"

    class Shared(FailingDisk):
        def write(self, descriptor: int, data: bytes) -> None:
            day.write_text("by hand\n")
            super().write(descriptor, data)

    counting = FailingDisk()
    copy = Path(shutil.copytree(root, tmp_path.parent / f"{tmp_path.name}-copy"))
    with Workspace.open(copy, now=at(END), disk=counting) as ws:
        edit.note(ws, NOTE)
    disk = Shared(fail=counting.done.index("write") + 1)
    with Workspace.open(root, now=at(END), disk=disk) as ws, pytest.raises(MemorySystemError):
        edit.note(ws, NOTE)
    assert day.read_text().startswith("by hand\n")


def test_a_note_after_an_empty_file_has_the_days_heading(tmp_path: Path) -> None:
    root = make(tmp_path)
    (root / "memory/2026-03-05.md").touch()
    with Workspace.open(root, now=at(END)) as ws:
        edit.note(ws, NOTE)
    note = (root / "memory/2026-03-05.md").read_text()
    assert note == f"# Memory Log: 2026-03-05\n\n## [12:00:00] general\n\n{NOTE}\n"


class _UnsureDisk(Disk):
    """A disk whose first fsync of the journal fails: nobody knows what it holds of what was written."""

    def __init__(self) -> None:
        self.journal: set[int] = set()
        self.failed = False

    def open(self, path: Path, flags: int) -> int:
        descriptor = super().open(path, flags)
        self.journal.discard(descriptor)
        if path.parent.name == "journal":
            self.journal.add(descriptor)
        return descriptor

    def fsync(self, descriptor: int) -> None:
        if descriptor in self.journal and not self.failed:
            self.failed = True
            raise OSError(errno.EIO, "Input/output error")
        super().fsync(descriptor)


def test_what_a_failed_fsync_left_is_not_trusted(tmp_path: Path) -> None:
    root = begin(tmp_path / "w")
    with pytest.raises(MemorySystemError):
        consolidate(root, END, disk=_UnsureDisk())
    assert not (root / "memory/layer2/active/facts.jsonl").exists()
    assert [path.stat().st_size for path in (root / "memory/state/journal").iterdir()] == [0]
    consolidate(root, END)
    assert problems(root, END) == []


# ---- power loss ----------------------------------------------------------------------------------------------------


def recorded(start: Path, root: Path) -> RecordingDisk:
    shutil.copytree(start, root)
    disk = RecordingDisk()
    act(root, disk, disk.promise)
    return disk


def cuts(disk: RecordingDisk, chance: random.Random, count: int) -> Iterator[tuple[int, random.Random]]:
    """Where the power goes, and the luck of what was not flushed then."""
    for _ in range(count):
        yield chance.randrange(1, len(disk.steps) + 1), random.Random(chance.random())


def check_after(start: Path, root: Path, place: Path, disk: RecordingDisk, cut: int, luck: random.Random | None,
                expected: dict[str, bytes]) -> None:  # fmt: skip
    """Reopen what the disk holds: nothing acknowledged is lost, and going on ends in the same bytes."""
    after_power_loss(start, root, place, disk.steps[:cut], luck)
    with Workspace.open(place, now=at(END), write=True) as ws:
        known = {each.content for each in ws.inbox.pending()} | {
            quote.quote for _, record in ws.store.records() for quote in record.evidence
        }
        notes = "".join(path.read_text("utf-8") for path in (place / "memory").glob("*.md"))
    promised = [promise for number, promise in disk.marks if number <= cut]
    assert not [each for each in promised if each not in known and each not in notes], f"lost after {cut}"
    act(place)
    if not cut % 8:  # a look takes as long as all the rest
        torn = [each for each in problems(place, END) if not each.startswith(DERIVED)]
        assert torn == []  # only what is derived may be, and it is found
    found = rebuilt(place)
    assert found == expected, f"{cut}: {[name for name in expected if found.get(name) != expected[name]]}"
    if not cut % 8:
        assert problems(place, END) == []
    shutil.rmtree(place)


def test_a_power_loss_takes_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    start, expected = whole(tmp_path)
    root = tmp_path / "recorded"
    disk = recorded(start, root)
    for cut in range(1, len(disk.steps) + 1, 150):
        check_after(start, root, tmp_path / "p", disk, cut, None, expected)
    for cut, luck in cuts(disk, random.Random(11), 5):
        check_after(start, root, tmp_path / "r", disk, cut, luck, expected)


def test_bytes_lost_in_the_middle_of_an_entry_that_was_not_flushed_are_no_damage(tmp_path: Path) -> None:
    """The end of an entry had reached the disk and its beginning had not: the journal could not be read any more, and
    no command could write."""
    root = begin(tmp_path / "w")
    consolidate(root, END)
    (path,) = (root / "memory/state/journal").glob("*.jsonl")
    data = path.read_bytes()
    second = data.index(b'{"entry":', 10)
    for zeros in (range(second, second + 40), range(second + 400, second + 900), range(second, len(data) - 300)):
        torn = bytearray(data[: data.rindex(b'{"done":')])
        for each in zeros:
            torn[each] = 0
        path.write_bytes(bytes(torn))
        with suppress(FileNotFoundError):
            path.with_name(f"{path.name}.torn").unlink()
        with Workspace.open(root, now=at(END), write=True, settle=False) as ws:
            assert ws.store.recover() is None
            assert [group.entry.seq for group in ws.journal.entries()] == [1]
