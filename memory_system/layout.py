"""Where things lie in a workspace: every path of design section 3 has its name here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memory_system.records import Fact, Pool

PEOPLES_FILES = ("MEMORY.md", "SOUL.md", "IDENTITY.md", "USER.md", "AGENTS.md", "HEARTBEAT.md")
SEARCH_INDEX = "search.sqlite"
LAYER3 = "layer3"


class Below:
    """A path of the layout: below another one of its paths, made when it is first asked for."""

    def __init__(self, base: str, *parts: str) -> None:
        self.base = base
        self.parts = parts

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, layout: Layout, owner: type) -> Path:
        path: Path = getattr(layout, self.base).joinpath(*self.parts)
        layout.__dict__[self.name] = path
        return path


@dataclass(frozen=True)  # and no slots: what is asked for again and again is made once
class Layout:
    """The paths under one workspace root (the parent of `memory/`). An earlier state of the memory that is looked at
    has its layers and state `elsewhere`; people's files and transcripts are where they always are."""

    root: Path
    elsewhere: Path | None = None

    memory = Below("root", "memory")
    sessions = Below("root", "sessions")
    knowledge = Below("root", "knowledge")
    config = Below("memory", "config.json")
    snapshot = Below("own", "layer1", "snapshot.md")
    facts_page = Below("own", "layer1", "facts.md")
    layer2 = Below("own", "layer2")
    entities = Below("layer2", "entities")
    index = Below("layer2", "index")
    search_index = Below("index", SEARCH_INDEX)
    vectors = Below("index", "vectors.sqlite")
    catalogue = Below("index", "keys.sqlite")  # by which keys very many memories are found at night
    layer3 = Below("memory", LAYER3)  # what was said: not `elsewhere` for an earlier state, no rollback touches it
    state = Below("own", "state")
    journal = Below("state", "journal")
    runs = Below("state", "run")
    checkpoint = Below("state", "consolidation.json")
    inbox = Below("state", "inbox.jsonl")
    inbox_moved = Below("state", "inbox.moved.jsonl")  # captures that stay while others are dropped
    quarantine = Below("state", "quarantine.jsonl")
    tombstones = Below("state", "tombstones.jsonl")
    key = Below("state", "key")  # what the marks of the tombstones are made with
    accesses = Below("state", "access.jsonl")
    past_accesses = Below("state", "access")  # the folder of the months that are over
    seen = Below("state", "seen.json")
    hosts = Below("state", "hosts.json")
    sessions_lock = Below("state", "sessions.lock")
    answers = Below("state", "answers.jsonl")
    ledger = Below("state", "ledger.jsonl")
    batch = Below("state", "batch.json")
    queue = Below("state", "queue.jsonl")
    wording = Below("state", "wording.json")  # what earlier versions kept of a model's words: `forget` removes it
    rankings = Below("state", "rankings.json")
    forgetting = Below("state", "forgetting.json")  # what is being forgotten, until all of it is gone
    lock = Below("state", "lock")

    @cached_property
    def own(self) -> Path:
        """What only the program writes lies below it: the layers and the state."""
        return self.elsewhere or self.memory

    def pool(self, pool: Pool, kind: type[Fact]) -> Path:
        return self.layer2.joinpath(pool, f"{kind.NAME}.jsonl")

    def captures(self) -> tuple[Path, ...]:
        return self.inbox, self.inbox_moved

    def sifted(self) -> tuple[Path, ...]:
        """The files of the state that hold no words, or whose rows forgetting goes through by what they mean; all
        others lose the lines that hold a word."""
        return (*self.captures(), self.key, self.lock, self.accesses, self.tombstones, self.checkpoint, self.forgetting)

    def derived(self) -> tuple[Path, ...]:
        """The folders of which everything can be made again."""
        return self.snapshot.parent, self.entities, self.index

    def folders(self) -> tuple[Path, ...]:
        """Every folder that `init` makes, parents first."""
        return (
            self.root, self.sessions, self.memory, self.snapshot.parent, self.layer2, self.layer2 / "active",
            self.layer2 / "archive", self.entities, self.index, self.layer3, self.state, self.journal, self.runs,
        )  # fmt: skip

    def own_folders(self) -> tuple[Path, ...]:
        """The folders below `memory/` that this program alone writes into."""
        return tuple(folder for folder in self.folders() if self.memory in folder.parents)

    def name(self, path: Path) -> str:
        """The path as people and refs see it: relative to the workspace where it lies inside."""
        if self.elsewhere and path.is_relative_to(self.elsewhere):
            path = self.memory / path.relative_to(self.elsewhere)
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)
