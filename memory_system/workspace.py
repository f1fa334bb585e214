"""The waist of the program: everything that belongs to one workspace, built when asked for. Opening it for writing
takes the lock, finishes what a crash left, and takes over what was done by hand or by an older program."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Callable, Collection, Hashable
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

import orjson

from memory_system import __version__, clock
from memory_system.disk import Disk, Files, is_held
from memory_system.errors import ConfigError, DamagedError, NotAWorkspaceError, UnsafeError
from memory_system.layout import Layout
from memory_system.records import Fact
from memory_system.store.inbox import Accesses, Inbox

if TYPE_CHECKING:  # imported where they are built: a capture needs none of them
    from memory_system.config import Config
    from memory_system.privacy.tombstones import Tombstones
    from memory_system.privacy.trust import Quarantine
    from memory_system.readers import Library
    from memory_system.store.checkpoint import Checkpoint
    from memory_system.store.journal import Entry, Journal
    from memory_system.store.said import Said
    from memory_system.store.store import Store


T = TypeVar("T")


class Workspace:
    """One workspace at one moment. `now` is the run's clock: nothing behind it reads the time."""

    def __init__(self, layout: Layout, now: datetime, files: Files) -> None:
        self.layout = layout
        self.now = now
        self.files = files
        self.recovered: Entry | None = None
        self.taken_over: Entry | None = None
        self._held = ExitStack()
        self._writes = False
        self._open: dict[Hashable, Any] = {}

    @classmethod
    def open(
        cls,
        root: Path,
        *,
        now: datetime | None = None,
        write: bool = False,
        disk: Disk | None = None,
        allow_losses: bool = False,
        settle: bool = True,
    ) -> Workspace:
        """The workspace in that folder; NotAWorkspaceError when there is none, LockedError when somebody writes. For
        writing, what a crash left and was done by hand is settled first (a repair does that itself: `settle=False`)."""
        workspace = cls(Layout(root.absolute()), now or clock.now(), Files(disk))
        if not workspace.layout.state.is_dir():
            raise NotAWorkspaceError(
                f"{root} is not a workspace: it has no memory/state", f"memory --workspace {root} init"
            )
        if write:
            workspace.refuse_unsafe()
            since = clock.stamp(workspace.now)
            workspace._held.enter_context(workspace.files.locked(workspace.layout.lock, since))
            workspace._writes = True
            try:
                if settle:
                    workspace._settle(allow_losses=allow_losses)
            except BaseException:  # Ctrl-C too must not leave the lock held
                workspace.close()
                raise
        return workspace

    def _settle(self, *, allow_losses: bool) -> None:
        from memory_system.store.checkpoint import SCHEMA, is_older

        self.checkpoint.refuse_newer()
        self.recovered = self.store.recover()
        if self.recovered or not self.store.seen.holds():
            from memory_system.store import truth

            self.taken_over = truth.take_over(self.store, clock.stamp(self.now), allow_losses=allow_losses)
        if is_older(self.checkpoint.state.schema):
            self.checkpoint.save(schema=SCHEMA)

    def refuse_unsafe(self) -> None:
        """UnsafeError where what would be written could land elsewhere or be another's: a folder of ours that is a
        link, that somebody else owns, or into which others may write."""
        for folder in self.layout.own_folders():
            try:
                found = folder.lstat()
            except FileNotFoundError:
                continue
            if stat.S_ISLNK(found.st_mode):
                raise UnsafeError(f"{folder} is a symbolic link", "put the folder itself there")
            if os.geteuid() not in (0, found.st_uid):
                hint = f"own it, or run as its owner: ls -ld {folder}"
                raise UnsafeError(f"{folder} belongs to another user", hint)
            if found.st_mode & 0o022:
                raise UnsafeError(f"others may write into {folder}", f"chmod go-rwx {folder}")

    def close(self) -> None:
        if "store" in self.__dict__:
            self.store.close()
        self._open.clear()
        self._held.close()

    def held(self, key: Hashable, opening: Callable[[], AbstractContextManager[T]]) -> T:
        """What is open under that key, opened now where it is not; it is closed with the workspace."""
        if key not in self._open:
            self._open[key] = self._held.enter_context(opening())
        found: T = self._open[key]
        return found

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def config(self) -> Config:
        return read_config(self.layout.config, self.files)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The time zone of the workspace. A capture needs little of the configuration and is quicker without."""
        with suppress(DamagedError, KeyError, ValueError, TypeError):  # then the configuration says what is wrong
            return ZoneInfo(self._settings["timezone"])
        return self.config.zone

    def faded_at(self, moment: datetime) -> datetime:
        """The moment up to which scores have faded at that one: nothing fades while the clock is in doubt."""
        until = self.checkpoint.state.fades_until
        return min(moment, clock.read_stamp(until)) if until else moment

    @cached_property
    def masked(self) -> Collection[str]:
        """What the owner does not want to be shown (`policy.masked`)."""
        with suppress(DamagedError):  # likewise
            if "policy" not in self._settings:
                return ()
        return self.config.policy.masked

    @cached_property
    def _settings(self) -> dict[str, Any]:
        """config.json as it stands."""
        return self.files.read_object(self.layout.config)

    @cached_property
    def journal(self) -> Journal:
        from memory_system.store.journal import Journal

        return Journal(self.layout.journal, self.files)

    @cached_property
    def checkpoint(self) -> Checkpoint:
        from memory_system.store.checkpoint import Checkpoint

        return Checkpoint(self.layout, self.files)

    @cached_property
    def inbox(self) -> Inbox:
        return Inbox(self.layout, self.files)

    @cached_property
    def accesses(self) -> Accesses:
        return Accesses(self.layout, self.files)

    @cached_property
    def store(self) -> Store:
        from memory_system.store.store import Store

        return Store(self.layout, self.config, self.files, self.journal, self.checkpoint, lambda: self.fingerprint)

    @cached_property
    def tombstones(self) -> Tombstones:
        from memory_system.privacy.tombstones import Tombstones

        return Tombstones(self.layout, self.files)

    @cached_property
    def quarantine(self) -> Quarantine:
        from memory_system.privacy.trust import Quarantine

        return Quarantine(self.layout, self.files)

    @cached_property
    def said(self) -> Said:
        from memory_system.store.said import Said

        return Said(self.layout, self.files)

    @cached_property
    def library(self) -> Library:
        from memory_system.readers import Library

        return Library(self.layout, self.config, self.now, self.tombstones)

    @property
    def is_written_beside(self) -> bool:
        """Whether somebody else writes to it now."""
        return not self._writes and is_held(self.layout.lock)

    @property
    def is_indexed(self) -> bool:
        """Whether the index is there, of use, and as far as the journal."""
        from memory_system.recall.schema import title_of

        title = title_of(self.layout.search_index, self.config)
        return title is not None and title.fingerprint == self.journal.head().hash

    @property
    def is_derived(self) -> bool:
        """Whether all that is derived stands where the truth stands."""
        head = self.journal.head()
        return not head.seq or (self.checkpoint.state.derived == head.hash and self.is_indexed)

    @cached_property
    def language(self) -> str:
        """The language in which the workspace speaks to its owner: the configured one, else that of most memories."""
        if self.config.language != "auto":
            return self.config.language
        counts = Counter(str(row.get("lang")) for row in self.store.rows("active", Fact))
        return "zh" if counts["zh"] > counts["en"] else "en"

    @cached_property
    def fingerprint(self) -> str:
        """Of everything that decides what a night makes of its input: the program and the configuration."""
        return hashlib.blake2b(_program() + self.config.model_dump_json().encode(), digest_size=8).hexdigest()


@cache
def _program() -> bytes:
    """Digest of the version, the rules, the weights and the prompts of the night: what is read once in a process."""
    from memory_system import llm, rules

    learned = Path(__file__).with_name("understand").glob("*.txt")
    told = (*rules.FOLDER.glob("*.toml"), *learned, *llm.FOLDER.glob("*.*.md"))
    seen = hashlib.blake2b(__version__.encode())
    for each in sorted(told, key=lambda path: path.name):
        seen.update(each.name.encode() + each.read_bytes())
    return seen.digest()


def read_config(path: Path, files: Files) -> Config:
    """The configuration in the file; the defaults when there is no file."""
    from memory_system.config import parse_config

    try:
        row = files.read_object(path)
    except DamagedError as error:
        raise ConfigError(str(error), "config.json must be one JSON object; {} is enough") from error
    return parse_config(row, str(path))


def config_bytes(**changed: object) -> bytes:
    """A config.json as `init` writes it: the version, and what differs from the defaults."""
    from memory_system.config import Config

    return orjson.dumps({"version": Config().version, **changed}, option=orjson.OPT_INDENT_2) + b"\n"
