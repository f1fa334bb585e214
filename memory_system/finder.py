"""Search, get and context, bound to a workspace: its index, its inbox, and the access log. Whoever asks says who they
are (`who`), for that log.

What is given of a workspace, whoever asks: never a secret; what is held back where it was said, and what the owner
wants masked, only where a person asks for it (`unmasked`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from threading import get_ident
from typing import TYPE_CHECKING, Any, Literal

import orjson

from memory_system import clock
from memory_system.errors import EmbedderError, LockedError, UsageError
from memory_system.privacy import masks
from memory_system.privacy.masks import SHARED, masked, shown
from memory_system.privacy.pasted import is_borrowed
from memory_system.privacy.secrets import redact
from memory_system.recall import excerpt
from memory_system.recall import search as ranking
from memory_system.recall.around import Around
from memory_system.recall.schema import MEMORIES
from memory_system.recall.search import Asking, Scope
from memory_system.recall.search_index import Filters, Index
from memory_system.recall.units import Unit
from memory_system.records import Fact
from memory_system.store.database import StaleIndexError
from memory_system.store.inbox import Who
from memory_system.text import language
from memory_system.workspace import Workspace

if TYPE_CHECKING:  # imported where vectors are searched
    from memory_system.recall.vectors import Near

Mode = Literal["auto", "keyword", "vector", "hybrid", "tfidf"]
WAIT_SECONDS = 2.0  # for an index that another program holds
NOTES = frozenset({"all", "notes", "", "note"})  # scopes and types that notes are among


class Giver:
    """Hands out texts and answers of one workspace."""

    def __init__(self, ws: Workspace, *, unmasked: bool = False) -> None:
        self.unmasked = unmasked
        self._kinds = () if unmasked else ws.masked
        self._withheld = ws.quarantine.withheld()
        cursors = ws.checkpoint.state.cursors if self._withheld.by_place else {}
        self._sessions = {row["path"]: session for session, row in cursors.items()}

    def text(self, text: str, place: str = "") -> str:
        """A text of that place: a message's ref, a session's id or the name of a file."""
        text = redact(text)[0]
        if self.unmasked:
            return text
        if self._withheld.by_place and place:
            text = self._withheld.out_of(self._sessions.get(place, place), text)
        return masked(text, self._kinds)

    def message(self, unit: Unit) -> str:
        """What of a message may stand beside a memory that leans on it; nothing where some of it is held back."""
        held = self._withheld.holds(unit.ref, unit.text) and not self.unmasked
        return "" if held else self.text(unit.text)

    def refuses(self, unit: Unit) -> bool:
        """Whether it is held back, or a message that somebody has pasted: to an agent a page is not what was said."""
        held = any(self._withheld.holds(place, unit.text) for place in (unit.ref, unit.path))
        is_pasted = bool(unit.role) and is_borrowed(unit.text, drafted=unit.role == "assistant")
        return (held and not self.unmasked) or is_pasted

    def lines(self, text: str, name: str) -> str:
        """Lines of the file of that name; those of a transcript with their characters as they are read."""
        if ".jsonl" in name and "\\u" in text and not self.unmasked:
            text = "\n".join(map(_unescaped, text.split("\n")))
        return self.text(text, name)

    def answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        """An answer with its texts masked; ids and places stay as they are."""
        masked_one: dict[str, Any] = shown(answer, self._kinds)
        return masked_one


def _unescaped(line: str) -> str:
    """A line of JSON without escapes for letters, behind which nothing is found; any other line as it is."""
    try:
        return orjson.dumps(orjson.loads(line)).decode() if "\\u" in line else line
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return line


def search(
    ws: Workspace,
    query: str,
    *,
    limit: int | None = None,
    scope: Scope = "all",
    archived: bool = False,
    since: date | None = None,
    until: date | None = None,
    kind: str = "",
    entity: str = "",
    explain: bool = False,
    mode: Mode = "auto",
    who: Who = "library",
    unmasked: bool = False,
) -> dict[str, Any]:
    """The answer of `memory search --json`; the memories it shows count as used. `since` and `until` are local days,
    both included; `kind` is fact, belief, summary, message or note; `explain` adds the parts of each score. `mode` is
    keyword (words alone), vector (meaning alone), hybrid (both), auto (hybrid where an embedder is configured) or tfidf
    (the teaching algorithm over notes, which knows none of the other options but `limit`, and says so where there are
    some). Where vectors are wanted and not to be had, words answer and `warning` says why. What is held back, and what
    `policy.masked` names, is shown only if `unmasked`; so it is in the answers below."""
    if since and until and since > until:
        raise UsageError(f"since {since} is after until {until}", "change the two")
    if mode == "tfidf":
        taught = ranking.by_tfidf(ws.layout, query, limit or ws.config.search.limit)
        if scope not in NOTES or kind not in NOTES or archived or since or until or entity or explain:
            taught["warning"] = "tfidf looks through notes only, and knows no other option than the limit"
        return _noted(ws, "search", taught, who, Giver(ws, unmasked=unmasked))
    filters = Filters(_midnight(ws, since), _end(ws, until), kind, entity)
    giver = Giver(ws, unmasked=unmasked)

    def ask(index: Index, near: Near | None) -> dict[str, Any]:
        return ranking.search(
            _asking(ws, index, near), query, limit=limit or ws.config.search.limit, scope=scope, archived=archived,
            filters=filters, explain=explain, give=giver.message, given=giver.text,
        )  # fmt: skip

    found = _asked(ws, query, mode, ask)
    if not found["results"] and "warning" not in found and ws.is_written_beside:
        found["warning"] = "a night is running, or something else that writes: what it has not written yet is not found"
    return _noted(ws, "search", found, who, giver)


def _noted(ws: Workspace, did: str, found: dict[str, Any], who: Who, giver: Giver) -> dict[str, Any]:
    """The answer as it is shown, after the access log knows of it."""
    ws.accesses.note(did, (row["id"] for row in found.get("results") or found.get("items", ())), ws.now, who)
    return giver.answer(found)


def _asking(ws: Workspace, index: Index, near: Near | None) -> Asking:
    return Asking(ws.layout, ws.config, index, ws.inbox.pending(), ws.now, near)


def _asked(
    ws: Workspace, question: str, mode: Mode, ask: Callable[[Index, Near | None], dict[str, Any]]
) -> dict[str, Any]:
    """What `ask` answers with the meaning of the question, or without it and with a warning that says why."""

    def answer(index: Index) -> dict[str, Any]:
        near, warning = _meaning(ws, index, question, mode)
        return ask(index, near) | ({"warning": warning} if warning else {})

    return _from_index(ws, answer)


def _meaning(ws: Workspace, index: Index, query: str, mode: Mode) -> tuple[Near | None, str]:
    """How near each text is to the question by its meaning, or why that is not known where it was wanted."""
    wanted = ws.config.embedder
    if mode == "keyword" or (mode == "auto" and wanted.kind == "none"):
        return None, ""
    from memory_system.recall import vectors
    from memory_system.recall.vectors import embedder_of

    embedder = embedder_of(wanted)
    try:
        if not embedder:
            raise EmbedderError("no embedder is configured")
        matrix = vectors.load(ws.layout.vectors, index, embedder.model)
        weight = 1.0 if mode == "vector" else wanted.weight * matrix.trust[language(query)]
        near = matrix.near(query, embedder, weight, alone=mode == "vector") if weight else None
    except (EmbedderError, StaleIndexError, LockedError) as error:
        return None, f"{error}; answered by words alone"
    missing = f"{matrix.missing} texts have no vector yet" if matrix.missing else ""
    return near, ": ".join(filter(None, (missing, matrix.failed)))


def _end(ws: Workspace, until: date | None) -> str:
    """The stamp before which it must have been said: the end of the day, and no later than the workspace stands."""
    end = _midnight(ws, until + timedelta(days=1)) if until and until < date.max else ""
    if ws.layout.elsewhere:  # an earlier state: notes that were written since are there, but not in it
        end = min(filter(None, (end, clock.stamp(ws.now + timedelta(seconds=1)))))
    return end


def _midnight(ws: Workspace, day: date | None) -> str:
    """The stamp at which the local day begins; empty without a day, or where it lies beyond all stamps."""
    with suppress(OverflowError):
        return clock.stamp(datetime.combine(day, time(), ws.config.zone)) if day else ""
    return ""


def get(
    ws: Workspace,
    path_or_id: str,
    *,
    from_line: int = 1,
    lines: int = excerpt.LINES,
    who: Who = "library",
    unmasked: bool = False,
) -> dict[str, Any]:
    """The answer of `memory get --json`; a memory that is read counts as used."""
    giver = Giver(ws, unmasked=unmasked)

    def read(index: Index) -> dict[str, Any]:
        return excerpt.get(
            ws.layout, index, ws.inbox.pending(), path_or_id, from_line=from_line, lines=lines, give=giver.message
        )

    found = _from_index(ws, read)
    ws.accesses.note("get", [path_or_id] if found["status"] == "ok" else [], ws.now, who)
    found["text"] = giver.lines(found["text"], path_or_id if "speaker" in found else found["path"])
    return giver.answer(found)


def context(
    ws: Workspace,
    message: str,
    *,
    budget: int | None = None,
    without_snapshot: bool = False,
    who: Who = "library",
    unmasked: bool = False,
) -> dict[str, Any]:
    """The answer of `memory context --json`: what to give an agent for a message, in at most `budget` tokens (else as
    configured). `without_snapshot` leaves out the memories that the snapshot shows already."""
    from memory_system.recall.context import context as inject

    most = ws.config.context.budget if budget is None else budget
    known = None
    if without_snapshot:
        from memory_system.phases.snapshot import shown_in

        known = shown_in(ws)

    giver = Giver(ws, unmasked=unmasked)

    def ask(index: Index, near: Near | None) -> dict[str, Any]:
        asking = _asking(ws, index, near)
        return inject(asking, message, budget=most, known=known, refused=giver.refuses, give=giver.message)

    return _noted(ws, "context", _asked(ws, message, "auto", ask), who, giver)


def contexts(ws: Workspace, records: Iterable[Fact], sessions: Collection[str] | None = None) -> dict[str, str]:
    """What stood around each of the memories that leans on it, or was said later, by its id. Where others listen,
    `sessions` are those that they were in: of no other is anything given, and nothing that is sensitive."""
    leaning = [each for each in records if each.context or each.likely_outdated_by]
    if not leaning:
        return {}
    giver = Giver(ws)

    def ask(index: Index) -> dict[str, Any]:
        def give(unit: Unit) -> str:
            return giver.message(unit) if sessions is None or _is_shared(unit, index) else ""

        around = Around(index, give)
        return {"contexts": {each.id: around.of(each.model_dump(), sessions=sessions) for each in leaning}}

    found: dict[str, str] = _from_index(ws, ask)["contexts"]
    return {key: text for key, text in found.items() if text}


def _is_shared(unit: Unit, index: Index) -> bool:
    """Whether a message of a shared chat holds nothing that is kept from others."""
    standing = index.units(index.standing_on([unit.ref], MEMORIES)).values()
    records = index.memories([each.key for each in standing]).values()
    return not masks.fires(unit.text) and all(record.sensitivity == SHARED for _, record in records)


def _from_index(ws: Workspace, ask: Callable[[Index], dict[str, Any]]) -> dict[str, Any]:
    """The answer of the index, made anew where the file is of no use; of one made for the moment, with a warning, where
    it is held, or nothing may be written."""
    try:
        try:
            return _of_file(ws, ask)
        except StaleIndexError:
            from memory_system.phases.index import mend  # most searches do without

            if not mend(ws):
                raise
            return _of_file(ws, ask)
    except (StaleIndexError, LockedError) as error:
        why = _why(ws, error)
    from memory_system.phases.index import fresh_index

    with fresh_index(ws) as index:
        return ask(index) | ({"warning": why} if why else {})


def _of_file(ws: Workspace, ask: Callable[[Index], dict[str, Any]]) -> dict[str, Any]:
    path = ws.layout.search_index
    seen = path.stat() if path.exists() else None  # a night or a rebuilding may put another file there
    key = (path, seen and (seen.st_ino, seen.st_dev), get_ident())  # a connection belongs to a thread
    index = ws.held(key, lambda: Index.open(path, ws.config, wait=WAIT_SECONDS))
    index.forgotten = ws.tombstones
    index.renew()
    return ask(index)


def _why(ws: Workspace, error: StaleIndexError | LockedError) -> str:
    """Why there was no index to ask; empty for an earlier state, which has none."""
    running = ws.is_written_beside
    if ws.layout.elsewhere:
        return ""
    if not ws.checkpoint.state.last_night:
        begun = "the first night is still running" if running else "no night has run yet (memory consolidate)"
        return f"{begun}: only notes and captures are searched"
    if isinstance(error, StaleIndexError) and not running:
        return f"{error}; answered without it ({error.hint})"
    return f"{error}; answered without it" + (" while another program writes" if running else "")
