"""The plan of a forgetting: everything that will be done, worked out before anything is written. It is put down first
(`state/forgetting.json`), so that whatever stops it, the next writer finishes it; at the end it goes, too.

What goes are the memories that a selection names, those that say the same or stand on the same words, and (where a
session or a time is forgotten) those that would not be there without it.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import orjson
from pydantic import TypeAdapter

from memory_system import clock
from memory_system.errors import NotFoundError, UsageError
from memory_system.forgetting import owner_files
from memory_system.forgetting.owner_files import Words
from memory_system.privacy.secrets import redaction
from memory_system.privacy.tombstones import Mark, blanked, claim_words
from memory_system.privacy.trust import Held
from memory_system.readers import Cursor
from memory_system.readers.transcript import note_session
from memory_system.recall.units import note_files, read_note
from memory_system.records import STOCK_NAMES, Evidence, Fact, Pool, Row, Summary, session_of
from memory_system.store.gist import gist_of
from memory_system.text import fold
from memory_system.turns import Message
from memory_system.workspace import Workspace

Stored = tuple[Pool | None, Fact]  # None: it waits in the inbox


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be forgotten, one of them: memories by id, all about an entity, all said in a session, all said in
    [since, until) (stamps), all with these words."""

    ids: tuple[str, ...] = ()
    entity: str = ""
    session: str = ""
    since: str = ""
    until: str = ""
    query: str = ""

    def __post_init__(self) -> None:
        given = [self.ids, self.entity.strip(), self.session, self.since or self.until, self.query.strip()]
        if sum(map(bool, given)) != 1:
            hint = "memory forget ID…, or one of --entity, --session, --last, --since/--until, --query"
            raise UsageError("say what to forget, in one way", hint)
        if self.since and self.until and self.since > self.until:
            raise UsageError(f"since {self.since} is after until {self.until}", "change the two")
        if fold(self.entity) in {"user", *map(fold, STOCK_NAMES)}:
            raise UsageError(f"everything is about {self.entity}", "name the time: --last 30, or --since and --until")

    @property
    def by_source(self) -> bool:
        """Whether it is said what was said where or when, not what it was about."""
        return bool(self.session or self.since or self.until)

    def was_said(self, ref: str, said_at: str) -> bool:
        """Whether words of that source are meant."""
        if self.session:
            return session_of(ref) == self.session
        return (self.since <= said_at) and (not self.until or said_at < self.until)


@dataclass(slots=True)
class Plan:
    """`gone`: ids of memories, by why; `lost`: refs of evidence that others lose; `back`: ids that come back because
    what took their place goes; `words` and `refs` (of whole messages): what goes from texts; `left`: lines of people's
    files that hold it (path, line); `held`: ids of what was held back."""

    id: str
    at: str = ""
    gone: dict[str, str] = field(default_factory=dict)
    lost: dict[str, list[str]] = field(default_factory=dict)
    back: list[str] = field(default_factory=list)
    words: Words = field(default_factory=Words)
    marks: list[Mark] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    left: list[tuple[str, int]] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    messages: int = 0
    transcripts: bool = False
    notes: bool = False
    shown: dict[str, str] = field(default_factory=dict)  # for the preview: content by id; not put down

    @property
    def is_empty(self) -> bool:
        return not (self.gone or self.lost or self.messages or self.left or self.held)

    def to_bytes(self) -> bytes:
        return orjson.dumps({**asdict(self), "shown": {}}) + b"\n"

    @classmethod
    def from_row(cls, row: Row) -> Plan:
        plan: Plan = TypeAdapter(cls).validate_python(row)
        return plan

    def to_row(self) -> dict[str, Any]:
        """The preview as `memory forget --dry-run --json` gives it."""
        memories = [{"id": key, "why": why, "content": self.shown.get(key, "")} for key, why in self.gone.items()]
        return {
            "memories": memories,
            "evidence": [{"id": key, "refs": refs} for key, refs in self.lost.items()],
            "restored": self.back,
            "messages": self.messages,
            "quarantine": self.held,
            "left": [{"path": path, "line": line} for path, line in self.left],
        }


def plan_of(ws: Workspace, selection: Selection, *, transcripts: bool = False, notes: bool = False) -> Plan:
    """What forgetting the selection would do; nothing is written."""
    said = list(messages_of(ws))
    records: list[Stored] = [*ws.store.records(), *((None, each) for each in ws.inbox.pending())]
    plan = Plan(f"forget_{os.urandom(6).hex()}", transcripts=transcripts, notes=notes)
    _choose(selection, records, said, plan)
    whole = [each for each in said if selection.by_source and selection.was_said(each.ref, each.said_at)]
    refs = {each.ref for each in whole}
    touched = [each for each in said if each.ref in refs or plan.words.spans(each.text)]
    plan.refs, plan.messages = sorted(refs), len(touched)
    plan.at = max([clock.stamp(ws.now), *(each.said_at for each in touched)])  # the clock may have gone back since
    stones = _Stones(ws, plan.at, said)
    plan.marks += [*stones.of_selection(selection), *stones.of_words(plan.words, whole)]
    gone = {record.id: record for _, record in records if record.id in plan.gone}
    if not selection.by_source:
        plan.marks += [mark for record in gone.values() for mark in stones.of_memory(record)]
    plan.held = [each.id for each in ws.quarantine.all() if _is_meant(each, selection, plan.words)]
    plan.words = plan.words if not whole else Words()
    plan.left = sorted(set(owner_files.lines_with(ws, plan.words, refs)))
    plan.shown = {key: record.content for key, record in gone.items()}
    return plan


