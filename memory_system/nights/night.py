"""Running one night: its phases staged, its changes committed once, what is derived written, its counts told. A night
that was stopped goes on where it stopped. What the nights of a run have learnt, changed and ended is told in words,
read off their changes: what came and went within the run is not told."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memory_system import clock
from memory_system.errors import ChangedSinceError, RetirementError
from memory_system.llm import Usage
from memory_system.nights import accounting, copying
from memory_system.nights.order import DERIVED, STAGED, Phase, Run
from memory_system.phases.portrait import label_of
from memory_system.phases.revising import OUTDATING
from memory_system.phases.shortlist import short
from memory_system.privacy import trust
from memory_system.records import UNSAID, USER, Fact, Problem, Summary, from_line, kind_of, successor_of
from memory_system.store import truth
from memory_system.store.draft import Draft, changes_of
from memory_system.store.journal import Change, Entry
from memory_system.text import told_in

MANY_ACTIVE = 20  # facts from which on the share of retired ones is watched
RETIRING = {"superseded", "merged", "denied"}
READING = 1  # the phase that moves cursors, and meets problems
SCREENING = 2  # the one that holds back, and leaves over
DRAFTING = (4, 5)  # those that stage memories
BARREN_LIMIT = 3  # nights in a row without a memory, after which the owner is told
BARREN_MESSAGES = 10  # so many messages without anything to keep make a night that counts as barren
WORDS = {
    "en": {
        "cancelled": "cancelled", "ended": "over", "superseded": "no longer", "denied": "denied",
        UNSAID: "out of sight, as you asked; memory restore brings it back, memory forget deletes it",
    },
    "zh": {
        "cancelled": "取消", "ended": "结束", "superseded": "不再如此", "denied": "否认",
        UNSAID: "按你的要求不再出现；memory restore 可恢复，memory forget 可删除",
    },
}  # fmt: skip
ENDING = frozenset({"cancelled", "ended", "denied", UNSAID})  # why a memory holds no more, with nothing in its place
REPLACING = frozenset({"superseded", *OUTDATING})


def run_night(run: Run, *, allow_retire: bool) -> dict[str, Any]:
    """Stage, commit, derive; the night's accounting. What was done before a crash is not done again."""
    if not _stage_holds(run):
        run.ws.checkpoint.state.phase_data = {"head": run.ws.journal.head().hash}
    try:
        _count_try(run)
        for phase in STAGED:
            _stage(phase, run)
        account = _commit(run, allow_retire=allow_retire)
        for phase in DERIVED:
            _timed(phase, run, lambda phase: sum(1 for _ in phase.run(run)))
    except KeyboardInterrupt:
        tries = run.ws.checkpoint.state.retry_count
        run.ws.checkpoint.save(retry_count=max(0, tries - 1))  # the owner's wish is no failure
        raise
    _tidy_up(run)
    return account


def _stage_holds(run: Run) -> bool:
    """Whether what an earlier try staged may be taken up: it is all there, it was made for this night under the same
    rules, and the truth has not been changed since. After the commit there is no way back."""
    state = run.ws.checkpoint.state
    if "commit" in state.phase_data:
        return True
    staged = [name for name in state.phase_data if name != "head"]
    there = all(run.ws.checkpoint.stage(name).exists() for name in staged)
    head = state.phase_data.get("head") == run.ws.journal.head().hash
    return there and head and (state.night, state.fingerprint) == (run.night.stamp, run.ws.fingerprint)


def _count_try(run: Run) -> None:
    checkpoint = run.ws.checkpoint
    state = checkpoint.state
    again = state.night == run.night.stamp and state.current_phase is not None
    checkpoint.save(
        night=run.night.stamp,
        fingerprint=run.ws.fingerprint,
        current_phase=state.current_phase or 1,
        retry_count=state.retry_count + 1 if again else 1,
    )
    checkpoint.drop_other_stages()


