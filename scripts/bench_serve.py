"""How long the MCP server takes to answer memory_search, asked by the official client over stdio.

    python scripts/bench_serve.py [--facts 10000] [--queries 300]

Prints the median, the 95th percentile and the longest of the answers' times, beside those of a call that does nothing
(an unknown tool), which is what the protocol itself costs, and beside the CPU time of the same searches in one process,
which does not depend on what else the machine is doing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio
from bench import DAY, NOW, PROJECT, memory, talk
from mcp import Client, StdioServerParameters


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--queries", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary) / "agent"
        fill(root, options.facts)
        figures = {**anyio.run(ask, root, options.queries), "search (CPU)": alone(root, options.queries)}
        for name, times in figures.items():
            times.sort()
            p95 = times[int(len(times) * 0.95)]
            print(f"{name:14} median {statistics.median(times):5.1f} ms, p95 {p95:5.1f} ms, max {times[-1]:5.1f} ms")


def fill(root: Path, facts: int) -> None:
    """A workspace with that many facts, indexed, and with a week of notes."""
    from memory_system.records import Fact, memory_id, to_line
    from memory_system.text import language

    memory(root, "init")
    records = []
    for number, (_, text) in enumerate(talk(facts, 1)):
        records.append(
            Fact(
                id=memory_id(Fact, DAY.date(), f"bench:{number}", text), content=text, importance=0.5, score=0.5,
                entities=("User",), created="2026-03-02T00:00:00Z", source=f"capture:{number}", lang=language(text),
                said_at="2026-03-02T00:00:00Z", scored_at="2026-03-02T00:00:00Z", updated="2026-03-02T00:00:00Z",
            )
        )  # fmt: skip
    lines = sorted(to_line(record) for record in records)
    (root / "memory/layer2/active/facts.jsonl").write_bytes(b"".join(lines))
    for day in range(1, 8):
        said = "".join(f"## [09:{n:02}:00] fact\n\n{text}\n\n" for n, (_, text) in enumerate(talk(20, day)))
        (root / f"memory/2026-03-{day:02}.md").write_text(said, "utf-8")
    memory(root, "--now", NOW, "rebuild-index")


def alone(root: Path, queries: int) -> list[float]:
    """CPU milliseconds of each search, without server and client."""
    from memory_system import clock
    from memory_system.agent.tools import Toolbox

    tools = Toolbox(root, lambda: clock.read_stamp(NOW))
    times = []
    for _, text in talk(queries, 99):
        begun = time.process_time()
        tools.call("memory_search", {"query": text})
        times.append((time.process_time() - begun) * 1000)
    return times


async def ask(root: Path, queries: int) -> dict[str, list[float]]:
    """Times in milliseconds."""
    arguments = ["-m", "memory_system", "--workspace", str(root), "--now", NOW, "serve"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    times: dict[str, list[float]] = {"memory_search": [], "nothing": []}
    async with Client(StdioServerParameters(command=sys.executable, args=arguments, env=environment)) as client:
        for _, text in talk(queries, 99):
            for name, called in (("memory_search", "memory_search"), ("nothing", "no_such_tool")):
                begun = time.perf_counter()
                await client.call_tool(called, {"query": text})
                times[name].append((time.perf_counter() - begun) * 1000)
    return times


if __name__ == "__main__":
    main()
