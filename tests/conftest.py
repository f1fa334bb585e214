"""Tests never see the machine's own workspace, keys or configuration, and never the network: a connection to another
machine is an error."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from workspaces import two_days

# The same examples every time, however slow the machine: a red test tells of the change, not of the day. New examples
# are the work of the programs in scripts/torture.
settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# Whoever starts the suite in the background of a shell has the interrupt ignored, and so would the programs under test.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Thousands of small workspaces are written, and every write is flushed: where there is a disk in memory with room, the
# files of the suite lie there.
MEMORY_DISK, ROOM = Path("/dev/shm"), 2 << 30
if "TMPDIR" not in os.environ and MEMORY_DISK.is_dir() and shutil.disk_usage(MEMORY_DISK).free > ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY_DISK)


class NetworkError(AssertionError):
    """A test went to the network."""


def _guard(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        if arguments[1][0] not in ("127.0.0.1", "::1"):
            raise NetworkError(f"a connection to {arguments[1]}")
    elif event == "socket.getaddrinfo" and arguments[0] not in ("127.0.0.1", "localhost", None):
        raise NetworkError(f"somebody asks where {arguments[0]} is")


sys.addaudithook(_guard)


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    own = ("MEMORY_WORKSPACE", "OPENCLAW_STATE_DIR", "OPENCLAW_WORKSPACE_DIR")
    for name in (*own, *(each for each in os.environ if each.startswith("ANTHROPIC_"))):
        monkeypatch.delenv(name, raising=False)
    world = Path(tempfile.mkdtemp(dir=tmp_path_factory.getbasetemp()))  # mktemp would count what is there, each time
    for name in ("no-profile", "home", "folder"):
        (world / name).mkdir()
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(world / "no-profile"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("HOME", str(world / "home"))
    monkeypatch.chdir(world / "folder")
    yield


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key for a language model, which only servers of tests ever see."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two days, consolidated by noon of 5 March 2026; to be looked at."""
    return two_days(tmp_path_factory.mktemp("sound"), "2026-03-05T12:00:00Z")


@pytest.fixture
def root(sound: Path, tmp_path: Path) -> Path:
    """The same, to be changed."""
    return Path(shutil.copytree(sound, tmp_path / "w"))
