"""Is the workspace as it must be? `CHECKS` lists every invariant that the program relies on; each check yields what is
wrong with file and line. `verify` is the journal's: every entry is chained to the one before it, and what was cut off
at the end shows only beside a head that was kept elsewhere. Nothing is repaired here, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from memory_system import clock
from memory_system.disk import is_held, refusal
from memory_system.errors import DamagedError, MemorySystemError
from memory_system.nights import accounting, copying
from memory_system.nights.derive import snapshot_moment
from memory_system.phases import entities, snapshot
from memory_system.phases import index as index_phase
from memory_system.readers import Cursor
from memory_system.recall.search_index import Index
from memory_system.records import CAPTURED, Fact, Pool, Problem, from_line, kind_of, named_in, session_of
from memory_system.store import truth
from memory_system.store.database import StaleIndexError
from memory_system.store.journal import GENESIS, Group
from memory_system.store.said import is_row, ref_on
from memory_system.store.truth import line_id, parse_problem
from memory_system.turns import Message
from memory_system.upkeep.stats import interruptions
from memory_system.workspace import Workspace

REBUILD = "make it anew with: memory rebuild-index"
RESTORE = "put the file back from a copy, mend the line, or: memory validate --repair"
TAKEN = "leave it so, and the next command that writes takes it over; that can be undone"
GO_ON = "the next run does it: memory consolidate"
REMOVED = "memory consolidate takes it for your wish; memory validate --repair puts the line back"
BY_HAND_REFS = (CAPTURED, truth.EDIT)  # words that stand in no transcript

Check = Callable[[Workspace], Iterator[Problem]]
RESTORE_JOURNAL = "put the journal back from a copy, or: memory validate --repair"
CUT = "entries were cut off at its end, or the head is of another workspace"


def validate(ws: Workspace) -> list[Problem]:
    """All that is wrong, in the order of the checks. A check that cannot even look says so as a problem. While somebody
    writes, only what holds at any moment is looked at; where a run was stopped, not what the next one does anew."""
    problems: list[Problem] = []
    for check in AT_ANY_MOMENT if is_held(ws.layout.lock) else CHECKS:
        try:
            if check in AFTER_A_COMMIT and _is_behind(ws):
                continue
            problems += [problem for problem in check(ws) if problem not in problems]
        except Exception as error:  # whatever damage does to a check, the others must still look
            told = refusal(error) if isinstance(error, OSError) else error
            hint = told.hint if isinstance(told, MemorySystemError) else RESTORE
            hint = RESTORE if hint == DamagedError.hint else hint  # it leads here
            problem = Problem("workspace", str(told) or type(told).__name__, hint)
            is_told = any(each == problem or problem.what.startswith(f"{each.where}: ") for each in problems)
            problems += [] if is_told else [problem]
    return problems


def unfinished(ws: Workspace) -> list[Problem]:
    """What was stopped half-way, and the next run finishes by itself: nothing is wrong with it."""
    found: list[Problem] = []
    with suppress(MemorySystemError, OSError):  # what cannot be read is told as wrong
        found += [] if is_held(ws.layout.lock) else _stopped(ws)
    return found


def _stopped(ws: Workspace) -> Iterator[Problem]:
    yield from interruptions(ws)
    if not (head := ws.journal.head()).done:
        where = f"{ws.layout.name(ws.layout.journal)}:entry {head.seq}"
        yield Problem(where, "the last commit was stopped", "the next command that writes finishes it")
    elif ws.layout.forgetting.exists():
        yield Problem(ws.layout.name(ws.layout.forgetting), "a forgetting was stopped", GO_ON)
    elif ws.checkpoint.state.current_phase is None and _is_behind(ws):
        where = ws.layout.name(ws.layout.search_index)
        yield Problem(where, "index and snapshot stand behind the memories", GO_ON)


def _is_behind(ws: Workspace) -> bool:
    """Whether a commit was stopped, or what follows from it is not done yet: the next run does it."""
    head, state = ws.journal.head(), ws.checkpoint.state
    return not head.done or "commit" in state.phase_data or (head.seq > 0 and state.derived != head.hash)


def lines(ws: Workspace) -> Iterator[Problem]:
    """Every line of the truth is a memory of its file, once, in the order of ids, and in the pool it says."""
    seen: dict[str, str] = {}
    last = ("", "")  # the file and the id of the line before
    for where, pool, kind, line in ws.store.everything():
        wrong = parse_problem(line)
        if wrong:
            yield Problem(where, f"not a memory: {wrong}", RESTORE)
            continue
        record = from_line(line)
        if not line.endswith(b"\n"):
            yield Problem(where, "the last line is torn", RESTORE)
        if kind_of(record.id) is not kind:
            yield Problem(where, f"{record.id} does not belong into this file", RESTORE)
        if record.id in seen:
            yield Problem(where, f"{record.id} stands in {seen[record.id]} already", "remove one of the two")
        file = where.partition(":")[0]
        if last[0] == file and record.id < last[1]:
            yield Problem(where, f"{record.id} is not in the order of ids", "sort the lines of the file")
        last = last if record.id in seen else (file, record.id)
        seen[record.id] = where
        yield from _in_its_pool(record, pool, where)


def _in_its_pool(record: Fact, pool: Pool, where: str) -> Iterator[Problem]:
    if (pool == "archive") != bool(record.retired):
        yield Problem(where, f"{record.id} is in the {pool} pool but retired={record.retired}", RESTORE)
    for name in ("created", "said_at", "updated", "scored_at", "expires"):
        value = getattr(record, name)
        if value and clock.parse_instant(value) is None:
            yield Problem(where, f"{record.id}: {name} is no instant: {value}", RESTORE)


def references(ws: Workspace) -> Iterator[Problem]:
    """Every id that a memory names is there, and a summary's facts are."""
    known = {line_id(line) for _, line in _sound(ws)}
    known |= {each.id for group in ws.journal.entries() for each in group.changes if each.why == truth.REMOVED}
    for where, line in _sound(ws):
        row = orjson.loads(line)
        for gone in sorted(named_in(row) - known):
            yield Problem(where, f"{row['id']} names {gone}, which is nowhere", RESTORE)


