"""Measure what asking a language model costs and what its answers are worth, with scripted models instead of real ones.

    .venv/bin/python scripts/asking.py tokens [--set DIR …] [--most N]
    .venv/bin/python scripts/asking.py table
    .venv/bin/python scripts/asking.py quality --set DIR [--set DIR …] [--most N]

Sets are those of scripts/eval; --most takes that many conversations of each.

tokens    tokens a night on the sample workspace and the sets, counted by a server on this machine that the real SDK
          talks to: as configured by default, with every question on, and with every segment sent to both questions;
          and of the nights with segments that the rules are not sure of, in how many anything was asked
table     the same for one night of invented talk that gives 10, 50 and 100 memories
quality   how much of what questions ask for survives and is found, by rules, with a model that answers from the
          questions' own evidence, and with one that lies; and how many of its lies entered
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import orjson

PROJECT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PROJECT), str(PROJECT / "tests"), str(PROJECT / "scripts")]

import bench  # noqa: E402 - after the path to it is known
import evaluation  # noqa: E402 - likewise
from answering import EMPTY, claim, lines_of, question_of  # noqa: E402 - likewise
from claude_server import serving  # noqa: E402 - likewise

EVERYTHING = ["screen", "extract", "conflict", "beliefs", "summaries", "polish"]
WIDE = {"tokens_per_night": 1_800, "usd_per_month": 1_000_000}
SAMPLE_END = datetime.fromisoformat("2026-02-22T12:00:00+00:00")
CHUNK = 60  # lines of a question when all are sent
LINE = re.compile(r"^(?P<who>.*?)(?: \[.*?\])?: (?P<words>.*)$")
FIRST = (
    (r"\bI'm\b", "{who} is"), (r"\bI\b", "{who}"), (r"\bmy\b", "{who}'s"), (r"\b(?:me|myself)\b", "{who}"),
    ("我", "{who}"),
)  # fmt: skip
MARK = "Zanzibarian"  # in every lie
FIGURES = ("ev_survival", "ans_survival")
FOUND = ("r@10", "r@t1000", "gans@1000")


def main() -> None:
    options = parse()
    os.environ["ANTHROPIC_API_KEY"] = "a key for nobody"
    {"tokens": tokens, "table": table, "quality": quality}[options.what](options.set or [], options.most)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["tokens", "table", "quality"])
    parser.add_argument("--set", type=Path, action="append")
    parser.add_argument("--most", type=int)
    return parser.parse_args()


class Talk(NamedTuple):
    """A conversation: its transcripts and notes, and the moment after its last message."""

    name: str
    folder: Path
    until: datetime


def talks(sets: Iterable[Path], most: int | None) -> Iterator[tuple[str, list[Talk]]]:
    """The conversations of each set."""
    for folder in sets:
        found = sorted((folder / "transcripts").iterdir())[:most]
        yield folder.name, [Talk(each.name, each, evaluation.end_of(each)) for each in found]


@contextmanager
def workspace(talk: Talk, **config: Any) -> Iterator[Any]:
    """A workspace of the conversation in a temporary folder, open for writing, not yet consolidated."""
    from memory_system.upkeep import edit
    from memory_system.workspace import Workspace

    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "w"
        if (talk.folder / "sessions").is_dir():
            shutil.copytree(talk.folder, root)
            edit.init(root, "UTC")
        else:
            edit.init(root, "UTC")
            for path in sorted(talk.folder.glob("*.jsonl")):
                shutil.copy(path, root / "sessions" / path.name)
        kept = json.loads((root / "memory/config.json").read_bytes())
        (root / "memory/config.json").write_bytes(orjson.dumps({**kept, **config}))
        with Workspace.open(root, now=talk.until, write=True) as ws:
            yield ws


# ---- tokens --------------------------------------------------------------------------------------------------------


def tokens(sets: list[Path], most: int | None) -> None:
    """Tokens a night, in three ways of asking."""
    sample = [Talk("sample", PROJECT / "workspace", SAMPLE_END)]
    print(
        f"{'':16} {'nights':>6} {'unsure':>6} {'asked':>6} {'default':>8} {'all on':>8} {'every segment':>14} "
        f"{'all/every':>10}"
    )
    for name, found in [("sample", sample), *talks(sets, most)]:
        counted = Counter[str]()
        for talk in found:
            counted.update(spent(talk))
        nights = counted["nights"]
        row = [counted[each] / nights for each in ("default", "everything", "all")]
        print(
            f"{name:16} {nights:6} {counted['unsure']:6} {counted['asked']:6} {row[0]:8.0f} {row[1]:8.0f} "
            f"{row[2]:14.0f} {counted['everything'] / counted['all']:10.2f}",
            flush=True,
        )


def table(sets: list[Path], most: int | None) -> None:
    """Tokens of one night by the memories that come of it, as a Markdown table."""
    del sets, most  # the talk is invented
    print("| memories | every segment sent | everything on | default |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as temporary:
        for wanted in (10, 50, 100):
            talk = night_of(wanted, Path(temporary) / str(wanted))
            found = spent(talk, force=False)
            print(f"| {wanted} | {found['all']:,} | {found['everything']:,} | {found['default']:,} |", flush=True)


def night_of(wanted: int, folder: Path) -> Talk:
    """A day of invented talk, as much as gives so many memories by rules."""
    folder.mkdir()
    lines = [{"type": "session", "version": 3, "id": "day", "timestamp": "2026-03-02T08:00:00Z"}]
    until = datetime.fromisoformat("2026-03-03T03:00:01+00:00")
    for number, (role, text) in enumerate(bench.talk(20 * wanted, wanted)):
        moment = (datetime.fromisoformat("2026-03-02T08:00:00+00:00") + timedelta(seconds=40 * number)).isoformat()
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        lines.append({"type": "message", "id": f"e{number}", "timestamp": moment, "message": message})
        if number % max(4, wanted // 4) == 0:
            (folder / "day.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
            with workspace(Talk("", folder, until)) as ws:
                if sum(consolidated(ws).totals[kind] for kind in ("facts", "beliefs", "summaries")) >= wanted:
                    break
    return Talk(f"{wanted} memories", folder, until)


def spent(talk: Talk, *, force: bool = True) -> dict[str, int]:
    """Nights of a conversation, those of them with segments that the rules are not sure of, those of these in which
    anything was asked, and the tokens that each way of asking takes."""
    found: dict[str, int] = {}
    ways: dict[str, dict[str, Any]] = {
        "default": {"budget": {"usd_per_month": 1_000_000}},
        "everything": {"questions": EVERYTHING, "budget": WIDE},
    }
    for name, way in ways.items():
        with serving(behaving) as server:
            llm = {"mode": "auto", "base_url": server.url, **{k: way[k] for k in way if k == "questions"}}
            with workspace(talk, llm=llm, budget=way["budget"]) as ws:
                report = consolidated(ws, force=force)
                asked = {json.loads(line)["night"] for line in ws.layout.ledger.read_bytes().splitlines()}
        found[name] = server.tokens
        if name == "default":
            unsure = {
                night for night, account in zip(report.nights, report.accounts, strict=True) if is_unsure(account)
            }
            found |= {"nights": len(report.nights), "unsure": len(unsure), "asked": len(unsure & asked)}
    found["all"] = every_segment(talk)
    return found


def is_unsure(account: dict[str, Any]) -> bool:
    """Whether a night left segments out for nothing but the share, or kept ones of which the rules told nothing."""
    return bool(account["segments"]["dropped"].get("share") or account["kept"]["without_claim"].get("fragment"))


def consolidated(ws: Any, *, force: bool = True, **options: Any) -> Any:
    from memory_system import pipeline

    return pipeline.consolidate(ws, force=force, **options)


def every_segment(talk: Talk) -> int:
    """Tokens when every segment is sent to both questions, in as few calls as they allow."""
    from memory_system.llm.claude import Claude
    from memory_system.llm.prompts import template
    from memory_system.phases.asking import claims, segments
    from memory_system.text import language

    with serving(behaving) as server, workspace(talk, llm={"base_url": server.url}) as ws:
        model = Claude(ws.config.model, ws.config.llm, "a key for nobody")
        for told in by_night(ws):
            lang = "zh" if sum(language(each) == "zh" for each in told) * 2 > len(told) else "en"
            for name, schema in (("screen", segments.Judged), ("extract", claims.Claims)):
                for start in range(0, len(told), CHUNK):
                    numbered = [f"{n}. {line}" for n, line in enumerate(told[start : start + CHUNK], 1)]
                    text = "<lines>\n" + "\n".join(numbered) + "\n</lines>"
                    model.ask(template(name, lang).about(text, 60_000), schema)
        model.close()
    return server.tokens


def by_night(ws: Any) -> Iterator[list[str]]:
    """All segments of each night that has any, as the lines of a question."""
    from memory_system.phases.asking.segments import shown

    from memory_system import pipeline
    from memory_system.nights.night import Run
    from memory_system.phases import Night, segment

    found, _ = pipeline.waiting(ws)
    moments = {
        ws.config.schedule.after(datetime.fromisoformat(each)) for all_ in found.messages.values() for each in all_
    }
    for at in sorted({min(each, ws.now) for each in moments}):
        run = Run(ws, Night(at, ws.config), found.sessions_before(at))
        turns = list(segment.run(run.messages(), run.night, run.tally))
        ws.checkpoint.state.cursors |= {key: each.to_row() for key, each in run.cursors.items()}
        if told := shown(None, turns):
            yield [each.line for each in told.values()]


def behaving(request: dict[str, Any]) -> Any:
    """Answers as long as a model's: it keeps every second line, and tells each in its own words."""
    name, found = question_of(request), lines_of(request)
    if name == "screen":
        return {"keep": [{"n": n, "category": "general", "importance": 0.6} for n, _ in found[::2]]}
    if name == "extract":
        return {"claims": [told(n, line) for n, line in found]}
    if name == "summaries":
        return {"topics": [{"n": n, "text": line.replace(" | ", ", ")} for n, line in found]}
    if name == "polish":
        return {"lines": [{"n": n, "text": line} for n, line in found[::2]]}
    return EMPTY[name]


