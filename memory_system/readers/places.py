"""Which files of a workspace are transcripts: `sessions/`, the daily notes, and the sources its config names. Files are
judged by name and by what the disk says of them; none is opened here."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from memory_system.config import Config, Source
from memory_system.layout import Layout
from memory_system.records import Problem

_TRANSCRIPT = re.compile(r"[^.].*\.jsonl(?:\.gz)?")
_NOTE = re.compile(r"(\d{4}-\d\d-\d\d)(?:-[^/]+)?\.md")
_DAY = re.compile(r"(?<!\d)(\d{4}-\d\d-\d\d)(?!\d)")
_REFUSED = re.compile(
    r".*\.trajectory\.jsonl|.*\.checkpoint\.[0-9a-f-]{8,}\.jsonl|sessions\.json.*|.*\.bak.*|.*\.migrated|.*\.tmp"
    r"|.*\.jsonl\.(?:deleted|reset)\..*"
)
_GLOB = re.compile(r"[*?\[]")


@dataclass(slots=True, frozen=True)
class Place:
    """A transcript's file: its name as cursors and people know it, and what the disk said when it was found. `day` is
    the date in its name, `source` the config's words about it."""

    path: Path
    name: str
    size: int
    mtime_ns: int
    day: date | None = None
    source: Source | None = None

    @property
    def stem(self) -> str:
        return self.path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".md")

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
            places.setdefault(found.name, found)
    return [places[name] for name in sorted(places)], problems


def place(path: Path, layout: Layout, source: Source | None = None) -> Place | Problem | None:
    """The file as a place; None when its name says that it is no transcript (unless the config names this very file),
    or when it is gone."""
    day = _day(path.name)
    named = source is not None and _full(source.path, layout.root) == str(path)
    if not named and not _is_transcript(path.name, day):
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


def _is_transcript(name: str, day: date | None) -> bool:
    if _NOTE.fullmatch(name):
        return day is not None
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


def _expand(pattern: str, root: Path) -> list[Path]:
    full = _full(pattern, root)
    if not _GLOB.search(pattern):
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
