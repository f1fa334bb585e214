"""What the journal tells: why a memory is there and says what it says, and what a run has changed. And what becomes of
what was said: a message is read, cut and judged again as a night would, so that its owner sees what was kept of it as
what, what was left out and why, and which words decided. Reading only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from memory_system import clock, finder
from memory_system.errors import NotFoundError, UsageError
from memory_system.finder import Giver
from memory_system.nights.order import Run
from memory_system.phases import Night, facts, screen, segment
from memory_system.phases.evidence import RULE
from memory_system.phases.screen import Judged
from memory_system.readers import Cursor
from memory_system.records import QUOTE, Evidence, Fact, Pool, Summary, from_line, session_of
from memory_system.store import retention
from memory_system.store.journal import Change, Group
from memory_system.text import shortened
from memory_system.turns import Message, Segment, Turn
from memory_system.understand.judge import STANCES, verdict_of
from memory_system.understand.language import claim_rules
from memory_system.understand.weights import LANGUAGES
from memory_system.understand.withheld import SOON, WITHHELD
from memory_system.upkeep import correct
from memory_system.workspace import Workspace

FORGOTTEN = "[forgotten]"  # shown for what a change said when forgetting has blanked it
ROLLBACK = "rollback of "  # with which the reason of an entry that undoes others begins
UNTOLD = frozenset({"updated", "version", "scored_at"})  # fields that move with every change
KEPT = "kept as it was said"
COMPOSED = "three or more facts of one topic, told together"
MOST_WORDS = 8  # of the judge's words that are shown
MOST_LEFT_OUT = 200
SHORTENED = 80  # characters of what was left out
NEARBY = 50  # turns before a message that are judged with it: an order may come in pieces
UNSHOWN = frozenset({WITHHELD, "quarantined"})  # reasons why words are not shown either
WHERE = {"": "sentence", "p:": "before", "f:": "first", "n:": "behind", "q:": "question"}
REASONS = {
    "none": "not worth keeping, as the judge finds",
    "ask": "a question",
    "others": "somebody else's words, or not surely the speaker's own",
    "unreal": "not meant in earnest",
    "assistant": "an assistant's words give nothing but what it promises",
    "secret": "nothing but a secret",
    "flood": "that night held more than screen.max_tokens, and this was not the best of it",
    "quoted": "quoted or pasted from somebody else",
    "quarantined": "held back, for it may want to steer an agent: memory quarantine list",
    WITHHELD: "it was asked not to be kept",
}
KEPT_FOR = "worth keeping, as the judge finds, or surely filling a slot"


def why(ws: Workspace, memory_id: str) -> dict[str, Any]:
    """Why the memory is there: its sources with their quotes, what they lean on, the rule that read them, every change
    since, what it superseded, what outdates it, and what its rank is made of. NotFoundError for an id that nobody
    knows."""
    record, pool = correct.find(ws, memory_id)
    return {
        "id": record.id,
        "content": record.content,
        "pool": pool or "inbox",
        "context": finder.contexts(ws, [record]).get(record.id, ""),
        "sources": [each.model_dump() | _origin(each, ws) for each in record.evidence],
        "source_facts": list(getattr(record, "source_facts", ())),
        "method": record.method,
        "rule": rule_of(record),
        "judge": judgement(ws, record),
        "edited": list(record.edited),
        "history": [each.model_dump() for each in record.history],
        "supersedes": record.supersedes,
        "superseded_by": record.superseded_by,
        "outdated_by": record.outdated_by,
        "changes": [
            change_row(group, change)
            for group in ws.journal.entries()
            for change in group.changes
            if change.id == memory_id
        ],
        "rank": _rank(record, ws),
    }


def _origin(evidence: Evidence, ws: Workspace) -> dict[str, Any]:
    """Where the words were said: the transcript, what its host calls the conversation, which kind of chat that is, and
    whether it was the owner who said them. Empty for what no transcript holds."""
    cursor = ws.checkpoint.state.cursors.get(session_of(evidence.ref))
    if cursor is None:
        return {}
    where = {"path": cursor["path"], "session_key": cursor.get("key", ""), "chat": cursor.get("chat") or "direct"}
    return {**where, "owner": evidence.role in ("user", "note") and evidence.trust == "user"}


def rule_of(record: Fact) -> str:
    """What the rule that made the memory is for; empty when no rule did."""
    if isinstance(record, Summary):
        return COMPOSED if record.method.startswith(RULE) else ""
    if record.form == QUOTE:
        return KEPT
    if not record.method.startswith(RULE):
        return ""
    rule_id = record.method.removeprefix(RULE)
    found = (rule.why for lang in LANGUAGES for rule in claim_rules(lang) if rule.id == rule_id)
    return next(found, "told by an earlier version of the program, by a rule that is gone")


def _rank(record: Fact, ws: Workspace) -> dict[str, Any]:
    """What the memory ranks by in the snapshot, and how search lifts it."""
    return {
        "importance": record.importance,
        "score": record.score,
        "scored_at": record.scored_at,
        "effective": round(retention.effective(record, ws.faded_at(ws.now), ws.config), 4),
        "decay_per_day": round(retention.rate(record, ws.config), 6),
        "floor": ws.config.thresholds.floor if retention.is_protected(record) else None,
    }


def diff(ws: Workspace, name: str = "") -> dict[str, Any]:
    """What a run has changed, entry by entry; see `entries_of` for its names."""
    groups = entries_of(ws, name)
    rows = [change_row(group, change) for group in groups for change in group.changes]
    return {
        "entries": [
            {"seq": each.entry.seq, "time": each.entry.time, "run": each.entry.run, "night": each.entry.night,
             "reason": each.entry.reason}
            for each in groups
        ],
        "counts": dict(Counter(row["why"] for row in rows).most_common()),
        "changes": rows,
    }  # fmt: skip


def entries_of(ws: Workspace, name: str = "") -> list[Group]:
    """The journal's entries of a run (its id, the stamp of a night, the local day of its only night, or #3 for the
    third entry), in order; without a name those of the last consolidation, or the rollback that came after it. A night
    that was done again is the last one of that stamp. NotFoundError when there are none, UsageError when the day has
    several nights."""
    groups = list(ws.journal.entries())
    name = _night_of(name, groups, ws) or name
    back = (each.entry for each in reversed(groups) if each.entry.run or each.entry.reason.startswith(ROLLBACK))
    wanted = name or next((each.run or f"#{each.seq}" for each in back), "")
    nights = [each for each in groups if wanted and wanted == each.entry.night]
    found = nights[-1:] or [each for each in groups if wanted and wanted in (each.entry.run, f"#{each.entry.seq}")]
    if not found:
        known = dict.fromkeys(each.entry.run or f"#{each.entry.seq}" for each in groups[-5:])
        hint = f"the last ones are {', '.join(known)}" if known else "nothing has been changed yet"
        raise NotFoundError(f"the journal knows no run {name}" if name else "there is no run to look at yet", hint)
    return found


def _night_of(day: str, groups: list[Group], ws: Workspace) -> str:
    """The stamp of the only night of a local day; empty where there is none, or `day` is no day."""
    stamps = dict.fromkeys(each.entry.night for each in groups if each.entry.night)
    nights = [stamp for stamp in stamps if clock.day_of(stamp, ws.zone) == day]
    if len(nights) > 1:
        raise UsageError(f"{day} has {len(nights)} nights", f"name one of them: {', '.join(nights)}")
    return "".join(nights)


def change_row(group: Group, change: Change) -> dict[str, Any]:
    """A change as it is shown: when and why, from where to where, and the fields that differ."""
    before, after = (orjson.loads(line) if line else {} for line in (change.before, change.after))
    names = [name for name in {**before, **after} if name not in UNTOLD and before.get(name) != after.get(name)]
    return {
        "seq": group.entry.seq,
        "time": group.entry.time,
        "run": group.entry.run,
        "id": change.id,
        "why": change.why,
        "from": change.before_pool,
        "to": change.after_pool,
        "content": (after or before).get("content", FORGOTTEN),
        "fields": {name: [before.get(name), after.get(name)] for name in names} if before and after else {},
    }


def why_said(ws: Workspace, ref: str) -> dict[str, Any]:
    """What becomes of the message with that ref, segment by segment; NotFoundError where nothing holds it."""
    messages = list(_messages(ws, session_of(ref)))
    number = next((number for number, (message, _, _) in enumerate(messages) if message.ref == ref), None)
    if number is None:
        raise NotFoundError(f"there is no message {ref}", "its ref is SESSION:ENTRY, as search and why show it")
    message, why, is_read = messages[number]
    near = [each for each, unread, _ in messages[max(0, number - NEARBY) : number + SOON + 1] if not unread]
    standing = list(_standing_on(ws, ref))
    return {
        "ref": ref,
        "said_at": message.said_at,
        "role": message.role,
        "speaker": message.speaker,
        "path": ws.checkpoint.state.cursors.get(message.session, {}).get("path", ""),
        "read": is_read,
        "filtered": why,
        "segments": [] if why else list(_segments(near, message, standing, ws)),
        "memories": [
            {"id": each.id, "pool": pool, "form": each.form, "content": each.content} for pool, each in standing
        ],
    }


def judgement(ws: Workspace, record: Fact) -> dict[str, Any] | None:
    """How the judge sees the words that a quote was kept for: `as`, `stance`, `change` and the `words` that decided.
    None for what no words of a message gave."""
    words = record.evidence[0] if record.evidence else None
    if words is None or record.method != "judge":
        return None
    found = (each for each, why, _ in _messages(ws, session_of(words.ref)) if not why)
    turns = segment.run(found, Night(ws.now, ws.config), Counter())
    turn = next((each for each in turns if each.message.ref == words.ref), None) or _alone(record)
    judged = screen.judged(turn, ws.config, Run(ws, Night(ws.now, ws.config), []).guard, facts.known_names(ws.store))
    rows = zip(turn.segments, _rows(turn, judged), strict=True)
    inside = (row for each, row in rows if _meets(each, words.quote, turn.message.text))
    return max(inside, key=lambda row: (row["kept"], row["importance"]), default=None)


def left_out(ws: Workspace) -> tuple[list[dict[str, str]], int]:
    """What the last night left out, judged again: the people's own words first, and how many more there are."""
    if not ws.checkpoint.stage("screen").exists():
        return [], 0
    run = Run(ws, Night(clock.read_stamp(ws.checkpoint.state.night), ws.config), [])
    kept = {(turn.message.ref, each.start) for turn in run.turns("screen") for each in turn.segments}
    found = []
    for turn, judged in screen.in_order(run.turns("segment"), ws.config, run.guard, facts.known_names(ws.store)):
        for each in judged:
            reason = each.reason or ("" if (turn.message.ref, each.segment.start) in kept else screen.FLOOD)
            if reason:
                found.append({"ref": turn.message.ref, "reason": reason, "text": _shown(turn, each, reason, SHORTENED)})
    found.sort(key=lambda row: row["reason"] == screen.ASSISTANT)
    return found[:MOST_LEFT_OUT], max(0, len(found) - MOST_LEFT_OUT)


