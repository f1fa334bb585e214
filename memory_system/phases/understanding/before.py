"""What a message says right before words that cannot be understood without it: 我给爸妈买了平板。他们很喜欢 is told
with whom it is about. In Chinese, which leaves out what was just named, that is mostly the sentence before. English
names it by a pronoun, or by a noun that was said before: "the listeners" are those of which the message spoke.
"""

from __future__ import annotations

import re
from functools import cache

from memory_system import rules, text
from memory_system.phases.understanding.asked import names_enough
from memory_system.phases.understanding.essays import width
from memory_system.phases.understanding.hanging import may_name, names_somebody, unnamed
from memory_system.phases.understanding.openings import opens_at
from memory_system.phases.understanding.scene import as_rules_see, is_courtesy
from memory_system.phases.understanding.subjects import kin
from memory_system.privacy import trust
from memory_system.rules.words import words_of
from memory_system.store.gist import stem

_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?]*")
_REACH = {"en": 320, "zh": 180}  # characters before the words in which it may stand
_MOST = 3  # sentences back
_MOST_PERSON = 5  # for whom somebody is: a person is spoken of longer than a thing
_LONGEST = {"en": 64, "zh": 90}  # columns of what is told beside
_PAIRS = (("“", "”"), ("‘", "’"), ("「", "」"), ("《", "》"))
_LONGEST_CLAUSE = 100  # and of the first clause of a long sentence, which may have no shorter one
_SHORTEST_CLAUSE = 24
_CLAUSE_ENDS = re.compile(
    r"(?:[,;](?= )| [-–—](?= )| (?=\()| (?=(?:because|which|where|when|while) )"
    r"| (?=(?:and|but|so) (?:i|i'm|i've|i'd|i'll|my|we|we're|our|he|she|they|it|it's|the|this|that|there|then|now|also)"
    r" ))",
    re.IGNORECASE,
)
_PAUSE = re.compile("[，；]")
_SHORTEST, _SHORT = 10, 30  # characters of a Chinese clause that says what is spoken of
_CODE = re.compile(r"[{}=;<>|#]|//|```|\w\(|[a-z]\.[a-z]+[A-Z(]|^[^A-Za-z\"“'\u4e00-\u9fff]|^[A-Z][\w ]{2,16} ?: ")
_THE_NOUN = re.compile(r"\b(?:[Tt]he|[Tt]h(?:is|at|ese|ose)) (?:(?:new|whole|same|other|first|last) )?([a-z]{4,})\b")
_POINTS = re.compile(  # what only leads to something, or asks after it
    r"(?:(?:and|but|so),? )*(?:here(?:'s| is| are)|for example|for instance|maybe)\b"
    r"|.*\b(?:sure|wonder\w*|know|see|check) (?:if|whether|that) (?:this|that|it)\b",
    re.IGNORECASE,
)
_FENCED = re.compile(r"```.*?(?:```|$)", re.DOTALL)  # code says nothing of what it is for
_WORD = re.compile(r"[a-z]{4,}")
_LIGHT = 36  # characters of words that say little without what stands before them
_SAYS_ITSELF = re.compile(r"[A-Za-z]{2}|\d|[《“「‘]")
_LABEL = re.compile(  # who speaks, in brackets, and what a stage direction adds
    r"[\[【][^\]】]*[\]】]\s*(?:[（(]?[\w·]{1,16}[）)]?[：: ]|（[^）]{1,16}）)?\s*"
)


def said_before(message: str, start: int, words: str, lang: str, *, asks: bool = False) -> str:
    """The nearest sentence of the message before `start` that can be understood alone and may name what the words
    there lack; empty where they lack nothing, or there is none. Who `asks` for something lacks what it is for."""
    if not start:
        return ""
    said = _said_before_zh if lang == "zh" else _said_before_en
    prose = _FENCED.sub("\n", message[:start]) if "```" in message else message[:start]
    return said(prose, words, asks=asks)


def _said_before_zh(prose: str, words: str, *, asks: bool) -> str:
    thing = unnamed(words, "zh")
    if not (thing or asks or _is_light(words)):
        return ""
    label = _LABEL.match(prose)
    begins = max(label.end() if label else 0, len(prose) - _REACH["zh"])
    sentences = [found[0].strip() for found in _SENTENCE.finditer(prose, begins)]
    if begins and begins == len(prose) - _REACH["zh"]:
        sentences = sentences[1:]  # the first is cut off
    most = _MOST_PERSON if thing[:1] in ("他", "她") else _MOST
    for each in map(_in_short_zh, reversed(sentences[-most:])):
        if _tells(each, "zh") and (thing[:1] not in ("他", "她") or names_somebody(each, "zh")):
            return each
    return ""


