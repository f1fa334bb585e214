"""init and consolidate; and those who have it run: integrate, hook, schedule and watch."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from zoneinfo import ZoneInfo

import orjson
import typer
from typer import Argument, Option

from memory_system import text, upkeep
from memory_system.cli import Settings, ended
from memory_system.cli.keeping import cost_told, problem_lines, shown_size
from memory_system.errors import UsageError

if TYPE_CHECKING:
    from memory_system.hosts import Plan
    from memory_system.hosts.schedule import Schedule
    from memory_system.workspace import Workspace

LOCALTIME = Path("/etc/localtime")
Language = Literal["auto", "en", "zh"]
Event = Literal["session-start", "user-prompt-submit", "session-end"]
Scheduler = Literal["systemd", "cron"]
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
        return ZoneInfo(name).key if name else "UTC"
    except (KeyError, ValueError, OSError):
        return "UTC"


def machine_language() -> str:
    """The language of the machine's locale, of those that the program speaks."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "zh" if locale.startswith("zh") else "en"


def init(
    settings: Settings,
    timezone: Annotated[str | None, Option(help="IANA name, like Asia/Shanghai; else this machine's.")] = None,
    language: Annotated[
        Language | None, Option(help="In which the program speaks to you; auto: that of most memories.")
    ] = None,
) -> None:
    """Make the folders, config.json and a sample SOUL.md; safe to repeat. On a terminal it asks whether a language
    model may read the nights."""
    from memory_system.llm import phrases

    spoken = machine_language() if language in (None, "auto") else language
    wished = _wished(settings) | ({"language": language} if language else {})
    made = upkeep.edit.init(settings.root, timezone or machine_zone(), machine_language(), **wished)
    words = phrases(spoken)["init"]
    if language and "memory/config.json" not in made:
        settings.say(words["stays"])
    told = words["made" if made else "there"].format(root=settings.root, made=", ".join(made))
    settings.answer({"workspace": str(settings.root), "made": made}, told)


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
        with settings.open() as ws:
            if estimate:
                row, lines = upkeep.preview.estimate(ws, force=force, if_due=if_due, mode=llm), estimate_lines
            else:
                row, lines = upkeep.preview.preview(ws, **options), preview_lines
        settings.answer(row, lines)
        return
    with settings.open(write=True, allow_losses=allow_retire) as ws:
        report = pipeline.consolidate(ws, mode=llm, progress=_progress(settings), **options)
        row = report.to_row()
        if verbose and report.nights:
            row["left_out"], row["left_out_more"] = upkeep.explain.left_out(ws)
    settings.answer(row, report_lines)
    if report.alarm is not None:
        raise ended(report.alarm)


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
    is_done = not row.get("dry_run")
    yield ("consolidated " if is_done else "would consolidate ") + (many if nights[1:] else nights[0])
    if is_done:  # else its changes stand above, every one, and no `diff` knows them
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


def integrate(
    settings: Settings,
    host: Annotated[Literal["openclaw", "claude-code", "generic"], Argument(help="Where the agent lives.")],
    remove: Annotated[bool, Option("--remove", help="Take everything out again.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would change, and change nothing.")] = False,
    rules: Annotated[bool, Option("--rules", help="Also put the rules of recall into AGENTS.md or CLAUDE.md.")] = False,
    facts: Annotated[
        bool, Option("--facts", help="Let OpenClaw's own search see what is remembered, in groups as well.")
    ] = False,
    agent: Annotated[str, Option(help="Which of OpenClaw's agents.")] = "main",
    folder: Annotated[Path | None, Option(help="The host's own folder, where it is not the usual one.")] = None,
) -> None:
    """Live inside OpenClaw, Claude Code or a machine's scheduler: show each change, then make it. Safe to repeat."""
    from memory_system import hosts
    from memory_system.hosts import integrations
    from memory_system.hosts import schedule as jobs

    if facts and host != "openclaw":
        raise UsageError("--facts is for OpenClaw", "elsewhere memories are found with the tools, or memory search")
    with settings.open() as ws:
        if host == "generic":
            chosen = hosts.Plan(jobs.changes(_job(ws), "" if remove else jobs.scheduler()), [], {}, [])
        elif remove:
            chosen = hosts.plan_removal(ws, host, *integrations.undoing(host))
        else:
            chosen = _plan(ws, host, agent, folder, rules=rules, facts=facts)
    shown = list(hosts.shown(chosen))
    if not settings.as_json:
        typer.echo("\n".join(shown or ["nothing to change"]))
    left: list[str] = []  # to be done by hand
    if not dry_run and host == "generic":
        _ = jobs.remove(_job(ws)) if remove else jobs.install(_job(ws), "")
    elif not dry_run:
        left += hosts.apply(ws, chosen)
    left += chosen.advice
    row = {
        "host": host,
        "status": "shown" if dry_run else "removed" if remove else "integrated",
        "changed": [str(each.path) for each in chosen.changes],
        "commands": [list(each) for each in chosen.commands],
        "shown": shown,
        "left": left,
    }
    last = ["nothing was changed"] if dry_run else []
    settings.answer(row, "\n".join([*last, *(f"→ {each}" for each in left)]) or "done")


