"""Readers: every format keeps one contract; cursors lose nothing and read nothing twice; bad input is told."""

from __future__ import annotations

import gzip
import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
import stores
from hypothesis import given, settings
from hypothesis import strategies as st
from workspaces import consolidate, make

from memory_system import clock
from memory_system.config import Config, Source
from memory_system.layout import Layout
from memory_system.readers import Backlog, Batch, Cursor, Library
from memory_system.readers.transcript import READERS
from memory_system.turns import Message

START = datetime(2026, 2, 18, 9, tzinfo=UTC)
LATE = datetime(2030, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
TALK = (
    ("user", "I moved to Porto."),
    ("assistant", "How is it there?"),
    ("user", "我喜欢这里的茶。"),
    ("assistant", "好的。"),
    ("user", "My dog is called Max."),
)


def at(minutes: float) -> str:
    return (START + minutes * MINUTE).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamp(minutes: float) -> str:
    return clock.stamp(START + minutes * MINUTE)


def jsonl(rows: Iterable[object]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


# ---- one sample of each format, of the same talk, one message a minute ---------------------------------------------


def openclaw(talk: Sequence[tuple[str, str]]) -> bytes:
    rows: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "s-1", "timestamp": at(0)}]
    for number, (role, text) in enumerate(talk):
        body = {"role": role, "content": [{"type": "text", "text": text}]}
        parent = f"e{number - 1}" if number else None
        row = {"type": "message", "id": f"e{number}", "parentId": parent, "timestamp": at(number)}
        rows.append({**row, "message": body})
    return jsonl(rows)


def claude_code(talk: Sequence[tuple[str, str]]) -> bytes:
    rows: list[dict[str, Any]] = [{"type": "summary", "summary": "Moving", "leafUuid": "u9"}]
    for number, (role, text) in enumerate(talk):
        row = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "s-1"}
        content = text if role == "user" else [{"type": "text", "text": text}]
        rows.append({"type": role, **row, "timestamp": at(number), "message": {"role": role, "content": content}})
    return jsonl(rows)


def plain(talk: Sequence[tuple[str, str]]) -> bytes:
    return jsonl({"timestamp": at(number), "role": role, "content": text} for number, (role, text) in enumerate(talk))


def notes(talk: Sequence[tuple[str, str]]) -> bytes:
    parts = ["# 2026-02-18\n"]
    for number, (_, text) in enumerate(talk):
        parts.append(f"\n## {START + number * MINUTE:[%H:%M:%S]} fact\n\n{text}\n")
    return "".join(parts).encode()


def openclaw_store(talk: Sequence[tuple[str, str]]) -> bytes:
    return stores.image("s-1", map(orjson.loads, openclaw(talk).splitlines()))


SAMPLES = {"openclaw": openclaw, "claude-code": claude_code, "plain": plain, "notes": notes}
SHAPES = {**SAMPLES, "openclaw-store": openclaw_store}  # a format may come in more shapes than one
FILES = {
    "openclaw": ("sessions/s-1.jsonl", "s-1"),
    "claude-code": ("sessions/s-1.jsonl", "s-1"),
    "plain": ("sessions/s-1.jsonl", "s-1"),
    "notes": ("memory/2026-02-18.md", "memory/2026-02-18.md"),
    "openclaw-store": ("sessions/openclaw-agent.sqlite", "s-1"),
}
NAMES = [reader.NAME for reader in READERS]
JSON_NAMES = [name for name in NAMES if name != "notes"]


