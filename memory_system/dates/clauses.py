"""What stands around a time expression: its clause, which tells past from future and habits from events, and the other
expressions of the text: the ends of a range, the days of a list, and what names no time of its own beside another."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise, zip_longest
from string import digits

from memory_system.dates.atoms import Piece, alternatives, compiled, patterns
from memory_system.dates.calendar import interval
from memory_system.dates.intervals import Fields, Moment, dated, kind
from memory_system.rules import table
from memory_system.text import simplified

_REACH = 160  # characters: how far a clause is looked through for its tense
ANY_WEEK = (frozenset(("dow",)), frozenset(("weekend",)))  # of no particular week
_DAY = frozenset(("month", "day"))
_NEVER = "$."
_OTHER = "  "  # what stands in the text for another expression of time
_COMMA = re.compile(r"\s*[,，]")
_EMPTY = re.compile(r"(?i)\W*(?:on|in|at|over|for|the|在|到|等)?\W*")
WEEKDAY = frozenset(("dow",))
BETWEEN = re.compile(r"(?i)\bbetween (?:the )?$")
_ITS_WEEK = re.compile(r"(?i)day,? (?:of )?(?:next|this|last) week$")
BESIDE = 6  # characters between a weekday or an hour and the date that it goes with
_DATE_BEHIND = re.compile(
    r"(?i),? (?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?)?"
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\b"
)
_AND = re.compile(r"(?i)\s?(?:and|和|与|跟|到|至)\s?(?:the )?")
_MONTH_DAY = frozenset(("month", "day"))
_ENDS = frozenset(frozenset(keys.split()) for keys in ("dow", "day", "month", "month day"))  # how a range may end


class Cues(Moment):
    """The words around a piece, in the text without its times, that tell past from future; looked at when asked for."""

    def __init__(self, anchor: datetime, text: str, piece: Piece) -> None:
        super().__init__(anchor)
        self.text, self.piece, self.asked = text, piece, False

    def tense(self) -> int | None:
        """The clause decides, then the sentence."""
        told = self.own_tense()
        return self._by_sentence() if told == 0 else told

    def _cue(self, name: str) -> re.Pattern[str]:
        return cue(name, self.piece.lang)

    @cached_property
    def _clause(self) -> tuple[str, str]:
        """Its words before and after the piece; of one that stands alone before a comma, those behind that."""
        (start, end), stop = self.piece.span, self._cue("clause")
        clause = _around(self.text, (start, end), stop)
        comma = _EMPTY.fullmatch("".join(clause)) and _COMMA.match(self.text, end)
        return (clause[0], _around(self.text, (start, comma.end()), stop)[1]) if comma else clause

    @cached_property
    def _sentence(self) -> tuple[str, str]:
        return _around(self.text, self.piece.span, self._cue("sentence"))

    def own_tense(self) -> int | None:
        """The same by the clause alone."""
        self.asked = True
        clause = self._clause
        if self._says("put_from"):
            return 1
        if self._is_habit():
            return None
        if self._cue("put").search(clause[0]) or self.surely():
            return 1
        return _nearest(self.piece.lang, *clause)

    def _is_habit(self) -> bool:
        """Whether it is of no day in particular, or of one that the words leave open."""
        clause = self._clause
        if any(self._cue("habit").search(part) for part in (clause if self._is_numbered() else self._sentence)):
            return True
        if self._cue("unsure").search(self._sentence[0]) or self._cue("liked").search(clause[0]):
            return True
        if self.piece.fields.get("dow") == self.today.weekday() and self._says("named"):
            return True
        return kind(self.piece.fields) in ANY_WEEK and self._cue("often").match(clause[1]) is not None

    def _by_sentence(self) -> int | None:
        """The tense where the clause tells none."""
        clause = self._clause
        before, after = self._sentence
        told = _nearest(self.piece.lang, before, after)
        told = told if told >= 0 else _nearest(self.piece.lang, self._cue("timeless").sub("", before), after)
        if not told and self._cue("both").search(clause[0]):
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
        return alone and self._cue("sets_out").match(after) is not None

    def yearly(self) -> bool:
        return any(map(self._cue("yearly").search, self._clause))

    def adverbial(self) -> bool:
        """Whether the words stand where a clause says when ("春节你回来吗"), not what ("我喜欢春节")."""
        before, after = self._clause
        return bool(self._cue("adverb_before").fullmatch(before.strip()) and self._cue("adverb_after").match(after))

    def ahead(self) -> bool | None:
        """Whether what a bare part of the day opens is to be done; None where it is of any day, or of another."""
        before, after = self._clause
        if self.tense() is None or self._cue("part_led").search(before) or self._cue("part_no").match(after):
            return None
        return self._cue("part_ahead").match(after) is not None

    def surely(self) -> bool:
        """Whether the clause says in so many words that it is ahead ("will", 我们要)."""
        return self._says("surely")

    def planned(self) -> bool:
        """Whether the clause speaks of a plan for that time (打算秋天)."""
        return self._says("planned")

    def is_past(self) -> bool:
        """Whether the words of the clause itself tell of what was then, and none of them that it may lie ahead; in
        Chinese those behind it."""
        clause = self._clause
        words = clause if _is_told_before(self.piece.lang) else clause[1:]
        found = chain.from_iterable(map(self._cue("tense").finditer, words))
        cues = {each.lastgroup.rstrip(digits) for each in found if each.lastgroup}
        return cues - {"weak"} == {"past"} and not self._cue("open").search("¦".join(clause))

    def _says(self, cue: str) -> bool:
        return _says(cue, self.text, self.piece.span, self.piece.lang)


def was_put(text: str, span: tuple[int, int], lang: str) -> bool:
    """Whether what was arranged for that time was put to another: "moved from Monday to …", 从周一改到…."""
    return _says("put_from", text, span, lang)


def is_put(text: str, span: tuple[int, int], lang: str) -> bool:
    """Whether something was put to that time: "moved to the 12th", 改到12号."""
    return cue("put", lang).search(_around(text, span, cue("clause", lang))[0]) is not None


def is_denied(text: str, span: tuple[int, int], lang: str) -> bool:
    """Whether the words say that it is another time: "not the 12th", 不是12号."""
    return _says("denied", text, span, lang)


def _says(name: str, text: str, span: tuple[int, int], lang: str) -> bool:
    """Whether the clause around the span, which is cut out of it, has the cue."""
    return cue(name, lang).search("¦".join(_around(text, span, cue("clause", lang)))) is not None


def put_away(text: str, old: tuple[int, int], new: tuple[int, int], lang: str) -> int:
    """1 where what was arranged for the one time was put to the other, -1 where that is earlier ("brought forward from
    Friday to Monday", 从周五提前到周一), 0 where neither."""
    before = _around(text, new, cue("clause", lang))[0]
    if new[0] - len(before) > old[0] or not was_put(text, old, lang) or not is_put(text, new, lang):
        return 0
    return -1 if cue("earlier", lang).search(before) else 1


@lru_cache(maxsize=8)  # one cue after the other is looked for there
def _around(text: str, span: tuple[int, int], stop: re.Pattern[str]) -> tuple[str, str]:
    """The words before and after, as far as the pattern lets them go on."""
    before, after = text[max(0, span[0] - _REACH) : span[0]], text[span[1] : span[1] + _REACH]
    ends = [mark.end() for mark in stop.finditer(before)]
    mark_after = stop.search(after)
    return before[ends[-1] if ends else 0 :], after[: mark_after.start()] if mark_after else after


def _is_told_before(lang: str) -> bool:
    """Whether its verbs stand before their date."""
    return bool(table("dates", "cue")[lang]["nearest"] == "before")


def _nearest(lang: str, before: str, after: str) -> int:
    """The tense by the nearest cue: English verbs stand before their date, Chinese ones after it. A weak cue counts
    where no other is."""
    weak = 0
    for words in (before, after) if _is_told_before(lang) else (after, before):
        cues = [match.lastgroup for match in cue("tense", lang).finditer(words) if match.lastgroup]
        strong = [cue for cue in cues if not cue.startswith("weak")]
        if strong:
            return -1 if (strong[-1] if words is before else strong[0]).startswith("past") else 1
        weak = weak or len(cues)
    return 1 if weak else 0


@cache  # made when it is first looked for
def cue(name: str, lang: str) -> re.Pattern[str]:
    """A cue of the language; one that it does not need finds nothing."""
    written = table("dates", "cue")[lang].get(name, _NEVER)
    cues = alternatives(_named(written) if name == "tense" else written)
    return compiled([each.replace("'", "['’]") for each in cues])  # either apostrophe


def _named(rows: list[tuple[str, str]]) -> list[str]:
    """The cues of tense, each named by what it tells, which may be nothing."""
    return [f"(?P<{told}{number}>{cue})" if told else f"(?:{cue})" for number, (told, cue) in enumerate(rows)]


# Other expressions beside it


def sharing(text: str, found: list[Piece]) -> list[Piece]:
    """The pieces, the first day of "Monday to Wednesday next week" with the week of the second, that of "May 3 to May
    7, 2024" with its year; that of "Thursday to next Tuesday" is the coming one. In 下周一和周三
    both are of that week."""
    shared: list[Piece] = []
    for piece, after in zip_longest(found, found[1:]):
        fields = _shared(text, piece, after) if after and _is_linked(text, piece, after) else {}
        if not fields and shared and kind(piece.fields) == WEEKDAY and "dow" in shared[-1].fields:
            listed = patterns("listing")[piece.lang].fullmatch(text, shared[-1].end, piece.start)
            its_week = {key: shared[-1].fields[key] for key in shared[-1].fields.keys() & {"week", "rel"}}
            fields = its_week if listed and its_week.get("rel") != "last" else {}  # "last Friday and Monday"
        shared.append(replace(piece, fields={**fields, **piece.fields}) if fields else piece)
    return shared


def _is_linked(text: str, piece: Piece, after: Piece) -> bool:
    """Whether the two are the ends of a range, or weekdays of one week: "Monday and Wednesday next week"."""
    links = ("range", "listing") if _ITS_WEEK.search(text[after.start : after.end]) else ("range",)
    return any(patterns(link)[piece.lang].fullmatch(text, piece.end, after.start) for link in links)


def _shared(text: str, piece: Piece, after: Piece) -> Fields:
    """What the first end of a range has from the second."""
    known, fields = kind(piece.fields), after.fields
    if known == WEEKDAY and _ITS_WEEK.search(text[after.start : after.end]):
        return fields
    if known == WEEKDAY:
        is_ahead = fields.get("rel") in ("next", "coming") or fields.get("week", 0) > 0
        return {"rel": "coming"} if is_ahead and "dow" in fields else {}
    if known != _MONTH_DAY or not fields.keys() >= {"year", "month", "day"}:
        return {}
    wraps = (piece.fields["month"], piece.fields["day"]) > (fields["month"], fields["day"])
    return {"year": fields["year"] - wraps}


def is_range(text: str, left: Piece, right: Piece) -> bool:
    """Whether the two are the ends of a range: Monday to Wednesday, 3月5号到8号."""
    keys = frozenset(right.fields)
    if keys not in _ENDS or not keys <= kind(left.fields):
        return False
    joined = patterns("range")[left.lang].fullmatch(text, left.end, right.start)
    return joined is not None and not was_put(text, left.span, left.lang)


def is_between(text: str, left: Piece, right: Piece) -> bool:
    """Whether the two are the ends of a time: between May 3 and May 7, 3日和7日之间."""
    if frozenset(right.fields) not in _ENDS or not right.fields.keys() <= kind(left.fields):
        return False
    begun = BETWEEN.search(text[: left.start]) or text.startswith("之间", right.end)
    return bool(begun and _AND.fullmatch(text, left.end, right.start))


def unnamed(text: str, found: list[Piece], anchor: datetime, around: str) -> set[int]:
    """The numbers of the pieces that name no day of their own beside others; `around` is what was said around them."""
    vague = _listed(text, found) | _beside_dates(text, found)
    return vague | _of_dates(text, found, anchor) | _of_a_month(text, found, around) | _thirds_behind(text, found)


def _listed(text: str, found: list[Piece]) -> set[int]:
    """The numbers of the bare weekdays and weekends that make a pattern together, and name no day: "tues and thurs"."""
    together = [
        {number, number + 1}
        for number, (left, right) in enumerate(pairwise(found))
        if {"dow", "weekend"} & left.fields.keys()
        and {"dow", "weekend"} & right.fields.keys()
        and patterns("listing")[right.lang].fullmatch(text, left.end, right.start)
        and not is_between(text, left, right)
    ]
    return {each for pair in together for each in pair if kind(found[each].fields) in ANY_WEEK}


def _beside_dates(text: str, found: list[Piece]) -> set[int]:
    """The numbers of the bare weekdays right beside a date, "friday 1 may", 禮拜天是5/10: they say what day it is."""
    beside = {
        number + own
        for number, pair in enumerate(pairwise(found))
        for own, date in ((0, 1), (1, 0))
        if {"day", "month"} & pair[date].fields.keys() and pair[1].start - pair[0].end <= BESIDE
        if not is_range(text, *pair)
    }
    beside.update(number for number, each in enumerate(found) if _DATE_BEHIND.match(text, each.end))
    return {number for number in beside if kind(found[number].fields) in ANY_WEEK}


def _of_dates(text: str, found: list[Piece], anchor: datetime) -> set[int]:
    """The numbers of the bare weekdays that a date in the text is, or a day of its own clause: "tomorrow is Friday"."""
    return {
        number
        for number, each in enumerate(found)
        if kind(each.fields) == WEEKDAY
        for other in found
        if "day" in other.fields or ("days" in other.fields and _in_one_clause(text, other, each))
        if each.fields["dow"] in _weekdays(other, anchor)
    }


def _in_one_clause(text: str, one: Piece, other: Piece) -> bool:
    clause = cue("clause", one.lang)
    return not clause.search(text, min(one.end, other.end), max(one.start, other.start))


def _weekdays(piece: Piece, anchor: datetime) -> set[int]:
    """The weekdays of the day that the piece names, be it past or ahead."""
    named = (interval(dated(piece.fields), Moment(anchor, way)) for way in (-1, 1))
    return {each[0].weekday() for each in named if each}


def _thirds_behind(text: str, found: list[Piece]) -> set[int]:
    """The numbers of the ends of months right behind another month of their sentence: 六月十三号退，不租到月底."""
    return {
        number
        for number, (before, each) in enumerate(pairwise(found), 1)
        if kind(each.fields) == {"third"} and "month" in kind(before.fields)
        if not cue("sentence", each.lang).search(text, before.end, each.start)
    }


def _of_a_month(text: str, found: list[Piece], around: str) -> set[int]:
    """The numbers of the bare days beside a month, or so many weeks or months (六周以后，26号): of any month."""
    bare = {number: each.lang for number, each in enumerate(found) if kind(each.fields) == {"day"}}
    if not bare or any("month" in kind(each.fields) for each in found):
        return {*bare}
    said = f"{simplified(around)}\n{text}"
    return {number for number, lang in bare.items() if cue("counted", lang).search(said)}
