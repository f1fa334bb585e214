"""Measure speed and size of the program, each figure in a process of its own, ratios within one run.

    scripts/bench [--messages 100000] [--times 10] [--facts 100000] [--only NAME …]

night     one night over --messages messages in 300 sessions, rules only: messages per CPU second, peak memory
growth    the same with a tenth of the messages: how many times longer the whole takes (--times 10)
idle      a run with nothing new, over --facts facts, above the start of Python with typer
start     `memory --help` and `memory capture` against a typer program that does nothing
search    a cold search over the night's workspace
find      an index of each of --entries messages: entries indexed a CPU second, size, memory; whole answers in one
          process; a search in a process of its own against a bare typer program. Only where --only names it

With --peers [NAME …]: ours beside search engines from PyPI (scripts/bench_peers.py), each in a virtual environment of
its own, over the first of --entries, as ratios of one run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from bench_peers import PACKAGES  # noqa: E402 - beside this file

SESSIONS = 300
DAY = datetime(2026, 3, 2, 3, 30, tzinfo=UTC)  # the talk of one day, all of it before the next night
NOW = "2026-03-03T12:00:00Z"

# Words for invented talk: enough of them that few sentences return, as in real talk.
SUBJECTS_EN = "I|My sister|My friend Nadia|Our team|My neighbour|We"
VERBS_EN = "visited|painted|repaired|bought|sold|planted|read about|talked about|cooked|photographed|measured|found"
KINDS_EN = "old|blue|small|wooden|foreign|quiet|broken|striped|famous|round|cheap|heavy"
THINGS_EN = "lighthouse|bicycle|museum|lemon tree|novel about sailors|garden shed|piano|bridge|kettle|kite|map|canoe"
PLACES_EN = " in Porto| near the river| at the market| in Ghent| on the island| behind the station|||||"
TIMES_EN = " yesterday| last week| on Monday| this morning|||||||||"
SUBJECTS_ZH = "我|我妹妹|我朋友小林|我们组|我邻居"
VERBS_ZH = "参观了|画了|修好了|买了|卖掉了|种了|读完了|聊到了|做了|拍了|量了|找到了"
KINDS_ZH = "旧|蓝色|小小|木头|外国|安静|坏掉|条纹|有名|圆形|便宜|沉甸甸"
THINGS_ZH = "灯塔|自行车|博物馆|柠檬树|水手小说|棚子|钢琴|木桥|水壶|风筝|地图|独木舟"
PLACES_ZH = "在杭州|在河边|在市场上|在苏州|在岛上|在车站后面|||||"
TIMES_ZH = "昨天|上周|周一|今天早上|||||||||"
PLAIN = (
    "Thanks a lot!", "好的，谢谢！", "What do you think about it?", "你觉得怎么样？", "haha nice", "嗯嗯",
    "I like {thing}.", "我喜欢{zh_thing}。", "I don't like {thing}.", "我不喜欢{zh_thing}。",
    "Maybe I'll go there again.", "我可能下周还去。",
)  # fmt: skip
ASSISTANT = (
    "That sounds lovely. Here is what I would look at first: the opening hours, the way there, and the weather.",
    "听起来不错。我建议先看看开放时间和路线，再决定哪天去。",
    "Sure! Let me know if you need anything else.",
    "没问题，有需要随时告诉我。",
)


class Figure(NamedTuple):
    """What one process took."""

    cpu: float  # seconds
    wall: float
    memory: float  # MB at its peak
    output: str


def main() -> None:
    options = parse()
    if options.peers is not None:
        with tempfile.TemporaryDirectory() as temporary:
            beside_peers(Path(temporary), options.entries[0], options.peers or [*PACKAGES])
        return
    chosen = options.only or ["night", "growth", "idle", "start", "search"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        night = one_night(folder / "night", options.messages) if {"night", "growth", "search"} & set(chosen) else None
        if night:
            show_night(night, options.messages)
        if "growth" in chosen and night:
            small = one_night(folder / "small", options.messages // options.times)
            print(f"growth   {options.times} times the messages take {night.cpu / small.cpu:.1f} times as long")
        if "idle" in chosen:
            idle(folder / "idle", options.facts)
        if "start" in chosen:
            start(folder / "start")
        if "search" in chosen:
            search(folder / "night")
        for count in options.entries if "find" in chosen else ():
            find(folder / f"find-{count}", count)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--entries", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--only", nargs="+", choices=["night", "growth", "idle", "start", "search", "find"])
    parser.add_argument("--peers", nargs="*", choices=[*PACKAGES])
    return parser.parse_args()


def run(*command: str | Path) -> Figure:
    """Run a command to its end; the operating system's own figures for it."""
    begun = datetime.now(UTC)
    words = [str(each) for each in command]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = (datetime.now(UTC) - begun).total_seconds()
    if status:
        sys.exit(f"bench: {command} failed: {process.stderr.read() if process.stderr else ''}")
    scale = 1024 if sys.platform == "linux" else 1024 * 1024
    return Figure(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / scale, output)


