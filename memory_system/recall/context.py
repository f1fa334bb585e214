"""What to give an agent for a message: searched widely, packed narrowly, a line each with date and source. Cues of the
message say what else belongs in and how much is shown; within the budget stands what answers most per token."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from itertools import islice
from typing import Any, Literal

import orjson

from memory_system import clock
from memory_system.config import Config
from memory_system.recall.around import MOST, Around, Give, as_it_is
from memory_system.recall.asked import Asked, Cues, Kind, Question, asked_of_user, cues_of
from memory_system.recall.candidates import SLOTS
from memory_system.recall.names import is_asked_of, spoken_of, tells_of, things_in
from memory_system.recall.ranking import only_asks
from memory_system.recall.results import Result
from memory_system.recall.schema import MEMORIES, scope_of
from memory_system.recall.search import Answer, Asking, type_of
from memory_system.recall.units import Unit, Units
from memory_system.records import USER, Fact, Row, kind_of, to_line, type_name
from memory_system.rules import table
from memory_system.text import estimate_tokens, is_cjk, sentences

WIDE = 40  # results that are looked at
TOPIC = 1.15  # times more for a memory of a kind that the message speaks of
PAST = 0.75  # of what is asked of a score where the message speaks of what was before
MOST_POINTERS = 3
MOST_OF_NAMED = 4  # lines on whom and what the message names that would not be given for its other words
DEARNESS = 0.25  # how much the length of a line counts against it
LEVELS: tuple[Level, ...] = ("high", "middle", "low")
SHORTENED = 100  # characters of what a memory leans on, where there is no room for all of it

Level = Literal["high", "middle", "low"]

LONGEST_TOKENS = 90  # of the text of one line
MOST_WORDS = 6  # of the question, that a pointer shows
TAG = "recalled-memories"
_TAGS = re.compile(r"<(?=/?\s*[\w-]*memor)", re.IGNORECASE)


@dataclass(slots=True)
class Item:
    """Something that may be shown: `share` is its score as a share of the best one's, `row` the memory as it stands in
    its file, empty for words and notes; `matches` whether it has something of the question itself, not only what stands
    beside it; `level` how sure it is that it belongs here; `fuller` the line with what the memory leans on, the longest
    first; `newer` the id of what stands in the place of an outdated memory."""

    id: str
    type: str
    unit: Unit
    score: float
    share: float
    refs: list[str]
    row: Row
    matches: bool
    level: Level | None = None
    line: str = ""
    fuller: tuple[str, ...] = ()
    newer: str = ""

    @property
    def source(self) -> str:
        """What `get` reads: a memory's id, a message's ref, or lines of a note."""
        unit = self.unit
        return f"{unit.path}#L{unit.start_line}-L{unit.end_line}" if self.type == "note" else self.id

    @property
    def tells(self) -> bool:
        """Whether it says one thing: a memory, but no summary of several, or a message of one sentence that tells."""
        text = self.unit.text
        return self.type != "summary" and (bool(self.row) or len([*sentences(text)]) == 1) and not only_asks(text)

    def to_row(self) -> dict[str, Any]:
        return {
            "id": self.id, "type": self.type, "confidence": self.level, "score": self.score, "source": self.source,
            "said_at": self.unit.said_at, "refs": self.refs, "line": self.line,
        }  # fmt: skip


def context(
    asking: Asking,
    message: str,
    *,
    budget: int,
    known: Callable[[Fact], bool] | None = None,
    refused: Callable[[Unit], bool] = lambda _: False,
    give: Give = as_it_is,
) -> dict[str, Any]:
    """The answer of `memory context --json`: `text` is what to inject, never more than `budget` tokens and empty when
    nothing is relevant; `tokens` what it costs; `items` its lines; `cues` what the message called for. Memories for
    which `known` is true are left out, and words that are `refused`; `give` says what of a message may stand beside a
    memory that leans on it. Never raises for a message, whatever it holds."""

    def is_new(item: Item) -> bool:
        if not item.row:
            return not refused(item.unit)
        return not (known and known(kind_of(item.row["id"]).model_validate(item.row)))

    cues, wish, items, lang = cues_of(message), Asked(), list[Item](), "en"
    if not cues.idle:
        with asking.index.reading():
            answer = asking.answer(message)
            if answer.question.asks:
                wish = asked_of_user(answer.question.text, asking.index.at(asking.now))
            found = (each for each in _Gathered(asking, message, cues, wish).items(answer) if each.level)
            items = _with_newer(filter(is_new, found))
            around = Around(asking.index, lambda unit: "" if refused(unit) else give(unit))
            _write_lines(items, answer, asking.config, around)
        lang = answer.question.lang
    chosen = packed(items, budget - estimate_tokens(wrapped([""], lang)))
    text = wrapped([each.line for each in chosen], lang)
    return {
        "text": text,
        "tokens": estimate_tokens(text),
        "budget": budget,
        "cues": [*cues.names, *wish.kinds],
        "items": [each.to_row() for each in chosen],
    }


@dataclass(slots=True)
class _Gathered:
    """The items for a message, each with its level."""

    asking: Asking
    message: str
    cues: Cues
    wish: Asked

    def items(self, answer: Answer) -> list[Item]:
        results = answer.results[:WIDE]
        rows = self._rows([each.best.unit.key for each in results if scope_of(each.best.number) in MEMORIES])
        best = answer.score(results[0]) if results else 0.0
        known = best * answer.known / (PAST if self.cues.past else 1.0)
        found = [self._item(each, answer, rows, best) for each in results]
        if known >= self._least(answer):
            for each in found:
                each.level = self._level(each, known, answer.question)
        _tell_of_named(found, answer.question, rows.values())
        wholes = {each.id: each for each in self._wholes()}
        return [*wholes.values(), *(each for each in found if each.id not in wholes)]

    def _rows(self, keys: Collection[str]) -> dict[str, Row]:
        """The memories with these ids as they stand in their files, and in the inbox."""
        lines = {key: each.line for key, each in self.asking.index.at(self.asking.now).these(keys).items()}
        lines |= {each.id: to_line(each) for each in self.asking.pending if each.id in keys}
        return {key: orjson.loads(line) for key, line in lines.items()}

    def _item(self, result: Result, answer: Answer, rows: Mapping[str, Row], best: float) -> Item:
        unit, score = result.best.unit, answer.score(result)
        row, newer = rows.get(unit.key, {}), result.newer.id if result.newer else ""
        share = score / best if best else 0.0
        if row and any(kind.holds(row) for kind in self.cues.topics):
            share = min(1.0, share * TOPIC)
        matches = result.best.has_own
        return Item(unit.ref, type_of(result), unit, score, share, list(result.refs), row, matches, newer=newer)

    def _least(self, answer: Answer) -> float:
        """What must be known for anything to be given: more where nothing is asked."""
        wanted, cues = self.asking.config.context, self.cues
        return wanted.relevant if answer.question.asks or cues.past or cues.topics else wanted.sure

    def _level(self, item: Item, known: float, question: Question) -> Level | None:
        """How sure it is that the item belongs here; None where it does not. What is only supposed is never sure, nor
        what only asks. What has no word of it may be there by chance. A pointer must show a word of it."""
        wanted, text = self.asking.config.context, item.unit.text
        if known * item.share**2 >= wanted.sure and item.type != "belief" and not only_asks(text):
            return "high"
        if item.matches and item.share >= wanted.unsure:
            return "middle"
        shows = not is_cjk(text) or any(len(each) > 1 and each in text for each in question.terms)
        return "low" if item.matches and item.share >= wanted.pointer and shows else None

    def _wholes(self) -> Iterable[Item]:
        """The weightiest of the user's memories of the kinds that are asked for as a whole."""
        units = Units(self.asking.config)
        asked = Kind("asked", (), self.wish.slots, SLOTS)
        for kind in (*self.cues.wholes, asked):
            for row in self._of_kind(kind):
                refs, type_ = [each["ref"] for each in row.get("evidence", ())], type_name(kind_of(row["id"]))
                level: Level = "middle" if type_ == "belief" else "high"
                yield Item(row["id"], type_, units.memory(row), 1.0, 1.0, refs, row, matches=True, level=level)

    def _of_kind(self, kind: Kind) -> list[Row]:
        waiting = [orjson.loads(to_line(each)) for each in self.asking.pending]
        standing = self.asking.index.at(self.asking.now)
        stored = standing.of_kind(kind.categories, kind.attributes, kind.most)
        rows = [row for row in waiting if kind.holds(row)] + [orjson.loads(each.line) for each in stored]
        own = (row for row in rows if row.get("subject", USER) == USER and not row.get("outdated_by"))
        asked = [row for row in own if is_asked_of(self.message, row["content"])]
        if kind.named:
            asked = [row for row in asked if row.get("value") and row["value"] in self.message]
        return asked[: kind.most]


