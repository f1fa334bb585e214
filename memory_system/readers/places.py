"""Which files of a workspace are transcripts: `sessions/`, the daily notes, and the sources its config names. Files are
judged by name and by what the disk says of them; none is opened here but OpenClaw's store, to list its sessions."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from memory_system.config import Config, Source
from memory_system.layout import Layout
from memory_system.readers.formats import Held, UnreadableError
from memory_system.records import Problem

_TRANSCRIPT = re.compile(r"[^.].*\.jsonl(?:\.gz)?")
_NOTE = re.compile(r"(\d{4}-\d\d-\d\d)(?:-[^/]+)?\.md")
_DAY = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)")
_REFUSED = re.compile(
    r".*\.trajectory\.jsonl|.*\.checkpoint\.[0-9a-f-]{8,}\.jsonl|sessions\.json.*|.*\.bak.*|.*\.migrated|.*\.tmp"
    r"|.*\.jsonl\.(?:deleted|reset)\..*"
)
_REMOVED = re.compile(r"[^.].*\.jsonl\.(?:deleted|reset)\.[^/]+")  # what OpenClaw leaves of a session it has removed
_IMPORTED = re.compile(r"\.imported-\d+(?:\.\d+)?$")  # OpenClaw's import puts the files it has read away like this
_GLOB = re.compile(r"[*?\[]")
STORE = "openclaw-agent.sqlite"
KNOWN_SCHEMA = 23  # of that store


@dataclass(slots=True, frozen=True)
class Place:
    """A transcript's file: its name as cursors and people know it, and what the disk said when it was found. `day` is
    the date in its name, `source` the config's words about it, `held` which of a database's sessions it is."""

    path: Path
    name: str
    size: int
    mtime_ns: int
    day: date | None = None
    source: Source | None = None
    held: Held | None = None

    @property
    def stem(self) -> str:
        if self.held is not None:
            return self.held.session
        stem = _IMPORTED.sub("", self.path.name).removesuffix(".gz").removesuffix(".jsonl").removesuffix(".md")
        return stem.rpartition(".")[2] if self.is_imported else stem  # the key of its conversation stands before it

    @property
    def is_live(self) -> bool:
        """Whether it is a session that a host goes on with in its database."""
        return self.held is not None and not self.held.archive

    @property
    def is_imported(self) -> bool:
        return _IMPORTED.search(self.path.name) is not None

    @property
    def is_hosts(self) -> bool:
        """Whether only its host can write it: a session in its database, or an archive that it has packed its way."""
        return self.held is not None or self.path.name.endswith(".zst")

    @property
    def is_packed(self) -> bool:
        return self.path.name.endswith(".gz")

    @property
    def is_note(self) -> bool:
        return self.path.name.endswith(".md")


def find(layout: Layout, config: Config) -> tuple[list[Place], list[Problem]]:
    """All transcripts, in the order of their names, and the files that look like one and cannot be read."""
    places: dict[str, Place] = {}
    problems: list[Problem] = []
    for path, source in _candidates(layout, config, problems):
        found = place(path, layout, source)
        if isinstance(found, Problem):
            problems.append(found)
        elif found is not None:
            for each in _held(found, problems) if path.suffix == ".sqlite" else [found]:
                places.setdefault(each.name, each)
    return [places[name] for name in sorted(places)], problems


def transcripts(layout: Layout, config: Config) -> list[Place]:
    """All transcripts that are no notes."""
    return [place for place in find(layout, config)[0] if not place.is_note]


def place(path: Path, layout: Layout, source: Source | None = None) -> Place | Problem | None:
    """The file as a place; None when its name is no transcript's (unless the config names it), or when it is gone."""
    day = _day(path.name)
    named = source is not None and _full(source.path, layout.root) == str(path)
    removed = source is not None and source.archives and _REMOVED.fullmatch(path.name)
    if not (named or removed or _is_transcript(path.name, day)):
        return None
    name = layout.name(path)
    if not name.isprintable():
        return Problem(ascii(name), "its name is no plain text", "rename it")
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return Problem(name, f"it cannot be looked at: {error.strerror}", "give yourself the right to read it")
    if not stat.S_ISREG(found.st_mode):
        hint = "put the file itself there, or name its folder in sources"
        return Problem(name, f"it is {_kind(found.st_mode)}", hint)
    return Place(path, name, found.st_size, found.st_mtime_ns, day, source)