def _said_before_en(prose: str, words: str, *, asks: bool) -> str:
    thing = unnamed(words, "en")
    nouns = {stem(each.lower()) for each in _THE_NOUN.findall(words)} - _common_nouns()
    if not (thing or nouns or asks):
        return ""
    telling = [each for each in _sentences_before(prose) if not _CODE.search(each) and _tells(each, "en")]
    for sentence in telling:
        if asks or _has_noun(sentence, nouns) or (thing and may_name(sentence, thing)):
            return sentence
    return telling[0] if telling and _points_back(words) and telling[0] not in words else ""


def _sentences_before(prose: str) -> list[str]:
    """The last sentences of the prose, the last first, long ones in short."""
    begins = max(0, len(prose) - _REACH["en"])
    prose = prose[begins:]
    whole = [prose[slice(*each)] for each in text.sentences(prose)][bool(begins) :]  # the first is cut off
    return [_in_short(each) for each in reversed(whole[-_MOST:])]


def _points_back(words: str) -> bool:
    """Whether the words speak of "this code" or "this new skill" without having named it: what it is stands before."""
    points = _this_in_hand().search(words)
    return points is not None and not _has_noun(words[: points.start()], {stem(points[1])})


def _has_noun(sentence: str, nouns: set[str]) -> bool:
    """Whether the sentence has one of these nouns, given as stems."""
    return not nouns.isdisjoint(map(stem, _WORD.findall(sentence.lower())))


def _in_short(sentence: str) -> str:
    """The English sentence, of a long one the first clause."""
    if width(sentence) <= _LONGEST["en"]:
        return sentence
    ends = (found.end() for found in _CLAUSE_ENDS.finditer(sentence, _SHORTEST_CLAUSE, _LONGEST_CLAUSE))
    first = next((at for at in ends if opens_at(sentence, at) == at), None)
    return sentence[:first].rstrip(" ,;-–—(") if first else sentence


def _in_short_zh(sentence: str) -> str:
    """The Chinese sentence, of a long one the first clause that does not only open the next."""
    if width(sentence) <= _LONGEST["zh"]:
        return sentence
    pauses = (pause.start() for pause in _PAUSE.finditer(sentence, _SHORTEST, _SHORT + 1))
    return next((sentence[:at] for at in pauses if opens_at(sentence, at) == at), sentence)


def _is_light(words: str) -> bool:
    """Whether the words are few, and have no number, no name and nobody near in them."""
    return len(words) <= _LIGHT and not (_SAYS_ITSELF.search(words) or kin().search(words))


def _tells(sentence: str, lang: str) -> bool:
    """Whether the sentence says by itself what is spoken of, and is no courtesy."""
    if width(sentence) > (_LONGEST_CLAUSE if lang == "en" else _LONGEST[lang]) or unnamed(sentence, lang):
        return False
    if lang == "zh" and (rules.load("zh")["leans_back"].fires(sentence) or _is_cut(sentence)):
        return False
    if not names_enough(sentence, lang, 3) or trust.suspects(sentence, owner=False) or _POINTS.match(sentence):
        return False
    plain = as_rules_see(sentence)
    return not (rules.load(lang)["noise"].fires(plain) or is_courtesy(plain, lang))


def _is_cut(sentence: str) -> bool:
    """Whether a quotation begins in the sentence that does not end there."""
    return any(sentence.count(opening) != sentence.count(closing) for opening, closing in _PAIRS)


@cache
def _this_in_hand() -> re.Pattern[str]:
    """What somebody works at ("this code", "these new requirements"), and never what they only now bring up."""
    return re.compile(rf"\b[Tt]h(?:is|ese) (?:(?:new|whole|current) )?({rules.table('en', 'words')['in_hand']})s?\b")


@cache
def _common_nouns() -> frozenset[str]:
    """Nouns of which everybody knows which: the day, the world."""
    return frozenset(stem(each) for name in ("common", "vague", "known_nouns") for each in words_of(name))
