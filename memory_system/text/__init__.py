"""Text as the rest of the program sees it: scripts, sentences, words, tokens, and the texts of a JSON value. English
and Chinese are equals here."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"  # Han, kana, hangul: no spaces between words
_NOT_CJK = "\0-\u303f\u3100-\u33ff\u4dc0-\u4dff\ua000-\uabff\ud7b0-\uf8ff\ufb00-\U0010ffff"
CJK_RUN = re.compile(f"[^{_NOT_CJK}]+")  # as [CJK]+, which takes twice as long to compile
_LATIN_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)*")
_APOSTROPHE = re.compile(r"(?<=[a-z])(?:´(?=(?:s|d|t|m|re|ve|ll)\b)|`(?=(?:t|m|re|ve|ll)\b))", re.IGNORECASE)
_FULL_WIDTH = tuple(zip("，！？：；（）～", ",!?:;()~", strict=True))
_MARKS = b" \t\n\r\v\f\x1c\x1d\x1e\x1f,!?;:\"'()"  # and all that `str.split` takes for a blank
_WIDE_MARKS = dict.fromkeys(map(ord, "。、…“”‘’《》「」『』—·～"))
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|a\.m|p\.m|No|Jr|Sr|Inc)\.$")

_ITEM = re.compile(
    r"(?:^|[：:；;]|\d\. ?[\u4e00-\u9fff][^.]*[\u4e00-\u9fff] )\s*\d{1,2}\.$"
)  # an item's number ends nothing
_FACTORIAL = re.compile(r"\d!\s*[a-z=+*/\\(){}<>,.×·≈^-]")  # 4! = 24 is one formula


def cjk_count(text: str) -> int:
    return 0 if text.isascii() else sum(map(len, CJK_RUN.findall(text)))


def has_cjk(text: str) -> bool:
    return not text.isascii() and CJK_RUN.search(text) is not None


@lru_cache(maxsize=256)  # each phase asks more than once for those of a batch
def language(text: str) -> str:
    """zh or en: the one that carries more of the text, a Han character weighing as much as a Latin word."""
    cjk = cjk_count(text)
    if 2 * cjk > len(text) + 1 - cjk:
        return "zh"  # the rest cannot hold as many words
    return "zh" if cjk and cjk > len(_LATIN_WORD.findall(text)) else "en"


def told_in(lang: str) -> str:
    """The language in which the program speaks of a text in `lang`: English where it does not know that one."""
    return lang if lang in ("zh", "en") else "en"


def language_within(piece: str, around: str) -> str:
    """The language of a piece of a text whose language is `around`: another one only where it clearly is, so that a
    product's name does not make a Chinese clause English."""
    if around == "en":
        return "en" if piece.isascii() else language(piece)
    return "en" if not has_cjk(piece) and len(_LATIN_WORD.findall(piece)) > 2 else around


def estimate_tokens(text: str) -> int:
    """About how many LLM tokens the text costs, erring high: 1.3 a CJK character, one per 3.6 other bytes."""
    if text.isascii():
        return math.ceil(len(text) / 3.6)
    cjk = cjk_count(text)
    other = len(text.encode(errors="replace")) - 3 * cjk
    return math.ceil(1.3 * cjk + other / 3.6)


def shortened(text: str, most: int) -> str:
    """The text in at most so many characters, the last of which says where it was cut."""
    return text if len(text) <= most else text[: most - 1] + "…"


def spliced(text: str, pieces: Iterable[tuple[int, str]]) -> str:
    """The text with the pieces put in, each at its place in the text as given; the places ascend."""
    parts: list[str] = []
    at = 0
    for place, piece in pieces:
        parts += (text[at:place], piece)
        at = place
    return "".join((*parts, text[at:]))


def straight(words: str) -> str:
    """The words, as long as they were, with ' for what else is typed as an apostrophe: I’m, I´m, I`ve."""
    words = words.replace("’", "'")
    return _APOSTROPHE.sub("'", words) if "´" in words or "`" in words else words


EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d"  # a class: all drawings, and what joins them
PICTURES = "\U0001f300-\U0001f492\U0001f4a0-\U0001faff"  # what ends a sentence, and no hearts: "I 💙 Rome" goes on
_PAUSE = re.compile(  # not where the words before ask for more, or those behind go on with them: 我住在 上海浦东
    f"(?<=[\u4e00-\u9fff]{{2}}[^对在是叫住吃喝喜欢爱和给跟从把来自到去有为姓属用买看，。！？ {EMOJI}])"
    f"[ {EMOJI}]+(?=(?!过敏|工作|上班)[^的是在对地得住叫姓，。！？ {EMOJI}][\u4e00-\u9fff]{{2}})"
    "|(?<=过敏) (?=是)|(?<=[\u4e00-\u9fff]了) (?=\\d)"
)
_MAY_PAUSE = re.compile(f"[ {EMOJI}]")  # most Chinese text has neither: that is soon seen


