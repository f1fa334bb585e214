"""Search: one ranked list over memories, notes and transcripts, with what is newer than the index laid over it.

The way of a question: `asked` understands it, `candidates` finds what may answer, `ranking` weighs that, `results`
folds and orders it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal

import orjson

from memory_system import clock
from memory_system.config import Config
from memory_system.layout import Layout
from memory_system.recall.answered import answered, talked_of
from memory_system.recall.around import Around, Give, as_it_is, named, outdated_words
from memory_system.recall.asked import Question, of_the_user, understood
from memory_system.recall.candidates import Candidates, Wanted, gather
from memory_system.recall.excerpt import place_of_memory, where_said
from memory_system.recall.ranking import by_meaning, rank
from memory_system.recall.results import Result, diverse, folded, newer_first, overtaken
from memory_system.recall.schema import MEMORIES, scope_of
from memory_system.recall.search_index import NO_FILTERS, Filters, Index
from memory_system.recall.units import Unit, note_digest, note_files, read_note, storable
from memory_system.records import Fact, kind_of, to_line, type_name
from memory_system.text import language

if TYPE_CHECKING:  # imported where vectors are searched
    from memory_system.recall.vectors import Near

Scope = Literal["all", "memories", "notes", "sessions"]
SCOPES_OF: dict[Scope, tuple[str, ...]] = {
    "all": ("memory", "over", "note", "session"),
    "memories": ("memory", "over"),
    "notes": ("note",),
    "sessions": ("session",),
}
SNIPPET_CHARACTERS = 700
LEAD_CHARACTERS = 100  # shown before the first word of the query
TYPES_OF = {"note": "note", "session": "message"}
DATED = 10  # results that are told with their day where a day is asked for
SAID = ("message", "fact", "belief")
LEAST_ALIKE = 0.01  # what is less alike is no result of the teaching algorithm
SECTION_CHARACTERS = 300  # of its snippets
_TOKENS = re.compile(r"[a-z0-9\u4e00-\u9fff]{2,}")
Section = tuple[str, int, int, str]  # name of the note, first line, last line, text
_ONE_DAY = re.compile(r"(?<=\[)(\d{4})-(\d\d)(?:-(\d\d))?(?=[ \]])")
_MARK = re.compile(r" ?\[\d{4}[^\]\n]*\]")  # a resolved date in brackets
_YEAR = re.compile(r"\b(?:19|20)\d\d\b|(?:19|20)\d\d年")


@dataclass(slots=True)
class Answer:
    """What was found for a question, best first; `scale` makes the score of a result one between 0 and 1, `known` says
    how much of what the question is about was ever spoken of, `weights` what each of its terms weighs."""

    question: Question
    results: list[Result]
    scale: float
    known: float
    weights: list[float]

    def score(self, result: Result) -> float:
        return round(result.score * self.scale, 4)


@dataclass(frozen=True, slots=True)
class Asking:
    """Where and when a question is asked: the index, `pending` captures, and with `near` what texts mean."""

    layout: Layout
    config: Config
    index: Index
    pending: list[Fact]
    now: datetime
    near: Near | None = None

    def answer(
        self, query: str, scope: Scope = "all", filters: Filters = NO_FILTERS, *, archived: bool = False
    ) -> Answer:
        """The results of `search`, not yet made into rows."""
        scopes = SCOPES_OF[scope] + (("archive",) if archived and "memory" in SCOPES_OF[scope] else ())
        question = of_the_user(understood(query, self.now, self.config.zone), self.index.at(self.now))
        near = self.near
        weights = self.config.search.chinese if question.lang == "zh" else self.config.search.english
        wanted = Wanted(question, scopes, filters)
        found = self._candidates(wanted)
        alone = near is not None and near.alone
        ranked = by_meaning(found) if alone else rank(question, found, weights)
        sure = near.best() if near and alone else answered(question, found, ranked, weights)
        scale = sure / (ranked[0].score or 1) if ranked else 0.0
        results = diverse(folded(ranked, dated=question.asks_when and not alone), weights.diversity)
        results = newer_first(overtaken(results, self.index), self.index, wanted)
        return Answer(question, results, scale, talked_of(question, found, ranked), found.weights)

    def _candidates(self, wanted: Wanted) -> Candidates:
        """The candidates of the index that still hold, and those of the overlay."""
        changed, gone = self._note_changes() if "note" in wanted.scopes else ({}, set[str]())
        known = self.index.at(self.now).these([record.id for record in self.pending]) if self.pending else {}
        waiting = [record for record in self.pending if record.id not in known and "memory" in wanted.scopes]
        with self._overlay(waiting, changed) as overlay:
            holding = replace(wanted, gone=gone)
            return gather(self.index, overlay, holding, self.config.zone, self.near)

    @contextmanager
    def _overlay(self, waiting: Collection[Fact], changed: dict[str, str]) -> Iterator[Index | None]:
        """An index of what is newer than the index; None when nothing is."""
        if not (changed or waiting):
            yield None
            return
        with Index.in_memory(self.config) as overlay:
            overlay.forgotten = self.index.forgotten
            overlay.put_memories(("active", to_line(record)) for record in waiting)
            for name, text in changed.items():
                overlay.put_note(name, text)
            yield overlay

    def _note_changes(self) -> tuple[dict[str, str], set[str]]:
        """The notes whose text is not the indexed one, and the names whose indexed text no longer holds."""
        indexed = self.index.note_digests()
        changed: dict[str, str] = {}
        gone = set(indexed)
        for path in note_files(self.layout):
            name = storable(self.layout.name(path))
            text = read_note(path)
            if indexed.get(name) == note_digest(text):
                gone.discard(name)
            else:
                changed[name] = text
        return changed, gone


def search(
    asking: Asking,
    query: str,
    *,
    limit: int = 10,
    scope: Scope = "all",
    archived: bool = False,
    filters: Filters = NO_FILTERS,
    explain: bool = False,
    give: Give = as_it_is,
    given: Callable[[str, str], str] = lambda text, _: text,
) -> dict[str, Any]:
    """The answer of `memory search --json`: `results`, best first, and `total_found`, how many different texts were
    among the candidates. What is newer than the index is found as it is now, the archive only when asked for. `explain`
    adds the parts of each score and `textScore`. `give` says what of a message may stand beside a memory that leans on
    it; `given` what of a text may be shown, told its ref or the name of its file. Never raises for a query."""
    with asking.index.reading():
        answer = asking.answer(query, scope, filters, archived=archived)
        results = answer.results[: max(0, limit)]
        rows = _Rows(asking, answer, _contexts_of(results, asking, give), given)
        shown = [rows.row(each, dated=number < DATED, explain=explain) for number, each in enumerate(results)]
    return {"results": shown, "total_found": len(answer.results)}


def _contexts_of(results: Iterable[Result], asking: Asking, give: Give) -> dict[str, str]:
    """What stood around the memories among the results, or was said later, by their ids."""
    keys = [each.best.unit.key for each in results if scope_of(each.best.number) in MEMORIES]
    around, rows = Around(asking.index, give), asking.index.at(asking.now).these(keys)
    return {key: around.of(orjson.loads(each.line)) for key, each in rows.items()}


@dataclass(frozen=True, slots=True)
class _Rows:
    """Results as they are shown: with what stood around memories (`contexts`), as far as it may be shown (`given`)."""

    asking: Asking
    answer: Answer
    contexts: Mapping[str, str]
    given: Callable[[str, str], str]

    def row(self, result: Result, *, dated: bool, explain: bool) -> dict[str, Any]:
        """One result; `dated` where it may be told with the day on which it was said."""
        unit, scope = result.best.unit, scope_of(result.best.number)
        path, start, end = self._place(result)
        text, excerpt = self._shown(result, unit.ref if scope == "session" else path, dated=dated)
        row = {
            "id": unit.ref,
            "type": type_of(result),
            "path": path,
            "startLine": start,
            "endLine": end,
            "score": self.answer.score(result),
            "source": "archive" if scope == "over" else scope,
            "refs": list(result.refs),
            "text": text,
            **({"context": context} if (context := self.contexts.get(unit.key)) else {}),
            "snippet": excerpt,
            "citation": f"{path}#L{start}" + (f"-L{end}" if end > start else ""),
            "said_at": unit.said_at,
            **(_said_by(unit) if scope == "session" else {}),
        }
        if result.newer:
            row["outdated_by"] = result.newer.id
            row["outdated"] = outdated_words(result.newer, unit.text, language(unit.text))
        if explain:
            row["explain"] = result.best.parts | {"alike": result.alike}
            row["textScore"] = round(result.best.bm25 / (1 + result.best.bm25), 4)  # as seed 004 has it
        return row

    def _place(self, result: Result) -> tuple[str, int, int]:
        """The name of the file that holds the text, and its first and last line there."""
        unit, scope = result.best.unit, scope_of(result.best.number)
        if scope in MEMORIES:
            path, line = place_of_memory(self.asking.layout, self.asking.index, unit.key)
            return path, line, line
        if scope == "session":
            return where_said(self.asking.layout, unit)
        return unit.path, unit.start_line, unit.end_line

    def _shown(self, result: Result, place: str, *, dated: bool) -> tuple[str, str]:
        """Text and snippet of what was said at that place; without dates where not all may be shown."""
        unit, question = result.best.unit, self.answer.question
        given = self.given(unit.text, place)
        if given != unit.text:
            return given, _snippet(given, [])
        text = self._told(result) if dated and question.asks_day else unit.told
        return text, _snippet(unit.told, question.terms)

    def _told(self, result: Result) -> str:
        """What the result says with its dates in words, and with its day where its own words name no year."""
        unit, lang = result.best.unit, language(result.best.unit.text)
        told = unit.told_in(_spelled_out) if unit.marks else _spelled_out(unit.text, lang)
        moment = clock.parse_instant(unit.said_at)
        if moment is None or type_of(result) not in SAID or _YEAR.search(_MARK.sub("", unit.text)):
            return told
        from memory_system import dates  # only where a day is asked for

        day = dates.spell(clock.local_date(moment, self.asking.config.zone), "day", lang)
        return told + (f" (said {day})" if lang == "en" else f"（{day}说）")


def _spelled_out(mark: str, lang: str) -> str:
    """The bracket with its day or month in words: [7 May 2023]; a longer time stays as it is."""

    from memory_system import dates

    def in_words(found: re.Match[str]) -> str:
        year, month, day = (int(each or 0) for each in found.groups())
        return dates.spell(date(year, month, day or 1), "day" if day else "month", lang)

    return _ONE_DAY.sub(in_words, mark)


def _said_by(message: Unit) -> dict[str, str]:
    """Who said a message, and whose words a passage of it may hold."""
    speaker = message.speaker or named(message.role, language(message.text))
    return {"speaker": speaker} | ({"whose": message.whose} if message.whose else {})


def type_of(result: Result) -> str:
    """fact, belief, summary, message or note."""
    return TYPES_OF.get(scope_of(result.best.number)) or type_name(kind_of(result.best.unit.key))


def _snippet(text: str, asked: list[str]) -> str:
    """At most `SNIPPET_CHARACTERS` of the text, from a little before the first of the terms that stands in it."""
    if len(text) <= SNIPPET_CHARACTERS:
        return text
    folded = text.lower()
    places = [place for term in asked if (place := folded.find(term)) >= 0]
    start = max(0, min(min(places, default=0) - LEAD_CHARACTERS, len(text) - SNIPPET_CHARACTERS + 1))
    if not start:
        return text[: SNIPPET_CHARACTERS - 1] + "…"
    piece = text[start : start + SNIPPET_CHARACTERS - 2]
    return f"…{piece}" + ("…" if start + len(piece) < len(text) else "")


# A baseline


def by_tfidf(layout: Layout, query: str, limit: int) -> dict[str, Any]:
    """The teaching algorithm, as a baseline that one can run: TF-IDF and cosine similarity over the sections of
    MEMORY.md and of the notes right under memory/. Its tokens are runs of Latin letters and digits or of Chinese
    characters, so that a Chinese clause is one word; its figures beside ours show what that costs."""
    paths = (layout.root / "MEMORY.md", *sorted(layout.memory.glob("*.md")))
    notes = [path for path in paths if path.is_file() and not path.is_symlink()]
    sections = [section for path in notes for section in _sections(layout.name(path), read_note(path))]
    tokens = [_TOKENS.findall(text.lower()) for *_, text in sections]
    holders = Counter(token for each in tokens for token in set(each))
    idf = {token: math.log(len(sections) / count) for token, count in holders.items()}
    asked = _weighed(_TOKENS.findall(query.lower()), idf)
    weighed = ((_weighed(each, idf), section) for each, section in zip(tokens, sections, strict=True))
    scored = [(sum(asked[token] * each.get(token, 0.0) for token in asked), section) for each, section in weighed]
    found = [(round(cosine, 4), section) for cosine, section in scored if cosine > LEAST_ALIKE]
    found.sort(key=lambda pair: -pair[0])
    return {"results": [_section_row(score, *section) for score, section in found[:limit]], "total_found": len(found)}


def _sections(name: str, text: str) -> Iterator[Section]:
    """The note cut before each line that begins with `#`."""
    lines, start = text.split("\n"), 0
    for end in (*(number for number, line in enumerate(lines) if number and line.startswith("#")), len(lines)):
        if section := "\n".join(lines[start:end]).strip():
            yield name, start + 1, end, section
        start = end


def _weighed(tokens: list[str], idf: dict[str, float]) -> dict[str, float]:
    """The TF-IDF of the tokens, as a vector of the length 1."""
    weights = {token: count * idf.get(token, 0.0) for token, count in Counter(tokens).items()}
    length = math.hypot(*weights.values()) or 1.0
    return {token: weight / length for token, weight in weights.items()}


def _section_row(score: float, name: str, start: int, end: int, text: str) -> dict[str, Any]:
    return {
        "id": f"{name}#L{start}", "type": "note", "path": name, "startLine": start, "endLine": end,
        "score": score, "source": "note", "refs": [], "text": text, "snippet": text[:SECTION_CHARACTERS],
        "citation": f"{name}#L{start}" + (f"-L{end}" if end > start else ""), "said_at": "",
    }  # fmt: skip
