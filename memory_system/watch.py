"""Watching the workspace: a note is indexed 1.5 seconds after its last change, and 5 seconds after the last change of a
transcript the nights that are due are run, as the host of the seeds does. (Notes are found at once without it, because
a search looks at what has changed; the index only spares it the work.)"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memory_system import pipeline
from memory_system.errors import LockedError
from memory_system.layout import Layout
from memory_system.phases import index
from memory_system.recall.database import StaleIndexError
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
        found.append(path if path.is_dir() else path.parent)
    return [path for path in dict.fromkeys(found) if path.is_dir()]


def kind_of(path: Path, layout: Layout) -> str:
    """Which kind of file it is; empty for what is none of either, and for what this program writes itself."""
    if path.is_relative_to(layout.memory):
        first = path.relative_to(layout.memory).parts[0]
        return NOTES if path.suffix == ".md" and first not in DERIVED_FOLDERS else ""
    return TRANSCRIPTS if path.name.endswith(_ENDINGS) else ""


def watch(opening: Open, batches: Iterable[Iterable[Path]], clock: Callable[[], float]) -> Iterator[str]:
    """Act on batches of changed paths (an empty one now and then, so that time passes); yields what was done. When
    somebody else writes to the workspace, it is tried again at the next change or batch."""
    quiet = Quiet()
    for batch in batches:
        at = clock()
        with opening() as ws:
            for kind in {kind_of(path, ws.layout) for path in batch} - {""}:
                quiet.changed(kind, at)
        for kind in quiet.due(at):
            try:
                with opening(write=True) as ws:
                    yield _index_notes(ws) if kind == NOTES else _consolidate(ws)
            except LockedError:
                quiet.changed(kind, at)


def _index_notes(ws: Workspace) -> str:
    """Bring the notes in the index up to date; an index that is of no use is left to the next night."""
    try:
        with Index.open(ws.layout.index / index.FILE, ws.config, write=True) as opened:
            before = opened.note_digests()
            with opened.writing(opened.fingerprint):
                index.put_notes(opened, ws)
            changed = dict(opened.note_digests().items() ^ before.items())
    except StaleIndexError:
        return "there is no index yet: the first night makes it"
    return f"indexed: {', '.join(sorted(changed)) or 'nothing new'}"


def _consolidate(ws: Workspace) -> str:
    report = pipeline.consolidate(ws, if_due=True)
    if not report.nights:
        return "transcripts have changed; no night is due"
    return f"consolidated {', '.join(report.nights)}"
