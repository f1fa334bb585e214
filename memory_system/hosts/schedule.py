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
from memory_system.hosts import Change, Open
from memory_system.layout import Layout
from memory_system.nights import derive
from memory_system.phases import index
from memory_system.readers.places import is_pattern
from memory_system.recall.search_index import Index
from memory_system.recall.units import DERIVED_FOLDERS
from memory_system.workspace import Workspace

MINUTE = 17  # of the hour: not when everybody else's jobs start
PATIENCE = 30
CRONTAB = Path("crontab")  # stands for the user's table, which is no file
NOTES, TRANSCRIPTS = "notes", "transcripts"
PAUSES = {NOTES: 1.5, TRANSCRIPTS: 5.0}  # seconds of quiet before something is done
_ENDINGS = (".jsonl", ".jsonl.gz", ".sqlite", ".sqlite-wal")

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


def scheduler(asked: str = "") -> str:
    """The scheduler that is asked for, else the one that this machine has. UsageError when it is not here."""
    if asked != "cron" and shutil.which("systemctl") and _systemctl("show-environment") == 0:
        return "systemd"
    if asked == "systemd":
        raise UsageError("there is no systemd for this user here", "memory schedule install --with cron")
    if shutil.which("crontab") is None:
        what = "this machine has neither a systemd for users nor cron"
        raise UsageError(what, "run once an hour: memory consolidate")
    return "cron"


def installed(schedule: Schedule) -> str:
    """Which scheduler has the job: systemd, cron, or none (empty)."""
    if any(path.exists() for path in schedule.files()):
        return "systemd"
    return "cron" if schedule.name in _crontab() else ""


def changes(schedule: Schedule, kind: str) -> list[Change]:
    """What is to change so that this scheduler has the job (empty: none), and no other."""
    table = _crontab()
    kept = "".join(line for line in table.splitlines(keepends=True) if f"# {schedule.name}" not in line)
    if kind == "cron":
        kept += ("\n" if kept and not kept.endswith("\n") else "") + schedule.line
    found = [Change(CRONTAB, table or None, kept or None)]
    for path, text in schedule.files().items():
        before = path.read_text("utf-8", errors="replace") if path.exists() else None
        found.append(Change(path, before, text if kind == "systemd" else None))
    return [each for each in found if each.before != each.after]


def install(schedule: Schedule, kind: str) -> list[str]:
    """Set the job up; what was done, one thing a line. UsageError when this machine has no such scheduler."""
    kind = scheduler(kind)
    if installed(schedule) not in ("", kind):
        remove(schedule)
    _make(changes(schedule, kind))
    if kind == "cron":
        return [f"crontab: {schedule.line.rstrip()}"]
    _systemctl("daemon-reload")
    if _systemctl("enable", "--now", f"{schedule.name}.timer"):
        hint = f"look with: systemctl --user status {schedule.name}.timer"
        raise UsageError(f"systemd does not start {schedule.name}.timer", hint)
    return [f"written: {path}" for path in schedule.files()] + [f"enabled: {schedule.name}.timer"]


def remove(schedule: Schedule) -> list[str]:
    """Take the job away, wherever it is; what was done."""
    has_units = installed(schedule) == "systemd"
    if has_units:
        _systemctl("disable", "--now", f"{schedule.name}.timer")
    gone = changes(schedule, "")
    _make(gone)
    if has_units:
        _systemctl("daemon-reload")
    return [f"removed: {'the line in the crontab' if each.path == CRONTAB else each.path}" for each in gone]


def _make(planned: Iterable[Change]) -> None:
    files = Files()
    for each in planned:
        if each.path != CRONTAB and each.after is not None:
            files.make_folder(each.path.parent)
            files.replace(each.path, each.after.encode())
        elif each.path != CRONTAB:
            files.remove(each.path)
        elif each.after is not None:
            _run("crontab", "-", table=each.after.encode(errors="surrogateescape")).check_returncode()
        else:
            _run("crontab", "-r")


def _systemctl(*arguments: str) -> int:
    return _run("systemctl", "--user", *arguments).returncode


def _run(*argv: str, table: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(argv, input=table, capture_output=True, timeout=PATIENCE, check=False)  # noqa: S603 - our words


def _crontab() -> str:
    """The user's crontab; empty when there is none, or no cron."""
    done = _run("crontab", "-l") if shutil.which("crontab") else None
    return done.stdout.decode(errors="surrogateescape") if done and done.returncode == 0 else ""


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
