"""What the judge sees of a sentence: its words, the words around it, and the form of the message it stands in.

A feature is a short text: a word alone or with its neighbours, or, beginning with `#`, something that has no language.
Where it stands (in the sentence, before it, behind it …) decides which weights count for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

Span = tuple[int, int]

MOST_TOKENS = 120  # of one sentence: what is longer is no sentence
_NEAR = 12  # tokens of the sentence before, and of the question that is answered
_AFTER = 6  # tokens of the sentence behind
_LENGTHS = {"en": 20, "zh": 10}  # characters to a step of length
_STEPS = 6

_TOKEN = {
    "en": re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[^\w\s]|[^\W\da-z_]+"),
    "zh": re.compile(r"[a-z]+|\d+|\S"),
}
_QUESTION = ("?", "？")
_COLON = (":", "：")
_OPENS = '"“「『‘《'
_ITEM = re.compile(r"\s*(?:[-*•>|+]|\d+[.)、])")
_LABEL = re.compile(r"\s*[^\s:：,，。.!?！？]{1,14}(?: [^\s:：]{1,14})?[:：](?!//)")
_LAST_SENTENCE = re.compile(r"[^.!。！\n]*$")
SHAPES = (
    ("#dose", re.compile(r"\d ?(?:mg|mcg|µg|ug|ml|iu|毫克|微克|毫升|片|粒)(?![a-z])")),
    ("#clock", re.compile(r"\d{1,2}:\d\d|\d ?[ap]\.?m\b|\d ?点")),
    ("#date", re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b|\d ?月|\d ?[号日]|\b\d{1,2}[/.]\d{1,2}\b")),
    ("#money", re.compile(r"[$€£¥]|\d ?(?:k|块|元|万|quid|bucks|euros?|dollars?|pounds?)\b")),
)
_DIGIT = re.compile(r"\d")
_COUNTS = [f"#of{count}" for count in range(5)]
_LONG = [f"#long{step}" for step in range(_STEPS + 1)]
_NAME = re.compile(r" (?<=[a-z,] )[A-Z][a-z]")  # the blank first, which `re` looks for fast


@dataclass(frozen=True, slots=True)
class Talk:
    """A message as the judge sees it: its text, where its sentences stand, what was said before it in the session by
    somebody else (empty at the beginning), and whether people talk among themselves (`friends`)."""

    text: str
    spans: Sequence[Span]
    before: str = ""
    friends: bool = False


class Seen(NamedTuple):
    """The features of a sentence by where they stand: in it (its form, and that of the message), in the sentence before
    it, in the first of the message, in the one behind it, and in the question that the message may answer; and its
    words and their language, which stand in it as well: what they weigh is asked more than once."""

    own: set[str]
    before: set[str]
    first: set[str]
    behind: set[str]
    asked: set[str]
    words: str = ""
    lang: str = ""

    def by_place(self) -> Iterator[tuple[str, set[str]]]:
        """The features with what marks their place in the weights file, words and form as one."""
        own = self.own | words_in(self.words, self.lang) if self.lang else self.own
        return zip(PLACES, (own, *self[1:5]), strict=True)


PLACES = ("", "p:", "f:", "n:", "q:")  # how the weights file marks the fields of `Seen`
_NONE: set[str] = set()


def of_message(talk: Talk, lang: str) -> Iterator[Seen]:
    """The features of each sentence of a message, in order; `lang` is en or zh, or empty for a language that nobody
    has taught the judge: then only those that have no language."""
    said = [talk.text[start:end] for start, end in talk.spans]
    around = _around(talk)
    forms = list(_forms(talk, said, lang))
    if not lang:
        for words, form in zip(said, forms, strict=True):
            yield Seen({*around, *form, *_shapes(words)}, _NONE, _NONE, _NONE, _NONE)
        return
    tokens = [tokens_of(each, lang) for each in said]
    first, asked = {*tokens[0][:_NEAR]} if tokens else _NONE, _asked(talk.before, lang)
    for number, form in enumerate(forms):
        yield Seen(
            {*around, *form, *_shapes(said[number])},
            {*tokens[number - 1][-_NEAR:]} if number else _NONE,
            first if number > 1 else _NONE,
            {*tokens[number + 1][:_AFTER]} if number + 1 < len(tokens) else _NONE,
            _NONE if number else asked,
            said[number],
            lang,
        )


def of_words(words: str, lang: str, besides: Iterable[str] = (), before: Iterable[str] = ()) -> Seen:
    """The features of words alone: where they stand in a message, and how it looks, says nothing but what is given
    `besides`, or stands `before` them."""
    return Seen({*besides}, {*before}, _NONE, _NONE, _NONE, words, lang)


def looks_of(words: str, lang: str) -> Iterator[str]:
    """What words look like alone, whatever they say."""
    yield from _signs(words, lang)
    yield from _shapes(words)


def beginnings_of(words: str, lang: str) -> Iterator[str]:
    """How words begin: their first token, the first two, and three."""
    tokens = tokens_of(words, lang)
    return ("^" + " ".join(tokens[:count]) for count in (1, 2, 3))


def names_of(seen: Seen) -> set[str]:
    """The features as the weights file names them."""
    return {place + each for place, group in seen.by_place() for each in group}


@lru_cache(maxsize=64)  # several models hear the same words, and people say them again
def tokens_of(words: str, lang: str) -> Sequence[str]:
    """The sentence as tokens: lower case, digits as zeros; Chinese sign by sign."""
    plain = words.lower().replace("’", "'")
    found = _TOKEN[lang].findall(plain)[:MOST_TOKENS]
    if not _DIGIT.search(plain):
        return found
    if lang == "zh":
        return ["0" if each[0].isdigit() else each for each in found]
    return ["0" * min(len(each), 5) if each[0].isdigit() else each for each in found]


@lru_cache(maxsize=64)  # likewise
def words_in(words: str, lang: str) -> frozenset[str]:
    """The words, pairs of them, and in Chinese three signs in a row; of long English words their ends as well."""
    tokens = tokens_of(words, lang)
    edged = ["<", *tokens, ">"]
    pairs = map(" ".join, pairwise(edged))
    if lang == "zh":
        return frozenset((*tokens, *pairs, *map("".join, zip(edged, edged[1:], edged[2:], strict=False))))
    long = [each for each in tokens if len(each) > 4]
    return frozenset((*tokens, *pairs, *[f"{each[:4]}-" for each in long], *[f"-{each[-3:]}" for each in long]))


def _asked(before: str, lang: str) -> set[str]:
    """The last tokens of the question that the other ended with; none where they ended otherwise."""
    before = before.rstrip()
    if not before.endswith(_QUESTION):
        return _NONE
    last = _LAST_SENTENCE.search(before)
    return {*tokens_of(last[0], lang)[-_NEAR:]} if last else _NONE


def _around(talk: Talk) -> tuple[str, ...]:
    """What is the same for all sentences of the message."""
    who, is_asked = "#friends" if talk.friends else "#assistant", talk.before.rstrip().endswith(_QUESTION)
    return who, _COUNTS[min(len(talk.spans), 4)], "#asked" if is_asked else "#told" if talk.before else "#opens"


def _forms(talk: Talk, said: list[str], lang: str) -> Iterator[list[str]]:
    """Where in the message each sentence stands, and what stands around it, by signs and lines alone."""
    behind: set[str] = set()  # what has stood before
    ended = 0
    for number, words in enumerate(said):
        start, end = talk.spans[number]
        gap = talk.text[ended:start] if number else ""
        if "\n" in gap:
            behind.add("#behind blank" if "\n\n" in gap else "#behind line")
        found = [*behind]
        if number == 0:
            found.append("#first")
        elif said[number - 1].rstrip().endswith(_COLON):
            found.append("#announced")
        if number == len(said) - 1:
            found.append("#last")
        if "\n" in gap:
            found.append("#blank" if "\n\n" in gap else "#line")
        if _in_quotation(talk.text, start):
            found.append("#in quotation")
        found += _signs(words, lang)
        ended, stripped = end, words.rstrip()
        if stripped.endswith(_COLON):
            behind.add("#behind colon")
        elif stripped.endswith(_QUESTION):
            behind.add("#behind question")
        yield found


def _in_quotation(text: str, start: int) -> bool:
    """Whether a quotation that began before the place has not ended there."""
    if text.count('"', 0, start) % 2:
        return True
    return not text.isascii() and any(
        text.count(opens, 0, start) > text.count(closes, 0, start) for opens, closes in ("“”", "「」")
    )


def _signs(words: str, lang: str) -> Iterator[str]:
    """What the sentence looks like."""
    if words[0] in _OPENS:
        yield "#opens quotation"
    if _ITEM.match(words):
        yield "#item"
    if (":" in words or "：" in words) and _LABEL.match(words):
        yield "#label"
    if words.endswith(_QUESTION):
        yield "#question"
    yield _LONG[min(len(words) // _LENGTHS.get(lang, 20), _STEPS)]


def _shapes(words: str) -> list[str]:
    """Shapes that say much in any language: a dose, a time of day, a date, a sum, a name within the sentence."""
    found = ["#name"] if _NAME.search(words) else []
    if _DIGIT.search(words):
        plain = words.lower()
        found += [name for name, shape in SHAPES if shape.search(plain)]
    if "@" in words or "://" in words or "www." in words:
        found.append("#address")
    return found
