"""From an interval to figures in brackets behind the words that lean on the moment of speaking ("next Friday
[2026-04-24]"), or to words in place of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cache
from itertools import dropwhile, pairwise
from typing import Any

from memory_system.dates.atoms import Piece
from memory_system.dates.clauses import is_denied, was_put
from memory_system.dates.festivals import festival_day, festival_days, festival_number, festival_pattern, festivals
from memory_system.dates.fields import complete, kind
from memory_system.dates.finding import When, scan, standing
from memory_system.dates.forms import patterns
from memory_system.dates.hours import part_named
from memory_system.rules import table
from memory_system.text import spliced

_BRACKETED = re.compile(r"(?:['’]s\b)?[ \u00a0]?\[\d{4}")
_POSSESSIVE = re.compile(r"['’]s\b")
_FIGURES = {  # how many characters of 2026-04-24 15:00 tell it
    **dict.fromkeys(("minute", "hour"), 16),
    **dict.fromkeys(("part", "day", "weekend", "week", "third"), 10),
    **dict.fromkeys(("month", "season", "quarter"), 7),
    **dict.fromkeys(("year", "decade"), 4),
}
_SPANS = frozenset(("weekend", "week", "third", "season", "quarter", "decade"))  # told by their first and last
_RANGES = {"day": "week", "month": "season"}  # what a range of these is told like
_NAMED_DECADE = {"decade"}
Scanned = list[tuple[When, Piece]]


@dataclass(frozen=True, slots=True)
class Marked:
    """Words with their dates in brackets. `marks` are the brackets, each with the place in the words as given that it
    stands behind, in order; `whens` are all time expressions, as `find` gives them."""

    text: str
    whens: list[When]
    marks: list[tuple[int, str]]


def marked(words: str, anchor: datetime, lang: str, before: str = "") -> Marked:
    """The words, with a date in brackets behind each time expression that leans on the moment of speaking, and one
    behind a range; not a word is changed. What is complete ("3 May 2026"), is not sure, or has its bracket already gets
    none. `lang` is the language of the words, `before` what was said right before."""
    scanned = list(scan(words, anchor, before))
    left = standing(words, [when for when, _ in scanned], lang)
    blank = " " if lang == "en" else ""
    # of "Tuesday, not Thursday", which Thursday is meant was told before
    said = [each for each in _leaning(words, scanned) if each in left or not is_denied(words, each.span, lang)]
    marks = [(_behind(words, when), f"{blank}[{figures(when)}]") for when in said]
    return Marked(spliced(words, marks), [when for when, _ in scanned], marks)


def figures(when: When) -> str:
    """The interval in figures: 2026-04-24, 2026-04-20/26, 2026-04, 2026-04-24 15:00."""
    length, last = _FIGURES[when.granularity], when.end - timedelta(days=1)
    first = when.start.isoformat(" ", "minutes")[:length]
    if when.granularity not in _SPANS:
        return first
    ends = zip(first.split("-"), last.isoformat()[:length].split("-"), strict=True)
    return f"{first}/{'-'.join(other for _, other in dropwhile(lambda pair: pair[0] == pair[1], ends))}"


def _leaning(words: str, scanned: Scanned) -> Iterator[When]:
    """The expressions that get a bracket; of a range the second, from the start of the first on."""
    begun = _begun(words, scanned)
    for number, (when, piece) in enumerate(scanned):
        first, its_piece = scanned[number - 1] if number - 1 in begun else (None, piece)
        if number in begun or not (_leans(piece) or _leans(its_piece)) or _BRACKETED.match(words, when.span[1]):
            continue
        yield replace(when, start=first.start, granularity=_RANGES[when.granularity]) if first else when


def _begun(words: str, scanned: Scanned) -> set[int]:
    """The numbers of the expressions with which a range of days or months begins."""
    found: set[int] = set()
    for number, ((left, piece), (right, _)) in enumerate(pairwise(scanned)):
        if (
            left.granularity == right.granularity in _RANGES
            and left.start < right.start
            and number - 1 not in found
            and patterns("range")[piece.lang].fullmatch(words, left.span[1], right.span[0])
            and not was_put(words, left.span, piece.lang)
        ):
            found.add(number)
    return found


def _leans(piece: Piece) -> bool:
    """Whether the words lean on the moment of speaking; "the 90s" are those of one century for everybody."""
    return not complete(piece.fields) and piece.fields.keys() != _NAMED_DECADE


def _behind(words: str, when: When) -> int:
    """Where its bracket stands: behind the 's of "yesterday's meeting"."""
    owner = _POSSESSIVE.match(words, when.span[1])
    return owner.end() if owner else when.span[1]


