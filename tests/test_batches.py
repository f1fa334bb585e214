"""Questions sent as one batch: the run goes by rules, the next one uses the answers; nothing is sent or asked twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answering import telling
from claude_server import Reply, Server, serving
from test_asking import MEANINGS, NOW, QUOTE, QUOTE_ZH, fill, rows, rules_alone
from workspaces import Crash, CrashingDisk, at, consolidate, contents, layers, memories

from memory_system import check, edit
from memory_system.workspace import Workspace

LATER = "2026-03-05T12:00:00Z"
LAST = "2026-03-06T12:00:00Z"


@pytest.fixture
def server(key: None) -> Iterator[Server]:
    with serving(telling(MEANINGS)) as running:
        yield running


def filled(root: Path, server: Server) -> Path:
    return fill(root, llm={"mode": "batch", "base_url": server.url})


def sent(server: Server) -> list[str]:
    """What the questions of all batches were about."""
    bodies = [request["params"] for batch in server.batches.values() for request in batch["requests"]]
    return [body["messages"][0]["content"] for body in bodies]


def test_the_run_goes_by_rules_and_leaves_one_batch(tmp_path: Path, server: Server) -> None:
    expected = rules_alone(tmp_path)
    root = filled(tmp_path / "asked", server)
    report = consolidate(root, NOW)
    assert layers(root) == expected
    assert not report.problems
    assert not server.requests
    assert len(server.batches) == 1
    (english,) = [each for each in sent(server) if QUOTE in each]
    (chinese,) = [each for each in sent(server) if QUOTE_ZH in each]
    assert english != chinese


def test_the_next_run_uses_the_answers(tmp_path: Path, server: Server) -> None:
    consolidate(filled(tmp_path, server), NOW)
    report = consolidate(tmp_path, LATER)
    assert report.nights
    assert report.to_row()["accounting"]["balanced"]
    assert set(MEANINGS.values()) <= contents(tmp_path)
    assert len(server.batches) == 1
    assert len(server.requests) == 2
    ledger = rows(tmp_path, "ledger.jsonl")
    assert sum(row["input"] + row["output"] for row in ledger) == server.tokens
    assert sum(row["usd"] for row in ledger) == pytest.approx((server.input + 5 * server.output) / 2e6, abs=2e-6)
    with Workspace.open(tmp_path, now=at(LATER)) as ws:
        assert not list(check.validate(ws))
    before = layers(tmp_path)
    assert not consolidate(tmp_path, LATER).nights
    assert layers(tmp_path) == before
    assert (len(server.batches), len(server.requests)) == (1, 2)


def test_what_the_rules_told_is_told_better_and_not_twice(tmp_path: Path, server: Server) -> None:
    consolidate(filled(tmp_path, server), NOW)
    count = len(memories(tmp_path))
    consolidate(tmp_path, LATER)
    assert len(memories(tmp_path)) == count
    assert not any(each.startswith("It took") for each in contents(tmp_path))


def test_a_batch_on_its_way_is_waited_for(tmp_path: Path, server: Server) -> None:
    server.ended = False
    consolidate(filled(tmp_path, server), NOW)
    before = contents(tmp_path)
    report = consolidate(tmp_path, LATER)
    assert not report.problems
    assert contents(tmp_path) == before
    server.ended = True
    consolidate(tmp_path, LAST)
    assert set(MEANINGS.values()) <= contents(tmp_path)
    assert len(server.batches) == 1


def test_stopped_around_the_sending_it_is_sent_once(tmp_path: Path, key: None) -> None:
    with serving(telling(MEANINGS)) as server:
        counting = CrashingDisk()
        consolidate(filled(tmp_path / "whole", server), NOW, disk=counting)
    written = [number for number, name in enumerate(counting.done, 1) if name == "replace batch.json"]
    assert len(written) == 2
    for stop in range(written[0], written[1] + 2):
        with serving(telling(MEANINGS)) as server:
            root = filled(tmp_path / str(stop), server)
            with pytest.raises(Crash):
                consolidate(root, NOW, disk=CrashingDisk(stop=stop))
            consolidate(root, LATER)
            consolidate(root, LAST)
            assert len(server.batches) <= 1
            if server.batches:
                assert set(MEANINGS.values()) <= contents(root), stop


def test_what_expired_is_left_to_the_rules(tmp_path: Path, key: None) -> None:
    expected = rules_alone(tmp_path)
    with serving(lambda _: Reply()) as server:
        root = filled(tmp_path / "asked", server)
        consolidate(root, NOW)
        consolidate(root, LATER)
        consolidate(root, LAST)
    assert contents(root) == contents(tmp_path / "rules")
    assert {name for name in expected if name.startswith("memory/layer2/active")} <= set(layers(root))
    assert [row["outcome"] for row in rows(root, "ledger.jsonl")] == ["expired", "expired"]
    assert len(server.batches) == 1


@pytest.mark.parametrize("answer", ["prose, and no JSON", {"claims": [{"n": 1}]}, {"claims": []}])
def test_answers_of_no_use_are_left_to_the_rules(answer: Any, tmp_path: Path, key: None) -> None:
    with serving(lambda _: answer) as server:
        root = filled(tmp_path / "asked", server)
        consolidate(root, NOW)
        before = contents(root)
        consolidate(root, LATER)
    assert contents(root) == before
    assert len(server.requests) == 2


def test_an_answer_about_what_has_changed_is_dropped(tmp_path: Path, server: Server) -> None:
    consolidate(filled(tmp_path, server), NOW)
    (told,) = [each for each in memories(tmp_path) if each.content.startswith("It took")]
    with Workspace.open(tmp_path, now=at(LATER), write=True) as ws:
        edit.archive(ws, told.id)
    consolidate(tmp_path, LATER)
    assert MEANINGS[QUOTE] not in contents(tmp_path) | contents(tmp_path, "archive")
    assert MEANINGS[QUOTE_ZH] in contents(tmp_path)


def test_a_server_that_is_away_is_told_and_tried_again(tmp_path: Path, server: Server) -> None:
    server.away = True
    report = consolidate(filled(tmp_path, server), NOW)
    assert ["the batch: " in each.what for each in report.problems] == [True]
    server.away = False
    consolidate(tmp_path, LATER)
    consolidate(tmp_path, LAST)
    assert len(server.batches) == 1
    assert set(MEANINGS.values()) <= contents(tmp_path)
