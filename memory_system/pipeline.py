"""Consolidation: every night that is due, each one all of `order.PHASES`, and what even an empty night leaves. On a day
without any, nothing of the phases is imported.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import orjson

from memory_system import clock, nights
from memory_system.errors import BarrenNightError, ExhaustedError, MemorySystemError, UnbalancedError, UsageError
from memory_system.llm import LLM
from memory_system.nights import accounting
from memory_system.nights.questions import Questions, asked_by, asking
from memory_system.privacy.secrets import edition
from memory_system.readers import Cursor
from memory_system.recall.schema import title_of
from memory_system.records import KINDS, Problem, type_name
from memory_system.store.checkpoint import MAX_TRIES
from memory_system.workspace import Workspace

if TYPE_CHECKING:
    from memory_system.nights.night import Telling
    from memory_system.nights.order import Progress, Run


@dataclass
class Report:
    """What a run did. `status` is done or nothing due."""

    run_id: str = ""
    nights: list[str] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    accounts: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    asked: dict[str, Any] = field(default_factory=lambda: asked_by(None))
    copied: int = 0  # messages that are new in layer 3
    layer3: int = 0  # bytes that it takes
    telling: Telling | None = None  # none before the first night
    alarm: MemorySystemError | None = None  # what the owner must be told although the run is done

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Take in what is not told yet."""
        self.problems += [each for each in problems if each not in self.problems]

    def add_night(self, run: Run, account: dict[str, Any]) -> None:
        self.nights.append(run.night.stamp)
        self.phases += run.phases
        self.accounts.append(account)
        self.copied += run.copied
        self.add_problems(run.problems)
        from memory_system.nights.night import Telling

        self.telling = self.telling or Telling()
        self.telling.add(run.changes)

    def to_row(self) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "nights": self.nights,
            "status": "done" if self.nights else "nothing due",
            "phases": self.phases,
            "accounting": accounting.total(self.accounts),
            **(self.telling.to_row() if self.telling else {"learnt": [], "changed": [], "ended": []}),
            "totals": self.totals,
            "layer3": {"new": self.copied, "bytes": self.layer3},
            "llm": self.asked,
            "alarm": self.alarm
            and {"kind": type(self.alarm).__name__, "what": str(self.alarm), "hint": self.alarm.hint},
            "problems": [each.to_row() for each in self.problems],
        }


def consolidate(
    ws: Workspace,
    *,
    force: bool = False,
    if_due: bool = False,
    allow_retire: bool = False,
    llm: LLM | None = None,
    mode: str | None = None,
    replay: str = "",
    progress: Progress | None = None,
) -> Report:
    """Run every night that is due, oldest first; with `force` also a partial one that ends now, with `if_due` when the
    last success is too long ago or much is waiting. The workspace must be open for writing. RetirementError when a
    night would retire too much; `Report.alarm` tells of nights that were of no use.

    `llm` is the model to ask, else the one that `mode` (off, on, batch; else llm.mode of the configuration) opens.
    With `replay`, the name of a run, nobody is asked: the answers that run got are used again."""
    report = Report()
    with asking(ws, llm, mode or ws.config.llm.mode, replay) as questions:
        _run_nights(ws, report, questions, progress, force=force, if_due=if_due, allow_retire=allow_retire)
    report.asked = asked_by(questions.asker)
    report.add_problems(questions.problems)
    return report


def _run_nights(
    ws: Workspace, report: Report, questions: Questions, progress: Progress | None, *,
    force: bool, if_due: bool, allow_retire: bool,
) -> None:  # fmt: skip
    if ws.layout.forgetting.exists():  # it was stopped half-way
        from memory_system import forgetting

        forgetting.finish(ws)
    _begin(ws, force=force)
    _renew(ws, report, progress)
    _mend(ws)
    with _bulk():
        while True:
            found, problems = waiting(ws, *filter(None, [questions.waiting_since]))
            report.add_problems(problems)
            at = _next(ws, found, report, force=force, if_due=if_due)
            if at is None:
                break
            report.run_id = report.run_id or _run_id(ws)
            from memory_system.nights.night import run_night
            from memory_system.nights.order import Run
            from memory_system.phases import Night

            questions.begin(report.run_id, clock.stamp(at))
            held = bool(ws.checkpoint.state.decay_held) or nights.is_long_silence(found, ws)
            ws.store.prepare()
            run = Run(ws, Night(at, ws.config, questions.asker, held), found.sessions_before(at), progress)
            account = run_night(run, allow_retire=allow_retire)
            questions.used()
            report.add_night(run, account)
            report.add_problems(questions.asker.problems if questions.asker else ())
    _finish(ws, found, report)


