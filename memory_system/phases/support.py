"""Whether what a model says stands on what was said: its names, numbers, dates and values. These are checks of support
and not of wording: a right sentence may be put in any words. Each gives the reason of a fault, or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import cache
from itertools import pairwise

from memory_system import attributes, dates, text
from memory_system.phases.basis import Basis, bare, told
from memory_system.records import STOCK_NAMES
from memory_system.rules import table
from memory_system.store.gist import gist_of
from memory_system.text.traditional import simplified
from memory_system.understand import matters
from memory_system.understand.language import language, type_of_attribute
from memory_system.understand.values import value_of

SUPPORTED = 0.45  # share of the telling words of a sentence that stand in what it rests on
STEM = 4  # letters by which two forms of a word are known
UNSAID = "says what was not said"
FAR, NEAR = timedelta(days=200), timedelta(days=15)  # how far off a date may be that is meant by its day, its weekday
LONGEST = 120  # tokens of a sentence
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|my|mine|we|us|our|me|you|your)\b|[我咱您你]", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.:]\d+)*")
_CLOCK = re.compile(r"(?<=T)\d\d:\d\d")
_BESIDE = ("before", "after", "next", "eve", "前", "后", "第二")  # words for a day beside the one that is named
_PARTS = {"30": ("half", "半"), "15": ("quarter", "一刻"), "45": ("quarter", "三刻")}  # of an hour, by its minutes
_NUMERAL = re.compile("[零〇一二两三四五六七八九十百千半]+")
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
    return "not told in the third person" if _FIRST_PERSON.search(operation.text) else ""


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
        if word[0].isupper() and word not in STOCK_NAMES and not is_date:
            plain = gist_of(word).words
            common = found.start() in firsts and not any(map(matters.is_rare, plain))
            yield not (common or text.stands_in(word, basis.words) or basis.terms.issuperset(plain))


@cache
def _calendar() -> frozenset[str]:
    """The months and days of the week, whole and short."""
    months = (date(2024, month, 1).strftime("%B").casefold() for month in range(1, 13))
    days = (date(2024, 1, day).strftime("%A").casefold() for day in range(1, 8))
    return frozenset(each for word in (*months, *days) for each in (word, word[:3]))


def _unknown_chinese(said: str, basis: Basis) -> Iterator[bool]:
    """Chinese names that nobody has said: characters that are new behind a family name, or where names stand."""
    known, data = "".join(STOCK_NAMES) + basis.words, table("reading", "zh")
    plain = {*_plain("zh"), *table("everyday", "zh")["everyday"].split(), *table("everyday", "zh")["common"].split()}
    for run in _HAN.finditer(simplified(said)):
        for at, (one, other) in enumerate(pairwise(run[0])):
            if other in known or one + other in plain or not set(data["particles"]).isdisjoint((one, other)):
                continue
            before = run[0][at - 1] if at else "" if run.start() else "叫"  # a sentence may begin with a name
            yield one in data["before_names"] or (one not in known and before in {*data["beside_names"]})
    latin = (each for each in _CAPITAL.findall(said) if each.isascii() and each not in STOCK_NAMES)
    yield from (not text.stands_in(each, basis.words) for each in latin)


@cache
def _plain(lang: str) -> frozenset[str]:
    """Words by which anybody may tell anything."""
    words: str = table("reading", lang)["plain"]
    return frozenset(each for word in words.split() for each in (word, *(gist_of(word).words if lang == "en" else ())))


def _names_other_place(said: str, basis: Basis) -> bool:
    """Whether it names a place of the gazetteer that was not named, in either language."""
    rows: Sequence[Sequence[str]] = table("gazetteer", "same")
    named = (row for row in rows if any(each in said and text.stands_in(each, said) for each in row))
    return any(not any(text.stands_in(each, basis.words) for each in row) for row in named)


def numbers(basis: Basis) -> str:
    """Dates are those that are meant, all other numbers stand there."""
    said, when = told(basis.operation), basis.operation.when
    whens = list(dates.find(said, basis.named[-1].moment(basis.zone)))
    spans = [interval(when)] if when else []
    spans += [(bare(each.start), bare(each.end)) for each in whens]
    if not all(span and is_meant(*span, basis) for span in spans):
        return "another date"
    days = [each.span for each in whens if each.end - each.start >= timedelta(days=1)]
    rest = "".join(sign for at, sign in enumerate(said) if not any(first <= at < last for first, last in days))
    found = {*_NUMBER.findall(rest), *_CLOCK.findall(when)} | (set() if text.has_cjk(rest) else _numbers_in(rest))
    return "" if all(_is_known(number, basis) for number in found) else "another number"


def _is_known(number: str, basis: Basis) -> bool:
    """Whether a number stands there; of a time of day its hour, and its minutes if there are any."""
    known = _numbers_in(basis.words)
    if number in known:
        return True
    known |= {part for each in known for part in each.split(":")}
    hour, _, minute = number.partition(":")
    if not minute or not hour.isdigit():
        return False
    if known.isdisjoint({str(int(hour)), f"{int(hour) % 12}", f"{int(hour) % 12 + 12}"}):
        return False
    return minute in {"00", *known} or any(each in basis.folded for each in _PARTS.get(minute, ()))


def _numbers_in(words: str) -> set[str]:
    """The numbers of words, in figures."""
    found = {number for part in words.split("\n") for each in gist_of(part).words for number in _NUMBER.findall(each)}
    counts = (dates.count(each) for each in _NUMERAL.findall(words))
    return found | {*_NUMBER.findall(words)} | {f"{count:g}" for count in counts if count is not None}


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
    names = (f"{start:%B}".casefold(), f"{start.month}月") if end - start > timedelta(days=27) else ()
    if any(each in basis.folded for each in names):
        return True
    distance = abs(start.date() - basis.named[-1].moment(basis.zone).date())
    if distance <= FAR and str(start.day) in _numbers_in(basis.words):
        return True
    return distance <= NEAR and any(day in basis.folded for day in _weekday(start))


def _weekday(day: datetime) -> Iterator[str]:
    yield f"{day:%A}".casefold()
    yield from (week + "一二三四五六日"[day.weekday()] for week in ("周", "星期", "礼拜"))


def content(basis: Basis) -> str:
    """Of a sentence enough was said; of a value all."""
    operation = basis.operation
    if not operation.text:
        return "no value of that slot" if operation.op != "end" and not fits(basis) else ""
    said = text.straight(operation.text)
    for each in reversed(list(dates.find(said, basis.named[-1].moment(basis.zone)))):
        said = said[: each.span[0]] + said[each.span[1] :]
    said = re.sub("|".join(sorted(_plain("zh"))), " ", said)
    stock = {word for name in STOCK_NAMES for word in gist_of(name).words} | _plain("en")
    words = {*gist_of(said).words} - stock
    telling = [each for each in words if not each[0].isdigit() and matters.tells(each)]
    missing = [each for each in telling if not _stands(each, basis)]
    if basis.is_grave and any(_is_new(each, missing, basis) for each in (*missing, *matters.terms_of(said))):
        return UNSAID
    return UNSAID if len(telling) - len(missing) < SUPPORTED * len(telling) else ""


def _is_new(term: str, missing: Sequence[str], basis: Basis) -> bool:
    """Whether a term tells a matter that was not spoken of: a rare English word, two Chinese characters."""
    if term.isascii():
        return term in missing and matters.is_rare(term)
    known = term in _plain("zh") or not set(table("reading", "zh")["particles"]).isdisjoint(term)
    return len(term) > 1 and not known and set(term).isdisjoint(basis.words + "".join(STOCK_NAMES))


def _stands(word: str, basis: Basis) -> bool:
    """Whether a word was said, in that form or another: driven, drive."""
    stem = word[:STEM] if word.isascii() and len(word) > STEM else ""
    return word in basis.terms or (bool(stem) and any(each.startswith(stem) for each in basis.terms))


def fits(basis: Basis) -> bool:
    """Whether the slot is a known one, and the value one of its type that was said."""
    value = text.straight(basis.operation.value.strip())
    if not value or not attributes.about(basis.slot):
        return False
    grammar = language(text.language(basis.named[-1].words))
    cut = value_of(value, type_of_attribute(basis.slot), grammar) or ""
    plain = gist_of(value).words
    said = text.fold(simplified(value)) in basis.folded or (value.isascii() and basis.terms.issuperset(plain))
    return said and text.fold(cut) == text.fold(value)
