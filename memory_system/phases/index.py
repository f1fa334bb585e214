"""Phase 6: `search.sqlite` from what changed, and keywords, timeline and relations as one dump of it. All of it can be
deleted: `rebuild` makes the same content from the memories, the transcripts read so far (layer 3, where one is gone)
and the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from typing import Any

import orjson

from memory_system.errors import EmbedderError, LockedError, WorkspaceError
from memory_system.readers import Cursor
from memory_system.recall.search_index import Index
from memory_system.recall.units import note_files, read_note, storable
from memory_system.records import session_of
from memory_system.store.checkpoint import is_older
from memory_system.store.database import StaleIndexError
from memory_system.store.journal import GENESIS, Change
from memory_system.turns import Message
from memory_system.workspace import Workspace

# under which the index notes the sessions whose transcripts are not there any more, and whether layer 3 tells them
GONE = "gone"


def run(
    changes: Iterable[Change], messages: Iterable[Message], ws: Workspace, again: Collection[str] = ()
) -> Iterator[str]:
    """Bring the index up to the journal's head; yields the names of the files written. Of the sessions that were read
    `again` the messages are all that was said so far."""
    head, changes = ws.journal.head(), list(changes)
    if head.prev == GENESIS and {change.id for change in changes} == set(ws.store.ids()):
        yield from _make(lambda index: put(changes, messages, index, ws), ws)  # what was committed is all there is
        return
    try:
        with Index.open(ws.layout.search_index, ws.config, write=True) as index:
            if index.fingerprint not in (head.prev, head.hash):
                raise StaleIndexError("the index does not stand where the last commit began")
            with index.writing(head.hash):
                for session in again:
                    index.drop_session(session)
                put(changes, messages, index, ws)
            yield ws.layout.search_index.name
            yield from _write(dumped(index), ws)
            yield from embed(index, ws)
    except StaleIndexError:
        yield from rebuild(ws)


def rebuild(ws: Workspace) -> Iterator[str]:
    """Make the index and its dump anew; yields the names of the files written."""
    yield from _make(lambda index: fill(index, ws), ws)


def mend(ws: Workspace) -> bool:
    """Make the index of a workspace that is only read anew, where nobody writes to it and nothing was left half done;
    whether that was so. Texts without a vector get theirs by night."""
    if ws.layout.elsewhere or not ws.checkpoint.state.last_night:
        return False
    try:
        with Workspace.open(ws.layout.root, now=ws.now, write=True, settle=False) as held:
            held.checkpoint.refuse_newer()
            if held.journal.unfinished() or is_older(held.checkpoint.state.schema):  # an older one is only read
                return False
            for _ in _make(lambda index: fill(index, held), held, embedding=False):
                pass
    except (WorkspaceError, LockedError):
        return False
    return True


def _make(fill_it: Callable[[Index], None], ws: Workspace, *, embedding: bool = True) -> Iterator[str]:
    """A new index in the place of whatever is there."""
    path = ws.layout.search_index
    ws.files.make_folder(path.parent)
    with Index.rebuilding(path, ws.config, ws.files, ws.journal.head().hash) as index:
        fill_it(index)
    with Index.open(path, ws.config) as index:
        yield ws.layout.search_index.name
        yield from _write(dumped(index), ws)
        yield from embed(index, ws, asking=embedding)


def put(changes: Iterable[Change], messages: Iterable[Message], index: Index, ws: Workspace) -> None:
    """Put what a commit changed, what was said, and the notes as they are now into the index."""
    from memory_system.understand.withheld import heard

    changes = list(changes)
    index.drop_memories(change.id for change in changes if change.after_pool is None)
    # as the store has them now: later than the changes, where a night is taken up again
    rows = ((ws.store.pool_of(change.id), ws.store.line_of(change.id)) for change in changes)
    index.put_memories((pool, line) for pool, line in rows if pool and line)
    cursors, unread = ws.checkpoint.state.cursors, index.unread()
    for session, group in groupby(messages, key=lambda message: message.session):
        reaching: list[str] = []
        said = list(_searchable(heard(group, reaching)))
        index.put_messages(cursors[session]["path"], said)
        for message in said:  # what is not put stays unread, and is refused
            unread.pop(storable(message.ref), None)
        if reaching:
            _drop_taken_back(session, index, ws)
    _drop_refused(unread, index, cursors)
    _follow_transcripts(index, ws)
    put_notes(index, ws)


def _follow_transcripts(index: Index, ws: Workspace) -> None:
    """What transcripts said that are gone is told by layer 3 from now on, as if the index were made anew, and by them
    again when they come back."""
    cursors = cursors_of(ws)
    before, gone = index.noted(GONE), _gone(ws)
    moved = {session for session in cursors if before.get(session) is not gone.get(session)}
    for session in moved:
        index.drop_session(session)
    if copied := {session for session in moved if gone.get(session)}:
        _put_copied(copied.__contains__, index, ws)
    for session in sorted(moved - gone.keys()):
        index.put_messages(cursors[session].path, _searchable(ws.library.reread(session, cursors[session])))
    if gone != before:
        index.note(GONE, gone)


def cursors_of(ws: Workspace) -> dict[str, Cursor]:
    """How far each session was read, in the order of their names."""
    return {session: Cursor.from_row(row) for session, row in sorted(ws.checkpoint.state.cursors.items())}


def _gone(ws: Workspace) -> dict[str, bool]:
    """The sessions whose transcripts are gone, and whether layer 3 tells them."""
    kept, library = ws.config.layer3.keep, ws.library
    return {session: kept and session not in library.disowned for session in sorted(library.gone(cursors_of(ws)))}


def _put_copied(sessions: Callable[[str], bool], index: Index, ws: Workspace) -> None:
    """Put what layer 3 holds of these sessions into the index, under the names that their transcripts had."""
    cursors = ws.checkpoint.state.cursors
    said = ws.said.messages(sessions)
    for (path, session), group in groupby(said, key=lambda each: (each[0], each[1].session)):
        name = cursors[session]["path"] if session in cursors else ws.layout.name(path)
        index.put_messages(name, (replace(message, text=message.text.strip()) for _, message in group))


def _drop_taken_back(session: str, index: Index, ws: Workspace) -> None:
    """Take out what the messages of a session ask not to keep, where an earlier night has read it."""
    whole = list(ws.library.reread(session, Cursor.from_row(ws.checkpoint.state.cursors[session])))
    kept = {message.ref for message in _searchable(whole)}
    index.drop_messages([storable(message.ref) for message in whole if message.ref not in kept])


def _searchable(messages: Iterable[Message]) -> Iterator[Message]:
    """The messages as they may be found: without what a person asks not to keep."""
    from memory_system.understand.withheld import not_taken_back, without_withheld  # who only searches does without

    for message in not_taken_back(messages):
        text = without_withheld(message).strip()
        if text == message.text:
            yield message
        elif text:
            yield replace(message, text=text)


def _drop_refused(unread: Mapping[str, str], index: Index, cursors: Mapping[str, Mapping[str, Any]]) -> None:
    """Of the messages that are still unread, take out those that were said before the last one that was read of their
    session: the night has refused them."""
    last = {session: str(row.get("last", "")) for session, row in cursors.items()} if unread else {}
    refused = {ref for ref, stamp in unread.items() if stamp <= last.get(session_of(ref), "")}
    index.drop_messages(sorted(refused))
    index.set_unread({ref: stamp for ref, stamp in unread.items() if ref not in refused})


def put_unread(index: Index, ws: Workspace) -> list[str]:
    """Put what was said and no night has read yet into the index, in place of what was unread before; the names of its
    transcripts. Nothing but the index knows of it: the night reads it all the same."""
    before, now, cursors = index.unread(), dict[str, str](), cursors_of(ws)
    names = []
    for session in sorted(ws.library.backlog(cursors).waiting):
        batch = ws.library.read(session, cursors.get(session), None)
        messages = list(_searchable(batch.messages))
        said = {storable(message.ref): message.said_at for message in messages}
        there = index.has_messages(said)
        now |= {ref: stamp for ref, stamp in said.items() if ref in before or ref not in there}
        index.put_messages(batch.cursor.path, messages)
        names.append(batch.cursor.path)
    index.drop_messages(sorted(before.keys() - now.keys()))
    index.set_unread(now)
    return names


def put_notes(index: Index, ws: Workspace) -> None:
    index.forgotten = ws.tombstones
    names = {ws.layout.name(path): path for path in note_files(ws.layout)}
    for gone in sorted(set(index.note_digests()) - set(names)):
        index.drop_note(gone)
    for name, path in names.items():
        index.put_note(name, read_note(path))


def fill(index: Index, ws: Workspace) -> None:
    """Everything that an index of the workspace holds, into an empty one."""
    index.put_memories(ws.store.all_lines())
    for session, cursor in cursors_of(ws).items():
        index.put_messages(cursor.path, _searchable(ws.library.reread(session, cursor)))
    gone = _gone(ws)
    if ws.config.layer3.keep:
        _put_copied(lambda session: gone.get(session, _is_only_copied(session, ws)), index, ws)
    index.note(GONE, gone)
    put_notes(index, ws)


def _is_only_copied(session: str, ws: Workspace) -> bool:
    """Whether only layer 3 knows of a session that no cursor names, as after the undoing of a night that had read it;
    nobody knows whether an earlier state did."""
    state = ws.checkpoint.state
    return session not in state.cursors and not ws.layout.elsewhere and not ws.library.is_there(session)


def _write(files: Mapping[str, bytes], ws: Workspace) -> Iterator[str]:
    for name, data in files.items():
        ws.files.replace_if_changed(ws.layout.index / name, data, durable=False)
        yield name


def embed(index: Index, ws: Workspace, *, asking: bool = True) -> Iterator[str]:
    """Bring the vectors up to the index, where an embedder is configured; without one none are kept. What an embedder
    does not give now, it is asked for the next time; unless `asking`, it is not asked at all."""
    path = ws.layout.vectors
    if ws.config.embedder.kind == "none":
        if path.exists():
            ws.files.remove(path)
        return
    from memory_system.recall import vectors
    from memory_system.recall.vectors import embedder_of

    embedder = embedder_of(ws.config.embedder)
    if embedder:
        with suppress(EmbedderError):  # the file keeps why: the night and every search tell it
            vectors.sync(path, ws.files, index, embedder, asking=asking)
        yield path.name


def dumped(index: Index) -> dict[str, bytes]:
    """The bytes of keywords.json, timeline.json and relations.json by these names."""
    return {name: orjson.dumps(part) + b"\n" for name, part in index.dump().items()}


def open_index(ws: Workspace) -> Index:
    """The index for reading; one in memory, made for the moment, where the file is missing or of no use."""
    try:
        index = Index.open(ws.layout.search_index, ws.config)
    except StaleIndexError:
        return fresh_index(ws)
    index.forgotten = ws.tombstones
    return index


def fresh_index(ws: Workspace) -> Index:
    """An index in memory of all that the file would hold."""
    index = Index.in_memory(ws.config)
    try:
        with index.writing(""):
            fill(index, ws)
    except BaseException:  # memories that cannot be read must not leave it open
        index.close()
        raise
    return index