def spell(when: When, lang: str) -> str:
    """The interval in words, as a memory says it: "7 May 2023", "the week of 1 May 2023", "2023年5月7日下午3点"."""
    words, shape = _words(lang), when.granularity
    if shape == "day" and (number := _festival_in(when)) is not None:
        name = festivals()[number]["names"][0 if lang == "en" else 1]
        return str(words["festival"].format(name=name, y=when.start.year))
    if shape == "day":
        return _day(when.start, words)
    if shape == "part" and part_named(when.start, when.end) in words["bare_parts"]:
        shape = "bare_part"
    if shape == "season" and when.start.month == 12:
        shape = "winter"
    if shape == "minute" and not when.start.minute:
        shape = "hour"
    return str(words[shape].format(**_values(when, words)))


def adverbial(when: When, lang: str) -> str:
    """The same as a sentence takes it up: "in May 2023", "on 7 May 2023", 2023年5月."""
    return (_preposition(when) if lang == "en" else "") + spell(when, lang)


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
    return {**values, "day": _day(start, words)}


def _day(day: date, words: dict[str, Any]) -> str:
    """A day in words, whatever is celebrated on it."""
    return str(words["day"].format(y=day.year, m=day.month, d=day.day, month=words["months"][day.month - 1]))


@cache
def _words(lang: str) -> dict[str, Any]:
    found: dict[str, Any] = table("dates", "spell")[lang]
    return found


def _festival_in(when: When) -> int | None:
    """The festival that the words name, if the day is its day ("the day after Christmas" is not)."""
    day = when.start.date()
    match = festival_pattern().search(when.text) if day in festival_days(day.year) else None
    number = festival_number(match[0]) if match else None
    return number if number is not None and festival_day(number, day.year) == day else None


_COUNTED = re.compile(r"\w+ (?:weeks|weekends) (?:before|after)\b")
_PREPOSITION = re.compile(r"(?i)\b(?:on|in|at)\s+$")
_ON = re.compile(r"(?i)\bon\s+$")
_GOVERNED = re.compile(
    r"(?i)\b(?:since|until|till|til|by|before|after|from|for|of|to|through|between|about|around|than|like|except|during|over|within|starting|beginning)\s+$"
)
_ATTRIBUTE = re.compile(r"(?i)(?:\b(?:the|an?|my|our|your|his|her|their|this)|['’]s)\s+$")
_LABEL = re.compile(r"[(\[*:|/#>_–—-]\s*$")
_OPENING = re.compile(r"(?:^|[.!?\n]\s*|[\"“(]\s*)$")
_NOUN = re.compile(
    r"(?i)\s*(?:$|[\n:)*|–—-])|['’]|\s+(?:is|isn't|was|wasn't|will|won't|has|works|sounds|suits|seems|would|might|looks)\b"
)
_CLAUSE_OPENS = re.compile(r"(?i)(?:,|\b(?:and|but|so|because|cause|since|as|that|think|hope|guess))\s+$")
_IS = re.compile(r"(?i)\s+(?:is|isn't|was|wasn't|will|won't)\b")
_OWNER = re.compile(r"['’]s\b(?!\s+(?:an?|the|my|our|his|her|going|not|been|gonna|so|too)\b)")
_LATIN = re.compile(r"[A-Za-z0-9]")
_AGED = re.compile(  # 今年五岁 is said of the day, and of no year
    "(?:也|都|已经|才|刚刚?|刚?满|就|快)*(?:[0-9]{1,3}|[一二三四五六七八九十]{1,4})周?岁(?:半|多)?了?(?!的?(?:生日|大寿))"
)
_AS_OF = "（截至{}）"
_OWN_PREPOSITION = frozenset(
    ("dow", "month", "day", "festival", "year", "third", "decade", "weekend", "hour", "season")
)


def resolve(text: str, anchor: datetime, lang: str, before: str = "") -> tuple[str, list[When]]:
    """The text with every expression that leans on the moment of speaking written out in `lang`, and all expressions
    (spans in the text as given). Dates that are complete stay as they are. `before` is what was said right before."""
    scanned = list(scan(text, anchor, before))
    if not scanned:
        return text, []
    parts: list[str] = []
    cursor = 0
    ranged = _ranged(text, scanned)
    ages = {when.span: aged.end() for when, piece in scanned if (aged := _age(text, when, piece))}
    for number, (when, piece) in enumerate(scanned):
        if when.span in ages:
            day = spell(When((0, 0), anchor, anchor, "day", ""), lang)
            parts += (text[cursor : when.span[0]], text[when.span[1] : ages[when.span]], _AS_OF.format(day))
            cursor = ages[when.span]
        elif not complete(piece.fields):
            free = number not in ranged and number - 1 not in ranged
            words = (_aside(text, when, piece, anchor, lang) if free else None) or spell(when, lang)
            start, end, words = _placed(text, when, piece, words) if lang == piece.lang == "en" else (*when.span, words)
            parts += (text[cursor:start], _apart(text, start, end, words))
            cursor = end
    return "".join((*parts, text[cursor:])), [when for when, _ in scanned if when.span not in ages]


