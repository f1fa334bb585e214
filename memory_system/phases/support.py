"""Whether what a model says stands on what was said: its names, numbers, dates and values. These are checks of support
and not of wording: a right sentence may be put in any words. Each gives the reason of a fault, or nothing.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise

from memory_system import attributes, dates, text
from memory_system.dates import numerals
from memory_system.phases.basis import STOCK, Basis, bare, telling_of, told
from memory_system.records import STOCK_NAMES
from memory_system.rules import table
from memory_system.store.gist import gist_of
from memory_system.text import simplified
from memory_system.understand import matters
from memory_system.understand.judge import judge_of
from memory_system.understand.language import language, type_of_attribute
from memory_system.understand.values import value_of

FEW = 3  # telling words, below which all words of a sentence count
SUPPORTED = 0.35  # share of the telling words of a sentence that stand in what it rests on
LEAST = 4  # tokens of a value beside what fits its slot, that are worth a sentence
GRAVELY = 0.6  # and of one that is grave in the lines that it names
STEM = 4  # letters by which two forms of a word are known
UNSAID = "says what was not said"
FAR, NEAR = timedelta(days=200), timedelta(days=15)  # how far off a date may be that is meant by its day, its weekday
LONGEST = 120  # tokens of a sentence
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|my|mine|we|(?-i:us)|our|me|you|your)\b|[我咱您你]", re.IGNORECASE)
_QUOTED = re.compile('“[^”]*”|「[^」]*」|"[^"]*"')
_YEAR = re.compile(r"^\d{4}年?")
_CLOCK = re.compile(r"(?<=T)\d\d:\d\d")
_BESIDE = ("before", "after", "next", "eve", "前", "后", "第二")  # words for a day beside the one that is named
_PARTS = {"30": ("half", "半"), "15": ("quarter", "一刻"), "45": ("quarter", "三刻")}  # of an hour, by its minutes
_CAPITAL = re.compile(r"[^\W\d_][^\W_]*(?:['’-][^\W_]+)*")
_HAN = re.compile("[\u3400-\u9fff]+")


def form(basis: Basis) -> str:
    """One sentence, in the third person, in the language of its lines."""
    operation = basis.operation
    if operation.op != "end" and not told(operation).strip():
        return "says nothing"
    if text.estimate_tokens(told(operation)) > LONGEST:
        return "too long"
    if operation.text and text.language(operation.text) not in {text.language(line.words) for line in basis.named}:
        return "another language"
    return "not told in the third person" if _FIRST_PERSON.search(_QUOTED.sub("", operation.text)) else ""


def names(basis: Basis) -> str:
    said = text.straight(basis.operation.text)
    unknown = _unknown_chinese(said, basis) if text.has_cjk(said) else _unknown_names(said, basis)
    return "another name" if any(unknown) or _names_other_place(said, basis) else ""


def _unknown_names(said: str, basis: Basis) -> Iterator[bool]:
    """English words with a capital letter that nobody has said."""
    firsts = {start for start, _ in text.sentences(said)}
    for found in _CAPITAL.finditer(said):
        word = found[0].removesuffix("'s")
        is_date = word.casefold() in _calendar() or dates.is_timely(word)
        proper = [part for part in re.split("['’-]", word) if part.isalpha() and part[0].isupper() and len(part) > 1]
        if proper and word not in STOCK_NAMES and not is_date:
            plain = gist_of(word).words
            common = found.start() in firsts and not any(map(matters.is_rare, plain))
            yield not (common or text.stands_in(word, basis.sent) or basis.terms.issuperset(plain))


@cache
def _calendar() -> frozenset[str]:
    """The months and days of the week, whole and short."""
    words = map(str.casefold, (*calendar.month_name[1:], *calendar.day_name))
    return frozenset(each for word in words for each in (word, word[:3]))


def _unknown_chinese(said: str, basis: Basis) -> Iterator[bool]:
    """Chinese names that nobody has said: characters that are new behind a family name, or where names stand."""
    known = "".join(STOCK_NAMES) + basis.sent
    for run in _HAN.finditer(STOCK.sub(" ", simplified(said))):
        for at, (one, other) in enumerate(pairwise(run[0])):
            data = table("reading", "zh")
            if other not in known and not _is_plain(one, other):
                before = run[0][at - 1] if at else ""
                yield before in data["beside_names"] and one not in known if before else False
                is_word = f"{one} {other}" in judge_of("zh") or f"{before} {one}" in judge_of("zh")
                yield one in data["before_names"] and (one == "阿" or not is_word)
    latin = (each for each in _CAPITAL.findall(said) if each.isascii() and each not in STOCK_NAMES)
    yield from (not text.stands_in(each, basis.sent) for each in latin)


def _is_plain(one: str, other: str) -> bool:
    """Whether two signs are a word with which anything is told, or one of them a particle."""
    data, pair = table("reading", "zh"), one + other
    return pair in data["plain"].split() or not set(data["particles"]).isdisjoint(pair)


def _names_other_place(said: str, basis: Basis) -> bool:
    """Whether it names a place of the gazetteer that was not named, in either language."""
    rows: Sequence[Sequence[str]] = table("gazetteer", "same")
    named = (row for row in rows if any(each in said and text.stands_in(each, said) for each in row))
    return any(not any(text.stands_in(each, basis.sent) for each in row) for row in named)


def numbers(basis: Basis) -> str:
    """Dates are those that are meant, all other numbers stand there."""
    said, when = simplified(told(basis.operation)), basis.operation.when
    whens = list(dates.find(said, basis.named[-1].moment(basis.zone)))
    told_so = {_stretch(each) for each in whens if _stands(text.fold(said[slice(*each.span)]), basis.folded)}
    spans = [interval(when)] if when else []
    spans += [_stretch(each) for each in whens]
    if not all(span and (span in told_so or is_meant(*span, basis)) for span in spans):
        return "another date"
    dated = [(each.span, _figures(each.start, each.end)) for each in whens]
    found = [{time} for time in _CLOCK.findall(when)]
    found += [{each[0]} for each in numerals.FIGURES.finditer(said) if not any(_is_of(each, *date) for date in dated)]
    found += numerals.told_in(without(said, whens))
    known = all(any(_is_known(one, basis) for one in readings) for readings in found)
    return "" if known and all(_is_counted(*each, basis) for each in numerals.counted_in(said)) else "another number"


def _is_counted(figures: str, product: str, basis: Basis) -> bool:
    """Whether so many thousands or millions were said, or the figures without such a word."""
    otherwise = any(one == figures for one, other in numerals.counted_in(basis.words) if other != product)
    return product in basis.figures or not otherwise


def _stands(words: str, said: str) -> bool:
    """Whether a date stands there in these words, but for the year: 3 May is none of 13 May."""
    return re.search(rf"(?<!\d){re.escape(_YEAR.sub('', words))}(?!\d)", said) is not None


def _stretch(when: dates.When) -> tuple[datetime, datetime]:
    return bare(when.start), bare(when.end)


def _is_of(number: re.Match[str], span: tuple[int, int], figures: Collection[str]) -> bool:
    """Whether a number is one of the figures of a date that stands there."""
    return span[0] <= number.start() < span[1] and numerals.plain(number[0]) in figures


def without(said: str, whens: Sequence[dates.When]) -> str:
    """The words without their times."""
    spans = [each.span for each in whens]
    return "".join(sign for at, sign in enumerate(said) if not any(first <= at < last for first, last in spans))


def _figures(start: datetime, end: datetime) -> set[str]:
    """The numbers by which the days from one to the other are told."""
    last = end - timedelta(microseconds=1)
    return {str(number) for day in (start, last) for number in (day.year, day.year % 100, day.month, day.day)}


def _is_known(number: str, basis: Basis) -> bool:
    """Whether a number stands there; of a time of day its hour, and its minutes if there are any."""
    if numerals.plain(number) in basis.figures:
        return True
    hour, _, minute = number.partition(":")
    if not minute or not hour.isdigit():
        return False
    if basis.figures.isdisjoint({str(int(hour)), f"{int(hour) % 12}", f"{int(hour) % 12 + 12}"}):
        return False
    parts = _PARTS.get(minute, ())
    return minute == "00" or numerals.plain(minute) in basis.figures or any(each in basis.folded for each in parts)


def interval(when: str) -> tuple[datetime, datetime] | None:
    """The stretch of time that `start` or `start/end` mean; None for what is no time."""
    first, _, last = when.strip().partition("/")
    try:
        start, end = _moments(first)[0], _moments(last or first)[1]
    except ValueError:
        return None
    return (start, end) if start < end else None


def _moments(iso: str) -> tuple[datetime, datetime]:
    """The first moment of an ISO month, day or hour, and the one behind its last."""
    if len(iso) == len("2026-03"):
        start = datetime.fromisoformat(f"{iso}-01")
        return start, (start + timedelta(days=32)).replace(day=1)
    start = bare(datetime.fromisoformat(iso))
    return start, start + (timedelta(hours=1) if "T" in iso or " " in iso else timedelta(days=1))


def is_meant(start: datetime, end: datetime, basis: Basis) -> bool:
    """Whether a time is one of those that the lines speak of, by the rules for dates or by its number or weekday."""
    day = timedelta(days=1 if any(text.stands_in(each, basis.folded) for each in _BESIDE) else 0)
    if any(first - day < end and start < last + day for first, last in basis.whens):
        return True
    in_year = not basis.figures.isdisjoint(_years(start, basis))
    if end - start > timedelta(days=300):
        return in_year
    names = (f"{start:%B}".casefold(), f"{start.month}月") if end - start > timedelta(days=27) else ()
    if any(each in basis.folded for each in names):
        return True
    distance = abs(start.date() - basis.named[-1].moment(basis.zone).date())
    if (distance <= FAR or in_year) and str(start.day) in basis.figures:
        return True
    return distance <= NEAR and any(day in basis.folded for day in _weekday(start))


def _years(day: datetime, basis: Basis) -> set[str]:
    """How the year of a day is said; one that is near not by its last two figures, which may be another number."""
    near = abs(day.year - basis.named[-1].moment(basis.zone).year) <= 1
    return {str(day.year)} if near else {str(day.year), str(day.year % 100)}


def _weekday(day: datetime) -> Iterator[str]:
    yield f"{day:%A}".casefold()
    yield from (week + "一二三四五六日"[day.weekday()] for week in ("周", "星期", "礼拜"))


def content(basis: Basis) -> str:
    """Of a sentence enough was said, of what is grave in the very lines that it names; of a value all."""
    operation = basis.operation
    if not operation.text:
        return "no value of that slot" if operation.op != "end" and not fits(basis) else ""
    words = without(operation.text, list(dates.find(operation.text, basis.named[-1].moment(basis.zone))))
    telling, numbers = _telling(words, basis), len(numerals.FIGURES.findall(words))
    parts = [part for line in basis.named for part in (line.before, line.words)]
    here = _said(telling, "\n".join((*parts, basis.target.content if basis.target else "")))
    if not (here or numbers) or (basis.is_grave and here < GRAVELY):
        return UNSAID
    return UNSAID if max(here, _said(telling, basis.words, numbers)) < SUPPORTED else ""


def _telling(words: str, basis: Basis) -> set[str]:
    """The terms of a sentence that must be said: those that tell matters apart, or where these are few all, but for
    names, and for words with which anything is told."""
    aside = _plain().union(*map(matters.terms_of, (*basis.names, _template(basis))))
    telling = telling_of(_stock().sub(" ", words)) - aside
    every = matters.terms_of(STOCK.sub(" ", simplified(text.straight(words))))
    return telling if len(telling) >= FEW else {*every} - aside


def _said(telling: Collection[str], words: str, numbers: int = 0) -> float:
    """The share of the terms that stand in words, or other forms of them do (driven, drive; added, add), Chinese by its
    signs; `numbers` count as said, for that is another check."""
    known, signs = {*matters.terms_of(simplified(text.straight(words)))}, {*simplified(words)}
    stems = {each[:STEM] for each in known if each.isascii() and len(each) >= STEM}
    units = {unit for each in telling for unit in ([each] if each.isascii() else each)}
    forms = known | signs
    said = sum(not forms.isdisjoint((each, each.removesuffix("ed"))) or each[:STEM] in stems for each in units)
    return (said + numbers) / (len(units) + numbers) if units else 1.0


def _template(basis: Basis) -> str:
    """The words with which a slot is told: its value alone is to be said."""
    told = attributes.about(basis.slot).get("template", {}) if basis.slot else {}
    return " ".join(each.format(subject="", value="", of="") for both in told.values() for each in both)


@cache
def _stock() -> re.Pattern[str]:
    """Chinese words with which anybody may tell anything."""
    return re.compile("|".join(sorted(table("reading", "zh")["plain"].split(), key=len, reverse=True)))


@cache
def _plain() -> frozenset[str]:
    """Such words in English, as terms."""
    return frozenset(matters.terms_of(table("reading", "en")["plain"]))


def as_kept(basis: Basis) -> list[Basis]:
    """The operation as it may be kept, in as many as it tells things."""
    return [each for part in basis.operation.parts() for each in _as_told(replace(basis, operation=part))]


def _as_told(basis: Basis) -> list[Basis]:
    """One that tells one thing: where its value says more than its slot holds ("Eliquis, morning and night") the
    value that fits, if there is one, and all of it as a sentence; else as it is."""
    operation, lang = basis.operation, text.language(basis.named[-1].words) if basis.named else ""
    told_already = operation.op == "end" or operation.text or not operation.value.strip()
    if not lang or told_already or _is_subject(basis) or not _is_filled(basis) or fits(basis):
        return [basis]
    value = operation.value.strip()
    cut = value_of(text.straight(value), type_of_attribute(basis.slot), language(lang)) or ""
    short = [_changed(basis, value=cut)] if cut and operation.op == "add" else []
    if cut and text.estimate_tokens(value.replace(cut, "")) < LEAST:
        return short or [basis]
    spoken = "zh" if text.has_cjk(value) else lang
    return [*short, _changed(basis, slot=basis.slot, value="", text=basis.slot_told(value, spoken))]


def _changed(basis: Basis, **fields: str) -> Basis:
    return replace(basis, operation=basis.operation.model_copy(update=fields))


def _is_filled(basis: Basis) -> bool:
    """Whether there is a sentence that says what stands in the slot."""
    return "template" in attributes.about(basis.slot)


def _is_subject(basis: Basis) -> bool:
    """Whether the value is the one whom it is about: nobody is their own colleague."""
    return text.fold(basis.operation.value.strip()) == text.fold(basis.subject)


def fits(basis: Basis) -> bool:
    """Whether the slot is a known one, and the value one of its type that was said."""
    value = text.straight(basis.operation.value.strip())
    if not value or _is_subject(basis) or not _is_filled(basis):
        return False
    grammar = language(text.language(basis.named[-1].words))
    cut = value_of(value, type_of_attribute(basis.slot), grammar) or ""
    plain = gist_of(value).words
    said = text.fold(simplified(value)) in basis.folded or (value.isascii() and basis.terms.issuperset(plain))
    return said and text.fold(cut) == text.fold(value)
