"""A backup: all that a workspace holds, in one encrypted file that `age` and `tar` can open without this program. What
is read or put back is checked against the list in it, file by file. Encryption is age's (age-encryption.org/v1), by
keys or by a passphrase; it needs pyrage, which the extra `crypt` brings."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

from memory_system import __version__, clock
from memory_system.disk import Files, is_regular
from memory_system.errors import SealedError, UnsafeError, UsageError
from memory_system.layout import PEOPLES_FILES
from memory_system.workspace import Workspace

LIST = "backup.json"  # the first file in a backup: the names of all others, with their digests
VERSION = 1
FOLDERS = ("memory", "sessions")
TORN = "it is not whole, or no backup of ours"
_KEY_LINE = "AGE-SECRET-KEY-"  # how the line of a key file with the key begins


@dataclass(frozen=True, slots=True)
class Contents:
    """A backup that was read: when it was made, where the journal stood, and the files by name."""

    made: str
    head: str
    files: dict[str, bytes]

    def to_row(self) -> dict[str, Any]:
        size = sum(map(len, self.files.values()))
        return {"made": self.made, "head": self.head, "files": len(self.files), "bytes": size}


def create(ws: Workspace, target: Path, key: Key) -> Contents:
    """Write a backup to the file, which must not be there yet. The workspace must be open for writing: nobody else
    changes it meanwhile. Needs as much memory as the workspace is large."""
    if target.exists():
        raise UsageError(f"{target} is there already", "name a file that is not there yet")
    if any(target.resolve().is_relative_to((ws.layout.root / name).resolve()) for name in FOLDERS):
        raise UsageError("a backup inside memory/ or sessions/ would be part of the next one", "name a file elsewhere")
    files = dict(_files_of(ws))
    contents = Contents(clock.stamp(ws.now), str(ws.journal.head()), files)
    ws.files.replace(target.absolute(), encrypt(_packed(contents), key))
    return contents


def read(source: Path, key: Key) -> Contents:
    """What the backup holds; SealedError when a byte of it is not as it was written, or the key is another one."""
    try:
        data = source.read_bytes()
    except OSError as error:
        raise UsageError(f"{source} cannot be read: {error.strerror}") from None
    return _unpacked(decrypt(data, key))


def restore(contents: Contents, target: Path) -> None:
    """Put the files into a folder that is empty or not there: all of them, or (stopped midway) none."""
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is not empty", "name a new folder; then look, and put it in the old one's place")
    files = Files()
    files.make_folder(target.absolute().parent)
    half = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.absolute().parent))
    try:
        for name, data in contents.files.items():
            files.make_folder((half / name).parent)
            files.replace(half / name, data)
        for folder in FOLDERS:
            files.make_folder(half / folder)
        files.rename(half, target.absolute())
    except BaseException:  # Ctrl-C too must leave nothing half put back
        shutil.rmtree(half, ignore_errors=True)
        raise


def _files_of(ws: Workspace) -> Iterator[tuple[str, bytes]]:
    """Every plain file of the workspace with its name; links lead elsewhere and are left out."""
    own = (ws.layout.root / name for name in PEOPLES_FILES)
    below = (path for name in FOLDERS for path in sorted((ws.layout.root / name).rglob("*")))
    for path in (*own, *below):
        if is_regular(path) and path != ws.layout.lock:  # which says who writes now
            yield path.relative_to(ws.layout.root).as_posix(), path.read_bytes()


def _packed(contents: Contents) -> bytes:
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.files.items()}
    row = {
        "version": VERSION, "program": __version__, "made": contents.made, "head": contents.head, "files": digests,
    }  # fmt: skip
    there = json.dumps(row).encode()  # not orjson, which refuses names that are no UTF-8
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", format=tarfile.PAX_FORMAT, compresslevel=6) as archive:
        for name, data in {LIST: there, **contents.files}.items():
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(data), 0o600, int(clock.read_stamp(contents.made).timestamp())
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def _unpacked(data: bytes) -> Contents:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
            files = {member.name: _data(archive, member) for member in archive}
        row = json.loads(files.pop(LIST))
        digests, contents = dict(row["files"]), Contents(str(row["made"]), str(row["head"]), files)
    except (tarfile.TarError, zlib.error, OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise SealedError(f"{TORN}: {error}") from None
    if row.get("version") != VERSION:
        raise SealedError("a newer program has made it", "update memory-system")
    for name in {*digests, *files}:
        there = files.get(name)
        if there is None or hashlib.sha256(there).hexdigest() != digests.get(name) or not _is_inside(name):
            raise SealedError(f"{TORN}: {name}")
    return contents


def _data(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    found = archive.extractfile(member) if member.isfile() else None
    if found is None:
        raise tarfile.TarError(f"{member.name} is no file")
    return found.read()


def _is_inside(name: str) -> bool:
    """Whether the name is one that a backup may put into a workspace."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or os.sep != "/":
        return False
    return name in PEOPLES_FILES or (len(path.parts) > 1 and path.parts[0] in FOLDERS)


