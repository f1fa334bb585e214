"""Which memories a selection means: those it names, those that say the same or stand on the same words, and (where a
session or a time is forgotten) those that would not be there without it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory_system.errors import NotFoundError, UsageError
from memory_system.forgetting.owner_files import Words
from memory_system.privacy.tombstones import blanked, claim_words
from memory_system.records import STOCK_NAMES, Evidence, Fact, Pool, Summary, session_of
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
class Chosen:
    """Ids of what goes, by why it goes; evidence (refs) that others lose; memories that come back because what took
    their place goes. `quotes` are the words that they stood on."""

    gone: dict[str, str] = field(default_factory=dict)
    lost: dict[str, list[str]] = field(default_factory=dict)
    back: list[str] = field(default_factory=list)
    quotes: set[str] = field(default_factory=set)
    words: Words = field(default_factory=Words)


def choose(selection: Selection, ws: Workspace, said: Iterable[Message]) -> Chosen:
    """What the selection means; NotFoundError for an id that nobody knows."""
    records: list[Stored] = [*ws.store.records(), *((None, each) for each in ws.inbox.pending())]
    chosen = _by_source(selection, records) if selection.by_source else _by_words(selection, records, list(said))
    _with_summaries(chosen, records)
    return chosen


def _by_words(selection: Selection, records: list[Stored], said: list[Message]) -> Chosen:
    words = Words((), fold(selection.entity), tuple(fold(selection.query).split()))
    known = {record.id for _, record in records}
    if unknown := [each for each in selection.ids if each not in known]:
        raise NotFoundError(f"there is no memory {', '.join(unknown)}")
    _refuse_composed(selection, records)
    chosen = Chosen(words=words)
    texts = {message.ref: message.text for message in said}
    touched = {ref for ref, text in texts.items() if words.spans(text)}
    for pool, record in records:
        if not _is_composed(pool, record) and (record.id in selection.ids or _names(record, words)):
            _take(record, "chosen", chosen)
    while _add_dependent(records, chosen, texts, touched):
        pass
    return chosen


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
    texts = (record.content, record.value, record.subject, record.source, *record.entities, *quotes, *past)
    return any(words.named_in(text) for text in texts)


def _take(record: Fact, why: str, chosen: Chosen) -> None:
    chosen.gone[record.id] = why
    chosen.quotes.update(each.quote for each in record.evidence if each.quote)
    chosen.words = Words(tuple(sorted(chosen.quotes)), chosen.words.name, chosen.words.all_of)


def _add_dependent(records: list[Stored], chosen: Chosen, texts: Mapping[str, str], touched: set[str]) -> bool:
    """Take in what says the same as what goes, and what stands on words of which some go; whether there was any."""
    gone = [record for _, record in records if record.id in chosen.gone]
    sayings = {words for record in gone for words in claim_words(vars(record))}
    refs = touched | {each.ref for record in gone for each in record.evidence}
    cut = {ref: _cut(texts[ref], chosen.words, gone, ref) for ref in refs if ref in texts}
    before = len(chosen.gone)
    for pool, record in records:
        if record.id in chosen.gone or _is_composed(pool, record):
            continue
        if sayings.intersection(claim_words(vars(record))):
            _take(record, "says the same", chosen)
        elif any(_is_cut(each, cut, refs) for each in record.evidence):
            _take(record, "stands on the same words", chosen)
    return len(chosen.gone) > before


def _cut(text: str, words: Words, gone: Iterable[Fact], ref: str) -> str:
    """The message without what goes: in the message that it names, a quote goes however short it is."""
    own = [each.quote for record in gone for each in record.evidence if each.ref == ref]
    places = [(text.find(quote), len(quote)) for quote in own]
    return blanked(text, [*words.spans(text), *((at, at + size) for at, size in places if at >= 0)])


def _is_cut(evidence: Evidence, cut: Mapping[str, str], refs: set[str]) -> bool:
    """Whether the words of the evidence no longer stand where it says; a message that is gone or a capture is taken
    as one."""
    if evidence.ref in cut:
        return evidence.quote not in cut[evidence.ref]
    return evidence.ref in refs


def _by_source(selection: Selection, records: list[Stored]) -> Chosen:
    chosen = Chosen()
    for pool, record in records:
        said = [each for each in record.evidence if selection.was_said(each.ref, each.said_at)]
        if _is_composed(pool, record) or not (said or _is_from(record, selection)):
            continue
        others = [each for each in record.evidence if each not in said]
        if not others or _needs(record, said, others):
            _take(record, "chosen", chosen)
        else:
            chosen.lost[record.id] = [each.ref for each in said]
            chosen.quotes.update(each.quote for each in said)
    for pool, record in records:
        if pool == "archive" and record.retired == "superseded" and record.superseded_by in chosen.gone:
            chosen.back += [record.id] if record.id not in chosen.gone else []
    return chosen


def _is_from(record: Fact, selection: Selection) -> bool:
    """Whether a capture says that it comes from the session."""
    return bool(selection.session) and session_of(record.source) == selection.session


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


def _with_summaries(chosen: Chosen, records: Iterable[Stored]) -> None:
    """Summaries in the archive that told of what goes, go with it."""
    for pool, record in records:
        told = isinstance(record, Summary) and pool == "archive" and set(record.source_facts) & set(chosen.gone)
        if told and record.id not in chosen.gone:
            _take(record, "a summary of it", chosen)
