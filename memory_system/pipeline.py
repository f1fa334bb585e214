"""A night from end to end: `PHASES` is the whole of it, in order. Phases 1-5 stage what they give, each durably before the
checkpoint moves on; one commit makes the night true; what is derived follows. `consolidate` runs every night that is due.
"""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from memory_system import accounting, clock, nights
from memory_system.checkpoint import MAX_TRIES
from memory_system.errors import BarrenNightError, ExhaustedError, MemorySystemError, RetirementError, UsageError
from memory_system.journal import Change, Entry
from memory_system.llm import LLM
from memory_system.phases import Night, beliefs, decay, entities, extract, facts, index, screen, segment, snapshot, summaries
from memory_system.readers import Cursor
from memory_system.records import KINDS, Claim, Fact, Message, Problem, Turn, type_name
from memory_system.store import Draft, changes_of
from memory_system.workspace import Workspace

MANY_ACTIVE = 20  # facts from which on the share of retired ones is watched
RETIRING = {"superseded", "merged", "denied"}
BARREN_LIMIT = 3
BARREN_MESSAGES = 10  # so many messages without anything to keep make a night that counts as barren

Progress = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of the night: its number, name, and what it gives to be staged (or None: it derives files)."""

    number: int
    name: str
    run: Callable[[Run], Iterable[Any]]


@dataclass
class Run:
    """One night on its way: inputs, counts, and the drafts of the memories as they come about."""

    ws: Workspace
    night: Night
    sessions: list[str]
    held: bool = False  # decay waits for the owner, because the clock is in doubt
    tally: Counter[str] = field(default_factory=Counter)
    drafts: dict[str, Draft] = field(default_factory=dict)
    cursors: dict[str, Cursor] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)

    def messages(self) -> Iterator[Message]:
        """What was said before the night and not read yet, session by session."""
        for session in self.sessions:
            row = self.ws.checkpoint.state.cursors.get(session)
            batch = self.ws.library.read(session, Cursor.from_row(row) if row else None, self.night.at)
            self.cursors[session] = batch.cursor
            self.problems += batch.problems
            self.tally["messages.read"] += batch.read
            self.tally["messages.kept"] += len(batch.messages)
            self.tally.update({f"messages.filtered.{reason}": count for reason, count in batch.filtered.items()})
            yield from batch.messages

    def turns(self, stage: str) -> Iterator[Turn]:
        return self.ws.checkpoint.read_stage(stage, Turn.from_row)

    def claims(self) -> Iterator[Claim]:
        return self.ws.checkpoint.read_stage("extract", Claim.from_row)

    def captures(self) -> list[Fact]:
        """The captures made before the night."""
        return [each for each in self.ws.inbox.pending() if each.created < self.night.stamp]

    def accessed(self) -> list[str]:
        return self.ws.accesses.before(self.night.stamp)

    @property
    def latest(self) -> Draft | Any:
        """The memories with all of the night's changes so far."""
        return next(reversed(self.drafts.values()), self.ws.store)

    def draft(self, name: str, draft: Draft) -> Iterator[dict[str, Any]]:
        """Take a phase's draft in, as rows to be staged."""
        self.drafts[name] = draft
        return draft.rows()


def _in_time_order(claims: Iterable[Claim]) -> list[dict[str, Any]]:
    """Claims as they were said, across sessions; within a session as they stand."""
    numbered = ((claim.said_at, claim.ref.partition(":")[0], number, claim.to_row()) for number, claim in enumerate(claims))
    return [row for *_, row in sorted(numbered, key=lambda each: each[:3])]


STAGED = (
    Phase(1, "segment", lambda run: segment.run(run.messages(), run.night, run.tally)),
    Phase(2, "screen", lambda run: screen.run(lambda: run.turns("segment"), run.night, run.tally)),
    Phase(3, "extract", lambda run: _in_time_order(extract.run(run.turns("screen"), run.night, run.tally))),
    Phase(4, "facts", lambda run: run.draft(
        "facts", facts.run(run.claims(), run.captures(), run.latest, run.night, run.tally))),
    Phase(4, "beliefs", lambda run: run.draft(
        "beliefs", beliefs.run(run.claims(), run.drafts["facts"], run.latest, run.night, run.tally))),
    Phase(4, "summaries", lambda run: run.draft(
        "summaries", summaries.run(list(run.drafts.values()), run.latest, run.night))),
    Phase(5, "decay", lambda run: run.draft(
        "decay", decay.run(run.accessed(), run.latest, run.night, held=run.held))),
)  # fmt: skip
DERIVED = (
    Phase(4, "entities", lambda run: entities.run(run.changes, run.ws)),
    Phase(6, "index", lambda run: index.run(run.changes, (turn.message for turn in run.turns("segment")), run.ws)),
    Phase(7, "snapshot", lambda run: snapshot.run(run.night, run.ws)),
)
PHASES = (*STAGED, *DERIVED)