def _messages(ws: Workspace, session: str) -> Iterator[tuple[Message, str, bool]]:
    """The messages of a session, from its transcript or, where that is gone, from our own copy: each with why it is no
    source, and whether a night has read it."""
    row = ws.checkpoint.state.cursors.get(session)
    found = list(ws.library.heard(session, Cursor.from_row(row) if row else None))
    yield from found
    if not found and ws.config.layer3.keep:
        yield from ((message, "", True) for _, message in ws.said.messages(lambda each: each == session))


def _alone(record: Fact) -> Turn:
    """The words of a memory as a message of their own, where theirs is gone."""
    words = record.evidence[0]
    session, _, entry = words.ref.partition(":")
    message = Message(session, entry, words.role, record.speaker, words.said_at, words.quote)
    return Turn(message, segment.cut(message))


def _segments(
    near: list[Message], message: Message, standing: list[tuple[Pool, Fact]], ws: Workspace
) -> Iterator[dict[str, Any]]:
    """The segments of a message, judged among those near it."""
    night, giver = Night(ws.now, ws.config), Giver(ws)
    turns = segment.run(near, night, Counter())
    for turn, judged in screen.in_order(turns, ws.config, Run(ws, night, []).guard, facts.known_names(ws.store)):
        if turn.message.ref != message.ref:
            continue
        for each, row in zip(judged, _rows(turn, judged), strict=True):
            ids = [
                record.id
                for _, record in standing
                if any(_meets(each.segment, it.quote, message.text) for it in record.evidence if it.ref == message.ref)
            ]
            yield {"text": giver.text(_shown(turn, each, each.reason), message.ref), **row, "memories": ids}


