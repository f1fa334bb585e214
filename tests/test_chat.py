"""`memory chat` over a model on this machine: the real SDK, streaming, tools, making room, interruptions."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import commands
import pexpect
import pytest
from loopback import Brain, Failure, Request, call, last, loopback, system, tokens
from workspaces import at, consolidate, contents, make

from memory_system.agent import session
from memory_system.agent.chat import Chat
from memory_system.agent.model import Claude, ContextFullError
from memory_system.agent.session import Session, entry_of
from memory_system.errors import LLMError
from memory_system.upkeep import stats
from memory_system.workspace import Workspace

START = at("2026-03-02T09:00:00Z")
SMALL = {"context_window": 12_000, "reserve_tokens": 2_000, "soft_threshold_tokens": 1_000, "keep_recent_tokens": 800}


class Page:
    """What was shown."""

    def __init__(self) -> None:
        self.said = ""
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.notices: list[str] = []

    def text(self, piece: str) -> None:
        self.said += piece

    def call(self, name: str, arguments: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        del arguments
        self.calls.append((name, dict(answer)))

    def notice(self, said: str) -> None:
        self.notices.append(said)


class Clock:
    """A minute passes with each look."""

    def __init__(self) -> None:
        self.moment = START

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment


def agent(request: Request) -> Any:
    """A small mind: it flushes, sums up, looks things up when asked to recall, and else just answers."""
    said = last(request)
    if system(request).startswith(("You shorten a conversation", "你把一段对话缩短")):
        return "Summary: the user told many things about kites."
    if said.startswith("Pre-compaction memory flush"):
        return call("memory_write", content="The user's boat is called Seagull.", category="fact")
    if "Pre-compaction memory flush" in system(request):
        return "NO_REPLY"
    if said.startswith("Recall "):
        return call("memory_search", query=said.removeprefix("Recall "))
    if said.startswith("{"):
        found = json.loads(said).get("results", [])
        return f"I found: {found[0]['snippet']}" if found else "I found nothing."
    return f"I hear you: {said[:40]}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "w")


def aim(root: Path, address: str) -> None:
    """Let the workspace's model be the one at that address."""
    path = root / "memory/config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "llm": {"base_url": address}}))


@contextmanager
def talking(
    root: Path, monkeypatch: pytest.MonkeyPatch, brain: Brain = agent, **options: Any
) -> Iterator[tuple[Chat, Page, list[Request]]]:
    with loopback(brain, **options) as (address, seen):
        aim(root, address)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "test")
        with Workspace.open(root) as ws:
            model = Claude(ws.config, pause=lambda _: None)
        page = Page()
        with closing(model):
            yield Chat(root, Clock(), model, page), page, seen


def rows_in(path: Path) -> list[session.Row]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def gone_on_with(root: Path, chat: Chat) -> Session:
    with Workspace.open(root) as ws:
        return Session.resume(session.transcript(ws, chat.session.id), ws.files)


def texts(root: Path, chat: Chat) -> list[tuple[str, str]]:
    """What stands in the transcript: who said what."""
    found = [session.message_of(row) for row in rows_in(chat.session.path)]
    return [(each["role"], session.text_of(each)) for each in found if each]


def test_an_answer_is_streamed_and_both_sides_are_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(root, monkeypatch) as (chat, page, seen):
        chat.turn("I live in Porto.")
        assert page.said == "I hear you: I live in Porto."
        assert texts(root, chat) == [("user", "I live in Porto."), ("assistant", page.said)]
    assert seen[0]["stream"] is True
    assert {each["name"] for each in seen[0]["tools"]} == {
        "memory_search", "memory_get", "memory_write", "memory_forget",
    }  # fmt: skip
    consolidate(root, "2026-03-03T03:10:00Z")
    assert contents(root) == {"User lives in Porto"}


def test_the_loop_goes_on_over_tools_until_the_turn_ends(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "MEMORY.md").write_text("- The user's cat is called Miso.\n")
    with talking(root, monkeypatch) as (chat, page, seen):
        chat.turn("Recall what is the cat called?")
        assert "Miso" in page.said
        assert [name for name, _ in page.calls] == ["memory_search"]
        roles = [role for role, _ in texts(root, chat)]
        assert roles == ["user", "assistant", "toolResult", "assistant"]
    assert [each["type"] for each in seen[1]["messages"][-1]["content"]] == ["tool_result"]


