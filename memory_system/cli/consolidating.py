"""init and consolidate."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import orjson
import typer
from typer import Option

from memory_system import clock, text
from memory_system.cli.answers import Settings, complain, handled
from memory_system.cli.keeping import cost_told, problem_lines, shown_size
from memory_system.errors import UsageError

LOCALTIME = Path("/etc/localtime")
Language = Literal["auto", "en", "zh"]
MODES = ("off", "on", "batch", "auto")  # auto is what earlier versions called on
SIGNS = {"+": "learnt", "~": "changed", "-": "ended"}
COSTS = """\
A language model understands what rules cannot. It is sent the day's words, without secrets, once a night, to {address};
a night takes at most {tokens:,} tokens, {usd:.3f} US dollars by llm.prices in config.json (docs/llm.md).
Without it nothing leaves this machine. Its key stands in the environment: ANTHROPIC_API_KEY.
语言模型能读懂规则读不懂的话：每夜把当天的话（不含密码等）发到上述地址一次，一夜最多 {tokens:,} token、{usd:.3f} 美元；
不用它，什么都不会离开本机。密钥放在环境变量 ANTHROPIC_API_KEY。"""
MAY_READ = "Let a language model read the nights? 让语言模型读每夜的对话吗？"
MOST_TOLD = 12  # lines on what was learnt, changed and ended
MORE = {"en": "and {count} more: memory diff", "zh": "还有 {count} 条：memory diff"}


def machine_zone() -> str:
    """The machine's time zone by its IANA name; UTC where it cannot be told."""
    target = str(LOCALTIME.resolve())
    name = target.partition("zoneinfo/")[2]
    try:
        return clock.zone_named(name).key if name else "UTC"
    except (KeyError, ValueError, OSError):
        return "UTC"