def _sound(ws: Workspace) -> Iterator[tuple[str, bytes]]:
    """The lines of the truth that are memories, and where each stands."""
    return ((where, line) for where, _, _, line in ws.store.everything() if not parse_problem(line))


def evidence(ws: Workspace) -> Iterator[Problem]:
    """Every ref of a memory exists, and its quote stands in that message as it is read (redacted)."""
    wanted: dict[str, list[tuple[str, str]]] = {}
    for where, line in _sound(ws):
        for each in from_line(line).evidence:
            if session_of(each.ref) not in BY_HAND_REFS:
                wanted.setdefault(each.ref, []).append((where, each.quote))
    for session, row in ws.checkpoint.state.cursors.items():
        for message in ws.library.reread(session, Cursor.from_row(row)):
            yield from _misquoted(message, wanted)
    if wanted and ws.config.layer3.keep:
        for _, message in ws.said.messages(lambda session: not ws.library.is_there(session)):
            yield from _misquoted(message, wanted)
    for ref, places in sorted(wanted.items()):
        for where in dict.fromkeys(where for where, _ in places):
            yield Problem(where, f"there is no message {ref}", "put the transcript back, or archive the memory")


def _misquoted(message: Message, wanted: dict[str, list[tuple[str, str]]]) -> Iterator[Problem]:
    for where, quote in wanted.pop(message.ref, ()):
        if quote not in message.text:
            yield Problem(where, f"the quote does not stand in {message.ref}: {quote[:60]!r}", RESTORE)


def layer3(ws: Workspace) -> Iterator[Problem]:
    """Every line of layer 3 is a row, in the month in which it was said, and no ref stands there twice."""
    yield from ws.said.problems(stopped=_is_stopped(ws))


def _is_stopped(ws: Workspace) -> bool:
    """Whether a night was stopped: the next run puts down once more what that night was about to."""
    return ws.checkpoint.state.current_phase is not None


def copied(ws: Workspace) -> Iterator[Problem]:
    """Layer 3 says of every transcript that is there what was read of it."""
    if not (ws.config.layer3.keep and ws.checkpoint.state.copied):
        return
    there = {ref_on(line): hash(line) for _, _, line in ws.said.lines() if is_row(line)}
    for session, rows in copying.read_of_transcripts(ws):
        told = {ref_on(line): hash(line) for line in rows}
        if any(there.get(ref) != line for ref, line in told.items()):
            where = ws.checkpoint.state.cursors[session]["path"]
            yield Problem(where, "layer 3 does not hold all that was read of it", REBUILD)


