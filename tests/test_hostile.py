"""Hostile and broken input: whatever stands in a transcript, in config.json, in the journal, the checkpoint, the inbox
or the memories, a command ends with an error of ours or goes on, and writes no damage. scripts/torture/fuzz.py goes on
for hours."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workspaces import at, consolidate, contents, make, say

from memory_system import finder
from memory_system.errors import MemorySystemError
from memory_system.privacy.secrets import redact
from memory_system.upkeep import check, edit, explain, stats
from memory_system.workspace import Workspace

NOW = "2026-03-05T12:00:00Z"
PIECES = (
    b"\0", b"\xef\xbb\xbf", b"\r\n", "\u2028".encode(), b"\\ud800", b"\xed\xa0\x80", b"NaN", b"1e400", b"-0", b"null",
    b"[" * 3000, b'{"a":' * 3000, b'"id":"f_1","id":2,', b"\n", b"\n\n", b"}", b'"', b",", b"\xff\xfe", b"9" * 400,
    b"true", b"[]", b"{}", b'""', b"2026-99-99T99:99:99Z", b"..", b"/etc/passwd", "🙂".encode() * 50, b"\x1b[2J",
)  # fmt: skip
FILES = (
    "sessions/a.jsonl", "memory/config.json", "memory/state/consolidation.json", "memory/state/inbox.jsonl",
    "memory/state/journal/2026-03.jsonl", "memory/layer2/active/facts.jsonl", "memory/state/seen.json",
    "memory/state/access.jsonl", "memory/2026-03-04.md", "memory/layer2/entities/_index.json",
    "memory/layer2/index/search.sqlite", "memory/layer1/snapshot.md",
)  # fmt: skip

Wound = tuple[float, int, bytes]  # where (a share of the length), how many bytes go, and what comes
wounds = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from((0, 0, 1, 7, 400)), st.sampled_from(PIECES) | st.binary(max_size=9)),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return begin(tmp_path_factory.mktemp("sound"))


def begin(root: Path) -> Path:
    make(root)
    say(root, "a", ("2026-03-02T09:00:00Z", "user", "I live in Porto. I'm allergic to peanuts. 我喜欢划船。"))
    consolidate(root, "2026-03-03T12:00:00Z")
    with Workspace.open(root, now=at("2026-03-04T10:00:00Z")) as ws:
        edit.capture(ws, "User keeps bees")
        edit.note(ws, "the kettle is red")
        finder.search(ws, "bees")
    say(root, "a", ("2026-03-04T09:00:00Z", "user", "I moved to Ghent."))
    return root


def wounded(data: bytes, wound: Wound) -> bytes:
    place = int(wound[0] * len(data))
    return data[:place] + wound[2] + data[place + wound[1] :]


def survive(sound: Path, root: Path, name: str, inflicted: list[Wound]) -> None:
    """Wound one file, use the workspace in every way, and see that only errors of ours come of it."""
    shutil.copytree(sound, root)
    path = root / name
    data = path.read_bytes() if path.exists() else b""
    for each in inflicted:
        data = wounded(data, each)
    path.write_bytes(data)
    with suppress(MemorySystemError), Workspace.open(root, now=at(NOW)) as ws:
        check.validate(ws)
    for use in (stats.stats, stats.status, explain.diff, lambda ws: finder.search(ws, "bees 划船 Porto")):
        with suppress(MemorySystemError), Workspace.open(root, now=at(NOW)) as ws:
            use(ws)
    with suppress(MemorySystemError):
        consolidate(root, NOW)
    shutil.rmtree(root)


@pytest.mark.parametrize("name", FILES)
def test_a_wounded_file_ends_in_an_error_of_ours_or_not_at_all(name: str, sound: Path, tmp_path: Path) -> None:
    @settings(max_examples=3, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(wounds)
    def wound_it(inflicted: list[Wound]) -> None:
        survive(sound, tmp_path / "w", name, inflicted)

    wound_it()


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("memory/state/inbox.jsonl", b'"scored_at":"2026', b'"scored_at":"9999999'),
        ("memory/state/inbox.jsonl", b'"said_at":"2026', b'"said_at":"'),
        ("memory/layer2/active/facts.jsonl", b'"said_at":"2026-03-02T09', b'"said_at":"2026-03-04T99'),
        ("memory/layer2/active/facts.jsonl", b'"said_at":"', b'"sad_at":"'),
        ("memory/layer2/active/facts.jsonl", b'"evidence":[', b'"evidences":['),
        ("memory/layer2/active/facts.jsonl", b'"created":"2026-03-03T03:00:00Z",', b""),
    ],
)
def test_wounds_that_once_went_through(name: str, before: bytes, after: bytes, sound: Path, tmp_path: Path) -> None:
    data = (sound / name).read_bytes()
    assert before in data
    survive(sound, tmp_path / "w", name, [(data.index(before) / len(data), len(before), after)])


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: repr(piece[:12]))
def test_the_rest_of_a_transcript_is_read(piece: bytes, tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I like rowing."))
    path = tmp_path / "sessions/a.jsonl"
    path.write_bytes(path.read_bytes() + piece + b"\n")
    say(tmp_path, "b", ("2026-03-02T10:00:00Z", "user", "我对花生过敏。"))
    consolidate(tmp_path, NOW)
    assert {"User likes rowing", "用户对花生过敏"} <= contents(tmp_path)
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        assert list(check.validate(ws)) == []


def test_digits_in_groups_as_long_as_a_message_take_no_longer_than_others() -> None:
    """Every group was put together with all that follow: a message of a megabyte took days."""
    words = "2026-" * 4_000
    assert redact(f"{words} 4111 1111 1111 1111") == (f"{words} [secret:card]", {"card": 1})


def test_a_transcript_that_shrinks_or_is_replaced_while_it_is_read_loses_nothing_read(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I like rowing."))
    consolidate(tmp_path, "2026-03-03T12:00:00Z")
    (tmp_path / "sessions/a.jsonl").rename(tmp_path / "sessions/a.jsonl.1")
    say(tmp_path, "a", ("2026-03-03T15:00:00Z", "user", "I like chess."))
    consolidate(tmp_path, "2026-03-04T12:00:00Z")
    path = tmp_path / "sessions/a.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    consolidate(tmp_path, NOW)
    assert {"User likes rowing", "User likes chess"} <= contents(tmp_path)


def test_a_mark_that_was_lost_from_the_journal_does_not_bring_a_night_back(sound: Path, tmp_path: Path) -> None:
    """The last line of the journal was damaged: the night was finished once more, and the next one then took up what
    that night had staged, which was no longer there."""
    root = Path(shutil.copytree(sound, tmp_path / "w"))
    (path,) = (root / "memory/state/journal").glob("*.jsonl")
    data = path.read_bytes()
    path.write_bytes(data[: data.index(b'{"done":')] + b'{"id":"f_1"')
    assert consolidate(root, NOW).nights
    assert "User lives in Ghent" in contents(root)