def test_the_system_prompt_is_made_anew_each_turn(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(root, monkeypatch) as (chat, _, seen):
        chat.turn("hello")
        (root / "SOUL.md").write_text("You are a pirate.")
        chat.turn("hello again")
        assert system(seen[1]).startswith("You are a pirate.\n\n---")
        assert not system(seen[0]).startswith("You are a pirate.")
        assert seen[1]["system"][0]["cache_control"] == {"type": "ephemeral"}
        assert [each["role"] for each in seen[1]["messages"]] == ["user", "assistant", "user"]


def test_a_reply_that_asks_for_silence_is_not_shown(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["NO_REPLY", "NO, that is not so.", "No"])
    with talking(root, monkeypatch, lambda _: next(answers)) as (chat, page, _):
        for _ in range(3):
            chat.turn("hm?")
        assert page.said == "NO, that is not so.No"


# ---- making room ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_before_the_context_fills_it_is_flushed_once_and_then_compacted(
    root: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    make(root, chat=SMALL, language=language)
    (root / "MEMORY.md").write_text("- hands off\n")
    counts = []
    with talking(root, monkeypatch) as (chat, page, seen):
        for number in range(28):
            chat.turn(f"kite {number} " + "flies high " * 240)
            entry = _entry(root, chat)
            counts.append((entry["memoryFlushCompactionCount"], entry["compactionCount"]))
        said = texts(root, chat)
    first_flush, first_compaction = counts.index((0, 0)), counts.index((0, 1))
    assert 0 < first_flush < first_compaction
    assert counts[first_flush:first_compaction] == [(0, 0)] * (first_compaction - first_flush)
    cycles = counts[-1][1]
    assert cycles >= 2
    flushes = [each for each in seen if last(each).startswith("Pre-compaction memory flush")]
    assert len(flushes) == counts[-1][0] + 1  # one for each cycle
    for each in flushes:
        assert {tool["name"]: set(tool["input_schema"]["properties"]) for tool in each["tools"]}["memory_write"] == {
            "content", "category",
        }  # fmt: skip
    note = (root / "memory/2026-03-02.md").read_text()
    assert note.count("The user's boat is called Seagull.") == len(flushes)
    assert (root / "MEMORY.md").read_text() == "- hands off\n"
    assert "Seagull" not in page.said
    assert "NO_REPLY" not in page.said
    assert not any("Pre-compaction" in text or "Seagull" in text for _, text in said)
    assert [role for role, _ in said] == ["user", "assistant"] * 28
    assert max(map(tokens, (each for each in seen if each not in flushes))) < 12_000


def _entry(root: Path, chat: Chat) -> dict[str, Any]:
    with Workspace.open(root) as ws:
        return entry_of(ws, chat.session.id)


def test_after_a_compaction_the_summary_is_sent_and_the_latest_word_for_word(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(root, chat={"keep_recent_tokens": 30})
    with talking(root, monkeypatch) as (chat, page, seen):
        for number in range(6):
            chat.turn(f"kite {number} flies")
        assert chat.compact()
        chat.turn("and now?")
        first = seen[-1]["messages"][0]["content"]
        assert first[0]["text"] == (
            "[Summary of the conversation so far]\n\nSummary: the user told many things about kites."
        )
        sent = json.dumps(seen[-1]["messages"])
        assert "kite 5 flies" in sent
        assert "kite 1 flies" not in sent
        mark = next(row for row in rows_in(chat.session.path) if row["type"] == "compaction")
        assert {"id", "firstKeptEntryId", "tokensBefore", "summary", "timestamp"} <= set(mark)
        assert len(page.notices) == 1
    again = gone_on_with(root, chat)
    assert session.in_context(again.rows)[0]["summary"].startswith("Summary: ")
    consolidate(root, "2026-03-03T03:10:00Z")


def test_a_full_context_is_compacted_and_asked_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def brain(request: Request) -> Any:
        if "You shorten" not in system(request) and len(request["messages"]) > 4:
            return Failure(400, "prompt is too long: 200123 tokens > 200000 maximum")
        return agent(request)

    with talking(root, monkeypatch, brain) as (chat, page, seen):
        for number in range(3):
            chat.turn(f"kite {number}")
        assert page.said.endswith("I hear you: kite 2")
        assert len(page.notices) == 1
        assert [role for role, _ in texts(root, chat)] == ["user", "assistant"] * 3
        assert len(seen) == 5


def test_a_compaction_that_fails_keeps_nobody_from_an_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root, chat=SMALL)

    def brain(request: Request) -> Any:
        return Failure(400, "not now") if "You shorten" in system(request) else agent(request)

    with talking(root, monkeypatch, brain) as (chat, page, _):
        for number in range(16):
            chat.turn(f"kite {number} " + "flies high " * 240)
        assert page.said.count("I hear you") == 16
        assert page.notices == []
        assert _entry(root, chat)["compactionCount"] == 0
        assert _entry(root, chat)["memoryFlushCompactionCount"] == 0


def test_an_answer_that_ends_early_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(root, monkeypatch, lambda _: call("memory_get", path="SOUL.md")) as (chat, page, seen):
        chat.turn("read on and on")
        assert len(seen) == 25
        assert page.notices == ["(the answer ended early: tool_use)"]


def test_a_question_that_is_too_long_by_itself_is_told_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        talking(root, monkeypatch, lambda _: Failure(400, "prompt is too long")) as (chat, _, _),
        pytest.raises(ContextFullError),
    ):
        chat.turn("x" * 1_000)


