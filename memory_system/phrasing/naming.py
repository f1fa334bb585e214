"""Who and what is named in a text: people, places, organisations, works, code. Better one too few than a word that is
no name.
"""

from __future__ import annotations

import re
from functools import cache

from memory_system.rules import table
from memory_system.rules.words import is_word, words_of
from memory_system.text import straight

MOST = 8  # names of one statement

_NO_LAST = "会也都在是的很真现要想去说又还就能可已正最一不没被把了着过为其些心出到个这那于里上下中后前时天年月日"
_NO_LATIN = frozenset({"ok", "app", "user", "am", "pm", "cm", "kg"})
_TITLE = re.compile(r"《([^》]{1,40})》|[“\"]([A-Z][^”\"]{1,40})[”\"]")
_TITLED = re.compile('[《“"]')  # without one of these there is no title
_CODE_LIKE = re.compile(r"[A-Za-z][A-Z]|\w[._]\w")  # without it there is no code
_CODE = re.compile(r"\b(?:[a-z]+[A-Z]\w*|[A-Z]{2,}\d*|\w+\.(?:js|py|io|ai|com|md|json|toml)|[a-z]+_[a-z_]+)\b")
_CAPITAL = re.compile(r"[A-Z](?<!\w.)(?:[\w'’-]*\w)?(?:(?: (?:of|de|van|von|the|la|del) | |-)(?:[A-Z][\w'’-]*\w))*")
_LATIN_IN_HAN = re.compile(r"[A-Za-z][A-Za-z0-9.+#-]*(?: [A-Z][A-Za-z0-9.+#-]*)*")

_MODALS = frozenset({"Will", "May"})
ALSO_NAMES = _MODALS | {"April", "June", "August", "Summer", "Autumn"}  # first names that are mostly none
_BEFORE_MONTH = re.compile(
    r"\b(?:in|since|until|till|by|from|of|last|next|this|every|on|early|late|mid|during|for|before|after|\d+(?:th|st|nd|rd)?)"
    r"[ -]$",
    re.IGNORECASE,
)


def named(text: str, lang: str, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The names in the text, in order, each once; `known` are names that count wherever they stand."""
    folded = text.casefold()
    heads = tuple(filter(None, dict.fromkeys(known)))
    found = [each for each in heads if each.casefold() in folded]
    if _TITLED.search(text):
        found += [one or other for one, other in _TITLE.findall(text)]
        text = _TITLE.sub(" , ", text)
    found += _chinese(text) if lang == "zh" else _english(text)
    if not found:
        return ()
    told = [each for each in map(str.strip, found) if len(each) > 1]
    return tuple(dict.fromkeys([each for each in told if each in heads or not _is_form(each, heads)]))[:MOST]


def _is_form(name: str, heads: tuple[str, ...]) -> bool:
    """Whether it is another form of a name that is there: "Annas" beside Anna, not Robert Hale beside Rob."""
    return any(name.startswith(each) and not (" " in name and name[len(each)].isalpha()) for each in heads)


def _english(text: str) -> list[str]:
    names, never = [], words_of("not_names")
    for found in _CAPITAL.finditer(text):
        words = straight(found[0]).removesuffix("'s").split()
        opens = _opens(text, found.start())
        if _is_called(words, text, found.start()):
            names.append(" ".join(words))
            continue
        while words and (words[0] in never or (opens and len(words) > 1 and words[0].lower() in ("the", "a"))):
            words, opens = words[1:], False
        while words and words[-1] in never:
            words = words[:-1]
        if words and not (opens and len(words) == 1):
            names.append(" ".join(words))
    return names + (_CODE.findall(text) if _CODE_LIKE.search(text) else [])


def _is_called(words: list[str], text: str, start: int) -> bool:
    """Whether somebody is called by a word that is mostly none: April Jones; not "in April Jones moved", and
    not "Will Jones come?"."""
    if len(words) < 2 or words[0] not in ALSO_NAMES or any(is_word("not_names", each) for each in words[1:]):
        return False
    asks = words[0] in _MODALS and _opens(text, start) and text.rstrip().endswith("?")
    return not asks and not _BEFORE_MONTH.search(text, 0, start)


def _opens(text: str, start: int) -> bool:
    """Whether a sentence begins there, so that a capital says nothing."""
    before = text[:start].rstrip(" \"'“(")
    return not before or before[-1] in ".!?:\n–—-"


@cache
def _people() -> re.Pattern[str]:
    surname = table("zh", "parts")["surname"]
    return re.compile(
        rf"(?:^|[，,。！!？?；;：:、“”和跟与找给叫问陪约见让请对帮向同是说被把比]|朋友|同事|同学|弟弟?|妹妹?|哥哥?|姐姐?)"
        rf"({surname}[\u4e00-\u9fff]{{1,2}}|[小老阿][\u4e00-\u9fff])"
        r"(?=是|说|叫|在|的|和|跟|与|也|去|来|住|、|，|,|。|喜欢|一起|结婚|工作|今年|送|$)"
    )


@cache
def _places() -> re.Pattern[str]:
    return re.compile(str(table("zh", "words")["place"]))


def _chinese(text: str) -> list[str]:
    common = words_of("not_names", "zh")
    names = [each for each in _people().findall(text) if each not in common and each[-1] not in _NO_LAST]
    names += [found[1] or found[2] for found in _places().finditer(text)]
    return names + [each for each in _LATIN_IN_HAN.findall(text) if len(each) > 1 and each.lower() not in _NO_LATIN]