def _begin(ws: Workspace, *, force: bool) -> None:
    """With `force`, the owner says that the cause of failures is mended and that the clock is right."""
    state = ws.checkpoint.state
    if force:
        state.retry_count, state.decay_held, state.fades_until = 0, "", ""
        state.silence_accepted = clock.stamp(ws.now)
        if nights.is_ahead(ws):
            state.last_night = clock.stamp(ws.config.schedule.last(ws.now) or ws.now)
        if "commit" not in state.phase_data:
            state.phase_data = {}
    if state.current_phase is not None and state.retry_count >= MAX_TRIES:
        raise ExhaustedError(f"run {state.run_id} failed {state.retry_count} times in phase {state.current_phase}")


def _renew(ws: Workspace, report: Report, progress: Progress | None) -> None:
    """What new rules, a new program or the owner's wish leave to do: mask again, and fill layer 3, which may lack some
    of what was read."""
    state = ws.checkpoint.state
    if state.masked != (now := edition()):
        from memory_system.forgetting.scanning import mask_again

        mask_again(ws)
        ws.checkpoint.save(masked=now)
    if state.copied != ws.config.layer3.keep:
        from memory_system.nights import copying

        if progress is not None:
            progress(clock.stamp(ws.now), "layer 3")
        report.copied += copying.fill(ws)
        ws.checkpoint.save(copied=ws.config.layer3.keep)


def _mend(ws: Workspace) -> None:
    """What a run that was stopped left half written, or behind the truth or the owner's wish to mask."""
    if ws.checkpoint.state.current_phase is None and ws.is_derived and not ws.masked:
        return
    from memory_system.nights import derive

    derive.sweep(ws)
    if "commit" not in ws.checkpoint.state.phase_data:
        derive.catch_up(ws)


def _run_id(ws: Workspace) -> str:
    """The id of the half-done run, else a new one. A run without nights has none: the last one's stage stays."""
    state = ws.checkpoint.state
    if state.current_phase is None:
        stem = f"r_{ws.now:%Y%m%dT%H%M%SZ}"
        again = state.run_id.removeprefix(stem) if state.run_id.startswith(stem) else None
        state.run_id = stem if again is None else f"{stem}_{int(again.lstrip('_') or 1) + 1}"
    return state.run_id


def waiting(ws: Workspace, *others: str) -> tuple[nights.Waiting, list[Problem]]:
    """What no night has handled yet (`others`: since when else something waits), and what is wrong with transcripts."""
    cursors = {session: Cursor.from_row(row) for session, row in ws.checkpoint.state.cursors.items()}
    backlog = ws.library.backlog(cursors)
    stamps = sorted([*others, *(record.created for record in ws.inbox.pending()), *ws.accesses.stamps()])
    problems = [*backlog.problems, *ws.inbox.problems(), *nights.clock_problems(ws)]
    return nights.Waiting(backlog.waiting, stamps), problems


def embedding_problems(ws: Workspace) -> Iterator[Problem]:
    """What kept the embedder from giving all vectors when it was last asked."""
    if ws.config.embedder.kind == "none":
        return
    from memory_system.recall import vectors

    if failed := vectors.failure(ws.layout.vectors):
        said, hint, missing = failed
        yield Problem("embedder", f"{missing} texts have no vector yet: {said}", hint)