def told(n: int, line: str) -> dict[str, Any]:
    """A line as a claim in the third person."""
    found = LINE.match(line)
    who, words = (found["who"], found["words"]) if found else ("User", line)
    text = words
    for pattern, instead in FIRST:
        text = re.sub(pattern, instead.format(who=who), text)
    return claim(n, words, text.rstrip(".!。！"))


# ---- quality -------------------------------------------------------------------------------------------------------


def quality(sets: list[Path], most: int | None) -> None:
    """The figures by rules, with a model that knows, with one that lies."""
    for folder in sets:
        scorer = evaluation.load(folder.parent / "score.py")
        conversations, asked = scorer.load_set(folder)
        chosen = [talk for _, found in talks([folder], most) for talk in found]
        names = {talk.name for talk in chosen}
        asked = [each for each in asked if each["conversation"] in names]
        print(f"{folder.name:16} {'':8} " + " ".join(f"{each:>12}" for each in (*FIGURES, *FOUND)) + f" {'lies':>6}")
        for name, script in SCRIPTS.items():
            row = measured(chosen, asked, scorer, conversations, script)
            shown = " ".join(f"{row[each]:12.3f}" for each in (*FIGURES, *FOUND))
            print(f"{'':16} {name:8} {shown} {row['lies']:6.0f}  ({row['by_model']:.0f} told by it)", flush=True)


