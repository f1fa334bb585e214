"""OpenClaw's live store: every session in it once, only what was said in private, and not a byte of it changed."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
import zstandard
from stores import FILE, Store
from test_readers import HEAD, TALK, Desk, at, entry, jsonl, openclaw, stamp
from workspaces import at as moment
from workspaces import consolidate, contents, make, memories

from memory_system import forgetting
from memory_system.agent.session import append_to
from memory_system.errors import UsageError
from memory_system.readers import Backlog
from memory_system.upkeep.explain import why
from memory_system.workspace import Workspace

AGENT = "agents/main/agent"
ARCHIVED = "z.jsonl.deleted.2026-02-18T10-00-00Z.zst"


class Host:
    """An agent's folder as OpenClaw keeps it, beside a workspace that names it as a source."""

    def __init__(self, root: Path, **source: Any) -> None:
        self.agent = root / "agents" / "main"
        (self.agent / "agent").mkdir(parents=True)
        self.path = self.agent / "agent" / FILE
        self.desk = Desk(root / "ws", sources=[{"path": str(self.agent), **source}])

    def store(self, version: int = 23) -> Store:
        return Store(self.path, version)

    def write(self, fill: Callable[[Store], None], version: int = 23) -> None:
        """Let the host write, and stop."""
        store = self.store(version)
        fill(store)
        store.close()

    def told(self) -> list[str]:
        return [what for _, what in self.desk.problems]


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def session(ident: str, *said: str, key: str = "agent:main:main", **more: Any) -> Callable[[Store], None]:
    """A session in which the user says these things."""

    def fill(store: Store) -> None:
        store.session(ident, key, **more)
        store.add(ident, [{**HEAD, "id": ident}, *(entry(f"{ident}{n}", None, n, text) for n, text in enumerate(said))])

    return fill


def both(*fills: Callable[[Store], None]) -> Callable[[Store], None]:
    return lambda store: [fill(store) for fill in fills] and None


# ---- fact 1: where sessions are ------------------------------------------------------------------------------------


def test_a_fresh_state_without_a_sessions_folder_has_sessions(host: Host) -> None:
    host.write(both(session("a", "I moved to Porto."), session("b", "我喜欢这里的茶。")))
    assert sorted(host.desk.texts()) == ["I moved to Porto.", "我喜欢这里的茶。"]
    assert host.told() == []
    assert host.desk.texts() == []
    assert sorted(host.desk.cursors) == ["a", "b"]


@pytest.mark.parametrize(
    ("chosen", "kept", "gone"),
    [({"query": "Porto"}, {"a", ARCHIVED}, "User lives in Porto"), ({"session": "a"}, {"a"}, "User likes tea")],
)
def test_forgetting_leaves_the_hosts_store_as_it_is_and_says_so(
    tmp_path: Path, chosen: dict[str, str], kept: set[str], gone: str
) -> None:
    host = Host(tmp_path)
    root = make(tmp_path / "ws", sources=[{"path": str(host.agent), "archives": True}])
    packed = host.path.parent / ARCHIVED
    packed.write_bytes(zstandard.compress(jsonl([{**HEAD, "id": "z"}, entry("z0", None, 1, "I moved to Porto.")])))
    host.write(both(session("a", "I moved to Porto.", "I like tea."), session("b", "I like chess.")))
    consolidate(root, "2026-02-20T12:00:00Z")
    before = trace(host.path.parent)
    with Workspace.open(root, now=moment("2026-02-20T13:00:00Z"), write=True) as ws:
        plan = forgetting.plan_of(ws, forgetting.Selection(**chosen), transcripts=True)
        certificate = forgetting.forget(ws, plan)
    assert trace(host.path.parent) == before
    assert {re.split("[#/]", name)[-1] for name in certificate["failed"]} == kept
    assert all("delete it there" in why for why in certificate["reasons"].values())
    assert {(each["path"].rpartition("#")[2], each["line"]) for each in certificate["left"]} >= {("a", 2)}
    assert gone not in contents(root)


def test_the_night_remembers_what_the_store_holds(tmp_path: Path) -> None:
    host = Host(tmp_path)
    root = make(tmp_path / "ws", sources=[{"path": str(host.agent)}])
    host.write(session("a", "Also, I'm allergic to peanuts.", "我在云帆科技上班。"))
    consolidate(root, "2026-02-20T12:00:00Z")
    assert contents(root) == {"User is allergic to peanuts", "用户在云帆科技工作"}
    assert {each.evidence[0].ref for each in memories(root)} == {"a:a0", "a:a1"}


