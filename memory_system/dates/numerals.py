"""Numbers that words may mean: "twenty eighth" is 28, "nineteen and eighty eight" 1988, "fifty eight hundred" 5,800,
"six thirty" also 6:30, 三点八 also 3.8. Where words can be read in several ways each of them is given: what asks is
whether a number was said, not which one was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from memory_system.dates.atoms import count

_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
""".split()  # noqa: SIM905 - words one after another are read more easily
_ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()  # noqa: SIM905
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
_NUMERAL = re.compile("[零〇一二两三四五六七八九十百千半]+")
_POINT = re.compile("([零〇一二两三四五六七八九十百千\\d]+)点([零〇一二两三四五六七八九\\d]+)")
_CLOCK_HOURS, _HOUR, _CENTURY = 12, 60, 100


def english(words: str) -> set[str]:
    """The numbers of English words, in figures."""
    return {each for readings in runs(words) for each in readings}


def runs(words: str) -> Iterator[set[str]]:
    """Of each run of English number words what it may mean: its parts, and what they make."""
    for run in _RUN.finditer(words.casefold()):
        if not run[0][-1].isdigit():  # 2026-04-15 is none
            yield set(_read(list(_parts(_WORD.findall(run[0])))))


def _parts(words: list[str]) -> Iterator[int]:
    """The numbers below a hundred of a run, and what multiplies them, negative."""
    waiting = 0
    for word in words:
        if word in _SMALL and waiting and 0 < _SMALL[word] < 10:
            yield waiting + _SMALL[word]
            waiting = 0
            continue
        if waiting:
            yield waiting
        waiting = _LARGE.get(word, 0)
        if word in _TIMES:
            yield -_TIMES[word]
        elif not waiting:
            yield _SMALL[word] if word in _SMALL else int(word)
    if waiting:
        yield waiting


def _read(parts: list[int]) -> Iterator[str]:
    """What such parts may mean: alone, one behind the other (a year, a time of day), and all together."""
    yield from (str(each) for each in parts if each >= 0)
    for one, other in pairwise(parts):
        if one > 0 and 0 <= other < _CENTURY:
            yield str(_CENTURY * one + other)
            yield from (f"{hour}:{other:02}" for hour in (one, one + 12) if one <= _CLOCK_HOURS and other < _HOUR)
    total = held = 0
    for part in parts:
        if part >= 0:
            held += part
        else:
            held = max(held, 1) * -part
            yield str(held)
        if part <= -_TIMES["thousand"]:
            total, held = total + held, 0
    if min(parts) < 0:
        yield str(total + held)


def chinese(words: str) -> set[str]:
    """The numbers of Chinese words, in figures: 六十二点五 is 62, 5 and 62.5."""
    found = {f"{number:g}" for each in _NUMERAL.findall(words) if (number := count(each)) is not None}
    for whole, part in _POINT.findall(words):
        before, behind = count(whole), [count(sign) for sign in part]
        if before is not None and None not in behind:
            found.add(f"{before:g}." + "".join(f"{sign:g}" for sign in behind if sign is not None))
    return found
