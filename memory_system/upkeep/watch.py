"""Watching the workspace: notes are indexed 1.5 seconds after their last change, transcripts 5 seconds after theirs, as
seeds 001 and 004 have it; nights that are due then are run. (Notes are found at once without it, because a search looks
at what has changed; what was said today is found before the night only where somebody watches.)"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memory_system import pipeline
from memory_system.errors import LockedError
from memory_system.layout import Layout
from memory_system.nights import derive
from memory_system.phases import index
from memory_system.readers.places import is_pattern
from memory_system.recall.index import Index
from memory_system.recall.passages import DERIVED_FOLDERS
from memory_system.workspace import Workspace

NOTES, TRANSCRIPTS = "notes", "transcripts"
PAUSES = {NOTES: 1.5, TRANSCRIPTS: 5.0}  # seconds of quiet before something is done
_ENDINGS = (".jsonl", ".jsonl.gz", ".sqlite", ".sqlite-wal")

Open = Callable[..., Workspace]


@dataclass(slots=True)
class Quiet:
    """What has changed, and when it has been quiet for long enough to be worth the work."""

    last: dict[str, float] = field(default_factory=dict)

    def changed(self, kind: str, at: float) -> None:
        self.last[kind] = at

    def due(self, at: float) -> list[str]:
        """The kinds that have been quiet for their time; they are done with."""
        found = [kind for kind, last in self.last.items() if at - last >= PAUSES[kind]]
        for kind in found:
            del self.last[kind]
        return found


def places(ws: Workspace) -> list[Path]:
    """The folders to watch: the workspace's own, and those of its sources."""
    found = [ws.layout.memory, ws.layout.sessions]
    for source in ws.config.sources:
        path = ws.layout.root / Path(source.path).expanduser()
        fixed = next(each for each in (path, *path.parents) if not is_pattern(each))
        found.append(fixed if fixed.is_dir() else fixed.parent)
    return [path for path in dict.fromkeys(found) if path.is_dir()]


def kind_of(path: Path, layout: Layout) -> str:
    """Which kind of file it is; empty for what is none of either, and for what this program writes itself. A new
    snapshot means that a night was run, perhaps by somebody else: it has read some transcripts, and not the others."""
    if path.is_relative_to(layout.memory):
        if path == layout.snapshot:
            return TRANSCRIPTS
        first = path.relative_to(layout.memory).parts[0]
        return NOTES if path.suffix == ".md" and first not in DERIVED_FOLDERS else ""
    return TRANSCRIPTS if path.name.endswith(_ENDINGS) else ""


def watch(opening: Open, batches: Iterable[Iterable[Path]], clock: Callable[[], float]) -> Iterator[str]:
    """Act on batches of changed paths (an empty one now and then, so that time passes); yields what was done. What
    changed before it began counts as changed at the first batch. When somebody else writes to the workspace, it is
    tried again after the same pause."""
    with opening() as ws:
        layout = ws.layout
    quiet, changed = Quiet(), {NOTES, TRANSCRIPTS}
    for batch in batches:
        at = clock()
        for kind in (changed | {kind_of(path, layout) for path in batch}) - {""}:
            quiet.changed(kind, at)
        changed = set()
        for kind in quiet.due(at):
            try:
                with opening(write=True) as ws:
                    yield from _index_notes(ws) if kind == NOTES else _read_transcripts(ws)
            except LockedError:
                quiet.changed(kind, at)


def _index_notes(ws: Workspace) -> Iterator[str]:
    with _index(ws) as opened:
        before = opened.note_digests()
        index.put_notes(opened, ws)
        changed = dict(opened.note_digests().items() ^ before.items())
    if changed:
        yield f"indexed: {', '.join(sorted(changed))}"


def _read_transcripts(ws: Workspace) -> Iterator[str]:
    """Run the nights that are due, and index what they leave."""
    report = pipeline.consolidate(ws, if_due=True)
    if report.nights:
        yield f"consolidated: {', '.join(report.nights)}"
    with _index(ws) as opened:
        names = index.put_unread(opened, ws)
    if names:
        yield f"indexed: {', '.join(names)}"


@contextmanager
def _index(ws: Workspace) -> Iterator[Index]:
    """The index, to be written in one piece; made anew where there is none, or none of use."""
    path = ws.layout.search_index
    if not ws.is_indexed:
        derive.rebuild(ws)
    with Index.open(path, ws.config, write=True) as opened, opened.writing(opened.fingerprint):
        yield opened