def _tell_of_named(found: Iterable[Item], question: Question, rows: Collection[Row]) -> None:
    """Give what was found of the people and projects that the message names as well; surely where nothing is asked."""
    names, things = spoken_of(question, rows), things_in(question.text, rows)
    left = (each for each in found if each.level != "high" and each.tells)
    for each in islice((each for each in left if tells_of(names, things, each.unit.text)), MOST_OF_NAMED):
        each.level = "middle" if question.asks or each.type == "belief" else "high"


def _with_newer(items: Iterable[Item]) -> list[Item]:
    """The items, what is outdated only where its newer memory is among them, which is then as sure to belong here."""
    there = {each.id: each for each in items}
    for each in [*there.values()]:
        newer = there.get(each.newer)
        if each.newer and (newer is None or each.level == "low"):
            del there[each.id]
        elif newer is not None:
            newer.level = min(newer.level, each.level, key=lambda level: LEVELS.index(level or "low"))
    return [*there.values()]


def _write_lines(items: Iterable[Item], answer: Answer, config: Config, around: Around) -> None:
    """Give each item the line that is shown of it, and the longer ones that are shown where there is room."""
    worth = dict(zip(answer.question.terms, answer.weights, strict=False))
    lang = answer.question.lang
    for each in items:
        write = partial(line_of, each, worth, lang, config.zone)
        if each.level != "low":  # a pointer shows nothing that could be outdated
            write = partial(write, later=around.later(each.row))
            contexts = dict.fromkeys(around.before(each.row, most) for most in (MOST, SHORTENED))
            each.fuller = tuple(write(context=context) for context in contexts if context)
        each.line = write()