class Desk:
    """A workspace on the disk, and the one who reads it night by night."""

    def __init__(self, root: Path, **config: Any) -> None:
        self.layout = Layout(root)
        self.config = Config.model_validate(config)
        self.cursors: dict[str, Cursor] = {}
        self.problems: list[tuple[str, str]] = []

    def put(self, name: str, data: bytes) -> Path:
        path = self.layout.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def library(self) -> Library:
        return Library(self.layout, self.config)

    def backlog(self) -> Backlog:
        return self.library().backlog(self.cursors)

    def night(self, until: datetime | None = LATE) -> dict[str, Batch]:
        """Read every session in which something waits, as one night does; rows of cursors make the round trip."""
        library = self.library()
        backlog = library.backlog(self.cursors)
        self.problems += [(each.where, each.what) for each in backlog.problems]
        batches = {}
        for session in backlog.waiting:
            batch = batches[session] = library.read(session, self.cursors.get(session), until)
            assert batch.read == len(batch.messages) + sum(batch.filtered.values())
            assert until is None or all(each.said_at < clock.stamp(until) for each in batch.messages)
            self.cursors[session] = Cursor.from_row(orjson.loads(orjson.dumps(batch.cursor.to_row())))
            self.problems += [(each.where, each.what) for each in batch.problems]
        return batches

    def messages(self, until: datetime | None = LATE) -> list[Message]:
        return [message for batch in self.night(until).values() for message in batch.messages]

    def texts(self, until: datetime | None = LATE) -> list[str]:
        return [message.text for message in self.messages(until)]

    def again(self) -> list[Message]:
        library = self.library()
        return [message for session, cursor in self.cursors.items() for message in library.reread(session, cursor)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# ---- the contract of a format --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
class TestEveryName:
    def test_it_knows_its_own_lines_and_no_others(self, name: str) -> None:
        for other, sample in SAMPLES.items():
            lines = sample(TALK).decode().splitlines()
            head = lines if other == "notes" else [orjson.loads(line) for line in lines]
            found = [reader.NAME for reader in READERS if reader.sniff(head)]
            assert (name in found) == (name == other)

    def test_it_knows_nothing_in_nothing(self, name: str) -> None:
        reader = next(each for each in READERS if name == each.NAME)
        assert not reader.sniff([])
        assert not reader.sniff([{"some": "thing"}])


@pytest.mark.parametrize("name", SHAPES)
class TestEveryFormat:
    def test_it_gives_the_talk(self, name: str, desk: Desk) -> None:
        path, session = FILES[name]
        desk.put(path, SHAPES[name](TALK))
        messages = desk.messages()
        assert [each.text for each in messages] == [text for _, text in TALK]
        assert [each.said_at for each in messages] == [stamp(number) for number in range(len(TALK))]
        assert {each.session for each in messages} == {session}
        if name != "notes":
            assert [each.role for each in messages] == [role for role, _ in TALK]
        assert len({each.ref for each in messages}) == len(TALK)
        assert desk.problems == []

    def test_the_backlog_counts_what_waits(self, name: str, desk: Desk) -> None:
        path, session = FILES[name]
        desk.put(path, SHAPES[name](TALK))
        assert desk.backlog().waiting == {session: [stamp(number) for number in range(len(TALK))]}
        desk.night(START + 2 * MINUTE)
        assert desk.backlog().waiting == {session: [stamp(2), stamp(3), stamp(4)]}
        assert desk.cursors[session].waiting == stamp(2)
        desk.night()
        assert desk.backlog().waiting == {}
        assert desk.cursors[session].waiting == ""

    def test_appended_lines_are_read_once(self, name: str, desk: Desk) -> None:
        path, _ = FILES[name]
        for size in range(1, len(TALK) + 1):
            desk.put(path, SHAPES[name](TALK[:size]))
            assert desk.texts() == [TALK[size - 1][1]]
            assert desk.texts() == []

    def test_reading_again_gives_the_same(self, name: str, desk: Desk) -> None:
        path, _ = FILES[name]
        desk.put(path, SHAPES[name](TALK))
        first = desk.messages(START + 3 * MINUTE)
        assert len(first) == 3
        assert desk.again() == first
        rest = desk.messages()
        assert desk.again() == first + rest

    def test_a_session_that_moves_goes_on(self, name: str, desk: Desk) -> None:
        if name not in JSON_NAMES:  # a note's name is its session, and a store's name is its own
            return
        old = desk.put("sessions/s-1.jsonl", SHAPES[name](TALK[:3]))
        desk.night()
        old.unlink()
        desk.put("sessions/2026/s-1.jsonl", SHAPES[name](TALK))
        assert desk.texts() == [text for _, text in TALK[3:]]
        assert desk.problems == []

    def test_secrets_are_gone_as_it_is_read(self, name: str, desk: Desk) -> None:
        key = "sk-ant-api03-" + "aB3dE6gH9k" * 4
        desk.put(FILES[name][0], SHAPES[name]([("user", f"my key is {key}"), ("user", "我的卡号4111111111111111")]))
        assert desk.texts() == ["my key is [secret:anthropic-key]", "我的卡号[secret:card]"]

    @settings(max_examples=25)
    @given(cuts=st.lists(st.integers(0, 12), max_size=5), size=st.integers(1, 12))
    def test_any_nights_give_what_one_gives(
        self, name: str, cuts: list[int], size: int, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        talk = [(TALK[number % 5][0], f"{TALK[number % 5][1]} {number}") for number in range(size)]
        once, often = (Desk(tmp_path_factory.mktemp("ws")) for _ in range(2))
        for each in (once, often):
            each.put(FILES[name][0], SHAPES[name](talk))
        expected = once.messages()
        found = [message for cut in sorted(cuts) for message in often.messages(START + cut * MINUTE)]
        assert found + often.messages() == expected
        assert often.again() == once.again() == expected


@pytest.mark.parametrize("name", JSON_NAMES)
def test_packed_equals_plain(name: str, tmp_path: Path) -> None:
    loose, packed = Desk(tmp_path / "a"), Desk(tmp_path / "b")
    loose.put("sessions/s-1.jsonl", SAMPLES[name](TALK))
    packed.put("sessions/s-1.jsonl.gz", gzip.compress(SAMPLES[name](TALK)))
    assert packed.messages() == loose.messages()
    assert packed.again() == loose.again()


@pytest.mark.parametrize("name", JSON_NAMES)
def test_a_session_that_is_packed_meanwhile_goes_on(name: str, desk: Desk) -> None:
    old = desk.put("sessions/s-1.jsonl", SAMPLES[name](TALK[:2]))
    desk.night()
    old.unlink()
    desk.put("sessions/s-1.jsonl.gz", gzip.compress(SAMPLES[name](TALK)))
    assert desk.texts() == [text for _, text in TALK[2:]]
    assert desk.problems == []


def test_every_format_has_a_sample() -> None:
    assert set(NAMES) == set(SAMPLES)
    assert set(SHAPES) == set(FILES)


# ---- OpenClaw ------------------------------------------------------------------------------------------------------


def entry(ident: str, parent: str | None, minute: float, text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    body = {"role": role, "content": text, **more}
    return {"type": "message", "id": ident, "parentId": parent, "timestamp": at(minute), "message": body}


HEAD = {"type": "session", "version": 4, "id": "s-1", "timestamp": at(0)}


@pytest.mark.parametrize("version", [3, 4, None])
def test_any_header_version_will_do(version: int | None, desk: Desk) -> None:
    rows = [{**HEAD, "version": version}, entry("a", None, 1, "hello there")]
    desk.put("sessions/other.jsonl", jsonl(rows))
    assert [each.ref for each in desk.messages()] == ["s-1:a"]


def test_without_a_header_the_file_names_the_session(desk: Desk) -> None:
    desk.put("sessions/chat:7.jsonl", jsonl([entry("a", None, 1, "hello there")]))
    assert [each.ref for each in desk.messages()] == ["chat-7:a"]


def test_threads_of_a_chat_are_sessions_of_their_own(desk: Desk) -> None:
    desk.put("sessions/s-1.jsonl", jsonl([HEAD, entry("a", None, 1, "in the chat")]))
    desk.put("sessions/s-1-topic-7.jsonl", jsonl([HEAD, entry("a", None, 1, "in the thread")]))
    assert [each.ref for each in desk.messages()] == ["s-1:a", "s-1-topic-7:a"]
    assert desk.problems == []


def test_the_flat_form_is_read(desk: Desk) -> None:
    row = {"type": "message", "id": "a", "parentId": None, "role": "user", "content": "我住在上海", "timestamp": at(1)}
    desk.put("sessions/s-1.jsonl", jsonl([HEAD, row]))
    assert desk.texts() == ["我住在上海"]


def test_only_text_blocks_are_text(desk: Desk) -> None:
    content = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "one"},
        {"type": "toolCall", "name": "x", "arguments": {}},
        {"type": "image", "data": "AAAA"},
        {"type": "hologram", "text": 5},
        {"type": "text", "text": "two"},
        "loose",
    ]
    rows = [HEAD, entry("a", None, 1, ""), {**entry("b", "a", 2, ""), "message": {"role": "user", "content": content}}]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    batch = desk.night()["s-1"]
    assert [each.text for each in batch.messages] == ["one\ntwo"]
    assert batch.filtered == {"empty": 1}


@pytest.mark.parametrize(
    "time",
    [
        (START + MINUTE).timestamp() * 1000,
        int((START + MINUTE).timestamp()),
        "2026-02-18T09:01:00Z",
        "2026-02-18T17:01:00+08:00",
        "2026-02-18T09:01:00",
    ],
)
def test_the_inner_time_counts_in_any_form(time: object, desk: Desk) -> None:
    desk.put("sessions/s-1.jsonl", jsonl([HEAD, entry("a", None, 30, "hello there", timestamp=time)]))
    assert [each.said_at for each in desk.messages()] == [stamp(1)]


def test_records_of_the_host_are_no_messages(desk: Desk) -> None:
    rows = [
        HEAD,
        entry("a", None, 1, "I moved to Porto."),
        {"type": "reset", "id": "r", "parentId": "a", "timestamp": at(2), "reason": "new"},
        {"type": "compaction", "id": "c", "parentId": "r", "timestamp": at(3), "summary": "User moved to Rome."},
        {"type": "branch_summary", "id": "b", "parentId": "c", "timestamp": at(3), "summary": "x"},
        {"type": "custom", "id": "d", "parentId": "b", "timestamp": at(3), "customType": "x", "data": {}},
        {"type": "custom_message", "id": "m", "parentId": "d", "timestamp": at(3), "content": "secretly"},
        {"type": "model_change", "id": "n", "parentId": "m", "timestamp": at(3), "modelId": "x"},
        {"type": "from_the_future", "id": "f", "parentId": "n", "timestamp": at(3)},
        entry("z", "f", 4, "My dog is called Max."),
    ]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    batch = desk.night()["s-1"]
    assert [each.text for each in batch.messages] == ["I moved to Porto.", "My dog is called Max."]
    assert batch.read == 2
    assert desk.problems == []


def test_other_roles_are_counted(desk: Desk) -> None:
    rows = [
        HEAD,
        entry("a", None, 1, "output", "toolResult"),
        entry("b", "a", 2, "be nice", "system"),
        entry("c", "b", 3, "nested", "custom"),
        entry("d", "c", 4, "ls", "bashExecution"),
    ]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    batch = desk.night()["s-1"]
    assert batch.messages == []
    assert batch.filtered == {"tool": 1, "system": 1, "role:custom": 1, "role:bashExecution": 1}


def test_the_config_may_map_a_role(tmp_path: Path) -> None:
    desk = Desk(tmp_path, sources=[{"path": "chats", "roles": {"human": "user"}, "participants": {"user": "Ana"}}])
    desk.put("chats/s-1.jsonl", jsonl([{"role": "human", "content": "I moved to Porto.", "timestamp": at(1)}]))
    [message] = desk.messages()
    assert (message.role, message.speaker, message.session) == ("user", "Ana", "s-1")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        *[(theirs, "user") for theirs in ("human", "User", "用户")],
        *[(theirs, "assistant") for theirs in ("AI", "bot", "model", "gpt", "助手")],
    ],
)
def test_what_others_call_the_two_who_speak_is_known_in_plain_lines_alone(desk: Desk, theirs: str, ours: str) -> None:
    desk.put("sessions/p.jsonl", jsonl([{"role": theirs, "content": "I moved to Porto.", "timestamp": at(1)}]))
    desk.put("sessions/s-1.jsonl", jsonl([HEAD, entry("a", None, 1, "I moved to Porto.", theirs)]))
    assert [(each.session, each.role) for each in desk.messages()] == [("p", ours)]