def _is_meant(held: Held, selection: Selection, words: Words) -> bool:
    """Whether what was held back goes, too."""
    if selection.by_source:
        return selection.was_said(held.ref, held.said_at)
    return bool(words.spans(held.quote)) or any(quote in held.quote for quote in words.quotes)


def messages_of(ws: Workspace) -> Iterator[Message]:
    """Every message there is, read or not, and what layer 3 alone still holds."""
    known = set()
    for message in _of_transcripts(ws):
        known.add(message.ref)
        yield message
    yield from (message for _, message in ws.said.messages() if message.ref not in known)


def _of_transcripts(ws: Workspace) -> Iterator[Message]:
    cursors = {session: Cursor.from_row(row) for session, row in ws.checkpoint.state.cursors.items()}
    waiting = ws.library.backlog(cursors).waiting
    for session, cursor in cursors.items():
        yield from ws.library.reread(session, cursor)
    for session in waiting:
        yield from ws.library.read(session, cursors.get(session), None).messages


def _choose(selection: Selection, records: list[Stored], said: Iterable[Message], plan: Plan) -> None:
    """What the selection means; NotFoundError for an id that nobody knows."""
    if selection.by_source:
        _by_source(selection, records, plan)
    else:
        _by_words(selection, records, said, plan)
    for pool, record in records:  # summaries in the archive that told of what goes, go with it
        told = isinstance(record, Summary) and pool == "archive" and set(record.source_facts) & set(plan.gone)
        if told and record.id not in plan.gone:
            _take(record, "a summary of it", plan)


def _by_words(selection: Selection, records: list[Stored], said: Iterable[Message], plan: Plan) -> None:
    plan.words = words = Words((), fold(selection.entity), tuple(fold(selection.query).split()))
    known = {record.id for _, record in records}
    if unknown := [each for each in selection.ids if each not in known]:
        raise NotFoundError(f"there is no memory {', '.join(unknown)}")
    _refuse_composed(selection, records)
    texts = {message.ref: message.text for message in said}
    touched = {ref for ref, text in texts.items() if words.spans(text)}
    for pool, record in records:
        if not _is_composed(pool, record) and (record.id in selection.ids or _names(record, words)):
            _take(record, "chosen", plan)
    while _add_dependent(records, plan, texts, touched):
        pass


def _refuse_composed(selection: Selection, records: Iterable[Stored]) -> None:
    """UsageError for the id of a summary, which would be composed anew from the same facts."""
    for pool, record in records:
        if isinstance(record, Summary) and _is_composed(pool, record) and record.id in selection.ids:
            facts = " ".join(record.source_facts)
            raise UsageError(f"{record.id} only sums up other memories", f"forget those: memory forget {facts}")


def _names(record: Fact, words: Words) -> bool:
    """Whether any text of the memory names what the words name."""
    quotes = (each.quote for each in record.evidence)
    past = (text for each in record.history for text in (each.value, each.content))
    own = (record.content, record.value, record.subject, record.source, *record.entities, *record.asked_by)
    return any(words.named_in(text) for text in (*own, *quotes, *past))


def _take(record: Fact, why: str, plan: Plan) -> None:
    plan.gone[record.id] = why
    plan.words = plan.words.with_quotes(record.evidence)


def _add_dependent(records: list[Stored], plan: Plan, texts: Mapping[str, str], touched: set[str]) -> bool:
    """Take in what says the same as what goes, and what stands on words of which some go; whether there was any."""
    gone = [record for _, record in records if record.id in plan.gone]
    sayings = {words for record in gone for words in claim_words(vars(record))}
    refs = touched | {each.ref for record in gone for each in record.evidence}
    cut = {ref: _cut(texts[ref], plan.words, gone, ref) for ref in refs if ref in texts}
    before = len(plan.gone)
    for pool, record in records:
        if record.id in plan.gone or _is_composed(pool, record):
            continue
        if sayings.intersection(claim_words(vars(record))):
            _take(record, "says the same", plan)
        elif any(_is_cut(each, cut, refs) for each in record.evidence):
            _take(record, "stands on the same words", plan)
    return len(plan.gone) > before


