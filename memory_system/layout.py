"""Where things lie in a workspace: every path of design section 3 has its name here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_system.records import Fact, Pool

PEOPLES_FILES = ("MEMORY.md", "SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "HEARTBEAT.md")
SEARCH_INDEX = "search.sqlite"


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths under one workspace root (the parent of `memory/`). An earlier state of the memory that is looked at
    has its layers and state `elsewhere`; people's files and transcripts are where they always are."""

    root: Path
    elsewhere: Path | None = None

    @property
    def memory(self) -> Path:
        return self.root / "memory"

    @property
    def own(self) -> Path:
        """What only the program writes lies below it: the layers and the state."""
        return self.elsewhere or self.memory

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    @property
    def knowledge(self) -> Path:
        return self.root / "knowledge"

    @property
    def config(self) -> Path:
        return self.memory / "config.json"

    @property
    def snapshot(self) -> Path:
        return self.own / "layer1" / "snapshot.md"

    @property
    def facts_page(self) -> Path:
        return self.own / "layer1" / "facts.md"

    @property
    def entities(self) -> Path:
        return self.own / "layer2" / "entities"

    @property
    def index(self) -> Path:
        return self.own / "layer2" / "index"

    @property
    def search_index(self) -> Path:
        return self.index / SEARCH_INDEX

    @property
    def vectors(self) -> Path:
        return self.index / "vectors.sqlite"

    @property
    def catalogue(self) -> Path:
        """By which keys very many memories are found at night."""
        return self.index / "keys.sqlite"

    @property
    def state(self) -> Path:
        return self.own / "state"

    @property
    def journal(self) -> Path:
        return self.state / "journal"

    @property
    def runs(self) -> Path:
        return self.state / "run"

    @property
    def checkpoint(self) -> Path:
        return self.state / "consolidation.json"

    @property
    def inbox(self) -> Path:
        return self.state / "inbox.jsonl"

    @property
    def inbox_moved(self) -> Path:
        """Captures that stay while others are dropped."""
        return self.state / "inbox.moved.jsonl"

    @property
    def quarantine(self) -> Path:
        return self.state / "quarantine.jsonl"

    @property
    def tombstones(self) -> Path:
        return self.state / "tombstones.jsonl"

    @property
    def key(self) -> Path:
        """What the marks of the tombstones are made with."""
        return self.state / "key"

    @property
    def accesses(self) -> Path:
        return self.state / "access.jsonl"

    @property
    def past_accesses(self) -> Path:
        """The folder of the months that are over."""
        return self.state / "access"

    @property
    def seen(self) -> Path:
        return self.state / "seen.json"

    @property
    def hosts(self) -> Path:
        return self.state / "hosts.json"

    @property
    def sessions_lock(self) -> Path:
        return self.state / "sessions.lock"

    @property
    def answers(self) -> Path:
        return self.state / "answers.jsonl"

    @property
    def ledger(self) -> Path:
        return self.state / "ledger.jsonl"

    @property
    def batch(self) -> Path:
        return self.state / "batch.json"

    @property
    def queue(self) -> Path:
        return self.state / "queue.jsonl"

    @property
    def wording(self) -> Path:
        return self.state / "wording.json"

    @property
    def rankings(self) -> Path:
        return self.state / "rankings.json"

    @property
    def forgetting(self) -> Path:
        """What is being forgotten, until all of it is gone."""
        return self.state / "forgetting.json"

    @property
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
            self.entities, self.index, self.state, self.journal, self.runs,
        )  # fmt: skip

    def own_folders(self) -> tuple[Path, ...]:
        """The folders below `memory/` that this program alone writes into."""
        return tuple(folder for folder in self.folders() if self.memory in folder.parents)

    def name(self, path: Path) -> str:
        """The path as people and refs see it: relative to the workspace where it lies inside."""
        if self.elsewhere and path.is_relative_to(self.elsewhere):
            path = self.memory / path.relative_to(self.elsewhere)
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