def _plan(ws: Workspace, host: str, agent: str, folder: Path | None, *, rules: bool, facts: bool) -> Plan:
    from memory_system import hosts
    from memory_system.hosts import integrations

    argv = _ourselves(ws.layout.root)
    wanted = {"tools": find_spec("mcp") is not None, "rules": rules}
    is_openclaw = host == integrations.OPENCLAW
    usual = integrations.state_folder if is_openclaw else integrations.claude_folder
    there = folder.expanduser().absolute() if folder else usual(os.environ, Path.home())
    if is_openclaw:
        taken = integrations.openclaw_steps(ws, there, agent, argv, **wanted, facts=facts or ws.config.facts_page)
        return hosts.plan(ws, host, taken, integrations.openclaw_advice(ws, argv, **wanted))
    taken = integrations.claude_steps(ws, there, argv, **wanted)
    return hosts.plan(ws, host, taken, integrations.advice(ws, argv, "CLAUDE.md", **wanted))


def _ourselves(root: Path) -> list[str]:
    """How others call this program for that workspace."""
    return [sys.executable, "-m", "memory_system", "--workspace", str(root)]


def hook(
    settings: Settings,
    host: Annotated[Literal["claude-code"], Argument(help="Whose hook it is.")],
    event: Annotated[Event, Argument(help="What has happened.")],
) -> None:
    """What the hooks that `integrate` sets up call, with the host's JSON on stdin; it never fails."""
    from memory_system.hosts import integrations

    del host  # there is one so far
    try:
        if row := integrations.answer(event, sys.stdin.buffer.read(), settings.open):
            typer.echo(orjson.dumps(row).decode())
    except Exception as error:
        if settings.debug:
            raise
        settings.say(f"memory: {error}")


def schedule(
    settings: Settings,
    action: Annotated[Literal["install", "show", "remove"], Argument(help="What to do with the job.")],
    scheduler: Annotated[Scheduler | None, Option("--with", help="Which one; else systemd where there is one.")] = None,
) -> None:
    """Let the machine run `consolidate` once an hour; a run that finds no night due does nothing."""
    from memory_system.hosts import schedule as jobs

    with settings.open() as ws:
        job = _job(ws)
    if action == "show":
        units = {str(path): unit for path, unit in job.files().items()}
        row = {"installed": jobs.installed(job) or None, "crontab": job.line.rstrip(), "units": units}
        settings.answer(row, _job_lines)
        return
    done = jobs.remove(job) if action == "remove" else jobs.install(job, scheduler or "")
    settings.answer({"status": action, "done": done}, "\n".join(done) or "there is none")


def _job(ws: Workspace) -> Schedule:
    from memory_system.hosts.schedule import Schedule

    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Schedule(ws.layout.root, _ourselves(ws.layout.root), config / "systemd" / "user")


def _job_lines(row: dict[str, Any]) -> list[str]:
    told = [f"installed: {row['installed'] or 'no'}", "", "crontab:", f"  {row['crontab']}"]
    for path, unit in row["units"].items():
        told += ["", f"{path}:", *(f"  {line}" for line in unit.splitlines())]
    return told


def watch(settings: Settings) -> None:
    """Index notes and transcripts and run due nights as files change, until interrupted; needs the extra `[watch]`."""
    import time

    from memory_system.hosts import schedule as watching

    with settings.open() as ws:
        folders = watching.places(ws)
    batches = _changes(folders)
    settings.say(f"watching {', '.join(map(str, folders))}; Ctrl-C ends it")
    for done in watching.watch(settings.open, batches, time.monotonic):
        settings.answer({"done": done}, done)


def _changes(folders: Iterable[Path]) -> Iterator[list[Path]]:
    """Which files have changed, a few times a second; an empty list when none has."""
    try:
        import watchfiles
    except ImportError:
        raise UsageError("watching needs a package more", "pip install 'memory-system[watch]'") from None
    found = watchfiles.watch(
        *folders, watch_filter=None, debounce=400, rust_timeout=500, yield_on_timeout=True, raise_interrupt=True
    )
    for batch in found:
        yield [Path(path) for _, path in batch]
