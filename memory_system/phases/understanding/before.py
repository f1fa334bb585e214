"""What a message says right before words that cannot be understood without it: 我给爸妈买了平板。他们很喜欢 is told
with whom it is about. In Chinese, which leaves out what was just named, that is mostly the sentence before; English
says it anew, or in another message.
"""

from __future__ import annotations

import re
from functools import cache

from memory_system import rules, trust
from memory_system.phases.understanding.asked import names_enough
from memory_system.phases.understanding.essays import width
from memory_system.phases.understanding.hanging import names_somebody, unnamed
from memory_system.phases.understanding.scene import as_rules_see, is_courtesy

_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?]*")
_REACH = 140  # characters before the words in which it may stand
_MOST = 3  # sentences back
_LONGEST = 90  # columns of what is told beside
_LIGHT = 36  # characters of words that say little without what stands before them
_SAYS_ITSELF = re.compile(r"[A-Za-z]{2}|\d|[《“「‘]")
_LABEL = re.compile(  # who speaks, in brackets, and what a stage direction adds
    r"[\[【][^\]】]*[\]】]\s*(?:[（(]?[\w·]{1,16}[）)]?[：: ]|（[^）]{1,16}）)?\s*"
)


def said_before(message: str, start: int, words: str, lang: str) -> str:
    """The nearest sentence of the message before `start` that can be understood alone and may name what the words
    there lack; empty where they lack nothing, or there is none."""
    if lang != "zh" or not start:
        return ""
    thing = unnamed(words)
    if not (thing or _is_light(words)):
        return ""
    label = _LABEL.match(message)
    begins = max(label.end() if label else 0, start - _REACH)
    sentences = [found[0].strip() for found in _SENTENCE.finditer(message, begins, max(begins, start))]
    for each in reversed(sentences[-_MOST:]):
        if _tells(each) and (thing[:1] not in ("他", "她") or names_somebody(each, "zh")):
            return each
    return ""


def _is_light(words: str) -> bool:
    """Whether the words are few, and have no number, no name and nobody near in them."""
    return len(words) <= _LIGHT and not (_SAYS_ITSELF.search(words) or _near().search(words))


@cache
def _near() -> re.Pattern[str]:
    return re.compile(str(rules.table("zh", "parts")["kin_word"]))


def _tells(sentence: str) -> bool:
    """Whether the sentence says by itself what is spoken of, and is no courtesy."""
    if width(sentence) > _LONGEST or unnamed(sentence) or rules.load("zh")["leans_back"].fires(sentence):
        return False
    if not names_enough(sentence, "zh", 3) or trust.suspects(sentence, owner=False):
        return False
    plain = as_rules_see(sentence)
    return not (rules.load("zh")["noise"].fires(plain) or is_courtesy(plain, "zh"))
