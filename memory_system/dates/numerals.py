"""Numbers in figures and in words, all told in figures: 5,800 is 5800, "twenty eighth" 28, "nineteen and eighty eight"
1988, "fifty eight hundred" 5800, "six thirty" 6:30 or 630, 三点八 3.8, 一千二百 1200. Where words can be read in
several ways, each is given: what asks is whether a number was said, not which one was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_ORDINALS = [
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SMALL = {word: number for number, word in enumerate(_ONES)}
_SMALL |= {word: number for number, word in enumerate(_ORDINALS)} | {"oh": 0, "nought": 0}
_SMALL |= {f"{word}th": number for number, word in enumerate(_ONES) if number > 12}
_LARGE = {word: 20 + 10 * number for number, word in enumerate(_TENS)}
_LARGE |= {f"{word[:-1]}ieth": number for word, number in _LARGE.items()}
_TIMES = {"hundred": 100, "thousand": 1_000, "grand": 1_000, "million": 1_000_000}
_WORDS = "|".join(sorted({*_SMALL, *_LARGE, *_TIMES}, key=len, reverse=True))
_RUN = re.compile(rf"\b(?:{_WORDS}|\d+)(?:s?(?:[ -]|,? and )(?:{_WORDS}|\d+))*\b")
_WORD = re.compile(rf"{_WORDS}|\d+")
_TIMES_OF = re.compile(rf"(\d[\d,]*(?:\.\d+)?)[ -]({'|'.join(_TIMES)})\b", re.IGNORECASE)
FIGURES = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:[.:]\d+)*")
_DOTTED = re.compile(  # a time of day: 8.30, and no 1.25 mg
    r"(?<![\d.£$€])([12]?\d)\.([0-5]\d)(?![\d.%])"
    r"(?!\s?(?:m?[gl]|mcg|µg|k[gm]?|[cm]?m|lbs?|oz|units?|hours?|hundred|thousand|million)\b|[\u3400-\u9fff])"
)
DIGITS = {sign: number for number, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}
_ONE = "[一二两三四五六七八九]?"
_ANY = "[零〇一二两三四五六七八九]"
_NUMERAL = re.compile(f"(?:(?:{_ONE}[十百千万]零?)+{_ONE}|{_ANY}+)(?:[点半](?:{_ANY}|十)*)?")
_WEEKS = ("周", "星期", "礼拜")  # before a weekday's sign: 礼拜四八百米 may be 800 metres, 每周五百块 is 500
_HALF = "半"
_CLOCK_HOURS, _HOUR, _CENTURY = 12, 60, 100


def said_in(words: str) -> set[str]:
    """The numbers that words name, whole and in part."""
    found = {plain(each) for each in FIGURES.findall(words)}
    found |= {part for each in tuple(found) for part in each.split(":")}
    found |= {plain(part) for each in _DOTTED.finditer(words) for part in each.groups()}
    found |= {product for _, product in counted_in(words)}
    for parts in _runs(words):
        found.update(str(each) for each in parts if each >= 0)
        found.update(_wholes(parts))
    for each in chain.from_iterable(_signs(words)):
        found.update(_chinese(each), {f"{value_of(part):g}" for part in re.split("[点半]", each) if part})
    return found | ({"0.5"} if _HALF in words else set())


def told_in(words: str) -> Iterator[set[str]]:
    """Of each number in words what it may mean as a whole; of "one" and of single Chinese signs nothing: they stand in
    other words as well; nor of what `counted_in` gives."""
    yield from (_wholes(parts) for parts in _runs(_TIMES_OF.sub(" ", words)) if parts != [1])
    yield from (set().union(*map(_chinese, each)) for each in _signs(words) if len(each[0]) > 1)


def counted_in(words: str) -> Iterator[tuple[str, str]]:
    """Of each number in figures that a word multiplies, the figures and what they come to: 2.45 million, 2450000."""
    for figures, times in _TIMES_OF.findall(words):
        yield plain(figures), f"{float(figures.replace(',', '')) * _TIMES[times.casefold()]:.10g}".replace("e+", "e")


def _signs(words: str) -> Iterator[list[str]]:
    """Each Chinese numeral, and behind a word for a week what stands there without a weekday's sign."""
    for found in _NUMERAL.finditer(words):
        is_day = words[: found.start()].endswith(_WEEKS)
        rest = _NUMERAL.match(words, found.start() + 1) if is_day else None
        yield [found[0], rest[0]] if rest else [found[0]]


def plain(number: str) -> str:
    """The figures without what does not count: 05 is 5, 10,000 is 10000."""
    return re.sub(r"^0+(?=\d)", "", number.replace(",", ""))


def _runs(words: str) -> Iterator[list[int]]:
    """The numbers below a hundred of each run of English number words, and what multiplies them, negative."""
    for run in _RUN.finditer(words.casefold()):
        if not run[0][-1].isdigit():  # 2026-04-15 is none
            yield list(_parts(_WORD.findall(run[0])))


def _parts(words: list[str]) -> Iterator[int]:
    tens = 0  # that wait for their ones
    for word in words:
        if tens and 0 < _SMALL.get(word, 0) < 10:
            yield tens + _SMALL[word]
            tens = 0
            continue
        if tens:
            yield tens
        tens = _LARGE.get(word, 0)
        if word in _TIMES:
            yield -_TIMES[word]
        elif not tens:
            yield _SMALL[word] if word in _SMALL else int(word)
    if tens:
        yield tens


def _wholes(parts: list[int]) -> set[str]:
    """What such parts mean together: one number, a year or a time of day; of many without a unit each may be meant."""
    if min(parts) < 0:
        return {str(_product(parts))}
    if len(parts) != 2:
        return {str(each) for each in parts}
    one, other = parts
    clock = {f"{hour}:{other:02}" for hour in (one, one + 12)} if one <= _CLOCK_HOURS and other < _HOUR else set()
    return {str(_CENTURY * one + other), *clock} if other < _CENTURY else {str(one), str(other)}


def _product(parts: list[int]) -> int:
    """Two, thousand, five, hundred: 2500."""
    total = held = 0
    for part in parts:
        held = held + part if part >= 0 else max(held, 1) * -part
        if part <= -_TIMES["thousand"]:
            total, held = total + held, 0
    return total + held


def _chinese(numeral: str) -> set[str]:
    """What a Chinese numeral means: 五点二十 is a time of day, 三点八 a decimal or one."""
    sign = next((each for each in ("点", _HALF) if each in numeral), "")
    whole, _, part = numeral.partition(sign) if sign else (numeral, "", "")
    if sign != "点" or not part:
        return {f"{value_of(whole) + (0.5 if sign == _HALF else 0):g}", f"{value_of(whole):g}"}
    clock = f"{value_of(whole):g}:{value_of(part):02g}"
    return {clock} if "十" in part else {clock, f"{value_of(whole):g}.{''.join(str(DIGITS[each]) for each in part)}"}


def value_of(numeral: str) -> int:
    """三万五 is 35000, 二十 20, 一二 12."""
    total = section = digit = unit = 0
    for sign in numeral:
        if sign in DIGITS:
            digit = digit * 10 + DIGITS[sign]
        elif sign == "万":
            total, section, digit, unit = (section + digit) * _UNITS[sign], 0, 0, _UNITS[sign]
        else:
            section, digit, unit = section + max(digit, 1) * _UNITS[sign], 0, _UNITS[sign]
    trailing = unit // 10 if unit > 10 and numeral[-2:-1] in _UNITS else 1  # 三万五, 一百二
    return total + section + digit * trailing
