"""Questions sent as one batch: the run goes by rules, the next one uses the answers; nothing is sent or asked twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answering import telling
from claude_server import Reply, Server, serving
from test_reading import MEANINGS, NOW, QUOTE, QUOTE_ZH, TOLD, TOLD_ZH, fill, rows, rules_alone
from workspaces import Crash, CrashingDisk, at, consolidate, contents, layers, make, memories, problems, say, stopped

from memory_system import forgetting
from memory_system.errors import DamagedError
from memory_system.forgetting.planning import Selection
from memory_system.text import estimate_tokens
from memory_system.upkeep import correct
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
    assert {TOLD, TOLD_ZH} <= contents(tmp_path)
    assert len(server.batches) == 1
    assert len(server.requests) == 2
    ledger = rows(tmp_path, "ledger.jsonl")
    assert sum(row["input"] + row["output"] for row in ledger) == server.tokens
    assert sum(row["usd"] for row in ledger) == pytest.approx((server.input + 5 * server.output) / 2e6, abs=2e-6)
    assert problems(tmp_path, LATER) == []
    before = layers(tmp_path)
    assert not consolidate(tmp_path, LATER).nights
    assert layers(tmp_path) == before
    assert (len(server.batches), len(server.requests)) == (1, 2)


def test_the_quotes_that_the_rules_kept_give_way_to_what_tells_them(tmp_path: Path, server: Server) -> None:
    """One memory for the words, and what the quote said leads to it."""
    consolidate(filled(tmp_path, server), NOW)
    quotes = {each.id: each.content for each in memories(tmp_path) if each.form == "quote"}
    assert QUOTE_ZH in quotes.values()
    consolidate(tmp_path, LATER)
    assert QUOTE_ZH not in contents(tmp_path)
    gone = {each.content: each for each in memories(tmp_path, "archive") if each.id in quotes}
    told = {each.content: each.id for each in memories(tmp_path)}
    assert gone[QUOTE_ZH].superseded_by == told[TOLD_ZH]


def test_a_batch_on_its_way_is_waited_for(tmp_path: Path, server: Server) -> None:
    server.ended = False
    consolidate(filled(tmp_path, server), NOW)
    before = contents(tmp_path)
    report = consolidate(tmp_path, LATER)
    assert not report.problems
    assert contents(tmp_path) == before
    server.ended = True
    consolidate(tmp_path, LAST)
    assert {TOLD, TOLD_ZH} <= contents(tmp_path)
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
                assert {TOLD, TOLD_ZH} <= contents(root), stop


def test_stopped_anywhere_every_question_is_sent_once(tmp_path: Path, key: None) -> None:
    """Questions of a night that is done wait where a crash does not take them away."""
    with serving(telling(MEANINGS)) as server:
        counting = CrashingDisk()
        consolidate(filled(tmp_path / "whole", server), NOW, disk=counting)
        expected = Counter(sent(server))
    queued = [number for number, name in enumerate(counting.done, 1) if name == "open queue.jsonl"]
    assert len(queued) == 2
    for stop in (queued[0], queued[0] + 3, queued[1] - 20, queued[1] + 1, queued[1] + 3, len(counting.done) - 8):
        with serving(telling(MEANINGS)) as server:
            root = filled(tmp_path / str(stop), server)
            with pytest.raises(Crash):
                consolidate(root, NOW, disk=CrashingDisk(stop=stop))
            consolidate(root, NOW)
            consolidate(root, LATER)
            consolidate(root, LAST)
            assert Counter(sent(server)) == expected, counting.done[stop - 1]


def test_an_answer_is_used_once_wherever_the_night_is_stopped(tmp_path: Path, server: Server) -> None:
    whole = filled(tmp_path / "whole", server)
    consolidate(whole, NOW)
    left = stopped(whole, lambda disk: consolidate(whole, LATER, disk=disk), every=5)
    expected = layers(whole)
    for what, root in left:
        consolidate(root, LATER)
        assert layers(root) == expected, what


def test_a_night_keeps_its_budget_in_a_batch_too(tmp_path: Path, key: None) -> None:
    with serving(lambda _: {}) as server:
        root = make(tmp_path, llm={"mode": "batch", "base_url": server.url}, budget={"tokens_per_night": 1_800})
        for number in range(90):
            text = f"It took the {number + 2} of us a whole day to carry it there, and they helped with the rest."
            say(root, "c", (f"2026-03-02T10:{number % 60:02}:00Z", "user", text))
        consolidate(root, NOW)
    bodies = [request["params"] for batch in server.batches.values() for request in batch["requests"]]
    took = [estimate_tokens(body["messages"][0]["content"] + body["system"][0]["text"]) for body in bodies]
    assert 1_000 < sum(took) + sum(body["max_tokens"] for body in bodies) < 1_800


def test_the_batch_of_another_workspace_is_not_taken_for_ours(tmp_path: Path, server: Server) -> None:
    """Stopped between sending and writing down, while somebody else with the same key has as many questions on their
    way: which one is whose shows when it has ended."""
    consolidate(filled(tmp_path / "ours", server), NOW)
    ours = tmp_path / "ours/memory/state/batch.json"
    row = json.loads(ours.read_text())
    ours.write_text(json.dumps({**row, "state": "sending", "id": ""}))
    theirs = {"custom_id": "another", "params": {}}
    server.batches = {"msgbatch_0": {"requests": [theirs, theirs]}}
    server.ended = False
    assert not consolidate(tmp_path / "ours", LATER).problems
    assert list(server.batches) == ["msgbatch_0"]  # theirs may be ours: nothing is sent twice
    server.ended = True
    server.script = lambda request: telling(MEANINGS)(request) if request else Reply()
    consolidate(tmp_path / "ours", LAST)
    assert len(server.batches) == 2


@pytest.mark.parametrize("how", ["gone", "aged"])
def test_a_batch_that_is_no_more_is_left_to_the_rules(how: str, tmp_path: Path, server: Server) -> None:
    root = filled(tmp_path, server)
    consolidate(root, NOW)
    before = contents(root)
    setattr(server, how, True)
    report = consolidate(root, LATER)
    assert any("the batch gave no answer: gone" in each.what for each in report.problems)
    assert contents(root) == before
    assert not (root / "memory/state/batch.json").exists()


def test_questions_of_the_nights_meanwhile_wait_for_the_next_batch(tmp_path: Path, server: Server) -> None:
    server.ended = False
    consolidate(filled(tmp_path, server), NOW)
    said = "It leaks where my neighbour and me forgot the pitch at the stern of that canoe."
    say(tmp_path, "english", ("2026-03-04T13:00:00Z", "user", said))
    consolidate(tmp_path, LATER)
    assert len(server.batches) == 1
    server.ended = True
    consolidate(tmp_path, LAST)
    assert len(server.batches) == 2
    assert said in sent(server)[-1]


def test_a_damaged_batch_file_is_told_with_what_to_do(tmp_path: Path, server: Server) -> None:
    root = filled(tmp_path, server)
    (root / "memory/state/batch.json").write_text('{"state": "sent", "requests": [{"colour": "red"}]}')
    with pytest.raises(DamagedError, match="no batch"):
        consolidate(root, NOW)


def test_what_is_forgotten_is_gone_from_what_waits_and_what_is_on_its_way(tmp_path: Path, server: Server) -> None:
    server.ended = False
    consolidate(filled(tmp_path, server), NOW)
    said = "It leaks where my neighbour and me forgot the pitch at the stern of that canoe."
    say(tmp_path, "english", ("2026-03-04T13:00:00Z", "user", said))
    consolidate(tmp_path, LATER)
    state = tmp_path / "memory/state"
    assert "canoe" in (state / "batch.json").read_text()
    assert "canoe" in (state / "queue.jsonl").read_text()
    with Workspace.open(tmp_path, now=at(LAST), write=True) as ws:
        forgetting.forget(ws, forgetting.plan_of(ws, Selection(query="canoe")))
    assert not [path for path in state.glob("*.json*") if "canoe" in path.read_text()]
    server.ended = True
    assert not consolidate(tmp_path, "2026-03-07T12:00:00Z").problems


def test_a_memory_that_says_something_else_by_now_is_not_changed(tmp_path: Path, server: Server) -> None:
    """What an operation names must still say what the model was told."""
    server.script = telling({"gave up": {"op": "end", "of": "swimming"}})
    make(tmp_path, llm={"mode": "batch", "base_url": server.url})
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I like swimming."))
    consolidate(tmp_path, "2026-03-03T12:00:00Z", mode="off")
    say(tmp_path, "b", ("2026-03-03T13:00:00Z", "user", "I gave up the swimming, by the way."))
    consolidate(tmp_path, NOW)
    (lesson,) = [each for each in memories(tmp_path) if "swimming" in each.content and "gave up" not in each.content]
    with Workspace.open(tmp_path, now=at(NOW), write=True) as ws:
        correct.edit(ws, lesson.id, {"content": "User likes swimming in the sea", "value": "swimming in the sea"})
    (before,) = [each for each in memories(tmp_path) if each.id == lesson.id]
    report = consolidate(tmp_path, LATER).to_row()
    assert report["accounting"]["reading"]["refused"] == {"no such memory": 1}
    assert before in memories(tmp_path)


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


@pytest.mark.parametrize("answer", ["prose, and no JSON", {"operations": [{"op": "add"}]}, {"operations": []}])
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
    (told,) = [each for each in memories(tmp_path) if each.content == QUOTE_ZH]
    with Workspace.open(tmp_path, now=at(LATER), write=True) as ws:
        correct.archive(ws, told.id)
    consolidate(tmp_path, LATER)
    assert TOLD_ZH not in contents(tmp_path) | contents(tmp_path, "archive")
    assert TOLD in contents(tmp_path)


def test_a_server_that_is_away_is_told_and_tried_again(tmp_path: Path, server: Server) -> None:
    server.away = True
    report = consolidate(filled(tmp_path, server), NOW)
    assert ["the batch: " in each.what for each in report.problems] == [True]
    server.away = False
    consolidate(tmp_path, LATER)
    consolidate(tmp_path, LAST)
    assert len(server.batches) == 1
    assert {TOLD, TOLD_ZH} <= contents(tmp_path)
