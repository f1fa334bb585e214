"""Time expressions in English and Chinese, as intervals of local time. Atoms (`rules/dates.toml`) that stand side by
side join into one expression ("tomorrow" + "at 3 pm"); an expression that may mean two things means nothing here.

Weeks begin on Monday. "last Friday" is the latest one before today; "next Friday" and 下周五 lie in the next week,
上周五 in the one before. Seasons are the whole months of the northern year. A date without a year and a weekday without
a week go by the tense of their clause. "two weeks ago" is that week, "three months ago" that month.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from memory_system import records
from memory_system.dates.atoms import Piece, pieces
from memory_system.dates.calendar import Moment, complete, interval, kind
from memory_system.dates.festivals import festival_day, festival_number, festival_pattern, festivals
from memory_system.dates.hours import TIMES, Interval, at_day, part_named
from memory_system.rules import table

_REACH = 160  # characters: how far a clause is looked through for its tense
_COARSE = ("week", "weekend", "month", "third", "season", "quarter", "year", "decade")
_EMPTY = re.compile(r"(?i)\W*(?:on|in|at|over|for|the|在|到|等)?\W*")
_FINE = ("day", "part", "hour", "minute")


@dataclass(frozen=True, slots=True)
class When:
    """One time expression: text[span] of the text it was found in, and [start, end) in the owner's local time.
    `granularity`: minute, hour, part (of a day), day, weekend, week, third (of a month), month, season, quarter, year,
    decade."""

    span: tuple[int, int]
    start: datetime
    end: datetime
    granularity: str
    text: str


def find(text: str, anchor: datetime) -> list[When]:
    """Every time expression, left to right. `anchor` is the moment of speaking, aware, in the owner's zone."""
    return [when for when, _ in _scan(text, anchor)]


def to_event(when: When) -> records.EventTime:
    """The interval as it is stored: local ISO text, to the minute."""
    start, end = (moment.isoformat(timespec="minutes") for moment in (when.start, when.end))
    return records.EventTime(start=start, end=end, granularity=when.granularity, text=when.text)


# ---- finding ----


def _scan(text: str, anchor: datetime) -> Iterator[tuple[When, Piece]]:
    """The expressions with the pieces they came from."""
    clear, found_pieces = pieces(text)
    if not found_pieces:
        return
    done: list[When] = []  # a year that stands for itself ("2016: ...") is no expression, but sets the frame
    bare = _without(found_pieces, clear)
    for piece in found_pieces:
        cues = _Cues(bare, piece)
        moment = Moment(anchor, cues.tense, cues.own_tense, cues.yearly)
        silent = _is_lone(clear, piece)
        found = _interval(clear, piece, moment, done) if not silent or complete(piece.fields) else None
        if found and not (cues.asked and _elsewhere(found, done, anchor)):
            done.append(When((piece.start, piece.end), *found, text[piece.start : piece.end]))
            if not silent:
                yield done[-1], piece


def _without(found: list[Piece], text: str) -> str:
    """The text with blanks for the time words: one expression is no cue for the tense of another."""
    for piece in found:
        text = text[: piece.start] + " " * (piece.end - piece.start) + text[piece.end :]
    return text


def _interval(text: str, piece: Piece, moment: Moment, done: list[When]) -> Interval | None:
    if "hour" in piece.fields and piece.fields.keys() <= TIMES:
        return _clock(text, piece, moment, done)
    return interval(piece.fields, moment)


def _is_lone(text: str, piece: Piece) -> bool:
    """Whether an English year, month, day or festival lacks the words around it that make it a time."""
    if piece.lang != "en" or len(piece.fields) > 1:
        return False
    field = next(iter(piece.fields))
    needed, refused = _governors("governor").get(field), _governors("refused").get(field)
    if needed and not needed.search(text[max(0, piece.start - 20) : piece.start]):
        return True
    return bool(refused and refused.match(text, piece.end))


def _clock(text: str, piece: Piece, moment: Moment, done: list[When]) -> Interval | None:
    """A bare clock time: of the day that its sentence named before, else of today if the tense agrees."""
    tense, stop = moment.tense(), _spec(piece.lang)["sentence"]
    if tense is None:
        return None
    if done and done[-1].granularity in _FINE and not stop.search(text, done[-1].span[1], piece.start):
        return at_day(piece.fields, done[-1].start.date())
    found, now = at_day(piece.fields, moment.today), moment.anchor.replace(tzinfo=None)
    return found if found and tense == (-1 if found[0] <= now else 1) else None


