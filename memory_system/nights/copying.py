"""What goes into layer 3: the messages that were read, without what a person asks not to keep and what is held back.
A night stages its rows once both are known, and puts them down before its commit: no cursor is ever ahead of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, groupby

from memory_system.phases.index import cursors_of
from memory_system.privacy.secrets import redaction
from memory_system.privacy.tombstones import blanked
from memory_system.readers import Cursor
from memory_system.store.said import Told, line_of
from memory_system.turns import Message
from memory_system.understand.withheld import heard, not_taken_back, without_withheld
from memory_system.workspace import Workspace

ROWS, WHOLE = "said", "said_whole"  # stages: the rows, and the sessions of which they are all that was said so far
NOTE = ".md"  # how the name of a transcript ends that is a note
BATCH = 8 << 20  # bytes of rows that are put down at once when layer 3 is filled

Held = Mapping[str, Iterable[str]]  # by the ref of a message what of its words is held back


def held_back(ws: Workspace, found: Iterable[Mapping[str, str]] = ()) -> Held:
    """What was ever held back, whatever the owner did with it since, and what a night has `found`."""
    held: dict[str, list[str]] = defaultdict(list)
    for each in ws.quarantine.all():
        held[each.ref].append(each.quote)
    for row in found:
        held[row["ref"]].append(row["quote"])
    return held


def left_of(message: Message, held: Held) -> str:
    """The words of a message with blanks where they are not to be kept; empty when nothing is left."""
    text = without_withheld(message)
    for quote in held.get(message.ref, ()):
        text = blanked(text, places(message.text, quote))
    return text


def places(text: str, quote: str) -> Iterator[tuple[int, int]]:
    """Where a quote stands in a text, each time."""
    start = text.find(quote)
    while start >= 0:
        yield start, start + len(quote)
        start = text.find(quote, start + len(quote))


def rows(messages: Iterable[Message], held: Held) -> Iterator[bytes]:
    """The rows of these messages, which are in the order in which they were said. A note is its own copy."""
    for message in not_taken_back(messages):
        text = "" if message.is_noted else left_of(message, held)
        if text:
            yield line_of(message if text is message.text else replace(message, text=text))


def stage(
    ws: Workspace, read: Callable[[], Iterator[Message]], again: Iterable[str], found: Iterable[Mapping[str, str]]
) -> None:
    """Stage the rows of what a night has `read`, some sessions `again`, without what it `found` to be held back."""
    if ws.config.layer3.keep:
        whole = dict.fromkeys(again, True)
        ws.checkpoint.write_stage(ROWS, _of_night(ws, read, held_back(ws, found), whole))
        whole |= dict.fromkeys(ws.library.disowned & ws.checkpoint.state.cursors.keys(), True)
        ws.checkpoint.write_stage(WHOLE, ({"session": name, "before": each} for name, each in sorted(whole.items())))


def _of_night(
    ws: Workspace, read: Callable[[], Iterator[Message]], held: Held, whole: dict[str, bool]
) -> Iterator[bytes]:
    """The rows of the night. `whole` takes in the sessions of which they are all that there is, and whether some of it
    may stand there from before. Where something reaches back to what an earlier night has read, all of its session is
    told again."""
    cursors = ws.checkpoint.state.cursors
    for session, group in groupby(read(), key=lambda message: message.session):
        known = session in cursors and session not in whole
        night = iter(group)
        first = next(night)
        goes_on = known and not first.is_first_hand  # with an answer to what an earlier night has read
        wishes: list[str] = []
        said = heard(chain([first], night), wishes)
        yield from rows(chain(_before(session, ws), said) if goes_on else said, held)
        if session not in cursors:
            whole.setdefault(session, False)
        elif known and wishes:
            whole[session] = True
            if not goes_on:
                again = (each for each in read() if each.session == session)
                yield from rows(chain(_before(session, ws), again), held)


def _before(session: str, ws: Workspace) -> Iterator[Message]:
    """What earlier nights have read of the session."""
    yield from ws.library.reread(session, Cursor.from_row(ws.checkpoint.state.cursors[session]))


def put_down(ws: Workspace, before: str) -> int:
    """Put the staged rows of the night down, which has read what was said before that stamp; how many were new."""
    if not ws.checkpoint.stage(ROWS).exists():
        return 0
    whole = {row["session"]: row["before"] for row in ws.checkpoint.read_stage(WHOLE, dict)}

    def staged() -> Iterator[bytes]:
        with ws.checkpoint.stage(ROWS).open("rb") as file:
            yield from file

    return ws.said.put(staged, whole.keys(), before, everywhere=any(whole.values()))


def fill(ws: Workspace) -> int:
    """Let layer 3, where it is wanted, say of every transcript that is there what was read of it; how many messages
    were new. Nothing is judged anew. Stopped anywhere, it goes on when it is done again."""
    if not ws.config.layer3.keep:
        return 0
    added, sessions, waiting, size = 0, list[str](), list[bytes](), 0
    for session, told in read_of_transcripts(ws):
        sessions.append(session)
        for row in told:
            waiting.append(row)
            size += len(row)
        if size > BATCH:
            added += ws.said.put(waiting.copy, sessions)
            sessions, waiting, size = [], [], 0
    added += ws.said.put(waiting.copy, sessions)
    if disowned := ws.library.disowned & ws.checkpoint.state.cursors.keys():
        ws.said.put(list, disowned, everywhere=True)
    return added


def to_be_filled(ws: Workspace) -> dict[str, int]:
    """How many transcripts layer 3 is yet to be filled from, and their bytes; none where it is full or not wanted."""
    state = ws.checkpoint.state
    if state.copied or not ws.config.layer3.keep:
        return {"transcripts": 0, "bytes": 0}
    cursors = cursors_of(ws)
    there = cursors.keys() - ws.library.gone(cursors)
    sizes = [cursors[session].size for session in there if not cursors[session].path.endswith(NOTE)]
    return {"transcripts": len(sizes), "bytes": sum(sizes)}


def read_of_transcripts(ws: Workspace) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The sessions that have a transcript, each with the rows of what was read of it; by the time in which they ended,
    so that many together touch few months."""
    cursors, held = cursors_of(ws), held_back(ws)
    for session in sorted(cursors.keys() - ws.library.gone(cursors), key=lambda each: (cursors[each].last, each)):
        if not cursors[session].path.endswith(NOTE):
            yield session, rows(ws.library.reread(session, cursors[session]), held)


def today(ws: Workspace) -> Told:
    """What may stand of a row today: nothing that is forgotten, held back, or known as a secret since."""
    held, stones = held_back(ws), ws.tombstones

    def told(message: Message) -> str:
        words = redaction(message.text)
        text = stones.without(message.session, message.entry, message.said_at, words) if stones else words.text
        return left_of(replace(message, text=text), held)

    return told
