"""What the judge sees of a sentence: its words, the words around it, and the form of the message it stands in.

A feature is a short text. Words of the sentence itself stand as they are, alone and with their neighbours; words around
it carry a letter that says where they stand; what has no language begins with `#`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
_OPENS = re.compile(r"\s*[\"“「『‘《]")
_ITEM = re.compile(r"\s*(?:[-*•>|+]|\d+[.)、])")
_LABEL = re.compile(r"\s*[^\s:：,，。.!?！？]{1,14}(?: [^\s:：]{1,14})?[:：](?!//)")
_LAST_SENTENCE = re.compile(r"[^.!。！\n]*$")
_SHAPES = (
    ("#dose", re.compile(r"\d ?(?:mg|mcg|µg|ug|ml|iu|毫克|微克|毫升|片|粒)(?![a-z])")),
    ("#clock", re.compile(r"\d{1,2}:\d\d|\d ?[ap]\.?m\b|\d ?点")),
    ("#date", re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b|\d ?月|\d ?[号日]|\b\d{1,2}[/.]\d{1,2}\b")),
    ("#money", re.compile(r"[$€£¥]|\d ?(?:k|块|元|万|quid|bucks|euros?|dollars?|pounds?)\b")),
    ("#address", re.compile(r"https?://|www\.|\S@\S")),
)
_NAME = re.compile(r"[a-z,] [A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class Talk:
    """A message as the judge sees it: its text, where its sentences stand, what was said before it in the session by
    somebody else (empty at the beginning), and whether people talk among themselves (`friends`)."""

    text: str
    spans: Sequence[Span]
    before: str = ""
    friends: bool = False


def of_message(talk: Talk, lang: str) -> Iterator[set[str]]:
    """The features of each sentence of a message, in order; `lang` is en or zh, or empty for a language that nobody
    has taught the judge: then only those that have no language."""
    said = [talk.text[start:end] for start, end in talk.spans]
    tokens = [tokens_of(each, lang) for each in said]
    around = _around(talk, lang)
    for number, words in enumerate(said):
        found = set(around)
        found.update(_form(talk, said, number, lang))
        if lang:
            found.update(_own(tokens[number], lang))
            found.update(_neighbours(tokens, number))
            if number == 0:
                found.update(f"q:{each}" for each in _asked(talk.before, lang))
        found.update(_shapes(words))
        yield found


def tokens_of(words: str, lang: str) -> list[str]:
    """The sentence as tokens: lower case, digits as zeros; Chinese sign by sign."""
    plain = words.lower().replace("’", "'")
    found = _TOKEN[lang or "en"].findall(plain)[:MOST_TOKENS]
    return [("0" * min(len(each), 5) if lang != "zh" else "0") if each[0].isdigit() else each for each in found]


def _own(tokens: list[str], lang: str) -> Iterator[str]:
    """The words, pairs of them, and in Chinese three signs in a row; of long English words their ends as well."""
    yield from tokens
    edged = ["<", *tokens, ">"]
    yield from (f"{one} {other}" for one, other in zip(edged, edged[1:], strict=False))
    if lang == "zh":
        yield from ("".join(each) for each in zip(edged, edged[1:], edged[2:], strict=False))
    else:
        yield from (f"{each[:4]}-" for each in tokens if len(each) > 4)
        yield from (f"-{each[-3:]}" for each in tokens if len(each) > 4)


def _neighbours(tokens: list[list[str]], number: int) -> Iterator[str]:
    """Words of the sentence before, of the one behind, and of the first of the message, which may announce the rest."""
    if number:
        yield from (f"p:{each}" for each in tokens[number - 1][-_NEAR:])
    if number > 1:
        yield from (f"f:{each}" for each in tokens[0][:_NEAR])
    if number + 1 < len(tokens):
        yield from (f"n:{each}" for each in tokens[number + 1][:_AFTER])


def _asked(before: str, lang: str) -> list[str]:
    """The last tokens of the question that the other ended with; none where they ended otherwise."""
    if not before.rstrip().endswith(_QUESTION):
        return []
    last = _LAST_SENTENCE.search(before.rstrip())
    return tokens_of(last[0], lang)[-_NEAR:] if last else []


def _around(talk: Talk, lang: str) -> Iterator[str]:
    """What is the same for all sentences of the message."""
    yield "#friends" if talk.friends else "#assistant"
    yield f"#of{min(len(talk.spans), 4)}"
    if not talk.before:
        yield "#opens"
    else:
        yield "#asked" if talk.before.rstrip().endswith(_QUESTION) else "#told"


def _form(talk: Talk, said: list[str], number: int, lang: str) -> Iterator[str]:
    """Where in the message the sentence stands, and what stands around it, by signs and lines alone."""
    start = talk.spans[number][0]
    before = talk.text[:start]
    if number == 0:
        yield "#first"
    if number == len(said) - 1:
        yield "#last"
    gap = talk.text[talk.spans[number - 1][1] : start] if number else ""
    if "\n" in gap:
        yield "#blank" if "\n\n" in gap else "#line"
    if "\n\n" in before:
        yield "#behind blank"
    elif "\n" in before:
        yield "#behind line"
    if number and said[number - 1].rstrip().endswith(_COLON):
        yield "#announced"
    if any(each.rstrip().endswith(_COLON) for each in said[:number]):
        yield "#behind colon"
    if any(each.rstrip().endswith(_QUESTION) for each in said[:number]):
        yield "#behind question"
    if before.count("“") + before.count("「") > before.count("”") + before.count("」") or before.count('"') % 2:
        yield "#in quotation"
    words = said[number]
    if _OPENS.match(words):
        yield "#opens quotation"
    if _ITEM.match(words):
        yield "#item"
    if _LABEL.match(words):
        yield "#label"
    if words.rstrip().endswith(_QUESTION):
        yield "#question"
    yield f"#long{min(len(words) // _LENGTHS[lang or 'en'], _STEPS)}"


def _shapes(words: str) -> Iterator[str]:
    """Shapes that say much in any language: a dose, a time of day, a date, a sum, a name within the sentence."""
    plain = words.lower()
    if any(sign.isdigit() for sign in plain):
        yield from (name for name, shape in _SHAPES[:-1] if shape.search(plain))
    elif _SHAPES[3][1].search(plain):
        yield _SHAPES[3][0]
    if "@" in plain or "://" in plain or "www." in plain:
        yield _SHAPES[-1][0]
    if _NAME.search(words):
        yield "#name"
