"""What a memory is about, as far as a word for it tells: each kind of thing by one word ("flight" for "flying"), and
the same in the other language (看牙 for "dentist").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from memory_system import rules
from memory_system.records import Fact
from memory_system.store.gist import gist_of, is_time

_BESIDE = {"en": 6, "zh": 14}  # words (Chinese: characters) that a memory may say beside
_OPTIONAL = re.compile(r"\??'?\?|[()]")  # "flights?" is looked for as "flights"
_EMPTY = re.compile(
    r"^(?:[^，]{1,8}?(?:说|通知)(?!明))?(?:所以|那么?|然后|我们?|咱们?|你|那个|这个|原来|本来|去|把|医生|给|将|的|说)*|(?:以后|今后)$|的?(?:事情?|计划|安排|时间|日期|行程)$"
)
_DAY = {
    "en": re.compile(r"^(?:(?:this|next|on) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:'s)? (?=\w)", re.IGNORECASE),
    "zh": re.compile(
        r"^(?:[这下]?个?(?:周|星期|礼拜)[一二三四五六日天末]|今天|明天|后天)(?:[早晚]上?|[上中下]午)?的?(?=\w)"
    ),
}


class Sense(NamedTuple):
    """What is named, in the words of one language: as it may be looked for, and the words that say what it is."""

    said: str
    words: frozenset[str]


def senses(what: str, lang: str, *, abroad: bool) -> dict[str, Sense]:
    """What the words mean, by language; in the other one where it is wanted and every word has its equal there. Empty
    where they name nothing."""
    words = core(what, lang)
    found = {lang: Sense(f"{what} {_spelled(words, lang)}", words)} if words else {}
    other = "zh" if lang == "en" else "en"
    if words and abroad and (equal := _equals(words, lang)):
        found[other] = Sense(f"{' '.join(sorted(equal))} {_spelled(equal, other)}", equal)
    return found


def _spelled(words: frozenset[str], lang: str) -> str:
    """The other words of their kinds, for looking: who is getting married spoke of no wedding."""
    rows = [row for row in rules.table("alike", lang)["kinds"] if core(row[0], lang) <= words]
    return " ".join(_OPTIONAL.sub("", each) for row in rows for each in row[1:])


def _equals(words: frozenset[str], lang: str) -> frozenset[str]:
    """The words of the other language, none where one is not known there."""
    known = _pairs(lang)
    return frozenset(filter(None, (known[each] for each in words))) if words <= known.keys() else frozenset()


@cache
def _pairs(lang: str) -> dict[str, str]:
    rows = rules.table("alike", "en")["pairs"]
    if lang == "zh":
        return {core_of: english for english, chinese in rows for core_of in core(chinese, "zh")}
    return {core_of: chinese for english, chinese in rows for core_of in core(english, "en")}


def without_day(what: str, lang: str) -> str:
    """The words without the weekday that they begin with: "Friday's dinner" is a dinner."""
    return _DAY[lang].sub("", what)


def is_about(words: frozenset[str], fact: Fact) -> bool:
    """Whether the fact has all of the words, or others for the same, and says little else but when."""
    if fact.lang == "zh":
        told = _canonical(fact.content, "zh")
        beside = [sign for sign in gist_of(told).words if not is_time(sign)]
        plain = f"{told} {''.join(gist_of(told).words)}"  # 老爸 is 爸 there
        return (
            all(word in plain or "".join(gist_of(word).words) in plain for word in words)
            and len(beside) <= sum(map(len, words)) + _BESIDE["zh"]
        )
    theirs = core(f"{fact.content} {fact.attribute}", "en")
    beside = [word for word in theirs - words if not is_time(word)]
    return words <= theirs and len(beside) <= _BESIDE["en"]


def is_beside(words: frozenset[str], fact: Fact) -> bool:
    """Whether the words name who or what is only there as well: a child that is taken somewhere, whose house it is."""
    told = _canonical(fact.content, fact.lang)
    beside = rules.table("alike", fact.lang)["beside"]
    return any(re.search(beside.replace("{what}", re.escape(word)), told, re.IGNORECASE) for word in words)


def are_one(facts: Sequence[Fact]) -> bool:
    """Whether the facts tell of one matter: on one day, or in the same words where one does not tell the day."""
    return all(_is_one_with(each, other) for at, each in enumerate(facts) for other in facts[at + 1 :])


def _is_one_with(one: Fact, other: Fact) -> bool:
    when, then = one.event_time, other.event_time
    mine, theirs = (
        frozenset(word for word in gist_of(each.content).words if not is_time(word)) for each in (one, other)
    )
    if when is not None and then is not None:
        together = when.start[:10] == then.start[:10] or (when.start < then.end and then.start < when.end)
        return mine == theirs or together
    return one.lang != other.lang or mine <= theirs or theirs <= mine


def core(what: str, lang: str) -> frozenset[str]:
    """The words that say what it is, each kind of thing by one word."""
    if lang == "zh":
        pieces = (_EMPTY.sub("", piece) for piece in _canonical(what, "zh").split("的"))
        return frozenset(part for piece in pieces for part in _kin().sub(r"\1 ", piece).split())
    return frozenset(gist_of(_canonical(what.lower(), "en")).words) - _light()


@cache
def _kin() -> re.Pattern[str]:
    """A kinsman whose matter it is: 老爸寿宴."""
    kin = "|".join(sorted(rules.table("zh", "parts")["kin_word"].split("|"), key=len, reverse=True))
    return re.compile(f"^({kin})(?=[^生]{{2}})")


@cache
def _light() -> frozenset[str]:
    return frozenset(rules.table("alike", "en")["owners"].split())


def _canonical(words: str, lang: str) -> str:
    for pattern, first in _kinds(lang):
        words = pattern.sub(first, words)
    return words


@cache
def _kinds(lang: str) -> list[tuple[re.Pattern[str], str]]:
    rows = rules.table("alike", lang)["kinds"]
    mark = r"\b" if lang == "en" else ""
    return [(re.compile(rf"{mark}(?:{'|'.join(row[1:])}){mark}", re.IGNORECASE), row[0]) for row in rows]
