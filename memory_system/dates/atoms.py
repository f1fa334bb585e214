"""From text to pieces: the time words of a text with the fields they carry, neighbours joined. The words are data
(`rules/dates.toml`); what is decided here is only where a piece begins, ends and belongs to the next one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from memory_system.dates.calendar import joinable
from memory_system.dates.intervals import TIMES, festival_form, festival_number, kind
from memory_system.dates.numerals import DIGITS, value_of
from memory_system.rules import Rule, RuleSet, caseless, table
from memory_system.text import paused, simplified

_JOIN = {
    "en": re.compile(r"(?i),? ?(?:(?:at|on|in|of|from) )?(?:the )?(?:around |about )?| ?\( ?|: "),
    "zh": re.compile(r" ?(?:的|在|，|,|（|\()? ?"),
}
_COPULA = re.compile(r"(?i)\s(?:is|was|will be)(?: a)?\s|[，,]?\s?[是就]+\s?")
_VAGUE = [frozenset((key,)) for key in ("dow", "festival", "weekend", "day", "lunar", "new_year")]
_HAN = re.compile("[\u4e00-\u9fff]")
_TENS = re.compile(r"(?:[一二两三四五六七八九]百零?)?(?:[二三四五六七八九一]?十|廿)?零?[一二三四五六七八九]?")
_PLAIN = str.maketrans("０１２３４５６７８９：／．－’", "0123456789:/.-'")  # same length, so that spans stay
_NAMED = frozenset(("rel", "unit", "sign", "part", "season", "third", "of"))  # whose values are words, mostly the same
_WIDE = "wide"
_MONTHS = 12
_NAME = re.compile(r"\{([a-z_]+)\}")


@dataclass(slots=True)
class Piece:
    """text[start:end] and what it says about time."""

    start: int
    end: int
    lang: str
    fields: dict[str, Any]

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def is_timely(text: str) -> bool:
    """Whether a word of time stands in the text: cheap, and true of every text with an expression."""
    return bool(_firing(simplified(text)))


@lru_cache(maxsize=256)  # whether there is any is asked before which they are
def _firing(text: str) -> Sequence[Rule]:
    return _atoms().firing(text)


def pieces(text: str) -> tuple[str, list[Piece]]:
    """The text with its digits, signs and characters in one form, as long as it was, and its pieces, in order, not
    overlapping; those that say nothing alone are still among them."""
    text = simplified(text)
    fired = _firing(text)
    if fired and fired[0].id == _WIDE:
        text = text.translate(_PLAIN)
        fired = [rule for rule in _firing(text) if rule.id != _WIDE]
    found = [piece for rule in fired for piece in _matches(rule, text)]
    if not found:
        return text, []
    text = paused(text)
    found.sort(key=lambda piece: (piece.start, -piece.end))
    kept: list[Piece] = []
    end = 0
    for piece in found:
        if piece.start >= end:
            end = piece.end
            kept.append(piece)
    return text, _joined(kept, text)


def _joined(apart: list[Piece], text: str) -> list[Piece]:
    joined: list[Piece] = []
    for number, piece in enumerate(apart):
        last = joined[-1] if joined else None
        gap = text[last.end : piece.start] if last and piece.start - last.end < 12 else None
        if last is None or gap is None or _opens_week(piece, apart[number + 1 : number + 2], text):
            joined.append(piece)
        elif _JOIN[piece.lang].fullmatch(gap) and _may_join(last, piece) and not (gap and _goes_back(last, piece)):
            last.fields.update(piece.fields)
            last.end = _closed(text, gap, piece.end)
        elif not _apposition(last, piece, gap):
            joined.append(piece)
    return joined


def _opens_week(piece: Piece, after: list[Piece], text: str) -> bool:
    """Whether days of the week begin with it ("Monday to Friday"), which says nothing of a date before them."""
    days = [kind(each.fields) == {"dow"} for each in (piece, *after)]
    return days == [True, True] and bool(patterns("range")[piece.lang].fullmatch(text, piece.end, after[0].start))


def _may_join(left: Piece, right: Piece) -> bool:
    """Chinese goes from the large to the small: no year stands after a month. "The week of" begins something new, and
    "yesterday" is explained by a date ("yesterday, May 7"), not the other way round."""
    known, new = kind(left.fields), right.fields.keys()
    if right.lang == "zh" and right.fields.get("sign") in ("before", "after"):
        return known == {"year", "month", "day"} and not left.fields.keys() & TIMES  # 2023年6月9日的前一周
    if known and ((right.lang == "zh" and new & {"year", "years"}) or (right.lang == "en" and "of" in new)):
        return False
    if left.lang == "en" and left.fields.keys() == {"year"} and "month" in new:
        return False  # "in 2016, on May 7, 2020"
    return not ("day" in known and "days" in new) and joinable(left.fields, right.fields)


def _goes_back(left: Piece, right: Piece) -> bool:
    """Whether in Chinese a day stands behind an hour: "until two, and tomorrow …"."""
    return right.lang == "zh" and left.fields.keys() <= TIMES and bool(kind(right.fields))


def _apposition(last: Piece, piece: Piece, gap: str) -> bool:
    """Whether the piece says again when the last one is ("today is Friday"), or hangs on it in a way not known here."""
    keys, before = kind(piece.fields), kind(last.fields)
    if keys not in _VAGUE or keys <= before or not before:
        return False
    return bool(_JOIN[piece.lang].fullmatch(gap) or (before & {"days", "day"} and _COPULA.fullmatch(gap)))


def _closed(text: str, gap: str, end: int) -> int:
    """The end, with the bracket that the gap opened."""
    return end + 1 if gap.strip() in ("(", "（") and text[end : end + 1] in (")", "）") else end


def _matches(rule: Rule, text: str) -> Iterator[Piece]:
    data = rule.data
    for found in rule.found(text):
        start, end = found.span
        if _is_guarded(data, text, start, end):
            continue
        words = text[start:end]
        fields: dict[str, Any] | None
        if data["phrase"]:
            fields = dict(_phrases(data["lang"])[" ".join(words.lower().split())])
        else:
            groups = found.given()
            start += len(groups.pop("lead", ""))
            fields = _fields(groups)
        if fields is not None and not _cut(text, start, said=None if words.isascii() else fields):
            around = "zh" if _HAN.search(text, max(0, start - 40), end + 40) else "en"  # of a number
            yield Piece(start, end, data["lang"] or around, fields)


def _is_guarded(data: Mapping[str, Any], text: str, start: int, end: int) -> bool:
    """Whether what stands before or after the match says that it is no time."""
    before, after = data["before"], data["after"]
    return bool((before and _guard(before).search(_left(text, start))) or (after and _guard(after).match(text, end)))


@cache  # made when what it guards is first found: most forms are rare
def _guard(written: str | tuple[str, ...]) -> re.Pattern[str]:
    return compiled(written)


def _left(text: str, start: int) -> str:
    """What stands before the match, a mark, and its first letters: what `before` patterns see."""
    return f"{text[max(0, start - 40) : start]}¦{text[start : start + 4]}"


def _cut(text: str, start: int, *, said: dict[str, Any] | None) -> bool:
    """Whether the match begins inside a number. What is `said` with a sign of its own (3月, 2025年) may follow the
    number of a list: "1.3月25日"; a year may follow anything but a digit."""
    if not start:
        return False
    first, before = text[start], text[start - 1]
    if not first.isdigit():
        return (first in DIGITS or first in "十廿百") and (before in DIGITS or before in "十廿百千万")
    signs = ".,/-:" if not said or not said.keys() & {"month", "year"} else "" if "year" in said else "/-:"
    return before.isdigit() or (before in signs and start > 1 and text[start - 2].isdigit())


@cache
def _phrases(lang: str) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = table("dates", "phrase")[lang]
    return {words: fields for each, fields in rows.items() for words in each.split("|")}


def _fields(groups: dict[str, str]) -> dict[str, Any] | None:
    """The values of the named groups; None when one of them has no value ("两三" days)."""
    fields: dict[str, Any] = {}
    for name, words in groups.items():
        name = name.rstrip("23")
        value = _value(name, words)
        if value is None:
            return None
        fields[name] = value
        if name == "hour" and words[0] == "0" and len(words) == 2:
            fields.setdefault("half", "exact")  # 08:30 is written by the 24-hour clock
    if "fraction" in fields:
        hour, fields["minute"] = divmod(fields["hour"] * 60 + fields.pop("fraction"), 60)
        fields["hour"] = hour or 12
    if "and" in fields:
        fields["n"] += fields.pop("and")
    if "year_end" in fields:
        fields["month"] = fields.pop("year_end")
    return _slashes(fields) if "one" in fields else fields


def _slashes(fields: dict[str, Any]) -> dict[str, Any] | None:
    """5/17/2023, 17/5/2023 and either without a year; None when both orders are dates, or none."""
    one, other, *year = fields.pop("one"), fields.pop("other"), *fields.items()
    first, last = sorted((one, other))
    if (last <= _MONTHS and one != other) or first > _MONTHS:
        return None
    return {"month": first, "day": last, **dict(year)}


def _value(name: str, words: str) -> Any:
    word = " ".join(words.lower().split())
    if name == "half":
        return word.replace(".", "")
    if name == "festival":
        return festival_number(word)
    if name in ("third", "part"):
        word = word.removeprefix("the ").removesuffix(" of")
    if name == "year":
        return _full_year(word)
    if name in ("lunar", "new_year"):
        return numeral(word.removeprefix("初"))
    if name == "day":
        word = word.replace(" ", "-")
    known = _words().get(name, {})
    value = known.get(word.rstrip("."), numeral(word))
    return word if value is None and name in _NAMED else value


def count(words: str) -> float | None:
    """How many of something: 12, a, seven, 十二; None where the words are no number."""
    found: float | None = _value("n", words)
    return found


def _full_year(word: str) -> int:
    """二〇二三, 98, 零八: two digits stand for the years from 1940 to 2039."""
    year = int("".join(str(DIGITS.get(sign, sign)) for sign in word.lstrip("'’")))
    return year if year >= 100 else year + (2000 if year < 40 else 1900)


@cache
def _words() -> dict[str, dict[str, Any]]:
    return {name: _meanings(words) for name, words in table("dates", "word").items()}


def _meanings(words: dict[str, Any] | list[Any]) -> dict[str, Any]:
    """What each of the words means: in a list the numbers from its first on."""
    if isinstance(words, dict):
        return words
    first, *rest = words
    others = rest.pop() if isinstance(rest[-1], dict) else {}
    return {word: number for number, same in enumerate(rest, first) for word in same.split()} | others


def numeral(word: str) -> int | None:
    """12, 十二, 二十三, 廿三, 一百二十, 二〇二三; None for anything else, "两三" (two or three) included."""
    if word.isascii():
        return int(word) if word.isdigit() else None
    is_digits = len(word) in (1, 4) and all(sign in DIGITS for sign in word)
    return value_of(word.replace("廿", "二十")) if is_digits or _TENS.fullmatch(word) else None


@cache
def _atoms() -> RuleSet:
    """Every atom as a rule; the first only tells that the text is to be made plain."""
    wide = Rule(_WIDE, "", f"[{''.join(map(chr, _PLAIN))}]")
    return RuleSet((wide, *(_phrase_rule(lang) for lang in ("en", "zh")), *_form_rules()), short=True)


def _phrase_rule(lang: str) -> Rule:
    words = "|".join(sorted((re.escape(phrase) for phrase in _phrases(lang)), key=len, reverse=True)).replace(
        "\\ ", " +"
    )
    return Rule(
        f"{lang}.phrase",
        "",
        rf"\b(?:{words})\b" if lang == "en" else words,
        data=_data(lang, table("dates", "guard")[lang], phrase=True),
    )


def _form_rules() -> Iterator[Rule]:
    for lang in ("en", "both", "zh"):
        for row in table("dates", lang):
            for number, pattern in enumerate(alternatives(row["form"])):
                rule_id = f"{lang}.{row['id']}" + f".{number}" * bool(number)
                yield Rule(rule_id, row["why"], pattern, data=_data(lang, row, phrase=False))


def _data(lang: str, row: dict[str, Any], *, phrase: bool) -> dict[str, Any]:
    guards = {key: row.get(key, "") for key in ("before", "after")}
    held = {key: tuple(each) if isinstance(each, list) else each for key, each in guards.items()}
    return {"lang": "" if lang == "both" else lang, "phrase": phrase, **held}


# The patterns of `rules/dates.toml`


def alternatives(written: str | Sequence[str]) -> list[str]:
    """One pattern, or those of a list, with the forms put in."""
    return [_filled(each) for each in ([written] if isinstance(written, str) else written)]


def compiled(written: str | Sequence[str]) -> re.Pattern[str]:
    """What any of the alternatives finds, in capitals or not."""
    return caseless("|".join(alternatives(written)))


@cache
def patterns(key: str) -> dict[str, re.Pattern[str]]:
    """The patterns of a table of `rules/dates.toml`, compiled."""
    return {name: compiled(written) for name, written in table("dates", key).items()}


def _filled(pattern: str) -> str:
    """The pattern with its forms put in; forms may name forms. KeyError for a form that the file lacks."""
    while _NAME.search(pattern):
        pattern = _NAME.sub(lambda name: _forms()[name[1]], pattern)
    return pattern


@cache
def _forms() -> Mapping[str, str]:
    return {**table("dates", "form"), "festival": festival_form("en"), "festival_zh": festival_form("zh")}
