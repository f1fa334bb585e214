"""What of a text is indexed, and what of a question is looked up, for FTS5 (porter, unicode61).

Every CJK character is a token and so is every pair of neighbours: words of one or two characters are found inside a
clause, and no dictionary decides. Latin words are stemmed; what no stemmer knows (irregular forms, British and American
spelling, misspelling) stands here as well. Nothing of a question is ever query syntax.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import cache, lru_cache

from memory_system.rules import table
from memory_system.text import CJK, CJK_RUN, is_cjk, nfkc, simplified

MAX_CHARACTERS = 2_000  # of a question that are looked at
MAX_TERMS = 64

SHORTEST = 4  # letters: shorter words are too near to too many others
LONG = 7  # from so many letters on, two of them may be wrong, and how the word ends
HEAD = 1  # letters that must be right: they decide what is compared
APART = 0.5  # doubt about two characters that do not stand side by side
MEANT = 2  # words at most that are taken for one

_WORD = r"[^\W_]+"  # one that leaves CJK out takes 2 ms to compile: texts are parted there instead
_RUNS = re.compile(rf"{_WORD}(?:[-.@+#/:_]+{_WORD})*")
_TOKENS = re.compile(_WORD)
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_KEYWORDS = re.compile(rf"{_WORD}(?:[-.@+#_]+{_WORD})*")
_ISE = re.compile(r"(?<=[a-z]{3})(i|y)([sz])(?=(?:e[drs]?|ing|ations?)$)")
_LETTER = {"s": "z", "z": "s"}
_WHO = "i|you|he|she|it|we|they|one"
_MAY = re.compile(rf"\b({_WHO}) may\b|\bmay (?=(?:{_WHO}|not|be|have)\b)")  # which is no month


def prepared(text: str) -> str:
    """The text as FTS5 reads it: half-width, simplified, a blank around every CJK character and every pair."""
    return text if text.isascii() else CJK_RUN.sub(_spread, simplified(nfkc(text)))


def _spread(found: re.Match[str]) -> str:
    run = found[0]
    return f" {' '.join(run)} {' '.join(map(str.__add__, run, run[1:]))} "


def asked(query: str) -> list[str]:
    """The words and short phrases to look up, each once and in order; stop words only where there is nothing else."""
    runs = _runs(query)
    found = [term for run in runs for term in _content(run)] or [term for run in runs for term in _phrases(run)]
    return list(dict.fromkeys(found))[:MAX_TERMS]


def pieces(query: str) -> Iterator[str]:
    """The query without its stop words: Latin words, and what of its Chinese stands between them."""
    return (piece for run in _runs(query) for piece in _pieces(run))


def has_content(query: str) -> bool:
    """Whether there is more in it than stop words."""
    return any(term for run in _runs(query) for term in _content(run))


@lru_cache(maxsize=64)  # parts of a question are looked at in several ways
def _runs(query: str) -> list[str]:
    plain = simplified(nfkc(query[:MAX_CHARACTERS])).lower()
    return _RUNS.findall(_parted(_MAY.sub(r"\1", plain)))


def _parted(text: str) -> str:
    """The text with a blank around every CJK run, which is glued to nothing then."""
    return text if text.isascii() else CJK_RUN.sub(r" \g<0> ", text)


def _content(run: str) -> Iterator[str]:
    return (term for piece in _pieces(run) for term in (_phrases(piece) if is_cjk(piece) else [piece]))


def _pieces(run: str) -> Iterator[str]:
    if is_cjk(run):
        yield from (piece for piece in _stop_zh().split(run) if piece and piece not in _weak())
    else:
        yield from (term for term in _phrases(run) if term not in listed("stop"))


@cache
def listed(key: str) -> frozenset[str]:
    """The words of a list of `rules/words.toml`."""
    return frozenset(table("words", key).split())


@cache
def _weak() -> frozenset[str]:
    return frozenset(table("words", "weak"))


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


def match(term: str) -> str:
    """The FTS5 expression for one of `asked`: every token quoted; empty when nothing of it can be looked up."""
    return " AND ".join(_looked_up(token) for token in _TOKENS.findall(_parted(term)) if is_cjk(token) or _known(token))


def _looked_up(token: str) -> str:
    forms = [f'"{each}"' for each in (token, otherwise_spelt(token), *other_forms(token)) if each]
    return f"({' OR '.join(forms)})" if len(forms) > 1 else forms[0]


def _known(token: str) -> bool:
    """Whether SQLite's tables have its letters; one that they lack would end the token, and a phrase is an error."""
    return token.isascii() or all(unicodedata.ucd_3_2_0.category(letter)[0] in "LN" for letter in token)