def machine_language() -> str:
    """The language of the machine's locale, of those that the program speaks."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "zh" if locale.startswith("zh") else "en"


@handled
def init(
    settings: Settings,
    timezone: Annotated[str | None, Option(help="IANA name, like Asia/Shanghai; else this machine's.")] = None,
    language: Annotated[
        Language | None, Option(help="In which the program speaks to you; auto: that of most memories.")
    ] = None,
) -> None:
    """Make the folders, config.json and a sample SOUL.md; safe to repeat. On a terminal it asks whether a language
    model may read the nights."""
    from memory_system.upkeep import edit

    wished = _wished(settings) | ({"language": language} if language else {})
    made = edit.init(settings.root, timezone or machine_zone(), machine_language(), **wished)
    if language and "memory/config.json" not in made:
        settings.say("config.json is there already and stays as it is: set `language` in it")
    settings.answer(
        {"workspace": str(settings.root), "made": made},
        f"workspace {settings.root}: " + (f"made {', '.join(made)}" if made else "everything is there already"),
    )


def _wished(settings: Settings) -> dict[str, object]:
    """What the owner wants of a new workspace, where somebody is there to be asked."""
    from memory_system.config import Config
    from memory_system.layout import Layout
    from memory_system.llm.claude import address_of
    from memory_system.llm.ledger import MILLION

    if settings.as_json or settings.quiet or not sys.stdin.isatty() or Layout(settings.root).config.exists():
        return {}
    config = Config()
    tokens, price = config.budget.tokens_per_night, config.llm.prices[0]
    typer.echo(COSTS.format(address=address_of(config), tokens=tokens, usd=tokens * price.output / MILLION), err=True)
    return {"llm": {"mode": "on"}} if typer.confirm(MAY_READ, default=False, err=True) else {}


@handled
def consolidate(
    settings: Settings,
    force: Annotated[bool, Option(help="Also run a partial night that ends now; clear retries.")] = False,
    if_due: Annotated[bool, Option(help="Also run when the last success is long ago or much is waiting.")] = False,
    allow_retire: Annotated[
        bool, Option(help="Go on where a night would retire many memories, or many lines were removed by hand.")
    ] = False,
    phase: Annotated[int | None, Option(min=1, max=7, help="Only this phase, on the last run's stage.")] = None,
    dry_run: Annotated[bool, Option(help="Show what would change, and write nothing.")] = False,
    estimate: Annotated[bool, Option(help="Show what asking a language model would cost, and ask nothing.")] = False,
    llm: Annotated[str | None, Option(help="off, on or batch, instead of llm.mode in config.json.")] = None,
    verbose: Annotated[bool, Option("--verbose", help="List what the last night left out, and why.")] = False,
    replay: Annotated[str, Option(metavar="RUN", help="Ask nobody; use the answers that this run got.")] = "",
) -> None:
    """Run every night that is due: read what was said, keep what matters, let the rest fade, write the snapshot."""
    from memory_system import pipeline

    if llm not in (None, *MODES):
        raise UsageError(f"--llm is one of {', '.join(MODES[:3])}, not {llm}")
    if phase is not None:
        with settings.open(write=True) as ws:
            rows = list(pipeline.rerun(phase, ws))
        told = (row if isinstance(row, str) else orjson.dumps(row).decode() for row in rows)
        settings.answer({"phase": phase, "rows": rows}, "\n".join(told))
        return
    options: dict[str, Any] = {"force": force, "if_due": if_due, "allow_retire": allow_retire, "replay": replay}
    if estimate or dry_run:
        from memory_system.upkeep import preview

        with settings.open() as ws:
            if estimate:
                row, lines = preview.estimate(ws, force=force, if_due=if_due, mode=llm), estimate_lines
            else:
                row, lines = preview.preview(ws, **options), preview_lines
        settings.answer(row, lines)
        return
    with settings.open(write=True, allow_losses=allow_retire) as ws:
        report = pipeline.consolidate(ws, mode=llm, progress=_progress(settings), **options)
        row = report.to_row()
        if verbose and report.nights:
            from memory_system.upkeep import explain

            row["left_out"], row["left_out_more"] = explain.left_out(ws)
    settings.answer(row, report_lines)
    if report.alarm is not None:
        complain(report.alarm)
        raise typer.Exit(report.alarm.exit_code)


def _left_out_lines(row: dict[str, Any]) -> Iterator[str]:
    """What the last night left out, where that was asked for."""
    if "left_out" not in row:
        return
    yield f"left out in the night of {row['nights'][-1]}:"
    for each in row["left_out"]:
        yield f"  {each['reason']:<11} {each['ref']}  {each['text'] or '[not shown]'}"
    if more := row["left_out_more"]:
        yield f"  and {more} more"


def preview_lines(row: dict[str, Any]) -> Iterator[str]:
    from memory_system.cli.searching import change_line

    yield from map(change_line, row["changes"])
    yield from report_lines(row)
    yield "nothing was written"


def estimate_lines(row: dict[str, Any]) -> Iterator[str]:
    yield f"{len(row['nights'])} nights due, {row['model']} (llm.mode is {row['mode']})"
    for name, each in row["questions"].items():
        yield f"  {name}: {_cost_line(each)}"
    yield f"  all: {_cost_line(row)}"
    yield from (f"  ! {each}" for each in row["problems"])
    left = row["budget"]
    yield f"  budget: {left['tokens_per_night']} tokens a night, ${left['usd_left_this_month']:.2f} left this month"


def _cost_line(each: dict[str, Any]) -> str:
    price = "no price known" if each["usd"] is None else f"about ${each['usd']:.4f}"
    return f"{each['calls']} calls, {each['input_tokens']} tokens sent, {each['output_tokens']} received, {price}"


def _progress(settings: Settings) -> Any:
    """Shown on a terminal only; nothing of it goes into pipes."""
    if settings.quiet or not sys.stderr.isatty():
        return None
    return lambda night, phase: print(f"\r\033[K{night}  {phase} …", end="", file=sys.stderr, flush=True)


def report_lines(row: dict[str, Any]) -> Iterator[str]:
    if not (nights := row["nights"]):
        yield "nothing due"
        yield from _copied_lines(row["layer3"])
        yield from problem_lines(row["problems"], "  ", " → ")
        return
    sums = row["accounting"]
    many = f"{len(nights)} nights: {nights[0]} … {nights[-1]}"
    yield "consolidated " + (many if nights[1:] else nights[0])
    yield from told_lines(row)
    yield _sum_line("messages", sums["messages"], "read", ("kept",), "filtered")
    yield _sum_line("segments", sums["segments"], "total", ("kept",), "dropped")
    if left_out := sums["segments"]["dropped"].get("share"):
        yield f"    {left_out} of them only because screen.keep_share in config.json keeps no more of a night"
    yield _sum_line("kept", sums["kept"], "total", ("with_claim",), "without_claim")
    yield _sum_line("claims", sums["claims"], "total", ("new", "confirmed", "merged", "superseding"), "rejected")
    moves = ("new", "promoted_in", "restored", "archived", "merged", "promoted_out", "forgotten")
    told = ", ".join(f"{sums['memories'][name]} {name.replace('_', ' ')}" for name in moves if sums["memories"][name])
    yield f"  memories {sums['memories']['before']} → {sums['memories']['after']}" + (f" ({told})" if told else "")
    yield "  the sums close" if sums["balanced"] else "  THE SUMS DO NOT CLOSE"
    yield from _copied_lines(row["layer3"])
    yield from _asked_lines(row["llm"])
    yield "  now: " + ", ".join(f"{count} {name}" for name, count in row["totals"].items())
    yield from problem_lines(row["problems"], "  ", " → ")
    yield from _left_out_lines(row)


def _copied_lines(row: dict[str, Any]) -> Iterator[str]:
    if row["new"]:
        yield f"  layer 3: {row['new']} messages copied; it takes {shown_size(row['bytes'])}"


def told_lines(row: dict[str, Any]) -> Iterator[str]:
    """What was learnt (+), changed (~) and ended (-): at most MOST_TOLD lines, and how many more there are."""
    parts = {sign: [f"  {sign} {each['text']}" for each in row[key]] for sign, key in SIGNS.items()}
    learnt, others = parts["+"], [*parts["~"], *parts["-"]]
    room = max(MOST_TOLD - len(others), MOST_TOLD // 2)
    shown = [*learnt[:room], *others[: MOST_TOLD - len(learnt[:room])]]
    yield from shown
    if more := len(learnt) + len(others) - len(shown):
        yield f"    {MORE[text.language(' '.join(shown))].format(count=more)}"


def _asked_lines(asked: dict[str, Any]) -> Iterator[str]:
    if asked["calls"] or asked["left_to_rules"]:
        yield f"  language model: {cost_told(asked)}"
        if left := asked["left_to_rules"]:
            yield f"    {left} more lines were not read: they went by rules"


def _sum_line(title: str, sums: dict[str, Any], whole: str, parts: tuple[str, ...], rest: str) -> str:
    """`messages 120 = 80 kept + 40 filtered (…)`."""
    counts = {**{part: sums[part] for part in parts}, rest: sum(sums[rest].values())}
    told = " + ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    reasons = ", ".join(f"{count} {reason}" for reason, count in sums[rest].items())
    return f"  {title} {sums[whole]} = {told}" + (f" ({reasons})" if reasons else "")