def test_old_results_are_pruned_when_the_cache_is_cold(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(root, chat={"context_window": 7_000, "reserve_tokens": 0, "soft_threshold_tokens": 0})
    (root / "memory/long.md").write_text("".join(f"line {n} of a long note about boats\n" for n in range(300)))

    def brain(request: Request) -> Any:
        return call("memory_get", path="memory/long.md") if last(request) == "read it" else "I have read."

    with talking(root, monkeypatch, brain) as (chat, _, seen):
        chat.turn("read it")
        for _ in range(3):
            chat.turn("and?")
        warm = json.dumps(seen[-1]["messages"])
        stored = chat.session.path.read_bytes()
        chat.now.moment += timedelta(minutes=6)  # type: ignore[attr-defined] - a Clock
        chat.turn("and?")
        cold = json.dumps(seen[-1]["messages"])
        assert "line 60 of" in warm
        assert "line 60 of" not in cold
        assert "line 0 of" in cold
        assert chat.session.path.read_bytes().startswith(stored)


# ---- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 529, 0])
def test_what_may_pass_is_tried_again(root: Path, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    failures = [Failure(status, headers={"retry-after": "9999999"})] if status else []

    def brain(request: Request) -> Any:
        return failures.pop() if failures else agent(request)

    with talking(root, monkeypatch, brain) as (chat, page, _):
        chat.turn("hello")
        assert page.said == "I hear you: hello"


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (Failure(401, "invalid x-api-key"), "refuses the key"),
        (Failure(404, "model: nothing"), "no such model"),
        (Failure(400, "what?"), "gave no answer"),
        (Failure(500), "gave no answer"),
    ],
)
def test_what_does_not_pass_is_said_and_the_question_stays(
    root: Path, monkeypatch: pytest.MonkeyPatch, failure: Failure, said: str
) -> None:
    with talking(root, monkeypatch, lambda _: failure) as (chat, _, _):
        with pytest.raises(LLMError, match=said):
            chat.turn("hello")
        assert texts(root, chat) == [("user", "hello")]


def test_without_a_key_it_says_which_is_needed(root: Path) -> None:
    with Workspace.open(root) as ws:
        chat = Chat(root, Clock(), Claude(ws.config), Page())
    with pytest.raises(LLMError, match="no key") as caught:
        chat.turn("hello")
    assert "ANTHROPIC_API_KEY" in caught.value.hint


# ---- what it costs ----


def booked(root: Path) -> list[tuple[str, str, int]]:
    """What stands in the ledger: phase, outcome, tokens."""
    lines = (root / "memory/state/ledger.jsonl").read_bytes().splitlines()
    found = map(json.loads, lines)
    return [(each["phase"], each["outcome"], each["input"] + each["output"]) for each in found]