def journal(ws: Workspace) -> Iterator[Problem]:
    """The journal's chain holds from its first entry to its last."""
    if wrong := verify(ws):
        yield wrong


def accounts(ws: Workspace) -> Iterator[Problem]:
    """The sums of every night close and agree with the changes in the journal, which are counted by pools."""
    before = 0
    for group in ws.journal.entries():
        gained = sum((each.after_pool == "active") - (each.before_pool == "active") for each in group.changes)
        if account := group.entry.accounting:
            where = f"{ws.layout.name(ws.layout.journal)}:entry {group.entry.seq}"
            yield from _miscounted(account, (before, before + gained), where)
        before += gained


def _miscounted(account: dict[str, Any], counted: tuple[int, int], where: str) -> Iterator[Problem]:
    for name in accounting.unbalanced(account):
        yield Problem(where, f"the sum of {name} does not close", "report this: a night lost count")
    told = account["memories"]["before"], account["memories"]["after"]
    if told != counted:
        yield Problem(where, f"memories {told[0]} -> {told[1]} is not what the changes say", RESTORE)


def journalled(ws: Workspace) -> Iterator[Problem]:
    """The memories in the files are those that the journal leads to; what a person has changed since is told."""
    for change in truth.look(ws.store, clock.stamp(ws.now))[0]:
        pool = change.before_pool or change.after_pool or "active"
        where = ws.layout.name(ws.layout.pool(pool, kind_of(change.id)))
        if change.why == truth.REMOVED:
            yield Problem(where, f"{change.id} is not there any more: removed by hand, or lost", REMOVED)
        else:
            yield Problem(where, f"{change.id} was {change.why}", TAKEN)


def waiting(ws: Workspace) -> Iterator[Problem]:
    """Every capture that waits is a memory; every line of the quarantine tells of something that was held back."""
    yield from ws.inbox.problems()
    yield from ws.quarantine.problems(stopped=_is_stopped(ws))


def derived(ws: Workspace) -> Iterator[Problem]:
    """The index, its dump, the profiles and the catalogue hold exactly what they would hold if they were made anew."""
    if not ws.journal.head().seq and not (ws.layout.search_index).exists():
        return  # no night yet
    with index_phase.fresh_index(ws) as fresh:
        yield from _search_index(fresh, ws)
        yield from _profiles(fresh, ws)
    yield from _catalogue(ws)


def _search_index(fresh: Index, ws: Workspace) -> Iterator[Problem]:
    """Notes that changed since the last night are no fault of the index."""
    path = ws.layout.search_index
    where = ws.layout.name(path)
    try:
        with Index.open(path, ws.config) as there:
            notes = there.note_digests() == fresh.note_digests()
            words = notes and not there.unread()
            held, wanted = (each.content(notes=notes, words=words) for each in (there, fresh))
            if list(held) != list(wanted):
                yield Problem(where, "the index does not hold what the truth says", REBUILD)
    except StaleIndexError as error:
        yield Problem(where, str(error), REBUILD)
    for name, value in index_phase.dumped(fresh).items():
        if ws.files.read(ws.layout.index / name) != value:
            yield Problem(ws.layout.name(ws.layout.index / name), "it does not hold what the truth says", REBUILD)


def _profiles(fresh: Index, ws: Workspace) -> Iterator[Problem]:
    """There is one profile per entity, and each says what the memories say."""
    wanted = entities.files_of(entities.all_names(ws), fresh)
    listed = wanted.pop(entities.INDEX)
    there = {path.name for path in ws.layout.entities.glob("e_*.json")}
    for name in sorted(there | set(wanted)):
        path = ws.layout.entities / name
        if ws.files.read(path) != wanted.get(name, b""):
            yield Problem(ws.layout.name(path), "the profile is not what the memories say", REBUILD)
    index = ws.layout.entities / entities.INDEX
    if (wanted or index.exists()) and ws.files.read(index) != listed:
        yield Problem(ws.layout.name(index), "it does not list the entities that there are", REBUILD)