def packed(items: Iterable[Item], room: int) -> list[Item]:
    """The lines that give most for their tokens and fit the room, the surest first; what is outdated only behind what
    replaced it. The room that is left goes to what memories lean on, the best first."""
    items = list(items)
    prices = {each.id: _price(each.line) for each in items}
    chosen: dict[str, Item] = {}
    pointers = MOST_POINTERS
    for each in sorted(items, key=lambda each: (bool(each.newer), -each.share / prices[each.id] ** DEARNESS, each.id)):
        is_pointer = each.level == "low"
        if prices[each.id] <= room and (pointers or not is_pointer) and (not each.newer or each.newer in chosen):
            chosen[each.id] = each
            room -= prices[each.id]
            pointers -= is_pointer
    for each in chosen.values():
        room += _price(each.line)
        each.line = next((line for line in each.fuller if _price(line) <= room), each.line)
        room -= _price(each.line)

    def place(item: Item) -> tuple[int, float, str, bool, str]:
        """The surest first, what is outdated behind what leads it."""
        first = chosen.get(item.newer, item)
        return LEVELS.index(first.level or "low"), -first.share, first.id, first is not item, item.id

    return sorted(chosen.values(), key=place)


def _price(line: str) -> int:
    return estimate_tokens(line + "\n")


# The lines