def _elsewhere(found: Interval, done: list[When], anchor: datetime) -> bool:
    """Whether the tense gave what lies outside the year, month or week the text speaks of: "In 2016 ... in May"."""
    now = anchor.replace(tzinfo=None)
    for frame in reversed(done):
        if frame.granularity in _COARSE:
            inside = frame.start <= found[0] and found[1] <= frame.end
            return not inside and ((frame.end <= now and found[1] <= now) or (frame.start > now and found[0] > now))
    return False


class _Cues:
    """The words around a piece that tell past from future; looked at only when asked for."""

    __slots__ = ("asked", "piece", "text")

    def __init__(self, text: str, piece: Piece) -> None:
        self.text, self.piece, self.asked = text, piece, False

    def tense(self) -> int | None:
        """-1 past, 1 future, 0 not told; None for habits. The clause decides, then the sentence."""
        return self._tense(only_clause=False)

    def own_tense(self) -> int | None:
        """The same by the clause alone, unless the clause has no word of its own ("周五，我们去了")."""
        return self._tense(only_clause=True)

    def _tense(self, *, only_clause: bool) -> int | None:
        self.asked = True
        spec = _spec(self.piece.lang)
        before, after = self._around(spec["sentence"])
        if spec["habit"].search(before) or spec["habit"].search(after):
            return None
        clause = self._around(spec["clause"])
        if (told := _nearest(spec, *clause)) or (only_clause and not _EMPTY.fullmatch("".join(clause))):
            return told
        return _nearest(spec, before, after)

    def yearly(self) -> bool:
        spec = _spec(self.piece.lang)
        return any(spec["yearly"].search(part) for part in self._around(spec["clause"]))

    def _around(self, stop: re.Pattern[str]) -> tuple[str, str]:
        before = self.text[max(0, self.piece.start - _REACH) : self.piece.start]
        after = self.text[self.piece.end : self.piece.end + _REACH]
        ends = [mark.end() for mark in stop.finditer(before)]
        mark_after = stop.search(after)
        return before[ends[-1] if ends else 0 :], after[: mark_after.start()] if mark_after else after


def _nearest(spec: dict[str, Any], before: str, after: str) -> int:
    """The tense by the nearest cue: English verbs stand before their date, Chinese ones after it."""
    left, right = _cues_in(spec, before), _cues_in(spec, after)
    if spec["nearest"] == "before":
        return left[-1] if left else right[0] if right else 0
    return right[0] if right else left[-1] if left else 0


def _cues_in(spec: dict[str, Any], words: str) -> list[int]:
    groups = (match.lastgroup for match in spec["tense"].finditer(words))
    return [1 if group.startswith("future") else -1 for group in groups if group]


@cache
def _spec(lang: str) -> dict[str, Any]:
    """The cues of a language, compiled."""
    row = table("dates", "cue")[lang]
    return {name: value if name == "nearest" else re.compile(value.replace("'", "['’]")) for name, value in row.items()}


@cache
def _governors(key: str) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in table("dates", key).items()}


# ---- saying ----


def spell(when: When, lang: str) -> str:
    """The interval in words, as a memory says it: "7 May 2023", "the week of 1 May 2023", "2023年5月7日下午3点"."""
    words, shape = _words(lang), when.granularity
    if shape == "day" and (number := _festival_in(when)) is not None:
        name = festivals()[number]["names"][0 if lang == "en" else 1]
        return str(words["festival"].format(name=name, y=when.start.year))
    if shape == "part" and part_named(when.start, when.end) in words["bare_parts"]:
        shape = "bare_part"
    if shape == "season" and when.start.month == 12:
        shape = "winter"
    if shape == "minute" and not when.start.minute:
        shape = "hour"
    return str(words[shape].format(**_values(when, words)))


