"""The clause around a time expression: what tells past from future in it, and habits from events."""

from __future__ import annotations

import re
from datetime import datetime
from functools import cache, cached_property
from string import digits
from typing import Any

from memory_system.dates.atoms import Piece
from memory_system.dates.forms import alternatives, compiled
from memory_system.dates.intervals import Moment, kind
from memory_system.rules import table

_REACH = 160  # characters: how far a clause is looked through for its tense
ANY_WEEK = (frozenset(("dow",)), frozenset(("weekend",)))  # of no particular week
_DAY = frozenset(("month", "day"))
_NEVER = "$."
_OTHER = "  "  # what stands in the text for another expression of time
_COMMA = re.compile(r"\s*[,，]")
_EMPTY = re.compile(r"(?i)\W*(?:on|in|at|over|for|the|在|到|等)?\W*")


class Cues(Moment):
    """The words around a piece, in the text without its times, that tell past from future; looked at when asked for."""

    def __init__(self, anchor: datetime, text: str, piece: Piece) -> None:
        super().__init__(anchor)
        self.text, self.piece, self.asked = text, piece, False

    def tense(self) -> int | None:
        """The clause decides, then the sentence."""
        return self._tense(only_clause=False)

    def own_tense(self) -> int | None:
        """The same by the clause alone."""
        return self._tense(only_clause=True)

    @cached_property
    def _spec(self) -> dict[str, Any]:
        return spec_of(self.piece.lang)

    @cached_property
    def _clause(self) -> tuple[str, str]:
        """Its words before and after the piece; of one that stands alone before a comma, those behind that."""
        (start, end), stop = self.piece.span, self._spec["clause"]
        clause = _around(self.text, (start, end), stop)
        comma = _EMPTY.fullmatch("".join(clause)) and _COMMA.match(self.text, end)
        return (clause[0], _around(self.text, (start, comma.end()), stop)[1]) if comma else clause

    @cached_property
    def _sentence(self) -> tuple[str, str]:
        return _around(self.text, self.piece.span, self._spec["sentence"])

    def _tense(self, *, only_clause: bool) -> int | None:
        self.asked = True
        spec, clause = self._spec, self._clause
        if self._says("put_from"):
            return 1
        if self._is_habit():
            return None
        if spec["put"].search(clause[0]) or self.surely():
            return 1
        told = _nearest(spec, *clause)
        return told if told or only_clause else self._by_sentence()

    def _is_habit(self) -> bool:
        """Whether it is of no day in particular, or of one that the words leave open."""
        spec, clause = self._spec, self._clause
        if any(spec["habit"].search(part) for part in (clause if self._is_numbered() else self._sentence)):
            return True
        if spec["unsure"].search(self._sentence[0]) or spec["liked"].search(clause[0]):
            return True
        if self.piece.fields.get("dow") == self.today.weekday() and self._says("named"):
            return True
        return kind(self.piece.fields) in ANY_WEEK and spec["often"].match(clause[1]) is not None

    def _by_sentence(self) -> int | None:
        """The tense where the clause tells none."""
        spec, clause = self._spec, self._clause
        before, after = self._sentence
        told = _nearest(spec, before, after)
        told = told if told >= 0 else _nearest(spec, spec["timeless"].sub("", before), after)
        if not told and spec["both"].search(clause[0]):
            return None
        return told or int(self._sets_out(before, clause[1]))

    def _is_numbered(self) -> bool:
        """Whether it is one day by its number and more: what is done every week is told in a clause of its own."""
        known = kind(self.piece.fields)
        return "day" in known and bool(known & {"month", "dow"})

    def _sets_out(self, before: str, after: str) -> bool:
        """Whether somebody sets out on that weekday, or day of some month; beside another time it may be part of what
        was then."""
        known = kind(self.piece.fields)
        alone = (known >= _DAY or "dow" in known) and _OTHER not in before
        return alone and self._spec["sets_out"].match(after) is not None

    def yearly(self) -> bool:
        return any(map(self._spec["yearly"].search, self._clause))

    def adverbial(self) -> bool:
        """Whether the words stand where a clause says when ("春节你回来吗"), not what ("我喜欢春节")."""
        before, after = self._clause
        return bool(self._spec["adverb_before"].fullmatch(before.strip()) and self._spec["adverb_after"].match(after))

    def ahead(self) -> bool | None:
        """Whether what a bare part of the day opens is to be done; None where it is of any day, or of another."""
        before, after = self._clause
        if self.tense() is None or self._spec["part_led"].search(before) or self._spec["part_no"].match(after):
            return None
        return self._spec["part_ahead"].match(after) is not None

    def surely(self) -> bool:
        """Whether the clause says in so many words that it is ahead ("will", 我们要)."""
        return self._says("surely")

    def planned(self) -> bool:
        """Whether the clause speaks of a plan for that time (打算秋天)."""
        return self._says("planned")

    def is_past(self) -> bool:
        """Whether the words of the clause itself tell of what was then, and none of them that it may lie ahead; in
        Chinese those behind it."""
        spec, clause = self._spec, self._clause
        words = clause if spec["nearest"] == "before" else clause[1:]
        cues = {cue.lastgroup.rstrip(digits) for each in words for cue in spec["tense"].finditer(each) if cue.lastgroup}
        return cues - {"weak"} == {"past"} and not spec["open"].search("¦".join(clause))

    def _says(self, cue: str) -> bool:
        return _says(cue, self.text, self.piece.span, self.piece.lang)


