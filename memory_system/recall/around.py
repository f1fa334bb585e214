"""What is shown beside a memory: what stood around it, where it cannot be understood alone, what stands in its place
where it is outdated, and what was said later that likely makes it so. The words are taken from the messages as the
index keeps them: what is forgotten, withheld or taken back stands there no more, and no transcript is opened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from memory_system.recall.search_index import Index
from memory_system.recall.units import Unit
from memory_system.records import USER_NAME, Fact, Row, session_of, successor_of
from memory_system.text import told_in
from memory_system.understand import matters

MOST = 300  # characters of what stood around, together
LONGEST_WORD = 20  # characters that are given up so as not to begin or end within a word
GAP = "… "  # where the memory's own words stand
SHOWN = 160  # characters of the newer memory that are told beside an outdated one
WORDS = {  # who spoke, what stands behind that, the remark on what is outdated, and what was said later
    "en": ({"user": USER_NAME["en"], "assistant": "Assistant"}, ": ", "(outdated: {newer})", "later: “{newer}”"),
    "zh": ({"user": USER_NAME["zh"], "assistant": "助手"}, "：", "（已过时：{newer}）", "后来：“{newer}”"),
}

_SENTENCE_END = re.compile(r"[.!?;](?=\s)\s*|[。！？；]\s*")

Give = Callable[[Unit], str]  # what of a whole message may be shown
as_it_is: Give = attrgetter("text")


def named(role: str, lang: str) -> str:
    """What those who have no name are called: User, Assistant, 用户, 助手."""
    return WORDS[told_in(lang)][0].get(role, role)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a message; where it is shortened, its end stays or its beginning: what is nearest to the memory."""

    text: str
    keeps_end: bool

    def within(self, most: int) -> str:
        """At most so many characters of it, and whole words."""
        if len(self.text) <= most:
            return self.text
        room = max(0, most - 1)
        if self.keeps_end:
            first = len(self.text) - room
            kept = self.text[first:]
            return f"…{kept[0 if self.text[first - 1].isspace() else _word_end(kept) :]}"
        kept = self.text[:room]
        return f"{kept[: room - _word_end(kept[::-1])]}…"


def _word_end(text: str) -> int:
    """How many characters at the beginning are the rest of a word that was cut, with the blank behind it."""
    return text.find(" ", 0, LONGEST_WORD) + 1


class Around:
    """What stood around the memories of one answer. `give` says what of a message may be shown."""

    def __init__(self, index: Index, give: Give = as_it_is) -> None:
        self._index = index
        self._give = give
        self._messages: dict[str, Unit | None] = {}

    def of(self, row: Row, most: int = MOST, sessions: Collection[str] | None = None) -> str:
        """`before`, and, unless sessions are given, what was said later. Empty where there is neither."""
        later = self.later(row) if sessions is None else ""
        return "\n".join(filter(None, (self.before(row, most, sessions), later)))

    def before(self, row: Row, most: int = MOST, sessions: Collection[str] | None = None) -> str:
        """A line for each who spoke, at most `most` characters of their words together; of these sessions alone, where
        they are given. Empty where the memory leans on nothing, or nothing of that may be shown."""
        places = [each for each in row.get("context", ()) if sessions is None or session_of(each["ref"]) in sessions]
        lang = told_in(row.get("lang", ""))
        quotes = {each["ref"]: each.get("quote", "") for each in reversed(row.get("evidence", ()))}  # the first of each
        lines = list(self._lines(places, quotes, lang))
        rooms = iter(_shared(most, [len(piece.text) for _, pieces in lines for piece in pieces]))
        return "\n".join(
            speaker + WORDS[lang][1] + " ".join(piece.within(next(rooms)) for piece in pieces)
            for speaker, pieces in lines
        )

    def later(self, row: Row) -> str:
        """What was said later than a memory and likely makes it outdated, as it is told beside that."""
        found = followed(row.get("likely_outdated_by") or "", self._index)
        shown = self._given(found[-1]) if found else ""
        words = WORDS[told_in(row.get("lang", ""))][3]
        return words.format(newer=_about(shown, row["content"])) if shown else ""

    def _lines(
        self, places: Iterable[Mapping[str, Any]], quotes: Mapping[str, str], lang: str
    ) -> Iterator[tuple[str, list[Piece]]]:
        """Who spoke and what, message by message."""
        for ref, group in groupby(places, key=lambda each: str(each["ref"])):
            message = self._message(ref)
            found = _pieces(list(group), message.text, quotes.get(ref, "")) if message else ()
            if message and (pieces := [each for each in found if each.text]):
                yield message.speaker or named(message.role, lang), pieces

    def _given(self, memory: Fact) -> str:
        """What may be shown of a memory's words."""
        role = memory.evidence[0].role if memory.evidence else ""
        return self._give(Unit(memory.id, "", 0, 0, 0, memory.speaker, role, memory.said_at, "", memory.content))

    def _message(self, ref: str) -> Unit | None:
        """The whole message, as it may be shown; None where the index has nothing of it."""
        if ref not in self._messages:
            parts = self._index.message(ref)
            whole = parts[0]._replace(part=0, text="\n".join(part.text for part in parts)) if parts else None
            shown = self._give(whole) if whole else ""
            self._messages[ref] = whole._replace(text=shown) if whole and shown.strip() else None
        return self._messages[ref]


