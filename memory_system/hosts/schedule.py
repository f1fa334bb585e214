"""Consolidation that nobody has to ask for. On a machine's own schedule: a timer of systemd that catches up after the
machine was off, or a line in the crontab. Once an hour is enough on any schedule of nights, because a run that finds
none due does nothing.

Or while the workspace is watched: notes are indexed 1.5 seconds after their last change, transcripts 5 seconds after
theirs, as seeds 001 and 004 have it; nights that are due then are run. (Notes are found at once without it, because a
search looks at what has changed; what was said today is found before the night only where somebody watches.)"""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory_system import pipeline
from memory_system.disk import Files
from memory_system.errors import LockedError, UsageError
from memory_system.hosts import Change
from memory_system.layout import Layout
from memory_system.nights import derive
from memory_system.phases import index
from memory_system.readers.places import is_pattern
from memory_system.recall.search_index import Index
from memory_system.recall.units import DERIVED_FOLDERS
from memory_system.workspace import Workspace

MINUTE = 17  # of the hour: not when everybody else's jobs start
PATIENCE = 30
NOTES, TRANSCRIPTS = "notes", "transcripts"
PAUSES = {NOTES: 1.5, TRANSCRIPTS: 5.0}  # seconds of quiet before something is done
_ENDINGS = (".jsonl", ".jsonl.gz", ".sqlite", ".sqlite-wal")
Open = Callable[..., Workspace]

SERVICE = """[Unit]
Description=Consolidate the memory in {root}

[Service]
Type=oneshot
ExecStart={command}
"""
TIMER = """[Unit]
Description=Consolidate the memory in {root}, once an hour where a night is due

[Timer]
OnCalendar=*-*-* *:{minute:02}:00
Persistent=true

[Install]
WantedBy=timers.target
"""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The jobs of one workspace. `units` is the folder of systemd's user units."""

    root: Path
    argv: Sequence[str]
    units: Path

    @property
    def name(self) -> str:
        return "memory-system-" + hashlib.blake2b(str(self.root).encode(), digest_size=4).hexdigest()

    @property
    def line(self) -> str:
        """The line of the crontab."""
        command = shlex.join([*self.argv, "--quiet", "consolidate"]).replace("%", "\\%")  # cron cuts a command at %
        return f"{MINUTE} * * * * {command} >/dev/null # {self.name}\n"

    def files(self) -> dict[Path, str]:
        command = " ".join(_quoted(each) for each in [*self.argv, "--quiet", "consolidate"])
        root = str(self.root).replace("%", "%%")
        return {
            self.units / f"{self.name}.service": SERVICE.format(root=root, command=command),
            self.units / f"{self.name}.timer": TIMER.format(root=root, minute=MINUTE),
        }


def install(schedule: Schedule, kind: str) -> list[str]:
    """Set the job up; what was done, one thing a line. UsageError when this machine has no such scheduler."""
    kind = kind or ("systemd" if has_systemd() else "cron")
    if installed(schedule) not in ("", kind):
        remove(schedule)
    if kind == "cron":
        _write_crontab(schedule, _crontab(), schedule.line)
        return [f"crontab: {schedule.line.rstrip()}"]
    if not has_systemd():
        raise UsageError("there is no systemd for this user here", "memory schedule install --with cron")
    files = Files()
    for path, text in schedule.files().items():
        files.make_folder(path.parent)
        files.replace_if_changed(path, text.encode())
    _systemctl("daemon-reload")
    if _systemctl("enable", "--now", f"{schedule.name}.timer"):
        hint = f"look with: systemctl --user status {schedule.name}.timer"
        raise UsageError(f"systemd does not start {schedule.name}.timer", hint)
    return [f"written: {path}" for path in schedule.files()] + [f"enabled: {schedule.name}.timer"]


def difference(schedule: Schedule, *, remove: bool) -> list[Change]:
    """What installing the job (or taking it away) would change. UsageError when this machine has no scheduler."""
    there = installed(schedule)
    kind = there if remove else "systemd" if has_systemd() else "cron"
    changes = []
    if kind == "cron" or there == "cron":
        table = _crontab()
        after = _table_with(schedule, table, "" if remove or kind != "cron" else schedule.line)
        changes.append(Change(Path("crontab"), table or None, after or None))
    if kind == "systemd" or there == "systemd":
        keeps = kind == "systemd" and not remove
        for path, text in schedule.files().items():
            before = path.read_text("utf-8", errors="replace") if path.exists() else None
            changes.append(Change(path, before, text if keeps else None))
    return [each for each in changes if each.before != each.after]


def installed(schedule: Schedule) -> str:
    """Which scheduler has the job: systemd, cron, or none (empty)."""
    if any(path.exists() for path in schedule.files()):
        return "systemd"
    return "cron" if shutil.which("crontab") and schedule.name in _crontab() else ""


def remove(schedule: Schedule) -> list[str]:
    """Take the job away, wherever it is; what was done."""
    told = []
    if any(path.exists() for path in schedule.files()):
        _systemctl("disable", "--now", f"{schedule.name}.timer")
        for path in schedule.files():
            Files().remove(path)
            told.append(f"removed: {path}")
        _systemctl("daemon-reload")
    if shutil.which("crontab") and schedule.name in (table := _crontab()):
        _write_crontab(schedule, table, "")
        told.append("removed: the line in the crontab")
    return told


def has_systemd() -> bool:
    """Whether this user has a systemd that can be asked."""
    return shutil.which("systemctl") is not None and _systemctl("show-environment") == 0


def _systemctl(*arguments: str) -> int:
    return _run("systemctl", "--user", *arguments).returncode


def _run(*argv: str, table: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv, input=table, capture_output=True, timeout=PATIENCE, check=False)  # noqa: S603 - our words


def _crontab() -> str:
    """The user's crontab; empty when there is none. UsageError when there is no cron."""
    if shutil.which("crontab") is None:
        raise UsageError(
            "this machine has neither a systemd for users nor cron", "run once an hour: memory consolidate"
        )
    done = _run("crontab", "-l")
    return done.stdout.decode(errors="surrogateescape") if done.returncode == 0 else ""


def _write_crontab(schedule: Schedule, table: str, line: str) -> None:
    """The same table with that line as the only one of this workspace."""
    if new := _table_with(schedule, table, line):
        _run("crontab", "-", table=new.encode(errors="surrogateescape")).check_returncode()
    else:
        _run("crontab", "-r")


def _table_with(schedule: Schedule, table: str, line: str) -> str:
    kept = "".join(each for each in table.splitlines(keepends=True) if f"# {schedule.name}" not in each)
    gap = "\n" if kept and line and not kept.endswith("\n") else ""
    return kept + gap + line


def _quoted(word: str) -> str:
    """A word of a command line as systemd reads it."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{word}"' if " " in word or "'" in word else word


# ---- watching ------------------------------------------------------------------------------------------------------


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
    changed: dict[str, float] = {}  # when each kind of file has changed last, where nothing was done since
    kinds = {NOTES, TRANSCRIPTS}
    for batch in batches:
        at = clock()
        changed |= dict.fromkeys((kinds | {kind_of(path, layout) for path in batch}) - {""}, at)
        kinds = set()
        for kind in [kind for kind, last in changed.items() if at - last >= PAUSES[kind]]:
            try:
                with opening(write=True) as ws:
                    yield from _index_notes(ws) if kind == NOTES else _read_transcripts(ws)
                del changed[kind]
            except LockedError:
                changed[kind] = at


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