@dataclass(frozen=True, slots=True)
class Key:
    """What encrypts or decrypts: a passphrase, or keys (public ones `age1…` to encrypt, secret ones to decrypt)."""

    passphrase: str = ""
    keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.passphrase) == bool(self.keys):
            raise UsageError("name a key or a passphrase, and not both", "see: memory backup --help")


def encrypt(data: bytes, key: Key) -> bytes:
    """The data for whoever has the passphrase, or any of the keys; UsageError for what is no public key."""
    age = _age()
    if key.passphrase:
        return bytes(age.passphrase.encrypt(data, key.passphrase))
    try:
        recipients = list(map(age.x25519.Recipient.from_str, key.keys))
    except age.RecipientError:
        raise UsageError("that is no public key of age", "it begins with age1") from None
    return bytes(age.encrypt(data, recipients))


def decrypt(data: bytes, key: Key) -> bytes:
    """What was encrypted; SealedError when the key is another one, or a byte is not as it was."""
    age = _age()
    try:
        if key.passphrase:
            return bytes(age.passphrase.decrypt(data, key.passphrase))
        return bytes(age.decrypt(data, list(map(age.x25519.Identity.from_str, key.keys))))
    except age.IdentityError:
        raise UsageError("the key file holds a key that is none", "put it back from a copy") from None
    except age.DecryptError as error:
        raise SealedError(f"it cannot be decrypted: {error}") from None


def make_key(path: Path) -> str:
    """Write a new key into a file that must not be there yet; its public half."""
    if path.exists():
        raise UsageError(f"{path} is there already", "a key that is gone opens no backup any more: name another file")
    public, secret = new_key()
    Files().replace(path.absolute(), f"# public key: {public}\n{secret}\n".encode())
    return public


def new_key() -> tuple[str, str]:
    """A new key: its public half, and its secret one."""
    identity = _age().x25519.Identity.generate()
    return str(identity.to_public()), str(identity)


def keys_in(path: Path) -> tuple[str, ...]:
    """The secret keys in a key file as age-keygen writes it."""
    lines = (line.strip() for line in secret_text(path).split("\n"))
    keys = tuple(line for line in lines if line.startswith(_KEY_LINE))
    if not keys:
        raise UsageError(f"{path} holds no key of age", "make one with: memory backup key FILE")
    return keys


def first_line(path: Path) -> str:
    """The passphrase in a file: its first line, which must not be empty."""
    first = secret_text(path).split("\n", 1)[0].strip()
    if not first:
        raise UsageError(f"{path} holds no passphrase in its first line")
    return first


def secret_text(path: Path) -> str:
    """The text of a file that must be nobody else's: UnsafeError where others can read it."""
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise UnsafeError(f"others can read {path}", f"chmod go-rwx {path}")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None


def _age() -> ModuleType:
    try:
        import pyrage
    except ModuleNotFoundError:
        raise UsageError("encryption needs a package more", "pip install 'memory-system[crypt]'") from None
    module: ModuleType = pyrage
    return module
