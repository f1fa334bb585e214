"""What becomes of what was said: a message is read, cut and judged again as a night would, so that its owner sees what
was kept of it as what, what was left out and why, and which words decided. Reading only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from memory_system import clock
from memory_system.errors import NotFoundError
from memory_system.giving import Giver
from memory_system.nights.night import Run
from memory_system.phases import Night, facts, screen, segment
from memory_system.phases.screen import Judged
from memory_system.privacy.withheld import SOON, WITHHELD
from memory_system.readers import Cursor
from memory_system.records import POOLS, Belief, Fact, Pool, from_line, session_of
from memory_system.turns import Message, Segment, Turn
from memory_system.understand.judge import STANCES, verdict_of
from memory_system.workspace import Workspace

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


def why_said(ws: Workspace, ref: str) -> dict[str, Any]:
    """What becomes of the message with that ref, segment by segment. NotFoundError where no transcript and no copy has
    it."""
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
    inside = (row for each, row in rows if _meets(each.start, each.end, words.quote, turn.message.text))
    return max(inside, key=lambda row: (row["kept"], row["importance"]), default=None)


def left_out(ws: Workspace) -> tuple[list[dict[str, str]], int]:
    """What the last night left out, the people's own words first, and how many more there are: judged again from what
    it has staged."""
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
            ids = [record.id for _, record in standing if _stands_on(record, each.segment, message)]
            yield {"text": giver.text(_shown(turn, each, each.reason), message.ref), **row, "memories": ids}


def _shown(turn: Turn, judged: Judged, reason: str, most: int = 0) -> str:
    """The words of a segment, shortened; none where they are not to be kept, or may want to steer who reads them."""
    words = "" if reason in UNSHOWN else " ".join(turn.text_of(judged.segment).split())
    return f"{words[: most - 1]}…" if most and len(words) > most else words


def _rows(turn: Turn, judged: Iterable[Judged]) -> Iterator[dict[str, Any]]:
    """What becomes of each segment of a turn, and the words by which the judge decided."""
    spans = [(each.start, each.end) for each in turn.segments]
    for each, (judge, seen, _) in zip(judged, screen.readings(turn.message, spans, turn), strict=True):
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
    """What the judge was asked where it decided: whether to keep the words, or how they are meant. Empty where
    something else did."""
    if reason in ("", "none"):
        return "keep"
    return reason if reason in STANCES and reason == stance else ""


def _word(name: str, weight: int) -> dict[str, Any]:
    """A feature as it is shown: the word, where it stands, and what it weighs."""
    place = next((each for each in WHERE if each and name.startswith(each)), "")
    return {"word": name.removeprefix(place), "where": WHERE[place], "weight": weight}


def _standing_on(ws: Workspace, ref: str) -> Iterator[tuple[Pool, Fact]]:
    """The facts and beliefs that stand on a message, and the pool of each."""
    wanted = ref.encode()
    for pool in POOLS:
        for kind in (Fact, Belief):
            for record in (from_line(line) for _, line in ws.store.lines(pool, kind) if wanted in line):
                if any(each.ref == ref for each in record.evidence):
                    yield pool, record


def _stands_on(record: Fact, segment_: Segment, message: Message) -> bool:
    quotes = (each.quote for each in record.evidence if each.ref == message.ref)
    return any(_meets(segment_.start, segment_.end, quote, message.text) for quote in quotes)


def _meets(start: int, end: int, quote: str, text: str) -> bool:
    """Whether the words of a quote stand in that stretch of a text, or it in them."""
    place = text.find(quote) if quote else -1
    return place >= 0 and place < end and start < place + len(quote)
