"""The whole of a night, in order, and one night on its way. Phases 1-5 stage what they give, each durably before the
checkpoint moves on; one commit makes the night true; what is derived follows, the profiles of 4d among it: the index
tells who is named where."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

from memory_system.phases import (
    Night,
    beliefs,
    decay,
    entities,
    extract,
    facts,
    index,
    screen,
    segment,
    snapshot,
    summaries,
    unsaid,
)
from memory_system.phases.screen import Judged, in_order
from memory_system.privacy.trust import Guard
from memory_system.readers import Cursor
from memory_system.records import USER, Fact, Problem, session_of
from memory_system.store.database import StaleIndexError
from memory_system.store.draft import Draft
from memory_system.store.journal import Change
from memory_system.store.keys import slot_key
from memory_system.store.store import Memories, row_of
from memory_system.turns import Claim, Message, Turn
from memory_system.workspace import Workspace

Progress = Callable[[str, str], None]  # told the night and the phase that begins


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of the night: its number and name, and what it gives. Up to the commit that is staged; after it, it is the
    names of what was derived."""

    number: int
    name: str
    run: Callable[[Run], Iterable[Any]]


@dataclass
class Run:
    """One night on its way: inputs, counts, and the drafts of the memories as they come about."""

    ws: Workspace
    night: Night
    sessions: list[str]
    progress: Progress | None = None
    tally: Counter[str] = field(default_factory=Counter)
    drafts: dict[str, Draft] = field(default_factory=dict)
    cursors: dict[str, Cursor] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    phases: list[dict[str, Any]] = field(default_factory=list)
    again: list[str] = field(default_factory=list)  # sessions that were read from their beginnings once more
    copied: int = 0  # messages that are new in layer 3

    def backlog(self) -> Iterator[Turn]:
        """What earlier versions left waiting in the checkpoint because a night's share was used up: the turns of those
        places (`session:entry@start-end …`), with the segments in them. Nothing waits any more."""
        state = self.ws.checkpoint.state
        places: dict[str, dict[str, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
        for row in (each for stamp in sorted(state.left_over) for each in state.left_over[stamp]):
            ref, _, span = row.split(" ")[0].rpartition("@")
            start, _, end = span.partition("-")
            places[session_of(ref)][ref].append((int(start), int(end)))
        for session in sorted(places.keys() & state.cursors.keys()):
            said = self.ws.library.reread(session, Cursor.from_row(state.cursors[session]))
            for turn in segment.run(said, self.night, Counter()):
                spans = places[session].get(turn.message.ref, ())
                inside = [each for each in turn.segments if any(one <= each.start < other for one, other in spans)]
                if inside:
                    self.tally["segments"] += len(inside)
                    yield replace(turn, segments=inside)

    @cached_property
    def guard(self) -> Guard:
        return self._guard()

    def _guard(self) -> Guard:
        """One that holds back what must not be believed."""
        store = self.ws.store
        rows = (row_of(each, store) for each in store.find(slot_key(USER, "name")))
        return Guard(self.ws.quarantine.approved(), [row["value"] for row in rows if row.get("value")])

    def messages(self) -> Iterator[Message]:
        """What was said before the night and not read yet, session by session."""
        for session in self.sessions:
            row = self.ws.checkpoint.state.cursors.get(session)
            batch = self.ws.library.read(session, Cursor.from_row(row) if row else None, self.night.at)
            self.cursors[session] = batch.cursor
            self.problems += batch.problems
            self.again += [session] if batch.again else []
            self.tally["messages.read"] += batch.read
            self.tally["messages.kept"] += len(batch.messages)
            self.tally.update({f"messages.filtered.{reason}": count for reason, count in batch.filtered.items()})
            yield from batch.messages

    def read_messages(self) -> Iterator[Message]:
        """What this night has read, as phase 1 staged it; StaleIndexError when that is gone."""
        if not self.ws.checkpoint.stage("segment").exists():
            raise StaleIndexError("what the night has read is no longer staged")
        yield from self.ws.checkpoint.read_stage("segment", lambda row: Message(*row["message"]))

    def turns(self, stage: str) -> Iterator[Turn]:
        return self.ws.checkpoint.read_stage(stage, Turn.staged)

    def heard(self) -> Iterator[tuple[Turn, list[Judged]]]:
        """All turns of the night as they were judged."""
        return in_order(self.turns("segment"), self.night.config, self._guard())

    def claims(self, *, stated: bool) -> Iterator[Claim]:
        """The night's claims, stated ones or supposed ones, without what was forgotten since it was said."""
        forgotten = self.ws.tombstones
        for row in self.ws.checkpoint.read_stage("extract", dict):
            if (row["confidence"] >= 1) == stated:
                if forgotten and forgotten.forbids(row):
                    self.tally["claims.rejected.forgotten"] += 1
                else:
                    yield Claim.staged(row)

    def captures(self) -> list[Fact]:
        """The captures made before the night."""
        return [each for each in self.ws.inbox.pending() if each.created < self.night.stamp]

    @property
    def latest(self) -> Memories:
        """The memories with all of the night's changes so far."""
        return next(reversed(self.drafts.values()), self.ws.store)

    def draft(self, name: str, draft: Draft) -> Iterator[bytes]:
        """Take a phase's draft in, as rows to be staged."""
        self.drafts[name] = draft
        return draft.rows()


def _in_time_order(claims: Iterable[Claim]) -> Iterator[bytes]:
    """Claims as lines to be staged, in the order in which they were said, across sessions; within a session as they
    stand. Lines, not claims, wait to be sorted: they take a quarter of the memory."""
    numbered = [(claim.said_at, session_of(claim.ref), number, claim.to_line()) for number, claim in enumerate(claims)]
    numbered.sort(key=lambda each: each[:3])
    return (line for *_, line in numbered)


def screened(run: Run) -> Iterator[Turn]:
    """What is kept of the night's turns."""
    return screen.run(run.turns("segment"), run.night, run.tally, run.guard, facts.known_names(run.ws.store))


def extracted(run: Run) -> Iterator[Claim]:
    """What the night's kept turns give: by rules, or as a model reads them."""
    names, takers = facts.known_names(run.ws.store), facts.known_takers(run.ws.store)
    if (asker := run.night.llm) is None:
        return extract.run(run.turns("screen"), run.night, run.tally, names, takers)
    from memory_system.phases import by_model

    return by_model.run(run.turns("screen"), run.heard(), run.ws.store, run.night, asker, run.tally, names)


STAGED = (
    Phase(1, "segment", lambda run: map(
        Turn.to_line, chain(segment.run(run.messages(), run.night, run.tally), run.backlog()))),
    Phase(2, "screen", lambda run: map(Turn.to_line, screened(run))),
    Phase(3, "extract", lambda run: _in_time_order(extracted(run))),
    Phase(4, "facts", lambda run: run.draft(
        "facts", unsaid.run(run.read_messages(), facts.run(
            run.claims(stated=True), extract.of_captures(run.captures(), run.night, facts.known_names(run.ws.store)),
            run.latest, run.night, run.tally), run.night, run.problems))),
    Phase(4, "beliefs", lambda run: run.draft(
        "beliefs", beliefs.run(
            run.claims(stated=False), run.drafts["facts"], run.latest, run.night, run.tally))),
    Phase(4, "summaries", lambda run: run.draft(
        "summaries", summaries.run(list(run.drafts.values()), run.latest, run.night))),
    Phase(5, "decay", lambda run: run.draft(
        "decay", decay.run(run.ws.accesses.before(run.night.stamp), run.latest, run.night))),
)  # fmt: skip
DERIVED = (
    Phase(6, "index", lambda run: index.run(run.changes, run.read_messages(), run.ws, run.again)),
    Phase(4, "entities", lambda run: entities.run(run.changes, run.ws)),
    Phase(7, "snapshot", lambda run: snapshot.run(run.night.at, run.ws)),
)
PHASES = (*STAGED, *DERIVED)