def names(text: str, name: str) -> bool:
    """Whether the name stands in the text, in whatever case and width; a Latin one as whole words."""
    text, name = nfkc(text).lower(), nfkc(name).strip().lower()
    if name not in text or is_cjk(name):
        return name in text
    return bool(re.search(rf"(?<![^\W{CJK}]){re.escape(name)}(?![^\W{CJK}])", text))


def keywords(text: str) -> set[str]:
    """The content words of a text that are not CJK, in lower case: names, ids and plain words, no bare numbers."""
    words = _KEYWORDS.findall(CJK_RUN.sub(" ", nfkc(text).lower()))
    return {word for word in words if len(word) > 1 and not word.isdecimal() and word not in listed("stop")}


# Words in another form or spelling


def other_forms(word: str) -> tuple[str, ...]:
    """The forms of the English word (in lower case) that do not look like it (went of going); mostly none."""
    bases = [word]
    for root in (word.removesuffix(ending) for ending in ("ing", "es", "s", "'s") if word.endswith(ending)):
        bases += [root, f"{root}e", root[:-1]] if word.endswith("ing") else [root]
    return next((_irregular()[base] for base in bases if base in _irregular()), ())


@cache
def _irregular() -> dict[str, tuple[str, ...]]:
    groups = [group.split() for group in table("words", "irregular").split("|")]
    return {word: tuple(other for other in group if other != word) for group in groups for word in group}


def otherwise_spelt(word: str) -> str:
    """The word (in lower case) as it is written on the other side of the Atlantic; empty where that is the same."""
    for british, american in _spellings().get(word[:1], ()):
        if word.startswith(british):
            return american + word.removeprefix(british)
        if word.startswith(american):
            return british + word.removeprefix(american)
    other = _ISE.sub(lambda found: found[1] + _LETTER[found[2]], word)
    return other if other != word else ""


@cache
def _spellings() -> dict[str, list[list[str]]]:
    """The British and the American beginnings, by the first letter, which they share."""
    pairs: dict[str, list[list[str]]] = {}
    for pair in table("words", "spelling").split("|"):
        pairs.setdefault(pair.strip()[0], []).append(pair.split())
    return pairs


def can_be_misspelt(word: str) -> bool:
    return len(word) >= SHORTEST and word.isalpha()


def doubt_of(word: str) -> float:
    """How doubtful it is, from 0 to 1, that what was found for the word is meant: less for a long word."""
    return APART if is_cjk(word) else min(1.0, SHORTEST / len(word))


def misspelt(word: str, known: Collection[str]) -> list[str]:
    """The stems that the word may be a misspelling of, nearest first: one letter is wrong, in a long word two."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extract

    most = 1 + (len(word) >= LONG)
    endings = (ending for ending in table("words", "endings").split() if word.endswith(ending))
    forms = [word, *map(word.removesuffix, endings)]
    forms += [f"{word[:-1]}i"] * word.endswith("y")
    shortest, longest = max(SHORTEST, len(word) - most - 2), len(word) + most
    stems = [stem for stem in known if shortest <= len(stem) <= longest]
    found = {stem: most + 1 for stem in stems if len(stem) >= LONG and word.startswith(stem)}
    found |= dict.fromkeys({*known}.intersection(forms), 0)
    for form in forms:
        for stem, distance, _ in extract(form, stems, scorer=OSA.distance, score_cutoff=most, limit=None):
            if distance < 2 or min(len(form), len(stem)) >= LONG - 1:  # what is left may be short: "wedd" is no "week"
                found[stem] = min(distance, found.get(stem, distance))
    return sorted(found, key=lambda stem: (found[stem], stem))[:MEANT]