def measured(chosen: list[Talk], asked: Any, scorer: Any, conversations: Any, script: Any) -> dict[str, float]:
    memories: list[dict[str, Any]] = []
    results: dict[str, Any] = {}
    counted = Counter[str]()
    for talk in chosen:
        mine = [each for each in asked if each["conversation"] == talk.name]
        rows, found, marks = remembered(talk, mine, script)
        memories += rows
        results |= found
        counted.update(marks)
    told = {talk.name: conversations[talk.name] for talk in chosen}
    kept = scorer.score_memories(told, asked, memories)["all"]
    got = scorer.score_results(told, asked, results)[0]["all"]
    figures = {each: kept[each] for each in FIGURES} | {each: got[each] for each in FOUND}
    return {**figures, "lies": counted["lies"], "by_model": counted["by_model"]}


def remembered(talk: Talk, asked: list[dict[str, Any]], script: Any) -> tuple[Any, Any, Counter[str]]:
    """What is stored of a conversation and found of it, and how much of it the model told."""
    from memory_system import finder
    from memory_system.llm.scripted import ScriptedLLM

    with workspace(talk, llm={"questions": EVERYTHING}, budget=WIDE) as ws:
        model = ScriptedLLM(script(evidence_of(talk, asked)), model=ws.config.model) if script else None
        consolidated(ws, llm=model, mode="off")
        active = {record.id: record for pool, record in ws.store.records() if pool == "active"}
        rows = [evaluation.memory_row(talk.name, record, active) for record in active.values()]
        found = {
            each["id"]: evaluation.result_row(
                each["id"], finder.search(ws, each["question"], limit=evaluation.MOST_RESULTS, scope="memories")
            )["results"]
            for each in asked
        }
    marks = Counter(by_model=sum(1 for each in active.values() if each.method.startswith("llm:")))
    marks["lies"] = sum(1 for each in active.values() if MARK.lower() in each.content.lower())
    return rows, found, marks