def test_a_role_that_nobody_knows_is_told_once_in_plain_lines(desk: Desk) -> None:
    rows = [{"role": role, "content": "Porto.", "timestamp": at(1)} for role in ("customer", "customer", "tool")]
    desk.put("sessions/p.jsonl", jsonl(rows))
    assert desk.night()["p"].filtered == {"role:customer": 2, "tool": 1}
    assert desk.problems == [("sessions/p.jsonl:1", "nobody knows the role 'customer'")]


def test_only_persons_are_named(desk: Desk) -> None:
    head = {**HEAD, "participants": {"user": "王芳", "assistant": "AI 助手"}}
    desk.put("sessions/s-1.jsonl", jsonl([head, entry("a", None, 1, "one"), entry("b", "a", 2, "two", "assistant")]))
    assert [each.speaker for each in desk.messages()] == ["王芳", ""]


FORK = [
    HEAD,
    entry("a", None, 1, "I moved to Porto."),
    entry("b", "a", 2, "Nice.", "assistant"),
    entry("c", "b", 3, "I hate it."),
    entry("d", "c", 4, "Sorry.", "assistant"),
    entry("e", "b", 5, "I love it."),
    entry("f", "e", 6, "Great.", "assistant"),
]


def test_only_the_active_branch_speaks(desk: Desk) -> None:
    desk.put("sessions/s-1.jsonl", jsonl(FORK))
    batch = desk.night()["s-1"]
    assert [each.entry for each in batch.messages] == ["a", "b", "e", "f"]
    assert batch.filtered == {"abandoned": 2}


