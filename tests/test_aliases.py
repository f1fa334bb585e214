"""A short name and a full one are not taken for one person's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
from workspaces import consolidate, make, say

from memory_system.phases.entities import entity_id_of


def profile(root: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads((root / "memory/layer2/entities" / f"{entity_id_of(name)}.json").read_bytes())
    return found


def test_nobody_is_tied_by_likeness_alone(tmp_path: Path) -> None:
    make(tmp_path)
    said = ("我女儿叫小涛。", "我儿子叫林涛。", "My sister Rob lives in York.", "My brother Robert Hale lives in Bath.")
    say(tmp_path, "s", *((f"2026-03-01T09:0{place}:00Z", "user", each) for place, each in enumerate(said)))
    consolidate(tmp_path, "2026-03-02T12:00:00Z")
    found = {each: profile(tmp_path, each)["aliases"] for each in ("小涛", "林涛", "Rob", "Robert Hale")}
    assert not any(found.values())