def _values(when: When, words: dict[str, Any]) -> dict[str, Any]:
    """What the templates of [spell] may name."""
    start = when.start
    values = {
        "y": start.year,
        "m": start.month,
        "d": start.day,
        "month": words["months"][start.month - 1],
        "next": f"{(start.year + 1) % 100:02d}",
        "minute": f"{start.minute:02d}",
        "hour": (start.hour - 1) % 12 + 1,
        "half": words["halves"][start.hour],
        "part": words["parts"].get(part_named(start, when.end)),
        "season": words["seasons"][start.month % 12 // 3],
        "third": words["thirds"][min(start.day // 10, 2)],
        "quarter": words["quarters"][(start.month - 1) // 3],
    }
    return {**values, "day": words["day"].format(**values)}


@cache
def _words(lang: str) -> dict[str, Any]:
    found: dict[str, Any] = table("dates", "spell")[lang]
    return found


def _festival_in(when: When) -> int | None:
    """The festival that the words name, if the day is its day ("the day after Christmas" is not)."""
    match = festival_pattern().search(when.text)
    number = festival_number(match[0]) if match else None
    return number if number is not None and festival_day(number, when.start.year) == when.start.date() else None


# ---- rewriting ----

_PREPOSITION = re.compile(r"(?i)\b(?:on|in|at)\s+$")
_GOVERNED = re.compile(
    r"(?i)\b(?:since|until|till|til|by|before|after|from|for|of|to|through|between|about|around|than|like|except|during|over|within|starting|beginning)\s+$"
)
_ATTRIBUTE = re.compile(r"(?i)(?:\b(?:the|an?|my|our|your|his|her|their|this)|['’]s)\s+$")
_LABEL = re.compile(r"[(\[*:|/#>_–—-]\s*$")
_OPENING = re.compile(r"(?:^|[.!?\n]\s*|[\"“(]\s*)$")
_NOUN = re.compile(
    r"(?i)\s*(?:$|[\n:)*|–—-])|['’]|\s+(?:is|isn't|was|wasn't|will|won't|has|works|sounds|suits|seems|would|might|looks)\b"
)
_OWNER = re.compile(r"['’]s\b(?!\s+(?:an?|the|my|our|his|her|going|not|been|gonna|so|too)\b)")
_LATIN = re.compile(r"[A-Za-z0-9]")
_OWN_PREPOSITION = frozenset(("dow", "month", "day", "festival", "year", "third", "decade", "weekend", "hour"))


def resolve(text: str, anchor: datetime, lang: str) -> tuple[str, list[When]]:
    """The text with every expression that leans on the moment of speaking written out in `lang`, and all expressions
    (spans in the text as given). Dates that are complete stay as they are."""
    whens: list[When] = []
    parts: list[str] = []
    cursor = 0
    for when, piece in _scan(text, anchor):
        whens.append(when)
        if not complete(piece.fields):
            start, end, words = (
                _placed(text, when, piece) if lang == piece.lang == "en" else (*when.span, spell(when, lang))
            )
            parts += (text[cursor:start], _apart(text, start, end, words))
            cursor = end
    return ("".join((*parts, text[cursor:])) if parts else text), whens


def _apart(text: str, start: int, end: int, words: str) -> str:
    """The words with a blank where they would run into a neighbour's letters or digits."""
    left = " " if words[0].isascii() and _LATIN.match(text[start - 1 : start]) else ""
    return left + words + (" " if words[-1].isascii() and _LATIN.match(text[end : end + 1]) else "")


def _placed(text: str, when: When, piece: Piece) -> tuple[int, int, str]:
    """The span to replace and the English words with the preposition that they need there."""
    start, end = when.span
    before, after, words = text[:start], text[end:], spell(when, "en")
    opening, bare, needed = bool(_OPENING.search(before)), _is_bare(piece, text[start]), _preposition(when)
    if owner := _OWNER.match(after):
        end += owner.end()
        words = "the " + words.removeprefix("the ")
    elif bare and (written := _PREPOSITION.search(before)):
        start, opening = written.start(), written[0][0].isupper()
        words = needed + words
    elif not (
        _GOVERNED.search(before)
        or _LABEL.search(before)
        or (bare and _ATTRIBUTE.search(before))
        or (opening and _NOUN.match(after))
    ):
        words = needed + words
    return start, end, words[0].upper() + words[1:] if opening else words


def _is_bare(piece: Piece, first: str) -> bool:
    """Whether the expression takes its preposition from the sentence ("on Friday", "at 3 pm"); before the others `in`
    and `on` belong to the verb ("I moved in last week")."""
    if "hour" in piece.fields and first.isdigit():
        return True
    return "rel" not in piece.fields and bool(kind(piece.fields) & _OWN_PREPOSITION)


def _preposition(when: When) -> str:
    shape = when.granularity
    if shape == "part" and part_named(when.start, when.end) in ("early", "midday"):
        return "in " if part_named(when.start, when.end) == "early" else "at "
    if shape == "day" and _festival_in(when) is not None:
        return "on " if spell(when, "en").split()[-2] in ("Day", "Eve") else "at "
    words: dict[str, list[str]] = table("dates", "prepositions")
    return next(word for word, shapes in words.items() if shape in shapes)