def test_a_leaf_record_moves_the_tip(desk: Desk) -> None:
    leaf = {"type": "leaf", "id": "l", "parentId": "f", "targetId": "d", "timestamp": at(7)}
    desk.put("sessions/s-1.jsonl", jsonl([*FORK, leaf, entry("g", "d", 8, "It rains.")]))
    assert [each.entry for each in desk.messages()] == ["a", "b", "c", "d", "g"]


def test_a_leaf_record_to_nowhere_is_ignored(desk: Desk) -> None:
    leaf = {"type": "leaf", "id": "l", "parentId": "f", "targetId": "nowhere", "timestamp": at(7)}
    desk.put("sessions/s-1.jsonl", jsonl([*FORK, leaf]))
    assert [each.entry for each in desk.messages()] == ["a", "b", "e", "f"]


def test_a_new_root_by_the_user_abandons_the_old(desk: Desk) -> None:
    rows = [*FORK[:3], entry("x", None, 4, "Let me start again."), entry("y", "x", 5, "Sure.", "assistant")]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    assert [each.entry for each in desk.messages()] == ["x", "y"]


def test_a_parent_that_is_missing_breaks_nothing(desk: Desk) -> None:
    rows = [HEAD, entry("a", None, 1, "one"), entry("b", "lost", 2, "two"), entry("c", "c", 3, "three")]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    assert desk.texts() == ["one", "two", "three"]


def test_a_branch_is_judged_as_it_was_in_each_night(desk: Desk) -> None:
    """What was said before a fork was written stays said, and is given again as it was given."""
    desk.put("sessions/s-1.jsonl", jsonl(FORK))
    first = desk.messages(START + 5 * MINUTE)
    assert [each.entry for each in first] == ["a", "b", "c", "d"]
    second = desk.night()["s-1"]
    assert [each.entry for each in second.messages] == ["e", "f"]
    assert second.filtered == {}
    assert desk.again() == first + second.messages


def test_what_was_abandoned_stays_so_when_the_branch_returns(desk: Desk) -> None:
    leaf = {"type": "leaf", "id": "l", "parentId": "f", "targetId": "d", "timestamp": at(7)}
    desk.put("sessions/s-1.jsonl", jsonl([*FORK, leaf, entry("g", "d", 8, "It rains.")]))
    first = desk.messages(START + 6.5 * MINUTE)
    assert [each.entry for each in first] == ["a", "b", "e", "f"]
    assert desk.texts() == ["It rains."]
    assert [each.entry for each in desk.again()] == ["a", "b", "e", "f", "g"]


def test_the_same_entry_twice_counts_once(desk: Desk) -> None:
    rows = [HEAD, *FORK[1:3], *FORK[1:3], entry("c", "b", 3, "I like it."), entry("c", "b", 4, "I loathe it.")]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    batch = desk.night()["s-1"]
    assert [each.text for each in batch.messages] == ["I moved to Porto.", "Nice.", "I like it."]
    assert batch.filtered == {"duplicate": 3}
    assert desk.problems == [("sessions/s-1.jsonl:7", "another message has its id")]


# ---- the source filter at work -------------------------------------------------------------------------------------


def test_a_heartbeat_takes_its_whole_turn_with_it(desk: Desk) -> None:
    rows = [
        HEAD,
        entry("a", None, 1, "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK."),
        entry("b", "a", 2, "The user lives in Rome.", "assistant"),
        entry("c", "b", 3, "files", "toolResult"),
        entry("d", "c", 4, "Reminder sent.", "assistant"),
        entry("e", "d", 5, "I moved to Porto."),
        entry("f", "e", 6, "Nice.", "assistant"),
    ]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    found = [desk.night(START + minute * MINUTE).get("s-1", Batch()) for minute in range(2, 9)]
    assert [message.entry for batch in found for message in batch.messages] == ["e", "f"]
    assert sum((batch.filtered for batch in found), Counter()) == {"heartbeat": 3, "tool": 1}