def _stage(phase: Phase, run: Run) -> None:
    """Run a phase and stage what it gives, unless that is there: then take it up as it was."""
    checkpoint = run.ws.checkpoint
    done = checkpoint.state.phase_data.get(phase.name)
    if done is not None:
        _take_up(phase, done, run)
        return
    before = Counter(run.tally)
    _timed(phase, run, lambda phase: checkpoint.write_stage(phase.name, phase.run(run)))
    data = {"file": f"{phase.name}.jsonl", "counts": dict(run.tally - before), "report": run.phases[-1]}
    if phase.number == READING:
        data["again"] = run.again
        checkpoint.write_stage("cursors", ({"session": key, **each.to_row()} for key, each in run.cursors.items()))
        checkpoint.write_stage("problems", run.problems)
    if phase.number == SCREENING:
        checkpoint.write_stage("quarantine", run.guard.found)
        copying.stage(run.ws, run.read_messages, run.again, run.guard.found)
    checkpoint.save(phase_data={**checkpoint.state.phase_data, phase.name: data}, current_phase=phase.number)


def _take_up(phase: Phase, done: dict[str, Any], run: Run) -> None:
    """Go on from a phase that an earlier try finished."""
    checkpoint = run.ws.checkpoint
    run.tally.update(done["counts"])
    run.phases.append(done["report"])
    if phase.number == READING:
        run.again += done.get("again", ())
        run.problems += checkpoint.read_stage("problems", lambda row: Problem(**row))
    if phase.number in DRAFTING:
        run.drafts[phase.name] = Draft.from_rows(run.latest, checkpoint.read_stage(phase.name, dict))


def _timed(phase: Phase, run: Run, work: Callable[[Phase], object]) -> None:
    """Do a phase's work and report it: what went in, what came out, CPU seconds."""
    if run.progress is not None:
        run.progress(run.night.stamp, phase.name)
    started, before = time.process_time(), _asked(run)
    work(phase)
    seconds = round(time.process_time() - started, 3)
    used = _asked(run).minus(before)
    asked = {"calls": used.calls, "input_tokens": used.tokens - used.output, "output_tokens": used.output}
    run.phases.append(
        {"number": phase.number, "name": phase.name, **_in_and_out(phase, run), "seconds": seconds, "llm": asked}
    )


def _asked(run: Run) -> Usage:
    """What this run has asked so far."""
    return run.night.llm.used if run.night.llm else Usage()


def _in_and_out(phase: Phase, run: Run) -> dict[str, int]:
    """Messages into segments, segments into kept ones, those into claims; from then on, memories that change."""
    tally = run.tally
    changed = len(run.drafts[phase.name].changed) if phase.name in run.drafts else len(run.changes)
    taken, given = {
        "segment": (tally["messages.read"], tally["segments"]),
        "screen": (tally["segments"], tally["segments.kept"]),
        "extract": (tally["segments.kept"], tally["claims"]),
        "facts": (tally["claims"], changed),
    }.get(phase.name, (changed, changed))
    return {"in": taken, "out": given}


def _commit(run: Run, *, allow_retire: bool) -> dict[str, Any]:
    """Make the night true, once; its accounting. ChangedSinceError when a person has changed the files meanwhile."""
    ws, state = run.ws, run.ws.checkpoint.state
    if "commit" in state.phase_data:
        groups = [group for group in ws.journal.entries() if group.entry.night == run.night.stamp]
        run.changes = groups[-1].changes
        return dict(state.phase_data["commit"])
    if not ws.store.seen.holds() and truth.take_over(ws.store, clock.stamp(ws.now)):
        ws.checkpoint.save(retry_count=0)  # stopped, not failed
        raise ChangedSinceError(
            "memories were changed by hand while the night ran: that was taken over", "run it again: memory consolidate"
        )
    run.changes = changes_of(ws.store, run.drafts.values())
    run.drafts.clear()  # what they know beside the changes is much, and over
    if not allow_retire:
        _watch_retirement(run)
    account = accounting.account(run.tally, run.changes, _active(run))
    entry = Entry(
        clock.stamp(ws.now), "consolidate", state.run_id, run.night.stamp, account, _moved_state(run, account)
    )
    run.copied = copying.put_down(ws, run.night.stamp)
    ws.store.apply(entry, run.changes)
    return _recounted(account, run)