@dataclass
class Report:
    """What a run did. `status` is done or nothing due."""

    run_id: str = ""
    nights: list[str] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    accounts: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)
    alarm: MemorySystemError | None = None  # what the owner must be told although the run is done

    def to_row(self) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "nights": self.nights,
            "status": "done" if self.nights else "nothing due",
            "phases": self.phases,
            "accounting": accounting.total(self.accounts),
            "totals": self.totals,
            "problems": [{"where": each.where, "what": each.what, "hint": each.hint} for each in self.problems],
        }


def consolidate(
    ws: Workspace,
    *,
    force: bool = False,
    if_due: bool = False,
    allow_retire: bool = False,
    llm: LLM | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run every night that is due, oldest first; with `force` also a partial one that ends now. The workspace must be
    open for writing. BarrenNightError and RetirementError carry what the owner has to know."""
    report = Report()
    _begin(ws, report, force=force)
    with _bulk():
        while True:
            found, problems = waiting(ws)
            report.problems += [each for each in problems if each not in report.problems]
            at = _next(ws, found, report, force=force, if_due=if_due)
            if at is None:
                break
            run_night(ws, Night(at, ws.config, llm), found, report, allow_retire=allow_retire, progress=progress)
    _finish(ws, found, report)
    return report


def _begin(ws: Workspace, report: Report, *, force: bool) -> None:
    """Take up a half-done run, or start a new one."""
    state = ws.checkpoint.state
    if force:
        state.retry_count, state.decay_held = 0, ""
    if state.current_phase is not None and state.retry_count >= MAX_TRIES:
        raise ExhaustedError(f"run {state.run_id} failed {state.retry_count} times in phase {state.current_phase}")
    if state.current_phase is None:
        state.run_id = _new_run_id(ws)
    report.run_id = state.run_id


def _new_run_id(ws: Workspace) -> str:
    stem = f"r_{ws.now:%Y%m%dT%H%M%SZ}"
    taken = ws.checkpoint.state.run_id
    return stem if not taken.startswith(stem) else f"{stem}_{int(taken.removeprefix(stem).lstrip('_') or 1) + 1}"


def waiting(ws: Workspace) -> tuple[nights.Waiting, list[Problem]]:
    """What no night has handled yet, and what is wrong with the transcripts that hold it."""
    cursors = {session: Cursor.from_row(row) for session, row in ws.checkpoint.state.cursors.items()}
    backlog = ws.library.backlog(cursors)
    others = sorted([*(record.created for record in ws.inbox.pending()), *ws.accesses.stamps()])
    return nights.Waiting(backlog.waiting, others), [*backlog.problems, *ws.inbox.problems()]


def _next(ws: Workspace, found: nights.Waiting, report: Report, *, force: bool, if_due: bool) -> datetime | None:
    """The half-done night, else the next due slot, else the partial night that was asked for."""
    state = ws.checkpoint.state
    if state.current_phase is not None:
        return clock.read_stamp(state.night)
    due = nights.next_night(found, ws)
    if due is not None or clock.stamp(ws.now) in report.nights:
        return due
    partial = force or (if_due and nights.is_due(found, ws))
    return ws.now if partial and clock.stamp(ws.now) > state.last_night else None


def run_night(
    ws: Workspace,
    night: Night,
    found: nights.Waiting,
    report: Report,
    *,
    allow_retire: bool = False,
    progress: Progress | None = None,
) -> None:
    """One night: stage, commit, derive. A night that was begun before goes on where it stopped."""
    state = ws.checkpoint.state
    if "commit" not in state.phase_data and (state.night, state.fingerprint) != (night.stamp, ws.fingerprint):
        state.phase_data = {}  # staged for another night, or under other rules
    held = bool(state.decay_held) or nights.is_long_silence(found, ws)
    run = Run(ws, night, found.sessions_before(night.at), held)
    try:
        _count_try(ws, night)
        for phase in STAGED:
            _stage(phase, run, progress)
        account = _commit(run, allow_retire=allow_retire)
        for phase in DERIVED:
            _timed(phase, run, progress, lambda phase=phase: list(phase.run(run)))
    except KeyboardInterrupt:
        ws.checkpoint.save(retry_count=max(0, state.retry_count - 1))  # the owner's wish is no failure
        raise
    _end_night(run, account, report)


def _count_try(ws: Workspace, night: Night) -> None:
    state = ws.checkpoint.state
    same = state.night == night.stamp and state.current_phase is not None
    ws.checkpoint.save(
        night=night.stamp,
        fingerprint=ws.fingerprint,
        current_phase=state.current_phase or 1,
        retry_count=state.retry_count + 1 if same else 1,
    )
    ws.checkpoint.drop_other_stages()


def _stage(phase: Phase, run: Run, progress: Progress | None) -> None:
    """Run one of the phases 1-5, unless its output is there: then take up where it left the counts."""
    checkpoint = run.ws.checkpoint
    done = checkpoint.state.phase_data.get(phase.name)
    if done is None:
        before = Counter(run.tally)
        _timed(phase, run, progress, lambda: checkpoint.write_stage(phase.name, phase.run(run)))
        data = {"file": f"{phase.name}.jsonl", "counts": dict(run.tally - before), "phase": run.phases[-1]}
        if phase.number == 1:
            checkpoint.write_stage("cursors", ({"session": key, **each.to_row()} for key, each in run.cursors.items()))
        checkpoint.save(phase_data={**checkpoint.state.phase_data, phase.name: data}, current_phase=phase.number)
        return
    run.tally.update(done["counts"])
    run.phases.append(done["phase"])
    if phase.number in (4, 5):
        run.drafts[phase.name] = Draft.from_rows(run.latest, checkpoint.read_stage(phase.name, dict))


def _timed(phase: Phase, run: Run, progress: Progress | None, work: Callable[[], object]) -> None:
    if progress is not None:
        progress(run.night.stamp, phase.name)
    started = time.process_time()
    work()
    seconds = round(time.process_time() - started, 3)
    run.phases.append({"number": phase.number, "name": phase.name, "seconds": seconds, **_in_and_out(phase, run)})


def _in_and_out(phase: Phase, run: Run) -> dict[str, Any]:
    """How much went into a phase and came out of it: messages, segments, claims or memories."""
    tally = run.tally
    sizes = {
        "segment": (tally["messages.read"], tally["segments"]),
        "screen": (tally["segments"], tally["segments.kept"]),
        "extract": (tally["segments.kept"], tally["claims"]),
        "facts": (tally["claims"], None),
    }
    changed = len(run.drafts[phase.name].changed) if phase.name in run.drafts else len(run.changes)
    taken, given = sizes.get(phase.name, (changed, None))
    no_model = {"calls": 0, "input_tokens": 0, "output_tokens": 0}
    return {"in": taken, "out": changed if given is None else given, "llm": no_model}


def _commit(run: Run, *, allow_retire: bool) -> dict[str, Any]:
    """Make the night true, once; its accounting. A night that was committed before a crash is not committed again."""
    ws, state = run.ws, run.ws.checkpoint.state
    if "commit" in state.phase_data:
        run.changes = _committed_changes(run)
        return dict(state.phase_data["commit"])
    run.changes = changes_of(ws.store, run.drafts.values())
    active_before = sum(count for (pool, _), count in ws.store.counts().items() if pool == "active")
    if not allow_retire:
        _watch_retirement(run)
    account = accounting.account(run.tally, run.changes, active_before)
    entry = Entry(clock.stamp(ws.now), "consolidate", state.run_id, run.night.stamp, account, _moved_state(run, account))
    ws.store.apply(entry, run.changes)
    return account


def _committed_changes(run: Run) -> list[Change]:
    """The changes of the entry that committed this night."""
    groups = [group for group in run.ws.journal.entries() if group.entry.night == run.night.stamp]
    return groups[-1].changes


def _moved_state(run: Run, account: dict[str, Any]) -> dict[str, Any]:
    """The keys of the checkpoint that the commit moves: what is read, how far, and when something fades next."""
    ws, state = run.ws, run.ws.checkpoint.state
    rows = {row.pop("session"): row for row in ws.checkpoint.read_stage("cursors", dict)}
    made = sum(account["claims"][name] for name in accounting.OUTCOMES)
    barren = _is_barren(account)
    return {
        "cursors": {**state.cursors, **rows},
        "last_night": run.night.stamp,
        "last_message": max([state.last_message, *(row["last"] for row in rows.values())]),
        "decay_held": state.decay_held or (run.night.stamp if run.held else ""),
        "barren_nights": state.barren_nights + 1 if barren else 0 if made else state.barren_nights,
        "next_change": None,
        "phase_data": {**state.phase_data, "commit": account},
    }


def _is_barren(account: dict[str, Any]) -> bool:
    """Whether there was input worth keeping, or much input, and nothing came of it."""
    kept = account["segments"]["kept"]
    return not account["claims"]["total"] and (kept > 0 or account["messages"]["kept"] >= BARREN_MESSAGES)


def _watch_retirement(run: Run) -> None:
    """RetirementError when the night would retire too large a share of the active facts."""
    active = run.ws.store.counts()["active", Fact.PREFIX]
    retired = [
        change.id
        for change in run.changes
        if change.before_pool == "active" and change.after_pool != "active" and RETIRING & set(change.why.split("+"))
        and change.id.startswith(Fact.PREFIX)
    ]  # fmt: skip
    share = run.ws.config.thresholds.max_retired_share
    if active > MANY_ACTIVE and len(retired) > share * active:
        run.ws.checkpoint.save(retry_count=0)
        raise RetirementError(f"the night of {run.night.stamp} would retire {len(retired)} of {active} active facts")


def _end_night(run: Run, account: dict[str, Any], report: Report) -> None:
    """Tidy up after a night whose files are all written, and tell what it did."""
    ws = run.ws
    folded = [each.id for each in run.captures() if ws.store.pool_of(each.id)]
    ws.inbox.drop(folded)
    ws.accesses.forget_before(run.night.stamp)
    ws.checkpoint.save(
        current_phase=None,
        phase_data={},
        retry_count=0,
        last_run=clock.stamp(ws.now),
        last_success=clock.stamp(ws.now),
        next_change=ws.store.next_leaving(),
    )
    report.nights.append(run.night.stamp)
    report.phases += run.phases
    report.accounts.append(account)
    report.problems += [each for each in run.problems if each not in report.problems]


def _finish(ws: Workspace, found: nights.Waiting, report: Report) -> None:
    """After the last night: the snapshot of the latest slot even if it was empty, and the alarm for useless nights."""
    if nights.is_long_silence(found, ws) and not ws.checkpoint.state.decay_held:
        ws.checkpoint.save(decay_held=clock.stamp(ws.now))
    empty = nights.last_slot(ws)
    if empty is not None:
        snapshot.write(empty, ws)
        ws.checkpoint.save(last_night=clock.stamp(empty))
    now = clock.stamp(ws.now)
    ws.checkpoint.save(last_run=now, last_success=now)
    report.totals = totals(ws)
    report.alarm = _alarm(ws, report)


def _alarm(ws: Workspace, report: Report) -> BarrenNightError | None:
    """The alarm for useless nights: input worth keeping that gave nothing, or the third night in a row without anything."""
    barren = ws.checkpoint.state.barren_nights
    worthwhile = any(_is_barren(account) and account["segments"]["kept"] for account in report.accounts)
    if report.nights and (worthwhile or barren >= BARREN_LIMIT):
        return BarrenNightError(f"{barren} nights in a row gave no memory; the last was {report.nights[-1]}")
    return None


def totals(ws: Workspace) -> dict[str, int]:
    """How many active memories there are by kind, how many entities, and how many archived memories."""
    with index.open_index(ws) as opened:
        counts = opened.counts()
    active = {kind.NAME: counts[f"active {type_name(kind)}"] for kind in KINDS.values()}
    archived = sum(counts[f"archive {type_name(kind)}"] for kind in KINDS.values())
    return {**active, "entities": counts["entities"], "archived": archived}


def rerun(number: int, ws: Workspace) -> Iterator[dict[str, Any] | str]:
    """One phase on the last run's stage: 1, 4 and 5 show what they staged, 2 and 3 are run again under today's rules and
    shown, 6 and 7 derive their files anew."""
    state = ws.checkpoint.state
    if not state.run_id or not ws.checkpoint.stage("segment").exists():
        raise UsageError("there is no run to look at yet", "run one first: memory consolidate")
    run = Run(ws, Night(clock.read_stamp(state.night), ws.config), [])
    if number == 2:
        yield from map(asdict, screen.run(lambda: run.turns("segment"), run.night, run.tally))
    elif number == 3:
        yield from (claim.to_row() for claim in extract.run(run.turns("screen"), run.night, run.tally))
    elif number == 6:
        yield from index.rebuild(ws)
    elif number == 7:
        yield from snapshot.write(run.night.at, ws)
    else:
        for phase in STAGED:
            if phase.number == number:
                yield from ws.checkpoint.read_stage(phase.name, dict)


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