def was_put(text: str, span: tuple[int, int], lang: str) -> bool:
    """Whether what was arranged for that time was put to another: "moved from Monday to …", 从周一改到…."""
    return _says("put_from", text, span, lang)


def is_denied(text: str, span: tuple[int, int], lang: str) -> bool:
    """Whether the words say that it is another time: "not the 12th", 不是12号."""
    return _says("denied", text, span, lang)


def _says(cue: str, text: str, span: tuple[int, int], lang: str) -> bool:
    """Whether the clause around the span, which is cut out of it, has the cue."""
    spec = spec_of(lang)
    return spec[cue].search("¦".join(_around(text, span, spec["clause"]))) is not None


def put_away(text: str, old: tuple[int, int], new: tuple[int, int], lang: str) -> int:
    """1 where what was arranged for the one time was put to the other, -1 where that is earlier ("brought forward from
    Friday to Monday", 从周五提前到周一), 0 where neither."""
    spec = spec_of(lang)
    before = _around(text, new, spec["clause"])[0]
    if new[0] - len(before) > old[0] or not was_put(text, old, lang) or not spec["put"].search(before):
        return 0
    return -1 if spec["earlier"].search(before) else 1


def _around(text: str, span: tuple[int, int], stop: re.Pattern[str]) -> tuple[str, str]:
    """The words before and after, as far as the pattern lets them go on."""
    before, after = text[max(0, span[0] - _REACH) : span[0]], text[span[1] : span[1] + _REACH]
    ends = [mark.end() for mark in stop.finditer(before)]
    mark_after = stop.search(after)
    return before[ends[-1] if ends else 0 :], after[: mark_after.start()] if mark_after else after


def _nearest(spec: dict[str, Any], before: str, after: str) -> int:
    """The tense by the nearest cue: English verbs stand before their date, Chinese ones after it. A weak cue counts
    where no other is."""
    weak = 0
    for words in (before, after) if spec["nearest"] == "before" else (after, before):
        cues = [match.lastgroup for match in spec["tense"].finditer(words) if match.lastgroup]
        strong = [cue for cue in cues if not cue.startswith("weak")]
        if strong:
            return -1 if (strong[-1] if words is before else strong[0]).startswith("past") else 1
        weak = weak or len(cues)
    return 1 if weak else 0


@cache
def spec_of(lang: str) -> dict[str, Any]:
    """The cues of a language; what it does not need finds nothing."""
    rows = table("dates", "cue")
    return _Spec(rows[lang], frozenset().union(*rows.values()))


class _Spec(dict[str, Any]):
    """The cues of a row, each made when it is first looked for; KeyError for one that no language has."""

    def __init__(self, row: dict[str, Any], known: frozenset[str]) -> None:
        super().__init__(nearest=row["nearest"])
        self._row = {**dict.fromkeys(known, _NEVER), **row}

    def __missing__(self, name: str) -> re.Pattern[str]:
        written = self._row[name]
        made = self[name] = _cue(_named(written) if name == "tense" else written)
        return made


def _cue(written: str | list[str]) -> re.Pattern[str]:
    """The pattern, for either apostrophe."""
    return compiled([each.replace("'", "['’]") for each in alternatives(written)])


def _named(rows: list[tuple[str, str]]) -> list[str]:
    """The cues of tense, each named by what it tells, which may be nothing."""
    return [f"(?P<{told}{number}>{cue})" if told else f"(?:{cue})" for number, (told, cue) in enumerate(rows)]