def _held(store: Place, problems: list[Problem]) -> Iterator[Place]:
    """The sessions in OpenClaw's store."""
    from memory_system.readers import openclaw_store

    try:
        removed = store.source is not None and store.source.archives
        found, schema = openclaw_store.sessions(store.path, removed=removed)
    except UnreadableError as error:
        problems.append(Problem(store.name, str(error), error.hint))
        return
    if schema > KNOWN_SCHEMA:
        what = f"the form of this store is {schema}, and the newest that is known here is {KNOWN_SCHEMA}"
        problems.append(Problem(store.name, what, "what could be had of it was read; look for a newer memory-system"))
    for held, size, mtime_ns in found:
        name = f"{store.name}#{held.session}" + (f"@{held.archive}" if held.archive else "")
        yield replace(store, name=name, size=size, mtime_ns=mtime_ns, held=held)


def _is_transcript(name: str, day: date | None) -> bool:
    if name == STORE:
        return True
    if _NOTE.fullmatch(name):
        return day is not None
    name = _IMPORTED.sub("", name)
    return _TRANSCRIPT.fullmatch(name) is not None and not _REFUSED.fullmatch(name)


def _candidates(layout: Layout, config: Config, problems: list[Problem]) -> Iterator[tuple[Path, Source | None]]:
    """Sources first: what the config says of a file goes before what is usual."""
    for source in config.sources:
        paths = _expand(source.path, layout.root)
        if not any(path.exists() for path in paths):
            problems.append(Problem(source.path, "there is no such transcript", "correct the path in config.json"))
        for path in paths:
            yield from ((each, source) for each in _files(path, problems))
    yield from ((path, None) for path in _files(layout.sessions, problems) if not path.name.endswith(".md"))
    yield from ((path, None) for path in sorted(layout.memory.glob("*.md")))


def is_pattern(path: str | Path) -> bool:
    """Whether a source's path stands for whatever fits it."""
    return bool(_GLOB.search(str(path)))


def _expand(pattern: str, root: Path) -> list[Path]:
    full = _full(pattern, root)
    if not is_pattern(pattern):
        return [Path(full)]
    return [Path(each) for each in sorted(glob.glob(full, recursive=True))]  # noqa: PTH207 - it may be absolute


def _full(pattern: str, root: Path) -> str:
    return str(root / Path(pattern).expanduser())


def _files(path: Path, problems: list[Problem]) -> Iterator[Path]:
    """The path itself if it is no folder; else what lies in it, links to folders not followed. A folder whose name is
    a transcript's comes out as well, to be refused."""
    if not path.is_dir() or _TRANSCRIPT.fullmatch(path.name):
        yield path
        return

    def refused(error: OSError) -> None:
        hint = "give yourself the right to read it"
        problems.append(Problem(str(error.filename), f"it cannot be opened: {error.strerror}", hint))

    for folder, inner, names in os.walk(path, onerror=refused):
        odd = [name for name in inner if _TRANSCRIPT.fullmatch(name)]
        inner[:] = [name for name in inner if name not in odd]
        yield from (Path(folder, name) for name in (*names, *odd))


def _day(name: str) -> date | None:
    found = _DAY.search(name)
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:
        return None


def _kind(mode: int) -> str:
    kinds = {stat.S_ISLNK: "a symbolic link", stat.S_ISDIR: "a folder", stat.S_ISFIFO: "a pipe"}
    return next((word for test, word in kinds.items() if test(mode)), "no regular file")