def paused(words: str) -> str:
    """The words, as long as they were, with a comma for a blank or a picture between Chinese words: who types as they
    speak leaves the commas out."""
    if words.isascii() or not _MAY_PAUSE.search(words):
        return words
    return _PAUSE.sub(lambda found: f"{'，':{len(found[0])}}", words)


@cache  # made where sentences are first looked for: a command starts sooner
def _sentence_end(pictures: str = "") -> re.Pattern[str]:
    """Where a sentence ends; with `pictures` also behind such, where a capital comes next: "Inspiring 💪 I wrote"."""
    behind = rf"|(?<=[{pictures}])[{pictures}\uFE0F\u200D]*(?=\s+[A-Z])" if pictures else ""
    return re.compile(
        rf"[。！？!?….;；\n{pictures}](?:"  # one class of signs first, which `re` looks for fast
        r"(?<=[。！？!?…])[。！？!?…]*[”’\"'」』）)]*|(?<=\.)\.*[”’\"')]*(?=\s|$)|(?<=[;；])(?=\s|$|[^\x00-\x7f])|(?<=\n)\n*"
        rf"{behind})"
    )


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the sentences, end marks included, outer blanks not."""
    start = 0
    for mark in _sentence_end("" if text.isascii() else PICTURES).finditer(text):
        end = mark.end()
        at = mark.start()
        if text[at] == "." and (_ITEM if text[at - 1 : at].isdigit() else _ABBREVIATION).search(text[start:end]):
            continue
        if text[at] == "!" and at and _FACTORIAL.match(text, at - 1):
            continue
        if span := strip_span(text, start, end):
            yield span
        start = end
    if start < len(text) and (span := strip_span(text, start, len(text))):
        yield span


def strip_span(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The span without blanks at its ends; None when nothing else is in it."""
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return None
    if len(stripped) == len(piece):
        return start, start + len(piece)
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)


def nfkc(text: str) -> str:
    """The text in Unicode's form NFKC; without full-width marks most Chinese text has it, which is soon seen."""
    for wide, narrow in _FULL_WIDTH:
        text = text.replace(wide, narrow)
    return unicodedata.normalize("NFKC", text)


@lru_cache(maxsize=64)  # the same text is compared in several ways
def fold(text: str) -> str:
    """The text for comparing: full-width as half-width, lower case, one space where there were several."""
    if text.isascii():
        return " ".join(text.lower().split())
    return " ".join(nfkc(text).casefold().split())


@lru_cache(maxsize=64)  # a claim is looked up, then put
def essence(text: str) -> bytes:
    """What is left of the text without case, width, blanks and marks: equal for texts that say the same."""
    if text.isascii():  # as below, and soon done
        return text.lower().strip().rstrip(".").encode().translate(None, _MARKS)
    folded = fold(text).translate(_WIDE_MARKS)
    return folded.rstrip(".").encode(errors="replace").translate(None, _MARKS)


def is_cjk(word: str) -> bool:
    return bool(CJK_RUN.match(word))


def stands_in(words: str, said: str) -> bool:
    """Whether the words are in what was said, in whatever case, as words: "Arm" is not in "farmer"."""
    edge = r"\b" if words.isascii() else ""
    return bool(re.search(rf"{edge}{re.escape(words)}{edge}", said, re.IGNORECASE))


@lru_cache(maxsize=256)  # the same words are read by one group of rules after the other
def simplified(words: str) -> str:
    """The words, as long as they were, in simplified characters, in which rules are written: 對 is 对. What has no
    character that only traditional Chinese has stays as it is."""
    if words.isascii():
        return words
    traditional, simple = _characters()
    return words.translate(simple) if traditional.search(words) else words


@cache
def _characters() -> tuple[re.Pattern[str], dict[int, int]]:
    """What finds a character that only traditional Chinese has, and what these, and those that both have, are in
    simplified: as a class `re` looks for them seven times as fast as a set does. The pairs are those of OpenCC
    (TSCharacters, Apache-2.0), as far as simplified Chinese knows the one and writers of traditional Chinese the
    other."""
    traditional, simple = Path(__file__).with_name("traditional.txt").read_text("utf-8").split()
    both, meant = "乾夥徵於著菸薰醣", "干伙征于着烟熏糖"  # simplified Chinese has them as well, meaning something else
    return re.compile(f"[{traditional}]"), str.maketrans(traditional + both, simple + meant)


def with_texts(value: Any, changed: Callable[[str], str], but: Collection[str] = ()) -> Any:
    """A JSON value with its texts changed, however deep they stand, but for what stands under these keys."""
    if isinstance(value, str):
        return changed(value)
    if isinstance(value, list | tuple):
        return [with_texts(each, changed, but) for each in value]
    if isinstance(value, dict):
        return {key: each if key in but else with_texts(each, changed, but) for key, each in value.items()}
    return value


def texts_in(value: Any, is_left_out: Callable[[str, Any], bool] = lambda *_: False) -> Iterator[str]:
    """Every text in a JSON value, but for what keys hold that are left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from texts_in(each, is_left_out)
    elif isinstance(value, dict):
        for key, each in value.items():
            if not is_left_out(key, each):
                yield from texts_in(each, is_left_out)