def _recounted(account: dict[str, Any], run: Run) -> dict[str, Any]:
    """The accounting with the memories counted in the files after the commit, instead of added up; a sum that does not
    close is remembered until the owner has seen to it."""
    sums = {**account, "memories": {**account["memories"], "after": _active(run)}}
    sums["balanced"] = not accounting.unbalanced(sums)
    if not sums["balanced"]:
        run.ws.checkpoint.save(unbalanced=run.night.stamp)
    return sums


def _active(run: Run) -> int:
    """How many active memories the files hold."""
    return sum(count for (pool, _), count in run.ws.store.counts().items() if pool == "active")


def _moved_state(run: Run, account: dict[str, Any]) -> dict[str, Any]:
    """The keys of the checkpoint that the commit moves: how far is read, and how the nights have been."""
    state = run.ws.checkpoint.state
    rows = {row.pop("session"): row for row in run.ws.checkpoint.read_stage("cursors", dict)}
    return {
        "cursors": rows,
        "left_over": dict.fromkeys(state.left_over),
        "last_night": run.night.stamp,
        "shown_night": "",
        "last_message": max([state.last_message, *(row["last"] for row in rows.values())]),
        "decay_held": state.decay_held or (run.night.stamp if run.night.held else ""),
        "fades_until": state.fades_until or (state.last_night if run.night.held else ""),
        "barren_nights": _barren_nights(state.barren_nights, account),
        "next_change": None,
        "phase_data": {**state.phase_data, "commit": account},
    }


def _barren_nights(before: int, account: dict[str, Any]) -> int:
    """How many nights in a row nothing came of what was said. Input worth keeping of which nothing was made is alarming
    at once; a quiet night changes nothing."""
    if account["claims"]["total"] or account["memories"]["new"]:
        return 0
    left_out = account["kept"]["without_claim"].get("left out", 0)  # what a model has read and found not worth keeping
    if account["segments"]["kept"] - left_out:
        return max(before + 1, BARREN_LIMIT)
    return before + 1 if is_barren(account) else before


def is_barren(account: dict[str, Any]) -> bool:
    """Whether there was input worth keeping, or much input, and nothing came of it."""
    made = account["claims"]["total"] or account["memories"]["new"]
    return not made and (account["segments"]["kept"] > 0 or account["messages"]["kept"] >= BARREN_MESSAGES)


def _watch_retirement(run: Run) -> None:
    """RetirementError when the night would retire too large a share of the active facts."""
    active = run.ws.store.counts()["active", Fact.PREFIX]
    retired = sum(1 for change in run.changes if retires_fact(change))
    share = run.ws.config.thresholds.max_retired_share
    if active > MANY_ACTIVE and retired > share * active:
        run.ws.checkpoint.save(retry_count=0)  # stopped, not failed
        raise RetirementError(f"the night of {run.night.stamp} would retire {retired} of {active} active facts")


def retires_fact(change: Change) -> bool:
    """Whether an active fact gives way to another (what fades or expires does not count), or stands behind it."""
    why = set(change.why.split("+"))
    gives_way = bool(OUTDATING & why) or (change.after_pool != "active" and bool(RETIRING & why))
    return change.before_pool == "active" and gives_way and kind_of(change.id) is Fact


def _tidy_up(run: Run) -> None:
    """After a night whose files are all written: drop what it used up, and mark it done."""
    ws = run.ws
    ws.inbox.drop(each.id for each in run.captures() if ws.store.pool_of(each.id))
    ws.accesses.put_by(run.night.stamp)
    if ws.checkpoint.stage("quarantine").exists():
        ws.quarantine.add(ws.checkpoint.read_stage("quarantine", dict))
    now = clock.stamp(ws.now)
    ws.checkpoint.save(
        current_phase=None,
        phase_data={},
        retry_count=0,
        last_run=now,
        last_success=now,
        next_change=ws.store.next_leaving(),
        derived=ws.journal.head().hash,
    )


