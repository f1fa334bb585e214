"""Measure consolidation and search on a set of conversations with questions.

    scripts/eval --set DIR --out DIR [--questions IDS] [--scope SCOPE …] [--jobs N]
    scripts/eval --set DIR --out DIR --report

A set holds transcripts/<conversation>/<session>.jsonl and questions.jsonl. Each conversation gets a workspace of its
own in a temporary folder and is consolidated night by night with the real pipeline; questions are asked one second
after its last message. Written are memories.jsonl (every active fact, belief and summary) and results.<scope>.jsonl
(what search returns for each question). --report scores what was written with the scorer that lies beside the set
(score.py) and prints it beside the baselines of its README.md. Nothing here knows any set.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

SCOPES = ("memories", "sessions", "all")
MOST_RESULTS = 50
COLUMNS = ("r@1", "r@10", "ndcg10", "r@t500", "r@t1000", "r@t2000", "gans@1000", "tok10")


def main() -> None:
    options = parse()
    if options.report:
        report(options.set, options.out)
        return
    options.out.mkdir(parents=True, exist_ok=True)
    conversations = sorted((options.set / "transcripts").iterdir())
    asked = questions(options.set, options.questions)
    jobs = [(folder, asked.get(folder.name, []), options.scope) for folder in conversations]
    with ProcessPoolExecutor(options.jobs) as pool:
        write(options.out, options.scope, pool.map(measure, *zip(*jobs, strict=True)))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--questions", type=Path, help="a file with the ids of the questions to ask")
    parser.add_argument("--scope", nargs="+", choices=SCOPES, default=SCOPES)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--report", action="store_true")
    return parser.parse_args()


def questions(set_folder: Path, ids: Path | None) -> dict[str, list[dict[str, Any]]]:
    """The questions to ask, by conversation."""
    wanted = set(ids.read_text("utf-8").split()) if ids else None
    by_conversation: dict[str, list[dict[str, Any]]] = {}
    for line in (set_folder / "questions.jsonl").read_bytes().split(b"\n"):
        if line:
            question = orjson.loads(line)
            if wanted is None or question["id"] in wanted:
                by_conversation.setdefault(question["conversation"], []).append(question)
    return by_conversation


def measure(
    folder: Path, asked: list[dict[str, Any]], scopes: list[str]
) -> tuple[list[dict[str, Any]], dict[str, list[dict[str, Any]]]]:
    """Consolidate one conversation and ask its questions: memories, and results by scope."""
    from memory_system import finder

    with consolidated(folder) as ws:
        active = {record.id: record for pool, record in ws.store.records() if pool == "active"}
        memories = [memory_row(folder.name, record, active) for record in active.values()]
        found = {
            scope: [
                result_row(each["id"], finder.search(ws, each["question"], limit=MOST_RESULTS, scope=scope))
                for each in asked
            ]
            for scope in scopes
        }
    return memories, found


@contextmanager
def consolidated(folder: Path) -> Iterator[Any]:
    """A workspace of the conversation in a temporary folder, consolidated night by night up to its end."""
    from memory_system import pipeline
    from memory_system.upkeep import edit
    from memory_system.workspace import Workspace

    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        edit.init(root, "UTC")
        for path in sorted(folder.glob("*.jsonl")):
            shutil.copy(path, root / "sessions" / path.name)
        with Workspace.open(root, now=end_of(folder), write=True) as ws:
            pipeline.consolidate(ws, force=True)
            yield ws


def end_of(folder: Path) -> datetime:
    """One second after the last message."""
    stamps = [orjson.loads(line)["timestamp"] for path in folder.glob("*.jsonl") for line in path.open("rb")]
    return max(datetime.fromisoformat(each) for each in stamps) + timedelta(seconds=1)


def memory_row(conversation: str, record: Any, active: dict[str, Any]) -> dict[str, Any]:
    """A memory with the turns it stands on; a summary stands on those of its facts."""
    sources = [active[each] for each in getattr(record, "source_facts", ()) if each in active] or [record]
    refs = [each.ref for source in sources for each in source.evidence] or [record.source]
    return {"conversation": conversation, "text": record.content, "refs": list(dict.fromkeys(refs))}


def result_row(question_id: str, found: dict[str, Any]) -> dict[str, Any]:
    results = [{name: each[name] for name in ("text", "refs", "score")} for each in found["results"]]
    return {"question_id": question_id, "results": results}


def write(out: Path, scopes: list[str], measured: Iterator[tuple[Any, Any]]) -> None:
    files = {scope: (out / f"results.{scope}.jsonl").open("wb") for scope in scopes}
    with (out / "memories.jsonl").open("wb") as kept:
        for memories, found in measured:
            kept.writelines(orjson.dumps(row) + b"\n" for row in memories)
            for scope, rows in found.items():
                files[scope].writelines(orjson.dumps(row) + b"\n" for row in rows)
    for file in files.values():
        file.close()


def report(set_folder: Path, out: Path) -> None:
    """Our figures above the baselines'."""
    scorer = load(set_folder.parent / "score.py")
    conversations, asked = scorer.load_set(set_folder)
    print(f"{set_folder.name:60} " + " ".join(f"{name:>9}" for name in COLUMNS))
    for scope in SCOPES:
        path = out / f"results.{scope}.jsonl"
        if path.exists():
            rows = [json.loads(line) for line in path.open(encoding="utf-8")]
            results = {row["question_id"]: row["results"] for row in rows}
            all_ = scorer.score_results(conversations, asked, results)[0]["all"]
            print(f"{'ours, ' + scope:60} " + " ".join(f"{all_[name]:9.3f}" for name in COLUMNS))
    for name, figures in baselines(set_folder.parent / "README.md", set_folder.name):
        print(f"{name:60} " + " ".join(f"{each:>9}" for each in figures))
    stored = scorer.score_memories(conversations, asked, [json.loads(line) for line in (out / "memories.jsonl").open()])
    kept = stored["all"]
    print(
        f"stored: {stored['memories']} memories, {stored['comp_tokens']:.3f} of the tokens, "
        f"evidence survival {kept['ev_survival']:.3f}, answer survival {kept['ans_survival']:.3f}"
    )


def baselines(readme: Path, name: str) -> Iterator[tuple[str, list[str]]]:
    """The rows of the first table below the set's heading that has our columns."""
    text = readme.read_text("utf-8") if readme.exists() else ""
    section = re.split(r"^### ", text, flags=re.MULTILINE)
    for part in section:
        if part.startswith(f"{name} "):
            table = [line.strip("| ").split("|") for line in part.split("\n\n")[0].split("\n") if line.startswith("|")]
            yield from ((row[0].strip(), [each.strip() for each in row[1:]]) for row in table[2:])


def load(path: Path) -> ModuleType:
    """The scorer as a module."""
    if not path.exists():
        sys.exit(f"eval: there is no scorer at {path}")
    spec = importlib.util.spec_from_file_location("score", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
