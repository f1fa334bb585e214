"""Two at once: who holds the lock and who does not, a holder that died, disks without locks, and captures, notes and
searches beside a consolidation."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from workspaces import at, consolidate, make, say

from memory_system import finder
from memory_system.disk import Disk, without_locks
from memory_system.errors import LockedError, LocklessError
from memory_system.upkeep import check
from memory_system.workspace import Workspace

NOW = "2026-03-05T12:00:00Z"
MOUNTS = """22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
40 27 0:50 / /mnt/far rw - fuse.sshfs me@far:/home rw,user_id=0
41 27 0:51 / /mnt/office rw - nfs4 office:/export rw,vers=4.2,local_lock=none
42 27 0:52 / /mnt/old\\040office rw - nfs office:/export rw,vers=3,nolock,local_lock=all
43 27 0:53 / /mnt/share rw - cifs //nas/share rw,nobrl
44 40 254:1 / /mnt/far/near rw - xfs /dev/vdb rw
45 27 0:54 / /mnt/twice rw - fuse.sshfs me@far:/ rw
46 27 0:55 / /mnt/twice rw - btrfs /dev/vdc rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ana/agent", ""),
        ("/mnt/far/agent", "fuse.sshfs"),
        ("/mnt/far/near/agent", ""),
        ("/mnt/farther", ""),
        ("/mnt/office/agent", ""),
        ("/mnt/old office/agent", "nfs with local_lock=all, nolock"),
        ("/mnt/share/agent", "cifs with nobrl"),
        ("/mnt/twice/agent", ""),
    ],
)
def test_a_file_system_whose_locks_keep_nobody_out_is_known(path: str, kind: str) -> None:
    assert without_locks(MOUNTS, Path(path)) == kind
    assert without_locks("", Path(path)) == ""


class _FarDisk(Disk):
    """A disk that lies on another machine."""

    def mounts(self) -> str:
        return "27 1 0:50 / / rw - fuse.sshfs me@far:/ rw\n"


def test_nothing_is_written_where_locks_mean_nothing_and_reading_goes_on(tmp_path: Path) -> None:
    make(tmp_path)
    with pytest.raises(LocklessError, match=r"fuse\.sshfs"):
        Workspace.open(tmp_path, now=at(NOW), write=True, disk=_FarDisk())
    with Workspace.open(tmp_path, now=at(NOW), disk=_FarDisk()) as ws:
        assert finder.search(ws, "anything")["results"] == []


def test_who_holds_the_lock_is_told(tmp_path: Path) -> None:
    make(tmp_path)
    with Workspace.open(tmp_path, now=at(NOW), write=True), pytest.raises(LockedError) as caught:
        Workspace.open(tmp_path, now=at(NOW), write=True)
    assert f"process {os.getpid()} on" in str(caught.value)
    assert f"since {NOW}" in str(caught.value)


HOLD = """
import sys, time
from pathlib import Path
from workspaces import at
from memory_system.workspace import Workspace
with Workspace.open(Path(sys.argv[1]), now=at("2026-03-05T12:00:00Z"), write=True):
    print("held", flush=True)
    time.sleep(60)
"""
CAPTURE = """
import sys, time
from pathlib import Path
from workspaces import at
from memory_system.upkeep import edit
from memory_system import finder
from memory_system.workspace import Workspace
for number in range(int(sys.argv[3])):
    with Workspace.open(Path(sys.argv[1]), now=at("2026-03-04T10:00:00Z")) as ws:
        edit.capture(ws, f"User owns boat {sys.argv[2]} of shape {number}", key=f"{sys.argv[2]}-{number}")
        edit.note(ws, f"boat {sys.argv[2]} shape {number}")
        finder.search(ws, "boat")
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    places = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places)}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_a_holder_that_was_killed_holds_nothing(tmp_path: Path) -> None:
    make(tmp_path)
    say(tmp_path, "a", ("2026-03-02T09:00:00Z", "user", "I'm allergic to peanuts."))
    with start(HOLD, tmp_path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        began = time.monotonic()
        with pytest.raises(LockedError, match=str(holder.pid)):
            consolidate(tmp_path, NOW)
        assert time.monotonic() - began < 5  # told at once, not after a wait
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert consolidate(tmp_path, NOW).nights


def test_captures_and_notes_beside_consolidations_are_all_there_once(tmp_path: Path) -> None:
    make(tmp_path)
    writers = [start(CAPTURE, tmp_path, name, 12) for name in ("Anna", "Bea", "陈")]
    nights = 0
    while any(each.poll() is None for each in writers):
        nights += 1
        say(tmp_path, f"s{nights}", ("2026-03-04T09:00:00Z", "user", f"I planted {nights + 1} trees."))
        consolidate(tmp_path, NOW, force=True)
    assert [each.wait() for each in writers] == [0, 0, 0]
    for each in writers:
        each.communicate()
    consolidate(tmp_path, "2026-03-06T12:00:00Z", force=True)
    with Workspace.open(tmp_path, now=at("2026-03-06T13:00:00Z")) as ws:
        assert ws.inbox.pending() == []
        said = [each["quote"] for _, line in ws.store.all_lines() for each in json.loads(line).get("evidence", ())]
        wanted = {f"User owns boat {name} of shape {n}" for name in ("Anna", "Bea", "陈") for n in range(12)}
        assert wanted <= set(said)
        assert list(check.validate(ws)) == []
    note = (tmp_path / "memory/2026-03-04.md").read_text("utf-8")
    assert all(note.count(f"boat {name} shape {n}\n") == 1 for name in ("Anna", "Bea", "陈") for n in range(12))
