"""The whole of a night, in order. Phases 1-5 stage what they give, each durably before the checkpoint moves on; one
commit makes the night true; what is derived follows, the profiles of 4d among it: the index tells who is named where.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from memory_system.nights.night import Phase, Run
from memory_system.phases import (
    beliefs,
    captured,
    decay,
    entities,
    extract,
    facts,
    index,
    screen,
    segment,
    snapshot,
    summaries,
)
from memory_system.records import session_of
from memory_system.turns import Claim, Turn


def _in_time_order(claims: Iterable[Claim]) -> Iterator[bytes]:
    """Claims as lines to be staged, in the order in which they were said, across sessions; within a session as they
    stand. Lines, not claims, wait to be sorted: they take a quarter of the memory."""
    numbered = [(claim.said_at, session_of(claim.ref), number, claim.to_line()) for number, claim in enumerate(claims)]
    numbered.sort(key=lambda each: each[:3])
    return (line for *_, line in numbered)


def _extracted(run: Run) -> Iterator[Claim]:
    """What the night's kept turns give: by rules, or as a model reads them."""
    names = facts.known_names(run.ws.store)
    if (asker := run.night.llm) is None:
        return extract.run(run.turns("screen"), run.night, run.tally, names)
    from memory_system.phases import by_model

    return by_model.run(run.turns("screen"), run.heard(), run.ws.store, run.night, asker, run.tally, names)


def _lines(turns: Iterable[Turn]) -> Iterator[bytes]:
    """Turns as lines to be staged."""
    return (turn.to_line() for turn in turns)


STAGED = (
    Phase(1, "segment", lambda run: _lines(
        chain(segment.run(run.messages(), run.night, run.tally), run.backlog()))),
    Phase(2, "screen", lambda run: _lines(
        screen.run(run.turns("segment"), run.night, run.tally, run.guard, facts.known_names(run.ws.store)))),
    Phase(3, "extract", lambda run: _in_time_order(_extracted(run))),
    Phase(4, "facts", lambda run: run.draft(
        "facts", facts.run(
            run.claims(stated=True), captured.read(run.captures(), run.night, facts.known_names(run.ws.store)),
            run.latest, run.night, run.tally))),
    Phase(4, "beliefs", lambda run: run.draft(
        "beliefs", beliefs.run(
            run.claims(stated=False), run.drafts["facts"], run.latest, run.night, run.tally))),
    Phase(4, "summaries", lambda run: run.draft(
        "summaries", summaries.run(list(run.drafts.values()), run.latest, run.night))),
    Phase(5, "decay", lambda run: run.draft(
        "decay", decay.run(run.accessed(), run.latest, run.night))),
)  # fmt: skip
DERIVED = (
    Phase(6, "index", lambda run: index.run(run.changes, run.read_messages(), run.ws, run.again)),
    Phase(4, "entities", lambda run: entities.run(run.changes, run.ws)),
    Phase(7, "snapshot", lambda run: snapshot.run(run.night, run.ws)),
)
PHASES = (*STAGED, *DERIVED)