def test_recalled_memories_are_not_remembered(desk: Desk) -> None:
    told = {"kind": "internal_system", "sourceTool": "memory_search"}
    rows = [
        HEAD,
        entry("a", None, 1, "User likes tea.", provenance=told),
        entry("b", "a", 2, "You like tea.", "assistant"),
        entry("c", "b", 3, "hello from another agent", provenance={"kind": "inter_session"}),
        entry("d", "c", 4, "I like coffee."),
    ]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    batch = desk.night()["s-1"]
    assert [each.text for each in batch.messages] == ["I like coffee."]
    assert batch.filtered == {"recalled": 2, "inter_session": 1}


def test_a_session_of_a_job_is_no_source(desk: Desk) -> None:
    desk.put("sessions/s-1.jsonl", jsonl(FORK[:3]))
    desk.put("sessions/sessions.json", orjson.dumps({"agent:main:cron:digest:run:1": {"sessionId": "s-1"}}))
    batch = desk.night()["s-1"]
    assert batch.messages == []
    assert batch.filtered == {"cron": 2}
    (desk.layout.sessions / "sessions.json").unlink()
    assert desk.again() == []


def test_the_workspaces_own_files_are_not_remembered(desk: Desk) -> None:
    memory = "# Memory\n- Prefers TypeScript over JavaScript\n- Working on project Acme Dashboard\n"
    path = desk.put("MEMORY.md", memory.encode())
    desk.put("sessions/s-1.jsonl", jsonl([HEAD, entry("a", None, 1, memory), entry("b", "a", 2, "I moved to Porto.")]))
    batch = desk.night()["s-1"]
    assert [each.entry for each in batch.messages] == ["b"]
    assert batch.filtered == {"echo": 1}
    path.unlink()  # what was an echo then is one when it is read again
    assert desk.again() == batch.messages


# ---- Claude Code ---------------------------------------------------------------------------------------------------


def test_tools_and_helpers_are_not_the_user(desk: Desk) -> None:
    def line(number: int, role: str, content: object, **more: object) -> dict[str, object]:
        link = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None, "sessionId": "s-1"}
        return {"type": role, **link, "timestamp": at(number), "message": {"role": role, "content": content}, **more}

    rows = [
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        line(0, "user", "Fix the parser, I am on Python 3.12."),
        line(1, "assistant", [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]),
        line(2, "user", [{"type": "tool_result", "tool_use_id": "t", "content": "I live in Rome"}]),
        line(3, "user", "Caveat: local commands", isMeta=True),
        line(4, "user", "Look for the parser", isSidechain=True),
        {"type": "system", "subtype": "compact_boundary", "uuid": "u5", "parentUuid": None, "timestamp": at(5)},
        line(6, "user", "Summary of the above", isCompactSummary=True, parentUuid=None),
        line(7, "user", "<command-name>/clear</command-name>"),
        line(8, "assistant", [{"type": "text", "text": "Done."}]),
    ]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    batch = desk.night()["s-1"]
    assert [each.text for each in batch.messages] == ["Fix the parser, I am on Python 3.12.", "Done."]
    assert batch.filtered == {"empty": 1, "tool": 1, "system": 1, "subagent": 1, "summary": 1, "command": 1}


def test_a_rewound_conversation_leaves_the_old_words(desk: Desk) -> None:
    rows = orjson.loads(b"[" + claude_code(TALK[:4]).replace(b"\n", b",")[:-1] + b"]")
    again = {**rows[3], "uuid": "u7", "parentUuid": "u1", "timestamp": at(7)}
    again["message"] = {"role": "user", "content": "I like the coffee here."}
    desk.put("sessions/s-1.jsonl", jsonl([*rows, again]))
    batch = desk.night()["s-1"]
    assert [each.text for each in batch.messages] == [TALK[0][1], TALK[1][1], "I like the coffee here."]
    assert batch.filtered == {"abandoned": 2}


# ---- daily notes ---------------------------------------------------------------------------------------------------


def test_notes_in_the_workspaces_zone(tmp_path: Path) -> None:
    desk = Desk(tmp_path, timezone="Asia/Shanghai")
    note = """# 2026-02-18

- 早上跑步五公里
* W: the office is on Main Street

## 10:30 AM - API 讨论
讨论了 REST vs GraphQL。决策：使用 REST 保持简单。
关键端点：/users。

第二段。
### 细节
1. 一条
   续行
## 下午 2:15 部署
O(c=0.8): 用户喜欢 TypeScript
<!-- hidden -->
---
```
code
```
## Evening
B @Alice: had lunch with Bob
"""
    desk.put("memory/2026-02-18-work.md", note.encode())
    batch = desk.night()["memory/2026-02-18-work.md"]
    assert [(each.entry, each.said_at[11:16], each.text) for each in batch.messages] == [
        ("L3", "04:00", "早上跑步五公里"),
        ("L4", "04:00", "W: the office is on Main Street"),
        ("L7", "02:30", "讨论了 REST vs GraphQL。决策：使用 REST 保持简单。\n关键端点：/users。"),
        ("L10", "02:30", "第二段。"),
        ("L12", "02:30", "一条\n续行"),
        ("L15", "06:15", "O(c=0.8): 用户喜欢 TypeScript"),
        ("L22", "04:00", "B @Alice: had lunch with Bob"),
    ]
    assert {each.role for each in batch.messages} == {"note"}
    assert batch.filtered == {"code": 1}
    assert desk.again() == batch.messages