def test_what_talking_costs_stands_in_the_ledger(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(root, monkeypatch) as (chat, _, seen):
        chat.turn("I live in Porto.")
        chat.turn("My boat is called Seagull.")
        chat.flush(forced=True)
        assert chat.compact(keep=0)
        with Workspace.open(root, now=START) as ws:
            entry, shown = entry_of(ws, chat.session.id), stats.stats(ws)["llm"]
    found = booked(root)
    assert [each[0] for each in found] == ["chat", "chat", "flush", "compact"]
    assert {each[1] for each in found} == {"answered"}
    assert sum(each[2] for each in found[:3]) == entry["inputTokens"] + entry["outputTokens"]
    assert sum(each[2] for each in found) == shown["talk"]["input_tokens"] + shown["talk"]["output_tokens"]
    assert shown["talk"]["calls"] == len(seen)
    assert shown["talk"]["usd"] > 0
    assert (shown["calls"], shown["usd_left_this_month"]) == (0, 1.0)  # the budget is for nights


def test_an_answer_that_breaks_off_is_booked_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(root, monkeypatch, lambda _: Failure(0)) as (chat, _, seen):
        chat.turn("hello")
        assert booked(root) == [("chat", "answered", tokens(seen[0]) + 1)]


def test_a_refused_request_is_booked_as_one_that_failed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(root, monkeypatch, lambda _: Failure(401)) as (chat, _, _):
        with pytest.raises(LLMError):
            chat.turn("hello")
        assert booked(root) == [("chat", "failed", 0)]


# ---- sessions ------------------------------------------------------------------------------------------------------


def test_a_reset_leaves_a_summary_note_and_begins_anew(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(root, monkeypatch) as (chat, _, seen):
        chat.turn("我给你改个名字，你叫小明")
        old = chat.session.id
        note = (root / chat.reset()).read_text()
        chat.turn("hello")
        assert f"- **Session ID**: {old}" in note
        assert "user: 我给你改个名字，你叫小明\nassistant: I hear you: 我给你改个名字，你叫小明" in note
        assert chat.session.id != old
        assert len(seen[-1]["messages"]) == 1
        assert chat.reset()
        assert chat.reset() == ""


def test_a_session_is_gone_on_with(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with talking(root, monkeypatch) as (chat, _, seen):
        chat.turn("my boat is red")
        again = Chat(root, Clock(), chat.model, Page(), gone_on_with(root, chat))
        again.turn("what colour?")
        assert "my boat is red" in json.dumps(seen[-1]["messages"])
        assert again.session.id == chat.session.id


# ---- in a terminal -------------------------------------------------------------------------------------------------


@contextmanager
def terminal(root: Path, brain: Brain = agent, *arguments: str, pause: float = 0.0) -> Iterator[pexpect.spawn]:
    """The real program in a real terminal, with its model on this machine."""
    with loopback(brain, pause) as (address, _):
        aim(root, address)
        environment = {
            **os.environ, "ANTHROPIC_API_KEY": "test", "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "200",
        }  # fmt: skip
        command = ["-m", "memory_system", "--workspace", str(root), "chat", *arguments]
        child = pexpect.spawn(
            sys.executable, command, env=environment, encoding="utf-8", timeout=120, dimensions=(40, 400), echo=False
        )
        child.delaybeforesend = None
        child.expect("You > ")
        try:
            yield child
        finally:
            child.close(force=True)


def exchange(child: pexpect.spawn, line: str) -> str:
    """Send a line; what is shown until the next prompt."""
    child.sendline(line)
    child.expect("You > ")
    return str(child.before)


def leave(child: pexpect.spawn) -> None:
    """Ctrl-C at the prompt until the program has ended: readline passes one that comes while it puts up its prompt on
    with the next key only."""
    for _ in range(10):
        child.sendintr()
        if child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=10) == 0:
            return
    raise AssertionError(f"still running: {child}")


def test_thirty_turns_in_a_terminal_with_a_flush_and_a_compaction(root: Path) -> None:
    make(root, chat=SMALL)
    with terminal(root) as child:
        shown = exchange(child, "My boat is called Seagull.")
        for number in range(30):
            shown += exchange(child, f"kite {number} " + "flies high " * 150)
        assert "the session was compacted" in shown
        assert "NO_REPLY" not in shown
        assert "memory_write" not in shown
        assert "Pre-compaction" not in shown
        assert "Soul" in exchange(child, "/soul")
        assert "Notes:" in exchange(child, "/memory")
        assert "Seagull" in exchange(child, "/search boat")
        assert "## Memory Recall" in exchange(child, "/prompt")
        assert "there is no /nonsense" in exchange(child, "/nonsense")
        assert "summed up in memory/" in exchange(child, "/new")
        assert "Seagull" in exchange(child, "Recall how is the boat called?")
        child.sendline("/quit")
        child.expect(pexpect.EOF)
    today = datetime.now().astimezone()
    later = (today + timedelta(days=2)).astimezone(at("2026-01-01T00:00:00Z").tzinfo)
    consolidate(root, later.strftime("%Y-%m-%dT%H:%M:%SZ"))
    assert any("Seagull" in each for each in contents(root))
    with terminal(root) as child:
        assert "Seagull" in exchange(child, "Recall how is the boat called?")


def test_ctrl_c_stops_an_answer_and_a_kill_loses_nothing_that_was_answered(root: Path) -> None:
    def slow(request: Request) -> Any:
        return "word " * 500 if last(request) == "talk" else agent(request)

    with terminal(root, slow, pause=0.01) as child:
        child.sendline("talk")
        child.expect("word word word")
        child.sendintr()
        child.expect("interrupted")
        child.expect("You > ")
        assert "I hear you: hello" in exchange(child, "hello")
        child.sendline("talk")
        child.expect("word word word")
        child.kill(9)
        child.expect(pexpect.EOF)
    (path,) = (root / "sessions").glob("*.jsonl")
    said = [session.message_of(row) for row in rows_in(path) if row["type"] == "message"]
    assert [each["role"] for each in said] == ["user", "assistant", "user", "assistant", "user"]
    assert said[1]["stopReason"] == "aborted"
    assert session.text_of(said[1]).startswith("word word")
    assert [session.text_of(each) for each in said[2:]] == ["hello", "I hear you: hello", "talk"]
    with terminal(root, agent, "--session", path.stem) as child:
        assert "I hear you: still there" in exchange(child, "still there")
        leave(child)
    with Workspace.open(root) as ws:
        backlog = ws.library.backlog({})
    assert backlog.problems == []


# ---- from outside --------------------------------------------------------------------------------------------------


def test_sessions_are_handled_from_outside(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def memory(*arguments: str, code: int = 0) -> dict[str, Any]:
        done = commands.memory("--workspace", root, "--json", *arguments)
        assert done.returncode == code, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    make(root, chat={"keep_recent_tokens": 30})
    with talking(root, monkeypatch) as (chat, _, _):
        for number in range(4):
            chat.turn(f"I own kite number {number}.")
        (row,) = memory("session", "list")["sessions"]
        assert (row["messages"], row["format"], row["archived"]) == (8, "openclaw", False)
        name = row["id"]
        assert memory("session", "append", name, "And a fifth kite.")["id"] == name
        assert [each["content"] for each in memory("session", "history", name, "--limit", "1")["messages"]] == [
            "And a fifth kite."
        ]
        assert memory("session", "show", name)["registered"]["inputTokens"] > 0
        flushed = memory("session", "flush", name)
        assert (flushed["status"], flushed["registered"]["memoryFlushCompactionCount"]) == ("flushed", 0)
        assert any("Seagull" in each.read_text() for each in (root / "memory").glob("*.md"))
        compacted = memory("session", "compact", name)
        assert (compacted["status"], compacted["registered"]["compactionCount"]) == ("compacted", 1)
        assert memory("session", "prune", name)["trimmed"] == 0
        assert memory("session", "history", name)["total"] == 9  # nothing is lost
        assert memory("--now", "2026-03-03T09:00:00Z", "session", "archive")["archived"] == []
        assert memory("--now", "2099-01-01T00:00:00Z", "session", "archive")["archived"] == [
            f"sessions/archive/{name}.jsonl.gz"
        ]
        assert memory("session", "append", name, "late", code=2)["error"]["hint"]
        assert memory("session", "show", "nobody", code=1)["error"]["kind"] == "NotFoundError"
        assert memory("session", "show", code=2)["error"]["kind"] == "UsageError"
        assert memory("session", "list", name, code=2)["error"]["kind"] == "UsageError"
        assert memory("session", "append", name, code=2)["error"]["kind"] == "UsageError"
