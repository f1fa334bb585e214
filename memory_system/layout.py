"""Where things lie in a workspace: every path of design section 3 has its name here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memory_system.records import Fact, Pool

PEOPLES_FILES = ("MEMORY.md", "SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "HEARTBEAT.md")
SEARCH_INDEX = "search.sqlite"
LAYER3 = "layer3"


@dataclass(frozen=True)  # and no slots: what is asked for again and again is made once
class Layout:
    """The paths under one workspace root (the parent of `memory/`). An earlier state of the memory that is looked at
    has its layers and state `elsewhere`; people's files and transcripts are where they always are."""

    root: Path
    elsewhere: Path | None = None

    @cached_property
    def memory(self) -> Path:
        return self.root / "memory"

    @cached_property
    def own(self) -> Path:
        """What only the program writes lies below it: the layers and the state."""
        return self.elsewhere or self.memory

    @cached_property
    def sessions(self) -> Path:
        return self.root / "sessions"

    @cached_property
    def knowledge(self) -> Path:
        return self.root / "knowledge"

    @cached_property
    def config(self) -> Path:
        return self.memory / "config.json"

    @cached_property
    def snapshot(self) -> Path:
        return self.own / "layer1" / "snapshot.md"

    @cached_property
    def facts_page(self) -> Path:
        return self.own / "layer1" / "facts.md"

    @cached_property
    def entities(self) -> Path:
        return self.own / "layer2" / "entities"

    @cached_property
    def index(self) -> Path:
        return self.own / "layer2" / "index"

    @cached_property
    def search_index(self) -> Path:
        return self.index / SEARCH_INDEX

    @cached_property
    def vectors(self) -> Path:
        return self.index / "vectors.sqlite"

    @cached_property
    def catalogue(self) -> Path:
        """By which keys very many memories are found at night."""
        return self.index / "keys.sqlite"

    @cached_property
    def layer3(self) -> Path:
        """What was said. It is not `elsewhere` for an earlier state: no rollback touches it."""
        return self.memory / LAYER3

    @cached_property
    def state(self) -> Path:
        return self.own / "state"

    @cached_property
    def journal(self) -> Path:
        return self.state / "journal"

    @cached_property
    def runs(self) -> Path:
        return self.state / "run"

    @cached_property
    def checkpoint(self) -> Path:
        return self.state / "consolidation.json"

    @cached_property
    def inbox(self) -> Path:
        return self.state / "inbox.jsonl"

    @cached_property
    def inbox_moved(self) -> Path:
        """Captures that stay while others are dropped."""
        return self.state / "inbox.moved.jsonl"

    @cached_property
    def quarantine(self) -> Path:
        return self.state / "quarantine.jsonl"

    @cached_property
    def tombstones(self) -> Path:
        return self.state / "tombstones.jsonl"

    @cached_property
    def key(self) -> Path:
        """What the marks of the tombstones are made with."""
        return self.state / "key"

    @cached_property
    def accesses(self) -> Path:
        return self.state / "access.jsonl"

    @cached_property
    def past_accesses(self) -> Path:
        """The folder of the months that are over."""
        return self.state / "access"

    @cached_property
    def seen(self) -> Path:
        return self.state / "seen.json"

    @cached_property
    def hosts(self) -> Path:
        return self.state / "hosts.json"

    @cached_property
    def sessions_lock(self) -> Path:
        return self.state / "sessions.lock"

    @cached_property
    def answers(self) -> Path:
        return self.state / "answers.jsonl"

    @cached_property
    def ledger(self) -> Path:
        return self.state / "ledger.jsonl"

    @cached_property
    def batch(self) -> Path:
        return self.state / "batch.json"

    @cached_property
    def queue(self) -> Path:
        return self.state / "queue.jsonl"

    @cached_property
    def wording(self) -> Path:
        """What earlier versions kept of a model's words: `forget` removes it."""
        return self.state / "wording.json"

    @cached_property
    def rankings(self) -> Path:
        return self.state / "rankings.json"

    @cached_property
    def forgetting(self) -> Path:
        """What is being forgotten, until all of it is gone."""
        return self.state / "forgetting.json"

    @cached_property
    def lock(self) -> Path:
        return self.state / "lock"

    def pool(self, pool: Pool, kind: type[Fact]) -> Path:
        """The file of one kind of memory in one pool."""
        return self.own / "layer2" / pool / f"{kind.NAME}.jsonl"

    def captures(self) -> tuple[Path, ...]:
        """The files in which captures wait."""
        return self.inbox, self.inbox_moved

    def sifted(self) -> tuple[Path, ...]:
        """The files of the state that hold no words, or whose rows forgetting goes through by what they mean; all
        others lose the lines that hold a word."""
        return (*self.captures(), self.key, self.lock, self.accesses, self.tombstones, self.checkpoint, self.forgetting)

    def folders(self) -> tuple[Path, ...]:
        """Every folder that `init` makes, parents first."""
        layer2 = self.own / "layer2"
        return (
            self.root, self.sessions, self.memory, self.snapshot.parent, layer2, layer2 / "active", layer2 / "archive",
            self.entities, self.index, self.layer3, self.state, self.journal, self.runs,
        )  # fmt: skip

    def own_folders(self) -> tuple[Path, ...]:
        """The folders below `memory/` that this program alone writes into."""
        return tuple(folder for folder in self.folders() if self.memory in folder.parents)

    def name(self, path: Path) -> str:
        """The path as people and refs see it: relative to the workspace where it lies inside."""
        if self.elsewhere and path.is_relative_to(self.elsewhere):
            path = self.memory / path.relative_to(self.elsewhere)
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