def memory(root: Path, *arguments: str) -> Figure:
    return run(sys.executable, "-m", "memory_system", "--workspace", root, *arguments)


def talk(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Role and text of invented messages, half English, half Chinese, about a third of them worth nothing."""
    dice = random.Random(seed)  # noqa: S311 - the same talk every time

    def one(words: str) -> str:
        return dice.choice(words.split("|"))

    for number in range(count):
        kind = dice.random()
        if number % 3 == 2:
            yield "assistant", dice.choice(ASSISTANT)
        elif kind < 0.35:
            thing, zh_thing = f"{one(KINDS_EN)} {one(THINGS_EN)}s", f"{one(KINDS_ZH)}的{one(THINGS_ZH)}"
            yield "user", dice.choice(PLAIN).format(thing=thing, zh_thing=zh_thing)
        elif kind < 0.7:
            what = f"{one(SUBJECTS_EN)} {one(VERBS_EN)} the {one(KINDS_EN)} {one(THINGS_EN)}"
            yield "user", f"{what}{one(PLACES_EN)}{one(TIMES_EN)}, it took {dice.randrange(90)} minutes."
        else:
            what = f"{one(SUBJECTS_ZH)}{one(TIMES_ZH)}{one(PLACES_ZH)}{one(VERBS_ZH)}{one(KINDS_ZH)}的{one(THINGS_ZH)}"
            yield "user", f"{what}，用了{dice.randrange(90)}分钟。"


def fill(root: Path, messages: int) -> None:
    """A workspace with that many messages in 300 transcripts of one day."""
    memory(root, "init")
    each = messages // SESSIONS
    for number in range(SESSIONS):
        session = f"bench-{number:03}"
        lines = [{"type": "session", "version": 3, "id": session, "timestamp": DAY.isoformat()}]
        for place, (role, text) in enumerate(talk(each, number)):
            moment = (DAY + timedelta(seconds=place * 80_000 / each)).isoformat()
            message = {"role": role, "content": [{"type": "text", "text": text}]}
            parent = f"m{place - 1}" if place else None
            lines.append(
                {"type": "message", "id": f"m{place}", "parentId": parent, "timestamp": moment, "message": message}
            )
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (root / "sessions" / f"{session}.jsonl").write_text(text, "utf-8")


def one_night(root: Path, messages: int) -> Figure:
    fill(root, messages)
    return memory(root, "--now", NOW, "--json", "consolidate")


def show_night(figure: Figure, messages: int) -> None:
    row = json.loads(figure.output)
    speed = f"{messages / figure.cpu:,.0f} messages per CPU second ({figure.cpu:.1f} s)"
    print(f"night    {messages} messages, {row['totals']['facts']} facts: {speed}, {figure.memory:.0f} MB at the peak")
    for phase in row["phases"]:
        print(f"           {phase['number']} {phase['name']:10} {phase['seconds']:7.2f} s")


def idle(root: Path, facts: int) -> None:
    """A workspace with that many facts, and a run that finds nothing new."""
    from memory_system.records import Fact, memory_id, to_line

    memory(root, "init")
    records = []
    for number, (_, text) in enumerate(talk(facts, 1)):
        content = f"User: {text} ({number})"
        records.append(
            Fact(
                id=memory_id(Fact, DAY.date(), f"bench:{number}", content), content=content, importance=0.5, score=0.5,
                entities=("User",), created="2026-03-02T00:00:00Z", source=f"capture:{number}", lang="en",
                said_at="2026-03-02T00:00:00Z", scored_at="2026-03-02T00:00:00Z", updated="2026-03-02T00:00:00Z",
            )
        )  # fmt: skip
    lines = sorted(to_line(record) for record in records)
    (root / "memory/layer2/active/facts.jsonl").write_bytes(b"".join(lines))
    memory(root, "--now", NOW, "rebuild-index")
    memory(root, "--now", NOW, "consolidate", "--force")
    memory(root, "--now", "2026-03-04T12:00:00Z", "consolidate")
    bare = typer_program(root)
    ours = [memory(root, "--now", f"2026-03-{day:02}T12:00:00Z", "consolidate") for day in range(5, 12)]
    theirs = [run(sys.executable, bare) for _ in ours]
    above = statistics.median(each.wall for each in ours) - statistics.median(each.wall for each in theirs)
    print(f"idle     a run with nothing new over {facts} facts: {1000 * above:.0f} ms above Python with typer")


def typer_program(folder: Path) -> Path:
    """A typer program that does nothing."""
    path = folder / "bare.py"
    path.write_text(
        textwrap.dedent("""
            import typer

            app = typer.Typer()

            @app.command()
            def hello(name: str = "world") -> None:
                print(f"hello {name}")

            app()
        """)
    )
    return path


def start(root: Path) -> None:
    """How much longer our commands take to start than a typer program that does nothing, run in turn."""
    memory(root, "init")
    bare = typer_program(root)
    rows: dict[str, list[float]] = {"--help": [], "capture": []}
    for number in range(15):
        base = run(sys.executable, bare).cpu
        rows["--help"].append(memory(root, "--help").cpu / base)
        rows["capture"].append(memory(root, "capture", f"User counted {number} geese").cpu / base)
    for name, ratios in rows.items():
        print(f"start    memory {name}: {statistics.median(ratios):.2f} times a bare typer program (CPU, median of 15)")


def search(root: Path) -> None:
    """Cold searches, one process each."""
    walls = [
        memory(root, "search", query).wall for query in ("lemon trees", "柠檬树", "灯塔", "who repaired the bicycle")
    ]
    print(f"search   cold, one process each: {1000 * statistics.median(walls):.0f} ms")


def find(root: Path, count: int) -> None:
    """How search does over an index of so many messages."""
    script = PROJECT / "scripts/bench_search.py"
    built = run(sys.executable, script, "build", root, str(count))
    row = json.loads(built.output)
    print(
        f"find     {count} entries: {row['entries'] / row['cpu']:,.0f} indexed a CPU second,"
        f" {row['disk'] / row['text']:.1f} times the text on disk, {built.memory:.0f} MB at the peak"
    )
    asked = run(sys.executable, script, "warm", root, str(count))
    for clock, times in json.loads(asked.output).items():
        middle, late = times[len(times) // 2], times[len(times) * 95 // 100]
        print(f"           warm, {clock}: p50 {middle:.1f} ms, p95 {late:.1f} ms; {asked.memory:.0f} MB at the peak")
    bare = typer_program(root)
    ratios = [memory(root, "search", "lemon trees").cpu / run(sys.executable, bare).cpu for _ in range(9)]
    print(f"           cold: {statistics.median(ratios):.2f} times a bare typer program (CPU, median of 9)")


def beside_peers(folder: Path, count: int, names: list[str]) -> None:
    """Ours, then each peer: how many times as long as ours it takes."""
    script = PROJECT / "scripts/bench_search.py"
    built = json.loads(run(sys.executable, script, "build", folder / "ours", str(count)).output)
    asked = run(sys.executable, script, "warm", folder / "ours", str(count))
    ours = {"build": built["cpu"], **json.loads(asked.output)}
    print(f"peers    {count} entries; whole answers of ours, words alone of theirs; CPU, and times ours")
    show_peer("ours", ours, ours, asked.memory)
    for name in names:
        try:
            python = venv_with(folder / name, PACKAGES[name])
        except subprocess.CalledProcessError as error:
            print(f"           {name:12} does not install here: {error}")
            continue
        figure = run(python, PROJECT / "scripts/bench_peers.py", name, str(count))
        show_peer(name, json.loads(figure.output), ours, figure.memory)


def venv_with(folder: Path, packages: Iterable[str]) -> Path:
    """The Python of a new virtual environment with the packages; CalledProcessError where they do not install."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin/python"
    if packages:
        pip = [python, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([*pip, *packages], check=True, capture_output=True)
    return python


def show_peer(name: str, row: dict[str, Any], ours: dict[str, Any], memory: float) -> None:
    figures = []
    for share in (50, 95):
        each, our = (figure["cpu"][len(figure["cpu"]) * share // 100] for figure in (row, ours))
        figures.append(f"p{share} {each:8.2f} ms ({each / our:6.2f})")
    figures.append(f"building {row['build']:6.2f} s ({row['build'] / ours['build']:5.2f})")
    print(f"           {name:12} {', '.join(figures)}, {memory:.0f} MB")


if __name__ == "__main__":
    main()
