"""The source filter: what never becomes a memory, what is cut out, and what must pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_system.layout import Layout
from memory_system.readers.reading import OwnFiles, is_person, judge, role_reason, session_reason


@pytest.mark.parametrize(
    ("text", "role", "reason"),
    [
        ("Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK.", "user", "heartbeat"),
        ("检查 HEARTBEAT.md，没有事情就回复 HEARTBEAT_OK", "user", "heartbeat"),
        ("HEARTBEAT_OK", "assistant", "heartbeat"),
        ("[Sat 2026-11-21 06:24 UTC] Read HEARTBEAT.md if it exists.", "user", "heartbeat"),
        ("[cron:8f2a 日报] 写一份日报", "user", "cron"),
        ("[hook:gmail] New mail from Ana", "user", "hook"),
        ("NO_REPLY", "assistant", "silent"),
        ("Pre-compaction memory flush. Store durable memories now.", "user", "flush"),
        ("A new session was started via /new or /reset. Greet the user.", "user", "startup"),
        ("System: [2026-11-21 06:24:00 UTC] Node connected", "user", "system"),
        ("System: [2026-11-21 06:24:00 UTC] Exec completed (a1, code 0)\n\nI live in Rome", "user", "system"),
        ("<system-reminder>be brief</system-reminder>", "user", "injected"),
        ("<recalled_memories>\n用户住在杭州\n</recalled_memories>", "user", "recalled"),
        ("<local-command-stdout>ok</local-command-stdout>", "user", "command"),
        ("This session is being continued from a previous conversation that ran out of context.", "user", "summary"),
    ],
)
def test_what_the_host_says_is_refused(text: str, role: str, reason: str) -> None:
    assert judge(text, role)[1] == reason


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[Sat 2026-11-21 06:24 UTC] I moved to Porto.", "I moved to Porto."),
        ("[Telegram Ana id:123 2026-11-21 06:24 UTC] 我搬到了杭州。", "我搬到了杭州。"),
        (
            "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nsecret plan\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\nhello Koda",
            "hello Koda",
        ),
        ("<memory>\n- likes tea\n</memory>\nWhich tea do I like?", "Which tea do I like?"),
        ("fix it<system-reminder>the list is empty</system-reminder>", "fix it"),
        ("System: [2026-11-21 06:24:00 UTC] Node connected\nSystem: [x] again\n\nMy cat is ill.", "My cat is ill."),
        (
            'Conversation info (untrusted metadata):\n```json\n{"a": 1}\n```\n\n'
            'Sender (untrusted metadata):\n```json\n{"name": "Ana"}\n```\n\n[message_id: om_1]\n在干嘛呢？',
            "在干嘛呢？",
        ),
    ],
)
def test_what_was_put_around_a_message_is_cut_out(text: str, left: str) -> None:
    assert judge(text, "user") == (left, "")


@pytest.mark.parametrize(
    "text",
    [
        "Please add watering the plants to HEARTBEAT.md",
        "I got no reply from Ana.",
        "[2026-11-21] was the day we moved.",
        "The system: [a] and [b] are parts of it.",
        "Set up a cron job that reminds me every Monday.",
        "把这件事写进 HEARTBEAT.md",
        "我的记忆力不好",
        "[日程 2026-02-25 08:00:00] 带父亲去检查听力",
        "[Calendar 2026-05-04 10:00] Swimming lesson for the twins",
    ],
)
def test_people_may_speak_of_these_things(text: str) -> None:
    assert judge(text, "user") == (text, "")


def test_a_user_may_say_what_only_an_agent_says_to_be_silent() -> None:
    assert judge("HEARTBEAT_OK", "user") == ("HEARTBEAT_OK", "")


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("agent:main:cron:digest:run:1", "cron"),
        ("agent:main:subagent:5f", "subagent"),
        ("hook:gmail:1", "hook"),
        ("agent:main:dreaming-narrative", "dreaming"),
        ("agent:main:main", ""),
        ("agent:main:telegram:direct:7", ""),
        ("", ""),
    ],
)
def test_sessions_without_a_user_are_no_source(key: str, reason: str) -> None:
    assert session_reason(key) == reason


@pytest.mark.parametrize(
    ("role", "reason"),
    [("user", ""), ("assistant", ""), ("note", ""), ("toolResult", "tool"), ("system", "system"), ("x", "role:x")],
)
def test_only_those_who_speak_are_kept(role: str, reason: str) -> None:
    assert role_reason(role) == reason


@pytest.mark.parametrize("name", ["Ana", "王芳", "Jean-Luc", "Claudette", "小明"])
def test_persons_have_names(name: str) -> None:
    assert is_person(name)


@pytest.mark.parametrize("name", ["", " ", "assistant", "AI", "Chatbot", "助手", "system", "GPT-4o", "ＡＩ", "用户"])
def test_roles_and_models_are_no_persons(name: str) -> None:
    assert not is_person(name)


@pytest.fixture
def own(tmp_path: Path) -> OwnFiles:
    layout = Layout(tmp_path)
    (tmp_path / "MEMORY.md").write_text(
        "# Long-term memory\n- Prefers TypeScript over JavaScript\n- **Works on project Acme Dashboard**\n", "utf-8"
    )
    layout.snapshot.parent.mkdir(parents=True)
    layout.snapshot.write_text("- 用户对花生和贝类都严重过敏\n", "utf-8")
    return OwnFiles(layout)


def test_the_workspaces_own_files_read_back_are_known(own: OwnFiles) -> None:
    pasted = "* prefers typescript over javascript\n\n> Works on project Acme Dashboard"
    assert own.echoed(pasted, "user")
    assert own.echoed("用户对花生和贝类都严重过敏", "assistant")


def test_saying_one_thing_again_is_no_paste(own: OwnFiles) -> None:
    assert not own.echoed("Prefers TypeScript over JavaScript", "user")


def test_a_message_that_mostly_says_other_things_passes(own: OwnFiles) -> None:
    text = (
        "Prefers TypeScript over JavaScript\n"
        "That was true last year, but now I write Rust every day.\n"
        "Please also note that the dashboard was cancelled."
    )
    assert not own.echoed(text, "user")
    assert not own.echoed(text, "assistant")


def test_without_files_nothing_is_an_echo(tmp_path: Path) -> None:
    assert not OwnFiles(Layout(tmp_path)).echoed("Prefers TypeScript over JavaScript", "assistant")
