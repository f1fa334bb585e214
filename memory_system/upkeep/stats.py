"""What is in the workspace and how it is doing: the figures of `stats`, the health that `status` shows, and the
heartbeat: cheap checks without a model, for an agent that wakes every now and then. Each gives what its owner should
be asked or told, in the language of the workspace; nothing to say is `HEARTBEAT_OK`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import starmap
from typing import Any

from memory_system import clock, nights, pipeline
from memory_system.config import retired_in
from memory_system.disk import is_held
from memory_system.llm import phrases
from memory_system.llm.ledger import Ledger, by_day, summed
from memory_system.nights import copying
from memory_system.nights.night import BARREN_LIMIT
from memory_system.readers import Cursor
from memory_system.records import CAPTURED, KINDS, USER, Belief, Fact, Pool, Problem, Row, session_of, told, type_name
from memory_system.rules import table
from memory_system.store.checkpoint import MAX_TRIES
from memory_system.store.gist import gist_of
from memory_system.store.said import line_of
from memory_system.upkeep.distill import proposals
from memory_system.workspace import Workspace

EVERY_SEGMENT = 150  # tokens that a segment takes when every one is sent by itself, prompts and answers included
LEVELS = (("critical", 0.9), ("high", 0.7), ("medium", 0.4), ("low", 0.0))
OVERDUE = timedelta(hours=6)  # after a night's slot: its job comes an hour or so after it
STALE = timedelta(days=30)  # a belief that nothing has confirmed for so long
HIGH_IMPACT = 0.95  # importance of what does harm when it is wrong
VERIFY = timedelta(days=180)  # and after which it is asked for again
DATED = ("reminder", "todo")
MEND = "they were skipped; mend or remove them"
MOST = 3  # items of one kind: an agent that asks ten things is not answered


def stats(ws: Workspace) -> dict[str, Any]:
    """Counts by pool, type, importance, category and language; captures that wait count as active."""
    active = [*_rows(ws, "active"), *(each.model_dump() for each in ws.inbox.pending())]
    archived = sum(1 for _ in _rows(ws, "archive"))
    kinds = Counter(row["id"].partition("_")[0] for row in active)
    levels = Counter(next(name for name, least in LEVELS if row["importance"] >= least) for row in active)
    return {
        "total": len(active) + archived,
        "active": len(active),
        "archive": archived,
        "by_type": {type_name(kind): kinds[letter] for letter, kind in KINDS.items()},
        "by_importance": {name: levels[name] for name, _ in LEVELS},
        "by_category": dict(Counter(row.get("category", "general") for row in active).most_common()),
        "by_language": dict(Counter(row.get("lang", "") for row in active).most_common()),
        "waiting_captures": len(ws.inbox.pending()),
        "layer3": _layer3(ws),
        "llm": _asked(ws),
        **schedule_of(ws),
    }


def _layer3(ws: Workspace) -> dict[str, int]:
    """What layer 3 holds, and the bytes that it takes; of an earlier state the messages that had been read by then."""
    if ws.layout.elsewhere is None:
        return {"messages": ws.said.count(), "bytes": ws.said.size()}
    last = {session: row["last"] for session, row in ws.checkpoint.state.cursors.items()}
    known = (message for _, message in ws.said.messages(last.__contains__))
    sizes = [len(line_of(each)) for each in known if each.said_at <= last[each.session]]
    return {"messages": len(sizes), "bytes": sum(sizes)}


def _asked(ws: Workspace) -> dict[str, Any]:
    """What the nights' asking of a language model has cost, what talking to one has, both by day, and the tokens that
    sending every segment would have taken."""
    ledger = Ledger(ws.layout.ledger, ws.files, ws.config)
    accounts = (group.entry.accounting or {} for group in ws.journal.entries())
    segments = sum(account.get("segments", {}).get("total", 0) for account in accounts)
    used = summed(ledger.of_nights)
    tokens = used["input_tokens"] + used["output_tokens"]
    everything = segments * EVERY_SEGMENT
    return {
        **used,
        "talk": summed(ledger.of_talks),
        "by_day": by_day(ledger.rows),
        "usd_left_this_month": round(ledger.dollars_left(clock.stamp(ws.now)), 6),
        "tokens_for_everything": everything,
        "saved": round(1 - tokens / everything, 4) if everything else None,
    }


def _rows(ws: Workspace, pool: Pool) -> Iterator[Row]:
    for kind in KINDS.values():
        yield from ws.store.rows(pool, kind)


def schedule_of(ws: Workspace) -> dict[str, str | None]:
    """When the last consolidation was, and when the next one is."""
    return {
        "last_consolidation": ws.checkpoint.state.last_success or None,
        "next_scheduled": clock.stamp(ws.config.schedule.after(ws.now)),
    }


def status(ws: Workspace) -> dict[str, Any]:
    """How the workspace is doing: `problems` is what the owner should look at (`ok`: there is nothing), `skipped` lines
    that could not be read, `held_back` how much waits in quarantine, `unconfirmed_health` facts that nobody has
    confirmed, `retired_keys` configuration that does nothing any more, `proposals` lines for the owner's own files."""
    state = ws.checkpoint.state
    waiting, problems = pipeline.waiting(ws)
    night = nights.next_night(waiting, ws)
    problems += [*pipeline.embedding_problems(ws), *interruptions(ws), *_missed(night, ws)]
    problems += [*starmap(_conflict, conflicts(ws)), *_silence(ws)]
    return {
        "ok": not problems,
        "workspace": str(ws.layout.root),
        **schedule_of(ws),
        "due": clock.stamp(night) if night else None,
        "waiting_messages": sum(len(each) for each in waiting.messages.values()),
        "waiting_captures": len(ws.inbox.pending()),
        "held_back": len(ws.quarantine.waiting()),
        "unconfirmed_health": unconfirmed_health(ws),
        "retired_keys": list(retired_in(ws.files.read_object(ws.layout.config))),
        "layer3": {"bytes": ws.said.size(), "to_fill": copying.to_be_filled(ws)},
        "run_id": state.run_id or None,
        "phase": state.current_phase,
        "retry_count": state.retry_count if state.current_phase is not None else 0,
        "running": is_held(ws.layout.lock),
        "problems": [worded(each, ws.language).to_row() for each in problems],
        "skipped": [worded(each, ws.language).to_row() for each in skipped(ws)],
        "proposals": proposals(ws),
    }


