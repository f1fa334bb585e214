"""From the fields of a time expression (`{"days": -1, "hour": 15}`) to the interval it names. Pure calendar: words are
unknown here, only the tense of the clause is asked for where the fields leave open which year or week is meant.

Fields: year month day · years months week days quarters (relative to the anchor) · dow (Monday 0) · rel (last, this,
coming, next) · season festival quarter third decade winter weekend · lunar (day of the first lunar month) new_year (the
same, said around that time) · n unit sign · of (the week of) · part hour minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from typing import TypeAlias

from memory_system.dates.intervals import (
    MONTH,
    TIMES,
    Fields,
    Interval,
    Moment,
    Span,
    at_day,
    dated,
    festival_day,
    festival_number,
    hour_of,
    hours_away,
    kind,
    monday_of,
    month_after,
    months_from,
    moved,
    one_day,
    part_of_day,
    said_twice,
    such_day,
    week_of,
    weekday_after,
    weekday_before,
    weekday_of_month,
    weekend_of,
    whole,
)

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_THIRDS = {"early": 1, "mid": 11, "late": 21}
_NEAR = 91  # days: what may be past or ahead alike is past where it is not long ago
_HALF_YEAR = 183  # days: without a tense, what is farther ahead may be a mistake about the weekday
_CLOSE = 45  # days: such a date and a tense, or a "last", that means another year contradict each other
_SOON = 10  # days: a bare day so near ahead is none of last month's
_NEW_YEAR = 20  # days around the lunar new year in which a bare 初五 is told of it
_SMALL_HOURS = 4  # "tonight" said at two in the morning may be either night


def interval(fields: Fields, moment: Moment) -> Interval | None:
    """The interval of local time and its granularity; None when the fields name none, or more than one."""
    try:
        if fields.get("unit") in ("hour", "minute"):
            way = _way(fields, moment)
            return hours_away(moment.anchor, fields["n"], fields["unit"], way) if way else None
        span = _shifted(fields, moment) if {"of", "sign"} & fields.keys() else _date(fields, moment)
        if span is None or not TIMES & fields.keys():
            return whole(span) if span else None
        if span[2] != "day":
            return None
        return at_day(fields, span[0]) if "hour" in fields else part_of_day(fields["part"], span[0])
    except (ValueError, OverflowError):  # 30 February; the year 0 or 10000
        return None


def joinable(left: Fields, right: Fields) -> bool:
    """Whether the fields of two neighbours make one expression."""
    if left.keys() & right.keys() or kind(left) & kind(right) or "sign" in right or left.get("sign") in ("ago", "in"):
        return False
    if "of" in left and kind(left) and right.keys() != {"year"}:
        return False
    both = {**left, **right}
    joined = kind(both)
    if not joined:
        return both.keys() <= TIMES
    if "hour" in both and hour_of(both) is None:
        return False  # "Tuesday at 10:30": the day is sure, the half of it is not
    if TIMES & both.keys() or {"of", "sign"} & both.keys():
        return joined in _DAYS
    return joined in _MAKERS


# ---- dates ----


def _date(fields: Fields, moment: Moment) -> Span | None:
    known = dict(fields)
    if "years" in known:
        known["year"] = moment.today.year + known.pop("years")
    if "months" in known:
        known["year"], known["month"] = month_after(moment.today, known.pop("months"))
    if known.get("tonight") and moment.anchor.hour < _SMALL_HOURS:
        return None
    make = _MAKERS.get(kind(known))
    return make(known, moment) if make else None


def _third(f: Fields, _: Moment) -> Span:
    first = date(f["year"], f["month"], _THIRDS[f["third"]])
    end = date(*month_after(first, 1), 1) if f["third"] == "late" else first + timedelta(days=10)
    return first, end, "third"


def _bare_third(f: Fields, moment: Moment) -> Span | None:
    """The end of the month, 月初: of this month, unless the clause says that it must be of the next or the last one;
    nothing where it is over and the tense is not past."""
    year, month = moment.today.year, moment.today.month
    span = _third({**f, "year": year, "month": month}, moment)
    is_over, is_ahead = span[1] <= moment.today, span[0] > moment.today
    if not is_over and not is_ahead:
        return span
    if (is_over and moment.surely()) or (is_ahead and moment.own_tense() == -1):
        year, month = month_after(moment.today, 1 if is_over else -1)
        return _third({**f, "year": year, "month": month}, moment)
    return span if is_ahead or moment.tense() == -1 else None


def _day(f: Fields, moment: Moment) -> Span | None:
    """The day, unless the words say something else about it: one of the two must be wrong, and which is not known."""
    day = moment.today + timedelta(days=f["days"]) if "days" in f else date(f["year"], f["month"], f["day"])
    known = {"year": day.year, "month": day.month, "day": day.day, "dow": day.weekday()}
    return one_day(day) if all(f.get(key, value) == value for key, value in known.items()) else None


def _season(f: Fields, _: Moment) -> Span:
    return months_from(f["year"], _SEASONS[f["season"]], 3, "season")


def _festival(f: Fields, _: Moment) -> Span | None:
    day = festival_day(f["festival"], f["year"])
    return one_day(day) if day else None


def _quarters(f: Fields, moment: Moment) -> Span:
    number = moment.today.year * 4 + (moment.today.month - 1) // 3 + f["quarters"]
    return months_from(number // 4, number % 4 * 3 + 1, 3, "quarter")


def _said_twice(f: Fields, moment: Moment) -> Span | None:
    """Next Thursday, 2 April; next Thursday the 2nd."""
    week = {key: value for key, value in f.items() if key in ("week", "rel", "dow")}
    span = _week(week, moment) if "week" in week else _weekday(week, moment)
    return said_twice(span[0], f["day"], f.get("month")) if span else None


def _week(f: Fields, moment: Moment) -> Span | None:
    """A week, or a day of it; nothing for a day of this week that is over and of which the clause says it is ahead."""
    monday = moment.monday + timedelta(weeks=f["week"])
    if "dow" not in f:
        return week_of(monday)
    day = monday + timedelta(days=f["dow"])
    return None if not f["week"] and day < moment.today and moment.own_tense() == 1 else one_day(day)


def _weekend(f: Fields, moment: Moment) -> Span | None:
    """this, last or coming weekend; "the weekend" goes by the tense, and on a weekend it is the one that is on."""
    if f.get("week"):
        return weekend_of(moment.monday + timedelta(weeks=f["week"]))
    rel, this = "this" if "week" in f else f.get("rel"), moment.monday
    inside = moment.today.weekday() >= 5
    if rel == "coming":
        return weekend_of(this + timedelta(days=7 if inside else 0))
    tense = moment.tense() if rel else moment.own_tense()
    if tense is None or (rel is None and (tense == 0 or (tense < 0 and not moment.is_past()))):
        return None
    return weekend_of(this - timedelta(days=7 if tense < 0 and moment.is_past() and not inside else 0))


def _weekday(f: Fields, moment: Moment) -> Span | None:
    """The tense decides, the past only where the clause itself tells it; "this Friday" never lies back. Without a tense
    it is the next such day, and a bare Friday none that is known, but for an appointment: it has an hour."""
    rel, today = f.get("rel"), moment.today
    if rel == "next":
        return one_day(moment.monday + timedelta(days=7 + f["dow"]))
    ahead, back = weekday_after(today, f["dow"]), weekday_before(today, f["dow"])
    if rel == "week":  # "Friday week" is a week after the next one
        return one_day(ahead + timedelta(days=7))
    if rel == "last" or rel == "coming":
        return one_day(back if rel == "last" else ahead)
    if rel == "this" and f["dow"] == today.weekday():
        return one_day(today)
    tense = moment.tense()
    if tense is None or (tense == 0 and (f["dow"] == today.weekday() or not (rel or "hour" in f))):
        return None
    if tense >= 0:
        return one_day(ahead)
    if rel:  # "this Friday", with a verb in the past: no day is sure
        return None if moment.is_past() else one_day(ahead)
    return one_day(back) if moment.is_past() else None


def _day_of_month(f: Fields, moment: Moment) -> Span | None:
    """The last such day where the clause itself is past and that of this month not soon, else the next one, if it is
    near enough to go by its number; said on such a day it is today if it lies ahead."""
    today, tense = moment.today, moment.tense()
    if tense is None:
        return None
    way = -1 if tense < 0 and moment.is_past() else 1
    if "dow" in f:
        return weekday_of_month(f["day"], f["dow"], today, way)
    if f["day"] == today.day:
        return one_day(today) if tense == 1 else None
    if tense < 0 and (way > 0 or 0 < f["day"] - today.day <= _SOON):
        return None
    found = such_day(f["day"], today, way)
    return one_day(found) if found and abs(found - today).days <= MONTH else None


def _lunar(f: Fields, _: Moment) -> Span | None:
    first = festival_day(festival_number("春节"), f["year"])
    return one_day(first + timedelta(days=f["lunar"] - 1)) if first else None


def _new_year(f: Fields, moment: Moment) -> Span | None:
    """初五: of the first lunar month when it is said around the new year; other months have one too."""
    span = _lunar({"year": moment.today.year, "lunar": f["new_year"]}, moment)
    return span if span and _distance(span, moment.today) < _NEW_YEAR else None


def _recurring(f: Fields, moment: Moment) -> Span | None:
    """A date without a year: the last or the next one, by the tense; nothing where another is too near for that."""
    celebrated = bool(f.keys() & {"festival", "season"})
    tense = moment.own_tense() if celebrated or kind(f) == {"month"} else moment.tense()
    if tense is None or ("day" in f and moment.yearly()):
        return None
    past, now, ahead = _occurrences(f, moment)
    today = moment.today
    nearer = past and (not ahead or _distance(past, today) < _distance(ahead, today))
    if now:
        return now if now[2] in ("day", "third") else None
    if "dow" in f:  # the two agree once in so many years
        return next((span for span in (past, ahead) if span and _distance(span, today) < _HALF_YEAR), None)
    if "day" in f and ahead and _distance(ahead, today) <= _NEAR and not moment.is_past():
        return ahead  # what is not surely told of then is seldom of a day nine months ago
    if tense < 0:
        close = _NEAR if "day" in f else _CLOSE
        sure = moment.is_past() or (nearer and kind(f) != {"month"})
        return past if sure and not (ahead and _distance(ahead, today) < close) else None
    if ahead is None:
        return None
    if tense == 0 and celebrated:
        near = "festival" in f and moment.adverbial() and _distance(ahead, today) < _CLOSE
        return ahead if near else None  # "Christmas is my favourite": no Christmas in particular
    if tense == 0:
        return ahead if not nearer and _distance(ahead, today) < _HALF_YEAR else None
    return None if past and _distance(past, today) < _CLOSE and not moment.surely() else ahead


def occasions(fields: Fields, moment: Moment) -> list[Interval]:
    """What fields that recur every year may name: the last one, one that is on, and the next; empty for all others."""
    if _MAKERS.get(kind(fields)) is not _recurring:
        return []
    return [whole(span) for span in _occurrences(dated(fields), moment) if span]


def _distance(span: Span, day: date) -> int:
    """Days between the day and the nearer end."""
    return max((span[0] - day).days, (day - span[1]).days)


def _named(f: Fields, moment: Moment) -> Span | None:
    """last, this, next + month, season or festival; nothing when two years would do."""
    today, rel = moment.today, f["rel"]
    past, now, ahead = _occurrences({key: value for key, value in f.items() if key != "rel"}, moment)
    if rel == "last":
        just_over = past and past[0].year == today.year and (today - past[1]).days < _CLOSE
        return None if just_over else past
    if rel == "next":
        return ahead if ahead and ahead[0].year > today.year else None
    if rel == "coming":
        return ahead
    if now or moment.tense() == -1:
        return now or past
    return ahead if ahead and ahead[0].year == today.year else None


def _occurrences(f: Fields, moment: Moment) -> tuple[Span | None, Span | None, Span | None]:
    """The last one that is over, the one that is on, and the next one."""
    today, spans = moment.today, list(_every_year(f, moment))
    past = next((span for span in reversed(spans) if span[1] <= today), None)
    now = next((span for span in spans if span[0] <= today < span[1]), None)
    ahead = next((span for span in spans if span[0] > today), None)
    return past, now, ahead


def _every_year(f: Fields, moment: Moment) -> Iterator[Span]:
    for year in range(moment.today.year - 2, moment.today.year + 3):
        of_year = {**f, "year": year}
        try:
            span = _MAKERS[kind(of_year)](of_year, moment)
        except ValueError:  # 29 February
            continue
        if span:
            yield span


# ---- distances ----


def _shifted(f: Fields, moment: Moment) -> Span | None:
    """So long before or after now or a date; the week or weekend of a date."""
    if f.get("sign") in ("before", "after") or "of" in f:
        base = _date({key: value for key, value in f.items() if key not in ("n", "unit", "sign", "of")}, moment)
        if base is None or base[2] != "day":
            return None
        if "of" in f:
            monday = monday_of(base[0])
            return weekend_of(monday) if f["of"] == "weekend" else week_of(monday)
        return moved(base[0], f["n"], f["unit"], -1 if f["sign"] == "before" else 1)
    if f.keys() & {"dow", "season"}:
        return _so_many_ago(f, moment)
    way, unit = _way(f, moment), f["unit"]
    if f["sign"] == "from_today" and unit in ("week", "fortnight"):
        return None if f["n"] % 1 else one_day(moment.today + timedelta(days=f["n"] * (7 if unit == "week" else 14)))
    return moved(moment.today, f["n"], unit, way) if way else None


def _so_many_ago(f: Fields, moment: Moment) -> Span | None:
    """Two Fridays, three summers ago: among those that are over."""
    n, today = int(f.get("n", 2)), moment.today  # "the Friday before last" is two Fridays ago
    if not n:
        return None
    if "dow" in f:
        return one_day(weekday_before(today, f["dow"]) - timedelta(weeks=n - 1))
    over = _season({"year": today.year, "season": f["season"]}, moment)[1] <= today
    return _season({"year": today.year - n + over, "season": f["season"]}, moment)


def _way(f: Fields, moment: Moment) -> int:
    """Whether it was or will be; 0 for what may be a duration ("did it in two days") or belong to a story."""
    sign = f["sign"]
    if sign in ("ago", "ahead", "from_today"):
        return -1 if sign == "ago" else 1
    tense = moment.own_tense()
    sure = tense == 1 if sign == "later" or (sign == "in" and f["n"] <= 1) else tense in (0, 1)
    return 1 if sure else 0


_Maker: TypeAlias = Callable[[Fields, Moment], Span | None]
_DAY_MAKERS: dict[str, _Maker] = {  # the fields that they take, in one combination or another
    "year month day, year month day dow, days, days dow, days month day, days year month day": _day,
    "year festival": _festival,
    "week dow": _week,
    "dow, rel dow": _weekday,
    "week dow month day, rel dow month day, week dow day, rel dow day": _said_twice,
    "day, day dow": _day_of_month,
    "month day, month day dow, festival, lunar": _recurring,
    "rel festival": _named,
    "year lunar": _lunar,
    "new_year": _new_year,
}
_SPAN_MAKERS: dict[str, _Maker] = {
    "year": lambda f, _: months_from(f["year"], 1, 12, "year"),
    "year month": lambda f, _: months_from(f["year"], f["month"], 1, "month"),
    "year month third": _third,
    "third": _bare_third,
    "month, month third, season, quarter": _recurring,
    "rel month, rel season": _named,
    "year season": _season,
    "winter": lambda f, _: months_from(f["winter"], _SEASONS["winter"], 3, "season"),
    "year quarter": lambda f, _: months_from(f["year"], 3 * f["quarter"] - 2, 3, "quarter"),
    "quarters": _quarters,
    "decade": lambda f, _: months_from(f["decade"] + (0 if f["decade"] >= 1000 else 1900), 1, 120, "decade"),
    "week": _week,
    "week weekend, weekend, rel weekend": _weekend,
}


def _by_kind(makers: Mapping[str, _Maker]) -> dict[frozenset[str], _Maker]:
    return {frozenset(keys.split()): make for kinds, make in makers.items() for keys in kinds.split(",")}


_DAYS = _by_kind(_DAY_MAKERS)
_MAKERS = _DAYS | _by_kind(_SPAN_MAKERS)