def _cut(text: str, words: Words, gone: Iterable[Fact], ref: str) -> str:
    """The message without what goes: in the message that it names, a quote goes however short it is."""
    own = [each.quote for record in gone for each in record.evidence if each.ref == ref]
    places = [(text.find(quote), len(quote)) for quote in own]
    return blanked(text, [*words.spans(text), *((at, at + size) for at, size in places if at >= 0)])


def _is_cut(evidence: Evidence, cut: Mapping[str, str], refs: set[str]) -> bool:
    """Whether the words no longer stand where they are said to; nor do those of a capture, or of a lost message."""
    return evidence.quote not in cut[evidence.ref] if evidence.ref in cut else evidence.ref in refs


def _by_source(selection: Selection, records: list[Stored], plan: Plan) -> None:
    for pool, record in records:
        said = [each for each in record.evidence if selection.was_said(each.ref, each.said_at)]
        captured = bool(selection.session) and session_of(record.source) == selection.session
        if _is_composed(pool, record) or not (said or captured):
            continue
        others = [each for each in record.evidence if each not in said]
        if not others or _needs(record, said, others):
            _take(record, "chosen", plan)
        else:
            plan.lost[record.id] = [each.ref for each in said]
            plan.words = plan.words.with_quotes(said)
    replaced = [record for pool, record in records if pool == "archive" and record.retired == "superseded"]
    plan.back = [each.id for each in replaced if each.superseded_by in plan.gone and each.id not in plan.gone]


def _needs(record: Fact, said: Iterable[Evidence], others: Iterable[Evidence]) -> bool:
    """Whether the memory says a word that it has from what goes alone."""
    mine, lost, kept = (
        {word for text in texts for word in gist_of(text).words}
        for texts in ([record.content], [each.quote for each in said], [each.quote for each in others])
    )
    return not (mine & lost) <= kept


def _is_composed(pool: Pool | None, record: Fact) -> bool:
    """An active summary is composed anew from what is left."""
    return isinstance(record, Summary) and pool == "active"


class _Stones:
    """Makes marks. On stretches of texts two where secrets were masked, which other rules may mask otherwise."""

    def __init__(self, ws: Workspace, at: str, said: Iterable[Message]) -> None:
        self._ws = ws
        self._at = at
        self._mac = ws.tombstones.mac
        self._texts = {message.ref: message.text for message in said}
        self._written: dict[str, dict[str, str]] = {}

    def of_selection(self, selection: Selection) -> Iterator[Mark]:
        """The standing marks: they hold for transcripts, too, that turn up later."""
        if name := fold(selection.entity):
            yield Mark("name", self._at, self._mac("name", name), length=len(name))
        if selection.session:
            yield Mark("session", self._at, self._mac("session", selection.session))
        if selection.since or selection.until:
            yield Mark("span", self._at, since=selection.since, until=selection.until or "9999")

    def of_words(self, words: Words, whole: Sequence[Message]) -> Iterator[Mark]:
        """Marks on stretches of messages and of notes as files; of the `whole` messages on every line of theirs."""
        for ref, text in self._texts.items() if not whole else ():
            for span in words.spans(text):
                yield from self._on(ref, text[slice(*span)], span[0])
        lines: dict[str, set[str]] = defaultdict(set)
        for message in whole:
            lines[message.session].update(line.strip() for line in message.text.split("\n") if line.strip())
        for path in note_files(self._ws.layout):
            name, text = self._ws.layout.name(path), read_note(path)
            found = {text[slice(*span)] for span in words.spans(text)} if not whole else set()
            for quote in sorted(found | {line for line in lines.get(note_session(name), ()) if line in text}):
                yield from self._on(name, quote)

    def of_memory(self, record: Fact) -> Iterator[Mark]:
        """What the memory said, and every word that it stood on."""
        for words in claim_words(vars(record)):
            yield Mark("claim", self._at, self._mac("claim", words))
        for each in record.evidence:
            if each.quote:
                yield from self._on(each.ref, each.quote)

    def _on(self, ref: str, quote: str, start: int | None = None) -> Iterator[Mark]:
        """The marks on a quote that begins there in its text; unless given, where it stands first."""
        yield self._mark(ref, quote)
        start = self._texts.get(ref, "").find(quote) if start is None else start
        if start >= 0:
            words, span = redaction(self._as_written(ref)), (start, start + len(quote))
            if words.passes and len(words.text) == len(self._texts[ref]) and words.as_written(span) != quote:
                yield self._mark(ref, words.as_written(span))

    def _as_written(self, ref: str) -> str:
        session, _, entry = ref.partition(":")
        if session not in self._written:
            self._written[session] = self._ws.library.as_written(session)
        return self._written[session].get(entry, "")

    def _mark(self, ref: str, quote: str) -> Mark:
        return Mark("quote", self._at, self._mac("quote", quote), self._mac("ref", ref), len(quote))
