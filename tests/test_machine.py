"""Whatever is done in whatever order, with crashes and clocks that jump: what was acknowledged is there, what the owner
decided stands, and every file agrees with every other. scripts/torture/machine.py goes on for many thousand steps."""

from __future__ import annotations

import shutil
import tempfile
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from workspaces import Crash, CrashingDisk, at, make, say

from memory_system import clock, finder, forgetting, pipeline
from memory_system.errors import ExhaustedError
from memory_system.records import to_line
from memory_system.store.store import origin_part
from memory_system.upkeep import check, correct, edit, undo
from memory_system.workspace import Workspace

THINGS = (
    "kettle", "cello", "kayak", "lantern", "compass", "violin", "teapot", "saddle", "anvil", "loom", "prism", "sextant",
    "风筝", "算盘", "砚台", "扇子", "灯笼", "茶壶", "毛笔", "屏风", "铜镜", "竹篮", "古琴", "瓷碗",
)  # fmt: skip
SAYINGS = (
    "I live in {place}.", "I moved to {place}.", "I like rowing.", "I don't like rowing anymore.", "我住在{place}。",
    "Also, I'm allergic to peanuts.", "我对芒果过敏。", "Maybe I will move to {place}.", "Thanks!",
    "我养了一只猫，叫年糕。",
)  # fmt: skip
PLACES = ("Porto", "Ghent", "Basel", "杭州", "重庆")
thing = st.sampled_from(THINGS)


def owns(name: str) -> str:
    return f"User owns a {name}" if name.isascii() else f"用户有一个{name}"


@dataclass
class Model:
    """What the owner has decided: ids put away by hand, and the words given to ids."""

    away: set[str] = field(default_factory=set)
    words: dict[str, str] = field(default_factory=dict)

    def forget(self, ids: set[str]) -> None:
        self.away -= ids
        for each in ids:
            self.words.pop(each, None)