def _pieces(places: list[Mapping[str, Any]], text: str, quote: str) -> Iterator[Piece]:
    """The stretches of one message that these places mean: its end; its beginning, where the memory stands
    elsewhere; or what is around the memory's own words, which are looked for: the index has fewer blanks."""
    for each in places:
        if each["start"] < 0:
            yield Piece(Piece(_one_line(text), keeps_end=True).within(-each["start"]), keeps_end=True)
        elif not quote:
            yield Piece(Piece(_one_line(text), keeps_end=False).within(each["end"]), keeps_end=False)
    own = [each for each in places if each["start"] >= 0]
    spans = list(_spans_of(quote, text)) if own else []
    if not spans:
        return
    first, last = min(spans, key=lambda span: abs(own[0]["end"] - span[0]))
    before, behind = text[:first].strip(), text[last:].strip()
    lengths = [int(each["end"] - each["start"]) for each in own]
    if before:
        yield Piece(_one_line(before[-lengths[0] :]), keeps_end=True)
    if behind and (len(own) > 1 or not before):
        yield Piece(GAP + _one_line(behind[: lengths[-1]]), keeps_end=False)


def _spans_of(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the words stand in the text, blanks aside."""
    wanted = "".join(quote.split())
    signs = [(place, sign) for place, sign in enumerate(text) if not sign.isspace()]
    bare = "".join(sign for _, sign in signs)
    at = bare.find(wanted) if wanted else -1
    while at >= 0:
        yield signs[at][0], signs[at + len(wanted) - 1][0] + 1
        at = bare.find(wanted, at + 1)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _shared(room: int, lengths: list[int]) -> list[int]:
    """How much of the room each of several gets: all get alike, and what the short ones leave goes to the others."""
    shares = [0] * len(lengths)
    for left, place in enumerate(sorted(range(len(lengths)), key=lengths.__getitem__)):
        shares[place] = min(lengths[place], room // (len(lengths) - left))
        room -= shares[place]
    return shares


def standing_for(memory_id: str, index: Index) -> Fact | None:
    """The memory that stands today in the place of an outdated one; None where it stands itself, or that is gone."""
    found = followed(memory_id, index)
    return found[-1] if len(found) > 1 else None


def followed(memory_id: str, index: Index) -> list[Fact]:
    """The memory, what took its place, and so on to what stands today."""
    passed: dict[str, Fact] = {}
    while rows := index.memories([memory_id] if memory_id and memory_id not in passed else []):
        passed[memory_id] = rows[memory_id][1]
        memory_id = successor_of(vars(passed[memory_id]))
    return [*passed.values()]


def outdated_words(newer: Fact, older: str, lang: str) -> str:
    """The remark on an outdated memory: what stands today, shortened."""
    return WORDS[told_in(lang)][2].format(newer=_about(newer.told, older))


def _about(words: str, older: str) -> str:
    """Of long words those from the sentence on that shares most with what the older memory says, at most `SHOWN`."""
    told, terms = _one_line(words), _terms(older)
    starts = [0, *(mark.end() for mark in _SENTENCE_END.finditer(told))] if len(told) > SHOWN else [0]
    ends = [*starts[1:], len(told)]
    shared = [len(terms & _terms(told[slice(*each)])) for each in zip(starts, ends, strict=True)]
    start = min(starts[shared.index(max(shared))], max(0, len(told) - SHOWN))
    return ("…" if start else "") + Piece(told[start:], keeps_end=False).within(SHOWN)


def _terms(words: str) -> set[str]:
    """What the words name, days included."""
    return {*matters.terms_of(words), *matters.days_of(words)}
