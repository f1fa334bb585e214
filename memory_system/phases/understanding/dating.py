"""What leans on the moment of speaking without naming a time: what has just happened is told with the day by which it
had, what has lasted for years or months with when it began.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from memory_system import dates
from memory_system.rules.words import is_word

_JUST = {
    "en": re.compile(r"\b(?:just|finally) (?:\w+ly )?([a-z]+)\b(?! (?:like|as if)\b)", re.IGNORECASE),
    "zh": re.compile("(?:刚(?!才|好|巧|需|性|毅|直|强|果|开始|一)|终于).{2}"),
}
_CUES = {"en": ("just ", "finally "), "zh": ("刚", "终于")}
_ELSEWHEN = {  # it was just so at another time, or is asked or supposed
    "en": re.compile(
        r"\b(?:when|while|before|after|until|once|if|had|was|were|would|could|didn't|not|never)\b|'d\b|\?",
        re.IGNORECASE,
    ),
    "zh": re.compile("时|那[年天次]|以前|之前|当初|如果|要是|的话|没|不|[吗呢？]"),
}
_NOW = {  # what is so in these weeks; 最近 is said of nearly everything
    "en": re.compile(r"\b(?:lately|currently|right now|at the moment|these days|nowadays)\b", re.IGNORECASE),
    "zh": re.compile("目前(?!没)|这阵子|这段(?:时间|日子)"),
}
_SUPPOSED = {
    "en": re.compile(r"\b(?:if|until|would|used to)\b|\?", re.IGNORECASE),
    "zh": re.compile("如果|要是|的话|当时|那时|以前|[吗呢？]"),
}
_ENDS = {
    "en": re.compile(
        r"[.!?](?=\s|$)|[;\n]| [-–—] |,? (?:and|but|so|because|since|while|when|which|who)\b", re.IGNORECASE
    ),
    "zh": re.compile("[，。！？；\n]"),
}
_LASTING = {
    "en": re.compile(
        r"\b(?P<for>for (?:about |around )?)?"
        r"(?P<count>\d{1,2}|a|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) (?P<unit>year|month)s?"
        r"(?P<now> now)?\b(?! (?:ago|old|before|after|later|until|of|straight|each|every|per)\b)",
        re.IGNORECASE,
    ),
    "zh": re.compile(
        "(?<![第再差快到多一二两三四五六七八九十0-9])(?P<count>[一二两三四五六七八九十]{1,3}|[0-9]{1,2})(?P<unit>年|个月)了"
        "(?!才|就|还)"
    ),
}
_PERFECT = re.compile(r"\b(?:have|has|haven't|hasn't|been)\b(?! to\b)|'ve\b", re.IGNORECASE)
_SINCE = {"en": " (since {})", "zh": "（自{}起）"}
_AS_OF = {"en": " (as of {})", "zh": "（截至{}）"}
_LETTER = re.compile(r"\w")
_NEAR = {"en": 1, "zh": 4}  # characters between a value and how long it has been so: a blank, 工作了
_COST = {"en": 7, "zh": 10}  # tokens of such a day


def dated(words: str, anchor: datetime, lang: str, *, led: bool = False) -> str:
    """The words of somebody who spoke at that time, in which no time is named, with the day by which what is told as
    just done was done, on which what is so lately was so, or with the beginning of what has lasted, in brackets. `led`
    says that something was said before them: a length of time that opens them is then of that."""
    for start, place, began in _lasting(words, anchor, lang):
        if led and not _LETTER.search(words, 0, start):
            continue
        return words[:place] + began + words[place:]
    stop = next(_told_as_of(words, lang), None)
    if stop is None:
        return words
    day = dates.spell(dates.When((0, 0), anchor, anchor, "day", ""), lang)
    return words[:stop] + _AS_OF[lang].format(day) + words[stop:]


def _told_as_of(words: str, lang: str) -> Iterator[int]:
    """Where the clauses end that tell what has just happened, or what is so lately."""
    for just in _JUST[lang].finditer(words):
        start, stop = _clause_around(just, words, lang)
        if _is_event(just, lang) and not _ELSEWHEN[lang].search(words[start : stop + 1]):
            yield stop
    for now in _NOW[lang].finditer(words):
        start, stop = _clause_around(now, words, lang)
        if not _SUPPOSED[lang].search(words[start : stop + 1]):
            yield stop


def _clause_around(found: re.Match[str], words: str, lang: str) -> tuple[int, int]:
    end = _ENDS[lang].search(words, found.end())
    start = max((each.end() for each in _ENDS[lang].finditer(words, 0, found.start())), default=0)
    return start, end.start() if end else len(words)


def cost_of(words: str, lang: str) -> int:
    """About how many tokens the day adds of what has just happened, or is so lately."""
    just = any(each in words for each in _CUES[lang])
    if just and any(_is_event(each, lang) for each in _JUST[lang].finditer(words)):
        return _COST[lang]
    return _COST[lang] * bool(_NOW[lang].search(words))


def _is_event(just: re.Match[str], lang: str) -> bool:
    if lang == "zh":
        return True
    verb = just[1].lower()
    return not is_word("no_event", verb) and (is_word("past", verb) or verb.endswith("ed"))


def since(words: str, value_end: int, anchor: datetime, lang: str) -> str:
    """When that began which has lasted until now, in brackets, where the words say so right behind a value that ends
    there; else empty."""
    return next(
        (began for start, _, began in _lasting(words, anchor, lang) if 0 <= start - value_end <= _NEAR[lang]), ""
    )


def _lasting(words: str, anchor: datetime, lang: str) -> Iterator[tuple[int, int, str]]:
    """Where the words say that something has lasted until now, and when that began, in brackets."""
    for span in _LASTING[lang].finditer(words):
        before = words[: span.start()]
        now = lang == "zh" or span["now"] or (span["for"] and _PERFECT.search(re.split("[.!?;]", before)[-1]))
        if now and (began := _began(span, anchor, lang)):
            yield *span.span(), _SINCE[lang].format(began)


def _began(span: re.Match[str], anchor: datetime, lang: str) -> str:
    count = int(dates.count(span["count"]) or 0)
    if not 0 < count < anchor.year:
        return ""
    if span["unit"].lower() in ("year", "年"):
        start = anchor.replace(year=anchor.year - count, month=1, day=1)
        return dates.spell(dates.When((0, 0), start, start, "year", ""), lang)
    months = anchor.year * 12 + anchor.month - 1 - count
    start = anchor.replace(year=months // 12, month=months % 12 + 1, day=1)
    return dates.spell(dates.When((0, 0), start, start, "month", ""), lang)