def test_a_copied_conversation_is_no_note(desk: Desk) -> None:
    note = b"# Session: 2026-02-18\n\n- **Session Key**: agent:main:main\n\nuser: hi Koda\n"
    desk.put("memory/2026-02-18-1030.md", note)
    assert desk.texts() == []


@pytest.mark.parametrize(
    "name", ["memory/projects.md", "memory/2026-13-45.md", "memory/topics/2026-02-18.md", "MEMORY.md"]
)
def test_other_markdown_is_no_daily_note(name: str, desk: Desk) -> None:
    desk.put(name, b"- a line that is long enough\n")
    assert desk.backlog() == Backlog()


# ---- times ---------------------------------------------------------------------------------------------------------


def test_a_message_without_a_time_has_that_of_the_one_before(desk: Desk) -> None:
    rows = [HEAD, entry("a", None, 1, "one"), {**entry("b", "a", 2, "two"), "timestamp": "soon"}]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    assert [each.said_at for each in desk.messages()] == [stamp(1), stamp(1)]
    assert desk.problems == [("sessions/s-1.jsonl:3", "it has no usable time")]


def test_without_any_time_the_file_tells_it(desk: Desk) -> None:
    rows = jsonl([{"role": "user", "content": "one"}])
    desk.put("sessions/2026-02-18.jsonl", rows)
    path = desk.put("sessions/chat.jsonl", rows)
    os.utime(path, (START.timestamp(), START.timestamp()))
    assert {each.session: each.said_at for each in desk.messages()} == {
        "2026-02-18": "2026-02-18T12:00:00Z",
        "chat": stamp(0),
    }
    os.utime(path)
    assert [each.said_at for each in desk.again()] == ["2026-02-18T12:00:00Z", stamp(0)]


def test_a_time_from_the_future_holds_nothing_up(desk: Desk) -> None:
    wrong = entry("b", "a", 0, "two", timestamp="2099-01-01T00:00:00Z")
    desk.put("sessions/s-1.jsonl", jsonl([HEAD, entry("a", None, 1, "one"), wrong, entry("c", "b", 3, "three")]))
    messages = desk.messages()
    said = [("one", stamp(1)), ("two", stamp(1)), ("three", stamp(3))]
    assert [(each.text, each.said_at) for each in messages] == said
    assert [where for where, _ in desk.problems] == ["sessions/s-1.jsonl:3"]
    assert desk.again() == messages


def test_a_last_message_from_the_future_waits(desk: Desk) -> None:
    rows = [HEAD, entry("a", None, 1, "one"), entry("b", "a", 0, "two", timestamp="2099-01-01T00:00:00Z")]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    assert desk.texts() == ["one"]
    library = Library(desk.layout, desk.config, now=START)
    backlog = library.backlog(desk.cursors)
    assert backlog.waiting == {"s-1": ["2099-01-01T00:00:00Z"]}
    assert [each.where for each in backlog.problems] == ["sessions/s-1.jsonl:3"]


