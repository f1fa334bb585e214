"""Encryption as age does it (age-encryption.org/v1), by keys or by a passphrase: whatever is changed in what was
encrypted, or cut off it, it can no longer be read. Needs pyrage, which the extra `crypt` brings.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from memory_system.errors import SealedError, UnsafeError, UsageError

_KEY_LINE = "AGE-SECRET-KEY-"  # how the line of a key file with the key begins


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
    return bytes(age.encrypt(data, [_public(each, age) for each in key.keys]))


def decrypt(data: bytes, key: Key) -> bytes:
    """What was encrypted; SealedError when the key is another one, or a byte is not as it was."""
    age = _age()
    try:
        if key.passphrase:
            return bytes(age.passphrase.decrypt(data, key.passphrase))
        return bytes(age.decrypt(data, [_secret(each, age) for each in key.keys]))
    except age.DecryptError as error:
        raise SealedError(f"it cannot be decrypted: {error}") from None


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


def _public(key: str, age: ModuleType) -> object:
    try:
        return age.x25519.Recipient.from_str(key)
    except age.RecipientError:
        raise UsageError("that is no public key of age", "it begins with age1") from None


def _secret(key: str, age: ModuleType) -> object:
    try:
        return age.x25519.Identity.from_str(key)
    except age.IdentityError:
        raise UsageError("the key file holds a key that is none", "put it back from a copy") from None
