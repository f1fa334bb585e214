"""A short name and a full one are one person's only where somebody says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from workspaces import consolidate, make, say

from memory_system.phases.entities import entity_id_of


def profile(root: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads((root / "memory/layer2/entities" / f"{entity_id_of(name)}.json").read_bytes())
    return found


@pytest.mark.parametrize(
    ("tie", "other", "short", "full"),
    [
        ("我同事老张叫张伟，他喜欢钓鱼。", "张伟送了我一条鱼。", "老张", "张伟"),
        ("小林的大名是林涛。", "我和林涛去了绿湖公园。", "小林", "林涛"),
        ("Rob's full name is Robert Hale.", "Robert Hale lives in York.", "Rob", "Robert Hale"),
        ("My friend Liz, short for Elizabeth, paints.", "Yesterday I met Elizabeth in Bath.", "Liz", "Elizabeth"),
    ],
)
def test_who_is_tied_has_both_names(tmp_path: Path, tie: str, other: str, short: str, full: str) -> None:
    make(tmp_path)
    say(tmp_path, "s", ("2026-03-01T09:00:00Z", "user", tie), ("2026-03-01T09:01:00Z", "user", other))
    consolidate(tmp_path, "2026-03-02T12:00:00Z")
    assert profile(tmp_path, short)["aliases"] == [full]
    assert profile(tmp_path, full)["aliases"] == [short]


def test_nobody_else_is_tied(tmp_path: Path) -> None:
    make(tmp_path)
    said = ("老张在绿湖公园钓鱼。", "我和张伟去了图书馆。", "Rob lives in York.", "Robert Hale lives in Bath.")
    say(tmp_path, "s", *((f"2026-03-01T09:0{place}:00Z", "user", each) for place, each in enumerate(said)))
    consolidate(tmp_path, "2026-03-02T12:00:00Z")
    assert [profile(tmp_path, each)["aliases"] for each in ("张伟", "Rob", "Robert Hale")] == [[], [], []]
