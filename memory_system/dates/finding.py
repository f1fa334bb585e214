"""From text to expressions: each piece with the clause around it, as an interval of local time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise

from memory_system.dates.atoms import Piece, patterns, pieces
from memory_system.dates.calendar import interval, occasions
from memory_system.dates.clauses import (
    BESIDE,
    BETWEEN,
    WEEKDAY,
    Cues,
    cue,
    is_between,
    is_denied,
    is_range,
    put_away,
    sharing,
    unnamed,
    was_put,
)
from memory_system.dates.intervals import (
    TIMES,
    Fields,
    Interval,
    Moment,
    at_day,
    complete,
    following,
    kind,
    part_of_day,
    weekday_after,
)

_THIS_YEAR = re.compile("(?i)(?:this|next|last) year|[今明去]年")
_DATE_BEFORE = re.compile(
    r"\d(?:[/.]\d{1,2}\.?|st|nd|rd|th)(?: ?[(（].{1,4}[)）])?[,，]? ?(?:at )?$"
)  # in figures that tell no date
_NEAR = 91  # days: the future that a tense means without a year
_MONTH_BACK, _TWO_WEEKS = 31, timedelta(days=14)  # how far off a day may be that is named by its number, or in the week
_LAST_DAY = re.compile(  # the end of a range that is no piece of its own: from May 3 to 7
    r"(?i)\s?[到至~～—-]\s?(3[01]|[12]?\d)[日号]"
    r"|\s?(?:to|through|until|-|–)\s?(?:the )?(3[01]|[12]?\d)(?:st|nd|rd|th)?\b(?![:/.,]?\d)"
)
_YEARLY = ("season", "quarter", "year", "decade")  # what is longer than a month
_DUE_BEFORE = re.compile(r"(?i)\b(?:by|before|until|till) (?:the )?$")
_NO_DAY = re.compile(
    "[以之]?前|[的楼床线车机店院门桌位码]"
)  # behind a number by which something is due, or that counts things
_BEHIND = 12  # characters between a date and a day of the same month
_COARSE = ("week", "weekend", "month", "third", *_YEARLY)
_AND_ANOTHER = re.compile(
    r" (?:and|or|to) (?:the )?\d{1,2}(?:st|nd|rd|th)?(?!\d| ?[ap]\.?m\b|:|\.\d)|[和或及、]\d{1,2}[日号]"
)
DAILY = ("day", "part", "hour", "minute")  # granularities within one day


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
    return [when for when, _ in scan(text, anchor)]


def meant(text: str, anchor: datetime) -> list[tuple[datetime, datetime]]:
    """The times, from start to end, that a question may mean. Of a date without a year they are the last and the next
    one, where no year is named and the tense lets both be; from one date to another is one time."""
    clear, found = pieces(text)
    if not found:
        return []
    told = {when.span: [(when.start, when.end)] for when, _ in _scanned(text, clear, found, anchor)}
    dated = any("year" in kind(piece.fields) for piece in found)
    bare = _without(found, clear)
    times: list[list[tuple[datetime, datetime]]] = []
    for before, piece in zip((None, *found), found, strict=False):
        if before and (is_range(clear, before, piece) or is_between(clear, before, piece)):
            times[-1] = _until(times[-1], piece.fields)
            continue
        recurring = [] if dated else _occasions(clear, piece, Cues(anchor, bare, piece))
        times.append(recurring or told.get(piece.span, []))
        if "day" in piece.fields and (last := _LAST_DAY.match(clear, piece.end)):
            times[-1] = _until(times[-1], {"day": int(last[1] or last[2])})
    return [each for some in times for each in some]


def nameable(text: str, said: date) -> dict[date, bool]:
    """The days that a text of that day may name, whichever week or month is meant, nothing is abstained from; and
    whether by their number or counted from that day, not only as a day of the week."""
    told = [piece.fields for piece in pieces(text)[1]]
    near = [said + timedelta(days=each) for each in range(-_MONTH_BACK, _NEAR)] if told else []
    found = {day: [fields for fields in told if _may_name(fields, day, said)] for day in near}
    return {day: any("dow" not in each or "day" in each for each in by) for day, by in found.items() if by}


def is_hour(words: str) -> bool:
    """Whether the words name an hour and nothing else (10 in the morning, 早十点)."""
    return any("hour" in piece.fields and piece.span == (0, len(words)) for piece in pieces(words)[1])


def _may_name(fields: Fields, day: date, said: date) -> bool:
    if "day" in fields:
        return bool(fields["day"] == day.day and fields.get("month", day.month) == day.month)
    if "dow" in fields:
        return bool(fields["dow"] == day.weekday() and abs(day - said) <= _TWO_WEEKS)
    return "days" in fields and said + timedelta(days=fields["days"]) == day


def _occasions(text: str, piece: Piece, cues: Cues) -> list[tuple[datetime, datetime]]:
    """The last and the next time that the piece names; a near one alone, where the tense is future."""
    if _is_lone(text, piece) and not BETWEEN.search(text[: piece.start]):
        return []
    found, now = occasions(piece.fields, cues), cues.now
    tense = cues.tense() if found else 0
    if tense == 1 and 0 < (found[-1][0] - now).days < _NEAR:
        return [found[-1][:2]]
    return [(start, end) for start, end, _ in found if tense != -1 or start <= now]


def _until(times: list[tuple[datetime, datetime]], fields: Fields) -> list[tuple[datetime, datetime]]:
    """The times, each up to the end of the next such day or month after its start."""
    return [(start, last[1]) for start, _ in times if (last := following(fields, start.date()))]


def scan(text: str, anchor: datetime, around: str = "") -> Iterator[tuple[When, Piece]]:
    """The expressions with the pieces they came from; `around` is what was said around the text."""
    clear, found_pieces = pieces(text)
    if found_pieces:
        yield from _scanned(text, clear, sharing(clear, found_pieces), anchor, around)


def _in_order(bare: str, found: list[Piece], anchor: datetime) -> list[Piece]:
    """The pieces, two weekdays of which the one was put to the other as days: the new one is ahead and after the old
    one, or before it where it was brought forward."""
    ordered = list(found)
    for number, (old, new) in enumerate(pairwise(found)):
        if kind(new.fields) != WEEKDAY or "dow" not in old.fields:
            continue
        way = put_away(bare, old.span, new.span, old.lang)
        if way and Cues(anchor, bare, old).tense() is not None and (days := _put_days(old, new, anchor, way)):
            ordered[number : number + 2] = (_on(each, day, anchor) for each, day in zip((old, new), days, strict=True))
    return ordered


def _put_days(old: Piece, new: Piece, anchor: datetime, way: int) -> tuple[date, date] | None:
    """The days that the two weekdays name; None where the words do not tell."""
    today, is_bare = anchor.date(), kind(old.fields) == WEEKDAY
    if way < 0:
        brought = weekday_after(today, new.fields["dow"])
        return (weekday_after(brought, old.fields["dow"]), brought) if is_bare else None
    if is_bare:
        first = today if old.fields["dow"] == today.weekday() else weekday_after(today, old.fields["dow"])
    else:
        named = interval({name: old.fields[name] for name in kind(old.fields)}, Moment(anchor, 1))
        if named is None:
            return None
        first = named[0].date()
    return first, weekday_after(max(first, today), new.fields["dow"])


def _on(piece: Piece, day: date, anchor: datetime) -> Piece:
    fields = {name: value for name, value in piece.fields.items() if name in TIMES}
    return replace(piece, fields={**fields, "days": (day - anchor.date()).days, "dow": day.weekday()})


def standing(text: str, whens: Sequence[When], lang: str) -> list[When]:
    """The expressions without those from which something was put to another time ("moved from the 12th"), or which
    are said not to be it ("not the 12th") where another one is."""
    whens = [each for each in whens if not was_put(text, each.span, lang)]
    return [each for each in whens if not is_denied(text, each.span, lang)] or whens


def in_one(text: str, whens: Sequence[When], lang: str) -> When:
    """The first of the expressions that stand, to the end of the second where the two are the ends of a range."""
    first, *others = standing(text, whens, lang) or whens
    return _joined(text, first, others[0], lang) or first if others else first


def last_in_one(text: str, whens: Sequence[When], lang: str) -> When:
    """The last of the expressions, from the start of the one before where the two are the ends of a range."""
    *others, last = whens
    return _joined(text, others[-1], last, lang) or last if others else last


def _joined(text: str, first: When, second: When, lang: str) -> When | None:
    """The range of which the two are the ends; None where they are none."""
    if not patterns("range")[lang].fullmatch(text, first.span[1], second.span[0]):
        return None
    span = first.span[0], second.span[1]
    return replace(first, span=span, end=second.end, text=text[slice(*span)])


def _scanned(
    text: str, clear: str, found_pieces: list[Piece], anchor: datetime, around: str = ""
) -> Iterator[tuple[When, Piece]]:
    """`scan` for the pieces of the text."""
    bare = _without(found_pieces, clear)
    found_pieces = _in_order(bare, found_pieces, anchor)
    alone = len(found_pieces) == 1
    vague = unnamed(clear, found_pieces, anchor, around)
    done: list[When] = []  # a year that stands for itself ("2016: ...") is no expression, but sets the frame
    begun: When | None = None  # the last piece, if it was found and spoken of
    for number, piece in enumerate(found_pieces):
        before = None if alone or not number else found_pieces[number - 1]
        if before and is_range(clear, before, piece):
            silent, found = begun is None, following(piece.fields, begun.start.date()) if begun else None
        else:
            after = None if alone or number + 1 == len(found_pieces) else found_pieces[number + 1]
            end = after if after and is_range(clear, piece, after) else None
            cues = Cues(anchor, bare, piece)
            if before and not begun and piece.fields.keys() <= TIMES and piece.start - before.end <= BESIDE:
                silent, found = True, None  # an hour right behind a date: of the day that this means, or of none
            elif number in vague:
                silent, found = False, _of_its_month(text, piece, done, cues)
            elif piece.fields.keys() == {"part"} and piece.end - piece.start > 1:  # 晚 and 早 are mostly late and early
                silent, found = _part(piece, cues, done)
            else:
                frame = _frame(text, piece, done)
                silent, found = _alone(clear, piece, cues, done, end, frame)
        begun = None
        if found:
            done.append(When(piece.span, *found, text[piece.start : piece.end]))
            if not silent:
                begun = done[-1]
                yield begun, piece


def _alone(
    text: str, piece: Piece, cues: Cues, done: list[When], end: Piece | None, frame: When | None
) -> tuple[bool, Interval | None]:
    """Whether the piece stands for itself, and its interval; `end` is the piece that ends the range it begins, `frame`
    the expression whose year it may be of."""
    silent = _is_lone(text, piece) and not cues.planned()
    found = _within(frame, piece, cues) if frame else None
    if not found and (not silent or complete(piece.fields)):
        is_clock = "hour" in piece.fields and piece.fields.keys() <= TIMES
        found = _clock(text, piece, cues, done) if is_clock else interval(piece.fields, cues)
    keys = kind(piece.fields)
    coarser = _YEARLY if "month" in keys or keys >= {"day", "dow"} else _COARSE
    frames = [each for each in done if each.granularity in coarser and not was_put(cues.text, each.span, piece.lang)]
    if found and cues.asked and (_elsewhere(found, frames, cues.now) or (end and _breaks_off(found, end, cues))):
        found = None
    return silent, found


def _frame(text: str, piece: Piece, done: list[When]) -> When | None:
    """The expression whose year a date without one may be of: this year, named in the same sentence."""
    keys = kind(piece.fields)
    if "month" in keys and keys <= {"month", "day", "third"} and done and done[-1].granularity == "year":
        parted = cue("sentence", piece.lang).search(text, done[-1].span[1], piece.start)
        return done[-1] if _THIS_YEAR.fullmatch(done[-1].text) and not parted else None
    return None


def _within(frame: When, piece: Piece, moment: Moment) -> Interval | None:
    """The day or month of the frame, unless the tense says that it is none of it."""
    tense = moment.own_tense()
    if tense is None:
        return None
    found = interval({**piece.fields, "year": frame.start.year}, moment)
    wrong = found and ((tense < 0 and found[0] > moment.now) or (tense > 0 and found[1] <= moment.now))
    return None if wrong else found


def _of_its_month(text: str, piece: Piece, done: list[When], moment: Moment) -> Interval | None:
    """The bare day right behind a day of some month ahead: of the same month (六月六号走，八号回), as is the end of the
    month; none by which something is due, and none that comes before that as well and is nearer then ("runs out on 5
    June, I'll go on the 28th")."""
    last = done[-1] if done else None
    if last is None or last.granularity not in DAILY or last.start <= moment.now:
        return None
    stop = cue("sentence", piece.lang)
    is_far = piece.start - last.span[1] > _BEHIND or stop.search(text, last.span[1], piece.start)
    if is_far or _DUE_BEFORE.search(text[: piece.start]) or _NO_DAY.match(text, piece.end):
        return None
    found = interval({"year": last.start.year, "month": last.start.month, **piece.fields}, moment)
    if not found or found[0] < last.start:
        return None
    before = found[0] - timedelta(days=_MONTH_BACK)
    return None if moment.now < before and last.start - before < found[0] - last.start else found


def _breaks_off(found: Interval, end: Piece, cues: Cues) -> bool:
    """Whether the tense is past and the range that begins so ends in the future."""
    last = following(end.fields, found[0].date())
    return last is None or (cues.tense() == -1 and last[0] > cues.now)


def _without(found: list[Piece], text: str) -> str:
    """The text with blanks for the time words: one expression is no cue for the tense of another."""
    for piece in found:
        text = text[: piece.start] + " " * (piece.end - piece.start) + text[piece.end :]
    return text


def _is_lone(text: str, piece: Piece) -> bool:
    """Whether a season, or an English year, month, day or festival, lacks the words around it that make it a time."""
    if len(piece.fields) > 1:
        return False
    field = next(iter(piece.fields))
    if piece.lang != "en":
        return field == "season"  # 夏天 is mostly any summer
    needed, refused = patterns("governor").get(field), patterns("refused").get(field)
    followed = patterns("followed").get(field)
    if followed and followed.match(text, piece.end):
        return False
    if needed and not needed.search(text[max(0, piece.start - 60) : piece.start]):
        return True
    return bool(refused and refused.match(text, piece.end))


def _clock(text: str, piece: Piece, moment: Moment, done: list[When]) -> Interval | None:
    """A bare clock time: of the day that its sentence named before, else of today if the tense agrees."""
    tense, stop = moment.tense(), cue("sentence", piece.lang)
    if tense is None or _DATE_BEFORE.search(text[: piece.start]):
        return None
    if done and _AND_ANOTHER.match(text, done[-1].span[1]):
        return None  # "on the 22nd or 23, between 10 am and noon"
    if done and done[-1].granularity in DAILY and not stop.search(text, done[-1].span[1], piece.start):
        return at_day(piece.fields, done[-1].start.date())
    found, now = at_day(piece.fields, moment.today), moment.now
    tense = 1 if tense == 0 and moment.adverbial() else tense  # 下午三点来拿: what is past has its 了 or 过
    return found if found and tense == (-1 if found[0] <= now else 1) else None


def _part(piece: Piece, cues: Cues, done: list[When]) -> tuple[bool, Interval | None]:
    """A bare part of the day: of the day that was named last, else of today, if the tense agrees; in Chinese, where
    下午 is this afternoon as well. Beside its day it stands for itself."""
    if (ahead := cues.ahead()) is None:
        return False, None
    named = done[-1:]
    if any(each.granularity not in DAILY for each in named):
        return False, None
    now, tense = cues.now, cues.tense()
    for day in (*(each.start.date() for each in named), cues.today):
        found = part_of_day(piece.fields["part"], day)
        told = any(day == each.start.date() for each in named)
        begun = found[1] if piece.fields["part"] == "night" else found[0]  # 半夜疼醒了 was the night before
        if begun <= now if tense == -1 else found[1] > now and (ahead or told):
            return told, found
    return False, None


def _elsewhere(found: Interval, frames: list[When], now: datetime) -> bool:
    """Whether the tense gave what lies outside the year, month or week the text speaks of: "In 2016 ... in May"."""
    if not frames:
        return False
    frame = frames[-1]
    inside = frame.start <= found[0] and found[1] <= frame.end
    return not inside and ((frame.end <= now and found[1] <= now) or (frame.start > now and found[0] > now))