def skipped(ws: Workspace) -> Iterator[Problem]:
    """The lines of transcripts that could not be read: the first one of each file, and how many there are."""
    cursors = {session: Cursor.from_row(row) for session, row in ws.checkpoint.state.cursors.items()}
    gone = ws.library.gone(cursors)
    for session, cursor in cursors.items():
        if cursor.skipped and session not in gone:
            first, count = cursor.skipped
            yield Problem(f"{cursor.path}:{first}", f"lines that cannot be read: {count}", MEND)


def interruptions(ws: Workspace) -> Iterator[Problem]:
    """A night that stopped half-way, and that nobody is going on with."""
    state = ws.checkpoint.state
    if state.current_phase is not None and not is_held(ws.layout.lock):
        what = f"the night of {state.night} stopped in phase {state.current_phase} (tries: {state.retry_count})"
        force = " --force" if state.retry_count >= MAX_TRIES else ""
        yield Problem(ws.layout.name(ws.layout.checkpoint), what, f"go on with: memory consolidate{force}")


def _missed(night: datetime | None, ws: Workspace) -> Iterator[Problem]:
    """A night that is longer overdue than a machine that sleeps explains: nobody runs them, or they fail."""
    if night and ws.now - night > timedelta(hours=ws.config.consolidation.fallback_hours):
        what = f"the night of {clock.stamp(night)} has not run"
        yield Problem("consolidation", what, "run it: memory consolidate; who runs it: memory schedule show")