@settings(max_examples=60)
@given(minutes=st.lists(st.integers(0, 9), min_size=1, max_size=8), cuts=st.lists(st.integers(1, 10), max_size=4))
def test_whatever_the_times_every_message_is_read_once(
    minutes: list[int], cuts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    desk = Desk(tmp_path_factory.mktemp("ws"))
    parents = [None, *(f"e{n}" for n in range(len(minutes)))]
    rows = [HEAD, *(entry(f"e{n}", parents[n], minute, f"text {n}") for n, minute in enumerate(minutes))]
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    found = [message for cut in sorted(cuts) for message in desk.messages(START + cut * MINUTE)] + desk.messages()
    assert [each.text for each in found] == [f"text {n}" for n in range(len(minutes))]
    assert desk.again() == found


@settings(max_examples=60)
@given(
    parents=st.lists(st.integers(-2, 7), min_size=2, max_size=8),
    cuts=st.lists(st.integers(1, 8), max_size=4),
)
def test_whatever_the_tree_what_was_given_is_given_again(
    parents: list[int], cuts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    desk = Desk(tmp_path_factory.mktemp("ws"))
    rows: list[object] = [HEAD]
    for number, parent in enumerate(parents):
        name = None if parent == -1 else f"e{number - 1 if parent < 0 else parent % (number + 1)}"
        rows.append(entry(f"e{number}", name, number, f"text {number}"))
    desk.put("sessions/s-1.jsonl", jsonl(rows))
    found = [message for cut in sorted(cuts) for message in desk.messages(START + cut * MINUTE)] + desk.messages()
    assert desk.again() == found
    assert len({each.entry for each in found}) == len(found)
    assert found[-1].text == f"text {len(parents) - 1}"


# ---- files that change, and bad files ------------------------------------------------------------------------------


def test_an_idle_night_opens_nothing(desk: Desk) -> None:
    path = desk.put("sessions/s-1.jsonl", jsonl(FORK))
    desk.night()
    found = path.stat()
    path.write_bytes(b"x" * found.st_size)  # unreadable now, and the disk does not tell
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert desk.backlog() == Backlog()


def test_a_rewritten_file_is_read_again_and_told(desk: Desk) -> None:
    desk.put("sessions/s-1.jsonl", openclaw(TALK[:2]))
    desk.night()
    desk.put("sessions/s-1.jsonl", openclaw([("user", "I moved to Rome."), *TALK[1:3]]))
    assert desk.texts() == ["I moved to Rome.", TALK[1][1], TALK[2][1]]
    assert desk.problems == [("sessions/s-1.jsonl", "lines that were read before have changed")]
    assert desk.texts() == []


def test_a_transcript_that_is_gone_is_told(desk: Desk) -> None:
    desk.put("sessions/s-1.jsonl", openclaw(TALK)).unlink()
    batch = desk.library().read("s-1", None, LATE)
    assert batch.messages == []
    assert [each.what for each in batch.problems] == ["the transcript is gone"]


def test_two_files_of_one_session(desk: Desk) -> None:
    desk.put("sessions/s-1.jsonl", openclaw(TALK))
    desk.put("sessions/old/s-1.jsonl.gz", gzip.compress(openclaw(TALK[:3])))
    assert desk.texts() == [text for _, text in TALK]
    assert desk.problems == []
    desk.put("sessions/copy.jsonl", openclaw([("user", "Something else.")]))
    assert desk.texts() == []
    assert [where for where, _ in desk.problems] == ["sessions/copy.jsonl"]


def test_a_torn_last_line_waits_for_its_rest(desk: Desk) -> None:
    whole = openclaw(TALK[:2])
    for cut in range(len(openclaw(TALK[:1])) + 1, len(whole) - 1):
        desk.cursors.clear()
        desk.put("sessions/s-1.jsonl", whole[:cut])
        assert desk.texts() == [TALK[0][1]]
        desk.put("sessions/s-1.jsonl", whole)
        assert desk.texts() == [TALK[1][1]]
    assert desk.problems == []


def test_a_last_line_without_newline_that_is_whole_is_read(desk: Desk) -> None:
    whole = openclaw(TALK)
    desk.put("sessions/s-1.jsonl", whole[:-1])
    assert len(desk.texts()) == len(TALK)
    desk.put("sessions/s-1.jsonl", whole)
    assert desk.texts() == []
    assert desk.problems == []


BAD_LINES = {
    "text": (b"not json", "the line is not JSON"),
    "torn": (b'{"type":"message","id":', "the line is not JSON"),
    "list": (b"[1, 2]", "the line is JSON, but no object"),
    "null": (b"null", "the line is JSON, but no object"),
    "bytes": (b'{"role":"user","content":"\xff\xfe"}', "the line is not UTF-8"),
    "surrogate": (b'{"role":"user","content":"\\ud800"}', "the line is not JSON"),
    "nan": (b'{"role":"user","content":NaN}', "the line is not JSON"),
    "deep": (b'{"a":' * 70 + b"1" + b"}" * 70, "the line is not JSON: it is nested deeper than 64"),
    "deeper": (b"[" * 100_000, "the line is not JSON"),
    "long": (b'{"role":"user","content":"' + b"x" * (9 << 20) + b'"}', "the line is longer than 8 MB"),
    "role": (b'{"role":5,"content":"x"}', "the message names no role"),
    "content": (b'{"role":"user","content":5}', "its content is neither text nor a list of blocks"),
}


@pytest.mark.parametrize("kind", BAD_LINES)
def test_a_bad_line_is_told_and_the_others_are_read(kind: str, desk: Desk) -> None:
    line, what = BAD_LINES[kind]
    first, second = plain(TALK[:2]).splitlines(keepends=True)
    desk.put("sessions/s-1.jsonl", first + line + b"\n" + second)
    assert desk.texts() == [TALK[0][1], TALK[1][1]]
    [(where, found)] = desk.problems
    assert where == "sessions/s-1.jsonl:2"
    assert found.startswith(what)


KEYS = [
    "type", "id", "parentId", "timestamp", "message", "role", "content", "uuid", "sessionId", "parentUuid", "targetId",
    "provenance", "participants", "isMeta", "text",
]  # fmt: skip
WORDS = ["session", "message", "leaf", "user", "assistant", "text", "e1", "2026-02-18T09:00:00Z", "I moved to Porto."]
NUMBERS = st.one_of(st.integers(-(2**53), 2**53), st.floats(allow_nan=False))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.sampled_from(WORDS)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)),
    max_leaves=8,
)