def _next(ws: Workspace, found: nights.Waiting, report: Report, *, force: bool, if_due: bool) -> datetime | None:
    """The half-done night, else the next due slot, else the partial night that was asked for."""
    state = ws.checkpoint.state
    if state.current_phase is not None:
        return clock.read_stamp(state.night)
    night = nights.next_night(found, ws)
    end = nights.end_of(ws.now)
    if night is not None or clock.stamp(end) in report.nights:
        return night
    partial = force or (if_due and nights.is_due(found, ws))
    return end if partial and clock.stamp(end) > state.last_night else None


def _finish(ws: Workspace, found: nights.Waiting, report: Report) -> None:
    """After the last night: the snapshot of the latest slot even if it was empty, the journal's past months packed,
    what the embedder left out, and the alarm for useless nights."""
    if nights.is_long_silence(found, ws) and not ws.checkpoint.state.decay_held:
        ws.checkpoint.save(decay_held=clock.stamp(ws.now), fades_until=ws.checkpoint.state.last_night)
    empty = nights.last_slot(ws)
    if empty is not None:
        from memory_system.phases import snapshot

        snapshot.run(empty, ws)
        ws.checkpoint.save(last_night=clock.stamp(empty), shown_night="")
    ws.journal.pack(before=ws.now - timedelta(days=ws.config.history_days))
    ws.said.pack(before=ws.now)
    report.layer3 = ws.said.size()
    now = max(clock.stamp(ws.now), ws.checkpoint.state.last_success)
    ws.checkpoint.save(last_run=now, last_success=now)
    report.add_problems(embedding_problems(ws))
    report.totals = totals(ws)
    report.alarm = _alarm(ws, report)


def _alarm(ws: Workspace, report: Report) -> MemorySystemError | None:
    """The alarm for useless nights: input worth keeping that gave nothing, or the third night in a row without
    anything."""
    if not report.accounts:
        return None
    from memory_system.nights.night import BARREN_LIMIT, is_barren

    if not all(account["balanced"] for account in report.accounts):
        return UnbalancedError()
    barren = any(is_barren(account) for account in report.accounts)
    if barren and ws.checkpoint.state.barren_nights >= BARREN_LIMIT:
        return BarrenNightError(f"the night of {report.nights[-1]} read what was said and remembered nothing of it")
    return None


def totals(ws: Workspace) -> dict[str, int]:
    """How many active memories there are by kind, how many entities, and how many archived memories."""
    title = title_of(ws.layout.search_index, ws.config)
    if title is not None:
        counts = title.counts
    else:
        from memory_system.phases.index import open_index

        with open_index(ws) as opened:
            counts = opened.counts()
    active = {kind.NAME: counts[f"active {type_name(kind)}"] for kind in KINDS.values()}
    archived = sum(counts[f"archive {type_name(kind)}"] for kind in KINDS.values())
    return {**active, "entities": counts["entities"], "archived": archived}


def rerun(number: int, ws: Workspace) -> Iterator[dict[str, Any] | str]:
    """One phase on the last run's stage: 1, 4 and 5 show what they staged, 2 and 3 are run again under today's rules
    and shown, with what they have counted at the end, 6 and 7 derive their files anew."""
    from memory_system.nights import derive
    from memory_system.nights.order import STAGED, Run, extracted, screened
    from memory_system.phases import Night, index, snapshot

    state = ws.checkpoint.state
    if not state.run_id or not ws.checkpoint.stage("segment").exists():
        raise UsageError("there is no run to look at yet", "run one first: memory consolidate")
    run = Run(ws, Night(clock.read_stamp(state.night), ws.config), [])
    if number == 1:
        yield from map(asdict, run.turns("segment"))
    elif number == 2:
        yield from map(asdict, screened(run))
    elif number == 3:
        yield from (orjson.loads(claim.to_line()) for claim in extracted(run))
    elif number == 6:
        yield from index.rebuild(ws)
    elif number == 7:
        yield from snapshot.run(derive.snapshot_moment(ws), ws)
    elif name := {phase.number: phase.name for phase in STAGED}.get(number):
        yield from ws.checkpoint.read_stage(name, dict)
    if number in (2, 3):
        yield {"counts": dict(sorted(run.tally.items()))}


@contextmanager
def _bulk() -> Iterator[None]:
    """Without the cyclic garbage collector: a night makes very many objects and no cycles to speak of."""
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