# ---- what a run has learnt, changed and ended ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One thing in the place of another (of a slot its label and the values), and what the memory said before."""

    old: str
    new: str
    before: str
    label: str = ""

    def to_row(self, key: str) -> dict[str, str]:
        return {"id": key, "text": f"{self.label}{self.old} → {self.new}", "before": self.before}


@dataclass(slots=True)
class Telling:
    """What the nights of a run have done to memories, by their ids."""

    learnt: dict[str, Fact] = field(default_factory=dict)
    changed: dict[str, _Exchange] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)

    def add(self, changes: Iterable[Change]) -> None:
        """Take in the changes of one night."""
        found = {each.id: each for each in changes if kind_of(each.id) is not Summary and each.after}
        told = {key for each in found.values() if (key := self._gone(each, found))}
        for change in found.values():
            if change.before_pool is None and change.after_pool == "active" and change.id not in told:
                self.learnt[change.id] = _after(change)

    def _gone(self, change: Change, found: Mapping[str, Change]) -> str:
        """Take in what holds no more; the id of the newer memory that is told with it, if there is one."""
        why = {*change.why.split("+")} & (REPLACING | ENDING)
        if change.before_pool != "active" or not why:
            return ""
        old = _after(change)
        newer_id = successor_of(old.model_dump())
        newer = _after(found[newer_id]) if newer_id in found else None
        if self.learnt.pop(old.id, None):
            return ""
        if newer is None or not newer.polarity or why & ENDING:
            self.changed.pop(old.id, None)
            self.ended[old.id] = _ended(old, newer, min(why))
        else:
            self._replace(old, newer)
        return "" if "denied" in why else newer_id

    def _replace(self, old: Fact, newer: Fact) -> None:
        """Take in that one memory stands in the place of another; of several the one in the same slot is told."""
        earlier, exchange = self.changed.pop(old.id, None), _exchange(old, newer)
        if earlier is not None and earlier.label == exchange.label:
            exchange = replace(exchange, old=earlier.old, before=earlier.before)
        if newer.id not in self.changed or exchange.label:
            self.changed[newer.id] = exchange

    def to_row(self) -> dict[str, list[dict[str, str]]]:
        """The keys of `consolidate --json`; of what was learnt the weightiest first."""
        learnt = sorted(self.learnt.values(), key=lambda each: -each.importance)
        return {
            "learnt": [{"id": each.id, "text": short(each)} for each in learnt],
            "changed": [each.to_row(key) for key, each in self.changed.items()],
            "ended": [{"id": key, "text": text} for key, text in self.ended.items()],
        }


def _after(change: Change) -> Fact:
    return from_line(change.after or b"")


def _exchange(old: Fact, newer: Fact) -> _Exchange:
    """A new value in a slot, else the new words in the place of the old ones."""
    if not old.attribute or old.slot != newer.slot:
        return _Exchange(short(old), short(newer), short(old))
    whose = "" if old.subject == USER else f"{trust.shown(old.subject)}, "
    label = f"{whose}{label_of(old.attribute, told_in(newer.lang))}: "
    return _Exchange(trust.shown(old.value), trust.shown(newer.value), short(old), label)


def _ended(old: Fact, newer: Fact | None, why: str) -> str:
    """What holds no more, and the words that say so."""
    if why == UNSAID:
        return f"{old.id} ({WORDS[told_in(old.lang)][why]})"
    said = next((each.quote for each in newer.evidence if each.quote), "") if newer else ""
    quoted = f": “{trust.shown(' '.join(said.split()))}”" if said else ""
    return f"{short(old)} ({WORDS[told_in(old.lang)].get(why, why)}{quoted})"
