"""Search: one ranked list over memories, notes and transcripts, with what is newer than the index laid over it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from memory_system import retention
from memory_system.config import Config
from memory_system.layout import Layout
from memory_system.recall import terms
from memory_system.recall.excerpt import place_of_memory, place_of_message
from memory_system.recall.index import Hit, Index, note_digest
from memory_system.recall.passages import note_files, read_note
from memory_system.recall.units import storable
from memory_system.records import Fact, to_line, type_name
from memory_system.text import essence

Scope = Literal["all", "memories", "notes", "sessions"]
SCOPES_OF: dict[Scope, tuple[str, ...]] = {
    "all": ("memory", "note", "session"),
    "memories": ("memory",),
    "notes": ("note",),
    "sessions": ("session",),
}
SNIPPET_CHARACTERS = 700
LEAD_CHARACTERS = 100  # shown before the first word of the query
CANDIDATES = 50  # of each scope at least, before equal texts are folded
HALF_RANK = 8.0  # the BM25 that makes a score of one half
STANDING_SHARE = 0.25  # a memory that matters and is fresh ranks as if its BM25 were higher by so much
TYPES_OF = {"note": "note", "session": "message"}


@dataclass(slots=True)
class Found:
    """One result: the best of the hits with one text, the memory it is, if any, and where all of them were said."""

    hit: Hit
    rank: float
    memory: Fact | None = None
    refs: dict[str, None] = field(default_factory=dict)

    @property
    def score(self) -> float:
        return round(self.rank / (self.rank + HALF_RANK), 4)

    @property
    def order(self) -> tuple[Any, ...]:
        return (-self.rank, self.hit.scope, self.hit.unit.key)


def search(
    layout: Layout,
    config: Config,
    index: Index,
    pending: Iterable[Fact],
    query: str,
    *,
    now: datetime,
    limit: int = 10,
    scope: Scope = "all",
    archived: bool = False,
) -> dict[str, Any]:
    """The answer of `memory search --json`: `results`, best first, and `total_found`, how many different texts were
    among the candidates. Captures in `pending` and notes that changed since they were indexed are found as they are
    now; the archive only when asked for. Never raises for a query, whatever it holds."""
    scopes = SCOPES_OF[scope] + (("archive",) if archived and "memory" in SCOPES_OF[scope] else ())
    limit = max(0, limit)
    found = _candidates(layout, config, index, list(pending), query, scopes, max(CANDIDATES, 5 * limit))
    for each in found:
        if each.memory:
            standing = (retention.effective(each.memory, now, config) + each.memory.importance) / 2
            each.rank *= 1 + STANDING_SHARE * standing
    folded = _fold(sorted(found, key=lambda each: each.order))
    shown = [_row(layout, index, each, query) for each in folded[:limit]]
    return {"results": shown, "total_found": len(folded)}


def _candidates(
    layout: Layout,
    config: Config,
    index: Index,
    pending: list[Fact],
    query: str,
    scopes: Collection[str],
    limit: int,
) -> list[Found]:
    """The hits of the index that still hold, and those of the overlay."""
    changed, gone = _note_changes(layout, index) if "note" in scopes else ({}, set())
    hits = [hit for hit in index.search(query, scopes, limit) if hit.unit.path not in gone or hit.scope != "note"]
    memories = index.memories([hit.unit.key for hit in hits if hit.scope in ("memory", "archive")])
    found = [Found(hit, hit.rank, memories[hit.unit.key][1] if hit.unit.key in memories else None) for hit in hits]
    known = index.memories([record.id for record in pending])
    waiting = {record.id: record for record in pending if record.id not in known and "memory" in scopes}
    if not (changed or waiting):
        return found
    with Index.in_memory(config) as overlay:
        overlay.put_memories(("active", to_line(record)) for record in waiting.values())
        for name, text in changed.items():
            overlay.put_note(name, text)
        return found + [Found(hit, hit.rank, waiting.get(hit.unit.key)) for hit in _weighed(index, overlay, query)]


def _note_changes(layout: Layout, index: Index) -> tuple[dict[str, str], set[str]]:
    """The notes whose text is not the indexed one, and the names whose indexed text no longer holds."""
    indexed = index.note_digests()
    changed: dict[str, str] = {}
    gone = set(indexed)
    for path in note_files(layout):
        name = storable(layout.name(path))
        text = read_note(path)
        if indexed.get(name) == note_digest(text):
            gone.discard(name)
        else:
            changed[name] = text
    return changed, gone


def _weighed(index: Index, overlay: Index, query: str) -> Iterator[Hit]:
    """The overlay's hits, ranked as if they stood in the index: each term that a text has counts with its weight there.
    A small index of its own would call every term common."""
    ranks: dict[tuple[str, str], float] = {}
    hits: dict[tuple[str, str], Hit] = {}
    for term in terms.asked(query):
        holders = overlay.look_up([term], ("memory", "note"), CANDIDATES)
        weight = index.weight(term) if holders else 0.0
        for hit in holders:
            place = hit.scope, hit.unit.key
            hits[place] = hit
            ranks[place] = ranks.get(place, 0.0) + weight
    return (hit._replace(rank=ranks[place]) for place, hit in hits.items())


def _fold(ranked: list[Found]) -> list[Found]:
    """One result for each text: texts that differ only in case, width, blanks and punctuation are the same."""
    first: dict[bytes, Found] = {}
    for each in ranked:
        best = first.setdefault(essence(each.hit.unit.text), each)
        best.refs.update(dict.fromkeys(_refs(each)))
    return list(first.values())


def _refs(found: Found) -> list[str]:
    if found.hit.scope == "session":
        return [found.hit.unit.key]
    if found.memory is None:
        return []
    return [each.ref for each in found.memory.evidence] or [found.memory.source] * bool(found.memory.source)


def _row(layout: Layout, index: Index, found: Found, query: str) -> dict[str, Any]:
    unit = found.hit.unit
    path, start, end = _place(layout, index, found)
    return {
        "id": unit.key,
        "type": type_name(type(found.memory)) if found.memory else TYPES_OF[found.hit.scope],
        "path": path,
        "startLine": start,
        "endLine": end,
        "score": found.score,
        "source": found.hit.scope,
        "refs": list(found.refs),
        "text": unit.text,
        "snippet": snippet(unit.text, query),
        "citation": f"{path}#L{start}" + (f"-L{end}" if end > start else ""),
        "said_at": unit.said_at,
    }


def _place(layout: Layout, index: Index, found: Found) -> tuple[str, int, int]:
    """The name of the file that holds the text, and its first and last line there."""
    unit = found.hit.unit
    if found.memory:
        path, line = place_of_memory(layout, index, found.memory)
        return path, line, line
    if found.hit.scope == "session":
        return unit.path, *place_of_message(layout, unit.path, unit.key)
    return unit.path, unit.start_line, unit.end_line


def snippet(text: str, query: str) -> str:
    """At most `SNIPPET_CHARACTERS` of the text, from a little before the first word of the query that stands in it."""
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    folded = text.lower()
    places = [place for term in terms.asked(query) if (place := folded.find(term)) >= 0]
    start = max(0, min(min(places, default=0) - LEAD_CHARACTERS, len(text) - SNIPPET_CHARACTERS + 1))
    if not start:
        return text[: SNIPPET_CHARACTERS - 1] + "…"
    piece = text[start : start + SNIPPET_CHARACTERS - 2]
    return f"…{piece}" + ("…" if start + len(piece) < len(text) else "")
