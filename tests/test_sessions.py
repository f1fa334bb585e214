"""Sessions that we write: transcripts, what a model sees of them, the register, summary notes, the archive."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from workspaces import CrashingDisk, at, consolidate, contents, layers, make, say, stopped

from memory_system import finder
from memory_system.agent import session as transcripts
from memory_system.agent.session import Session, append_to, archive, update_entry, write_summary
from memory_system.disk import Files
from memory_system.errors import NotFoundError, UsageError
from memory_system.layout import Layout
from memory_system.readers import Cursor
from memory_system.workspace import Workspace

THEN = "2026-03-02T09:00:00Z"
NOW = "2026-03-03T03:10:00Z"
LATER = "2026-05-01T12:00:00Z"


def text(role: str, said: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": said}]}


def begun(root: Path) -> Session:
    return Session.begin(Layout(root), at(THEN), Files())


def resumed(root: Path, name: str) -> Session:
    with Workspace.open(root) as ws:
        return Session.resume(transcripts.transcript(ws, name), ws.files)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make(tmp_path / "w")


def test_what_is_written_is_read_by_the_night(root: Path) -> None:
    session = begun(root)
    session.message(text("user", "Careful, I'm allergic to peanuts."), at(THEN))
    session.message(text("assistant", "Noted."), at(THEN))
    session.message(text("user", "我住在杭州。"), at(THEN))
    assert consolidate(root, NOW).problems == []
    assert contents(root) == {"User is allergic to peanuts", "用户住在杭州"}
    with Workspace.open(root) as ws:
        assert set(ws.checkpoint.state.cursors) == {session.id}


def test_a_session_in_which_nothing_was_said_leaves_no_file(root: Path) -> None:
    assert not begun(root).path.exists()


def test_a_session_is_gone_on_with_after_a_torn_write(root: Path) -> None:
    session = begun(root)
    session.message(text("user", "one"), at(THEN))
    with session.path.open("ab") as file:
        file.write(b'{"type":"mess')
    again = resumed(root, session.id)
    again.message(text("user", "two"), at(THEN))
    said = [transcripts.text_of(transcripts.message_of(row)) for row in resumed(root, session.id).rows]
    assert (again.id, said) == (session.id, ["one", "two"])


def test_secrets_are_masked_in_the_file(root: Path) -> None:
    session = begun(root)
    key = "sk-ant-api03-" + "abcDEF123456" * 4
    session.message(text("user", f"my key is {key}"), at(THEN))
    call = {"type": "toolCall", "id": "t", "name": "memory_write", "arguments": {"content": f"key {key}"}}
    session.message({"role": "assistant", "content": [call]}, at(THEN))
    assert key not in session.path.read_text()
    assert session.path.read_text().count("[secret:") == 2


def test_what_cannot_be_gone_on_with(root: Path) -> None:
    old_and_new(root)
    packed(root)
    with pytest.raises(NotFoundError):
        resumed(root, "none")
    with pytest.raises(UsageError, match="archived"):
        resumed(root, "march")
    line = {
        "type": "user",
        "uuid": "u",
        "parentUuid": None,
        "sessionId": "c",
        "timestamp": THEN,
        "message": text("user", "hello"),
    }
    (root / "sessions/c.jsonl").write_text(f"{json.dumps(line)}\n")
    with pytest.raises(UsageError, match="another program"):
        resumed(root, "c")


@pytest.mark.parametrize(
    ("rows", "active"),
    [
        ([("a", None), ("b", "a"), ("c", "a")], ["a", "c"]),
        ([("a", None), ("b", "a"), ("leaf", "a")], ["a"]),
        ([("a", None), ("b", None)], ["a", "b"]),
        ([("a", "b"), ("b", "a")], ["a", "b"]),
    ],
)
def test_only_the_active_branch_counts(root: Path, rows: list[tuple[str, str | None]], active: list[str]) -> None:
    lines: list[dict[str, Any]] = [{"type": "session", "id": "s", "timestamp": THEN}]
    for name, parent in rows:
        if name == "leaf":
            lines.append({"type": "leaf", "id": name, "parentId": rows[-2][0], "targetId": parent})
        else:
            lines.append({"type": "message", "id": name, "parentId": parent, "message": text("user", name)})
    (root / "sessions/s.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert [row["id"] for row in resumed(root, "s").rows] == active


def test_after_a_compaction_the_summary_and_what_was_kept_are_seen() -> None:
    before = [{"type": "message", "id": name} for name in "abcd"]
    mark = {"type": "compaction", "id": "m", "firstKeptEntryId": "c", "summary": "so far"}
    after = [{"type": "message", "id": "e"}]
    assert [row["id"] for row in transcripts.in_context([*before, mark, *after])] == ["m", "c", "d", "e"]
    assert [row["id"] for row in transcripts.in_context([*before, {"type": "reset", "id": "r"}, *after])] == ["e"]
    assert [row["id"] for row in transcripts.in_context(before)] == ["a", "b", "c", "d"]


def test_the_register_has_the_keys_of_seed_001_and_adds_up_tokens(root: Path) -> None:
    with Workspace.open(root) as ws:
        update_entry(ws, "s1", at(THEN), tokens=(100, 20), contextTokens=176_000)
        update_entry(ws, "s2", at(THEN))
        update_entry(ws, "s1", at(NOW), tokens=(10, 2), compactionCount=1, memoryFlushAt=THEN)
    stored = json.loads((root / "sessions/sessions.json").read_text())
    assert stored["agent:main:chat:s1"] == {
        "chatType": "direct",
        "compactionCount": 1,
        "memoryFlushAt": THEN,
        "memoryFlushCompactionCount": None,
        "inputTokens": 110,
        "outputTokens": 22,
        "contextTokens": 176_000,
        "sessionId": "s1",
        "updatedAt": NOW,
    }
    assert set(stored) == {"agent:main:chat:s1", "agent:main:chat:s2"}


def test_a_registered_session_is_still_a_source(root: Path) -> None:
    session = begun(root)
    session.message(text("user", "Careful, I'm allergic to peanuts."), at(THEN))
    with Workspace.open(root) as ws:
        update_entry(ws, session.id, at(THEN))
    consolidate(root, NOW)
    assert contents(root) == {"User is allergic to peanuts"}


def test_the_summary_note_is_that_of_seed_004_and_no_source(root: Path) -> None:
    session = begun(root)
    for said in ("我给你改个名字，你叫小明", "我住在杭州。"):
        session.message(text("user", said), at(THEN))
        session.message(text("assistant", "好的。"), at(THEN))
    with Workspace.open(root, now=at("2026-03-02T11:06:57Z")) as ws:
        path = write_summary(ws, session.rows, session.id)
        again = write_summary(ws, session.rows, session.id)
        assert write_summary(ws, [], "s") == ""
    assert (path, again) == ("memory/2026-03-02-1106.md", "memory/2026-03-02-1106-2.md")
    assert (root / path).read_text() == (
        "# Session: 2026-03-02 11:06:57 UTC\n\n"
        f"- **Session Key**: agent:main:chat:{session.id}\n- **Session ID**: {session.id}\n- **Source**: chat\n\n"
        "## Conversation Summary\n\n"
        "user: 我给你改个名字，你叫小明\nassistant: 好的。\nuser: 我住在杭州。\nassistant: 好的。\n"
    )
    session.path.unlink()
    consolidate(root, NOW)
    assert contents(root) == set()


# ---- looking -------------------------------------------------------------------------------------------------------


def test_history_gives_the_last_messages_of_any_format(root: Path) -> None:
    say(root, "claw", (THEN, "user", "hello"))
    with Workspace.open(root, now=at(THEN)) as ws:
        for role, said in (("user", "你好"), ("assistant", "你好！有什么可以帮你的？"), ("user", "帮我查询订单")):
            append_to(ws, "whatsapp_123", role, said)
        found = transcripts.history(ws, "whatsapp_123", 2)
        assert [each["content"] for each in found["messages"]] == ["你好！有什么可以帮你的？", "帮我查询订单"]
        assert found["total"] == 3
        assert transcripts.history(ws, "claw", 100)["messages"] == [
            {"timestamp": THEN, "role": "user", "content": "hello"},
        ]
        assert transcripts.transcript(ws, "whats").session == "whatsapp_123"
        with pytest.raises(NotFoundError):
            transcripts.transcript(ws, "nobody")
        assert {row["id"]: row["messages"] for row in transcripts.listed(ws)} == {"whatsapp_123": 3, "claw": 1}


def test_appending_goes_on_in_the_form_of_the_transcript(root: Path) -> None:
    say(root, "claw", (THEN, "user", "Careful, I'm allergic to peanuts."))
    with Workspace.open(root, now=at("2026-03-02T10:00:00Z")) as ws:
        assert append_to(ws, "telegram_456", "user", "我住在杭州。") == ("telegram_456", "sessions/telegram_456.jsonl")
        assert append_to(ws, "claw", "user", "I like rowing.") == ("claw", "sessions/claw.jsonl")
        assert append_to(ws, "cla", "assistant", "another one") == ("cla", "sessions/cla.jsonl")
        with pytest.raises(UsageError):
            append_to(ws, "../outside", "user", "x")
    line = json.loads((root / "sessions/telegram_456.jsonl").read_text())
    assert line == {"timestamp": "2026-03-02T10:00:00Z", "role": "user", "content": "我住在杭州。"}
    consolidate(root, NOW)
    assert contents(root) == {"User is allergic to peanuts", "User likes rowing", "用户住在杭州"}


# ---- the archive ---------------------------------------------------------------------------------------------------


def old_and_new(root: Path) -> None:
    """Two sessions of March, one of them read by a night only in part, and one of late April."""
    say(root, "march", (THEN, "user", "Careful, I'm allergic to peanuts."))
    say(root, "half", (THEN, "user", "我住在杭州。"))
    consolidate(root, NOW)
    say(root, "half", ("2026-03-10T09:00:00Z", "user", "我养了一只猫叫团子。"))
    say(root, "april", ("2026-04-20T09:00:00Z", "user", "My birthday is 4 May."))


def packed(root: Path, now: str = LATER, disk: CrashingDisk | None = None) -> list[str]:
    with Workspace.open(root, now=at(now), write=True, disk=disk) as ws:
        return archive(ws, 30)


def test_sessions_of_more_than_30_days_ago_are_packed_as_in_seed_003(root: Path) -> None:
    old_and_new(root)
    assert packed(root, "2026-04-01T08:59:59Z") == []
    assert packed(root) == ["sessions/archive/half.jsonl.gz", "sessions/archive/march.jsonl.gz"]
    assert sorted(each.name for each in (root / "sessions").glob("*.jsonl")) == ["april.jsonl"]
    assert packed(root) == []


def test_what_is_packed_is_read_once_and_found_and_shown(root: Path, tmp_path: Path) -> None:
    old_and_new(root)
    other = Path(shutil.copytree(root, tmp_path / "unpacked"))
    packed(root)
    report = consolidate(root, LATER)
    assert sum(account["messages"]["read"] for account in report.accounts) == 2  # the unread half, and april
    consolidate(other, LATER)
    assert contents(root) == contents(other)
    with Workspace.open(root, now=at(LATER)) as ws:
        (row,) = finder.search(ws, "peanuts", scope="sessions")["results"]
        assert row["citation"] == "sessions/archive/march.jsonl.gz#L2"
        assert "peanuts" in finder.get(ws, row["path"], from_line=2, lines=1)["text"]
        assert transcripts.history(ws, "march", 9)["messages"][0]["content"] == "Careful, I'm allergic to peanuts."
        assert [each["id"] for each in transcripts.listed(ws) if each["archived"]] == ["half", "march"]
        cursors = {name: Cursor.from_row(row) for name, row in ws.checkpoint.state.cursors.items()}
        assert ws.library.backlog(cursors).waiting == {}


def test_a_rebuilt_index_is_the_one_that_followed_the_files(root: Path) -> None:
    from memory_system.nights import derive

    old_and_new(root)
    consolidate(root, LATER)
    packed(root)
    followed = layers(root)
    with Workspace.open(root, now=at(LATER), write=True) as ws:
        derive.rebuild(ws)
    assert layers(root) == followed


def test_packing_may_be_stopped_anywhere(root: Path) -> None:
    old_and_new(root)
    consolidate(root, "2026-03-12T03:10:00Z")
    left = stopped(root, lambda disk: packed(root, disk=disk))
    report = consolidate(root, LATER)
    assert sum(account["messages"]["read"] for account in report.accounts) == 1
    for what, again in left:
        packed(again)
        report = consolidate(again, LATER)
        assert sum(account["messages"]["read"] for account in report.accounts) == 1, what
        assert report.problems == []
        assert contents(again) == contents(root)
        assert layers(again).keys() == layers(root).keys()