@pytest.mark.parametrize("name", JSON_NAMES)
@settings(max_examples=50)
@given(rows=st.lists(st.dictionaries(st.sampled_from(KEYS), values, max_size=8), max_size=6))
def test_no_object_breaks_a_reader(
    name: str, rows: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    desk = Desk(tmp_path_factory.mktemp("ws"), sources=[{"path": "chats", "format": name}])
    desk.put("chats/s-1.jsonl", jsonl([{"some": "thing"}, *rows]))
    found = desk.messages(None)
    assert desk.again() == found
    assert desk.backlog().waiting == {}


def test_many_bad_lines_are_told_shortly(desk: Desk) -> None:
    first, second = plain(TALK[:2]).splitlines(keepends=True)
    desk.put("sessions/s-1.jsonl", first + b"x\n" * 1000 + second)
    desk.night()
    assert len(desk.problems) == 20
    assert "and 999 more lines like it" in desk.problems[0][1]


def test_line_ends_and_marks_of_other_systems(desk: Desk) -> None:
    data = b"\xef\xbb\xbf" + plain([("user", "one\u2028half\x0bmore\0")]).replace(b"\n", b"\r\n") + b"\r\n\n"
    desk.put("sessions/s-1.jsonl", data + plain([("user", "two")]))
    assert desk.texts() == ["one\u2028half\x0bmore", "two"]
    assert desk.problems == []


def test_duplicate_keys_and_huge_numbers_do_no_harm(desk: Desk) -> None:
    row = b'{"role":"user","content":"a","content":"b","timestamp":1e300,"n":123456789012345678901234567890}\n'
    desk.put("sessions/s-1.jsonl", row)
    assert desk.texts() == ["b"]


def test_a_packed_file_that_breaks_off_gives_what_it_has(desk: Desk) -> None:
    talk = [("user", f"{number} {os.urandom(40).hex()}") for number in range(400)]
    packed = gzip.compress(plain(talk))
    desk.put("sessions/s-1.jsonl.gz", packed[: len(packed) // 2])
    texts = desk.texts()
    assert texts == [text for _, text in talk[: len(texts)]]
    assert texts
    assert ["breaks off" in what for _, what in desk.problems] == [True]
    desk.put("sessions/s-1.jsonl.gz", packed)
    assert texts + desk.texts() == [text for _, text in talk]


def test_files_that_are_no_transcripts_are_told(desk: Desk, tmp_path: Path) -> None:
    desk.put("sessions/good.jsonl", plain(TALK[:1]))
    desk.put("sessions/empty.jsonl", b"")
    desk.put("sessions/odd.jsonl", b'{"some":"thing"}\n')
    desk.put("sessions/noise.jsonl", b"\x00\xff\n" * 3)
    (tmp_path / "sessions" / "folder.jsonl").mkdir()
    (tmp_path / "elsewhere.jsonl").write_bytes(plain(TALK))
    (tmp_path / "sessions" / "link.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    os.mkfifo(tmp_path / "sessions" / "pipe.jsonl")
    assert desk.texts() == [TALK[0][1]]
    told = {re.sub(r":\d+$", "", where).removeprefix("sessions/") for where, _ in desk.problems}
    assert told == {"odd.jsonl", "noise.jsonl", "folder.jsonl", "link.jsonl", "pipe.jsonl"}


@pytest.mark.parametrize(
    "name",
    [
        "a.trajectory.jsonl",
        "a.checkpoint.5e0c1a2b-0000-4000-8000-000000000000.jsonl",
        "sessions.json",
        "sessions.json.bak-1",
        "a.bak.jsonl",
        "a.jsonl.migrated",
        "a.jsonl.tmp",
        "a.jsonl.deleted.2026-02-18T10-00-00Z",
        "a.jsonl.reset.2026-02-18T10-00-00Z",
        ".hidden.jsonl",
        "a.txt",
    ],
)
def test_names_that_are_no_transcripts(name: str, desk: Desk) -> None:
    desk.put(f"sessions/{name}", plain(TALK))
    assert desk.backlog() == Backlog()


def test_sources_of_the_config(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    sources = [
        Source(path="../elsewhere/one.log", format="plain"),
        Source(path=str(elsewhere / "deep" / "*.jsonl")),
        Source(path=str(elsewhere / "missing")),
    ]
    desk = Desk(tmp_path / "ws", sources=[each.model_dump() for each in sources])
    desk.put("../elsewhere/one.log", plain(TALK[:1]))
    desk.put("../elsewhere/deep/two.jsonl", openclaw(TALK[1:2]))
    desk.put("../elsewhere/deep/two.txt", openclaw(TALK))
    assert sorted(desk.texts()) == sorted([TALK[0][1], TALK[1][1]])
    assert [what for _, what in desk.problems] == ["there is no such transcript"]


UNTOLD = {"role": "user", "content": "I'm allergic to peanuts."}
TOLD = {"timestamp": "2026-03-04T10:05:00Z", "role": "user", "content": "My sister is called Anna."}
FAR = {**TOLD, "timestamp": "2099-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("rows", "line", "given"),
    [
        ([UNTOLD, TOLD], 1, "2026-03-04T10:05:00Z"),  # what follows it is all that is known
        ([TOLD, UNTOLD], 2, "2026-03-04T10:05:00Z"),
        ([UNTOLD], 1, "2026-03-05T02:59:59Z"),  # the file was written after the night's moment
        ([UNTOLD, FAR], 1, "2026-03-05T02:59:59Z"),
    ],
)
def test_a_line_without_a_time_gets_one_that_has_come_and_one_note(
    tmp_path: Path, rows: list[dict[str, str]], line: int, given: str
) -> None:
    make(tmp_path)
    (tmp_path / "sessions/a.jsonl").write_text("".join(f"{orjson.dumps(row).decode()}\n" for row in rows))
    report = consolidate(tmp_path, "2026-03-05T06:00:00Z")
    notes = [each for each in report.problems if each.where == f"sessions/a.jsonl:{line}"]
    assert [each.what for each in notes] == ["it has no usable time"]
    assert notes[0].hint == f"it was taken as said at {given}"


def test_a_time_that_has_not_come_before_one_that_has_does_not_wait(tmp_path: Path) -> None:
    make(tmp_path)
    rows = [FAR, UNTOLD, TOLD]
    (tmp_path / "sessions/a.jsonl").write_text("".join(f"{orjson.dumps(row).decode()}\n" for row in rows))
    told = consolidate(tmp_path, "2026-03-05T06:00:00Z")
    assert "it waits until then" not in str(told)