def line_of(
    item: Item, worth: Mapping[str, float], lang: str, zone: tzinfo, *, context: str = "", later: str = ""
) -> str:
    """The item as one line, marked where its time is over or a newer memory stands in its place. `worth` is what each
    word of the question weighs; of what is only pointed to (`low`) those that stand there are shown, not the text. What
    it leans on (`context`) stands before it, what was said `later` behind it."""
    words, unit = table("words", "told")[lang], item.unit
    moment, source = clock.parse_instant(unit.said_at), _tame(item.source)
    day = f"{clock.local_date(moment, zone)} " if moment else ""
    marked = words["outdated"] if item.newer else words["over"] if item.row.get("retired") == "expired" else ""
    if item.level == "low":
        shown = words["comma"].join(_found(unit.text, worth))
        return f"- {marked}{words['see']}{day}[{source}]" + (words["colon"] + _tame(shown) if shown else "")
    speaker = unit.speaker or words.get(unit.role, unit.role)
    text = _tame((speaker + words["colon"] if speaker else "") + gist(unit.told, worth))
    if item.level == "middle":  # what is certain may still belong here less surely
        marked += words["unsure" if item.type == "belief" else "related"]
    before = words["beside"].format(context=_tame(context)) if context else ""
    behind = words["behind"].format(later=_tame(later)) if later else ""
    return f"- {marked}{day}{before}{text}{behind} [{source}]"


def wrapped(lines: list[str], lang: str) -> str:
    """The lines between marks that keep them from being remembered once more; empty without lines."""
    return "\n".join((f"<{TAG}>", table("words", "told")[lang]["head"], *lines, f"</{TAG}>")) if lines else ""


def gist(text: str, worth: Mapping[str, float]) -> str:
    """The text on one line; of a long one the sentence with most of the question, and what fits around it."""
    if estimate_tokens(text) <= LONGEST_TOKENS:
        return " ".join(text.split())
    pieces = [text[start:end] for start, end in sentences(text)]
    values = [sum(worth[term] for term in _standing_in(piece, worth)) for piece in pieces]
    first = last = values.index(max(values)) if values else 0
    kept = _cut(pieces[first], worth) if pieces else ""
    room = LONGEST_TOKENS - estimate_tokens(kept)
    while True:
        if last + 1 < len(pieces) and (price := estimate_tokens(pieces[last + 1]) + 1) <= room:
            last, kept, room = last + 1, f"{kept} {pieces[last + 1]}", room - price
        elif first and (price := estimate_tokens(pieces[first - 1]) + 1) <= room:
            first, kept, room = first - 1, f"{pieces[first - 1]} {kept}", room - price
        else:
            break
    lead, trail = "…" if first else "", "…" if last + 1 < len(pieces) else ""
    return f"{lead}{' '.join(kept.split())}{trail}"


def _cut(sentence: str, worth: Mapping[str, float]) -> str:
    """As much of an overlong sentence as there is room for, from a little before the first word of the question."""
    if estimate_tokens(sentence) <= LONGEST_TOKENS:
        return sentence
    folded = sentence.lower()
    start = max(0, min(map(folded.find, _standing_in(sentence, worth)), default=0) - LONGEST_TOKENS // 2)
    kept = sentence[start : start + 4 * LONGEST_TOKENS]
    while estimate_tokens(kept) > LONGEST_TOKENS - 2:
        kept = kept[: len(kept) * 9 // 10]
    return ("…" if start else "") + kept + ("…" if start + len(kept) < len(sentence) else "")


def _found(text: str, worth: Mapping[str, float]) -> list[str]:
    """The words of the question that stand in the text, the weightiest of them."""
    there = _standing_in(text, worth)
    return sorted(sorted(there, key=lambda term: (-worth[term], term))[:MOST_WORDS], key=there.index)


def _standing_in(text: str, worth: Mapping[str, float]) -> list[str]:
    folded = text.lower()
    return [term for term in worth if term in folded]


def _tame(text: str) -> str:
    """The text without marks that would end the block it stands in."""
    return _TAGS.sub("‹", " ".join(text.split()))