# ---- fact 2: read-only ---------------------------------------------------------------------------------------------


def trace(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of the host with its bytes and its time; of the log's index (shared memory) only that it is there."""
    return {
        path.name: (b"", 0) if path.name.endswith("-shm") else (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.iterdir())
    }


def test_a_store_at_rest_is_left_as_it_was(host: Host) -> None:
    host.write(session("a", "I moved to Porto."))
    before = trace(host.path.parent)
    assert list(before) == [FILE]
    assert host.desk.texts() == ["I moved to Porto."]
    assert trace(host.path.parent) == before


def test_a_store_in_use_is_left_as_it_was_and_its_log_is_read(host: Host) -> None:
    store = host.store()
    session("a", "I moved to Porto.")(store)
    before = trace(host.path.parent)
    assert list(before) == [FILE, f"{FILE}-shm", f"{FILE}-wal"]
    assert host.desk.texts() == ["I moved to Porto."]
    store.add("a", [entry("later", "a0", 2, "My dog is called Max.")])
    before = trace(host.path.parent)
    assert host.desk.texts() == ["My dog is called Max."]
    assert trace(host.path.parent) == before
    store.close()


def test_a_host_that_crashed_leaves_a_log_that_is_read(host: Host, tmp_path: Path) -> None:
    store = Store(tmp_path / FILE)
    session("a", "I moved to Porto.")(store)
    for ending in ("", "-wal"):  # without the log's index, as on a disk that was copied
        shutil.copyfile(tmp_path / f"{FILE}{ending}", host.path.with_name(f"{FILE}{ending}"))
    store.close()
    before = trace(host.path.parent)
    assert host.desk.texts() == ["I moved to Porto."]
    assert trace(host.path.parent) == before


def test_a_newer_form_is_told_and_read_as_far_as_it_is_alike(host: Host) -> None:
    host.write(session("a", "I moved to Porto."), version=24)
    assert host.desk.texts() == ["I moved to Porto."]
    assert host.told() == ["the form of this store is 24, and the newest that is known here is 23"]


@pytest.mark.parametrize("damage", ["ALTER TABLE transcript_events RENAME TO events", "DROP TABLE transcript_events"])
def test_another_form_is_told_and_not_read(damage: str, host: Host) -> None:
    host.write(both(session("a", "I moved to Porto."), lambda store: store.db.execute(damage) and None), version=31)
    assert host.desk.texts() == []
    assert [what.partition(":")[0] for what in host.told()] == ["it cannot be read as OpenClaw's store"]


def test_what_is_no_database_is_told(host: Host) -> None:
    host.path.write_bytes(b"not a database, whatever its name says" * 40)
    assert host.desk.texts() == []
    assert "file is not a database" in host.told()[0]


# ---- fact 3: zstd --------------------------------------------------------------------------------------------------


def test_packed_events_are_read(host: Host) -> None:
    def fill(store: Store) -> None:
        store.session("a")
        store.add("a", [HEAD, entry("x", None, 1, "I moved to Porto.")])
        store.add("a", [entry("y", "x", 2, "我搬到了波尔图。" * 90)], packed=True)

    host.write(fill)
    assert host.desk.texts() == ["I moved to Porto.", "我搬到了波尔图。" * 90]
    assert host.told() == []


def test_without_a_way_to_unpack_it_says_so_and_loses_nothing(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(store: Store) -> None:
        session("plain", "My dog is called Max.")(store)
        store.session("a")
        store.add("a", [HEAD, entry("x", None, 1, "I moved to Porto.")], packed=True)

    host.write(fill)
    with monkeypatch.context() as patch:
        for name in ("zstandard", "compression.zstd"):
            patch.setitem(sys.modules, name, None)
        assert host.desk.texts() == ["My dog is called Max."]
        backlog = host.desk.backlog()
    assert [each.where.rpartition("#")[2] for each in backlog.problems] == ["a"]
    assert "zstd" in backlog.problems[0].what
    assert "pip install 'memory-system[zstd]'" in backlog.problems[0].hint
    assert host.desk.texts() == ["I moved to Porto."]


@pytest.mark.parametrize("blob", [b"\x28\xb5\x2f\xfd\xff\xff\xff\xff", b"nothing of the kind", b""])
def test_a_damaged_event_is_told_and_the_others_are_read(blob: bytes, host: Host) -> None:
    def fill(store: Store) -> None:
        session("a", "I moved to Porto.", "It rains.", "My dog is called Max.")(store)
        store.db.execute(
            "UPDATE transcript_events SET event_json = NULL, event_zstd = ? WHERE session_id = 'a' AND seq = 2", (blob,)
        )

    host.write(fill)
    assert host.desk.texts() == ["I moved to Porto.", "My dog is called Max."]
    assert [what.partition(":")[0] for what in host.told()] == ["the line is not JSON"]


# ---- facts 5 to 8: events ------------------------------------------------------------------------------------------


def test_tools_are_no_words_of_anybody(host: Host) -> None:
    call = {"type": "toolCall", "id": "t1", "name": "tool_call", "arguments": {"id": "memory_search", "args": {}}}
    nested = {"customType": "openclaw.nested-tool.v1", "excludeFromContext": True, "details": {"result": "tea"}}
    rows = [
        HEAD,
        entry("a", None, 1, "Which tea do I like?"),
        {**entry("b", "a", 2, ""), "message": {"role": "assistant", "content": [call]}},
        entry("c", "b", 3, "User likes oolong.", "custom", **nested),
        entry("d", "c", 4, "User likes oolong.", "toolResult", toolName="tool_call"),
        entry("e", "d", 5, "Oolong.", "assistant"),
    ]

    def fill(store: Store) -> None:
        store.session("s-1")
        store.add("s-1", rows)

    host.write(fill)
    batch = host.desk.night()["s-1"]
    assert [each.text for each in batch.messages] == ["Which tea do I like?", "Oolong."]
    assert batch.filtered == {"empty": 1, "role:custom": 1, "tool": 1}


def test_an_event_without_a_time_was_said_when_it_was_written(host: Host) -> None:
    row = entry("x", None, 1, "I moved to Porto.")
    del row["timestamp"]

    def fill(store: Store) -> None:
        store.session("a")
        store.add("a", [row])

    host.write(fill)
    assert [each.said_at for each in host.desk.messages()] == [stamp(0)]
    assert host.told() == []


def test_what_another_person_writes_to_the_agent_is_not_the_owner(host: Host) -> None:
    def fill(store: Store) -> None:
        store.session("a", "agent:main:telegram:direct:77")
        mine = entry("x", None, 1, "I moved to Porto.", __openclaw={"senderIsOwner": True})
        theirs = entry("y", "x", 2, "I moved to Lyon.", __openclaw={"senderIsOwner": False})
        store.add("a", [HEAD, mine, theirs])

    host.write(fill)
    batch = host.desk.night()["a"]
    assert [each.text for each in batch.messages] == ["I moved to Porto."]
    assert batch.filtered == {"not_owner": 1}


# ---- fact 9: the active branch -------------------------------------------------------------------------------------

FORKED = [  # the user took b back and said c instead
    HEAD,
    entry("a", None, 1, "Where shall I go?"),
    entry("b", "a", 2, "I moved to Lyon."),
    entry("c", "a", 3, "I moved to Porto."),
    entry("d", "c", 4, "My dog is called Max."),
]
KEPT = ["Where shall I go?", "I moved to Porto.", "My dog is called Max."]


@pytest.mark.parametrize(
    "index",
    [
        lambda store: store.index("s", [1, 3, 4]),  # told by the store
        lambda store: store.index("s", [1, 2], stale=True),  # told, and not to be trusted
        lambda _: None,  # not told
    ],
)
def test_abandoned_branches_give_nothing(index: Callable[[Store], None], host: Host) -> None:
    def fill(store: Store) -> None:
        store.session("s")
        store.add("s", FORKED)
        index(store)

    host.write(fill)
    batch = host.desk.night()["s"]
    assert [each.text for each in batch.messages] == KEPT
    assert batch.filtered == {"abandoned": 1}


def test_the_stores_word_goes_before_the_links_of_its_events(host: Host) -> None:
    def fill(store: Store) -> None:
        store.session("s")
        store.add("s", FORKED)
        store.index("s", [1, 2])  # went back to b, without a record that says so

    host.write(fill)
    assert host.desk.texts() == ["Where shall I go?", "I moved to Lyon."]


def test_a_leaf_record_moves_the_tip(host: Host) -> None:
    def fill(store: Store) -> None:
        store.session("s")
        store.add("s", [*FORKED, {"type": "leaf", "id": "l", "timestamp": at(5), "targetId": "b"}])

    host.write(fill)
    assert host.desk.texts() == ["Where shall I go?", "I moved to Lyon."]


# ---- facts 10 and 11: resets, compaction, cursors ------------------------------------------------------------------


def test_resets_and_compactions_take_nothing_back(host: Host) -> None:
    rows = [
        HEAD,
        entry("a", None, 1, "I moved to Porto."),
        {"type": "compaction", "id": "k", "parentId": "a", "timestamp": at(2), "summary": "User moved to Rome.",
         "firstKeptEntryId": "a", "tokensBefore": 9},
        entry("b", "k", 3, "My dog is called Max."),
        {"type": "reset", "id": "r", "parentId": "b", "timestamp": at(4), "reason": "new"},
        entry("c", "r", 5, "我喜欢这里的茶。"),
    ]  # fmt: skip

    def fill(store: Store) -> None:
        store.session("s")
        store.add("s", rows)
        store.index("s", [1, 2, 3, 4, 5])

    host.write(fill)
    assert host.desk.texts() == ["I moved to Porto.", "My dog is called Max.", "我喜欢这里的茶。"]


def test_events_that_are_rewritten_are_noticed(host: Host) -> None:
    host.write(session("a", "I moved to Porto.", "It is fine."))
    assert host.desk.texts() == ["I moved to Porto.", "It is fine."]
    host.write(lambda store: store.rewrite("a", 1, entry("a0", None, 0, "I moved to Lyon.."), "second"))
    assert host.desk.backlog().waiting == {"a": [stamp(0), stamp(1)]}
    assert host.desk.texts() == ["I moved to Lyon..", "It is fine."]
    assert host.told() == ["lines that were read before have changed"]


# ---- facts 12 and 13: what is no source ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "chat", "hook", "reason"),
    [
        ("agent:main:main", None, None, ""),
        ("agent:main:telegram:direct:5", "direct", None, ""),
        ("agent:main:telegram:group:-1001", None, None, "group"),
        ("agent:main:whatsapp:5", "group", None, "group"),
        ("agent:main:discord:channel:9", "channel", None, "channel"),
        ("agent:main:cron:digest:run:1", None, None, "cron"),
        ("agent:main:subagent:5f", None, None, "subagent"),
        ("agent:main:main:heartbeat", None, None, "heartbeat"),
        ("agent:main:dreaming-narrative-light", None, None, "dreaming"),
        ("agent:main:mail", None, "gmail", "hook"),
        ("hook:gmail:1", None, None, "hook"),
    ],
)
def test_only_what_was_said_in_private(key: str, chat: str | None, hook: str | None, reason: str, host: Host) -> None:
    host.write(session("s", "I moved to Porto.", key=key, chat=chat, hook=hook))
    batch = host.desk.night()["s"]
    assert [each.text for each in batch.messages] == ([] if reason else ["I moved to Porto."])
    assert batch.filtered == ({reason: 1} if reason else {})


@pytest.mark.parametrize(
    ("key", "chat", "kind"),
    [
        ("agent:main:telegram:direct:5", "direct", "direct"),
        ("agent:main:telegram:group:-1", None, "group"),
        ("agent:main:whatsapp:5", "group", "group"),
    ],
)
def test_a_memory_knows_the_conversation_it_comes_from(key: str, chat: str, kind: str, tmp_path: Path) -> None:
    host = Host(tmp_path)
    root = make(tmp_path / "ws", sources=[{"path": str(host.agent), "chats": ["group"]}])
    host.write(session("s", "Also, I'm allergic to peanuts.", key=key, chat=chat))
    consolidate(root, "2026-02-20T12:00:00Z")
    (memory,) = memories(root)
    with Workspace.open(root) as ws:
        (source,) = why(ws, memory.id)["sources"]
    assert (source["session_key"], source["chat"], source["owner"]) == (key, kind, True)
    assert source["path"].endswith(f"{FILE}#s")


def test_shared_chats_are_read_where_the_config_says_so(tmp_path: Path) -> None:
    host = Host(tmp_path, chats=["group"])
    said = (("g", "agent:main:telegram:group:-1"), ("c", "agent:main:discord:channel:9"), ("j", "agent:main:cron:1"))
    host.write(both(*(session(name, f"I moved to {name}.", key=key) for name, key in said)))
    assert host.desk.texts() == ["I moved to g."]


def test_a_group_that_is_let_in_later_is_read_from_its_beginning(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.write(session("g", "I moved to Porto.", key="agent:main:telegram:group:-1"))
    assert host.desk.texts() == []
    host.desk.config = Desk(tmp_path, sources=[{"path": str(host.agent), "chats": ["group"]}]).config
    host.write(lambda store: store.add("g", [entry("next", "g0", 2, "My dog is called Max.")]))
    assert host.desk.texts() == ["I moved to Porto.", "My dog is called Max."]


def test_the_index_beside_older_files_tells_groups_as_well(host: Host) -> None:
    folder = host.agent / "sessions"
    folder.mkdir()
    (folder / "s-1.jsonl").write_bytes(openclaw(TALK[:1]))
    (folder / "sessions.json").write_bytes(orjson.dumps({"chat": {"sessionId": "s-1", "chatType": "group"}}))
    assert host.desk.night()["s-1"].filtered == {"group": 1}


def test_a_forgotten_session_is_gone_whatever_is_left_of_it(host: Host) -> None:
    host.write(both(session("a", "I moved to Porto."), session("b", "My dog is called Max.")))
    archive = host.agent / "session-sqlite-import-archive"
    archive.mkdir()
    (archive / "agent_main_main.a.jsonl.imported-1771405200000").write_bytes(jsonl([{**HEAD, "id": "a"}, *FORKED[1:]]))
    host.write(lambda store: store.forget("a"))
    assert host.desk.texts() == ["My dog is called Max."]
    host.write(lambda store: store.drop("a"))
    assert host.desk.texts() == []
    assert host.told() == []


# ---- fact 14: older files beside the store -------------------------------------------------------------------------


def imported(rows: bytes) -> Callable[[Store], None]:
    def fill(store: Store) -> None:
        store.session("s-1")
        store.add("s-1", map(orjson.loads, rows.splitlines()))

    return fill


def migrate(host: Host, rows: bytes) -> None:
    """What `openclaw doctor --fix` does: the lines become events, and the file is put away."""
    old = host.agent / "sessions" / "s-1.jsonl"
    archive = host.agent / "session-sqlite-import-archive"
    archive.mkdir()
    old.rename(archive / "agent_main_main.s-1.jsonl.imported-1771405200000")
    host.write(imported(rows))


@pytest.mark.parametrize("spaced", [False, True])
def test_a_session_that_is_imported_is_not_read_twice(spaced: bool, host: Host) -> None:
    rows = openclaw(TALK[:3])
    if spaced:  # the import writes lines anew
        rows = rows.replace(b'","', b'" , "')
    (host.agent / "sessions").mkdir()
    (host.agent / "sessions" / "s-1.jsonl").write_bytes(rows)
    first = host.desk.messages()
    assert len(first) == 3
    migrate(host, rows)
    assert host.desk.backlog() == Backlog()
    assert host.desk.again() == first
    host.write(lambda store: store.add("s-1", [entry("e3", "e2", 3, "My dog is called Max.")]))
    assert host.desk.texts() == ["My dog is called Max."]
    assert host.told() == []


def test_store_and_archive_give_one_session(host: Host) -> None:
    rows = openclaw(TALK)
    (host.agent / "sessions").mkdir()
    (host.agent / "sessions" / "s-1.jsonl").write_bytes(rows)
    migrate(host, rows)
    assert host.desk.texts() == [text for _, text in TALK]
    assert host.told() == []
    assert host.desk.backlog() == Backlog()


def test_a_file_that_no_import_has_taken_is_read_beside_the_store(host: Host) -> None:
    host.write(session("a", "I moved to Porto."))
    (host.agent / "sessions").mkdir()
    (host.agent / "sessions" / "s-1.jsonl").write_bytes(openclaw(TALK[4:]))
    assert host.desk.texts() == ["I moved to Porto.", "My dog is called Max."]


def test_an_older_file_with_more_than_the_store_has_is_told(host: Host) -> None:
    (host.agent / "sessions").mkdir()
    (host.agent / "sessions" / "s-1.jsonl").write_bytes(openclaw(TALK))
    host.write(imported(openclaw(TALK[:2])))
    assert host.desk.texts() == [text for _, text in TALK[:2]]
    assert ["with other lines" in what for what in host.told()] == [True]


def test_what_dreaming_and_this_program_write_is_no_source(host: Host) -> None:
    for name in ("dreaming/light/2026-02-18.md", "layer1/snapshot.md", ".dreams/session-corpus/2026-02-18.txt"):
        host.desk.put(f"memory/{name}", b"# 2026-02-18\n\n- User moved to Porto.\n")
    host.desk.put("DREAMS.md", b"- User moved to Porto.\n")
    host.write(session("a", "My dog is called Max."))
    assert host.desk.texts() == ["My dog is called Max."]


def test_archives_of_sessions_that_were_removed_are_not_read(host: Host) -> None:
    host.write(both(session("gone", "I moved to Porto."), lambda store: store.archive("gone")))
    folder = host.agent / "sessions"
    folder.mkdir()
    removed = folder / "gone.jsonl.deleted.2026-02-18T10-00-00Z.zst"
    removed.write_bytes(zstandard.compress(openclaw(TALK)))
    assert host.desk.backlog() == Backlog()
    asking = Desk(host.desk.layout.root, sources=[{"path": str(removed)}])  # unless they are asked for by name
    assert asking.texts() == [text for _, text in TALK]


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("reason", ["deleted", "reset"])
def test_archives_are_read_where_the_config_asks_for_them(packed: bool, reason: str, tmp_path: Path) -> None:
    host = Host(tmp_path, archives=True)
    said = both(session("gone", "I moved to Porto.", "我喜欢这里的茶。"), session("there", "My dog is called Max."))
    host.write(both(said, lambda store: store.archive("gone", packed=packed, reason=reason)))
    assert sorted(host.desk.texts()) == ["I moved to Porto.", "My dog is called Max.", "我喜欢这里的茶。"]
    assert host.desk.texts() == []
    assert host.told() == []


def test_a_session_and_what_is_kept_of_it_count_once(tmp_path: Path) -> None:
    host = Host(tmp_path, archives=True)
    host.write(session("a", "I moved to Porto."))
    assert host.desk.texts() == ["I moved to Porto."]
    host.write(lambda store: store.archive("a"))
    (host.agent / "sessions").mkdir()
    left = host.agent / "sessions" / "a.jsonl.deleted.2026-02-18T10-00-00Z"
    left.write_bytes(jsonl([{**HEAD, "id": "a"}, entry("a0", None, 0, "I moved to Porto.")]))
    assert host.desk.texts() == []  # it was read before it was removed
    fresh = Desk(tmp_path / "other", sources=[{"path": str(host.agent), "archives": True}])
    assert fresh.texts() == ["I moved to Porto."]


@pytest.mark.parametrize("key", ["agent:main:telegram:group:-1", "agent:main:cron:digest:run:1"])
def test_archives_of_groups_and_jobs_are_no_source_either(key: str, tmp_path: Path) -> None:
    host = Host(tmp_path, archives=True)
    host.write(both(session("a", "I moved to Porto.", key=key), lambda store: store.archive("a", key)))
    assert host.desk.texts() == []


def test_archives_of_forgotten_sessions_are_passed_over(tmp_path: Path) -> None:
    host = Host(tmp_path, archives=True)
    host.write(both(session("a", "I moved to Porto."), lambda store: store.archive("a")))
    host.write(lambda store: store.forget("a"))
    assert host.desk.texts() == []


@pytest.mark.parametrize("as_file", [False, True])
def test_a_session_in_cold_storage_is_read_as_if_it_were_warm(as_file: bool, host: Host) -> None:
    def fill(store: Store) -> None:
        store.session("s")
        store.add("s", FORKED)
        store.index("s", [1, 2])

    host.write(fill)
    host.write(lambda store: store.cool("s", host.agent / "sessions" / "cold" if as_file else None))
    assert host.desk.texts() == ["Where shall I go?", "I moved to Lyon."]
    assert host.told() == []


def test_a_session_that_cools_down_is_not_read_again_and_goes_on(host: Host) -> None:
    host.write(session("a", "I moved to Porto."))
    first = host.desk.messages()
    host.write(lambda store: store.cool("a"))
    assert host.desk.texts() == []
    assert host.desk.again() == first
    assert host.told() == []


def test_a_cold_session_whose_file_is_gone_is_told(host: Host) -> None:
    folder = host.agent / "sessions" / "cold"
    host.write(both(session("a", "I moved to Porto."), session("b", "My dog is called Max.")))
    host.write(lambda store: store.cool("a", folder))
    shutil.rmtree(folder)
    assert host.desk.texts() == ["My dog is called Max."]
    assert ["cold storage" in what for what in host.told()] == [True]


def test_nothing_is_ever_appended_to_the_store(host: Host, tmp_path: Path) -> None:
    host.write(session("a", "I moved to Porto."))
    make(tmp_path / "ws", sources=[{"path": str(host.agent)}])
    before = host.path.read_bytes()
    with Workspace.open(tmp_path / "ws") as ws, pytest.raises(UsageError, match="belongs to another program"):
        append_to(ws, "a", "user", "我住在杭州。")
    assert host.path.read_bytes() == before
