"""What of a text is indexed, and what of a question is looked up, for FTS5 (porter, unicode61).

Every CJK character is a token and so is every pair of neighbours: words of one or two characters are found inside a
clause, and no dictionary decides. Latin words are stemmed. Nothing of a question is ever query syntax.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from memory_system.recall.irregular import other_forms
from memory_system.recall.spelling import otherwise_spelt
from memory_system.text import CJK, CJK_RUN, is_cjk, nfkc
from memory_system.text.traditional import simplified

MAX_CHARACTERS = 2_000  # of a question that are looked at
MAX_TERMS = 64

_WORD = r"[^\W_]+"  # one that leaves CJK out takes 2 ms to compile: texts are parted there instead
_RUNS = re.compile(rf"{_WORD}(?:[-.@+#/:_]+{_WORD})*")
_TOKENS = re.compile(_WORD)
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_KEYWORDS = re.compile(rf"{_WORD}(?:[-.@+#_]+{_WORD})*")

_ENGLISH = """
a about am an and any are as at be been but by can could did didn do does doesn doing don for from had has have he her
hers him his how i if in into is isn it its just ll m me my of on or our ours re s she should so some t than that the
their theirs them then there these they this those to us ve was wasn we were what when where which while who whom whose
why will with would you your yours
"""
_STOP_EN = frozenset(_ENGLISH.split())
_WEAK_ZH = frozenset("在有和跟与及就都也还很不要会能去来上下到把被给让对从过着个这那之其么")


def prepared(text: str) -> str:
    """The text as FTS5 is to read it: full-width as half-width, traditional as simplified, a blank around every CJK
    character and every pair."""
    if text.isascii():
        return text
    return CJK_RUN.sub(_spread, simplified(nfkc(text)))


def _spread(found: re.Match[str]) -> str:
    run = found[0]
    return f" {' '.join(run)} {' '.join(map(str.__add__, run, run[1:]))} "


def asked(query: str) -> list[str]:
    """The words and short phrases to look up, each once, in the order of the question; stop words only where there is
    nothing else. Empty when the question holds no word at all."""
    runs = _runs(query)
    found = [term for run in runs for term in _content(run)] or [term for run in runs for term in _phrases(run)]
    return list(dict.fromkeys(found))[:MAX_TERMS]


def has_content(query: str) -> bool:
    """Whether there is more in it than stop words."""
    return any(term for run in _runs(query) for term in _content(run))


@lru_cache(maxsize=64)  # parts of a question are looked at in several ways
def _runs(query: str) -> list[str]:
    return _RUNS.findall(_parted(simplified(nfkc(query[:MAX_CHARACTERS])).lower()))


def _parted(text: str) -> str:
    """The text with a blank around every CJK run, which is glued to nothing then."""
    return text if text.isascii() else CJK_RUN.sub(r" \g<0> ", text)


def match(term: str) -> str:
    """The FTS5 expression for one of `asked`: every token quoted, so that it has no syntax but AND. Empty when nothing
    of it can be looked up."""
    return " AND ".join(_looked_up(token) for token in _TOKENS.findall(_parted(term)) if is_cjk(token) or _known(token))


def _looked_up(token: str) -> str:
    forms = [f'"{each}"' for each in (token, otherwise_spelt(token), *other_forms(token)) if each]
    return f"({' OR '.join(forms)})" if len(forms) > 1 else forms[0]


def _known(token: str) -> bool:
    """Whether SQLite's tables have its letters; one that they lack would end the token, and a phrase is an error."""
    return token.isascii() or all(unicodedata.ucd_3_2_0.category(letter)[0] in "LN" for letter in token)


def _content(run: str) -> Iterator[str]:
    if not is_cjk(run):
        yield from (term for term in _phrases(run) if term not in _STOP_EN)
        return
    for piece in _stop_zh().split(run):
        if piece and piece not in _WEAK_ZH:
            yield from _phrases(piece)


@cache  # made where Chinese is first asked: an English question is answered sooner
def _stop_zh() -> re.Pattern[str]:
    """Words that ask or glue; not where they are half of another word, as in 目的 or 了解."""
    return re.compile(
        "为什么|来着|有没有|是不是|什么时候|什么|怎么样|怎么|怎样|哪里|哪儿|哪一?[个些天位种款双只条件家]"
        "|有多(?=[高大长重远久宽深])|几[个位名只条件本家次](?!月)|多少|是否|请问|但是|可是|还是|于是"
        "|我们|你们|他们|她们|它们|咱们|这个|那个|这些|那些|[我您你她它谁哪]|(?<![吉其])他(?!乡)|(?<![目打])的(?![确士])"
        "|了(?!解|不起|结)|吗(?!啡)|(?<![酒网贴])吧(?!台)|[呢啊呀嘛]|(?<!茶)几(?![乎何])|(?<![于但可还总])是(?!非)"
    )


def _phrases(run: str) -> Iterator[str]:
    """A CJK run as its pairs of neighbours; anything else whole, and its words where it is glued of several."""
    if is_cjk(run):
        yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        return
    yield run
    parts = _PARTS.findall(run)
    if len(parts) > 1 and not run.isalnum():
        yield from (part for part in parts if len(part) > 1 and part.isalpha())


def names(text: str, name: str) -> bool:
    """Whether the name stands in the text, in whatever case and width; a Latin one as whole words."""
    text, name = nfkc(text).lower(), nfkc(name).strip().lower()
    if name not in text or is_cjk(name):
        return name in text
    return bool(re.search(rf"(?<![^\W{CJK}]){re.escape(name)}(?![^\W{CJK}])", text))


def keywords(text: str) -> set[str]:
    """The content words of a text that are not CJK, in lower case: names, ids and plain words, no bare numbers."""
    words = _KEYWORDS.findall(CJK_RUN.sub(" ", nfkc(text).lower()))
    return {word for word in words if len(word) > 1 and not word.isdecimal() and word not in _STOP_EN}