def _silence(ws: Workspace) -> Iterator[Problem]:
    """What a run that did nothing useful, lost count, or did not trust its clock left to be looked at."""
    state = ws.checkpoint.state
    if state.unbalanced:
        what = f"the sums of the night of {state.unbalanced} do not close"
        yield Problem("consolidation", what, "look for what is missing with: memory validate")
    if state.barren_nights >= BARREN_LIMIT:
        what = "the last nights read what was said and remembered nothing of it"
        yield Problem("consolidation", what, "look at what was dropped: memory consolidate --phase 2")
    if state.decay_held:
        days = nights.LONG_SILENCE.days
        what = f"nothing fades since {state.decay_held}: more than {days} days without messages before"
        yield Problem("clock", what, "if the clock is right: memory consolidate --force")


def _conflict(slot: str, rows: list[Row]) -> Problem:
    values = " / ".join(f"{row['id']} {told(row)}" for row in rows)
    what = f"{len(rows)} facts for {slot} cannot be true together: {values}"
    return Problem(rows[0]["id"], what, "say which is right: memory capture TEXT")


def conflicts(ws: Workspace) -> Iterator[tuple[str, list[Row]]]:
    """Slots of one value in which more than one fact stands, and those facts."""
    attributes = table("attributes", "attributes").items()
    single = {name for name, each in attributes if each.get("single") and not each.get("cued")}
    slots: dict[tuple[str, str], list[Row]] = {}
    for row in ws.store.rows("active", Fact):
        if row.get("attribute") in single and _stands(row):
            slots.setdefault((row.get("subject", USER), row["attribute"]), []).append(row)
    yield from ((".".join(slot), rows) for slot, rows in sorted(slots.items()) if len(rows) > 1)


def unconfirmed_health(ws: Workspace) -> list[str]:
    """The facts on the user's health that one session alone has said, and the owner neither captured nor set."""
    rows = (row for row in ws.store.rows("active", Fact) if row.get("category") == "health" and row.get("attribute"))
    return [row["id"] for row in rows if row.get("subject", USER) == USER and _stands(row) and not _is_confirmed(row)]


def _stands(row: Row) -> bool:
    return bool(row.get("polarity", True)) and not row.get("outdated_by")


def _is_confirmed(row: Row) -> bool:
    refs = [each["ref"] for each in row.get("evidence", ())]
    by_owner = row.get("edited") or row.get("pinned") or any(ref.startswith(f"{CAPTURED}:") for ref in refs)
    return bool(by_owner) or len({session_of(ref) for ref in refs}) > 1


def worded(problem: Problem, lang: str) -> Problem:
    """The problem in that language: `prompts/agent.toml` has the words of the program beside those of another language.
    What stands there in braces is whatever stands in its place; words that it lacks stay."""
    return Problem(*(_worded(text, lang) for text in (problem.where, problem.what, problem.hint)))


def _worded(text: str, lang: str) -> str:
    for pattern, words in _wordings(lang):
        if found := pattern.fullmatch(text):
            return words.format(**found.groupdict())
    return text