def _shown(turn: Turn, judged: Judged, reason: str, most: int = 0) -> str:
    """The words of a segment, shortened; none where they are not to be kept, or may want to steer who reads them."""
    words = "" if reason in UNSHOWN else " ".join(turn.text_of(judged.segment).split())
    return shortened(words, most) if most else words


def _rows(turn: Turn, judged: Iterable[Judged]) -> Iterator[dict[str, Any]]:
    """What becomes of each segment of a turn, and the words by which the judge decided."""
    spans = [(each.start, each.end) for each in turn.segments]
    for each, (judge, seen) in zip(judged, screen.readings(turn.message, spans, turn), strict=True):
        label = _label(each.reason, verdict_of(judge.sums(seen)).stance) if turn.message.is_first_hand else ""
        yield {
            "kept": not each.reason,
            "as": each.segment.keep,
            "stance": each.segment.stance,
            "change": each.segment.change,
            "importance": each.segment.importance,
            "reason": each.reason,
            "why": REASONS.get(each.reason, each.reason) if each.reason else KEPT_FOR,
            "words": [_word(*word) for word in judge.words(seen, label)[:MOST_WORDS]] if label else [],
        }


def _label(reason: str, stance: str) -> str:
    """What the judge was asked where it decided: whether to keep the words, or how they are meant; else empty."""
    if reason in ("", "none"):
        return "keep"
    return reason if reason in STANCES and reason == stance else ""


def _word(name: str, weight: int) -> dict[str, Any]:
    """A feature as it is shown: the word, where it stands, and what it weighs."""
    place = next((each for each in WHERE if each and name.startswith(each)), "")
    return {"word": name.removeprefix(place), "where": WHERE[place], "weight": weight}


def _standing_on(ws: Workspace, ref: str) -> Iterator[tuple[Pool, Fact]]:
    """The facts and beliefs that stand on a message, and the pool of each."""
    for pool, line in ws.store.all_lines():
        record = from_line(line) if ref.encode() in line else None
        if record and not isinstance(record, Summary) and any(each.ref == ref for each in record.evidence):
            yield pool, record


def _meets(part: Segment, quote: str, text: str) -> bool:
    """Whether the words of a quote stand in that segment of a text, or it in them."""
    place = text.find(quote) if quote else -1
    return place >= 0 and place < part.end and part.start < place + len(quote)
