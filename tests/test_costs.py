"""What asking costs: said before it is spent, kept in the ledger, shown by stats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answering import telling
from claude_server import error, serving
from commands import memory
from test_reading import MEANINGS, NOW, fill
from workspaces import at, consolidate, layers

from memory_system.config import Config
from memory_system.disk import Files
from memory_system.llm import Usage
from memory_system.llm.ledger import Ledger
from memory_system.upkeep import preview, stats
from memory_system.workspace import Workspace


def ledger(path: Path, **config: Any) -> Ledger:
    return Ledger(path / "ledger.jsonl", Files(), Config.model_validate(config))


def test_a_price_is_what_the_table_says(tmp_path: Path) -> None:
    prices = [{"model": "one", "input": 2, "output": 10, "cached": 0.5, "written": 3}]
    priced = ledger(tmp_path, llm={"prices": prices})
    usage = Usage(calls=1, input=1_000_000, output=100_000, cached=2_000_000, written=1_000_000)
    assert priced.cost(usage, "one") == pytest.approx(2 + 1 + 1 + 3)
    assert priced.cost(usage, "one", batch=True) == pytest.approx(3.5)
    assert priced.cost(usage, "another") is None


def test_the_budget_counts_the_night_and_the_month(tmp_path: Path) -> None:
    kept = ledger(tmp_path, budget={"tokens_per_night": 1000, "usd_per_month": 1})
    used = {"calls": 1, "input": 300, "output": 100, "cached": 0, "written": 0}
    for night, when in (("n1", "2026-02-28T03:00:00Z"), ("n2", "2026-03-01T03:00:00Z"), ("n2", "2026-03-02T03:00:00Z")):
        kept.add({"at": when, "run": "r", "night": night, "phase": "read", "model": "m", **used, "usd": 0.3})
    again = ledger(tmp_path, budget={"tokens_per_night": 1000, "usd_per_month": 1})
    assert [again.tokens_left(night) for night in ("n1", "n2", "n3")] == [600, 200, 1000]
    assert again.dollars_left("2026-03-03T03:00:00Z") == pytest.approx(0.4)
    assert again.dollars_left("2026-02-28T23:00:00Z") == pytest.approx(0.7)


def test_the_estimate_comes_before_and_near_what_is_spent(tmp_path: Path, key: None) -> None:
    with serving(telling(MEANINGS)) as server:
        root = fill(tmp_path, server.url)
        before = layers(root)
        with Workspace.open(root, now=at(NOW)) as ws:
            told = preview.estimate(ws)
        assert not server.requests
        assert layers(root) == before
        assert not (root / "memory/state/ledger.jsonl").exists()
        consolidate(root, NOW)
        assert told["calls"] == len(server.requests) == 2
        # what is known when the night runs is reckoned, not looked up
        assert told["input_tokens"] == pytest.approx(server.input, rel=0.03)
        assert 0.4 * server.output < told["output_tokens"] < 3 * server.output
    assert told["usd"] == pytest.approx((told["input_tokens"] + 5 * told["output_tokens"]) / 1e6, abs=2e-6)
    assert told["questions"].keys() == {"read"}


def test_an_estimate_needs_no_key_and_no_mode(tmp_path: Path) -> None:
    root = fill(tmp_path)
    done = memory("--workspace", str(root), "--now", NOW, "consolidate", "--estimate")
    assert done.returncode == 0
    assert "2 nights due, claude-haiku-5-5 (llm.mode is off)" in done.stdout
    assert "read: 2 calls" in done.stdout


def test_the_estimate_says_why_nothing_would_be_asked(tmp_path: Path) -> None:
    root = fill(tmp_path, llm={"model": "qwen3"})
    with Workspace.open(root, now=at(NOW)) as ws:
        told = preview.estimate(ws)
    assert told["calls"] == 0
    assert all("no price for qwen3" in each for each in told["problems"])
    assert told["problems"]


def test_the_estimate_for_a_batch_is_half_the_price(tmp_path: Path) -> None:
    root = fill(tmp_path, llm={"mode": "batch"})
    with Workspace.open(root, now=at(NOW)) as ws:
        batch, at_once = preview.estimate(ws), preview.estimate(ws, mode="on")
    assert batch["calls"] == at_once["calls"] == 2
    assert batch["mode"] == "batch"
    assert batch["usd"] == pytest.approx(at_once["usd"] / 2, abs=2e-6)


def test_stats_show_what_was_spent_and_saved(tmp_path: Path, key: None) -> None:
    with serving(telling(MEANINGS)) as server:
        consolidate(fill(tmp_path, server.url), NOW)
    with Workspace.open(tmp_path, now=at(NOW)) as ws:
        asked = stats.stats(ws)["llm"]
    assert asked["calls"] == 2
    assert asked["input_tokens"] + asked["output_tokens"] == server.tokens
    assert list(asked["by_day"]) == [NOW[:10]]
    assert asked["usd_left_this_month"] == pytest.approx(1 - asked["usd"])
    assert asked["tokens_for_everything"] > 0


def test_the_command_line_knows_its_modes(tmp_path: Path) -> None:
    root = fill(tmp_path)
    run = ["--workspace", str(root), "--now", NOW, "consolidate"]
    assert memory(*run, "--llm", "always").returncode == 2
    assert memory(*run, "--replay", "r_1").returncode == 2
    done = memory("--json", *run, "--llm", "auto")
    assert "there is no ANTHROPIC_API_KEY" in json.loads(done.stdout)["problems"][0]["what"]


def test_one_tiny_question_says_what_works(tmp_path: Path, key: None) -> None:
    """Address, model, the answer's form, batches and price; what it took stands in the ledger, and is no night's."""

    def local(request: dict[str, Any]) -> Any:
        return error(400) if "output_config" in request else '{"ok": true}'

    found = {}
    for name, script in (("vendor", lambda _: {"ok": True}), ("local", local), ("broken", lambda _: error(401))):
        with serving(script) as server:
            root = fill(tmp_path / name, llm={"base_url": server.url})
            done = memory("--json", "--workspace", str(root), "--now", NOW, "llm", "check")
        row = json.loads(done.stdout)
        assert row["address"] == server.url
        found[name] = (done.returncode, row["answers"], row["structured"], row["batch"], row["priced"])
        with Workspace.open(root, now=at(NOW)) as ws:
            assert (
                sum(stats.stats(ws)["llm"]["talk"][each] for each in ("input_tokens", "output_tokens")) == server.tokens
            )
    assert found["vendor"] == (0, True, True, True, True)
    assert found["local"] == (0, True, False, True, True)
    assert found["broken"] == (6, False, False, False, True)
    assert "401" in row["problem"]


def test_without_a_key_the_check_says_so(tmp_path: Path) -> None:
    done = memory("--workspace", str(fill(tmp_path)), "--now", NOW, "llm", "check")
    assert (done.returncode, "there is no ANTHROPIC_API_KEY" in done.stdout) == (6, True)
