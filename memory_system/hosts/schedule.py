"""Consolidation on a machine's own schedule: a timer of systemd that catches up after the machine was off, or a line in
the crontab. Once an hour is enough on any schedule of nights, because a run that finds none due does nothing."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_system.disk import Files
from memory_system.errors import UsageError
from memory_system.hosts.steps import Change

MINUTE = 17  # of the hour: not when everybody else's jobs start
PATIENCE = 30

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
    done = subprocess.run(  # noqa: S603 - arguments of ours
        ["systemctl", "--user", *arguments],  # noqa: S607 - the machine's own
        capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return done.returncode


def _crontab() -> str:
    """The user's crontab; empty when there is none. UsageError when there is no cron."""
    if shutil.which("crontab") is None:
        raise UsageError(
            "this machine has neither a systemd for users nor cron", "run once an hour: memory consolidate"
        )
    done = _run_crontab("-l")
    return done.stdout.decode(errors="surrogateescape") if done.returncode == 0 else ""


def _write_crontab(schedule: Schedule, table: str, line: str) -> None:
    """The same table with that line as the only one of this workspace."""
    if new := _table_with(schedule, table, line):
        _run_crontab("-", table=new.encode(errors="surrogateescape")).check_returncode()
    else:
        _run_crontab("-r")


def _table_with(schedule: Schedule, table: str, line: str) -> str:
    kept = "".join(each for each in table.splitlines(keepends=True) if f"# {schedule.name}" not in each)
    gap = "\n" if kept and line and not kept.endswith("\n") else ""
    return kept + gap + line


def _run_crontab(option: str, *, table: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - options of ours
        ["crontab", option],  # noqa: S607 - the machine's own
        input=table, capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


def _quoted(word: str) -> str:
    """A word of a command line as systemd reads it."""
    word = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{word}"' if " " in word or "'" in word else word