@cache
def _wordings(lang: str) -> list[tuple[re.Pattern[str], str]]:
    table = phrases(lang).get("problems", {})
    return [
        (re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", re.escape(key)), re.DOTALL), words)
        for key, words in table.items()
    ]


def heartbeat(ws: Workspace) -> dict[str, Any]:
    """`status` (HEARTBEAT_OK or ATTENTION), `items`, and `more`: how many of each kind were left out."""
    found: dict[str, list[Row]] = {kind: [] for kind in phrases(ws.language)["heartbeat"]}
    for each in _items(ws):
        found[each["kind"]].append(each)
    shown = [each for alike in found.values() for each in alike[:MOST]]
    return {
        "status": "ATTENTION" if shown else "HEARTBEAT_OK",
        "items": shown,
        "more": {kind: len(alike) - MOST for kind, alike in found.items() if len(alike) > MOST},
    }


def _items(ws: Workspace) -> Iterator[Row]:
    yield from _overdue(ws)
    for _, rows in conflicts(ws):
        ids = (row["id"] for row in rows)
        yield _item(ws, "conflict", *ids, contents=" / ".join(row["content"] for row in rows))
    if waiting := ws.quarantine.waiting():
        yield _item(ws, "held_back", count=len(waiting))
    facts, beliefs = (
        [row for row in ws.store.rows("active", kind) if not row.get("outdated_by")] for kind in (Fact, Belief)
    )
    yield from _past_due(facts, ws)
    yield from _to_ask(beliefs, ws)
    yield from _to_verify(facts, ws)
    yield from _duplicates([*facts, *beliefs], ws)
    for each in proposals(ws):
        yield _item(ws, "proposal", each["id"], file=each["file"], line=each["line"])


def _item(ws: Workspace, kind: str, *ids: str, **words: object) -> Row:
    """One thing to do: its kind, what is the matter, what to do, and the memories it is about."""
    what, do = (each.format(id=ids[-1] if ids else "", **words) for each in phrases(ws.language)["heartbeat"][kind])
    return {"kind": kind, "what": what, "do": do, "ids": list(ids)}


def _overdue(ws: Workspace) -> Iterator[Row]:
    """A night that should have run, and what is wrong with what it would read."""
    waiting, problems = pipeline.waiting(ws)
    night = nights.next_night(waiting, ws)
    if night is not None and ws.now - night > OVERDUE:
        yield _item(ws, "overdue", night=clock.stamp(night))
    for found in (*problems, *pipeline.embedding_problems(ws), *interruptions(ws)):
        problem = worded(found, ws.language)
        yield _item(ws, "problem", where=problem.where, what=problem.what, hint=problem.hint)


def _past_due(rows: Iterable[Row], ws: Workspace) -> Iterator[Row]:
    """Reminders and todos whose event is over."""
    now = ws.now.astimezone(ws.config.zone).isoformat()[:16]
    for row in rows:
        when = row.get("event_time")
        if row.get("category") in DATED and when and when["end"] <= now:
            yield _item(ws, "past_due", row["id"], when=when["start"].replace("T", " "), content=row["content"])


def _to_ask(beliefs: Iterable[Row], ws: Workspace) -> Iterator[Row]:
    """Preferences that are only guessed, the surest first, and other beliefs that nothing has confirmed for long."""
    for row in sorted(beliefs, key=lambda row: (-row.get("confidence", 0), row["id"])):
        since = row.get("last_confirmed") or row.get("said_at") or row.get("created", "")
        if row.get("category") == "preference":
            yield _item(ws, "ask", row["id"], content=row["content"], confidence=row.get("confidence", 0))
        elif _is_older(since, ws.now, STALE):
            yield _item(ws, "stale", row["id"], content=row["content"], since=since[:10])


def _to_verify(facts: Iterable[Row], ws: Workspace) -> Iterator[Row]:
    """What would do harm if it were wrong, and was confirmed long ago; the oldest first. A name does not wear out."""
    for row in sorted(facts, key=lambda row: (row.get("last_confirmed") or row.get("said_at", ""), row["id"])):
        since = row.get("last_confirmed") or row.get("said_at") or ""
        lasting = row.get("category") == "identity"
        if row["importance"] >= HIGH_IMPACT and not lasting and _is_older(since, ws.now, VERIFY):
            yield _item(ws, "verify", row["id"], content=row["content"], since=since[:10])


def _duplicates(rows: Iterable[Row], ws: Workspace) -> Iterator[Row]:
    """Memories that say the same of the same time with the same words, in whatever form."""
    alike: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        gist = gist_of(row["content"])
        when = row.get("event_time") or {}
        key = (row.get("subject", USER), row.get("polarity", True), when.get("start"), gist.words)
        alike.setdefault(key, []).append(row)
    for group in alike.values():
        if len(group) > 1:
            ids = sorted(row["id"] for row in group)
            yield _item(ws, "duplicates", *ids, contents=" / ".join(row["content"] for row in group))


def _is_older(stamp: str, now: datetime, age: timedelta) -> bool:
    return bool(stamp) and now - clock.read_stamp(stamp) > age