class Memory(RuleBasedStateMachine):
    """A workspace beside its model."""

    steps = 0  # of all examples: the long run counts them

    def __init__(self) -> None:
        super().__init__()
        self.root = make(Path(tempfile.mkdtemp(prefix="machine-")))
        self.now = at("2026-03-02T10:00:00Z")
        self.captured: set[str] = set()
        self.noted: list[str] = []
        self.model = Model()
        self.before: dict[int, Model] = {}  # by the number of an entry: what was decided before it
        self.talks = 0
        self.forgotten: set[str] = set()  # origins of memories that may never come back

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    def open(self, *, write: bool = False, disk: CrashingDisk | None = None) -> Workspace:
        self.now += timedelta(minutes=7)
        return Workspace.open(self.root, now=self.now, write=write, disk=disk)

    def remember(self, ws: Workspace, model: Model) -> None:
        """Take the model over, for every entry that was made since."""
        for seq in range(max(self.before, default=0) + 1, ws.journal.head().seq + 1):
            self.before[seq] = self.model
        self.model = model

    @rule(name=thing)
    def capture(self, name: str) -> None:
        with self.open() as ws:
            edit.capture(ws, owns(name), key=name)
        self.captured.add(owns(name))

    @rule(name=thing)
    def note(self, name: str) -> None:
        with self.open() as ws:
            edit.note(ws, f"{name} {len(self.noted)}")
        self.noted.append(f"{name} {len(self.noted)}")

    @rule(words=st.sampled_from(SAYINGS), place=st.sampled_from(PLACES))
    def talk(self, words: str, place: str) -> None:
        self.talks += 1
        self.now += timedelta(minutes=7)
        message = clock.stamp(self.now), "user", words.format(place=place)
        say(self.root, f"s{self.talks}", message)

    @rule(days=st.sampled_from((1, 1, 1, 3, 30)))
    def night(self, days: int) -> None:
        self.now += timedelta(days=days)
        with self.open(write=True) as ws:
            pipeline.consolidate(ws, allow_retire=True)
            self.remember(ws, deepcopy(self.model))
        with self.open() as ws:
            assert list(check.validate(ws)) == []

    @rule(stop=st.integers(1, 90))
    def crash(self, stop: int) -> None:
        self.now += timedelta(days=1)
        for disk in (CrashingDisk(stop=stop), None):
            try:
                with self.open(write=True, disk=disk) as ws:
                    pipeline.consolidate(ws, allow_retire=True)
            except Crash:
                continue
            except ExhaustedError:
                with self.open(write=True) as ws:
                    pipeline.consolidate(ws, allow_retire=True, force=True)
        with self.open() as ws:
            self.remember(ws, deepcopy(self.model))

    @rule(hours=st.sampled_from((-5, -30, 12)))
    def clock_jumps(self, hours: int) -> None:
        self.now = max(at("2026-03-02T10:00:00Z"), self.now + timedelta(hours=hours))

    def chosen(self, ws: Workspace, number: int) -> str:
        ids = sorted(ws.store.ids())
        return ids[number % len(ids)] if ids else ""

    @rule(number=st.integers(0, 99), away=st.booleans())
    def put_away_or_back(self, number: int, away: bool) -> None:
        with self.open(write=True) as ws:
            if memory_id := self.chosen(ws, number):
                model = deepcopy(self.model)
                if away and ws.store.pool_of(memory_id) == "active":
                    correct.archive(ws, memory_id)
                    model.away.add(memory_id)
                elif not away:
                    correct.restore(ws, memory_id)
                    model.away.discard(memory_id)
                self.remember(ws, model)

    @rule(number=st.integers(0, 99), name=thing)
    def edit_one(self, number: int, name: str) -> None:
        with self.open(write=True) as ws:
            memory_id = self.chosen(ws, number)
            if memory_id and not (record := correct.find(ws, memory_id)[0]).value:
                model = deepcopy(self.model)
                words = f"{record.id[-4:]}: {owns(name)}"
                correct.edit(ws, memory_id, {"content": words})
                model.words[memory_id] = words
                self.remember(ws, model)

    @rule(number=st.integers(0, 99), stop=st.sampled_from((0, 0, 3, 9, 17, 30)))
    def forget(self, number: int, stop: int) -> None:
        with self.open() as ws:
            memory_id = self.chosen(ws, number)
            if not memory_id or memory_id.startswith("s_"):  # a summary is told again as long as its facts are there
                return
            ids, record = set(ws.store.ids()), correct.find(ws, memory_id)[0]
        for disk in (CrashingDisk(stop=stop), None):
            try:
                with self.open(write=True, disk=disk) as ws:
                    done = forgetting.finish(ws)
                    if not done and ws.store.get(memory_id):
                        plan = forgetting.plan_of(ws, forgetting.Selection(ids=(memory_id,)))
                        forgetting.forget(ws, plan)
            except Crash:
                continue
        self.captured -= {each.quote for each in record.evidence}
        with self.open() as ws:
            gone = ids - set(ws.store.ids())
            self.remember(ws, self.model)
        assert memory_id in gone
        for model in (self.model, *self.before.values()):
            model.forget(gone)
        if not edit.is_captured(record):  # what is captured again is the owner's wish
            self.forgotten.add(origin_part(memory_id))
        self.no_byte_is_left({each.quote for each in record.evidence})

    def no_byte_is_left(self, quotes: set[str]) -> None:
        with self.open() as ws:
            kept = [to_line(each).decode() for each in (*ws.inbox.pending(), *(each for _, each in ws.store.records()))]
        gone = [each.encode() for each in quotes if not any(each in line for line in kept)]
        own = [path for each in ("state", "layer1", "layer2") for path in (self.root / "memory" / each).rglob("*")]
        data = {path: path.read_bytes() for path in own if path.is_file()}
        assert not [(path, each) for path in data for each in gone if each in data[path]]

    @precondition(lambda self: self.before)
    @rule()
    def roll_back(self) -> None:
        with self.open(write=True) as ws:
            last = ws.journal.head().seq
            undo.rollback(ws, f"#{last}")
            self.remember(ws, deepcopy(self.before[last]) if ws.journal.head().seq > last else self.model)

    @precondition(lambda self: self.captured)
    @rule(number=st.integers(0, 99))
    def search(self, number: int) -> None:
        words = sorted(self.captured)[number % len(self.captured)]
        with self.open() as ws:
            found = finder.search(ws, words, archived=True, limit=20)["results"]
            changed = set(self.model.words)
        assert any(words in each["text"] for each in found) or changed, words

    @invariant()
    def nothing_acknowledged_is_lost(self) -> None:
        Memory.steps += 1
        with Workspace.open(self.root, now=self.now) as ws:
            quotes = {each.quote for _, record in ws.store.records() for each in record.evidence}
            assert self.captured <= quotes | {each.content for each in ws.inbox.pending()}
            assert not self.forgotten & set(map(origin_part, ws.store.ids()))
            for memory_id in self.model.away:
                assert ws.store.pool_of(memory_id) == "archive"
            for memory_id, words in self.model.words.items():
                record = ws.store.get(memory_id)
                assert record is not None
                assert record.content == words
        notes = "".join(path.read_text("utf-8") for path in (self.root / "memory").glob("*.md"))
        assert all(f"\n{each}\n" in notes for each in self.noted)


TestMemory = Memory.TestCase
TestMemory.settings = settings(
    max_examples=4,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
