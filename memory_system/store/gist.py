"""What a sentence says, as far as its words tell: the words that count, in order, each in its plainest form. Two
sentences of one gist differ in function words, spelling, numerals and politeness only (`rules/alike.toml`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from memory_system import text
from memory_system.rules import table
from memory_system.text import simplified

_WORD = re.compile(r"[^\W_]+(?:['’.:/@+_-][^\W_]+)*'?|[$€£¥%]")
_PIECE = re.compile(r"[a-z0-9]+(?:[.:/@+_-][a-z0-9]+)*|[^\W_]|[$€£¥%]")
_DIGITS = {sign: number for number, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_CLASSIFIERS = "个只条辆名位家本架部台间张份件双把头匹首座所款套栋幢顶棵片幅种盆杯瓶碗盒包袋堆排束朵粒颗根"
_NUMERAL = re.compile(
    rf"(?=[第零〇一二两三四五六七八九十百千\d])第?([零〇一二两三四五六七八九十百千]+|\d+)(?:([{_CLASSIFIERS}])|(?=[年月日号点岁次天周元块楼层度米斤公千万人口本级章期届站秒分小星]))"
)
_AFTER_NUMBER = re.compile(r"[号块圆元层点](?<=\d.)(?:(?<=[号圆层])|(?<=块)钱?|(?<=元)钱|(?<=点)钟)")
_AFTER = {"号": "日", "块": "元", "块钱": "元", "圆": "元", "元钱": "元", "层": "楼", "点钟": "点"}
_WEEKDAY = re.compile("周([一二三四五六])")
_PAIR = {"俩": "两个", "仨": "三个"}
# "Rome is where she lives" says that she lives in Rome
_FRONTED = re.compile(r"^([\w ]{2,30}?) (?:is|was) (?:what|where|who) (.+)$")
_FRONTED_ZH = re.compile("^([^，。是]{1,12}?)是([^，。]{2,30})的[。！]?$")
# "there are tomatoes she grows on the roof" says that she grows them there
_THERE = re.compile(r"^there (?:is|are) ((?:\w+ ){1,4}?)(user|i|we|he|she|they) (\w+) (?=\w)")
_WILL_BE = re.compile(r"\bwill be (?=\w+ing\b)")  # "will be painting" is "is painting"
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
# the 9th of a month is its day 9, and no place in a row
_DAY_OF = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th) (?:of )?(?={_MONTH}\b)")
_MONTH_DAY = re.compile(rf"\b({_MONTH} \d{{1,2}})(?:st|nd|rd|th)\b")
# not without its apostrophe, as many type it; cant and wont are words as well, but rare
_APOSTROPHE_LEFT_OUT = re.compile(
    "(?:do|does|did|is|are|was|were|has|have|had|ca|could|should|would|wo|ai|must|need|sha)nt"
)
_FIGURES = frozenset("0123456789")
_NEEDS_E = re.compile("[^aeiouy]+[aeiou][^aeiouwxy]")
_LONG = 5  # letters from which a word has spellings


class Gist(NamedTuple):
    """`words` in order; `bag` the same without their order; `signs` those that never come or go without another
    meaning, sorted."""

    words: tuple[str, ...]
    bag: tuple[str, ...]
    signs: tuple[str, ...]


@lru_cache(maxsize=256)  # a claim is looked up, then put
def gist_of(sentence: str) -> Gist:
    folded = text.fold(simplified(sentence))
    words = _chinese(folded) if text.has_cjk(folded) else _english(folded)
    signs = _words_of("sign", "sign", "days")
    bag = tuple(sorted(words))
    return Gist(words, bag, tuple([word for word in bag if word in signs or not word.isalpha()]))


def tells_of_past(gist: Gist) -> bool:
    """Whether the sentence tells of something that was done: then it may be another occasion."""
    past = _words_of("past", "past")
    return any(word in past or (word.isascii() and word.endswith("ed") and len(word) > 4) for word in gist.words)


def tells_not(gist: Gist) -> bool:
    """Whether the sentence denies."""
    return not _words_of("not", "not").isdisjoint(gist.words)


def is_time(word: str) -> bool:
    """Whether the word is a number or names a time."""
    return word in _words_of("time", "time", "days") or word[0] in _FIGURES


@cache
def _words_of(chinese: str, *english: str) -> frozenset[str]:
    """The words in these rows of the two tables, English ones in their plainest form."""
    rows = table("alike", "en")
    words = [word for name in english for word in rows[name].split()]
    return frozenset(each for word in words for each in _canonical(word)) | frozenset(table("alike", "zh")[chinese])


# ---- English ----


def _english(folded: str) -> tuple[str, ...]:
    words: list[str] = []
    if " wh" in folded and (fronted := _FRONTED.match(folded)) is not None:
        folded = f"{fronted[2]} {fronted[1]}"
    if folded.startswith("there "):
        folded = _THERE.sub(r"\2 \3 \1", folded)
    if "will be" in folded:
        folded = _WILL_BE.sub("", folded)
    if _ORDINAL.search(folded):
        folded = _MONTH_DAY.sub(r"\1", _DAY_OF.sub(r"\1 ", folded))
    for said, meant in table("alike", "en")["phrases"]:
        if said in folded:
            folded = folded.replace(said, meant)
    for word in _WORD.findall(folded):
        words += _canonical(word)
    return tuple(words)


@lru_cache(maxsize=50_000)
def _canonical(word: str) -> tuple[str, ...]:
    """The word in its plainest form: none for a light one, two for a contraction."""
    word = word.replace("’", "'").strip("'")
    if not word:
        return ()  # "do n't" leaves nothing of its n't but the not
    if word == "cannot":
        return ("can", "not")
    if _APOSTROPHE_LEFT_OUT.fullmatch(word):
        word = f"{word[:-1]}'t"
    if word.endswith("n't"):
        return (*_canonical({"wo": "will", "ca": "can", "sha": "shall"}.get(word[:-3], word[:-3])), "not")
    for ending, meant in (("'ll", ("will",)), ("'d", ("would",)), ("'ve", ()), ("'re", ()), ("'m", ()), ("'s", ())):
        if word.endswith(ending):
            return (*_canonical(word[: -len(ending)]), *meant)
    if word in _light_words():
        return ()
    if word in _numbers():
        return (_numbers()[word],)
    if ordinal := _ORDINAL.fullmatch(word):
        return (f"#{ordinal[1]}",)  # the third prize is not three prizes
    if word[0] == "0" and word.isdecimal():
        return (word.lstrip("0") or "0",)
    root = stem(word)
    return (_rows().get(word) or _rows().get(root) or root,)


@cache
def _light_words() -> frozenset[str]:
    return frozenset(table("alike", "en")["light"].split())


@cache
def _rows() -> dict[str, str]:
    rows: dict[str, str] = {}
    for first, *others in table("alike", "en")["same"]:
        for word in (first, *others):
            rows[word] = rows[stem(word)] = stem(first)
    return rows | {"has": "have"}


@cache
def _numbers() -> dict[str, str]:
    rows = table("alike", "en")
    counted = {word: str(number) for number, word in enumerate(rows["numbers"].split())}
    return counted | {word: f"#{number}" for number, word in enumerate(rows["ordinals"].split()) if number > 2}


def stem(word: str) -> str:
    """An English word without plural, -s, -ing, final e and the spellings of two countries; the past keeps its -ed."""
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("sses", "xes", "zes", "ches", "shes", "oes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    elif word.endswith("ing") and len(word) >= _LONG and re.search("[aeiouy]", word[:-3]):
        word = word[:-3]
        doubled = word[-1] == word[-2] and word[-1] not in "lsz"
        word = word[:-1] if doubled else _with_its_e(word)
    if word.endswith("e") and len(word) > 3:
        word = _with_its_e(word[:-1])
    if len(word) > _LONG:
        word = word.replace("our", "or")
        word = word[:-1] + "z" if word.endswith("is") else word
    return word


def _with_its_e(root: str) -> str:
    """The root of a word with the e that makes it another one than without: plane is no plan, hoping is to hope."""
    return f"{root}e" if _NEEDS_E.fullmatch(root) else root


# ---- Chinese ----


def _chinese(folded: str) -> tuple[str, ...]:
    if "是" in folded and (fronted := _FRONTED_ZH.match(folded)) is not None:
        folded = fronted[2] + fronted[1]
    folded = _said_so().sub(lambda found: _zh_rows()[found[0]], folded)
    folded = _NUMERAL.sub(_counted, folded)
    if "周" in folded:
        folded = _WEEKDAY.sub(lambda found: f"周{_DIGITS[found[1]]}", folded)
    folded = _AFTER_NUMBER.sub(lambda found: _AFTER[found[0]], folded)
    words: list[str] = []
    for piece in _PIECE.findall(_zh_light().sub("", folded)):
        if piece.isascii():
            words += _canonical(piece)
        else:
            words.append(piece)
    return tuple(words)


@cache
def _zh_rows() -> dict[str, str]:
    rows = {word: first for first, *others in table("alike", "zh")["same"] for word in others}
    return rows | _PAIR


@cache
def _said_so() -> re.Pattern[str]:
    words = "|".join(sorted(_zh_rows(), key=len, reverse=True))
    return re.compile(f"(?=[{''.join({word[0] for word in _zh_rows()})}])(?:{words})")  # the first sign says most


@cache
def _zh_light() -> re.Pattern[str]:
    return re.compile(f"[{table('alike', 'zh')['light']}]+")


def _counted(found: re.Match[str]) -> str:
    """A Chinese numeral as digits; one of something is no number."""
    said, classifier = found[1], found[2] or ""
    ordinal = "第" if found[0].startswith("第") else ""
    number = said if said.isascii() else str(_number(said))
    if classifier and not ordinal:
        return "" if number == "1" else f"{number}{classifier}"
    return f"{ordinal}{number}{classifier}"


def _number(said: str) -> int:
    """千, 百, 十 and digits as the number they write; digits in a row as they stand."""
    if not set(said) & set(_TENS):
        return int("".join(str(_DIGITS[each]) for each in said))
    total, digit = 0, 0
    for each in said:
        if each in _TENS:
            total += (digit or 1) * _TENS[each]
            digit = 0
        else:
            digit = _DIGITS[each]
    return total + digit