def _catalogue(ws: Workspace) -> Iterator[Problem]:
    """The keys under which very many memories are found are theirs, unless the next night makes them anew."""
    sound = False
    with suppress(StaleIndexError):  # damaged
        sound = ws.store.catalogue_is_sound()
    if not sound:
        yield Problem(ws.layout.name(ws.layout.catalogue), "it does not hold what the truth says", REBUILD)


def the_snapshot(ws: Workspace) -> Iterator[Problem]:
    """The snapshot is what the truth gives on the last night's date; who the agent is may have changed since."""
    if not ws.checkpoint.state.last_night:
        return
    with index_phase.open_index(ws) as opened:
        text = snapshot.text_of(opened, snapshot_moment(ws), ws)
    there = ws.files.read(ws.layout.snapshot).decode(errors="replace")
    if snapshot.without_identity(there) != snapshot.without_identity(text):
        yield Problem(ws.layout.name(ws.layout.snapshot), "the snapshot is not what the truth gives", REBUILD)
    page = snapshot.facts_text(ws) if ws.config.facts_page else ""
    if ws.files.read(ws.layout.facts_page).decode(errors="replace") != page:
        yield Problem(ws.layout.name(ws.layout.facts_page), "the page is not what the truth gives", REBUILD)


def permissions(ws: Workspace) -> Iterator[Problem]:
    """Nobody but the owner can read what is remembered."""
    for path in readable_by_others(ws):
        yield Problem(ws.layout.name(path), "others can read it", f"chmod go-rwx {path}")


def readable_by_others(ws: Workspace) -> Iterator[Path]:
    """What of the program's own somebody beside the owner can read; notes and config.json are the owner's."""
    for path in sorted(ws.layout.memory.rglob("*")):
        ours = path.relative_to(ws.layout.memory).parts[0] in ("layer1", "layer2", "layer3", "state")
        if ours and not path.is_symlink() and path.stat().st_mode & 0o077:
            yield path


AT_ANY_MOMENT: tuple[Check, ...] = (lines, waiting, permissions)
AFTER_A_COMMIT: tuple[Check, ...] = (evidence, copied, derived, the_snapshot)
CHECKS: tuple[Check, ...] = (
    lines, references, waiting, journal, accounts, journalled, evidence, layer3, copied, derived, the_snapshot,
    permissions,
)  # fmt: skip


def verify(ws: Workspace, anchor: str = "") -> Problem | None:
    """The first thing that is wrong with the journal; None when nothing is. `anchor` is a head (or its hash) that was
    kept elsewhere: the entry that it names must still be there."""
    hashes = [GENESIS]
    promised: dict[str, str] = {}
    blanks: dict[str, tuple[str, str]] = {}
    last: Group | None = None
    try:
        for group in ws.journal.entries():
            where = f"{ws.layout.name(ws.layout.journal)}:entry {len(hashes)}"
            if wrong := _wrong(group, len(hashes), hashes[-1], last):
                return Problem(where, wrong, RESTORE_JOURNAL)
            hashes.append(group.hash)
            promised |= group.entry.blanked
            blanks |= {digest: (there, where) for digest, there in group.blanks.items()}
            last = group
    except (DamagedError, TypeError, KeyError, ValueError) as error:
        return Problem(f"{ws.layout.name(ws.layout.journal)}:entry {len(hashes)}", str(error), RESTORE_JOURNAL)
    for digest, (there, where) in blanks.items():
        if promised.get(digest) != there:
            return Problem(where, "a payload was blanked or changed, and no forgetting has done it", RESTORE_JOURNAL)
    return _beside(anchor, hashes, ws)


def _wrong(group: Group, seq: int, previous: str, last: Group | None) -> str:
    """What is wrong with an entry in its place; empty when nothing is."""
    if group.entry.seq != seq or group.prev != previous:
        return f"the chain of the journal is broken here: this says that it is entry {group.entry.seq}"
    if not group.verifies():
        return "the chain of the journal is broken here: this is not what was written"
    return "the entry before it was never finished" if last is not None and not last.done else ""


def _beside(anchor: str, hashes: list[str], ws: Workspace) -> Problem | None:
    """Whether the entry of a head that was kept elsewhere is still there."""
    seq, _, wanted = anchor.strip().rpartition(":")
    if not wanted:
        return None
    there = wanted in hashes[1:] and (not seq or hashes.index(wanted) == int(seq))
    return None if there else Problem(ws.layout.name(ws.layout.journal), f"the entry of {anchor} is not there", CUT)