def _age(text: str, when: When, piece: Piece) -> re.Match[str] | None:
    """The years behind 今年 that somebody has lived by then."""
    return _AGED.match(text, when.span[1]) if piece.fields == {"years": 0} and piece.lang == "zh" else None


def _ranged(text: str, scanned: list[tuple[When, Piece]]) -> set[int]:
    """The numbers of the expressions with which a range begins: its ends are told as they are."""
    if len(scanned) == 1:
        return set()
    links = patterns("range")
    return {
        number
        for number, ((left, piece), (right, _)) in enumerate(pairwise(scanned))
        if links[piece.lang].fullmatch(text, left.span[1], right.span[0])
    }


def _is_attribute(text: str, when: When) -> bool:
    """Whether there is room for a date alone: "our Friday meeting", "last week's news"."""
    return bool(_OWNER.match(text, when.span[1]) or _ATTRIBUTE.search(text[: when.span[0]]))


def _aside(text: str, when: When, piece: Piece, anchor: datetime, lang: str) -> str | None:
    """The words for what was told from the moment of speaking and is best told from its day: a week, a weekend, a
    weekday."""
    if when.granularity not in ("day", "week", "weekend") or piece.fields.keys() & {"of", "day", "days", "month"}:
        return None
    forms, today, first = table("dates", "aside")[lang], anchor.date(), when.start.date()
    if when.granularity == "day":
        near = 1 <= (today - first).days <= 7 if lang == "en" else True
        form = forms["weekday"] if near and "dow" in piece.fields else None
    else:
        weeks = (first - today + timedelta(days=today.weekday())).days // 7
        form = forms.get(when.granularity, {}).get(str(weeks))
    if not form or _is_attribute(text, when):
        return None
    words = _words(lang)
    name = words["weekdays"][first.weekday()]
    return str(form.format(day=_day(today, words), itself=_day(first, words), weekday=name))


def _apart(text: str, start: int, end: int, words: str) -> str:
    """The words with a blank where they would run into a neighbour's letters or digits."""
    left = " " if words[0].isascii() and _LATIN.match(text[start - 1 : start]) else ""
    return left + words + (" " if words[-1].isascii() and _LATIN.match(text[end : end + 1]) else "")


def _placed(text: str, when: When, piece: Piece, words: str) -> tuple[int, int, str]:
    """The span to replace and the English words with the preposition that they need there."""
    start, end = when.span
    before, after = text[:start], text[end:]
    opening, bare = bool(_OPENING.search(before)), _is_bare(piece, text[start])
    needed = "" if _COUNTED.match(words) else _preposition(when)
    if owner := _OWNER.match(after):
        end += owner.end()
        words = "the " + words.removeprefix("the ")
    elif bare and (written := (_ON if "rel" in piece.fields else _PREPOSITION).search(before)):
        start, opening = written.start(), written[0][0].isupper()
        words = needed + words
    elif not (
        _GOVERNED.search(before)
        or _LABEL.search(before)
        or (bare and _ATTRIBUTE.search(before))
        or (opening and _NOUN.match(after))
        or (_CLAUSE_OPENS.search(before) and _IS.match(after))
    ):
        words = needed + words
    return start, end, words[0].upper() + words[1:] if opening else words


def _is_bare(piece: Piece, first: str) -> bool:
    """Whether the expression takes its preposition from the sentence ("on Friday", "at 3 pm", "at noon yesterday");
    before the others `in` and `on` belong to the verb ("I moved in last week"), but for the `on` of a weekday."""
    if "hour" in piece.fields and (first.isdigit() or piece.fields.get("part") == "midday"):
        return True
    return ("rel" not in piece.fields or "dow" in piece.fields) and bool(kind(piece.fields) & _OWN_PREPOSITION)


def _preposition(when: When) -> str:
    shape = when.granularity
    if shape == "part" and part_named(when.start, when.end) in ("early", "midday"):
        return "in " if part_named(when.start, when.end) == "early" else "at "
    if shape == "day" and _festival_in(when) is not None:
        return "on " if spell(when, "en").split()[-2] in ("Day", "Eve") else "at "
    words: dict[str, list[str]] = table("dates", "prepositions")
    return next(word for word, shapes in words.items() if shape in shapes)
