"""Tests never see the machine's own workspace, keys or configuration."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    for name in ("MEMORY_WORKSPACE", "OPENCLAW_STATE_DIR", "OPENCLAW_WORKSPACE_DIR", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.chdir(Path(tmp_path_factory.mktemp("folder")))
    yield
