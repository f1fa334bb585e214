"""The real OpenClaw, offline: what it writes is remembered, what is remembered it shows, and nothing counts twice.

    npm install node@24.21.0              in one folder, and beside it
    npm install openclaw@2026.9.6         in another (650 MB); then
    python scripts/openclaw/try.py NODE_FOLDER OPENCLAW_FOLDER [--keep FOLDER]

It works in a folder of its own, with a language model on loopback that answers "I see.", and takes some minutes. Each
check prints a line; the first that fails ends the program with 1. The folders are those that hold node_modules.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent.parent
GROUP = "agent:main:telegram:group:-1001"
PATIENCE = 180  # seconds for one command, and for the Gateway to come up
OLD = "11111111-2222-4333-8444-555555555555"


class Bench:
    """One installation of OpenClaw with its state, and one workspace of ours."""

    def __init__(self, node: Path, openclaw: Path, root: Path) -> None:
        self.root = root
        self.state = root / "state"
        self.ws = root / "memory-ws"
        self.asked = root / "asked"
        self.model_port, self.gateway_port = free_port(), free_port()
        path = f"{node}/node_modules/node/bin:{openclaw}/node_modules/.bin:{os.environ['PATH']}"
        own = {"PATH": path, "HOME": str(root), "OPENCLAW_HOME": str(root), "OPENCLAW_STATE_DIR": str(self.state)}
        self.env = {**os.environ, **own, "PYTHONPATH": str(PROJECT)}
        self.state.mkdir(parents=True)
        self.config = self.state / "openclaw.json"
        self.config.write_text(json.dumps(self._settings(), indent=2) + "\n")

    def _settings(self) -> dict[str, Any]:
        model = {"id": "echo", "name": "echo", "contextWindow": 128_000, "maxTokens": 4096}
        url = f"http://127.0.0.1:{self.model_port}/v1"
        fake = {"baseUrl": url, "apiKey": "none", "api": "openai-completions", "models": [model]}
        gateway = {"mode": "local", "port": self.gateway_port, "bind": "loopback"}
        return {
            "memory": {"search": {"provider": "none"}},
            "gateway": {**gateway, "auth": {"mode": "token", "token": "only-on-loopback"}},
            "agents": {"defaults": {"model": {"primary": "fake/echo"}}},
            "models": {"providers": {"fake": fake}},
        }

    def run(self, *argv: str, check: bool = True) -> str:
        done = subprocess.run(
            argv, env=self.env, cwd=self.root, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        if check and done.returncode:
            sys.exit(f"{' '.join(argv)} ended with {done.returncode}:\n{done.stderr}{done.stdout}")
        return done.stdout

    def memory(self, *arguments: str) -> str:
        return self.run(sys.executable, "-m", "memory_system", "--workspace", str(self.ws), *arguments)

    def say(self, text: str, key: str = "agent:main:main", *, local: bool = False) -> None:
        where = ["--local"] if local else []
        self.run("openclaw", "agent", *where, "--agent", "main", "--session-key", key, "--message", text)

    def prompts(self) -> list[str]:
        """The system prompts that the model was given, oldest first."""
        rows = [json.loads(path.read_text()) for path in sorted(self.asked.glob("*.json"))]
        return [json.dumps(row["messages"][0], ensure_ascii=False) for row in rows]

    @contextmanager
    def running(self, *argv: str, until: int) -> Iterator[None]:
        """A program in the background, ready when somebody listens on that port."""
        with (self.root / f"{Path(argv[0]).name}-{until}.log").open("w") as log:
            process = subprocess.Popen(
                argv, env=self.env, cwd=self.root, stdout=log, stderr=log, start_new_session=True
            )
            try:
                wait_for(until)
                yield
            finally:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(PATIENCE * 2):
        with socket.socket() as caller:
            if caller.connect_ex(("127.0.0.1", port)) == 0:
                time.sleep(3)  # it listens before its hooks are loaded
                return
        time.sleep(0.5)
    sys.exit(f"nothing listens on port {port}")


def told(what: str, *, holds: bool) -> None:
    print(f"{'ok    ' if holds else 'FAILED'} {what}", flush=True)
    if not holds:
        sys.exit(1)


def legacy(bench: Bench) -> None:
    """A session as OpenClaw kept it before its store: a transcript and the index beside it."""
    folder = bench.state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    said = ("I'm allergic to peanuts.", "我在云帆科技上班。")
    head = {"type": "session", "version": 3, "id": OLD, "timestamp": "2026-03-02T09:00:00.000Z", "cwd": str(bench.root)}
    rows: list[dict[str, Any]] = [head]
    for number, text in enumerate(said):
        row = {"type": "message", "id": f"0000000{number}", "parentId": f"0000000{number - 1}" if number else None}
        message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": 1772442000000 + number}
        rows.append({**row, "timestamp": "2026-03-02T09:00:01.000Z", "message": message})
    (folder / f"{OLD}.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    entry = {"sessionId": OLD, "updatedAt": 1772442000000, "chatType": "direct"}
    (folder / "sessions.json").write_text(json.dumps({"agent:main:telegram:direct:5": entry}))


def facts(bench: Bench) -> list[dict[str, Any]]:
    path = bench.ws / "memory/layer2/active/facts.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def trace(folder: Path) -> dict[str, tuple[bytes, int]]:
    """The store and its log with their bytes and times."""
    paths = [path for path in folder.glob("openclaw-agent.sqlite*") if path.name.endswith((".sqlite", "-wal"))]
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(paths)}


def check_migration(bench: Bench) -> None:
    """A legacy session is read, migrated by OpenClaw itself, and read again."""
    legacy(bench)
    bench.memory("consolidate", "--force")
    before = facts(bench)
    told("a session of the older kind is remembered", holds=len(before) == 2)
    bench.run("openclaw", "doctor", "--fix", "--non-interactive")
    left = [path.name for path in (bench.state / "agents/main").rglob("*.jsonl*")]
    told(
        f"OpenClaw has migrated it ({', '.join(left)})",
        holds=not (bench.state / f"agents/main/sessions/{OLD}.jsonl").exists(),
    )
    report = json.loads(bench.memory("--json", "consolidate", "--force"))
    read = report["accounting"]["messages"]["read"] if report["nights"] else 0
    told("after the migration nothing is read again", holds=read == 0 and not report["problems"])
    told("and nothing counts twice", holds=facts(bench) == before)


def check_store(bench: Bench) -> None:
    """What its own agent writes into its store is remembered, and the store stays as it was."""
    bench.say("My name is Nora Quill and I moved to Porto.", local=True)
    bench.say("The whole group moved to Lyon.", GROUP, local=True)
    before = trace(bench.state / "agents/main/agent")
    bench.memory("consolidate", "--force")
    contents = {each["content"] for each in facts(bench)}
    told(
        "what was said in private is remembered", holds={"User's name is Nora Quill", "User moved to Porto"} <= contents
    )
    told("what was said in a group is not", holds=not any("Lyon" in each for each in contents))
    told("the store's bytes and times are as they were", holds=trace(bench.state / "agents/main/agent") == before)
    told("its form is the one that is known", holds=schema(bench) == 23)


def schema(bench: Bench) -> int:
    path = bench.state / "agents/main/agent/openclaw-agent.sqlite"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        return int(store.execute("PRAGMA user_version").fetchone()[0])


def check_hook_and_job(bench: Bench) -> None:
    """The snapshot in the prompt of a private session and in no other; the nightly job, made once, and its run."""
    row = json.loads(bench.memory("--json", "integrate", "openclaw"))
    told("the nightly job is declared", holds=not any("did not work" in each for each in row["left"]))
    bench.memory("integrate", "openclaw")
    jobs = [job for job in list_jobs(bench) if job.get("declarationKey") == "memory-system:nightly"]
    told("declared twice it is one job", holds=len(jobs) == 1)
    told("not at the time of OpenClaw's own", holds=jobs[0]["schedule"]["expr"] == "10 4 * * *")
    for path in bench.asked.glob("*"):
        path.unlink()
    bench.say("What do you know of me?")
    bench.say("Hello everybody.", GROUP)
    private, group = bench.prompts()[:2]
    told(
        "the snapshot is in the prompt of a private session", holds="snapshot.md" in private and "Nora Quill" in private
    )
    told("and not in that of a group", holds="snapshot.md" not in group and "Nora Quill" not in group)
    bench.run("openclaw", "automations", "run", jobs[0]["id"])
    told("the job runs and reports", holds=reported(bench, jobs[0]["id"]))


def list_jobs(bench: Bench) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = json.loads(bench.run("openclaw", "automations", "list", "--all", "--json"))["jobs"]
    return jobs


def reported(bench: Bench, job: str) -> bool:
    for _ in range(20):
        entries = json.loads(bench.run("openclaw", "automations", "runs", "--id", job))["entries"]
        if entries:
            print(f"       {entries[0]['status']}: {entries[0]['summary'].splitlines()[0]}")
            return bool(entries[0]["status"] == "ok")
        time.sleep(2)
    return False


def check_removal(bench: Bench, config: bytes) -> None:
    bench.memory("integrate", "openclaw", "--remove")
    told("its configuration is as it was, to the byte", holds=bench.config.read_bytes() == config)
    told("the hook is gone", holds=not (bench.state / "hooks/memory-snapshot").exists())
    jobs = [job for job in list_jobs(bench) if job.get("declarationKey") == "memory-system:nightly"]
    told("the job is gone", holds=not jobs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("node", type=Path)
    parser.add_argument("openclaw", type=Path)
    parser.add_argument("--keep", type=Path, help="work in this (new) folder and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memory-openclaw-") as folder:
        root = (options.keep or Path(folder)).resolve()
        root.mkdir(parents=True, exist_ok=True)
        everything(Bench(options.node.resolve(), options.openclaw.resolve(), root))


def everything(bench: Bench) -> None:
    model = (sys.executable, str(Path(__file__).with_name("model.py")), str(bench.model_port), str(bench.asked))
    bench.memory("init", "--timezone", "UTC")
    (bench.ws / "memory/config.json").write_text(
        json.dumps({"sources": [{"path": str(bench.state / "agents" / "main")}]})
    )
    with bench.running(*model, until=bench.model_port):
        check_migration(bench)
        check_store(bench)
        config = bench.config.read_bytes()
        bench.memory("integrate", "openclaw")  # the hook is loaded when the Gateway starts
        with bench.running("openclaw", "gateway", "run", until=bench.gateway_port):
            check_hook_and_job(bench)
            check_removal(bench, config)


if __name__ == "__main__":
    main()
