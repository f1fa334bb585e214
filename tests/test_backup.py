"""A backup gives back every byte, is nobody else's to read, and opens only as it was written, with its own key."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from commands import memory
from workspaces import at, consolidate, make, say

from memory_system.errors import SealedError, UnsafeError, UnwritableError, UsageError
from memory_system.upkeep import backup, check
from memory_system.upkeep.backup import Key
from memory_system.workspace import Workspace

NOW = "2026-03-03T12:00:00Z"
PUBLIC, SECRET = backup.new_key()
SEAL, OPEN = Key(keys=(PUBLIC,)), Key(keys=(SECRET,))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make(tmp_path_factory.mktemp("backup") / "w")
    say(root, "s", ("2026-03-02T09:00:00Z", "user", "I live in Porto. 我对花生过敏。"))
    (root / "MEMORY.md").write_text("- 喜欢爬山\n")
    (root / "memory/2026-03-02.md").write_bytes(b"## [10:00:00] general\r\n\r\nnot \xff UTF-8\r\n")
    consolidate(root, NOW)
    return root


@pytest.fixture(scope="module")
def made(root: Path) -> Path:
    target = root.parent / "made.age"
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        backup.create(ws, target, SEAL)
    return target


def files_of(root: Path) -> dict[str, bytes]:
    found = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return {name: data for name, data in found.items() if name not in ("memory/state/lock", "SOUL.md")}


def test_every_byte_comes_back(root: Path, made: Path, tmp_path: Path) -> None:
    backup.restore(backup.read(made, OPEN), tmp_path / "back")
    assert files_of(tmp_path / "back") == files_of(root)
    with Workspace.open(tmp_path / "back", now=at(NOW)) as ws:
        assert check.validate(ws) == []
    assert consolidate(tmp_path / "back", "2026-03-03T13:00:00Z").nights == []


def test_a_file_whose_name_is_no_utf_8_comes_back_too(tmp_path: Path) -> None:
    root, file = make(tmp_path / "w"), tmp_path / "b.age"
    odd = root / os.fsdecode(b"memory/state/\xff.jsonl")
    odd.write_bytes(b"{}\n")
    odd.chmod(0o644)
    made = memory("--json", "--workspace", root, "backup", "create", file, "--recipient", PUBLIC)
    assert made.returncode == 0, made.stderr
    assert json.loads(made.stdout)["readable_by_others"] == [odd.relative_to(root).as_posix()]
    backup.restore(backup.read(file, OPEN), tmp_path / "back")
    assert (tmp_path / "back" / odd.relative_to(root)).read_bytes() == b"{}\n"


def test_it_says_where_the_journal_stood(root: Path, made: Path) -> None:
    with Workspace.open(root) as ws:
        assert backup.read(made, OPEN).head == str(ws.journal.head())


def test_nothing_of_it_can_be_read_without_the_key(made: Path) -> None:
    data = made.read_bytes()
    assert [word for word in ("Porto", "花生", "MEMORY.md", "sessions") if word.encode() in data] == []


def test_whatever_the_umask_it_is_its_owners_alone(root: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with Workspace.open(root, now=at(NOW), write=True) as ws:
            backup.create(ws, tmp_path / "b.age", SEAL)
        backup.restore(backup.read(tmp_path / "b.age", OPEN), tmp_path / "back")
    finally:
        os.umask(before)
    paths = [tmp_path / "b.age", tmp_path / "back", *(tmp_path / "back").rglob("*")]
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


def test_another_key_opens_nothing(made: Path) -> None:
    for key in (Key(keys=(backup.new_key()[1],)), Key(passphrase="correct horse")):
        with pytest.raises(SealedError):
            backup.read(made, key)


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:150],
        lambda _: b"",
        lambda data: data + b"\0",
        lambda data: data[:-20] + data[-19:] + b"\0",
        lambda _: b"plain text\n",
    ],
)
def test_what_was_cut_or_changed_does_not_open(damage: Callable[[bytes], bytes], made: Path, tmp_path: Path) -> None:
    (tmp_path / "b.age").write_bytes(damage(made.read_bytes()))
    with pytest.raises(SealedError):
        backup.read(tmp_path / "b.age", OPEN)


def test_one_flipped_bit_anywhere_is_found(made: Path, tmp_path: Path) -> None:
    data = made.read_bytes()
    for place in range(0, len(data), len(data) // 60):
        (tmp_path / "b.age").write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(SealedError):
            backup.read(tmp_path / "b.age", OPEN)


def test_a_passphrase_opens_what_it_has_sealed() -> None:
    sealed = backup.encrypt("记忆".encode(), Key(passphrase="马 battery"))
    assert backup.decrypt(sealed, Key(passphrase="马 battery")).decode() == "记忆"
    with pytest.raises(SealedError):
        backup.decrypt(sealed, Key(passphrase="马 batterz"))


@pytest.mark.parametrize("data", [gzip.compress(b"x" * 999)[:15] + b"\xff" * 99, b"", b"no archive"])
def test_what_is_no_backup_is_said_to_be_none(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "b.age").write_bytes(backup.encrypt(data, SEAL))
    with pytest.raises(SealedError):
        backup.read(tmp_path / "b.age", OPEN)


def archive_of(names: dict[str, bytes], listed: dict[str, bytes]) -> bytes:
    """A sealed archive that we did not make."""
    import hashlib

    digests = {name: hashlib.sha256(data).hexdigest() for name, data in listed.items()}
    row = {"version": 1, "made": NOW, "head": "0:0", "files": digests}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in {backup.LIST: orjson.dumps(row), **names}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return backup.encrypt(gzip.compress(packed.getvalue()), SEAL)


@pytest.mark.parametrize("name", ["../out", "/etc/x", "memory/../../x", "other/x", "sessions", "x.md"])
def test_no_name_leads_out_of_the_workspace(name: str, tmp_path: Path) -> None:
    (tmp_path / "b.age").write_bytes(archive_of({name: b"x"}, {name: b"x"}))
    with pytest.raises(SealedError):
        backup.read(tmp_path / "b.age", OPEN)


def test_what_its_list_does_not_name_is_not_put_back(tmp_path: Path) -> None:
    for there, listed in (
        ({"MEMORY.md": b"x"}, {}),
        ({}, {"MEMORY.md": b"x"}),
        ({"MEMORY.md": b"x"}, {"MEMORY.md": b"y"}),
    ):
        (tmp_path / "b.age").write_bytes(archive_of(there, listed))
        with pytest.raises(SealedError):
            backup.read(tmp_path / "b.age", OPEN)


def test_a_restoring_that_fails_leaves_nothing(made: Path, tmp_path: Path) -> None:
    contents = backup.read(made, OPEN)
    contents.files["memory/" + "x" * 300] = b""
    with pytest.raises(UnwritableError):
        backup.restore(contents, tmp_path / "back")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(root: Path, made: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        backup.restore(backup.read(made, OPEN), root)
    with Workspace.open(root, now=at(NOW), write=True) as ws:
        for target in (made, root / "memory/b.age", root / "sessions/b.age", root / "sessions/../memory/b.age"):
            with pytest.raises(UsageError):
                backup.create(ws, target, SEAL)


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text(f"# a comment\n{SECRET}\n")
    path.chmod(0o644)
    for read in (backup.keys_in, backup.first_line):
        with pytest.raises(UnsafeError):
            read(path)
    path.chmod(0o600)
    assert backup.keys_in(path) == (SECRET,)


def test_by_command(root: Path, tmp_path: Path) -> None:
    key, file = tmp_path / "key", tmp_path / "b.age"
    first = memory("--json", "backup", "key", key)
    assert first.returncode == 0, first.stderr
    public = orjson.loads(first.stdout)["recipient"]
    assert key.stat().st_mode & 0o777 == 0o600
    assert memory("--json", "backup", "key", key).returncode == 2
    (root / "memory/state/journal").chmod(0o755)
    made = memory("--json", "--workspace", root, "backup", "create", file, "--recipient", public)
    (root / "memory/state/journal").chmod(0o700)
    assert orjson.loads(made.stdout)["readable_by_others"] == ["memory/state/journal"]
    whole = orjson.loads(memory("--json", "backup", "verify", file, "--identity", key).stdout)
    assert (whole["status"], whole["files"]) == ("whole", orjson.loads(made.stdout)["files"])
    assert memory("--json", "backup", "restore", file, "--identity", key, "--into", tmp_path / "back").returncode == 0
    assert files_of(tmp_path / "back") == files_of(root)
    file.write_bytes(file.read_bytes()[:-1])
    assert memory("--json", "backup", "verify", file, "--identity", key).returncode == 4
    assert memory("--json", "backup", "restore", file, "--identity", key).returncode == 2
    assert memory("--json", "backup", "verify", file).returncode == 2