def evidence_of(talk: Talk, asked: Iterable[dict[str, Any]]) -> list[str]:
    """The texts of the turns that answer the questions, as lines show them."""
    refs = {(each["session"], each["entry_id"]) for question in asked for each in question["evidence"]}
    texts = []
    for path in sorted(talk.folder.glob("*.jsonl")):
        for row in map(orjson.loads, path.read_bytes().splitlines()):
            if row["type"] == "message" and (path.stem, row["id"]) in refs:
                said = " ".join(part["text"] for part in row["message"]["content"])
                texts.append(" ".join(said.split()))
    return texts


def knowing(evidence: list[str]) -> Callable[[Any], Any]:
    """A model that knows what will be asked: it keeps what answers a question, and tells it in the third person."""

    def script(prompt: Any) -> Any:
        found = [(int(n), line) for n, line in re.findall(r"^(\d+)\. (.*)$", prompt.input, re.MULTILINE)]
        wanted = [(n, line) for n, line in found if any(words_of(line) in text for text in evidence)]
        if prompt.name == "screen":
            return {"keep": [{"n": n, "category": "general", "importance": 1.0} for n, _ in wanted]}
        return {"claims": [told(n, line) for n, line in wanted]} if prompt.name == "extract" else EMPTY[prompt.name]

    return script


def words_of(line: str) -> str:
    found = LINE.match(line)
    return found["words"].rstrip("…") if found else line


def lying(evidence: list[str]) -> Callable[[Any], Any]:
    """A model that knows it too, and does its worst: keeps what answers nothing, invents, contradicts itself, declares
    every memory over and every belief false."""

    def script(prompt: Any) -> Any:
        found = [(int(n), line) for n, line in re.findall(r"^(\d+)\. (.*)$", prompt.input, re.MULTILINE)]
        numbers = [n for n, _ in found]
        if prompt.name == "screen":
            useless = [n for n, line in found if not any(words_of(line) in text for text in evidence)]
            return {"keep": [{"n": n, "category": "health", "importance": 1.0} for n in (*useless, *useless)]}
        if prompt.name == "extract":
            return {"claims": [lie for n, line in found for lie in lies(n, words_of(line))]}
        return {
            "conflict": {"over": numbers},
            "beliefs": {"confirm": [], "deny": numbers},
            "summaries": {"topics": [{"n": n, "text": f"All of it is {MARK}."} for n in numbers]},
            "polish": {"lines": [{"n": n, "text": MARK} for n in numbers]},
        }[prompt.name]

    return script


def lies(n: int, words: str) -> Iterator[dict[str, Any]]:
    """Two lies about a line, of kinds that take turns."""
    kinds = (
        claim(n, words, f"User is {MARK}"),
        claim(n, f"{words} {MARK}", f"{words} {MARK}"),
        claim(n, words, f"{MARK} said: {words}", about=MARK),
        claim(n, words, f"User never said {words} to {MARK}", attribute="lives_in", value=MARK),
    )
    yield from (kinds[n % 4], kinds[(n + 1) % 4])


SCRIPTS: dict[str, Any] = {"rules": None, "knowing": knowing, "lying": lying}


if __name__ == "__main__":
    main()
